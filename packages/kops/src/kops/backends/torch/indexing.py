"""Reading and writing by position, sorting and searching."""

from __future__ import annotations

import math
from typing import Any

import torch

from kops.shapes import check_segments, expand_key, is_mask, rank_of

__all__ = ["TABLE"]

Tensor = torch.Tensor


def _wrapped(indices: Tensor, size: int) -> Tensor:
    return torch.where(indices < 0, indices + size, indices)


def _raise_range(indices: Tensor, size: int, axis: int, error: Exception) -> None:
    low, high = int(indices.min()), int(indices.max())
    if low < -size or high >= size:
        wrong = low if low < -size else high
        raise IndexError(
            f"Index {wrong} is out of range for axis {axis} of size {size}."
        ) from error


def _take(x: Tensor, indices: Tensor, axis: int | None = None) -> Tensor:
    if axis is None:
        x, axis = x.flatten(), 0
    axis = axis + x.ndim if axis < 0 else axis
    try:
        if axis == 0 and x.ndim == 2 and x.is_floating_point():
            # Its backward pass is many times quicker than that of plain indexing.
            return torch.nn.functional.embedding(_wrapped(indices, x.shape[0]), x)
        return x[(slice(None),) * axis + (indices,)]
    except (IndexError, RuntimeError) as e:
        _raise_range(indices, x.shape[axis], axis, e)
        raise


def _take_along_axis(x: Tensor, indices: Tensor, axis: int | None = None) -> Tensor:
    if axis is None:
        x, indices, axis = x.flatten(), indices.flatten(), 0
    try:
        return torch.take_along_dim(x, _wrapped(indices, x.shape[axis]).long(), axis)
    except (IndexError, RuntimeError) as e:
        _raise_range(indices, x.shape[axis], axis, e)
        raise


def _index(k: Any, device: torch.device) -> Any:
    if rank_of(k) is None:
        return k
    k = torch.as_tensor(k, device=device)
    return k if k.dtype in (torch.bool, torch.int32, torch.int64) else k.long()


def _get_item(x: Tensor, key: Any) -> Tensor:
    if type(key) is int:
        return x[key]
    items = expand_key(key, x.ndim)
    if any((rank_of(k) or 0) > 0 for k in items):
        # Beside arrays an int is one too; torch would treat it as a slice.
        items = [torch.tensor([k], device=x.device) if type(k) is int else k for k in items]
    axis = 0
    for i, k in enumerate(items):
        if isinstance(k, slice) and k.step is not None and k.step < 0:
            # torch has no negative steps: turn the axis round, and the slice with it.
            places = range(*k.indices(x.shape[axis]))
            x = torch.flip(x, (axis,))
            n = x.shape[axis] - 1
            items[i] = slice(n - places[0], n - places[-1] + 1, -k.step) if places else slice(0)
        else:
            items[i] = _index(k, x.device)
        if k is not None:
            axis += (rank_of(k) or 1) if is_mask(k) else 1
    return x[tuple(items)]


def _block(dims: Any, starts: Tensor, sizes: Any) -> tuple[slice, ...]:
    if len(starts) != len(dims) or any(n > d for n, d in zip(sizes, dims, strict=True)):
        raise ValueError(f"A block of shape {tuple(sizes)} does not fit into {tuple(dims)}.")
    wrapped = [s + d if s < 0 else s for s, d in zip(starts.tolist(), dims, strict=True)]
    fitting = [min(max(s, 0), d - n) for s, d, n in zip(wrapped, dims, sizes, strict=True)]
    return tuple(slice(s, s + n) for s, n in zip(fitting, sizes, strict=True))


def _slice(inputs: Tensor, start_indices: Tensor, shape: Any) -> Tensor:
    return inputs[_block(inputs.shape, start_indices, shape)]


def _slice_update(inputs: Tensor, start_indices: Tensor, updates: Tensor) -> Tensor:
    result = inputs.clone()
    result[_block(inputs.shape, start_indices, updates.shape)] = updates
    return result


def _rows(indices: Tensor, shape: Any) -> tuple[Tensor, int]:
    """(row of the flattened leading axes for each index, number of rows).

    Positions out of range get the number of rows, one more than the last.
    """
    k = indices.shape[-1]
    sizes = tuple(shape[:k])
    count = math.prod(sizes)
    row = torch.zeros(indices.shape[:-1], dtype=torch.int64, device=indices.device)
    valid = torch.ones_like(row, dtype=torch.bool)
    for i, size in enumerate(sizes):
        place = _wrapped(indices[..., i].long(), size)
        valid &= (place >= 0) & (place < size)
        row = row * size + place
    return torch.where(valid, row, count).flatten(), count


def _scatter(indices: Tensor, values: Tensor, shape: Any) -> Tensor:
    zeros = torch.zeros(tuple(shape), dtype=values.dtype, device=values.device)
    return _scatter_update(zeros, indices, values, "add")


_REDUCE = {"max": "amax", "min": "amin", "mul": "prod"}


def _scatter_update(
    inputs: Tensor, indices: Tensor, updates: Tensor, reduction: str | None = None
) -> Tensor:
    if reduction not in (None, "add", *_REDUCE):
        raise ValueError(
            f"`reduction` must be None, 'add', 'max', 'min' or 'mul'; got {reduction!r}."
        )
    rows, count = _rows(indices, inputs.shape)
    rest = tuple(inputs.shape[indices.shape[-1] :])
    updates = updates.expand(tuple(indices.shape[:-1]) + rest).reshape(len(rows), -1)
    flat = inputs.reshape(count, -1)
    flat = torch.cat([flat, flat.new_zeros((1, flat.shape[1]))])
    if reduction is None:
        flat = flat.index_put((rows,), updates)
    elif reduction == "add":
        flat = flat.index_add(0, rows, updates)
    else:
        # Not `index_reduce`, which warns that it is in beta.
        places = rows[:, None].expand_as(updates)
        flat = flat.scatter_reduce(0, places, updates, _REDUCE[reduction])
    return flat[:count].reshape(inputs.shape)


def _limit(x: Tensor, sign: int) -> Any:
    if x.is_floating_point():
        return sign * math.inf
    info = torch.iinfo(x.dtype)
    return info.min if sign < 0 else info.max


def _segment(reduction: str) -> Any:
    def run(
        data: Tensor, segment_ids: Tensor, num_segments: int | None = None, sorted: bool = False
    ) -> Tensor:
        check_segments(data.ndim, segment_ids.ndim)
        if num_segments is None:
            num_segments = int(segment_ids.max()) + 1 if segment_ids.numel() else 0
        shape = (num_segments + 1, *data.shape[1:])
        outside = (segment_ids < 0) | (segment_ids >= num_segments)
        ids = torch.where(outside, num_segments, segment_ids).long()
        if reduction == "add":
            return data.new_zeros(shape).index_add(0, ids, data)[:num_segments]
        empty = {"prod": 1, "amax": -1, "amin": 1}[reduction]
        start = data.new_full(shape, empty if reduction == "prod" else _limit(data, empty))
        places = ids.reshape(-1, *(1,) * (data.ndim - 1)).expand_as(data)
        return start.scatter_reduce(0, places, data, reduction)[:num_segments]

    return run


def _sort(x: Tensor, axis: int | None = -1) -> Tensor:
    return torch.sort(x.flatten() if axis is None else x, -1 if axis is None else axis).values


def _argsort(x: Tensor, axis: int | None = -1) -> Tensor:
    flat, axis = (x.flatten(), -1) if axis is None else (x, axis)
    return torch.argsort(flat, dim=axis, stable=True).to(torch.int32)


def _top_k(x: Tensor, k: int, sorted: bool = True) -> tuple[Tensor, Tensor]:
    n = x.shape[-1]
    if not 0 <= k <= n:
        raise ValueError(f"`k` must be from 0 to {n}; got {k}.")
    # torch.topk leaves the order of equal elements open.
    values, indices = torch.sort(x, dim=-1, descending=True, stable=True)
    return values[..., :k], indices[..., :k].to(torch.int32)


def _searchsorted(sorted_sequence: Tensor, values: Tensor, side: str = "left") -> Tensor:
    return torch.searchsorted(
        sorted_sequence.contiguous(), values.contiguous(), side=side, out_int32=True
    )


def _bincount(x: Tensor, weights: Any = None, minlength: int = 0, sparse: bool = False) -> Tensor:
    if weights is not None:
        weights = torch.as_tensor(weights, device=x.device)
        if weights.dtype == torch.float64:
            weights = weights.float()
    dtype = torch.int32 if weights is None else weights.dtype
    if x.ndim == 1:
        return torch.bincount(x, weights, minlength).to(dtype)
    n = max(int(x.max()) + 1 if x.numel() else 0, minlength)
    rows = [torch.bincount(r, None if weights is None else weights[i], n) for i, r in enumerate(x)]
    return torch.stack(rows).to(dtype)


TABLE: dict[str, Any] = {
    "take": _take,
    "take_along_axis": _take_along_axis,
    "get_item": _get_item,
    "slice": _slice,
    "slice_update": _slice_update,
    "scatter": _scatter,
    "scatter_update": _scatter_update,
    "segment_sum": _segment("add"),
    "segment_prod": _segment("prod"),
    "segment_max": _segment("amax"),
    "segment_min": _segment("amin"),
    "sort": _sort,
    "argsort": _argsort,
    "top_k": _top_k,
    "searchsorted": _searchsorted,
    "bincount": _bincount,
}
