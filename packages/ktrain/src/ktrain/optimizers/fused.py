"""Updates that an engine does for many variables at once.

A module `ktrain.engines.<engine>_updates` may hold

- `UPDATES`: optimizer's class name to a function `(optimizer, gradients, variables)`
  that updates variables and slots in place and returns True, or returns False having
  done nothing when it cannot handle these variables;
- `increment(variable)`: adds 1 to a step counter.

Where there is none, each variable's `update_step` runs.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
from collections.abc import Callable
from types import ModuleType
from typing import Any

from kops import config

__all__ = ["fused_increment", "fused_update"]


@functools.cache
def _engine_updates() -> ModuleType | None:
    name = f"ktrain.engines.{config.backend()}_updates"
    return importlib.import_module(name) if importlib.util.find_spec(name) else None


def fused_update(cls: type) -> Callable[..., bool] | None:
    """The engine's update for the optimizer class `cls`, if it has one.

    A subclass that overrides `update_step` has its own rule and gets none.
    """
    module = _engine_updates()
    if module is None:
        return None
    for base in cls.__mro__:
        if "update_step" in base.__dict__:
            known = base.__module__.startswith("ktrain.optimizers.")
            return module.UPDATES.get(base.__name__) if known else None
    return None


def fused_increment() -> Callable[[Any], Any]:
    """The engine's way to add 1 to a step counter."""
    module = _engine_updates()
    return _increment if module is None else module.increment


def _increment(variable: Any) -> None:
    variable.assign_add(1)
