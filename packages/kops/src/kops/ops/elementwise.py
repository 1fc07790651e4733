"""Arithmetic, rounding and choice, element by element."""

from __future__ import annotations

from typing import Any

from kops.dim import Dim
from kops.keras_tensor import KerasTensor
from kops.op import Tensor, op_family
from kops.specs import (
    accumulate,
    binary,
    broadcast_dims,
    float_result,
    integral,
    keep,
    promote,
    same_shape,
    unary,
)

__all__ = [
    "absolute",
    "add",
    "angle",
    "cbrt",
    "ceil",
    "clip",
    "conjugate",
    "copy",
    "divide",
    "divide_no_nan",
    "fabs",
    "floor",
    "floor_divide",
    "fmod",
    "gcd",
    "imag",
    "lcm",
    "maximum",
    "minimum",
    "mod",
    "multiply",
    "negative",
    "power",
    "real",
    "reciprocal",
    "round",
    "rsqrt",
    "sign",
    "sqrt",
    "square",
    "subtract",
    "true_divide",
    "trunc",
    "where",
]

op = op_family("numpy")
math = op_family("math")

_REAL = {"complex64": "float32", "complex128": "float64"}


def _real_part(x: KerasTensor) -> str:
    return _REAL.get(x.dtype, x.dtype)


def _where_shape(condition: KerasTensor, x1: Any, x2: Any) -> Any:
    if x1 is None and x2 is None:
        n = Dim()
        return [(n,)] * condition.ndim
    if x1 is None or x2 is None:
        raise ValueError("`where` takes both x1 and x2, or neither.")
    return broadcast_dims(condition.dims, x1.dims, x2.dims)


def _where_dtype(condition: KerasTensor, x1: Any, x2: Any) -> str:
    return "int32" if x1 is None else x1.dtype


@op(**unary(keep))
def absolute(x: Tensor) -> Tensor:
    """Absolute value, element-wise.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.absolute([-2.0, 3.0]))
    array([2., 3.], dtype=float32)
    """


@op(**unary(accumulate))
def negative(x: Tensor) -> Tensor:
    """Negated values, element-wise.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.negative([1.0, -2.0]))
    array([-1.,  2.], dtype=float32)
    """


@op(**unary(accumulate))
def sign(x: Tensor) -> Tensor:
    """Sign, element-wise: -1, 0 or 1, and NaN for NaN.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.sign([-3.0, 0.0, 5.0]))
    array([-1.,  0.,  1.], dtype=float32)
    """


@op(**unary(accumulate))
def square(x: Tensor) -> Tensor:
    """Square, element-wise.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.square([1.0, -2.0]))
    array([1., 4.], dtype=float32)
    """


@op(**unary(float_result))
def sqrt(x: Tensor) -> Tensor:
    """Square root, element-wise; NaN for negative numbers.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.sqrt([4.0, 9.0]))
    array([2., 3.], dtype=float32)
    """


@math(**unary(float_result))
def rsqrt(x: Tensor) -> Tensor:
    """1 / sqrt(x), element-wise.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.rsqrt([4.0, 16.0]))
    array([0.5 , 0.25], dtype=float32)
    """


@op(**unary(float_result))
def cbrt(x: Tensor) -> Tensor:
    """Cube root, element-wise.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.cbrt([8.0, -27.0]))
    array([ 2., -3.], dtype=float32)
    """


@op(**unary(float_result))
def reciprocal(x: Tensor) -> Tensor:
    """1 / x, element-wise.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.reciprocal([2.0, 4.0]))
    array([0.5 , 0.25], dtype=float32)
    """


@op(**binary(promote))
def add(x1: Tensor, x2: Tensor) -> Tensor:
    """Sum, element-wise; of bools their logical or.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.add([1, 2], [3, 4]))
    array([4, 6], dtype=int32)
    """


@op(**binary(accumulate))
def subtract(x1: Tensor, x2: Tensor) -> Tensor:
    """Difference, element-wise.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.subtract([5, 2], [3, 4]))
    array([ 2, -2], dtype=int32)
    """


@op(**binary(promote))
def multiply(x1: Tensor, x2: Tensor) -> Tensor:
    """Product, element-wise; of bools their logical and.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.multiply([1, 2], [3, 4]))
    array([3, 8], dtype=int32)
    """


@op(**binary(float_result))
def divide(x1: Tensor, x2: Tensor) -> Tensor:
    """Quotient, element-wise; integers are divided as floats.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.divide([3, 4], 2))
    array([1.5, 2. ], dtype=float32)
    """


@op()
def true_divide(x1: Tensor, x2: Tensor) -> Tensor:
    """The same as `divide`.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.true_divide([3, 4], 2))
    array([1.5, 2. ], dtype=float32)
    """
    return divide(x1, x2)


@op(**binary(float_result))
def divide_no_nan(x1: Tensor, x2: Tensor) -> Tensor:
    """Quotient, element-wise, and 0 (with gradient 0) where the divisor is 0.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.divide_no_nan([1.0, 4.0], [0.0, 2.0]))
    array([0., 2.], dtype=float32)
    """


@op(**binary(accumulate))
def floor_divide(x1: Tensor, x2: Tensor) -> Tensor:
    """Quotient rounded down, element-wise.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.floor_divide([7, -7], 2))
    array([ 3, -4], dtype=int32)
    """


@op(**binary(accumulate))
def mod(x1: Tensor, x2: Tensor) -> Tensor:
    """Remainder with the sign of the divisor, element-wise.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.mod([7, -7], 3))
    array([1, 2], dtype=int32)
    """


@op(**binary(accumulate))
def fmod(x1: Tensor, x2: Tensor) -> Tensor:
    """Remainder with the sign of the dividend, element-wise.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.fmod([7, -7], 3))
    array([ 1, -1], dtype=int32)
    """


@op(**binary(accumulate))
def power(x1: Tensor, x2: Tensor) -> Tensor:
    """x1 to the power of x2, element-wise.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.power([2.0, 3.0], 2))
    array([4., 9.], dtype=float32)
    """


@op(**binary(promote))
def maximum(x1: Tensor, x2: Tensor) -> Tensor:
    """The larger value, element-wise; NaN where either is NaN.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.maximum([1, 5], [3, 4]))
    array([3, 5], dtype=int32)
    """


@op(**binary(promote))
def minimum(x1: Tensor, x2: Tensor) -> Tensor:
    """The smaller value, element-wise; NaN where either is NaN.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.minimum([1, 5], [3, 4]))
    array([1, 4], dtype=int32)
    """


@op(shape=same_shape, dtype=accumulate)
def clip(x: Tensor, x_min: Any, x_max: Any) -> Tensor:
    """Values limited to [x_min, x_max], element-wise.

    Args:
        x: tensor of any shape; the result has its shape and dtype.
        x_min: lower limit, or None.
        x_max: upper limit, or None.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.clip([-1.0, 0.5, 2.0], 0, 1))
    array([0. , 0.5, 1. ], dtype=float32)
    """


@op(**unary(float_result))
def floor(x: Tensor) -> Tensor:
    """The largest whole number not above x, element-wise.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.floor([1.7, -1.2]))
    array([ 1., -2.], dtype=float32)
    """


@op(**unary(float_result))
def ceil(x: Tensor) -> Tensor:
    """The smallest whole number not below x, element-wise.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.ceil([1.2, -1.7]))
    array([ 2., -1.], dtype=float32)
    """


@op(**unary(keep))
def trunc(x: Tensor) -> Tensor:
    """X without its fraction, element-wise.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.trunc([1.7, -1.7]))
    array([ 1., -1.], dtype=float32)
    """


@op(shape=same_shape)
def round(x: Tensor, decimals: int = 0) -> Tensor:
    """X rounded to a number of decimals; halves go to the even neighbour.

    Args:
        x: tensor; integers are returned as they are unless `decimals` is negative.
        decimals: digits to keep after the point; negative ones round to tens, hundreds, ….

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.round([0.5, 1.5, 2.25], 1)).round(4)
    array([0.5, 1.5, 2.2], dtype=float32)
    """


@op(**binary(integral))
def gcd(x1: Tensor, x2: Tensor) -> Tensor:
    """Greatest common divisor of integers, element-wise.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.gcd([12, 18], 8))
    array([4, 2], dtype=int32)
    """


@op(**binary(integral))
def lcm(x1: Tensor, x2: Tensor) -> Tensor:
    """Least common multiple of integers, element-wise.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.lcm([4, 6], 10))
    array([20, 30], dtype=int32)
    """


@op(dtype=float_result)
def fabs(x: Tensor) -> Tensor:
    """Absolute value as a float, element-wise.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.fabs([-2, 3]))
    array([2., 3.], dtype=float32)
    """
    return absolute(x)


@op(shape=_where_shape, dtype={"condition": "bool", "x1 x2": promote}, out=_where_dtype)
def where(condition: Tensor, x1: Tensor = None, x2: Tensor = None) -> Any:
    """x1 where the condition holds, else x2; all three broadcast.

    Args:
        condition: tensor of bools (numbers count as true unless 0).
        x1: values where the condition holds.
        x2: values elsewhere.

    Returns:
        A tensor of the broadcast shape. Without x1 and x2, the indices of the true elements,
        one tensor per axis, as `nonzero` gives them.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.where([True, False], [1, 2], 0))
    array([1, 0], dtype=int32)
    """


@op(**unary(keep, out=_real_part))
def real(x: Tensor) -> Tensor:
    """Real part, element-wise.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.real([1.0, 2.0]))
    array([1., 2.], dtype=float32)
    """


@op(**unary(keep, out=_real_part))
def imag(x: Tensor) -> Tensor:
    """Imaginary part, element-wise; 0 for real numbers.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.imag([1.0, 2.0]))
    array([0., 0.], dtype=float32)
    """


@op(**unary(keep))
def conjugate(x: Tensor) -> Tensor:
    """Complex conjugate, element-wise.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.conjugate([1.0, 2.0]))
    array([1., 2.], dtype=float32)
    """


@op(**unary(float_result, out=_real_part))
def angle(x: Tensor) -> Tensor:
    """Angle of a complex number in radians, element-wise.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.angle([1.0, 2.0]))
    array([0., 0.], dtype=float32)
    """


@op(**unary(keep))
def copy(x: Tensor) -> Tensor:
    """A tensor of its own with the same values.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.copy([1, 2]))
    array([1, 2], dtype=int32)
    """
