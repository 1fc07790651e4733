"""Shapes and orders of elements."""

from __future__ import annotations

from typing import Any

import torch

from kops.shapes import check_pad, pad_pairs

__all__ = ["TABLE"]

Tensor = torch.Tensor


def _reshape(x: Tensor, newshape: Any) -> Tensor:
    return torch.reshape(x, (newshape,) if isinstance(newshape, int) else newshape)


def _transpose(x: Tensor, axes: Any = None) -> Tensor:
    return torch.permute(x, tuple(range(x.ndim))[::-1] if axes is None else tuple(axes))


def _expand_dims(x: Tensor, axis: Any) -> Tensor:
    if isinstance(axis, int):
        return torch.unsqueeze(x, axis)
    ndim = x.ndim + len(axis)
    places = sorted(_place(a, ndim) for a in axis)
    if len(set(places)) != len(places):
        raise ValueError(f"`axis` {axis} names an axis twice.")
    for a in places:
        x = torch.unsqueeze(x, a)
    return x


def _place(axis: int, ndim: int) -> int:
    if not -ndim <= axis < ndim:
        raise ValueError(f"`axis` {axis} is out of range for rank {ndim}.")
    return axis % ndim


def _squeeze(x: Tensor, axis: Any = None) -> Tensor:
    if axis is None:
        return torch.squeeze(x)
    axes = (axis,) if isinstance(axis, int) else tuple(axis)
    # torch passes over axes of other sizes silently.
    if any(x.shape[a] != 1 for a in axes):
        raise ValueError(f"`axis` {axis} of the shape {tuple(x.shape)} is not of size 1.")
    return torch.squeeze(x, axes)


def _broadcast_to(x: Tensor, shape: Any) -> Tensor:
    return torch.broadcast_to(x, (shape,) if isinstance(shape, int) else tuple(shape))


def _tile(x: Tensor, repeats: Any) -> Tensor:
    return torch.tile(x, (repeats,) if isinstance(repeats, int) else tuple(repeats))


def _repeat(x: Tensor, repeats: Any, axis: int | None = None) -> Tensor:
    if not isinstance(repeats, int):
        repeats = torch.as_tensor(repeats, device=x.device)
    return torch.repeat_interleave(x, repeats, axis)


def _flip(x: Tensor, axis: Any = None) -> Tensor:
    if axis is None:
        axis = tuple(range(x.ndim))
    return torch.flip(x, (axis,) if isinstance(axis, int) else tuple(axis))


def _roll(x: Tensor, shift: Any, axis: Any = None) -> Tensor:
    shifts = (shift,) if isinstance(shift, int) else tuple(shift)
    if axis is None:
        return torch.roll(x, sum(shifts))
    axes = (axis,) if isinstance(axis, int) else tuple(axis)
    n = max(len(shifts), len(axes))
    return torch.roll(x, shifts * (n // len(shifts)), axes * (n // len(axes)))


def _pad(x: Tensor, pad_width: Any, mode: str = "constant", constant_values: Any = None) -> Tensor:
    pairs = pad_pairs(pad_width, x.ndim)
    check_pad(pairs, x.shape, mode, constant_values)
    if mode == "constant":
        flat = [n for pair in reversed(pairs) for n in pair]
        value = 0 if constant_values is None else constant_values
        value = value.item() if isinstance(value, Tensor) else value
        return torch.nn.functional.pad(x, flat, value=value)
    for axis, (before, after) in enumerate(pairs):
        if before or after:
            x = torch.index_select(x, axis, _source(x, axis, before, after, mode))
    return x


def _source(x: Tensor, axis: int, before: int, after: int, mode: str) -> Tensor:
    """For each position of a padded axis, the position that its element comes from."""
    n = x.shape[axis]
    place = torch.arange(-before, n + after, device=x.device)
    if mode == "edge":
        return place.clamp(0, n - 1)
    if mode == "wrap":
        return place.remainder(n)
    if mode == "symmetric":
        place = place.remainder(2 * n)
        return torch.where(place < n, place, 2 * n - 1 - place)
    period = max(2 * (n - 1), 1)
    place = place.remainder(period)
    return torch.where(place < n, place, period - place)


def _concatenate(xs: Any, axis: int = 0) -> Tensor:
    return torch.cat(xs, axis)


def _stack(x: Any, axis: int = 0) -> Tensor:
    return torch.stack(x, axis)


def _split(x: Tensor, indices_or_sections: Any, axis: int = 0) -> list[Tensor]:
    size = x.shape[axis]
    if isinstance(indices_or_sections, int):
        if indices_or_sections < 1 or size % indices_or_sections:
            raise ValueError(f"A size of {size} is no multiple of {indices_or_sections}.")
        if size == 0:
            return [x] * indices_or_sections
        return list(torch.split(x, size // indices_or_sections, axis))
    return list(torch.tensor_split(x, tuple(indices_or_sections), axis))


TABLE: dict[str, Any] = {
    "reshape": _reshape,
    "transpose": _transpose,
    "expand_dims": _expand_dims,
    "squeeze": _squeeze,
    "broadcast_to": _broadcast_to,
    "tile": _tile,
    "repeat": _repeat,
    "flip": _flip,
    "roll": _roll,
    "pad": _pad,
    "concatenate": _concatenate,
    "stack": _stack,
    "split": _split,
}
