"""Reductions, cumulative operations and products of tensors.

TensorFlow's CPU kernels accumulate float16 and bfloat16 in their own precision, so those
go through float32.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import tensorflow as tf

from kops import dtypes
from kops.backends.tensorflow.core import native_dtype

__all__ = ["TABLE"]

Tensor = tf.Tensor

_LOW = frozenset([tf.float16, tf.bfloat16])


def _accumulate(fn: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Runs `fn` in float32 for low-precision floats and returns the input's dtype."""

    @wraps(fn)
    def run(x: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        if x.dtype in _LOW:
            return tf.cast(fn(tf.cast(x, tf.float32), *args, **kwargs), x.dtype)
        return fn(x, *args, **kwargs)

    return run


def _in_dtype(x: Tensor, dtype: Any) -> Tensor:
    return tf.cast(x, native_dtype(dtypes.standardize(dtype)))


def _prod(x: Tensor, axis: Any = None, keepdims: bool = False, dtype: Any = None) -> Tensor:
    if dtype is not None:
        x = _in_dtype(x, dtype)
    return tf.reduce_prod(x, axis, keepdims)


def _no_elements(x: Tensor, axis: Any) -> bool:
    shape = x.shape.as_list()
    axes = range(len(shape)) if axis is None else [axis] if isinstance(axis, int) else axis
    return any(shape[a] == 0 for a in axes)


def _extremum(reduce: Any, pair: Any, name: str) -> Any:
    def run(x: Tensor, axis: Any = None, keepdims: bool = False, initial: Any = None) -> Tensor:
        if x.dtype == tf.bool:
            return tf.cast(run(tf.cast(x, tf.uint8), axis, keepdims, initial), tf.bool)
        if initial is not None:
            return pair(reduce(x, axis, keepdims), tf.cast(initial, x.dtype))
        if 0 in x.shape and _no_elements(x, axis):
            raise ValueError(f"{name} over a zero-size axis needs `initial`.")
        return reduce(x, axis, keepdims)

    return run


def _arg(reduce: Any) -> Any:
    def run(x: Tensor, axis: int | None = None, keepdims: bool = False) -> Tensor:
        rank = x.shape.rank
        if axis is None:
            flat = tf.reshape(x, [-1])
            index = _with_nan(reduce, flat, 0)
            return tf.reshape(index, [1] * rank) if keepdims else index
        index = _with_nan(reduce, x, axis)
        return tf.expand_dims(index, axis) if keepdims else index

    return run


def _with_nan(reduce: Any, x: Tensor, axis: int) -> Tensor:
    """The index of the first NaN where there is one, which the kernel passes over."""
    index = reduce(x, axis, tf.int32)
    if not x.dtype.is_floating:
        return index
    nan = tf.math.is_nan(x)
    first = tf.argmax(tf.cast(nan, tf.int8), axis, tf.int32)
    return tf.where(tf.reduce_any(nan, axis), first, index)


_running_sum = _accumulate(tf.cumsum)
_running_product = _accumulate(tf.math.cumprod)


def _running(fn: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def run(x: Tensor, axis: int | None = None, dtype: Any = None) -> Tensor:
        if dtype is not None:
            x = _in_dtype(x, dtype)
        return fn(tf.reshape(x, [-1]) if axis is None else x, axis or 0)

    return run


def _matrices(x1: Tensor, x2: Tensor) -> bool:
    return len(x1.shape) > 1 and len(x2.shape) > 1


def _matmul(x1: Tensor, x2: Tensor) -> Tensor:
    row, column = len(x1.shape) == 1, len(x2.shape) == 1
    product = tf.matmul(
        tf.expand_dims(x1, 0) if row else x1, tf.expand_dims(x2, 1) if column else x2
    )
    axes = ([-2] if row else []) + ([-1] if column else [])
    return tf.squeeze(product, axes)


def _einsum(subscripts: str, *operands: Tensor) -> Tensor:
    return tf.einsum(subscripts, *operands)


TABLE: dict[str, Any] = {
    "sum": _accumulate(tf.reduce_sum),
    "prod": _accumulate(_prod),
    "mean": _accumulate(tf.reduce_mean),
    "var": _accumulate(tf.math.reduce_variance),
    "std": _accumulate(tf.math.reduce_std),
    "max": _extremum(tf.reduce_max, tf.maximum, "max"),
    "min": _extremum(tf.reduce_min, tf.minimum, "min"),
    "any": tf.reduce_any,
    "all": tf.reduce_all,
    "argmax": _arg(tf.argmax),
    "argmin": _arg(tf.argmin),
    "cumsum": _running(_running_sum),
    "cumprod": _running(_running_product),
    "logsumexp": _accumulate(tf.reduce_logsumexp),
    "matmul": [(tf.matmul, _matrices), _matmul],
    "einsum": _einsum,
    "tensordot": tf.tensordot,
}
