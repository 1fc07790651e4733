"""Reading and writing by position, sorting and searching."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np

from kops.shapes import check_segments

__all__ = ["TABLE"]

Array = np.ndarray


def _take(x: Array, indices: Array, axis: int | None = None) -> Array:
    return np.take(x, indices, axis)


def _take_along_axis(x: Array, indices: Array, axis: int | None = None) -> Array:
    return np.take_along_axis(x, indices, axis)


def _get_item(x: Array, key: Any) -> Array:
    return x[key]


def _block(dims: Any, starts: Array, sizes: Any) -> tuple[slice, ...]:
    if len(starts) != len(dims) or any(n > d for n, d in zip(sizes, dims, strict=True)):
        raise ValueError(f"A block of shape {tuple(sizes)} does not fit into {tuple(dims)}.")
    wrapped = [s + d if s < 0 else s for s, d in zip(map(int, starts), dims, strict=True)]
    fitting = [min(max(s, 0), d - n) for s, d, n in zip(wrapped, dims, sizes, strict=True)]
    return tuple(slice(s, s + n) for s, n in zip(fitting, sizes, strict=True))


def _slice(inputs: Array, start_indices: Array, shape: Any) -> Array:
    return inputs[_block(inputs.shape, start_indices, shape)]


def _slice_update(inputs: Array, start_indices: Array, updates: Array) -> Array:
    result = np.array(inputs)
    result[_block(inputs.shape, start_indices, updates.shape)] = updates
    return result


def _rows(indices: Array, shape: Any) -> tuple[Array, int]:
    """(row of the flattened leading axes for each index, number of rows).

    Positions out of range get the number of rows, one more than the last.
    """
    k = indices.shape[-1]
    sizes = np.asarray(shape[:k], np.int64)
    places = np.where(indices < 0, indices + sizes, indices).reshape(-1, k)
    count = int(np.prod(sizes))
    valid = np.all((places >= 0) & (places < sizes), axis=1)
    strides = np.append(np.cumprod(sizes[::-1])[::-1][1:], 1)
    return np.where(valid, places @ strides, count), count


def _scatter(indices: Array, values: Array, shape: Any) -> Array:
    return _scatter_update(np.zeros(shape, values.dtype), indices, values, "add")


def _scatter_update(
    inputs: Array, indices: Array, updates: Array, reduction: str | None = None
) -> Array:
    rows, count = _rows(indices, inputs.shape)
    width = inputs.size // count if count else 0
    flat = np.concatenate([inputs.reshape(count, width), np.zeros((1, width), inputs.dtype)])
    updates = np.broadcast_to(
        updates, indices.shape[:-1] + inputs.shape[indices.shape[-1] :]
    ).reshape(len(rows), width)
    if reduction is None:
        flat[rows] = updates
    else:
        _UFUNCS[reduction].at(flat, rows, updates)
    return flat[:count].reshape(inputs.shape)


_UFUNCS: dict[Any, np.ufunc] = {
    "add": np.add,
    "max": np.maximum,
    "min": np.minimum,
    "mul": np.multiply,
}


def _lowest(dtype: np.dtype[Any], sign: int) -> Any:
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        return info.min if sign < 0 else info.max
    return dtype.type(sign * np.inf) if dtype.kind != "b" else sign > 0


def _segment(ufunc: np.ufunc, empty: Callable[[np.dtype[Any]], Any]) -> Any:
    def run(
        data: Array, segment_ids: Array, num_segments: int | None = None, sorted: bool = False
    ) -> Array:
        check_segments(data.ndim, segment_ids.ndim)
        n = (
            (int(segment_ids.max()) + 1 if segment_ids.size else 0)
            if (num_segments is None)
            else num_segments
        )
        result = np.full((n, *data.shape[1:]), empty(data.dtype), data.dtype)
        valid = (segment_ids >= 0) & (segment_ids < n)
        ufunc.at(result, segment_ids[valid], data[valid])
        return result

    return run


def _sortable(x: Array) -> Array:
    # The order of bfloat16 arrays with NaN is any; float32 has them last.
    return x.astype(np.float32) if x.dtype == ml_dtypes.bfloat16 else x


def _sort(x: Array, axis: int | None = -1) -> Array:
    return np.sort(_sortable(x), axis).astype(x.dtype, copy=False)


def _argsort(x: Array, axis: int | None = -1) -> Array:
    return np.argsort(_sortable(x), axis, kind="stable").astype(np.int32)


def _top_k(x: Array, k: int, sorted: bool = True) -> tuple[Array, Array]:
    n = x.shape[-1]
    if not 0 <= k <= n:
        raise ValueError(f"`k` must be from 0 to {n}; got {k}.")
    # Reversed twice, so that of equal elements the first comes first.
    order = n - 1 - np.argsort(_sortable(x)[..., ::-1], -1, kind="stable")[..., ::-1][..., :k]
    return np.take_along_axis(x, order, -1), order.astype(np.int32)


def _searchsorted(sorted_sequence: Array, values: Array, side: str = "left") -> Array:
    return np.searchsorted(sorted_sequence, values, side).astype(np.int32)  # type: ignore[call-overload]


def _bincount(x: Array, weights: Any = None, minlength: int = 0, sparse: bool = False) -> Array:
    weights = None if weights is None else np.asarray(weights)
    dtype = np.int32 if weights is None else _single(weights.dtype)
    if x.ndim == 1:
        return np.bincount(x, weights, minlength).astype(dtype)
    n = max(int(x.max()) + 1 if x.size else 0, minlength)
    rows = [np.bincount(row, None if weights is None else weights[i], n) for i, row in enumerate(x)]
    return np.asarray(rows).reshape(len(x), n).astype(dtype)


def _single(dtype: np.dtype[Any]) -> Any:
    return np.float32 if dtype == np.float64 else dtype


TABLE: dict[str, Any] = {
    "take": _take,
    "take_along_axis": _take_along_axis,
    "get_item": _get_item,
    "slice": _slice,
    "slice_update": _slice_update,
    "scatter": _scatter,
    "scatter_update": _scatter_update,
    "segment_sum": _segment(np.add, lambda d: 0),
    "segment_prod": _segment(np.multiply, lambda d: 1),
    "segment_max": _segment(np.maximum, lambda d: _lowest(d, -1)),
    "segment_min": _segment(np.minimum, lambda d: _lowest(d, 1)),
    "sort": _sort,
    "argsort": _argsort,
    "top_k": _top_k,
    "searchsorted": _searchsorted,
    "bincount": _bincount,
}
