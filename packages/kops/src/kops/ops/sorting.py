"""Sorting, searching and counting."""

from __future__ import annotations

from typing import Any

from kops import dtypes
from kops.dim import Dim, Size
from kops.keras_tensor import KerasTensor
from kops.op import Tensor, op_family
from kops.ops.comparison import (
    equal,
    greater,
    greater_equal,
    isfinite,
    less,
    logical_and,
    logical_not,
)
from kops.ops.core import cast, shape
from kops.ops.elementwise import where
from kops.ops.indexing import take_along_axis
from kops.ops.manipulation import expand_dims, reshape, squeeze
from kops.ops.reductions import any, sum
from kops.specs import axis_of, index, promote, size_product

__all__ = [
    "argpartition",
    "argsort",
    "bincount",
    "digitize",
    "in_top_k",
    "isin",
    "searchsorted",
    "sort",
    "top_k",
]

op = op_family("numpy")
maths = op_family("math")

Dims = tuple[Size, ...]


def _along_shape(x: KerasTensor, axis: int | None) -> Dims:
    if axis is None:
        return (size_product(x.dims),)
    axis_of(axis, x.ndim)
    return x.dims


def _top_k_shape(x: KerasTensor, k: int, sorted: bool) -> tuple[Dims, Dims]:
    if x.ndim == 0:
        raise ValueError("`top_k` needs a tensor of rank 1 or more; got a scalar.")
    n = x.dims[-1]
    if k < 0 or (not isinstance(n, Dim) and k > n):
        raise ValueError(f"`k` must be from 0 to the size of the last axis, {n}; got {k}.")
    dims = (*x.dims[:-1], k)
    return dims, dims


def _top_k_dtypes(x: KerasTensor, k: int, sorted: bool) -> list[str]:
    return [x.dtype, "int32"]


def _search_shape(sorted_sequence: KerasTensor, values: KerasTensor, side: str) -> Dims:
    if sorted_sequence.ndim != 1:
        raise ValueError(
            f"`sorted_sequence` must be a vector; got a tensor of rank {sorted_sequence.ndim}."
        )
    if side not in ("left", "right"):
        raise ValueError(f"`side` must be 'left' or 'right'; got {side!r}.")
    return values.dims


def _bincount_shape(x: KerasTensor, weights: Any, minlength: int, sparse: bool) -> Dims:
    if x.ndim not in (1, 2):
        raise ValueError(f"`x` must be a vector or a matrix; got a tensor of rank {x.ndim}.")
    return (*x.dims[:-1], Dim())


def _bincount_dtype(x: KerasTensor, weights: Any, minlength: int, sparse: bool) -> str:
    if weights is None:
        return "int32"
    kind = getattr(weights, "dtype", None)
    return "float32" if kind is None else dtypes.standardize(kind)


@op(shape=_along_shape)
def sort(x: Tensor, axis: int | None = -1) -> Tensor:
    """Elements in ascending order along an axis, NaN last.

    Args:
        x: tensor.
        axis: axis to sort along; None for the flattened tensor.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.sort([3, 1, 2]))
    array([1, 2, 3], dtype=int32)
    """


@op(shape=_along_shape, out="int32")
def argsort(x: Tensor, axis: int | None = -1) -> Tensor:
    """Positions that put the elements in ascending order, NaN last; equal ones keep theirs.

    Args:
        x: tensor.
        axis: axis to sort along; None for the flattened tensor.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.argsort([3, 1, 2]))
    array([1, 2, 0], dtype=int32)
    """


@maths(shape=_top_k_shape, out=_top_k_dtypes)
def top_k(x: Tensor, k: int, sorted: bool = True) -> Any:
    """The k largest elements along the last axis, and their positions.

    Args:
        x: tensor `(..., n)`.
        k: how many, at most n.
        sorted: whether they must come in descending order.

    Returns:
        (values, indices as int32), both `(..., k)`.

    Raises:
        ValueError: if k is more than n.

    Example:
    >>> from kops import ops
    >>> [ops.convert_to_numpy(t) for t in ops.top_k([3, 1, 2], 2)]
    [array([3, 2], dtype=int32), array([0, 2], dtype=int32)]
    """


@maths(dtype={"targets": index})
def in_top_k(targets: Tensor, predictions: Tensor, k: int) -> Tensor:
    """Whether the prediction for each target class is among the k largest.

    Args:
        targets: class numbers `(...,)`.
        predictions: scores `(..., classes)`.
        k: how many count as top.

    Returns:
        Bools `(...,)`: true also for a tie with the k-th; false where the target is no class
        or its prediction is not finite.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.in_top_k([0, 1], [[0.1, 0.9], [0.2, 0.8]], 1))
    array([False,  True])
    """
    classes = shape(predictions)[-1]
    valid = logical_and(greater_equal(targets, 0), less(targets, classes))
    safe = where(valid, targets, 0)
    own = take_along_axis(predictions, expand_dims(safe, -1), axis=-1)
    larger = sum(cast(greater(predictions, own), "int32"), -1)
    finite = isfinite(squeeze(own, -1))
    return logical_and(logical_and(valid, finite), less(larger, k))


@op(
    shape=_search_shape,
    dtype={"sorted_sequence values": promote},
    out="int32",
    name="SearchSorted",
)
def searchsorted(sorted_sequence: Tensor, values: Tensor, side: str = "left") -> Tensor:
    """Where values would have to be inserted to keep a sequence in order.

    Args:
        sorted_sequence: vector in ascending order.
        values: tensor.
        side: "left" (before equal elements) or "right" (after them).

    Returns:
        Positions as int32, in the shape of `values`.

    Raises:
        ValueError: if the sequence is no vector, or for another `side`.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.searchsorted([1, 3, 5], [[3, 4]]))
    array([[1, 2]], dtype=int32)
    """


@op()
def digitize(x: Tensor, bins: Tensor) -> Tensor:
    """Number of the bin that each element falls into.

    Args:
        x: tensor.
        bins: edges in ascending order; an element equal to an edge is right of it.

    Returns:
        int32 numbers from 0 (below the first edge) to len(bins).

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.digitize([0.5, 2.0], [1.0, 2.0]))
    array([0, 2], dtype=int32)
    """
    return searchsorted(bins, x, side="right")


@op(shape=_bincount_shape, dtype={"x": index}, out=_bincount_dtype)
def bincount(x: Tensor, weights: Any = None, minlength: int = 0, sparse: bool = False) -> Tensor:
    """How often each number occurs.

    Args:
        x: vector of numbers that are not negative (or a matrix, counted row by row).
        weights: what each occurrence counts, in the shape of `x`; 1 by default.
        minlength: least length of the result.
        sparse: kept for Keras; a dense tensor is returned.

    Returns:
        Counts of 0, 1, …: int32, or the dtype of the weights. The length depends on the
        data: the largest number plus 1, or `minlength`. In a compiled call it is
        `minlength`.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.bincount([0, 2, 2]))
    array([1, 0, 2], dtype=int32)
    """


@op(dtype=promote, name="IsIn")
def isin(x1: Tensor, x2: Tensor, assume_unique: bool = False, invert: bool = False) -> Tensor:
    """Whether each element of x1 is one of x2.

    Args:
        x1: tensor.
        x2: tensor.
        assume_unique: kept for NumPy's sake; it changes nothing.
        invert: whether to tell the opposite.

    Returns:
        Bools in the shape of x1.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.isin([1, 2, 3], [1, 3]))
    array([ True, False,  True])
    """
    found = any(equal(expand_dims(x1, -1), reshape(x2, (-1,))), -1)
    return logical_not(found) if invert else found


@op()
def argpartition(x: Tensor, kth: int, axis: int = -1) -> Tensor:
    """Positions that put the element of rank `kth` in its place, smaller ones before it.

    Args:
        x: tensor.
        kth: rank of the element.
        axis: axis to sort along; None for the flattened tensor.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.argpartition([3, 1, 2], 1))
    array([1, 2, 0], dtype=int32)
    """
    return argsort(x, axis)
