"""Comparisons, logic, bits and predicates, element by element."""

from __future__ import annotations

import ml_dtypes

from kops import dtypes
from kops.op import Tensor, op_family
from kops.ops.elementwise import (
    absolute,
    add,
    imag,
    maximum,
    minimum,
    multiply,
    subtract,
    where,
)
from kops.specs import binary, float_result, integral, keep, promote, shift, unary

__all__ = [
    "bitwise_and",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_not",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "equal",
    "fmax",
    "fmin",
    "greater",
    "greater_equal",
    "isclose",
    "isfinite",
    "isinf",
    "isnan",
    "isneginf",
    "isposinf",
    "isreal",
    "left_shift",
    "less",
    "less_equal",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "nan_to_num",
    "not_equal",
    "right_shift",
    "signbit",
]

op = op_family("numpy")


@op(**binary(promote, out="bool"))
def equal(x1: Tensor, x2: Tensor) -> Tensor:
    """Whether x1 == x2, element-wise.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.equal([1, 2, 3], 2))
    array([False,  True, False])
    """


@op(**binary(promote, out="bool"))
def not_equal(x1: Tensor, x2: Tensor) -> Tensor:
    """Whether x1 != x2, element-wise.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.not_equal([1, 2, 3], 2))
    array([ True, False,  True])
    """


@op(**binary(promote, out="bool"))
def less(x1: Tensor, x2: Tensor) -> Tensor:
    """Whether x1 < x2, element-wise.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.less([1, 2, 3], 2))
    array([ True, False, False])
    """


@op(**binary(promote, out="bool"))
def less_equal(x1: Tensor, x2: Tensor) -> Tensor:
    """Whether x1 <= x2, element-wise.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.less_equal([1, 2, 3], 2))
    array([ True,  True, False])
    """


@op(**binary(promote, out="bool"))
def greater(x1: Tensor, x2: Tensor) -> Tensor:
    """Whether x1 > x2, element-wise.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.greater([1, 2, 3], 2))
    array([False, False,  True])
    """


@op(**binary(promote, out="bool"))
def greater_equal(x1: Tensor, x2: Tensor) -> Tensor:
    """Whether x1 >= x2, element-wise.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.greater_equal([1, 2, 3], 2))
    array([False,  True,  True])
    """


@op(**binary("bool", out="bool"))
def logical_and(x1: Tensor, x2: Tensor) -> Tensor:
    """Logical and of truth values, element-wise; numbers are true unless 0.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.logical_and([True, False], [True, True]))
    array([ True, False])
    """


@op(**binary("bool", out="bool"))
def logical_or(x1: Tensor, x2: Tensor) -> Tensor:
    """Logical or of truth values, element-wise; numbers are true unless 0.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.logical_or([True, False], [True, True]))
    array([ True,  True])
    """


@op(**binary("bool", out="bool"))
def logical_xor(x1: Tensor, x2: Tensor) -> Tensor:
    """Logical exclusive or of truth values, element-wise; numbers are true unless 0.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.logical_xor([True, False], [True, True]))
    array([False,  True])
    """


@op(**unary("bool", out="bool"))
def logical_not(x: Tensor) -> Tensor:
    """Logical negation, element-wise; numbers are true unless 0.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.logical_not([True, False]))
    array([False,  True])
    """


@op(**binary(integral))
def bitwise_and(x: Tensor, y: Tensor) -> Tensor:
    """Bitwise and of integers or bools, element-wise.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.bitwise_and([6, 5], 3))
    array([2, 1], dtype=int32)
    """


@op(**binary(integral))
def bitwise_or(x: Tensor, y: Tensor) -> Tensor:
    """Bitwise or of integers or bools, element-wise.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.bitwise_or([6, 5], 3))
    array([7, 7], dtype=int32)
    """


@op(**binary(integral))
def bitwise_xor(x: Tensor, y: Tensor) -> Tensor:
    """Bitwise exclusive or of integers or bools, element-wise.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.bitwise_xor([6, 5], 3))
    array([5, 6], dtype=int32)
    """


@op(**unary(integral))
def bitwise_not(x: Tensor) -> Tensor:
    """All bits inverted, element-wise.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.bitwise_not([0, 5]))
    array([-1, -6], dtype=int32)
    """


@op()
def bitwise_invert(x: Tensor) -> Tensor:
    """The same as `bitwise_not`.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.bitwise_invert([0, 5]))
    array([-1, -6], dtype=int32)
    """
    return bitwise_not(x)


@op(**binary(shift))
def left_shift(x: Tensor, y: Tensor) -> Tensor:
    """Bits of x moved up by y places, element-wise.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.left_shift([1, 3], 2))
    array([ 4, 12], dtype=int32)
    """


@op(**binary(shift))
def right_shift(x: Tensor, y: Tensor) -> Tensor:
    """Bits of x moved down by y places, element-wise; the sign stays.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.right_shift([8, -8], 2))
    array([ 2, -2], dtype=int32)
    """


@op()
def bitwise_left_shift(x: Tensor, y: Tensor) -> Tensor:
    """The same as `left_shift`.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.bitwise_left_shift([1, 3], 2))
    array([ 4, 12], dtype=int32)
    """
    return left_shift(x, y)


@op()
def bitwise_right_shift(x: Tensor, y: Tensor) -> Tensor:
    """The same as `right_shift`.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.bitwise_right_shift([8, -8], 2))
    array([ 2, -2], dtype=int32)
    """
    return right_shift(x, y)


@op(**unary(keep, out="bool"))
def isnan(x: Tensor) -> Tensor:
    """Whether x is NaN, element-wise.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.isnan([1.0, float('inf'), float('nan')]))
    array([False, False,  True])
    """


@op(**unary(keep, out="bool"))
def isinf(x: Tensor) -> Tensor:
    """Whether x is infinite, element-wise.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.isinf([1.0, float('inf'), float('nan')]))
    array([False,  True, False])
    """


@op(**unary(keep, out="bool"))
def isfinite(x: Tensor) -> Tensor:
    """Whether x is neither infinite nor NaN, element-wise.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.isfinite([1.0, float('inf'), float('nan')]))
    array([ True, False, False])
    """


@op(**unary(keep, out="bool"))
def isposinf(x: Tensor) -> Tensor:
    """Whether x is positive infinity, element-wise.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.isposinf([1.0, float('inf'), float('nan')]))
    array([False,  True, False])
    """


@op(**unary(keep, out="bool"))
def isneginf(x: Tensor) -> Tensor:
    """Whether x is negative infinity, element-wise.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.isneginf([1.0, float('inf'), float('nan')]))
    array([False, False, False])
    """


@op()
def isreal(x: Tensor) -> Tensor:
    """Whether the imaginary part is 0, element-wise.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.isreal([1.0, 2.0]))
    array([ True,  True])
    """
    return equal(imag(x), 0)


@op(**unary(keep, out="bool"))
def signbit(x: Tensor) -> Tensor:
    """Whether the sign bit is set, element-wise; true for -0.0.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.signbit([-1.0, -0.0, 0.0]))
    array([ True,  True, False])
    """


@op(dtype={"x1 x2": float_result})
def isclose(
    x1: Tensor,
    x2: Tensor,
    rtol: Tensor = 1e-5,
    atol: Tensor = 1e-8,
    equal_nan: bool = False,
) -> Tensor:
    """Whether |x1 - x2| <= atol + rtol * |x2|, element-wise; equal infinities are close.

    Args:
        x1: tensor.
        x2: tensor that broadcasts with x1; the relative tolerance is of its size.
        rtol: relative tolerance.
        atol: absolute tolerance.
        equal_nan: whether NaN is close to NaN.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.isclose([1.0, float('inf')], [1.0 + 1e-7, float('inf')]))
    array([ True,  True])
    """
    same = equal(x1, x2)
    gap = absolute(subtract(x1, x2))
    near = less_equal(gap, add(atol, multiply(rtol, absolute(x2))))
    # An infinite bound is no reason to call anything close to it.
    close = logical_or(same, logical_and(near, isfinite(x2)))
    if equal_nan:
        close = logical_or(close, logical_and(isnan(x1), isnan(x2)))
    return close


@op()
def nan_to_num(
    x: Tensor,
    nan: float = 0.0,
    posinf: float | None = None,
    neginf: float | None = None,
) -> Tensor:
    """X with NaN and infinities replaced.

    Args:
        x: tensor.
        nan: what stands for NaN.
        posinf: what stands for infinity; None for the largest number of the dtype.
        neginf: what stands for -infinity; None for the smallest number of the dtype.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.nan_to_num([1.0, float('nan')]))
    array([1., 0.], dtype=float32)
    """
    if not dtypes.is_float(dtypes.standardize(x.dtype)):
        return x
    info = ml_dtypes.finfo(dtypes.standardize(x.dtype))
    high = float(info.max) if posinf is None else posinf
    low = float(info.min) if neginf is None else neginf
    x = where(isnan(x), nan, x)
    x = where(isposinf(x), high, x)
    return where(isneginf(x), low, x)


@op(dtype=promote)
def fmax(x1: Tensor, x2: Tensor) -> Tensor:
    """The larger value, element-wise; where one is NaN, the other.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.fmax([1.0, float('nan')], [3.0, 4.0]))
    array([3., 4.], dtype=float32)
    """
    return where(isnan(x1), x2, where(isnan(x2), x1, maximum(x1, x2)))


@op(dtype=promote)
def fmin(x1: Tensor, x2: Tensor) -> Tensor:
    """The smaller value, element-wise; where one is NaN, the other.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.fmin([1.0, float('nan')], [3.0, 4.0]))
    array([1., 4.], dtype=float32)
    """
    return where(isnan(x1), x2, where(isnan(x2), x1, minimum(x1, x2)))
