"""Element-wise operations: `jax.numpy`'s own functions wherever they mean the same."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

__all__ = ["TABLE"]

Array = jax.Array


def _round(x: Array, decimals: int = 0) -> Array:
    if jnp.issubdtype(x.dtype, jnp.inexact):
        return jnp.round(x, decimals)
    if decimals >= 0:
        return x
    unit = 10**-decimals
    return (jnp.round(x / unit) * unit).astype(x.dtype)


def _clip(x: Array, x_min: Any, x_max: Any) -> Array:
    if x_min is not None:
        x = jnp.maximum(x, jnp.asarray(x_min).astype(x.dtype))
    return x if x_max is None else jnp.minimum(x, jnp.asarray(x_max).astype(x.dtype))


def _safe_divide(x1: Array, x2: Array) -> Array:
    # The inner where keeps the division, and with it the gradient, finite.
    zero = x2 == 0
    return jnp.where(zero, 0, jnp.divide(x1, jnp.where(zero, 1, x2)))


def _nan_to_num(
    x: Array, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None
) -> Array:
    return jnp.nan_to_num(x, nan=nan, posinf=posinf, neginf=neginf)


def _where(condition: Array, x1: Any = None, x2: Any = None) -> Any:
    if x1 is None:
        return [i.astype(jnp.int32) for i in jnp.nonzero(condition)]
    return jnp.where(condition, x1, x2)


TABLE: dict[str, Any] = {
    # arithmetic
    "absolute": jnp.absolute,
    "add": jnp.add,
    "subtract": jnp.subtract,
    "multiply": jnp.multiply,
    "divide": jnp.divide,
    "divide_no_nan": _safe_divide,
    "floor_divide": jnp.floor_divide,
    "mod": jnp.remainder,
    "fmod": jnp.fmod,
    "power": jnp.power,
    "negative": jnp.negative,
    "sign": jnp.sign,
    "square": jnp.square,
    "sqrt": jnp.sqrt,
    "rsqrt": jax.lax.rsqrt,
    "cbrt": jnp.cbrt,
    "reciprocal": jnp.reciprocal,
    "maximum": jnp.maximum,
    "minimum": jnp.minimum,
    "fmax": jnp.fmax,
    "fmin": jnp.fmin,
    "where": _where,
    "clip": _clip,
    "floor": jnp.floor,
    "ceil": jnp.ceil,
    "trunc": jnp.trunc,
    "round": _round,
    "gcd": jnp.gcd,
    "lcm": jnp.lcm,
    # exponentials and logarithms
    "exp": jnp.exp,
    "exp2": jnp.exp2,
    "expm1": jnp.expm1,
    "i0": jax.scipy.special.i0,
    "log": jnp.log,
    "log1p": jnp.log1p,
    "log2": jnp.log2,
    "log10": jnp.log10,
    "logaddexp": jnp.logaddexp,
    "logaddexp2": jnp.logaddexp2,
    # trigonometry
    "sin": jnp.sin,
    "cos": jnp.cos,
    "tan": jnp.tan,
    "arcsin": jnp.arcsin,
    "arccos": jnp.arccos,
    "arctan": jnp.arctan,
    "arctan2": jnp.arctan2,
    "sinh": jnp.sinh,
    "cosh": jnp.cosh,
    "tanh": jnp.tanh,
    "arcsinh": jnp.arcsinh,
    "arccosh": jnp.arccosh,
    "arctanh": jnp.arctanh,
    "hypot": jnp.hypot,
    "deg2rad": jnp.deg2rad,
    "rad2deg": jnp.rad2deg,
    # special functions
    "erf": jax.scipy.special.erf,
    "erfc": jax.scipy.special.erfc,
    "erfinv": jax.scipy.special.erfinv,
    "heaviside": jnp.heaviside,
    "nextafter": jnp.nextafter,
    # predicates and comparisons
    "isnan": jnp.isnan,
    "isinf": jnp.isinf,
    "isfinite": jnp.isfinite,
    "isposinf": jnp.isposinf,
    "isneginf": jnp.isneginf,
    "isclose": jnp.isclose,
    "signbit": jnp.signbit,
    "nan_to_num": _nan_to_num,
    "equal": jnp.equal,
    "not_equal": jnp.not_equal,
    "less": jnp.less,
    "less_equal": jnp.less_equal,
    "greater": jnp.greater,
    "greater_equal": jnp.greater_equal,
    # logic and bits
    "logical_and": jnp.logical_and,
    "logical_or": jnp.logical_or,
    "logical_xor": jnp.logical_xor,
    "logical_not": jnp.logical_not,
    "bitwise_and": jnp.bitwise_and,
    "bitwise_or": jnp.bitwise_or,
    "bitwise_xor": jnp.bitwise_xor,
    "bitwise_not": jnp.bitwise_not,
    "left_shift": jnp.left_shift,
    "right_shift": jnp.right_shift,
    # complex parts
    "real": jnp.real,
    "imag": jnp.imag,
    "conjugate": jnp.conjugate,
    "angle": jnp.angle,
}
