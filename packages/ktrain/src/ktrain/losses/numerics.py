"""Converting the arguments of loss functions, and float32 inside for short floats."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, ParamSpec

from kops import dtypes, ops

__all__ = ["dtype_name", "float32_inside", "pair", "signed_targets", "smooth"]

P = ParamSpec("P")

_SHORT = frozenset(["float16", "bfloat16"])


@functools.lru_cache(maxsize=64)
def dtype_name(dtype: Any) -> str:
    """The name of a dtype of any engine."""
    return dtypes.standardize(dtype)


def pair(y_true: Any, y_pred: Any) -> tuple[Any, Any]:
    """Both as tensors of the predictions' float dtype."""
    y_pred = ops.convert_to_tensor(y_pred)
    dtype = dtypes.to_float(dtype_name(y_pred.dtype))
    return ops.convert_to_tensor(y_true, dtype), ops.convert_to_tensor(y_pred, dtype)


def float32_inside(function: Callable[P, Any]) -> Callable[P, Any]:
    """Computes a loss of float16 or bfloat16 predictions in float32.

    Their sums lose digits, and their epsilon vanishes: log(1 - (1 - 1e-7)) is
    infinite there. The result has the predictions' dtype.
    """

    @functools.wraps(function)
    def wrapped(y_true: Any, y_pred: Any, *args: Any, **kwargs: Any) -> Any:
        y_pred = ops.convert_to_tensor(y_pred)
        dtype = dtype_name(y_pred.dtype)
        if dtype not in _SHORT:
            return function(y_true, y_pred, *args, **kwargs)  # type: ignore[call-arg]
        return ops.cast(function(y_true, ops.cast(y_pred, "float32"), *args, **kwargs), dtype)  # type: ignore[call-arg]

    return wrapped  # type: ignore[return-value]


def smooth(y_true: Any, label_smoothing: float, classes: Any) -> Any:
    """Targets moved towards the uniform distribution over `classes` classes."""
    return y_true * (1.0 - label_smoothing) + label_smoothing / classes


def signed_targets(y_true: Any) -> Any:
    """Targets in {0, 1} become {-1, 1}; others are kept."""
    binary = ops.all(ops.logical_or(ops.equal(y_true, 0), ops.equal(y_true, 1)))
    return ops.where(binary, 2.0 * y_true - 1.0, y_true)
