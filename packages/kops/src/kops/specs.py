"""Shape and dtype rules, and makers for the families that share them.

A shape rule takes the op's own parameters, tensors as symbolic ones (`.dims`, `.dtype`,
`.ndim`), and returns the result's sizes. A dtype rule takes the dtypes of the arguments
that promote together (weak Python numbers among them) and returns the one they are cast to.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any

from kops import dtypes
from kops.dim import Dim, Size, broadcast
from kops.keras_tensor import KerasTensor

__all__ = [
    "accumulate",
    "axes_of",
    "axis_of",
    "binary",
    "broadcast_dims",
    "broadcast_shape",
    "float_result",
    "index",
    "integral",
    "keep",
    "promote",
    "reduced",
    "reduction",
    "same_shape",
    "shift",
    "size_product",
    "unary",
    "wide_float",
    "widen",
]

Dims = tuple[Size, ...]

# -- dtype rules ------------------------------------------------------------------------------

keep = None
"""Arguments stay as they are."""


def promote(found: Sequence[str]) -> str:
    """The common dtype of the lattice."""
    return dtypes.join(list(found))


def float_result(found: Sequence[str]) -> str:
    """The common dtype, `floatx` if that is an integer or bool."""
    return dtypes.to_float(dtypes.join(list(found)))


def wide_float(found: Sequence[str]) -> str:
    """`float_result`, at least float32: decompositions and transforms have no 16-bit form."""
    dtype = float_result(found)
    return "float32" if dtype in ("float16", "bfloat16") else dtype


def _number(found: Sequence[str]) -> str:
    joined = dtypes.join(list(found))
    if joined == "string":
        raise ValueError("must hold numbers; got strings.")
    return joined


def accumulate(found: Sequence[str]) -> str:
    """The common dtype, int32 if that is bool: what sums and products are made in."""
    joined = _number(found)
    return "int32" if joined == "bool" else joined


def integral(found: Sequence[str]) -> str:
    """The common dtype, which must be an integer or bool.

    Raises:
        TypeError: if it is not.
    """
    joined = dtypes.join(list(found))
    if joined != "bool" and not dtypes.is_int(joined):
        raise TypeError(f"Integers or bools are needed here; got {', '.join(found)}.")
    return joined


def shift(found: Sequence[str]) -> str:
    """`integral`, int32 if that is bool."""
    joined = integral(found)
    return "int32" if joined == "bool" else joined


_WIDE = {"bool": "int32", "int8": "int32", "int16": "int32", "uint8": "uint32", "uint16": "uint32"}


def widen(found: Sequence[str]) -> str:
    """The common dtype, 32 bits wide if that is a smaller integer: for sums of many."""
    joined = _number(found)
    return _WIDE.get(joined, joined)


_INDEX = {"int64": "int64", "uint32": "int64", "uint64": "int64"}


def index(found: Sequence[str]) -> str:
    """int32, or int64 for dtypes that need it: what positions are given in.

    Raises:
        ValueError: for a dtype of other numbers than integers.
    """
    joined = dtypes.join(list(found))
    if not dtypes.is_int(joined) and joined != "bool":
        raise ValueError(f"must hold integers; got {joined}.")
    return _INDEX.get(joined, "int32")


# -- sizes and axes ---------------------------------------------------------------------------


def axis_of(axis: Any, ndim: int, name: str = "axis") -> int:
    """`axis` counted from the front.

    Raises:
        ValueError: if it is no int or out of range for `ndim` axes.
    """
    try:
        index = operator.index(axis)
    except TypeError:
        index = None
    if index is None or axis.__class__ is bool:
        raise ValueError(f"`{name}` must be an int; got {axis!r}.")
    if not -ndim <= index < ndim:
        raise ValueError(
            f"`{name}` is {axis}, which is out of range for a tensor of rank {ndim}; "
            f"accepted: {-ndim} to {ndim - 1}."
        )
    return index % ndim if ndim else index


def axes_of(axis: Any, ndim: int, name: str = "axis") -> tuple[int, ...]:
    """`axis` (None for all, an int or several) as a tuple of axes counted from the front.

    Raises:
        ValueError: for an axis out of range or given twice.
    """
    if axis is None:
        return tuple(range(ndim))
    if not isinstance(axis, (tuple, list)):
        return (axis_of(axis, ndim, name),)
    axes = tuple(axis_of(a, ndim, name) for a in axis)
    if len(set(axes)) != len(axes):
        raise ValueError(f"`{name}` is {axis}, which names an axis of rank {ndim} twice.")
    return axes


def size_product(sizes: Sequence[Size]) -> Size:
    """Product of sizes; 1 for none."""
    return functools.reduce(operator.mul, sizes, 1)


def broadcast_dims(*shapes: Dims) -> Dims:
    """Shape that shapes broadcast to.

    Raises:
        ValueError: naming the shapes, if they do not broadcast.
    """
    result: list[Size] = []
    for i in range(-max((len(s) for s in shapes), default=0), 0):
        size: Size = 1
        for shape in shapes:
            if len(shape) >= -i:
                try:
                    size = broadcast(size, shape[i])
                except ValueError:
                    shown = [tuple(None if isinstance(d, Dim) else d for d in s) for s in shapes]
                    raise ValueError(
                        f"The shapes {' and '.join(map(str, shown))} do not broadcast."
                    ) from None
        result.append(size)
    return tuple(result)


# -- shape rules ------------------------------------------------------------------------------


def same_shape(x: KerasTensor, *_: Any, **__: Any) -> Dims:
    """The first argument's shape."""
    return x.dims


def broadcast_shape(x1: KerasTensor, x2: KerasTensor, *_: Any, **__: Any) -> Dims:
    """The shape that the first two arguments broadcast to."""
    if x1.dims == x2.dims:
        return x1.dims
    return broadcast_dims(x1.dims, x2.dims)


def reduced(dims: Dims, axis: Any, keepdims: bool) -> Dims:
    """Shape after a reduction over `axis`."""
    axes = axes_of(axis, len(dims))
    if keepdims:
        return tuple(1 if i in axes else d for i, d in enumerate(dims))
    return tuple(d for i, d in enumerate(dims) if i not in axes)


def _reduced_shape(
    x: KerasTensor, axis: Any = None, keepdims: bool = False, *_: Any, **__: Any
) -> Dims:
    return reduced(x.dims, axis, keepdims)


# -- families: keyword arguments of `op` --------------------------------------------------------


def unary(dtype: Callable[..., str] | str | None = keep, out: Any = None) -> dict[str, Any]:
    """Element-wise op of one tensor: `@op(**unary(float_result))`."""
    return {"shape": same_shape, "dtype": dtype, "out": out}


def binary(dtype: Callable[..., str] | str | None = promote, out: Any = None) -> dict[str, Any]:
    """Element-wise op of two tensors that broadcast: `@op(**binary())`."""
    return {"shape": broadcast_shape, "dtype": dtype, "out": out}


def reduction(dtype: Callable[..., str] | str | None = keep, out: Any = None) -> dict[str, Any]:
    """Reduction with the parameters `(x, axis, keepdims)`: `@op(**reduction(float_result))`."""
    return {"shape": _reduced_shape, "dtype": dtype, "out": out}
