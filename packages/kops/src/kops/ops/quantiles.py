"""Quantiles, percentiles and medians."""

from __future__ import annotations

import math
from collections.abc import Sequence
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
    x = transpose(x, (*kept, *axes))
    return sort(reshape(x, (*(sizes[i] for i in kept), -1)), -1)


def _between(ordered: Any, place: Any, method: str) -> Any:
    """Values at fractional places along the last axis; the axes of `place` come first."""
    if method not in METHODS:
        raise ValueError(f"`method` must be one of {METHODS}; got {method!r}.")
    low, high = _value_at(ordered, floor(place)), _value_at(ordered, ceil(place))
    if method == "lower":
        return low
    if method == "higher":
        return high
    if method == "nearest":
        return _value_at(ordered, round(place))
    if method == "midpoint":
        return divide(add(low, high), 2)
    part = subtract(place, floor(place))
    if len(shape(part)) < len(low.shape):
        part = reshape(part, tuple(shape(part)) + (1,) * (len(low.shape) - len(shape(part))))
    # Not low + (high - low) * part: infinities would become NaN where part is 0.
    step = where(equal(high, low), 0, subtract(high, low))
    return add(low, multiply(step, part))


def _value_at(ordered: Any, place: Any) -> Any:
    index = cast(place, "int32")
    kept, given = len(ordered.shape) - 1, len(shape(index))
    if given <= 1:
        picked = take(ordered, index, axis=-1)
        return moveaxis(picked, -1, 0) if given else picked
    # One place for each row: `place` has the kept axes last, before them those of q.
    sizes = shape(ordered)
    rows = moveaxis(index, tuple(range(given - kept)), tuple(range(kept, given)))
    rows = reshape(rows, (*sizes[:-1], -1))
    picked = moveaxis(take_along_axis(ordered, rows, -1), -1, 0)
    return reshape(picked, (*shape(index)[: given - kept], *sizes[:-1]))


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
    result = _between(ordered, multiply(q, cast(n - 1, x.dtype)), method)
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
    result = _between(ordered, place, method)
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
