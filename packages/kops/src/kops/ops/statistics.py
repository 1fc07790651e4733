"""Averages, sums that pass over NaN, differences, histograms."""

from __future__ import annotations

import builtins
import math
from collections.abc import Sequence
from typing import Any

from kops import dtypes
from kops.dim import Dim
from kops.op import Tensor, op_family
from kops.ops.comparison import (
    equal,
    greater_equal,
    isclose,
    isnan,
    less_equal,
    logical_and,
    logical_not,
    not_equal,
)
from kops.ops.core import cast, convert_to_tensor, shape
from kops.ops.creation import arange, diagonal, linspace, ones_like, zeros
from kops.ops.elementwise import (
    add,
    clip,
    divide,
    multiply,
    sqrt,
    square,
    subtract,
    where,
)
from kops.ops.indexing import get_item, segment_sum, take
from kops.ops.manipulation import (
    broadcast_to,
    expand_dims,
    pad,
    ravel,
    reshape,
    squeeze,
    transpose,
)
from kops.ops.products import matmul
from kops.ops.reductions import all, any, argmax, argmin, cumprod, cumsum, max, mean, min, prod, sum
from kops.ops.sorting import searchsorted
from kops.specs import axis_of, float_result

__all__ = [
    "allclose",
    "array_equal",
    "average",
    "corrcoef",
    "correlate",
    "diff",
    "histogram",
    "nanargmax",
    "nanargmin",
    "nancumprod",
    "nancumsum",
    "nanmax",
    "nanmean",
    "nanmin",
    "nanprod",
    "nanstd",
    "nansum",
    "nanvar",
    "trapezoid",
]

op = op_family("numpy")

Axis = int | Sequence[int] | None


def _is_bool(x: Any) -> bool:
    return dtypes.standardize(x.dtype) == "bool"


def _may_be_nan(x: Any) -> bool:
    return dtypes.is_float(dtypes.standardize(x.dtype))


def _or_else(x: Any, value: float) -> Any:
    """X with `value` in place of NaN."""
    return where(isnan(x), value, x) if _may_be_nan(x) else x


def _numbers(x: Any, axis: Axis, keepdims: bool) -> Any:
    """How many elements are not NaN."""
    return sum(cast(logical_not(isnan(x)), x.dtype), axis, keepdims)


def _along(weights: Any, x: Any, axis: Axis) -> Any:
    """A vector of weights laid along the axis of `x` that it belongs to."""
    if not isinstance(axis, int) or len(weights.shape) != 1:
        raise ValueError(
            f"`weights` must have the shape {x.shape} of `x`, or be a vector along one `axis`; "
            f"got shape {weights.shape} and axis {axis}."
        )
    place = axis_of(axis, len(x.shape))
    size, given = x.shape[place], weights.shape[0]
    if size is not None and given is not None and size != given:
        raise ValueError(f"`weights` has {given} elements, but axis {axis} has size {size}.")
    return reshape(weights, tuple(-1 if i == place else 1 for i in range(len(x.shape))))


def _differ(x1: Any, x2: Any) -> bool:
    return builtins.any(
        a != b and not isinstance(a, Dim) and not isinstance(b, Dim)
        for a, b in zip(shape(x1), shape(x2), strict=True)
    )


@op(dtype={"x weights": float_result})
def average(x: Tensor, axis: Axis = None, weights: Tensor = None) -> Tensor:
    """Weighted mean over axes.

    Args:
        x: tensor.
        axis: axis or axes to average over; None for all.
        weights: tensor in the shape of `x`, or a vector of the size of `axis`; None for
            equal weights.

    Raises:
        ValueError: if the weights have another shape.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.average([1.0, 2.0], weights=[3.0, 1.0]))
    array(1.25, dtype=float32)
    """
    if weights is None:
        return mean(x, axis)
    if len(weights.shape) != len(x.shape):
        weights = _along(weights, x, axis)
    weights = broadcast_to(weights, shape(x))
    return divide(sum(multiply(x, weights), axis), sum(weights, axis))


@op()
def nansum(x: Tensor, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """Sum over axes of what is not NaN.

    Args:
        x: tensor.
        axis: axis or axes to reduce; None for all.
        keepdims: whether reduced axes stay, with size 1.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.nansum([1.0, float('nan')]))
    array(1., dtype=float32)
    """
    return sum(_or_else(x, 0), axis, keepdims)


@op()
def nanprod(x: Tensor, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """Product over axes of what is not NaN.

    Args:
        x: tensor.
        axis: axis or axes to reduce; None for all.
        keepdims: whether reduced axes stay, with size 1.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.nanprod([2.0, float('nan')]))
    array(2., dtype=float32)
    """
    return prod(_or_else(x, 1), axis, keepdims)


@op(dtype=float_result)
def nanmean(x: Tensor, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """Mean over axes of what is not NaN; NaN where there is nothing else.

    Args:
        x: tensor.
        axis: axis or axes to reduce; None for all.
        keepdims: whether reduced axes stay, with size 1.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.nanmean([1.0, float('nan')]))
    array(1., dtype=float32)
    """
    total = sum(_or_else(x, 0), axis, keepdims)
    return divide(total, _numbers(x, axis, keepdims))


@op(dtype=float_result)
def nanvar(x: Tensor, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """Variance over axes of what is not NaN.

    Args:
        x: tensor.
        axis: axis or axes to reduce; None for all.
        keepdims: whether reduced axes stay, with size 1.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.nanvar([1.0, 3.0, float('nan')]))
    array(1., dtype=float32)
    """
    gap = square(subtract(x, nanmean(x, axis, keepdims=True)))
    return nanmean(gap, axis, keepdims)


@op(dtype=float_result)
def nanstd(x: Tensor, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """Standard deviation over axes of what is not NaN.

    Args:
        x: tensor.
        axis: axis or axes to reduce; None for all.
        keepdims: whether reduced axes stay, with size 1.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.nanstd([1.0, 3.0, float('nan')]))
    array(1., dtype=float32)
    """
    return sqrt(nanvar(x, axis, keepdims))


@op()
def nanmax(x: Tensor, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """Largest value over axes that is not NaN; NaN where there is none.

    Args:
        x: tensor.
        axis: axis or axes to reduce; None for all.
        keepdims: whether reduced axes stay, with size 1.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.nanmax([1.0, float('nan')]))
    array(1., dtype=float32)
    """
    if not _may_be_nan(x):
        return max(x, axis, keepdims)
    found = any(logical_not(isnan(x)), axis, keepdims)
    return where(found, max(_or_else(x, -math.inf), axis, keepdims), math.nan)


@op()
def nanmin(x: Tensor, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """Smallest value over axes that is not NaN; NaN where there is none.

    Args:
        x: tensor.
        axis: axis or axes to reduce; None for all.
        keepdims: whether reduced axes stay, with size 1.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.nanmin([1.0, float('nan')]))
    array(1., dtype=float32)
    """
    if not _may_be_nan(x):
        return min(x, axis, keepdims)
    found = any(logical_not(isnan(x)), axis, keepdims)
    return where(found, min(_or_else(x, math.inf), axis, keepdims), math.nan)


@op()
def nanargmax(x: Tensor, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """Position of the first largest value that is not NaN; -1 where there is none.

    Args:
        x: tensor.
        axis: axis or axes to reduce; None for all.
        keepdims: whether reduced axes stay, with size 1.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.nanargmax([1.0, float('nan'), 3.0]))
    array(2, dtype=int32)
    """
    place = argmax(_or_else(x, -math.inf), axis, keepdims)
    return where(all(isnan(x), axis, keepdims), -1, place)


@op()
def nanargmin(x: Tensor, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """Position of the first smallest value that is not NaN; -1 where there is none.

    Args:
        x: tensor.
        axis: axis or axes to reduce; None for all.
        keepdims: whether reduced axes stay, with size 1.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.nanargmin([1.0, float('nan'), 3.0]))
    array(0, dtype=int32)
    """
    place = argmin(_or_else(x, math.inf), axis, keepdims)
    return where(all(isnan(x), axis, keepdims), -1, place)


@op()
def nancumsum(x: Tensor, axis: int | None = None, dtype: Any = None) -> Tensor:
    """Running sum along an axis, NaN counted as 0.

    Args:
        x: tensor.
        axis: axis to sum along; None for the flattened tensor.
        dtype: dtype to sum in and return.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.nancumsum([1.0, float('nan'), 2.0]))
    array([1., 1., 3.], dtype=float32)
    """
    return cumsum(_or_else(x, 0), axis, dtype)


@op()
def nancumprod(x: Tensor, axis: int | None = None, dtype: Any = None) -> Tensor:
    """Running product along an axis, NaN counted as 1.

    Args:
        x: tensor.
        axis: axis to multiply along; None for the flattened tensor.
        dtype: dtype to multiply in and return.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.nancumprod([1.0, float('nan'), 2.0]))
    array([1., 1., 2.], dtype=float32)
    """
    return cumprod(_or_else(x, 1), axis, dtype)


@op(name="AllClose")
def allclose(
    x1: Tensor,
    x2: Tensor,
    rtol: float = 1e-5,
    atol: float = 1e-8,
    equal_nan: bool = False,
) -> Tensor:
    """Whether all elements are close, as `isclose` tells.

    Args:
        x1: tensor.
        x2: tensor that broadcasts with x1.
        rtol: relative tolerance.
        atol: absolute tolerance.
        equal_nan: whether NaN is close to NaN.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.allclose([1.0], [1.0 + 1e-7]))
    array(True)
    """
    return all(isclose(x1, x2, rtol, atol, equal_nan))


@op()
def array_equal(x1: Tensor, x2: Tensor) -> Tensor:
    """Whether two tensors have the same shape and the same elements.

    Args:
        x1: tensor.
        x2: tensor.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.array_equal([1, 2], [1, 2]))
    array(True)
    """
    if len(x1.shape) != len(x2.shape) or _differ(x1, x2):
        return zeros((), "bool")
    return all(equal(x1, x2))


@op()
def diff(a: Tensor, n: int = 1, axis: int = -1) -> Tensor:
    """Differences of neighbours along an axis.

    Args:
        a: tensor.
        n: how many times to take them.
        axis: axis to go along.

    Raises:
        ValueError: if `n` is negative.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.diff([1, 4, 9]))
    array([3, 5], dtype=int32)
    """
    if n < 0:
        raise ValueError(f"`n` must not be negative; got {n}.")
    before = (slice(None),) * axis_of(axis, len(a.shape))
    for _ in range(n):
        later = get_item(a, (*before, slice(1, None)))
        earlier = get_item(a, (*before, slice(None, -1)))
        a = not_equal(later, earlier) if _is_bool(a) else subtract(later, earlier)
    return a


@op(dtype={"y": float_result})
def trapezoid(y: Tensor, x: Any = None, dx: float = 1.0, axis: int = -1) -> Tensor:
    """Area under a curve by the trapezoidal rule.

    Args:
        y: values.
        x: where they stand: a vector, or a tensor in the shape of `y`; None for even steps.
        dx: the even step.
        axis: axis to go along.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.trapezoid([1.0, 2.0, 3.0]))
    array(4., dtype=float32)
    """
    before = (slice(None),) * axis_of(axis, len(y.shape))
    pairs = add(get_item(y, (*before, slice(1, None))), get_item(y, (*before, slice(None, -1))))
    if x is None:
        return multiply(sum(pairs, axis), dx / 2)
    x = convert_to_tensor(x, y.dtype)
    if len(x.shape) == 1:
        step = diff(x)
        after = len(y.shape) - len(before) - 1
        step = reshape(step, (-1,) + (1,) * after)
    else:
        step = diff(x, axis=axis)
    return divide(sum(multiply(pairs, step), axis), 2)


@op(dtype=float_result)
def corrcoef(x: Tensor) -> Tensor:
    """Correlation coefficients between the rows of a matrix.

    Args:
        x: matrix `(variables, observations)`, or a vector.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.corrcoef([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]])).round(4)
    array([[ 1., -1.],
           [-1.,  1.]], dtype=float32)
    """
    if len(x.shape) < 2:
        x = reshape(x, (1, -1))
        return squeeze(corrcoef(x))
    gap = subtract(x, mean(x, -1, keepdims=True))
    covariance = matmul(gap, transpose(gap))
    size = sqrt(diagonal(covariance))
    ratio = divide(divide(covariance, expand_dims(size, 1)), expand_dims(size, 0))
    return clip(ratio, -1.0, 1.0)


@op(dtype=float_result)
def correlate(x1: Tensor, x2: Tensor, mode: str = "valid") -> Tensor:
    """Sums of products of two vectors, one moved along the other.

    Args:
        x1: vector of length n.
        x2: vector of length m.
        mode: "valid" (only full overlaps), "same" (as many as the longer has), or "full".

    Raises:
        ValueError: for another mode, or tensors that are no vectors.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.correlate([1.0, 2.0, 3.0], [1.0, 1.0]))
    array([3., 5.], dtype=float32)
    """
    if mode not in ("valid", "same", "full"):
        raise ValueError(f"`mode` must be 'valid', 'same' or 'full'; got {mode!r}.")
    if len(x1.shape) != 1 or len(x2.shape) != 1:
        raise ValueError(f"Vectors are needed; got shapes {x1.shape} and {x2.shape}.")
    n, m = int(x1.shape[0]), int(x2.shape[0])
    padded = pad(x1, (m - 1, m - 1))
    places = add(expand_dims(arange(n + m - 1), 1), expand_dims(arange(m), 0))
    full = matmul(take(padded, places), x2)
    if mode == "full":
        return full
    if mode == "valid":
        low, size = builtins.min(n, m) - 1, abs(n - m) + 1
    else:
        size = builtins.max(n, m)
        low = (builtins.min(n, m) - 1) // 2 if n >= m else builtins.min(n, m) // 2
    return get_item(full, slice(low, low + size))


@op(dtype={"x": float_result})
def histogram(x: Tensor, bins: int = 10, range: Any = None) -> Any:
    """Numbers of elements in bins of equal width.

    Args:
        x: tensor.
        bins: number of bins.
        range: (lowest, highest) edge; by default those of the elements.

    Returns:
        (counts as int32, the bins + 1 edges).

    Raises:
        ValueError: if `bins` is below 1 or the range is empty.

    Example:
    >>> from kops import ops
    >>> [ops.convert_to_numpy(t) for t in ops.histogram([1.0, 2.0, 2.0, 4.0], bins=3)]
    [array([1, 2, 1], dtype=int32), array([1., 2., 3., 4.], dtype=float32)]
    """
    if bins < 1:
        raise ValueError(f"`bins` must be at least 1; got {bins}.")
    if range is not None and not range[0] < range[1]:
        raise ValueError(f"`range` must grow; got {range}.")
    x = ravel(x)
    low, high = (min(x), max(x)) if range is None else (range[0], range[1])
    if range is None:
        flat = equal(low, high)
        low, high = where(flat, subtract(low, 0.5), low), where(flat, add(high, 0.5), high)
    edges = linspace(low, high, bins + 1)
    edges = cast(edges, x.dtype)
    place = subtract(searchsorted(edges, x, side="right"), 1)
    first, last = get_item(edges, 0), get_item(edges, -1)
    place = where(equal(x, last), bins - 1, place)
    inside = logical_and(greater_equal(x, first), less_equal(x, last))
    place = where(inside, place, -1)
    return segment_sum(ones_like(place), place, bins), edges
