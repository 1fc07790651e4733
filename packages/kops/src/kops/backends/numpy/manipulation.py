"""Shapes and orders of elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from kops.shapes import check_pad, pad_pairs

__all__ = ["TABLE"]

Array = np.ndarray


def _reshape(x: Array, newshape: Any) -> Array:
    try:
        if min((newshape,) if newshape.__class__ is int else newshape, default=0) >= -1:
            return x.reshape(newshape)
    except TypeError:
        pass  # the spec says what is accepted
    raise ValueError(f"`newshape` is {newshape!r}")  # NumPy takes any negative size for -1


def _transpose(x: Array, axes: Any = None) -> Array:
    return x.transpose(axes)


def _expand_dims(x: Array, axis: Any) -> Array:
    return np.expand_dims(x, tuple(axis) if isinstance(axis, list) else axis)


def _squeeze(x: Array, axis: Any = None) -> Array:
    return x.squeeze(tuple(axis) if isinstance(axis, list) else axis)


def _broadcast_to(x: Array, shape: Any) -> Array:
    return np.broadcast_to(x, shape)


def _tile(x: Array, repeats: Any) -> Array:
    return np.tile(x, repeats)


def _repeat(x: Array, repeats: Any, axis: int | None = None) -> Array:
    return np.repeat(x, repeats, axis)


def _flip(x: Array, axis: Any = None) -> Array:
    return np.flip(x, tuple(axis) if isinstance(axis, list) else axis)


def _roll(x: Array, shift: Any, axis: Any = None) -> Array:
    return np.roll(x, shift, axis)


def _pad(x: Array, pad_width: Any, mode: str = "constant", constant_values: Any = None) -> Array:
    pairs = pad_pairs(pad_width, x.ndim)
    check_pad(pairs, x.shape, mode, constant_values)
    if mode != "constant":
        return np.pad(x, pairs, mode)
    return np.pad(x, pairs, constant_values=0 if constant_values is None else constant_values)


def _concatenate(xs: Any, axis: int = 0) -> Array:
    return np.concatenate(xs, axis)


def _stack(x: Any, axis: int = 0) -> Array:
    return np.stack(x, axis)


def _split(x: Array, indices_or_sections: Any, axis: int = 0) -> list[Array]:
    return np.split(x, indices_or_sections, axis)


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
