"""Quantiles, percentiles and medians."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from kops.op import Tensor, op_family
from kops.ops.comparison import (
    equal,
    isnan,
    logical_not,
)
from kops.ops.core import cast, shape
from kops.ops.elementwise import (
    add,
    ceil,
    divide,
    floor,
    maximum,
    multiply,
    round,
    subtract,
    where,
)
from kops.ops.indexing import get_item, take, take_along_axis
from kops.ops.manipulation import (
    expand_dims,
    moveaxis,
    reshape,
    squeeze,
    transpose,
)
from kops.ops.reductions import sum
from kops.ops.sorting import sort
from kops.specs import axes_of, float_result

__all__ = ["median", "nanmedian", "nanpercentile", "nanquantile", "percentile", "quantile"]

op = op_family("numpy")

Axis = int | Sequence[int] | None
METHODS = ("linear", "lower", "higher", "midpoint", "nearest")


def _ordered(x: Any, axis: Axis) -> Any:
    """X with the reduced axes joined into a last one and sorted along it."""
    axes = axes_of(axis, len(x.shape))
    kept = [i for i in range(len(x.shape)) if i not in axes]
    sizes = shape(x)
    # A -1 could not be told from the sizes of an empty batch.
    known = all(isinstance(sizes[i], int) for i in axes)
    n = math.prod(sizes[i] for i in axes) if known else -1
    if n == 0:
        raise ValueError(
            f"`axis` {axis} covers an axis of size zero in the shape {tuple(x.shape)}; "
            "a median or quantile of nothing has no value."
        )
    x = transpose(x, (*kept, *axes))
    return sort(reshape(x, (*(sizes[i] for i in kept), n)), -1)


def _between(ordered: Any, place: Any, method: str, value_at: Callable[[Any, Any], Any]) -> Any:
    """Values at fractional places along the last axis; the axes of q come first."""
    if method not in METHODS:
        raise ValueError(f"`method` must be one of {METHODS}; got {method!r}.")
    if method == "nearest":
        return value_at(ordered, round(place))
    low, high = value_at(ordered, floor(place)), value_at(ordered, ceil(place))
    if method == "lower":
        return low
    if method == "higher":
        return high
    if method == "midpoint":
        return divide(add(low, high), 2)
    part = subtract(place, floor(place))
    missing = len(low.shape) - len(part.shape)
    part = reshape(part, tuple(shape(part)) + (1,) * missing)
    # Equal infinities have no difference to speak of.
    step = where(equal(high, low), 0, subtract(high, low))
    return add(low, multiply(step, part))


def _at_places(ordered: Any, place: Any) -> Any:
    """Elements at the same places (a scalar or a vector) of all rows."""
    picked = take(ordered, cast(place, "int32"), axis=-1)
    return moveaxis(picked, -1, 0) if len(place.shape) else picked


def _at_places_of_rows(ordered: Any, place: Any) -> Any:
    """Elements at places of each row's own: `place` has the axes of q, then those of rows."""
    kept = len(ordered.shape) - 1
    given = len(place.shape)
    index = cast(place, "int32")
    if given == kept:
        return squeeze(take_along_axis(ordered, expand_dims(index, -1), -1), -1)
    return moveaxis(take_along_axis(ordered, moveaxis(index, 0, -1), -1), -1, 0)


def _with_axes(result: Any, x: Any, axis: Axis, leading: int) -> Any:
    """The reduced axes put back with size 1, after the axes of q."""
    axes = axes_of(axis, len(x.shape))
    return expand_dims(result, tuple(a + leading for a in axes))


@op(dtype={"x q": float_result})
def quantile(
    x: Tensor,
    q: Tensor,
    axis: Axis = None,
    method: str = "linear",
    keepdims: bool = False,
) -> Tensor:
    """The value below which a fraction of the elements lies, over axes.

    Args:
        x: tensor.
        q: fraction in [0, 1], a number or a vector of them.
        axis: axis or axes to reduce; None for all.
        method: what to take between two elements: "linear", "lower", "higher", "midpoint"
            or "nearest".
        keepdims: whether reduced axes stay, with size 1.

    Returns:
        The reduced tensor, with a leading axis for a vector `q`.

    Raises:
        ValueError: for another method.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.quantile([1.0, 2.0, 4.0], 0.5))
    array(2., dtype=float32)
    """
    ordered = _ordered(x, axis)
    n = shape(ordered)[-1]
    result = _between(ordered, multiply(q, cast(n - 1, x.dtype)), method, _at_places)
    # Sorting puts NaN last.
    result = where(isnan(get_item(ordered, (..., -1))), math.nan, result)
    return _with_axes(result, x, axis, len(shape(q))) if keepdims else result


@op(dtype={"x q": float_result})
def percentile(
    x: Tensor,
    q: Tensor,
    axis: Axis = None,
    method: str = "linear",
    keepdims: bool = False,
) -> Tensor:
    """The value below which a percentage of the elements lies, over axes.

    Args:
        x: tensor.
        q: percentage in [0, 100], a number or a vector of them.
        axis: axis or axes to reduce; None for all.
        method: what to take between two elements: "linear", "lower", "higher", "midpoint"
            or "nearest".
        keepdims: whether reduced axes stay, with size 1.

    Returns:
        The reduced tensor, with a leading axis for a vector `q`.

    Raises:
        ValueError: for another method.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.percentile([1.0, 2.0, 4.0], 50.0))
    array(2., dtype=float32)
    """
    return quantile(x, divide(q, 100.0), axis, method, keepdims)


@op(dtype=float_result)
def median(x: Tensor, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """The middle value over axes; the mean of the two middle ones, if so.

    Args:
        x: tensor.
        axis: axis or axes to reduce; None for all.
        keepdims: whether reduced axes stay, with size 1.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.median([1.0, 2.0, 4.0]))
    array(2., dtype=float32)
    """
    return quantile(x, 0.5, axis, keepdims=keepdims)


@op(dtype={"x q": float_result})
def nanquantile(
    x: Tensor,
    q: Tensor,
    axis: Axis = None,
    method: str = "linear",
    keepdims: bool = False,
) -> Tensor:
    """`quantile` of what is not NaN.

    Args:
        x: tensor.
        q: fraction in [0, 1], a number or a vector of them.
        axis: axis or axes to reduce; None for all.
        method: what to take between two elements: "linear", "lower", "higher", "midpoint"
            or "nearest".
        keepdims: whether reduced axes stay, with size 1.

    Returns:
        The reduced tensor, with a leading axis for a vector `q`.

    Raises:
        ValueError: for another method.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.nanquantile([1.0, 2.0, 4.0, float('nan')], 0.5))
    array(2., dtype=float32)
    """
    ordered = _ordered(x, axis)
    n = sum(cast(logical_not(isnan(ordered)), x.dtype), -1)
    place = multiply(reshape(q, tuple(shape(q)) + (1,) * len(n.shape)), maximum(subtract(n, 1), 0))
    result = _between(ordered, place, method, _at_places_of_rows)
    return _with_axes(result, x, axis, len(shape(q))) if keepdims else result


@op(dtype={"x q": float_result})
def nanpercentile(
    x: Tensor,
    q: Tensor,
    axis: Axis = None,
    method: str = "linear",
    keepdims: bool = False,
) -> Tensor:
    """`percentile` of what is not NaN.

    Args:
        x: tensor.
        q: percentage in [0, 100], a number or a vector of them.
        axis: axis or axes to reduce; None for all.
        method: what to take between two elements: "linear", "lower", "higher", "midpoint"
            or "nearest".
        keepdims: whether reduced axes stay, with size 1.

    Returns:
        The reduced tensor, with a leading axis for a vector `q`.

    Raises:
        ValueError: for another method.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.nanpercentile([1.0, 2.0, 4.0, float('nan')], 50.0))
    array(2., dtype=float32)
    """
    return nanquantile(x, divide(q, 100.0), axis, method, keepdims)


@op(dtype=float_result)
def nanmedian(x: Tensor, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """`median` of what is not NaN.

    Args:
        x: tensor.
        axis: axis or axes to reduce; None for all.
        keepdims: whether reduced axes stay, with size 1.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.nanmedian([1.0, 2.0, 4.0, float('nan')]))
    array(2., dtype=float32)
    """
    return nanquantile(x, 0.5, axis, keepdims=keepdims)
