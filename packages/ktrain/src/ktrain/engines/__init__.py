"""Engines: how each framework runs a training, a test and a prediction step."""

from __future__ import annotations

import importlib
from functools import cache

from kops import config
from ktrain.engines.base import Engine

__all__ = ["Engine", "engine"]

_BUILT_IN = ("jax", "numpy", "tensorflow", "torch")


@cache
def engine() -> Engine:
    """The training engine that goes with the active backend.

    A backend without one of its own predicts and evaluates, but does not train.
    """
    name = config.backend()
    module = importlib.import_module(
        f"ktrain.engines.{name}" if name in _BUILT_IN else "ktrain.engines.numpy"
    )
    return module.ENGINE
