"""Shapes and orders of elements: reshaping, joining, cutting, padding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kops.dim import Dim, Size
from kops.keras_tensor import KerasTensor
from kops.op import Tensor, op_family
from kops.shapes import (
    broadcast_to_dims,
    check_pad,
    concatenate_dims,
    pad_pairs,
    reshape_dims,
    split_dims,
    transpose_axes,
)
from kops.ops.core import shape as _sizes
from kops.ops.elementwise import copy
from kops.specs import axes_of, axis_of, promote, size_product

__all__ = ["append", "array_split", "broadcast_to", "concatenate", "dsplit", "dstack", "expand_dims", "flip", "fliplr", "flipud", "hsplit", "hstack", "meshgrid", "moveaxis", "pad", "ravel", "repeat", "reshape", "roll", "rot90", "split", "squeeze", "stack", "swapaxes", "tile", "transpose", "unstack", "vsplit", "vstack"]

op = op_family("numpy")
core = op_family("core")

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
        raise ValueError(f"`shift` {shift} and `axis` {axis} must be equally many, or one of them one.")
    return x.dims


def _pad_shape(x: KerasTensor, pad_width: Any, mode: str, constant_values: Any) -> Dims:
    pairs = pad_pairs(pad_width, x.ndim)
    check_pad(pairs, x.dims, mode, constant_values)
    return tuple(before + d + after for (before, after), d in zip(pairs, x.dims, strict=True))


def _concatenate_shape(xs: Sequence[KerasTensor], axis: int) -> Dims:
    return concatenate_dims([x.dims for x in xs], axis)


def _stack_shape(x: Sequence[KerasTensor], axis: int) -> Dims:
    if not x:
        raise ValueError("`x` is empty: at least one tensor is needed.")
    axis = axis_of(axis, x[0].ndim + 1)
    dims = concatenate_dims([(1, *t.dims) for t in x], 0)
    return (*dims[1 : axis + 1], len(x), *dims[axis + 1 :])


def _first_dtype(xs: Sequence[KerasTensor], *_: Any) -> str:
    return xs[0].dtype


def _split_shape(x: KerasTensor, indices_or_sections: Any, axis: int) -> list[Dims]:
    return split_dims(x.dims, indices_or_sections, axis)


def _split_dtypes(x: KerasTensor, *_: Any) -> str:
    return x.dtype


def _at_least(x: Any, ndim: int) -> Any:
    """At least `ndim` axes, placed as NumPy's `atleast_2d` and `atleast_3d` do."""
    n = len(_sizes(x))
    if n == 0:
        return reshape(x, (1,) * ndim)
    if n == 1 and ndim >= 2:
        x = expand_dims(x, 0)
        n = 2
    return expand_dims(x, -1) if n == 2 and ndim == 3 else x


@op(shape=_reshape_shape)
def reshape(x: Tensor, newshape: Any) -> Tensor:
    """The same elements in another shape.

    Args:
        x: tensor.
        newshape: sizes; one may be -1 and follows from the others.

    Raises:
        ValueError: if the numbers of elements differ.

    @ reshape([1, 2, 3, 4], (2, -1))
    """


@op(shape=_transpose_shape)
def transpose(x: Tensor, axes: Sequence[int] | None = None) -> Tensor:
    """Axes in another order.

    Args:
        x: tensor.
        axes: for each axis of the result, the axis of `x`; None reverses them.

    @ transpose([[1, 2], [3, 4]])
    """


@op()
def ravel(x: Tensor) -> Tensor:
    """The elements in one axis.

    @ ravel([[1, 2], [3, 4]])
    """
    return reshape(x, (-1,))


@op(shape=_expand_shape)
def expand_dims(x: Tensor, axis: int | Sequence[int]) -> Tensor:
    """New axes of size 1.

    Args:
        x: tensor.
        axis: position or positions of the new axes in the result.

    @ expand_dims([1, 2], 0)
    """


@op(shape=_squeeze_shape)
def squeeze(x: Tensor, axis: int | Sequence[int] | None = None) -> Tensor:
    """Axes of size 1 removed.

    Args:
        x: tensor.
        axis: axis or axes to remove; None for all of size 1.

    Raises:
        ValueError: if an axis has another size.

    @ squeeze([[1, 2]], 0)
    """


@op()
def moveaxis(
    x: Tensor, source: int | Sequence[int], destination: int | Sequence[int]
) -> Tensor:
    """Axes moved to new positions, the others in their order.

    Args:
        x: tensor.
        source: axis or axes to move.
        destination: where each goes.

    @ moveaxis([[1, 2], [3, 4]], 0, 1)
    """
    return transpose(x, _moved(len(x.shape), source, destination))


@op()
def swapaxes(x: Tensor, axis1: int, axis2: int) -> Tensor:
    """Two axes exchanged.

    Args:
        x: tensor.
        axis1: one axis.
        axis2: the other.

    @ swapaxes([[1, 2], [3, 4]], 0, 1)
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

    @ broadcast_to([1, 2], (2, 2))
    """


@op(shape=_tile_shape)
def tile(x: Tensor, repeats: int | Sequence[int]) -> Tensor:
    """Copies side by side.

    Args:
        x: tensor.
        repeats: copies per axis, counted from the last one.

    @ tile([1, 2], 2)
    """


@op(shape=_repeat_shape)
def repeat(x: Tensor, repeats: Any, axis: int | None = None) -> Tensor:
    """Each element several times.

    Args:
        x: tensor.
        repeats: times, for all elements or one number for each.
        axis: axis to repeat along; None for the flattened tensor.

    @ repeat([1, 2], 2)
    """


@op(shape=_flip_shape)
def flip(x: Tensor, axis: int | Sequence[int] | None = None) -> Tensor:
    """Order of elements reversed along axes.

    Args:
        x: tensor.
        axis: axis or axes; None for all.

    @ flip([1, 2, 3])
    """


@op()
def fliplr(x: Tensor) -> Tensor:
    """Order reversed along the second axis.

    @ fliplr([[1, 2], [3, 4]])
    """
    return flip(x, 1)


@op()
def flipud(x: Tensor) -> Tensor:
    """Order reversed along the first axis.

    @ flipud([[1, 2], [3, 4]])
    """
    return flip(x, 0)


@op(shape=_roll_shape)
def roll(x: Tensor, shift: int | Sequence[int], axis: int | Sequence[int] | None = None) -> Tensor:
    """Elements moved along axes; those that leave at one end enter at the other.

    Args:
        x: tensor.
        shift: places to move by; one for all axes or one for each.
        axis: axis or axes; None moves within the flattened tensor.

    @ roll([1, 2, 3], 1)
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

    @ rot90([[1, 2], [3, 4]])
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

    @ pad([1, 2, 3], 1, mode="reflect")
    """


@op(shape=_concatenate_shape, dtype=promote, out=_first_dtype)
def concatenate(xs: Sequence[Tensor], axis: int = 0) -> Tensor:
    """Tensors joined along an axis.

    Args:
        xs: tensors of equal shapes but for `axis`.
        axis: axis to join along.

    Raises:
        ValueError: if the other sizes differ.

    @ concatenate([[1, 2], [3]])
    """


@op(shape=_stack_shape, dtype=promote, out=_first_dtype)
def stack(x: Sequence[Tensor], axis: int = 0) -> Tensor:
    """Tensors joined along a new axis.

    Args:
        x: tensors of one shape.
        axis: position of the new axis.

    @ stack([[1, 2], [3, 4]], axis=1)
    """


@op()
def vstack(xs: Sequence[Tensor]) -> Tensor:
    """Tensors joined along the first axis; vectors become rows.

    @ vstack([[1, 2], [3, 4]])
    """
    return concatenate([_at_least(x, 2) for x in xs], 0)


@op()
def hstack(xs: Sequence[Tensor]) -> Tensor:
    """Tensors joined along the second axis (vectors along their only one).

    @ hstack([[1, 2], [3, 4]])
    """
    parts = [_at_least(x, 1) for x in xs]
    return concatenate(parts, 0 if len(parts[0].shape) == 1 else 1)


@op()
def dstack(xs: Sequence[Tensor]) -> Tensor:
    """Tensors joined along the third axis.

    @ dstack([[1, 2], [3, 4]])
    """
    return concatenate([_at_least(x, 3) for x in xs], 2)


@op(dtype=promote)
def append(x1: Tensor, x2: Tensor, axis: int | None = None) -> Tensor:
    """x2 joined to the end of x1.

    Args:
        x1: tensor.
        x2: tensor.
        axis: axis to join along; None for the flattened tensors.

    @ append([1, 2], [3])
    """
    if axis is None:
        return concatenate([ravel(x1), ravel(x2)])
    return concatenate([x1, x2], axis)


@op(shape=_split_shape, out=_split_dtypes)
def split(x: Tensor, indices_or_sections: int | Sequence[int], axis: int = 0) -> list[Any]:
    """The tensor cut into pieces along an axis.

    Args:
        x: tensor.
        indices_or_sections: number of equal pieces, or positions to cut at.
        axis: axis to cut.

    Raises:
        ValueError: if the size is no multiple of the number of pieces.

    @ split([1, 2, 3, 4], 2)
    """


@op()
def array_split(
    x: Tensor, indices_or_sections: int | Sequence[int], axis: int = 0
) -> list[Any]:
    """Like `split`, but the first pieces may be one longer.

    Args:
        x: tensor.
        indices_or_sections: number of pieces, or positions to cut at.
        axis: axis to cut.

    @ array_split([1, 2, 3], 2)
    """
    if not isinstance(indices_or_sections, int):
        return split(x, indices_or_sections, axis)
    size = int(_sizes(x)[axis_of(axis, len(x.shape))])
    small, extra = divmod(size, indices_or_sections)
    cuts = [i * small + (i if i < extra else extra) for i in range(1, indices_or_sections)]
    return split(x, cuts, axis)


@op()
def hsplit(x: Tensor, indices_or_sections: int | Sequence[int]) -> list[Any]:
    """`split` along the second axis (of a vector, along its only one).

    @ hsplit([[1, 2], [3, 4]], 2)
    """
    return split(x, indices_or_sections, 0 if len(x.shape) == 1 else 1)


@op()
def vsplit(x: Tensor, indices_or_sections: int | Sequence[int]) -> list[Any]:
    """`split` along the first axis.

    @ vsplit([[1, 2], [3, 4]], 2)
    """
    return split(x, indices_or_sections, 0)


@op()
def dsplit(x: Tensor, indices_or_sections: int | Sequence[int]) -> list[Any]:
    """`split` along the third axis.

    @ dsplit([[[1, 2], [3, 4]]], 2)
    """
    return split(x, indices_or_sections, 2)


@core()
def unstack(x: Tensor, num: int | None = None, axis: int = 0) -> list[Any]:
    """The slices along an axis, as a list.

    Args:
        x: tensor.
        num: number of slices, needed only where the size is unknown.
        axis: axis to take apart.

    Raises:
        ValueError: if `num` is not the size, or the size is unknown and `num` not given.

    @ unstack([[1, 2], [3, 4]])
    """
    axis = axis_of(axis, len(x.shape))
    size = x.shape[axis]
    if num is None and size is None:
        raise ValueError(f"The size of axis {axis} is unknown; give it as `num`.")
    if num is not None and size is not None and num != size:
        raise ValueError(f"`num` is {num}, but axis {axis} has size {size}.")
    return [squeeze(part, axis) for part in split(x, num or size, axis)] if num or size else []


@op()
def meshgrid(*x: Tensor, indexing: str = "xy") -> list[Any]:
    """Coordinates of a grid, one tensor for each of the given vectors.

    Args:
        x: coordinates along each axis.
        indexing: "xy" (the first vector runs along the second axis) or "ij".

    @ meshgrid([1, 2], [3, 4])
    """
    if indexing not in ("xy", "ij"):
        raise ValueError(f"`indexing` must be 'xy' or 'ij'; got {indexing!r}.")
    n = len(x)
    order = list(range(n))
    if indexing == "xy" and n > 1:
        order[0], order[1] = 1, 0
    vectors = [ravel(v) for v in x]
    sizes = [1] * n
    for i, v in enumerate(vectors):
        sizes[order[i]] = _sizes(v)[0]
    grids = [
        broadcast_to(reshape(v, tuple(-1 if d == order[i] else 1 for d in range(n))), sizes)
        for i, v in enumerate(vectors)
    ]
    return grids
