"""New tensors, conversions, and matrices by their diagonals."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from kops import config, dtypes
from kops.backends.tensorflow.core import native_dtype
from kops.shapes import arange_limits

__all__ = ["TABLE"]

Tensor = tf.Tensor


def _dtype(name: Any) -> tf.DType:
    return native_dtype(dtypes.standardize(name))


def _cast(x: Tensor, dtype: Any) -> Tensor:
    target = _dtype(dtype)
    if x.dtype.is_complex and not target.is_complex:
        x = tf.math.real(x)
    return tf.cast(x, target)


def _convert_to_tensor(
    x: Tensor, dtype: Any = None, sparse: Any = None, ragged: Any = None
) -> Tensor:
    return x if dtype is None else _cast(x, dtype)


def _stop_gradient(variable: Tensor) -> Tensor:
    return tf.stop_gradient(variable)


def _shape(shape: Any) -> Any:
    return list(shape) if isinstance(shape, (tuple, list, tf.TensorShape)) else [shape]


def _zeros(shape: Any, dtype: Any = None) -> Tensor:
    return tf.zeros(_shape(shape), _dtype(dtype))


def _ones(shape: Any, dtype: Any = None) -> Tensor:
    return tf.ones(_shape(shape), _dtype(dtype))


def _full(shape: Any, fill_value: Any, dtype: Any = None) -> Tensor:
    return tf.broadcast_to(tf.cast(fill_value, _dtype(dtype)), _shape(shape))


def _zeros_like(x: Tensor, dtype: Any = None) -> Tensor:
    return tf.zeros_like(x, None if dtype is None else _dtype(dtype))


def _ones_like(x: Tensor, dtype: Any = None) -> Tensor:
    return tf.ones_like(x, None if dtype is None else _dtype(dtype))


def _is_exact(number: Any) -> bool:
    return not (number.dtype.is_floating if tf.is_tensor(number) else isinstance(number, float))


def _arange(start: Any, stop: Any = None, step: Any = None, dtype: Any = None) -> Tensor:
    start, stop, step = arange_limits(start, stop, step)
    numbers = (start, stop, step)
    if dtype is None:
        dtype = "int32" if all(map(_is_exact, numbers)) else config.floatx()
    target = _dtype(dtype)
    if not any(map(tf.is_tensor, numbers)) and (stop - start) * step <= 0:
        return tf.zeros([0], target)  # TensorFlow refuses the wrong direction
    wide = tf.float64 if target.is_floating else tf.int64
    start, stop, step = (tf.cast(n, wide) for n in numbers)
    return tf.cast(tf.range(start, stop, step), target)


def _tril(x: Tensor, k: int = 0) -> Tensor:
    _need_matrix(x)
    return tf.linalg.band_part(x, -1, 0) if k == 0 else _masked(x, k, lower=True)


def _triu(x: Tensor, k: int = 0) -> Tensor:
    _need_matrix(x)
    return tf.linalg.band_part(x, 0, -1) if k == 0 else _masked(x, k, lower=False)


def _masked(x: Tensor, k: int, lower: bool) -> Tensor:
    shape = tf.shape(x)
    rows = tf.range(shape[-2])[:, tf.newaxis] + k
    columns = tf.range(shape[-1])[tf.newaxis, :]
    return tf.where(columns <= rows if lower else columns >= rows, x, tf.zeros_like(x))


def _need_matrix(x: Tensor) -> None:
    if x.shape.rank < 2:
        raise ValueError(f"A matrix is needed; got a tensor of rank {x.shape.rank}.")


def _diag(x: Tensor, k: int = 0) -> Tensor:
    if x.shape.rank not in (1, 2):
        raise ValueError(f"A vector or a matrix is needed; got a tensor of rank {x.shape.rank}.")
    return tf.linalg.diag(x, k=k) if x.shape.rank == 1 else _diagonal(x, k)


def _diagonal(x: Tensor, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    rank = x.shape.rank
    a, b = axis1 % rank, axis2 % rank
    if (a, b) != (rank - 2, rank - 1):
        x = tf.transpose(x, [i for i in range(rank) if i not in (a, b)] + [a, b])
    shape = tf.shape(x)
    first = [-min(offset, 0), max(offset, 0)]
    length = tf.maximum(tf.minimum(shape[-2] - first[0], shape[-1] - first[1]), 0)
    static = _static_length(x, first)
    # tf.linalg.diag_part refuses diagonals outside the matrix, so gather them.
    flat = tf.reshape(x, tf.concat([shape[:-2], [shape[-2] * shape[-1]]], 0))
    place = tf.range(length) * (shape[-1] + 1) + first[0] * shape[-1] + first[1]
    result = tf.gather(flat, place, axis=-1)
    result.set_shape([*x.shape[:-2], static])
    return result


def _static_length(x: Tensor, first: list[int]) -> int | None:
    rows, columns = x.shape[-2], x.shape[-1]
    if rows is None or columns is None:
        return None
    return max(min(rows - first[0], columns - first[1]), 0)


TABLE: dict[str, Any] = {
    "cast": _cast,
    "_convert_to_tensor": _convert_to_tensor,
    "stop_gradient": _stop_gradient,
    "copy": tf.identity,
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
