"""Reductions over axes, and running sums and products."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from kops import dtypes
from kops.dim import Size
from kops.keras_tensor import KerasTensor
from kops.op import Tensor, op_family
from kops.ops.comparison import isfinite, not_equal
from kops.ops.core import cast, stop_gradient
from kops.ops.elementwise import add, sqrt, subtract, where
from kops.ops.manipulation import squeeze
from kops.ops.transcendental import exp, log
from kops.shapes import reduced_or_empty
from kops.specs import (
    axes_of,
    axis_of,
    float_result,
    keep,
    reduced,
    reduction,
    size_product,
    widen,
)

__all__ = [
    "all",
    "amax",
    "amin",
    "any",
    "argmax",
    "argmin",
    "count_nonzero",
    "cumprod",
    "cumsum",
    "logsumexp",
    "max",
    "mean",
    "min",
    "prod",
    "ptp",
    "std",
    "sum",
    "var",
]

op = op_family("numpy")
maths = op_family("math")

Axis = int | Sequence[int] | None
Dims = tuple[Size, ...]


def _product_shape(x: KerasTensor, axis: Axis, keepdims: bool, dtype: Any) -> Dims:
    return reduced(x.dims, axis, keepdims)


def _product_dtype(x: KerasTensor, axis: Axis, keepdims: bool, dtype: Any) -> str:
    return x.dtype if dtype is None else dtypes.standardize(dtype)


def _extremum_shape(x: KerasTensor, axis: Axis, keepdims: bool, initial: Any) -> Dims:
    return reduced_or_empty(x.dims, axis, keepdims, initial)


def _position_shape(x: KerasTensor, axis: int | None, keepdims: bool) -> Dims:
    if axis is not None:
        axis_of(axis, x.ndim)
    return reduced_or_empty(x.dims, axis, keepdims, None)


def _cumulative_shape(x: KerasTensor, axis: int | None, dtype: Any) -> Dims:
    if axis is None:
        return (size_product(x.dims),)
    axis_of(axis, x.ndim)
    return x.dims


def _cumulative_dtype(x: KerasTensor, axis: int | None, dtype: Any) -> str:
    return x.dtype if dtype is None else dtypes.standardize(dtype)


@op(**reduction(widen))
def sum(x: Tensor, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """Sum over axes; small integers are summed in 32 bits.

    Args:
        x: tensor.
        axis: axis or axes to reduce; None for all.
        keepdims: whether reduced axes stay, with size 1.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.sum([[1, 2], [3, 4]], axis=0))
    array([4, 6], dtype=int32)
    """


@op(shape=_product_shape, dtype=widen, out=_product_dtype)
def prod(x: Tensor, axis: Axis = None, keepdims: bool = False, dtype: Any = None) -> Tensor:
    """Product over axes.

    Args:
        x: tensor.
        axis: axis or axes to reduce; None for all.
        keepdims: whether reduced axes stay, with size 1.
        dtype: dtype to multiply in and return.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.prod([[1, 2], [3, 4]], axis=0))
    array([3, 8], dtype=int32)
    """


@op(**reduction(float_result))
def mean(x: Tensor, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """Mean over axes; NaN for no elements.

    Args:
        x: tensor.
        axis: axis or axes to reduce; None for all.
        keepdims: whether reduced axes stay, with size 1.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.mean([[1.0, 2.0], [3.0, 4.0]], axis=0))
    array([2., 3.], dtype=float32)
    """


@op(**reduction(float_result))
def var(x: Tensor, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """Variance over axes: the mean of squared distances from the mean.

    Args:
        x: tensor.
        axis: axis or axes to reduce; None for all.
        keepdims: whether reduced axes stay, with size 1.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.var([1.0, 3.0]))
    array(1., dtype=float32)
    """


@op(dtype=float_result)
def std(x: Tensor, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """Standard deviation over axes: the square root of the variance.

    Args:
        x: tensor.
        axis: axis or axes to reduce; None for all.
        keepdims: whether reduced axes stay, with size 1.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.std([1.0, 3.0]))
    array(1., dtype=float32)
    """
    return sqrt(var(x, axis, keepdims))


@op(shape=_extremum_shape)
def max(
    x: Tensor, axis: Axis = None, keepdims: bool = False, initial: float | None = None
) -> Tensor:
    """Largest value over axes; NaN where there is one.

    Args:
        x: tensor.
        axis: axis or axes to reduce; None for all.
        keepdims: whether reduced axes stay, with size 1.
        initial: lower limit of the result; needed when there are no elements.

    Raises:
        ValueError: if there is nothing to reduce and no `initial`.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.max([[1, 5], [3, 4]], axis=1))
    array([5, 4], dtype=int32)
    """


@op(shape=_extremum_shape)
def min(
    x: Tensor, axis: Axis = None, keepdims: bool = False, initial: float | None = None
) -> Tensor:
    """Smallest value over axes; NaN where there is one.

    Args:
        x: tensor.
        axis: axis or axes to reduce; None for all.
        keepdims: whether reduced axes stay, with size 1.
        initial: upper limit of the result; needed when there are no elements.

    Raises:
        ValueError: if there is nothing to reduce and no `initial`.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.min([[1, 5], [3, 4]], axis=1))
    array([1, 3], dtype=int32)
    """


@op()
def amax(x: Tensor, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """Largest value over axes; NaN where there is one.

    Args:
        x: tensor.
        axis: axis or axes to reduce; None for all.
        keepdims: whether reduced axes stay, with size 1.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.amax([[1, 5], [3, 4]], axis=1))
    array([5, 4], dtype=int32)
    """
    return max(x, axis, keepdims)


@op()
def amin(x: Tensor, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """Smallest value over axes; NaN where there is one.

    Args:
        x: tensor.
        axis: axis or axes to reduce; None for all.
        keepdims: whether reduced axes stay, with size 1.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.amin([[1, 5], [3, 4]], axis=1))
    array([1, 3], dtype=int32)
    """
    return min(x, axis, keepdims)


@op()
def ptp(x: Tensor, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """Largest minus smallest value over axes.

    Args:
        x: tensor.
        axis: axis or axes to reduce; None for all.
        keepdims: whether reduced axes stay, with size 1.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.ptp([1, 5, 3]))
    array(4, dtype=int32)
    """
    return subtract(max(x, axis, keepdims), min(x, axis, keepdims))


@op(**reduction("bool", out="bool"))
def any(x: Tensor, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """Whether any element is true, over axes.

    Args:
        x: tensor.
        axis: axis or axes to reduce; None for all.
        keepdims: whether reduced axes stay, with size 1.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.any([[True, False], [False, False]], axis=1))
    array([ True, False])
    """


@op(**reduction("bool", out="bool"))
def all(x: Tensor, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """Whether all elements are true, over axes.

    Args:
        x: tensor.
        axis: axis or axes to reduce; None for all.
        keepdims: whether reduced axes stay, with size 1.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.all([[True, True], [True, False]], axis=1))
    array([ True, False])
    """


@op(shape=_position_shape, dtype=keep, out="int32")
def argmax(x: Tensor, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """Position of the first largest value (of the first NaN, if any) as int32.

    Args:
        x: tensor.
        axis: axis or axes to reduce; None for all.
        keepdims: whether reduced axes stay, with size 1.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.argmax([[1, 5], [4, 3]], axis=1))
    array([1, 0], dtype=int32)
    """


@op(shape=_position_shape, dtype=keep, out="int32")
def argmin(x: Tensor, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """Position of the first smallest value (of the first NaN, if any) as int32.

    Args:
        x: tensor.
        axis: axis or axes to reduce; None for all.
        keepdims: whether reduced axes stay, with size 1.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.argmin([[1, 5], [4, 3]], axis=1))
    array([0, 1], dtype=int32)
    """


@op()
def count_nonzero(x: Tensor, axis: Axis = None) -> Tensor:
    """Number of elements that are not 0, over axes, as int32.

    Args:
        x: tensor.
        axis: axis or axes to count over; None for all.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.count_nonzero([[0, 5], [4, 3]], axis=1))
    array([1, 2], dtype=int32)
    """
    return sum(cast(not_equal(x, 0), "int32"), axis)


@op(shape=_cumulative_shape, dtype=widen, out=_cumulative_dtype)
def cumsum(x: Tensor, axis: int | None = None, dtype: Any = None) -> Tensor:
    """Running sum along an axis; small integers are summed in 32 bits.

    Args:
        x: tensor.
        axis: axis to sum along; None for the flattened tensor.
        dtype: dtype to sum in and return.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.cumsum([1, 2, 3]))
    array([1, 3, 6], dtype=int32)
    """


@op(shape=_cumulative_shape, dtype=widen, out=_cumulative_dtype)
def cumprod(x: Tensor, axis: int | None = None, dtype: Any = None) -> Tensor:
    """Running product along an axis; small integers are multiplied in 32 bits.

    Args:
        x: tensor.
        axis: axis to multiply along; None for the flattened tensor.
        dtype: dtype to multiply in and return.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.cumprod([1, 2, 3]))
    array([1, 2, 6], dtype=int32)
    """


@maths(dtype=float_result)
def logsumexp(x: Tensor, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """log(sum(exp(x))) over axes, without overflow; -inf for no elements.

    Args:
        x: tensor.
        axis: axis or axes to reduce; None for all.
        keepdims: whether reduced axes stay, with size 1.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.logsumexp([1000.0, 1000.0])).round(4)
    np.float32(1000.6932)
    """
    top = max(x, axis, keepdims=True, initial=-math.inf)
    top = stop_gradient(where(isfinite(top), top, 0))
    total = add(log(sum(exp(subtract(x, top)), axis, keepdims=True)), top)
    return total if keepdims else squeeze(total, tuple(axes_of(axis, len(x.shape))))
