"""Sorting and searching. TensorFlow's kernels sort by `top_k`, which puts NaN anywhere."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from kops.specs import axis_of

__all__ = ["TABLE"]

Tensor = tf.Tensor


def _flat(x: Tensor, axis: int | None) -> tuple[Tensor, int]:
    return (tf.reshape(x, [-1]), 0) if axis is None else (x, axis_of(axis, x.shape.rank))


def _sort(x: Tensor, axis: int | None = -1) -> Tensor:
    x, axis = _flat(x, axis)
    if x.dtype == tf.bool:
        return tf.cast(tf.sort(tf.cast(x, tf.int8), axis), tf.bool)
    if not x.dtype.is_floating:
        return tf.sort(x, axis)
    # NaN sorted as infinity, then put back at the end.
    nan = tf.math.is_nan(x)
    ordered = tf.sort(tf.where(nan, tf.constant(float("inf"), x.dtype), x), axis)
    n = tf.shape(x)[axis]
    numbers = n - tf.reduce_sum(tf.cast(nan, tf.int32), axis, keepdims=True)
    rank = x.shape.rank
    place = tf.reshape(tf.range(n), [-1 if i == axis else 1 for i in range(rank)])
    return tf.where(place < numbers, ordered, tf.constant(float("nan"), x.dtype))


def _argsort(x: Tensor, axis: int | None = -1) -> Tensor:
    x, axis = _flat(x, axis)
    if x.dtype == tf.bool:
        x = tf.cast(x, tf.int8)
    if not x.dtype.is_floating:
        return tf.argsort(x, axis, stable=True)
    rank = x.shape.rank
    order = [i for i in range(rank) if i != axis] + [axis]
    x = tf.transpose(x, order)
    nan = tf.math.is_nan(x)
    first = tf.argsort(tf.where(nan, tf.constant(float("inf"), x.dtype), x), -1, stable=True)
    last = tf.gather(tf.cast(nan, tf.int8), first, batch_dims=rank - 1)
    place = tf.gather(first, tf.argsort(last, -1, stable=True), batch_dims=rank - 1)
    return tf.transpose(place, [order.index(i) for i in range(rank)])


def _top_k(x: Tensor, k: int, sorted: bool = True) -> tuple[Tensor, Tensor]:
    if x.dtype == tf.bool:
        values, indices = tf.math.top_k(tf.cast(x, tf.int8), k, sorted)
        return tf.cast(values, tf.bool), indices
    values, indices = tf.math.top_k(x, k, sorted)
    return values, indices


def _searchsorted(sorted_sequence: Tensor, values: Tensor, side: str = "left") -> Tensor:
    places = tf.searchsorted(sorted_sequence, tf.reshape(values, [-1]), side)
    return tf.reshape(places, tf.shape(values))


def _bincount(x: Tensor, weights: Any = None, minlength: int = 0, sparse: bool = False) -> Tensor:
    if x.shape.rank not in (1, 2):
        raise ValueError(f"A vector or a matrix is needed; got a tensor of rank {x.shape.rank}.")
    if weights is None:
        weights = tf.ones_like(x, tf.int32)
    weights = tf.convert_to_tensor(weights)
    if weights.dtype == tf.float64:
        weights = tf.cast(weights, tf.float32)
    n = tf.maximum(tf.cast(tf.reduce_max(x), tf.int32) + 1 if 0 not in x.shape else 0, minlength)
    if x.shape.rank == 1:
        return tf.math.unsorted_segment_sum(weights, x, n)
    rows = tf.shape(x)[0]
    place = tf.cast(x, tf.int32) + tf.range(rows)[:, tf.newaxis] * n
    return tf.reshape(tf.math.unsorted_segment_sum(weights, place, rows * n), [rows, n])


TABLE: dict[str, Any] = {
    "sort": _sort,
    "argsort": _argsort,
    "top_k": _top_k,
    "searchsorted": _searchsorted,
    "bincount": _bincount,
}
