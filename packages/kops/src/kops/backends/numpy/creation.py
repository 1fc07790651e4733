"""New arrays, conversions, and matrices by their diagonals."""

from __future__ import annotations

from typing import Any

import numpy as np

from kops import config, dtypes
from kops.backends.numpy.core import native_dtype
from kops.shapes import arange_limits

__all__ = ["TABLE"]

Array = np.ndarray


def _dtype(name: Any) -> np.dtype[Any]:
    return native_dtype(dtypes.standardize(name))


def _cast(x: Array, dtype: Any) -> Array:
    target = _dtype(dtype)
    if x.dtype.kind == "c" and target.kind != "c":
        x = x.real
    if target.kind in "iu" and x.dtype.kind not in "iub":
        # Numbers outside the range become something or other, without a warning.
        with np.errstate(invalid="ignore"):
            return x.astype(target)
    return x.astype(target, copy=False)


def _convert_to_tensor(
    x: Array, dtype: Any = None, sparse: Any = None, ragged: Any = None
) -> Array:
    return x if dtype is None else _cast(x, dtype)


def _same(variable: Array) -> Array:
    return variable


def _copy(x: Array) -> Array:
    return np.array(x)


def _zeros(shape: Any, dtype: Any = None) -> Array:
    return np.zeros(shape, _dtype(dtype))


def _ones(shape: Any, dtype: Any = None) -> Array:
    return np.ones(shape, _dtype(dtype))


def _full(shape: Any, fill_value: Any, dtype: Any = None) -> Array:
    return np.full(shape, fill_value, _dtype(dtype))


def _zeros_like(x: Array, dtype: Any = None) -> Array:
    return np.zeros(x.shape, x.dtype if dtype is None else _dtype(dtype))


def _ones_like(x: Array, dtype: Any = None) -> Array:
    return np.ones(x.shape, x.dtype if dtype is None else _dtype(dtype))


def _arange(start: Any, stop: Any = None, step: Any = None, dtype: Any = None) -> Array:
    start, stop, step = arange_limits(start, stop, step)
    if dtype is None:
        dtype = arange_dtype(start, stop, step)
    target = _dtype(dtype)
    if target.kind in "iu":
        return np.arange(start, stop, step).astype(target, copy=False)
    # In float64 first: low-precision steps would drift.
    return np.arange(start, stop, step, np.float64).astype(target, copy=False)


def arange_dtype(*numbers: Any) -> str:
    """int32 for integers, else floatx."""
    exact = all(np.asarray(n).dtype.kind in "iub" for n in numbers)
    return "int32" if exact else config.floatx()


def _tril(x: Array, k: int = 0) -> Array:
    _need_matrix(x)
    return np.tril(x, k)


def _triu(x: Array, k: int = 0) -> Array:
    _need_matrix(x)
    return np.triu(x, k)


def _need_matrix(x: Array) -> None:
    # NumPy makes a square of a vector.
    if x.ndim < 2:
        raise ValueError(f"A matrix is needed; got a tensor of rank {x.ndim}.")


def _diag(x: Array, k: int = 0) -> Array:
    return np.diag(x, k)


def _diagonal(x: Array, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
    return np.diagonal(x, offset, axis1, axis2)


TABLE: dict[str, Any] = {
    "cast": _cast,
    "_convert_to_tensor": _convert_to_tensor,
    "stop_gradient": _same,
    "copy": _copy,
    "zeros": _zeros,
    "ones": _ones,
    "empty": _zeros,
    "full": _full,
    "zeros_like": _zeros_like,
    "ones_like": _ones_like,
    "arange": _arange,
    "tril": _tril,
    "triu": _triu,
    "diag": _diag,
    "diagonal": _diagonal,
}
