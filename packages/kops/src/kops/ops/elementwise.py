"""Arithmetic, rounding and choice, element by element."""

from __future__ import annotations

from typing import Any

from kops import dtypes
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

__all__ = ["absolute", "add", "angle", "cbrt", "ceil", "clip", "conjugate", "copy", "divide", "divide_no_nan", "fabs", "floor", "floor_divide", "fmod", "gcd", "imag", "lcm", "maximum", "minimum", "mod", "multiply", "negative", "power", "real", "reciprocal", "round", "rsqrt", "sign", "sqrt", "square", "subtract", "true_divide", "trunc", "where"]

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

    @ absolute([-2.0, 3.0])
    """


@op(**unary(accumulate))
def negative(x: Tensor) -> Tensor:
    """Negated values, element-wise.

    @ negative([1.0, -2.0])
    """


@op(**unary(accumulate))
def sign(x: Tensor) -> Tensor:
    """Sign, element-wise: -1, 0 or 1, and NaN for NaN.

    @ sign([-3.0, 0.0, 5.0])
    """


@op(**unary(accumulate))
def square(x: Tensor) -> Tensor:
    """Square, element-wise.

    @ square([1.0, -2.0])
    """


@op(**unary(float_result))
def sqrt(x: Tensor) -> Tensor:
    """Square root, element-wise; NaN for negative numbers.

    @ sqrt([4.0, 9.0])
    """


@math(**unary(float_result))
def rsqrt(x: Tensor) -> Tensor:
    """1 / sqrt(x), element-wise.

    @ rsqrt([4.0, 16.0])
    """


@op(**unary(float_result))
def cbrt(x: Tensor) -> Tensor:
    """Cube root, element-wise.

    @ cbrt([8.0, -27.0])
    """


@op(**unary(float_result))
def reciprocal(x: Tensor) -> Tensor:
    """1 / x, element-wise.

    @ reciprocal([2.0, 4.0])
    """


@op(**binary(promote))
def add(x1: Tensor, x2: Tensor) -> Tensor:
    """Sum, element-wise; of bools their logical or.

    @ add([1, 2], [3, 4])
    """


@op(**binary(accumulate))
def subtract(x1: Tensor, x2: Tensor) -> Tensor:
    """Difference, element-wise.

    @ subtract([5, 2], [3, 4])
    """


@op(**binary(promote))
def multiply(x1: Tensor, x2: Tensor) -> Tensor:
    """Product, element-wise; of bools their logical and.

    @ multiply([1, 2], [3, 4])
    """


@op(**binary(float_result))
def divide(x1: Tensor, x2: Tensor) -> Tensor:
    """Quotient, element-wise; integers are divided as floats.

    @ divide([3, 4], 2)
    """


@op()
def true_divide(x1: Tensor, x2: Tensor) -> Tensor:
    """The same as `divide`.

    @ true_divide([3, 4], 2)
    """
    return divide(x1, x2)


@op(**binary(float_result))
def divide_no_nan(x1: Tensor, x2: Tensor) -> Tensor:
    """Quotient, element-wise, and 0 (with gradient 0) where the divisor is 0.

    @ divide_no_nan([1.0, 4.0], [0.0, 2.0])
    """


@op(**binary(accumulate))
def floor_divide(x1: Tensor, x2: Tensor) -> Tensor:
    """Quotient rounded down, element-wise.

    @ floor_divide([7, -7], 2)
    """


@op(**binary(accumulate))
def mod(x1: Tensor, x2: Tensor) -> Tensor:
    """Remainder with the sign of the divisor, element-wise.

    @ mod([7, -7], 3)
    """


@op(**binary(accumulate))
def fmod(x1: Tensor, x2: Tensor) -> Tensor:
    """Remainder with the sign of the dividend, element-wise.

    @ fmod([7, -7], 3)
    """


@op(**binary(accumulate))
def power(x1: Tensor, x2: Tensor) -> Tensor:
    """x1 to the power of x2, element-wise.

    @ power([2.0, 3.0], 2)
    """


@op(**binary(promote))
def maximum(x1: Tensor, x2: Tensor) -> Tensor:
    """The larger value, element-wise; NaN where either is NaN.

    @ maximum([1, 5], [3, 4])
    """


@op(**binary(promote))
def minimum(x1: Tensor, x2: Tensor) -> Tensor:
    """The smaller value, element-wise; NaN where either is NaN.

    @ minimum([1, 5], [3, 4])
    """


@op(shape=same_shape, dtype=accumulate)
def clip(x: Tensor, x_min: Any, x_max: Any) -> Tensor:
    """Values limited to [x_min, x_max], element-wise.

    Args:
        x: tensor of any shape; the result has its shape and dtype.
        x_min: lower limit, or None.
        x_max: upper limit, or None.

    @ clip([-1.0, 0.5, 2.0], 0, 1)
    """


@op(**unary(float_result))
def floor(x: Tensor) -> Tensor:
    """The largest whole number not above x, element-wise.

    @ floor([1.7, -1.2])
    """


@op(**unary(float_result))
def ceil(x: Tensor) -> Tensor:
    """The smallest whole number not below x, element-wise.

    @ ceil([1.2, -1.7])
    """


@op(**unary(keep))
def trunc(x: Tensor) -> Tensor:
    """x without its fraction, element-wise.

    @ trunc([1.7, -1.7])
    """


@op(shape=same_shape)
def round(x: Tensor, decimals: int = 0) -> Tensor:
    """x rounded to a number of decimals; halves go to the even neighbour.

    Args:
        x: tensor; integers are returned as they are unless `decimals` is negative.
        decimals: digits to keep after the point; negative ones round to tens, hundreds, ….

    @ round([0.5, 1.5, 2.25], 1)
    """


@op(**binary(integral))
def gcd(x1: Tensor, x2: Tensor) -> Tensor:
    """Greatest common divisor of integers, element-wise.

    @ gcd([12, 18], 8)
    """


@op(**binary(integral))
def lcm(x1: Tensor, x2: Tensor) -> Tensor:
    """Least common multiple of integers, element-wise.

    @ lcm([4, 6], 10)
    """


@op(dtype=float_result)
def fabs(x: Tensor) -> Tensor:
    """Absolute value as a float, element-wise.

    @ fabs([-2, 3])
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

    @ where([True, False], [1, 2], 0)
    """


@op(**unary(keep, out=_real_part))
def real(x: Tensor) -> Tensor:
    """Real part, element-wise.

    @ real([1.0, 2.0])
    """


@op(**unary(keep, out=_real_part))
def imag(x: Tensor) -> Tensor:
    """Imaginary part, element-wise; 0 for real numbers.

    @ imag([1.0, 2.0])
    """


@op(**unary(keep))
def conjugate(x: Tensor) -> Tensor:
    """Complex conjugate, element-wise.

    @ conjugate([1.0, 2.0])
    """


@op(**unary(float_result, out=_real_part))
def angle(x: Tensor) -> Tensor:
    """Angle of a complex number in radians, element-wise.

    @ angle([1.0, 2.0])
    """


@op(**unary(keep))
def copy(x: Tensor) -> Tensor:
    """A tensor of its own with the same values.

    @ copy([1, 2])
    """
