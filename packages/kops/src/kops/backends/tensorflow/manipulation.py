"""Shapes and orders of elements. Sizes may be unknown until the graph runs."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from kops.shapes import check_pad, pad_pairs
from kops.specs import axes_of

__all__ = ["TABLE"]

Tensor = tf.Tensor


def _several(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (tuple, list)) else [value]


def _size(x: Tensor, axis: int) -> Any:
    static = x.shape[axis]
    return tf.shape(x)[axis] if static is None else static


def _reshape(x: Tensor, newshape: Any) -> Tensor:
    return tf.reshape(x, [newshape] if isinstance(newshape, int) else newshape)


def _transpose(x: Tensor, axes: Any = None) -> Tensor:
    if axes is None:
        return tf.transpose(x)
    # The gradient of tf.transpose takes no negative axes.
    return tf.transpose(x, axes_of(tuple(axes), x.shape.rank, "axes"))


def _expand_dims(x: Tensor, axis: Any) -> Tensor:
    if isinstance(axis, int):
        return tf.expand_dims(x, axis)
    ndim = x.shape.rank + len(axis)
    places = sorted(a % ndim for a in axis)
    if len(set(places)) != len(places) or any(not -ndim <= a < ndim for a in axis):
        raise ValueError(f"`axis` {axis} is no set of axes of rank {ndim}.")
    for a in places:
        x = tf.expand_dims(x, a)
    return x


def _squeeze(x: Tensor, axis: Any = None) -> Tensor:
    return tf.squeeze(x, None if axis is None else _several(axis))


def _broadcast_to(x: Tensor, shape: Any) -> Tensor:
    return tf.broadcast_to(x, _several(shape))


def _tile(x: Tensor, repeats: Any) -> Tensor:
    times = _several(repeats)
    missing = len(times) - x.shape.rank
    if missing > 0:
        x = x[(tf.newaxis,) * missing + (...,)]
    return tf.tile(x, [1] * -missing + times)


def _repeat(x: Tensor, repeats: Any, axis: int | None = None) -> Tensor:
    return tf.repeat(x, repeats, axis)


def _flip(x: Tensor, axis: Any = None) -> Tensor:
    return tf.reverse(x, list(range(x.shape.rank)) if axis is None else _several(axis))


def _roll(x: Tensor, shift: Any, axis: Any = None) -> Tensor:
    shifts = _several(shift)
    if axis is None:
        return tf.reshape(tf.roll(tf.reshape(x, [-1]), sum(shifts), 0), tf.shape(x))
    axes = _several(axis)
    n = max(len(shifts), len(axes))
    return tf.roll(x, shifts * (n // len(shifts)), axes * (n // len(axes)))


def _pad(x: Tensor, pad_width: Any, mode: str = "constant", constant_values: Any = None) -> Tensor:
    pairs = pad_pairs(pad_width, x.shape.rank)
    check_pad(pairs, x.shape, mode, constant_values)
    if mode == "constant":
        value = 0 if constant_values is None else tf.cast(constant_values, x.dtype)
        return tf.pad(x, pairs, constant_values=value)
    for axis, (before, after) in enumerate(pairs):
        if before != 0 or after != 0:
            x = tf.gather(x, _source(x, axis, before, after, mode), axis=axis)
    return x


def _source(x: Tensor, axis: int, before: Any, after: Any, mode: str) -> Tensor:
    """For each position of a padded axis, the position that its element comes from.

    tf.pad's own modes refuse widths above the axis's size.
    """
    n = _size(x, axis)
    place = tf.range(-before, n + after)
    if mode == "edge":
        return tf.clip_by_value(place, 0, n - 1)
    if mode == "wrap":
        return tf.math.floormod(place, n)
    if mode == "symmetric":
        place = tf.math.floormod(place, 2 * n)
        return tf.where(place < n, place, 2 * n - 1 - place)
    period = tf.maximum(2 * (n - 1), 1)
    place = tf.math.floormod(place, period)
    return tf.where(place < n, place, period - place)


def _concatenate(xs: Any, axis: int = 0) -> Tensor:
    if xs[0].shape.rank == 0:
        raise ValueError("Scalars cannot be joined; stack them.")
    return tf.concat(xs, axis)


def _stack(x: Any, axis: int = 0) -> Tensor:
    return tf.stack(x, axis)


def _split(x: Tensor, indices_or_sections: Any, axis: int = 0) -> list[Tensor]:
    if isinstance(indices_or_sections, int):
        return tf.split(x, indices_or_sections, axis)
    size = _size(x, axis)
    cuts = [0, *(c if c >= 0 else size + c for c in indices_or_sections), size]
    if isinstance(size, int):
        cuts = [min(max(c, 0), size) for c in cuts]
        sizes = [max(b - a, 0) for a, b in zip(cuts, cuts[1:], strict=False)]
        if sum(sizes) == size:
            return tf.split(x, sizes, axis)
    whole = (slice(None),) * (axis % x.shape.rank)
    return [x[(*whole, slice(a, b))] for a, b in zip(cuts, cuts[1:], strict=False)]


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
