"""Reading and writing by position, sorting and searching."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from kops.shapes import check_item, check_segments, expand_key

__all__ = ["TABLE"]

Array = jax.Array


def _is_traced(x: Any) -> bool:
    return isinstance(x, jax.core.Tracer)


def _check_range(indices: Array, size: int, axis: int) -> None:
    """Raises IndexError; a traced array has no values to look at."""
    if _is_traced(indices) or indices.size == 0:
        return
    low, high = int(np.asarray(indices).min()), int(np.asarray(indices).max())
    if low < -size or high >= size:
        wrong = low if low < -size else high
        raise IndexError(f"Index {wrong} is out of range for axis {axis} of size {size}.")


def _take(x: Array, indices: Array, axis: int | None = None) -> Array:
    if axis is None:
        x, axis = jnp.ravel(x), 0
    _check_range(indices, x.shape[axis], axis)
    if not indices.size:  # jnp.take drops axes when there is nothing to take from either
        return jnp.zeros((*x.shape[:axis], *indices.shape, *x.shape[axis:][1:]), x.dtype)
    # Out of range, in compiled code: NaN where there is one, else the nearest element.
    mode = "fill" if jnp.issubdtype(x.dtype, jnp.inexact) else "clip"
    if mode == "clip":
        indices = jnp.where(indices < 0, indices + x.shape[axis], indices)
    return jnp.take(x, indices, axis, mode=mode)


def _take_along_axis(x: Array, indices: Array, axis: int | None = None) -> Array:
    if axis is None:
        x, indices, axis = jnp.ravel(x), jnp.ravel(indices), 0
    _check_range(indices, x.shape[axis], axis)
    return jnp.take_along_axis(x, indices, axis)


def _item(k: Any) -> Any:
    return jnp.asarray(k) if isinstance(k, list) else k


def _get_item(x: Array, key: Any) -> Array:
    if type(key) is not int and type(key) is not slice:
        key = tuple(_item(k) for k in key) if isinstance(key, tuple) else _item(key)
    axis = 0
    for k in expand_key(key, x.ndim):
        if type(k) is int:  # JAX would take the nearest element
            check_item(k, x.shape[axis], axis)
        axis += k is not None
    return x[key]


def _slice(inputs: Array, start_indices: Array, shape: Any) -> Array:
    return jax.lax.dynamic_slice(inputs, list(start_indices), shape)


def _slice_update(inputs: Array, start_indices: Array, updates: Array) -> Array:
    return jax.lax.dynamic_update_slice(inputs, updates, list(start_indices))


def _scatter(indices: Array, values: Array, shape: Any) -> Array:
    return _scatter_update(jnp.zeros(shape, values.dtype), indices, values, "add")


def _scatter_update(
    inputs: Array, indices: Array, updates: Array, reduction: str | None = None
) -> Array:
    at = inputs.at[tuple(jnp.moveaxis(indices, -1, 0))]
    method = {None: at.set, "add": at.add, "max": at.max, "min": at.min, "mul": at.multiply}
    if reduction not in method:
        raise ValueError(f"`reduction` must be one of {list(method)}; got {reduction!r}.")
    return method[reduction](updates, mode="drop")


def _segment(reduce: Any) -> Any:
    def run(
        data: Array, segment_ids: Array, num_segments: int | None = None, sorted: bool = False
    ) -> Array:
        check_segments(data.ndim, segment_ids.ndim)
        if num_segments is None:
            if _is_traced(segment_ids):
                raise ValueError("`num_segments` must be given in a compiled call.")
            num_segments = int(segment_ids.max()) + 1 if segment_ids.size else 0
        # A negative number would count from the end.
        ids = jnp.where(segment_ids < 0, num_segments, segment_ids)
        return reduce(data, ids, num_segments, indices_are_sorted=False)

    return run


def _sort(x: Array, axis: int | None = -1) -> Array:
    return jnp.sort(x, axis)


def _argsort(x: Array, axis: int | None = -1) -> Array:
    return jnp.argsort(x, axis).astype(jnp.int32)


def _top_k(x: Array, k: int, sorted: bool = True) -> tuple[Array, Array]:
    values, indices = jax.lax.top_k(x, k)
    return values, indices.astype(jnp.int32)


def _searchsorted(sorted_sequence: Array, values: Array, side: str = "left") -> Array:
    return jnp.searchsorted(sorted_sequence, values, side).astype(jnp.int32)


def _bincount(x: Array, weights: Any = None, minlength: int = 0, sparse: bool = False) -> Array:
    if x.ndim > 2:
        raise ValueError("`x` must be a vector or a batch of vectors.")
    length = minlength
    if not _is_traced(x):
        length = max(int(x.max()) + 1 if x.size else 0, minlength)
    weights = jnp.ones(x.shape, jnp.int32) if weights is None else jnp.asarray(weights)
    rows = x.reshape(-1, x.shape[-1])
    counts = jnp.zeros((len(rows), length), weights.dtype)
    place = (jnp.arange(len(rows))[:, None], rows)
    counts = counts.at[place].add(weights.reshape(rows.shape), mode="drop")
    return counts.reshape(*x.shape[:-1], length)


TABLE: dict[str, Any] = {
    "take": _take,
    "take_along_axis": _take_along_axis,
    "get_item": _get_item,
    "slice": _slice,
    "slice_update": _slice_update,
    "scatter": _scatter,
    "scatter_update": _scatter_update,
    "segment_sum": _segment(jax.ops.segment_sum),
    "segment_prod": _segment(jax.ops.segment_prod),
    "segment_max": _segment(jax.ops.segment_max),
    "segment_min": _segment(jax.ops.segment_min),
    "sort": _sort,
    "argsort": _argsort,
    "top_k": _top_k,
    "searchsorted": _searchsorted,
    "bincount": _bincount,
}
