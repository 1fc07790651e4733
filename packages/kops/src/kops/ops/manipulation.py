"""Shapes and orders of elements: reshaping, moving axes, repeating, padding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kops.dim import Dim, Size
from kops.keras_tensor import KerasTensor
from kops.op import Tensor, op_family
from kops.ops.elementwise import copy
from kops.shapes import (
    broadcast_to_dims,
    check_pad,
    pad_pairs,
    reshape_dims,
    transpose_axes,
)
from kops.specs import axes_of, axis_of, size_product

__all__ = [
    "broadcast_to",
    "expand_dims",
    "flip",
    "fliplr",
    "flipud",
    "moveaxis",
    "pad",
    "ravel",
    "repeat",
    "reshape",
    "roll",
    "rot90",
    "squeeze",
    "swapaxes",
    "tile",
    "transpose",
]

op = op_family("numpy")

Dims = tuple[Size, ...]


def _reshape_shape(x: KerasTensor, newshape: Any) -> Dims:
    return reshape_dims(x.dims, newshape)


def _transpose_shape(x: KerasTensor, axes: Any) -> Dims:
    return tuple(x.dims[a] for a in transpose_axes(x.ndim, axes))


def _expand_shape(x: KerasTensor, axis: Any) -> Dims:
    n = x.ndim + (len(axis) if isinstance(axis, (tuple, list)) else 1)
    new = axes_of(axis, n)
    rest = iter(x.dims)
    return tuple(1 if i in new else next(rest) for i in range(n))


def _squeeze_shape(x: KerasTensor, axis: Any) -> Dims:
    if axis is None:
        return tuple(d for d in x.dims if d != 1)
    axes = axes_of(axis, x.ndim)
    for a in axes:
        if x.dims[a] != 1 and not isinstance(x.dims[a], Dim):
            raise ValueError(f"`axis` {a} of the shape {x.shape} is not of size 1.")
    return tuple(d for i, d in enumerate(x.dims) if i not in axes)


def _moved(ndim: int, source: Any, destination: Any) -> list[int]:
    froms = axes_of(_several(source), ndim, "source")
    tos = axes_of(_several(destination), ndim, "destination")
    if len(froms) != len(tos):
        raise ValueError(
            f"`source` and `destination` must name as many axes; got {source} and {destination}."
        )
    order = [i for i in range(ndim) if i not in froms]
    for to, axis in sorted(zip(tos, froms, strict=True)):
        order.insert(to, axis)
    return order


def _several(axis: Any) -> tuple[Any, ...]:
    return tuple(axis) if isinstance(axis, (tuple, list)) else (axis,)


def _broadcast_shape(x: KerasTensor, shape: Sequence[Any]) -> Dims:
    return broadcast_to_dims(x.dims, shape)


def _tile_shape(x: KerasTensor, repeats: Any) -> Dims:
    times = _several(repeats)
    dims = (1,) * (len(times) - x.ndim) + x.dims
    times = (1,) * (len(dims) - len(times)) + times
    return tuple(d * t for d, t in zip(dims, times, strict=True))


def _repeat_shape(x: KerasTensor, repeats: Any, axis: int | None) -> Dims:
    dims = (size_product(x.dims),) if axis is None else x.dims
    axis = 0 if axis is None else axis_of(axis, x.ndim)
    if isinstance(repeats, (int, Dim)):
        size = dims[axis] * repeats
    else:
        times = [int(r) for r in repeats]
        size = dims[axis] * times[0] if len(times) == 1 else sum(times)
    return (*dims[:axis], size, *dims[axis + 1 :])


def _flip_shape(x: KerasTensor, axis: Any) -> Dims:
    axes_of(axis, x.ndim)
    return x.dims


def _roll_shape(x: KerasTensor, shift: Any, axis: Any) -> Dims:
    axes = [axis_of(a, x.ndim) for a in _several(axis)] if axis is not None else []
    shifts = _several(shift)
    if len(shifts) > 1 and len(axes) not in (1, len(shifts)):
        raise ValueError(
            f"`shift` {shift} and `axis` {axis} must be equally many, or one of them one."
        )
    return x.dims


def _pad_shape(x: KerasTensor, pad_width: Any, mode: str, constant_values: Any) -> Dims:
    pairs = pad_pairs(pad_width, x.ndim)
    check_pad(pairs, x.dims, mode, constant_values)
    return tuple(before + d + after for (before, after), d in zip(pairs, x.dims, strict=True))


@op(shape=_reshape_shape)
def reshape(x: Tensor, newshape: Any) -> Tensor:
    """The same elements in another shape.

    Args:
        x: tensor.
        newshape: sizes; one may be -1 and follows from the others.

    Raises:
        ValueError: if the numbers of elements differ.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.reshape([1, 2, 3, 4], (2, -1)))
    array([[1, 2],
           [3, 4]], dtype=int32)
    """


@op(shape=_transpose_shape)
def transpose(x: Tensor, axes: Sequence[int] | None = None) -> Tensor:
    """Axes in another order.

    Args:
        x: tensor.
        axes: for each axis of the result, the axis of `x`; None reverses them.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.transpose([[1, 2], [3, 4]]))
    array([[1, 3],
           [2, 4]], dtype=int32)
    """


@op()
def ravel(x: Tensor) -> Tensor:
    """The elements in one axis.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.ravel([[1, 2], [3, 4]]))
    array([1, 2, 3, 4], dtype=int32)
    """
    return reshape(x, (-1,))


@op(shape=_expand_shape)
def expand_dims(x: Tensor, axis: int | Sequence[int]) -> Tensor:
    """New axes of size 1.

    Args:
        x: tensor.
        axis: position or positions of the new axes in the result.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.expand_dims([1, 2], 0))
    array([[1, 2]], dtype=int32)
    """


@op(shape=_squeeze_shape)
def squeeze(x: Tensor, axis: int | Sequence[int] | None = None) -> Tensor:
    """Axes of size 1 removed.

    Args:
        x: tensor.
        axis: axis or axes to remove; None for all of size 1.

    Raises:
        ValueError: if an axis has another size.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.squeeze([[1, 2]], 0))
    array([1, 2], dtype=int32)
    """


@op()
def moveaxis(x: Tensor, source: int | Sequence[int], destination: int | Sequence[int]) -> Tensor:
    """Axes moved to new positions, the others in their order.

    Args:
        x: tensor.
        source: axis or axes to move.
        destination: where each goes.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.moveaxis([[1, 2], [3, 4]], 0, 1))
    array([[1, 3],
           [2, 4]], dtype=int32)
    """
    return transpose(x, _moved(len(x.shape), source, destination))


@op()
def swapaxes(x: Tensor, axis1: int, axis2: int) -> Tensor:
    """Two axes exchanged.

    Args:
        x: tensor.
        axis1: one axis.
        axis2: the other.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.swapaxes([[1, 2], [3, 4]], 0, 1))
    array([[1, 3],
           [2, 4]], dtype=int32)
    """
    order = list(range(len(x.shape)))
    i, j = axis_of(axis1, len(order), "axis1"), axis_of(axis2, len(order), "axis2")
    order[i], order[j] = j, i
    return transpose(x, order)


@op(shape=_broadcast_shape)
def broadcast_to(x: Tensor, shape: Sequence[int]) -> Tensor:
    """The tensor repeated along axes of size 1, and new leading axes, to a shape.

    Args:
        x: tensor.
        shape: shape of the result.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.broadcast_to([1, 2], (2, 2)))
    array([[1, 2],
           [1, 2]], dtype=int32)
    """


@op(shape=_tile_shape)
def tile(x: Tensor, repeats: int | Sequence[int]) -> Tensor:
    """Copies side by side.

    Args:
        x: tensor.
        repeats: copies per axis, counted from the last one.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.tile([1, 2], 2))
    array([1, 2, 1, 2], dtype=int32)
    """


@op(shape=_repeat_shape)
def repeat(x: Tensor, repeats: Any, axis: int | None = None) -> Tensor:
    """Each element several times.

    Args:
        x: tensor.
        repeats: times, for all elements or one number for each.
        axis: axis to repeat along; None for the flattened tensor.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.repeat([1, 2], 2))
    array([1, 1, 2, 2], dtype=int32)
    """


@op(shape=_flip_shape)
def flip(x: Tensor, axis: int | Sequence[int] | None = None) -> Tensor:
    """Order of elements reversed along axes.

    Args:
        x: tensor.
        axis: axis or axes; None for all.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.flip([1, 2, 3]))
    array([3, 2, 1], dtype=int32)
    """


@op()
def fliplr(x: Tensor) -> Tensor:
    """Order reversed along the second axis.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.fliplr([[1, 2], [3, 4]]))
    array([[2, 1],
           [4, 3]], dtype=int32)
    """
    return flip(x, 1)


@op()
def flipud(x: Tensor) -> Tensor:
    """Order reversed along the first axis.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.flipud([[1, 2], [3, 4]]))
    array([[3, 4],
           [1, 2]], dtype=int32)
    """
    return flip(x, 0)


@op(shape=_roll_shape)
def roll(x: Tensor, shift: int | Sequence[int], axis: int | Sequence[int] | None = None) -> Tensor:
    """Elements moved along axes; those that leave at one end enter at the other.

    Args:
        x: tensor.
        shift: places to move by; one for all axes or one for each.
        axis: axis or axes; None moves within the flattened tensor.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.roll([1, 2, 3], 1))
    array([3, 1, 2], dtype=int32)
    """


@op()
def rot90(array: Tensor, k: int = 1, axes: Sequence[int] = (0, 1)) -> Tensor:
    """The plane of two axes turned by 90 degrees, from the first towards the second.

    Args:
        array: tensor.
        k: number of turns.
        axes: the two axes.

    Raises:
        ValueError: if `axes` are not two different axes.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.rot90([[1, 2], [3, 4]]))
    array([[2, 4],
           [1, 3]], dtype=int32)
    """
    found = axes_of(tuple(axes), len(array.shape), "axes")
    if len(found) != 2:
        raise ValueError(f"`axes` must be two axes; got {axes}.")
    a, b = found
    turns = k % 4
    if turns == 0:
        return copy(array)
    if turns == 2:
        return flip(array, (a, b))
    if turns == 1:
        return swapaxes(flip(array, b), a, b)
    return flip(swapaxes(array, a, b), b)


@op(shape=_pad_shape)
def pad(
    x: Tensor, pad_width: Any, mode: str = "constant", constant_values: Tensor = None
) -> Tensor:
    """Elements added before and after those of each axis.

    Args:
        x: tensor.
        pad_width: numbers of elements: one int, one (before, after), or one pair per axis.
        mode: "constant"; "edge" (the outermost element); "reflect" (mirrored, without the
            outermost); "symmetric" (mirrored, with it); "wrap" (from the other end).
        constant_values: what to add in mode "constant"; 0 by default.

    Raises:
        ValueError: for an unknown mode, or `constant_values` in another mode.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.pad([1, 2, 3], 1, mode="reflect"))
    array([2, 1, 2, 3, 2], dtype=int32)
    """
