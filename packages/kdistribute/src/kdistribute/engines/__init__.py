"""Engines that run on several devices; one module each."""

from __future__ import annotations

import functools
import importlib
from types import ModuleType

from kops.backend import active

__all__ = ["devices_engine"]

_MODULES = {"jax": "kdistribute.engines.jax"}


@functools.cache
def devices_engine() -> ModuleType:
    """The module for the active engine.

    Raises:
        NotImplementedError: if it runs on one device only.
    """
    name = active().NAME
    if name not in _MODULES:
        raise NotImplementedError(
            f"The engine {name!r} does not distribute over devices here. Use jax "
            "(set KERAS_BACKEND=jax before the import)."
        )
    return importlib.import_module(_MODULES[name])
