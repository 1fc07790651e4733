"""Element-wise operations: TensorFlow's own functions wherever they mean the same."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

__all__ = ["TABLE"]

Tensor = tf.Tensor

_BITS = {2: tf.int16, 4: tf.int32, 8: tf.int64}


def _is_bool(x: Tensor, *_: Any) -> bool:
    return x.dtype == tf.bool


def _is_exact(x: Tensor, *_: Any) -> bool:
    return not x.dtype.is_floating


def _false(x: Tensor) -> Tensor:
    return tf.zeros_like(x, tf.bool)


def _true(x: Tensor) -> Tensor:
    return tf.ones_like(x, tf.bool)


def _clip(x: Tensor, x_min: Any, x_max: Any) -> Tensor:
    if x_min is not None:
        x = tf.maximum(x, _bound(x_min, x.dtype))
    return x if x_max is None else tf.minimum(x, _bound(x_max, x.dtype))


def _bound(limit: Any, dtype: tf.DType) -> Tensor:
    return tf.cast(limit, dtype)


def _round(x: Tensor, decimals: int = 0) -> Tensor:
    if decimals == 0:
        return x if x.dtype == tf.bool else tf.round(x)
    if not x.dtype.is_floating:
        if decimals > 0:
            return x
        unit = 10.0**-decimals
        return tf.cast(tf.round(tf.cast(x, tf.float64) / unit) * unit, x.dtype)
    unit = tf.cast(10.0 ** abs(decimals), x.dtype)
    return tf.round(x * unit) / unit if decimals > 0 else tf.round(x / unit) * unit


def _trunc(x: Tensor) -> Tensor:
    return tf.where(x < 0, tf.math.ceil(x), tf.math.floor(x))


def _identity(x: Tensor, *_: Any) -> Tensor:
    return x


def _cbrt(x: Tensor) -> Tensor:
    return tf.sign(x) * tf.pow(tf.abs(x), tf.cast(1 / 3, x.dtype))


def _signbit(x: Tensor) -> Tensor:
    if x.dtype.is_floating:
        return tf.bitcast(x, _BITS[x.dtype.size]) < 0
    return x < 0 if not (x.dtype.is_unsigned or x.dtype.is_bool) else _false(x)


def _isposinf(x: Tensor) -> Tensor:
    return tf.equal(x, tf.constant(float("inf"), x.dtype))


def _isneginf(x: Tensor) -> Tensor:
    return tf.equal(x, tf.constant(float("-inf"), x.dtype))


def _gcd(x1: Tensor, x2: Tensor) -> Tensor:
    x1, x2 = x1 + tf.zeros_like(x2), x2 + tf.zeros_like(x1)

    def step(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
        done = tf.equal(b, 0)
        rest = tf.math.floormod(a, tf.where(done, tf.ones_like(b), b))
        return tf.where(done, a, b), tf.where(done, b, rest)

    a, _ = tf.while_loop(lambda a, b: tf.reduce_any(tf.not_equal(b, 0)), step, (x1, x2))
    return tf.abs(a)


def _lcm(x1: Tensor, x2: Tensor) -> Tensor:
    divisor = _gcd(x1, x2)
    divisor = tf.where(tf.equal(divisor, 0), tf.ones_like(divisor), divisor)
    return tf.abs(x1 * tf.math.floordiv(x2, divisor))


def _imag(x: Tensor) -> Tensor:
    return tf.math.imag(x) if x.dtype.is_complex else tf.zeros_like(x)


def _where(condition: Tensor, x1: Any = None, x2: Any = None) -> Any:
    if x1 is None:
        places = tf.cast(tf.where(condition), tf.int32)
        return tf.unstack(places, num=condition.shape.rank, axis=1)
    return tf.where(condition, x1, x2)


TABLE: dict[str, Any] = {
    # arithmetic
    "absolute": [(_identity, _is_bool), tf.abs],
    "add": [(tf.logical_or, _is_bool), tf.add],
    "subtract": tf.subtract,
    "multiply": [(tf.logical_and, _is_bool), tf.multiply],
    "divide": tf.realdiv,
    "divide_no_nan": tf.math.divide_no_nan,
    "floor_divide": tf.math.floordiv,
    "mod": tf.math.floormod,
    "fmod": tf.truncatemod,
    "power": tf.pow,
    "negative": tf.negative,
    "sign": tf.sign,
    "square": tf.square,
    "sqrt": tf.sqrt,
    "rsqrt": tf.math.rsqrt,
    "cbrt": _cbrt,
    "reciprocal": tf.math.reciprocal,
    "maximum": [(tf.logical_or, _is_bool), tf.maximum],
    "minimum": [(tf.logical_and, _is_bool), tf.minimum],
    "where": _where,
    "clip": _clip,
    "floor": tf.floor,
    "ceil": tf.math.ceil,
    "trunc": [(_identity, _is_exact), _trunc],
    "round": _round,
    "gcd": _gcd,
    "lcm": _lcm,
    # exponentials and logarithms
    "exp": tf.exp,
    "expm1": tf.math.expm1,
    "i0": tf.math.bessel_i0,
    "log": tf.math.log,
    "log1p": tf.math.log1p,
    # trigonometry
    "sin": tf.sin,
    "cos": tf.cos,
    "tan": tf.tan,
    "arcsin": tf.asin,
    "arccos": tf.acos,
    "arctan": tf.atan,
    "arctan2": tf.math.atan2,
    "sinh": tf.sinh,
    "cosh": tf.cosh,
    "tanh": tf.tanh,
    "arcsinh": tf.asinh,
    "arccosh": tf.acosh,
    "arctanh": tf.atanh,
    # special functions
    "erf": tf.math.erf,
    "erfc": tf.math.erfc,
    "erfinv": tf.math.erfinv,
    "nextafter": tf.math.nextafter,
    # predicates and comparisons
    "isnan": [(_false, _is_exact), tf.math.is_nan],
    "isinf": [(_false, _is_exact), tf.math.is_inf],
    "isfinite": [(_true, _is_exact), tf.math.is_finite],
    "isposinf": [(_false, _is_exact), _isposinf],
    "isneginf": [(_false, _is_exact), _isneginf],
    "signbit": _signbit,
    "equal": tf.equal,
    "not_equal": tf.not_equal,
    "less": tf.less,
    "less_equal": tf.less_equal,
    "greater": tf.greater,
    "greater_equal": tf.greater_equal,
    # logic and bits
    "logical_and": tf.logical_and,
    "logical_or": tf.logical_or,
    "logical_xor": tf.math.logical_xor,
    "logical_not": tf.logical_not,
    "bitwise_and": [(tf.logical_and, _is_bool), tf.bitwise.bitwise_and],
    "bitwise_or": [(tf.logical_or, _is_bool), tf.bitwise.bitwise_or],
    "bitwise_xor": [(tf.math.logical_xor, _is_bool), tf.bitwise.bitwise_xor],
    "bitwise_not": [(tf.logical_not, _is_bool), tf.bitwise.invert],
    "left_shift": tf.bitwise.left_shift,
    "right_shift": tf.bitwise.right_shift,
    # complex parts
    "real": tf.math.real,
    "imag": _imag,
    "conjugate": tf.math.conj,
    "angle": tf.math.angle,
}
