"""Updates that an engine does for many variables at once.

A module `ktrain.engines.<engine>_updates` may hold

- `UPDATES`: optimizer's class name to a function `(optimizer, gradients, variables)`
  that updates variables and slots in place and returns True, or returns False having
  done nothing when it cannot handle these variables;
- `increment`, `decay`, `clip`: in place of those of `ktrain.optimizers.plain`.

Where there is none, each variable's `update_step` runs.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
from collections.abc import Callable
from types import ModuleType
from typing import Any, NamedTuple

from kops import config
from ktrain.optimizers import plain

__all__ = ["Kernels", "fused_update", "kernels"]


class Kernels(NamedTuple):
    """What an optimizer does around the update rule."""

    increment: Callable[..., None]
    decay: Callable[..., None]
    clip: Callable[..., Any]


@functools.cache
def _engine_module() -> ModuleType | None:
    name = f"ktrain.engines.{config.backend()}_updates"
    return importlib.import_module(name) if importlib.util.find_spec(name) else None


@functools.cache
def kernels() -> Kernels:
    """The engine's functions where it has some, else those made of ops."""
    module = _engine_module()
    return Kernels(*(getattr(module, n, getattr(plain, n)) for n in Kernels._fields))


def fused_update(cls: type) -> Callable[..., bool] | None:
    """The engine's update for the optimizer class `cls`, if it has one.

    A subclass that overrides `update_step` has its own rule and gets none.
    """
    module = _engine_module()
    if module is None:
        return None
    for base in cls.__mro__:
        if "update_step" in base.__dict__:
            known = base.__module__.startswith("ktrain.optimizers.")
            return module.UPDATES.get(base.__name__) if known else None
    return None
