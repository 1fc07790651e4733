"""Element-wise operations: torch's own functions wherever they mean the same."""

from __future__ import annotations

from typing import Any

import torch

__all__ = ["TABLE"]

Tensor = torch.Tensor


def _sign(x: Tensor) -> Tensor:
    # torch.sign(nan) is 0; NumPy's is nan.
    return torch.where(torch.isnan(x), x, torch.sign(x))


def _is_float(x: Tensor) -> bool:
    return x.is_floating_point()


def _cbrt(x: Tensor) -> Tensor:
    return torch.copysign(torch.pow(torch.abs(x), 1 / 3), x)


def _bound(x: Tensor, limit: Any) -> Tensor:
    return torch.as_tensor(limit, device=x.device).to(x.dtype)


def _clip_tensors(x: Tensor, x_min: Any, x_max: Any) -> Tensor:
    if x_min is not None:
        x = torch.maximum(x, _bound(x, x_min))
    return x if x_max is None else torch.minimum(x, _bound(x, x_max))


def _clip(x: Tensor, x_min: Any, x_max: Any) -> Tensor:
    return torch.clamp(x, x_min, x_max)


def _floats_and_scalars(x: Tensor, x_min: Any, x_max: Any) -> bool:
    return x.is_floating_point() and type(x_min) in _SCALARS and type(x_max) in _SCALARS


_SCALARS = frozenset([int, float, type(None)])


def _round(x: Tensor, decimals: int = 0) -> Tensor:
    if x.is_floating_point():
        return torch.round(x, decimals=decimals)
    if decimals >= 0:
        return x
    return torch.round(x.double(), decimals=decimals).to(x.dtype)


def _safe_divide(x1: Tensor, x2: Tensor) -> Tensor:
    # The inner where keeps the division, and with it the gradient, finite.
    zero = x2 == 0
    quotient = torch.div(x1, torch.where(zero, torch.ones_like(x2), x2))
    return torch.where(zero, torch.zeros_like(quotient), quotient)


def _nan_to_num(
    x: Tensor, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None
) -> Tensor:
    return torch.nan_to_num(x, nan, posinf, neginf)


def _isclose(
    x1: Tensor, x2: Tensor, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> Tensor:
    return torch.isclose(x1, x2, float(rtol), float(atol), equal_nan)


def _real(x: Tensor) -> Tensor:
    return torch.real(x)


def _imag(x: Tensor) -> Tensor:
    return torch.imag(x) if x.is_complex() else torch.zeros_like(x)


def _where(condition: Tensor, x1: Any = None, x2: Any = None) -> Any:
    if x1 is None:
        return [i.to(torch.int32) for i in torch.nonzero(condition, as_tuple=True)]
    return torch.where(condition, x1, x2)


TABLE: dict[str, Any] = {
    # arithmetic
    "absolute": torch.abs,
    "add": torch.add,
    "subtract": torch.sub,
    "multiply": torch.mul,
    "divide": torch.div,
    "divide_no_nan": _safe_divide,
    "floor_divide": torch.floor_divide,
    "mod": torch.remainder,
    "fmod": torch.fmod,
    "power": torch.pow,
    "negative": torch.neg,
    "sign": [(_sign, _is_float), torch.sign],
    "square": torch.square,
    "sqrt": torch.sqrt,
    "rsqrt": torch.rsqrt,
    "cbrt": _cbrt,
    "reciprocal": torch.reciprocal,
    "maximum": torch.maximum,
    "minimum": torch.minimum,
    "fmax": torch.fmax,
    "fmin": torch.fmin,
    "where": _where,
    "clip": [(_clip, _floats_and_scalars), _clip_tensors],
    "floor": torch.floor,
    "ceil": torch.ceil,
    "trunc": torch.trunc,
    "round": _round,
    "gcd": torch.gcd,
    "lcm": torch.lcm,
    # exponentials and logarithms
    "exp": torch.exp,
    "exp2": torch.exp2,
    "expm1": torch.expm1,
    "i0": torch.special.i0,
    "log": torch.log,
    "log1p": torch.log1p,
    "log2": torch.log2,
    "log10": torch.log10,
    "logaddexp": torch.logaddexp,
    "logaddexp2": torch.logaddexp2,
    # trigonometry
    "sin": torch.sin,
    "cos": torch.cos,
    "tan": torch.tan,
    "arcsin": torch.arcsin,
    "arccos": torch.arccos,
    "arctan": torch.arctan,
    "arctan2": torch.arctan2,
    "sinh": torch.sinh,
    "cosh": torch.cosh,
    "tanh": torch.tanh,
    "arcsinh": torch.arcsinh,
    "arccosh": torch.arccosh,
    "arctanh": torch.arctanh,
    "hypot": torch.hypot,
    "deg2rad": torch.deg2rad,
    "rad2deg": torch.rad2deg,
    # special functions
    "erf": torch.erf,
    "erfc": torch.erfc,
    "erfinv": torch.erfinv,
    "nextafter": torch.nextafter,
    # predicates and comparisons
    "isnan": torch.isnan,
    "isinf": torch.isinf,
    "isfinite": torch.isfinite,
    "isposinf": torch.isposinf,
    "isneginf": torch.isneginf,
    "isclose": _isclose,
    "signbit": torch.signbit,
    "nan_to_num": _nan_to_num,
    "equal": torch.eq,
    "not_equal": torch.ne,
    "less": torch.lt,
    "less_equal": torch.le,
    "greater": torch.gt,
    "greater_equal": torch.ge,
    # logic and bits
    "logical_and": torch.logical_and,
    "logical_or": torch.logical_or,
    "logical_xor": torch.logical_xor,
    "logical_not": torch.logical_not,
    "bitwise_and": torch.bitwise_and,
    "bitwise_or": torch.bitwise_or,
    "bitwise_xor": torch.bitwise_xor,
    "bitwise_not": torch.bitwise_not,
    "left_shift": torch.bitwise_left_shift,
    "right_shift": torch.bitwise_right_shift,
    # complex parts
    "real": _real,
    "imag": _imag,
    "conjugate": torch.conj,
    "angle": torch.angle,
}
