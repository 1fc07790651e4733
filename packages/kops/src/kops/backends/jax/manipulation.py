"""Shapes and orders of elements."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from kops.shapes import check_pad, pad_pairs

__all__ = ["TABLE"]

Array = jax.Array


def _reshape(x: Array, newshape: Any) -> Array:
    return jnp.reshape(x, newshape)


def _transpose(x: Array, axes: Any = None) -> Array:
    return jnp.transpose(x, axes)


def _expand_dims(x: Array, axis: Any) -> Array:
    return jnp.expand_dims(x, tuple(axis) if isinstance(axis, list) else axis)


def _squeeze(x: Array, axis: Any = None) -> Array:
    return jnp.squeeze(x, tuple(axis) if isinstance(axis, list) else axis)


def _broadcast_to(x: Array, shape: Any) -> Array:
    return jnp.broadcast_to(x, shape)


def _tile(x: Array, repeats: Any) -> Array:
    return jnp.tile(x, repeats)


def _repeat(x: Array, repeats: Any, axis: int | None = None) -> Array:
    return jnp.repeat(x, repeats if isinstance(repeats, int) else jnp.asarray(repeats), axis)


def _flip(x: Array, axis: Any = None) -> Array:
    return jnp.flip(x, tuple(axis) if isinstance(axis, list) else axis)


def _roll(x: Array, shift: Any, axis: Any = None) -> Array:
    return jnp.roll(x, _static(shift), _static(axis))


def _static(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _pad(x: Array, pad_width: Any, mode: str = "constant", constant_values: Any = None) -> Array:
    pairs = pad_pairs(pad_width, x.ndim)
    check_pad(pairs, x.shape, mode, constant_values)
    if mode != "constant":
        return jnp.pad(x, pairs, mode)
    return jnp.pad(x, pairs, constant_values=0 if constant_values is None else constant_values)


def _concatenate(xs: Any, axis: int = 0) -> Array:
    return jnp.concatenate(xs, axis)


def _stack(x: Any, axis: int = 0) -> Array:
    return jnp.stack(x, axis)


def _split(x: Array, indices_or_sections: Any, axis: int = 0) -> list[Array]:
    places = _static(indices_or_sections)
    if isinstance(places, int):
        return jnp.split(x, places, axis)
    # Slices, as NumPy has it: places may lie beyond the end or go back.
    before = (slice(None),) * (axis % x.ndim)
    return [x[(*before, slice(a, b))] for a, b in zip([0, *places], [*places, None], strict=True)]


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
