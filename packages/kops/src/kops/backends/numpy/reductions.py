"""Reductions, cumulative operations and products of arrays.

`ufunc.reduce` is called directly: it skips the argument handling of `np.sum` and friends.
Low-precision floats accumulate in float32.
"""

from __future__ import annotations

import math
from typing import Any

import ml_dtypes
import numpy as np

from kops import dtypes
from kops.backends.numpy.core import native_dtype

__all__ = ["TABLE"]

Array = np.ndarray
Axis = int | tuple[int, ...] | None

_LOW = frozenset([np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16)])
_BFLOAT16 = np.dtype(ml_dtypes.bfloat16)


def _axes(axis: Any) -> Axis:
    return tuple(axis) if isinstance(axis, list) else axis


def _sum(x: Array, axis: Any = None, keepdims: bool = False) -> Array:
    axis = _axes(axis)
    if x.dtype in _LOW:
        return np.add.reduce(x, axis, np.float32, None, keepdims).astype(x.dtype)
    return np.add.reduce(x, axis, x.dtype, None, keepdims)


def _in_dtype(x: Array, dtype: Any) -> Array:
    return x.astype(native_dtype(dtypes.standardize(dtype)), copy=False)


def _prod(x: Array, axis: Any = None, keepdims: bool = False, dtype: Any = None) -> Array:
    if dtype is not None:
        x = _in_dtype(x, dtype)
    axis = _axes(axis)
    if x.dtype in _LOW:
        return np.multiply.reduce(x, axis, np.float32, None, keepdims).astype(x.dtype)
    return np.multiply.reduce(x, axis, x.dtype, None, keepdims)


def _count(x: Array, axis: Axis) -> int:
    if axis is None:
        return x.size
    if isinstance(axis, tuple):
        return math.prod(x.shape[a] for a in axis)
    return x.shape[axis]


def _mean(x: Array, axis: Any = None, keepdims: bool = False) -> Array:
    axis = _axes(axis)
    if x.dtype in _LOW:
        return _mean(x.astype(np.float32), axis, keepdims).astype(x.dtype)
    total = np.add.reduce(x, axis, x.dtype, None, keepdims)
    n = _count(x, axis)
    # A mean of nothing is NaN, without NumPy's warning: no other engine gives one.
    return total / x.dtype.type(n) if n else total * x.dtype.type(np.nan)


def _var(x: Array, axis: Any = None, keepdims: bool = False) -> Array:
    axis = _axes(axis)
    if x.dtype in _LOW:
        return _var(x.astype(np.float32), axis, keepdims).astype(x.dtype)
    centred = x - _mean(x, axis, True)
    if x.dtype.kind == "c":
        centred = np.abs(centred)
    return _mean(np.square(centred), axis, keepdims)


def _std(x: Array, axis: Any = None, keepdims: bool = False) -> Array:
    if x.dtype in _LOW:
        return _std(x.astype(np.float32), axis, keepdims).astype(x.dtype)
    return np.sqrt(_var(x, axis, keepdims))


def _max(x: Array, axis: Any = None, keepdims: bool = False, initial: Any = None) -> Array:
    if x.dtype == _BFLOAT16:  # which warns of NaN
        return _max(x.astype(np.float32), axis, keepdims, initial).astype(_BFLOAT16)
    return np.maximum.reduce(x, _axes(axis), None, None, keepdims, initial)


def _min(x: Array, axis: Any = None, keepdims: bool = False, initial: Any = None) -> Array:
    if x.dtype == _BFLOAT16:
        return _min(x.astype(np.float32), axis, keepdims, initial).astype(_BFLOAT16)
    return np.minimum.reduce(x, _axes(axis), None, None, keepdims, initial)


def _any(x: Array, axis: Any = None, keepdims: bool = False) -> Array:
    return np.logical_or.reduce(x, _axes(axis), None, None, keepdims)


def _all(x: Array, axis: Any = None, keepdims: bool = False) -> Array:
    return np.logical_and.reduce(x, _axes(axis), None, None, keepdims)


def _argmax(x: Array, axis: int | None = None, keepdims: bool = False) -> Array:
    return np.argmax(x, axis, keepdims=keepdims).astype(np.int32)


def _argmin(x: Array, axis: int | None = None, keepdims: bool = False) -> Array:
    return np.argmin(x, axis, keepdims=keepdims).astype(np.int32)


def _cumsum(x: Array, axis: int | None = None, dtype: Any = None) -> Array:
    if dtype is not None:
        x = _in_dtype(x, dtype)
    if x.dtype in _LOW:
        return np.cumsum(x, axis, np.float32).astype(x.dtype)
    return np.cumsum(x, axis, x.dtype)


def _cumprod(x: Array, axis: int | None = None, dtype: Any = None) -> Array:
    if dtype is not None:
        x = _in_dtype(x, dtype)
    if x.dtype in _LOW:
        return np.cumprod(x, axis, np.float32).astype(x.dtype)
    return np.cumprod(x, axis, x.dtype)


def _logsumexp(x: Array, axis: Any = None, keepdims: bool = False) -> Array:
    axis = _axes(axis)
    if x.dtype in _LOW:
        return _logsumexp(x.astype(np.float32), axis, keepdims).astype(x.dtype)
    top = np.maximum.reduce(x, axis, None, None, True, -np.inf)
    top = np.where(np.isfinite(top), top, x.dtype.type(0))
    with np.errstate(divide="ignore", over="ignore"):
        total = np.log(np.add.reduce(np.exp(x - top), axis, None, None, True)) + top
    if keepdims:
        return total
    return total.reshape(()) if axis is None else np.squeeze(total, axis)


def _matmul(x1: Array, x2: Array) -> Array:
    if x1.dtype == _BFLOAT16:
        return np.matmul(x1.astype(np.float32), x2.astype(np.float32)).astype(_BFLOAT16)
    return np.matmul(x1, x2)


def _einsum(subscripts: str, *operands: Array) -> Array:
    dtype = operands[0].dtype
    if dtype in _LOW:
        wide = (o.astype(np.float32) for o in operands)
        return np.einsum(subscripts, *wide, optimize=True).astype(dtype)
    return np.einsum(subscripts, *operands, optimize=len(operands) > 1)


def _tensordot(x1: Array, x2: Array, axes: Any = 2) -> Array:
    if x1.dtype in _LOW:
        wide = np.tensordot(x1.astype(np.float32), x2.astype(np.float32), axes)
        return wide.astype(x1.dtype)
    return np.tensordot(x1, x2, axes)


TABLE: dict[str, Any] = {
    "sum": _sum,
    "prod": _prod,
    "mean": _mean,
    "var": _var,
    "std": _std,
    "max": _max,
    "min": _min,
    "any": _any,
    "all": _all,
    "argmax": _argmax,
    "argmin": _argmin,
    "cumsum": _cumsum,
    "cumprod": _cumprod,
    "logsumexp": _logsumexp,
    "matmul": _matmul,
    "einsum": _einsum,
    "tensordot": _tensordot,
}
