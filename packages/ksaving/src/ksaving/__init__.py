"""ksaving: `.keras` and `.weights.h5` files, exchanged with Keras 3 and safe to load."""

from __future__ import annotations

from ksaving.errors import UnsafeFileError
from ksaving.mixin import SavingMixin
from ksaving.model_files import load_model, save_model
from ksaving.weights import load_weights, save_weights

__version__ = "0.1.0"

__all__ = [
    "SavingMixin",
    "UnsafeFileError",
    "load_model",
    "load_weights",
    "save_model",
    "save_weights",
]
