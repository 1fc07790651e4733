"""Element-wise operations: NumPy's own ufuncs wherever they mean the same."""

from __future__ import annotations

from typing import Any

import numpy as np

from kops.backends.numpy import special

__all__ = ["TABLE"]

Array = np.ndarray


def _rsqrt(x: Array) -> Array:
    return np.reciprocal(np.sqrt(x))


def _clip(x: Array, x_min: Any, x_max: Any) -> Array:
    # Two ufuncs, because np.clip turns bfloat16 into float32.
    if x_min is not None:
        x = np.maximum(x, np.asarray(x_min, x.dtype))
    return x if x_max is None else np.minimum(x, np.asarray(x_max, x.dtype))


def _round(x: Array, decimals: int = 0) -> Array:
    if decimals == 0:
        return x if x.dtype.kind in "iub" else np.rint(x)
    return np.round(x, decimals).astype(x.dtype, copy=False)


def _safe_divide(x1: Array, x2: Array) -> Array:
    zero = x2 == 0
    return np.where(zero, x1.dtype.type(0), np.divide(x1, np.where(zero, x1.dtype.type(1), x2)))


def _isclose(x1: Array, x2: Array, rtol: float, atol: float, equal_nan: bool = False) -> Array:
    return np.isclose(x1, x2, rtol, atol, equal_nan)


def _nan_to_num(
    x: Array, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None
) -> Array:
    return np.nan_to_num(x, nan=nan, posinf=posinf, neginf=neginf)


def _where(condition: Array, x1: Any = None, x2: Any = None) -> Any:
    if x1 is None:
        return [i.astype(np.int32) for i in np.nonzero(condition)]
    return np.where(condition, x1, x2)


TABLE: dict[str, Any] = {
    # arithmetic
    "absolute": np.absolute,
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "divide": np.divide,
    "divide_no_nan": _safe_divide,
    "floor_divide": np.floor_divide,
    "mod": np.remainder,
    "fmod": np.fmod,
    "power": np.power,
    "negative": np.negative,
    "sign": np.sign,
    "square": np.square,
    "sqrt": np.sqrt,
    "rsqrt": _rsqrt,
    "cbrt": np.cbrt,
    "reciprocal": np.reciprocal,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "fmax": np.fmax,
    "fmin": np.fmin,
    "where": _where,
    "clip": _clip,
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
    "round": _round,
    "gcd": np.gcd,
    "lcm": np.lcm,
    # exponentials and logarithms
    "exp": np.exp,
    "exp2": np.exp2,
    "expm1": np.expm1,
    "i0": lambda x: np.i0(x).astype(x.dtype),
    "log": np.log,
    "log1p": np.log1p,
    "log2": np.log2,
    "log10": np.log10,
    "logaddexp": np.logaddexp,
    "logaddexp2": np.logaddexp2,
    # trigonometry
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "arcsin": np.arcsin,
    "arccos": np.arccos,
    "arctan": np.arctan,
    "arctan2": np.arctan2,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "arcsinh": np.arcsinh,
    "arccosh": np.arccosh,
    "arctanh": np.arctanh,
    "hypot": np.hypot,
    "deg2rad": np.deg2rad,
    "rad2deg": np.rad2deg,
    # special functions
    "erf": special.erf,
    "erfc": special.erfc,
    "erfinv": special.erfinv,
    "heaviside": np.heaviside,
    "nextafter": np.nextafter,
    # predicates and comparisons
    "isnan": np.isnan,
    "isinf": np.isinf,
    "isfinite": np.isfinite,
    "isposinf": np.isposinf,
    "isneginf": np.isneginf,
    "isclose": _isclose,
    "signbit": np.signbit,
    "nan_to_num": _nan_to_num,
    "equal": np.equal,
    "not_equal": np.not_equal,
    "less": np.less,
    "less_equal": np.less_equal,
    "greater": np.greater,
    "greater_equal": np.greater_equal,
    # logic and bits
    "logical_and": np.logical_and,
    "logical_or": np.logical_or,
    "logical_xor": np.logical_xor,
    "logical_not": np.logical_not,
    "bitwise_and": np.bitwise_and,
    "bitwise_or": np.bitwise_or,
    "bitwise_xor": np.bitwise_xor,
    "bitwise_not": np.invert,
    "left_shift": np.left_shift,
    "right_shift": np.right_shift,
    # complex parts
    "real": np.real,
    "imag": np.imag,
    "conjugate": np.conjugate,
    "angle": np.angle,
}
