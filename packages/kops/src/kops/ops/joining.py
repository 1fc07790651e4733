"""Joining tensors and taking them apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kops.dim import Size
from kops.keras_tensor import KerasTensor
from kops.op import Tensor, op_family
from kops.ops.core import shape as _sizes
from kops.ops.manipulation import broadcast_to, expand_dims, ravel, reshape, squeeze
from kops.shapes import (
    concatenate_dims,
    split_dims,
)
from kops.specs import axis_of, promote

__all__ = [
    "append",
    "array_split",
    "concatenate",
    "dsplit",
    "dstack",
    "hsplit",
    "hstack",
    "meshgrid",
    "split",
    "stack",
    "unstack",
    "vsplit",
    "vstack",
]

op = op_family("numpy")

core = op_family("core")

Dims = tuple[Size, ...]


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


@op(shape=_concatenate_shape, dtype=promote, out=_first_dtype)
def concatenate(xs: Sequence[Tensor], axis: int = 0) -> Tensor:
    """Tensors joined along an axis.

    Args:
        xs: tensors of equal shapes but for `axis`.
        axis: axis to join along.

    Raises:
        ValueError: if the other sizes differ.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.concatenate([[1, 2], [3]]))
    array([1, 2, 3], dtype=int32)
    """


@op(shape=_stack_shape, dtype=promote, out=_first_dtype)
def stack(x: Sequence[Tensor], axis: int = 0) -> Tensor:
    """Tensors joined along a new axis.

    Args:
        x: tensors of one shape.
        axis: position of the new axis.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.stack([[1, 2], [3, 4]], axis=1))
    array([[1, 3],
           [2, 4]], dtype=int32)
    """


@op()
def vstack(xs: Sequence[Tensor]) -> Tensor:
    """Tensors joined along the first axis; vectors become rows.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.vstack([[1, 2], [3, 4]]))
    array([[1, 2],
           [3, 4]], dtype=int32)
    """
    return concatenate([_at_least(x, 2) for x in xs], 0)


@op()
def hstack(xs: Sequence[Tensor]) -> Tensor:
    """Tensors joined along the second axis (vectors along their only one).

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.hstack([[1, 2], [3, 4]]))
    array([1, 2, 3, 4], dtype=int32)
    """
    parts = [_at_least(x, 1) for x in xs]
    return concatenate(parts, 0 if len(parts[0].shape) == 1 else 1)


@op()
def dstack(xs: Sequence[Tensor]) -> Tensor:
    """Tensors joined along the third axis.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.dstack([[1, 2], [3, 4]]))
    array([[[1, 3],
            [2, 4]]], dtype=int32)
    """
    return concatenate([_at_least(x, 3) for x in xs], 2)


@op(dtype=promote)
def append(x1: Tensor, x2: Tensor, axis: int | None = None) -> Tensor:
    """x2 joined to the end of x1.

    Args:
        x1: tensor.
        x2: tensor.
        axis: axis to join along; None for the flattened tensors.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.append([1, 2], [3]))
    array([1, 2, 3], dtype=int32)
    """
    if axis is None:
        return concatenate([ravel(x1), ravel(x2)])
    return concatenate([x1, x2], axis)


@op(shape=_split_shape, out=_split_dtypes)
def split(x: Tensor, indices_or_sections: int | Sequence[int], axis: int = 0) -> Any:
    """The tensor cut into pieces along an axis.

    Args:
        x: tensor.
        indices_or_sections: number of equal pieces, or positions to cut at.
        axis: axis to cut.

    Raises:
        ValueError: if the size is no multiple of the number of pieces.

    Example:
    >>> from kops import ops
    >>> [ops.convert_to_numpy(t) for t in ops.split([1, 2, 3, 4], 2)]
    [array([1, 2], dtype=int32), array([3, 4], dtype=int32)]
    """


@op()
def array_split(x: Tensor, indices_or_sections: int | Sequence[int], axis: int = 0) -> list[Any]:
    """Like `split`, but the first pieces may be one longer.

    Args:
        x: tensor.
        indices_or_sections: number of pieces, or positions to cut at.
        axis: axis to cut.

    Example:
    >>> from kops import ops
    >>> [ops.convert_to_numpy(t) for t in ops.array_split([1, 2, 3], 2)]
    [array([1, 2], dtype=int32), array([3], dtype=int32)]
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

    Example:
    >>> from kops import ops
    >>> [ops.convert_to_numpy(t) for t in ops.hsplit([[1, 2], [3, 4]], 2)]
    [array([[1],
           [3]], dtype=int32), array([[2],
           [4]], dtype=int32)]
    """
    return split(x, indices_or_sections, 0 if len(x.shape) == 1 else 1)


@op()
def vsplit(x: Tensor, indices_or_sections: int | Sequence[int]) -> list[Any]:
    """`split` along the first axis.

    Example:
    >>> from kops import ops
    >>> [ops.convert_to_numpy(t) for t in ops.vsplit([[1, 2], [3, 4]], 2)]
    [array([[1, 2]], dtype=int32), array([[3, 4]], dtype=int32)]
    """
    return split(x, indices_or_sections, 0)


@op()
def dsplit(x: Tensor, indices_or_sections: int | Sequence[int]) -> list[Any]:
    """`split` along the third axis.

    Example:
    >>> from kops import ops
    >>> [ops.convert_to_numpy(t) for t in ops.dsplit([[[1, 2], [3, 4]]], 2)]
    [array([[[1],
            [3]]], dtype=int32), array([[[2],
            [4]]], dtype=int32)]
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

    Example:
    >>> from kops import ops
    >>> [ops.convert_to_numpy(t) for t in ops.unstack([[1, 2], [3, 4]])]
    [array([1, 2], dtype=int32), array([3, 4], dtype=int32)]
    """
    axis = axis_of(axis, len(x.shape))
    size = x.shape[axis]
    if num is None and size is None:
        raise ValueError(f"The size of axis {axis} is unknown; give it as `num`.")
    if num is not None and size is not None and num != size:
        raise ValueError(f"`num` is {num}, but axis {axis} has size {size}.")
    count = num or size or 0
    return [squeeze(part, axis) for part in split(x, count, axis)] if count else []


@op()
def meshgrid(*x: Tensor, indexing: str = "xy") -> list[Any]:
    """Coordinates of a grid, one tensor for each of the given vectors.

    Args:
        x: coordinates along each axis.
        indexing: "xy" (the first vector runs along the second axis) or "ij".

    Example:
    >>> from kops import ops
    >>> [ops.convert_to_numpy(t) for t in ops.meshgrid([1, 2], [3, 4])]
    [array([[1, 2],
           [1, 2]], dtype=int32), array([[3, 3],
           [4, 4]], dtype=int32)]
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
