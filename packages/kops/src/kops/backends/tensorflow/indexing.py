"""Reading and writing by position. Sizes may be unknown until the graph runs."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from kops.shapes import check_item, check_segments, expand_key, is_mask, rank_of

__all__ = ["TABLE"]

Tensor = tf.Tensor


def _size(x: Tensor, axis: int) -> Any:
    static = x.shape[axis]
    return tf.shape(x)[axis] if static is None else static


def _wrapped(indices: Tensor, size: Any) -> Tensor:
    return tf.where(indices < 0, indices + tf.cast(size, indices.dtype), indices)


def _check_range(indices: Tensor, size: Any, axis: int) -> None:
    """Raises IndexError; in a graph there are no values to look at."""
    if not tf.executing_eagerly() or 0 in indices.shape:
        return
    low, high = int(tf.reduce_min(indices)), int(tf.reduce_max(indices))
    if low < -size or high >= size:
        wrong = low if low < -size else high
        raise IndexError(f"Index {wrong} is out of range for axis {axis} of size {size}.")


def _take(x: Tensor, indices: Tensor, axis: int | None = None) -> Tensor:
    if axis is None:
        x, axis = tf.reshape(x, [-1]), 0
    axis = axis + x.shape.rank if axis < 0 else axis
    size = _size(x, axis)
    _check_range(indices, size, axis)
    indices = _wrapped(indices, size)
    if tf.executing_eagerly():
        return tf.gather(x, indices, axis=axis)
    size = tf.cast(size, indices.dtype)
    safe = tf.clip_by_value(indices, 0, size - 1)
    result = tf.gather(x, safe, axis=axis)
    if not x.dtype.is_floating:
        return result
    # NaN shows what a graph cannot raise.
    inside = tf.equal(safe, indices)
    after = x.shape.rank - axis - 1
    inside = tf.reshape(inside, tf.concat([tf.shape(inside), [1] * after], 0))
    return tf.where(inside, result, tf.constant(float("nan"), x.dtype))


def _take_along_axis(x: Tensor, indices: Tensor, axis: int | None = None) -> Tensor:
    if axis is None:
        x, indices, axis = tf.reshape(x, [-1]), tf.reshape(indices, [-1]), 0
    rank = x.shape.rank
    axis = axis + rank if axis < 0 else axis
    size = _size(x, axis)
    _check_range(indices, size, axis)
    order = [i for i in range(rank) if i != axis] + [axis]
    x, indices = tf.transpose(x, order), tf.transpose(_wrapped(indices, size), order)
    batch = tf.broadcast_dynamic_shape(tf.shape(x)[:-1], tf.shape(indices)[:-1])
    x = tf.broadcast_to(x, tf.concat([batch, tf.shape(x)[-1:]], 0))
    indices = tf.broadcast_to(indices, tf.concat([batch, tf.shape(indices)[-1:]], 0))
    picked = tf.gather(x, indices, batch_dims=rank - 1)
    return tf.transpose(picked, [order.index(i) for i in range(rank)])


def _index(k: Any) -> Any:
    if rank_of(k) is None:
        return k
    k = tf.convert_to_tensor(k)
    return k if k.dtype in (tf.bool, tf.int32, tf.int64) else tf.cast(k, tf.int32)


def _get_item(x: Tensor, key: Any) -> Tensor:
    items = [_index(k) for k in expand_key(key, x.shape.rank)]
    advanced = any((rank_of(k) or 0) > 0 for k in items)
    axis = 0
    for k in items:
        if isinstance(k, int):
            check_item(k, x.shape[axis], axis)
        if k is not None:
            axis += (rank_of(k) or 1) if is_mask(k) else 1
    return _pick(x, items) if advanced else x[tuple(items)]


def _pick(x: Tensor, items: list[Any]) -> Tensor:
    """Indexing with arrays: slices first, then the arrays together, as NumPy does."""
    basic: list[Any] = []
    arrays: list[tuple[int, Any]] = []  # (axis after the slicing, array)
    for k in items:
        if k is None or isinstance(k, slice):
            basic.append(k)
        else:
            arrays.append((len(basic), k))
            basic.extend([slice(None)] * ((rank_of(k) or 1) if is_mask(k) else 1))
    x = x[tuple(basic)]
    axes, places = [], []
    for axis, k in arrays:
        found = tf.unstack(tf.where(k), num=k.shape.rank, axis=1) if is_mask(k) else [k]
        for i, place in enumerate(found):
            axes.append(axis + i)
            places.append(place)
    places = [
        tf.cast(_wrapped(tf.convert_to_tensor(p), _size(x, a)), tf.int64)
        for a, p in zip(axes, places, strict=True)
    ]
    for a, p in zip(axes, places, strict=True):
        _check_range(p, _size(x, a), a)
    if len(axes) == 1:
        return tf.gather(x, places[0], axis=axes[0])
    shape = tf.shape(places[0])
    for p in places[1:]:
        shape = tf.broadcast_dynamic_shape(shape, tf.shape(p))
    rank = max(p.shape.rank for p in places)
    stacked = tf.stack([tf.broadcast_to(p, shape) for p in places], -1)
    rest = [i for i in range(x.shape.rank) if i not in axes]
    picked = tf.gather_nd(tf.transpose(x, axes + rest), stacked)
    if axes != list(range(axes[0], axes[0] + len(axes))) or axes[0] == 0:
        return picked
    n, first = picked.shape.rank, axes[0]
    leading = list(range(rank, rank + first))
    return tf.transpose(picked, leading + list(range(rank)) + list(range(rank + first, n)))


def _starts(inputs: Tensor, starts: Tensor, sizes: Tensor) -> Tensor:
    dims = tf.shape(inputs, starts.dtype)
    return tf.clip_by_value(_wrapped(starts, dims), 0, dims - tf.cast(sizes, starts.dtype))


def _check_block(inputs: Tensor, block: Any) -> None:
    dims = inputs.shape.as_list()
    fits = len(dims) == len(block) and all(
        not isinstance(n, int) or d is None or n <= d for n, d in zip(block, dims, strict=True)
    )
    if not fits:
        raise ValueError(f"A block of shape {tuple(block)} does not fit into {tuple(dims)}.")


def _slice(inputs: Tensor, start_indices: Tensor, shape: Any) -> Tensor:
    _check_block(inputs, shape)
    sizes = tf.cast(tf.stack(list(shape)), start_indices.dtype)
    result = tf.slice(inputs, _starts(inputs, start_indices, sizes), sizes)
    result.set_shape([n if isinstance(n, int) else None for n in shape])
    return result


def _slice_update(inputs: Tensor, start_indices: Tensor, updates: Tensor) -> Tensor:
    _check_block(inputs, updates.shape.as_list())
    sizes = tf.shape(updates, start_indices.dtype)
    starts = _starts(inputs, start_indices, sizes)
    ranges = [tf.range(sizes[i]) + starts[i] for i in range(inputs.shape.rank)]
    places = tf.stack(tf.meshgrid(*ranges, indexing="ij"), -1)
    return tf.tensor_scatter_nd_update(inputs, places, updates)


def _rows(indices: Tensor, dims: Tensor) -> tuple[Tensor, Tensor]:
    """(row of the flattened leading axes for each index, number of rows).

    Positions out of range get the number of rows, one more than the last.
    """
    k = indices.shape[-1]
    sizes = tf.cast(dims[:k], tf.int64)
    places = tf.reshape(_wrapped(tf.cast(indices, tf.int64), sizes), [-1, k])
    count = tf.reduce_prod(sizes)
    valid = tf.reduce_all((places >= 0) & (places < sizes), axis=1)
    strides = tf.math.cumprod(sizes, exclusive=True, reverse=True)
    return tf.where(valid, tf.reduce_sum(places * strides, axis=1), count), count


def _scatter(indices: Tensor, values: Tensor, shape: Any) -> Tensor:
    return _scatter_update(tf.zeros(list(shape), values.dtype), indices, values, "add")


def _scatter_update(
    inputs: Tensor, indices: Tensor, updates: Tensor, reduction: str | None = None
) -> Tensor:
    dims = tf.shape(inputs)
    rows, count = _rows(indices, dims)
    rest = dims[indices.shape[-1] :]
    updates = tf.broadcast_to(updates, tf.concat([tf.shape(indices)[:-1], rest], 0))
    width = tf.reduce_prod(rest)
    updates = tf.reshape(updates, [tf.size(rows), width])
    flat = tf.reshape(inputs, [count, tf.cast(width, count.dtype)])
    flat = tf.concat([flat, tf.zeros([1, width], flat.dtype)], 0)
    if reduction == "mul":
        flat = flat * tf.math.unsorted_segment_prod(updates, rows, count + 1)
    elif reduction in _SCATTERS:
        flat = _SCATTERS[reduction](flat, rows[:, tf.newaxis], updates)
    else:
        raise ValueError(
            f"`reduction` must be None, 'add', 'max', 'min' or 'mul'; got {reduction!r}."
        )
    result = tf.reshape(flat[:-1], dims)
    result.set_shape(inputs.shape)
    return result


_SCATTERS: dict[Any, Any] = {
    None: tf.tensor_scatter_nd_update,
    "add": tf.tensor_scatter_nd_add,
    "max": tf.tensor_scatter_nd_max,
    "min": tf.tensor_scatter_nd_min,
}


def _segment(reduce: Any, sign: int = 0) -> Any:
    def run(
        data: Tensor, segment_ids: Tensor, num_segments: Any = None, sorted: bool = False
    ) -> Tensor:
        check_segments(data.shape.rank, segment_ids.shape.rank)
        if num_segments is None:
            num_segments = tf.maximum(tf.reduce_max(segment_ids) + 1, 0)
        n = tf.cast(num_segments, segment_ids.dtype)
        ids = tf.where(segment_ids >= n, tf.constant(-1, segment_ids.dtype), segment_ids)
        result = reduce(data, ids, num_segments)
        if not sign or not data.dtype.is_floating:
            return result
        # The kernel gives a segment without rows the largest finite number.
        empty = tf.equal(tf.math.unsorted_segment_sum(tf.ones_like(ids), ids, num_segments), 0)
        empty = tf.reshape(empty, tf.concat([tf.shape(empty), [1] * (data.shape.rank - 1)], 0))
        return tf.where(empty, tf.constant(sign * float("inf"), data.dtype), result)

    return run


TABLE: dict[str, Any] = {
    "take": _take,
    "take_along_axis": _take_along_axis,
    "get_item": _get_item,
    "slice": _slice,
    "slice_update": _slice_update,
    "scatter": _scatter,
    "scatter_update": _scatter_update,
    "segment_sum": _segment(tf.math.unsorted_segment_sum),
    "segment_prod": _segment(tf.math.unsorted_segment_prod),
    "segment_max": _segment(tf.math.unsorted_segment_max, -1),
    "segment_min": _segment(tf.math.unsorted_segment_min, 1),
}
