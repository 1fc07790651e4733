"""Exponentials, logarithms, trigonometry and special functions."""

from __future__ import annotations

import math

from kops.op import Tensor, op_family
from kops.ops.comparison import equal, greater, isinf, isnan, less, logical_or
from kops.ops.core import cast
from kops.ops.elementwise import (
    absolute,
    add,
    divide,
    maximum,
    multiply,
    negative,
    power,
    sqrt,
    square,
    subtract,
    where,
)
from kops.specs import binary, float_result, unary

__all__ = [
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "cos",
    "cosh",
    "deg2rad",
    "erf",
    "erfc",
    "erfinv",
    "exp",
    "exp2",
    "expm1",
    "heaviside",
    "hypot",
    "i0",
    "ldexp",
    "log",
    "log1p",
    "log2",
    "log10",
    "logaddexp",
    "logaddexp2",
    "nextafter",
    "rad2deg",
    "sin",
    "sinc",
    "sinh",
    "tan",
    "tanh",
]

op = op_family("numpy")
maths = op_family("math")


@op(**unary(float_result))
def exp(x: Tensor) -> Tensor:
    """E to the power of x, element-wise.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.exp([0.0, 1.0])).round(4)
    array([1.    , 2.7183], dtype=float32)
    """


@op(**unary(float_result))
def expm1(x: Tensor) -> Tensor:
    """exp(x) - 1, exact for small x, element-wise.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.expm1([0.0, 1e-8])).round(4)
    array([0., 0.], dtype=float32)
    """


@op(**unary(float_result))
def i0(x: Tensor) -> Tensor:
    """Modified Bessel function of the first kind, of order 0, element-wise.

    Source: Abramowitz and Stegun, "Handbook of Mathematical Functions", 9.6.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.i0([0.0, 1.0])).round(4)
    array([1.    , 1.2661], dtype=float32)
    """


@op(**unary(float_result))
def log(x: Tensor) -> Tensor:
    """Natural logarithm, element-wise.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.log([1.0, 2.0])).round(4)
    array([0.    , 0.6931], dtype=float32)
    """


@op(**unary(float_result))
def log1p(x: Tensor) -> Tensor:
    """log(1 + x), exact for small x, element-wise.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.log1p([0.0, 1e-8])).round(4)
    array([0., 0.], dtype=float32)
    """


@op(**unary(float_result))
def sin(x: Tensor) -> Tensor:
    """Sine of an angle in radians, element-wise.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.sin([0.0, 1.0])).round(4)
    array([0.    , 0.8415], dtype=float32)
    """


@op(**unary(float_result))
def cos(x: Tensor) -> Tensor:
    """Cosine of an angle in radians, element-wise.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.cos([0.0, 1.0])).round(4)
    array([1.    , 0.5403], dtype=float32)
    """


@op(**unary(float_result))
def tan(x: Tensor) -> Tensor:
    """Tangent of an angle in radians, element-wise.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.tan([0.0, 1.0])).round(4)
    array([0.    , 1.5574], dtype=float32)
    """


@op(**unary(float_result))
def arcsin(x: Tensor) -> Tensor:
    """Inverse sine in radians, element-wise.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.arcsin([0.0, 1.0])).round(4)
    array([0.    , 1.5708], dtype=float32)
    """


@op(**unary(float_result))
def arccos(x: Tensor) -> Tensor:
    """Inverse cosine in radians, element-wise.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.arccos([1.0, 0.5])).round(4)
    array([0.    , 1.0472], dtype=float32)
    """


@op(**unary(float_result))
def arctan(x: Tensor) -> Tensor:
    """Inverse tangent in radians, element-wise.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.arctan([0.0, 1.0])).round(4)
    array([0.    , 0.7854], dtype=float32)
    """


@op(**unary(float_result))
def sinh(x: Tensor) -> Tensor:
    """Hyperbolic sine, element-wise.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.sinh([0.0, 1.0])).round(4)
    array([0.    , 1.1752], dtype=float32)
    """


@op(**unary(float_result))
def cosh(x: Tensor) -> Tensor:
    """Hyperbolic cosine, element-wise.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.cosh([0.0, 1.0])).round(4)
    array([1.    , 1.5431], dtype=float32)
    """


@op(**unary(float_result))
def tanh(x: Tensor) -> Tensor:
    """Hyperbolic tangent, element-wise.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.tanh([0.0, 1.0])).round(4)
    array([0.    , 0.7616], dtype=float32)
    """


@op(**unary(float_result))
def arcsinh(x: Tensor) -> Tensor:
    """Inverse hyperbolic sine, element-wise.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.arcsinh([0.0, 1.0])).round(4)
    array([0.    , 0.8814], dtype=float32)
    """


@op(**unary(float_result))
def arccosh(x: Tensor) -> Tensor:
    """Inverse hyperbolic cosine, element-wise.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.arccosh([1.0, 2.0])).round(4)
    array([0.   , 1.317], dtype=float32)
    """


@op(**unary(float_result))
def arctanh(x: Tensor) -> Tensor:
    """Inverse hyperbolic tangent, element-wise.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.arctanh([0.0, 0.5])).round(4)
    array([0.    , 0.5493], dtype=float32)
    """


@op(dtype=float_result)
def exp2(x: Tensor) -> Tensor:
    """2 to the power of x, element-wise.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.exp2([1.0, 3.0]))
    array([2., 8.], dtype=float32)
    """
    return exp(multiply(x, math.log(2.0)))


@op(dtype=float_result)
def log2(x: Tensor) -> Tensor:
    """Logarithm to the base 2, element-wise.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.log2([1.0, 8.0]))
    array([0., 3.], dtype=float32)
    """
    return divide(log(x), math.log(2.0))


@op(dtype=float_result)
def log10(x: Tensor) -> Tensor:
    """Logarithm to the base 10, element-wise.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.log10([1.0, 100.0]))
    array([0., 2.], dtype=float32)
    """
    return divide(log(x), math.log(10.0))


@op(**binary(float_result))
def arctan2(x1: Tensor, x2: Tensor) -> Tensor:
    """Angle in radians of the point (x2, x1), element-wise.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.arctan2([1.0, -1.0], [1.0, 1.0])).round(4)
    array([ 0.7854, -0.7854], dtype=float32)
    """


@op(dtype=float_result)
def hypot(x1: Tensor, x2: Tensor) -> Tensor:
    """sqrt(x1**2 + x2**2) without overflow, element-wise.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.hypot([3.0, 5.0], [4.0, 12.0])).round(4)
    array([ 5., 13.], dtype=float32)
    """
    large = maximum(absolute(x1), absolute(x2))
    safe = where(logical_or(equal(large, 0), isinf(large)), 1, large)
    length = multiply(safe, sqrt(add(square(divide(x1, safe)), square(divide(x2, safe)))))
    return where(isinf(large), large, length)


@op(dtype=float_result)
def logaddexp(x1: Tensor, x2: Tensor) -> Tensor:
    """log(exp(x1) + exp(x2)) without overflow, element-wise.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.logaddexp([0.0, 1000.0], [0.0, 1000.0])).round(4)
    array([6.9309998e-01, 1.0006932e+03], dtype=float32)
    """
    large = maximum(x1, x2)
    gap = subtract(x1, x2)
    # Equal infinities have no difference to speak of.
    total = add(large, log1p(exp(negative(absolute(gap)))))
    return where(isnan(gap), add(x1, x2), total)


@op(dtype=float_result)
def logaddexp2(x1: Tensor, x2: Tensor) -> Tensor:
    """log2(2**x1 + 2**x2) without overflow, element-wise.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.logaddexp2([0.0, 3.0], [0.0, 3.0]))
    array([1., 4.], dtype=float32)
    """
    scale = math.log(2.0)
    return divide(logaddexp(multiply(x1, scale), multiply(x2, scale)), scale)


@op(dtype=float_result)
def deg2rad(x: Tensor) -> Tensor:
    """Degrees in radians, element-wise.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.deg2rad([0.0, 180.0])).round(4)
    array([0.    , 3.1416], dtype=float32)
    """
    return multiply(x, math.pi / 180)


@op(dtype=float_result)
def rad2deg(x: Tensor) -> Tensor:
    """Radians in degrees, element-wise.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.rad2deg([0.0, 1.5])).round(2)
    array([ 0.  , 85.94], dtype=float32)
    """
    return multiply(x, 180 / math.pi)


@op(dtype=float_result)
def sinc(x: Tensor) -> Tensor:
    """sin(pi x) / (pi x), and 1 at 0, element-wise.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.sinc([0.0, 0.5])).round(4)
    array([1.    , 0.6366], dtype=float32)
    """
    zero = equal(x, 0)
    angle = multiply(where(zero, 1, x), math.pi)
    return where(zero, 1, divide(sin(angle), angle))


@op(dtype=float_result)
def heaviside(x1: Tensor, x2: Tensor) -> Tensor:
    """Step function: 0 below 0, 1 above it, and x2 at 0, element-wise.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.heaviside([-1.0, 0.0, 2.0], 0.5))
    array([0. , 0.5, 1. ], dtype=float32)
    """
    step = where(greater(x1, 0), 1, where(less(x1, 0), 0, x2))
    return where(isnan(x1), x1, step)


@op(dtype={"x1": float_result})
def ldexp(x1: Tensor, x2: Tensor) -> Tensor:
    """x1 * 2**x2, element-wise.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.ldexp([1.0, 3.0], [2, 1]))
    array([4., 6.], dtype=float32)
    """
    return multiply(x1, power(2.0, cast(x2, x1.dtype)))


@maths(**unary(float_result))
def erf(x: Tensor) -> Tensor:
    """Error function, element-wise (DLMF 7.2.1).

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.erf([0.0, 1.0])).round(4)
    array([0.    , 0.8427], dtype=float32)
    """


@maths(**unary(float_result))
def erfc(x: Tensor) -> Tensor:
    """1 - erf(x), exact in the tail, element-wise (DLMF 7.2.2).

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.erfc([0.0, 1.0])).round(4)
    array([1.    , 0.1573], dtype=float32)
    """


@maths(**unary(float_result))
def erfinv(x: Tensor) -> Tensor:
    """The x with erf(x) = y, element-wise; NaN outside [-1, 1].

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.erfinv([0.0, 0.5])).round(4)
    array([0.    , 0.4769], dtype=float32)
    """


@op(**binary(float_result))
def nextafter(x1: Tensor, x2: Tensor) -> Tensor:
    """The number after x1 in the direction of x2, element-wise.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.nextafter([1.0], [2.0])).round(4)
    array([1.], dtype=float32)
    """
