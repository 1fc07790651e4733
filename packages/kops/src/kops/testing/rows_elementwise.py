"""Rows of the element-wise ops."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from kops.testing.rows import ErrorCase, Row, Sample, array, booleans, integers, positive, register

_FLOATS = ("float32", "float16", "bfloat16")
_BROADCAST = ErrorCase((array(2, 3), array(4, 3)), match="broadcast")

_FRACTIONS = ErrorCase((array(3), array(3)), error=TypeError, match="[Ii]nteger")

_erf = np.vectorize(math.erf, otypes=["float64"])
_erfc = np.vectorize(math.erfc, otypes=["float64"])


def _special(*values: float) -> np.ndarray:
    return np.asarray(values, "float32")


_EDGES = _special(0.0, -0.0, 1.0, math.inf, -math.inf, math.nan)


def _quiet(fn: Callable[..., Any]) -> Callable[..., Any]:
    def run(*args: Any, **kwargs: Any) -> Any:
        with np.errstate(all="ignore"):
            return fn(*args, **kwargs)

    return run


def _unary(name: str, fn: Any, *samples: Any, smooth: bool = True, **kwargs: Any) -> Row:
    return Row(
        name,
        samples=[s if isinstance(s, Sample) else Sample(s) for s in samples],
        reference=_quiet(fn),
        dtypes=kwargs.pop("dtypes", _FLOATS),
        differentiable=smooth,
        **kwargs,
    )


def _binary(name: str, fn: Any, *samples: Sample, smooth: bool = True, **kwargs: Any) -> Row:
    return Row(
        name,
        samples=samples,
        reference=_quiet(fn),
        errors=kwargs.pop("errors", [_BROADCAST]),
        dtypes=kwargs.pop("dtypes", _FLOATS),
        differentiable=smooth,
        **kwargs,
    )


_anywhere = array(3, 4)
_inside = array(3, 4, low=-0.8, high=0.8)
_above = positive(3, 4)
_empty = array(0, 3)
_whole = integers(3, 4, low=-5, high=6)

_FLOAT_UNARY: dict[str, tuple[Any, np.ndarray]] = {
    "sqrt": (np.sqrt, _above),
    "rsqrt": (lambda x: 1 / np.sqrt(x), _above),
    "cbrt": (np.cbrt, _above),
    "reciprocal": (lambda x: 1 / np.asarray(x, "float64"), _above),
    "exp": (np.exp, _anywhere),
    "exp2": (np.exp2, _anywhere),
    "expm1": (np.expm1, _anywhere),
    "i0": (np.i0, _anywhere),
    "log": (np.log, _above),
    "log1p": (np.log1p, _above),
    "log2": (np.log2, _above),
    "log10": (np.log10, _above),
    "sin": (np.sin, _anywhere),
    "cos": (np.cos, _anywhere),
    "tan": (np.tan, _inside),
    "arcsin": (np.arcsin, _inside),
    "arccos": (np.arccos, _inside),
    "arctan": (np.arctan, _anywhere),
    "sinh": (np.sinh, _anywhere),
    "cosh": (np.cosh, _anywhere),
    "tanh": (np.tanh, _anywhere),
    "arcsinh": (np.arcsinh, _anywhere),
    "arccosh": (np.arccosh, positive(3, 4, low=1.2)),
    "arctanh": (np.arctanh, _inside),
    "deg2rad": (np.deg2rad, _anywhere),
    "rad2deg": (np.rad2deg, _anywhere),
    "sinc": (np.sinc, _inside),
    "erf": (_erf, _anywhere),
    "erfc": (_erfc, _anywhere),
}

_rows = [
    _unary(name, fn, x, integers(3, low=1, high=2), _empty)
    for name, (fn, x) in _FLOAT_UNARY.items()
]
_rows += [
    _unary("erfinv", lambda x: _newton_erfinv(x), _inside, rtol=1e-4),
    _unary("absolute", np.abs, _anywhere, _whole, booleans(4)),
    _unary("abs", np.abs, _anywhere, _whole, booleans(4)),
    _unary("fabs", np.fabs, _anywhere, _whole),
    _unary("negative", np.negative, _anywhere, _whole, _empty),
    _unary("sign", np.sign, _anywhere, _whole, _EDGES, smooth=False),
    _unary("square", np.square, _anywhere, _whole, integers(3, dtype="uint8")),
    _unary("floor", np.floor, _anywhere, _EDGES, integers(3), smooth=False),
    _unary("ceil", np.ceil, _anywhere, _EDGES, integers(3), smooth=False),
    _unary("trunc", np.trunc, _anywhere, _EDGES, _whole, smooth=False),
    Row(
        "round",
        [
            Sample(_anywhere),
            Sample(_special(0.5, 1.5, 2.5, -0.5)),
            Sample(_anywhere, decimals=2),
            Sample(integers(4, low=-50, high=50), -1),
            Sample(_whole, 1),
        ],
        np.round,
    ),
    _unary("real", np.real, _anywhere),
    _unary("imag", np.imag, _anywhere, smooth=False),
    _unary("conjugate", np.conjugate, _anywhere),
    _unary("conj", np.conjugate, _anywhere),
    _unary("angle", np.angle, _anywhere, smooth=False),
    _unary("copy", np.copy, _anywhere, _whole, booleans(3)),
    _unary(
        "nan_to_num", np.nan_to_num, _EDGES, _anywhere, _whole, dtypes=("float32",), smooth=False
    ),
    _unary("stop_gradient", np.copy, _anywhere, smooth=False),
]
_rows += [
    _unary(name, getattr(np, name), _anywhere, _EDGES, _whole, smooth=False)
    for name in ["isnan", "isinf", "isfinite", "isposinf", "isneginf", "isreal", "signbit"]
]


def _newton_erfinv(y: Any) -> Any:
    x = np.zeros_like(y, "float64")
    for _ in range(60):
        x = x - (_erf(x) - y) * math.sqrt(math.pi) / 2 * np.exp(x * x)
    return x


_pair = Sample(array(3, 4), positive(3, 4, salt=1))
_spread = Sample(array(3, 1), positive(4, salt=1))
_weak = Sample(array(3, 4), 2)
_ints = Sample(integers(3, 4, low=-9, high=9), integers(3, 4, low=1, high=5, salt=1))
_mixed = Sample(integers(3, 4, low=1), positive(3, 4))
_bytes = Sample(integers(4, dtype="uint8"), integers(4, dtype="int8", low=1))
_two_bools = Sample(booleans(5), booleans(5, salt=1))
_nothing = Sample(array(0, 3), array(1, 3))
_nan = Sample(_special(math.nan, 1, math.nan), _special(1, math.nan, math.nan))


def _no_nan(a: Any, b: Any) -> Any:
    a, b = np.broadcast_arrays(np.asarray(a, "float64"), b)
    return np.divide(a, b, out=np.zeros_like(a), where=b != 0)


_rows += [
    _binary("add", np.add, _pair, _spread, _weak, _ints, _mixed, _bytes, _two_bools, _nothing),
    _binary("subtract", np.subtract, _pair, _spread, _weak, _ints, _mixed, _nothing),
    _binary("multiply", np.multiply, _pair, _spread, _weak, _ints, _mixed, _two_bools, _nothing),
    _binary("divide", np.divide, _pair, _spread, _weak, _ints, _mixed, _nothing),
    _binary("true_divide", np.divide, _pair, _spread, _weak, _ints, _mixed),
    _binary(
        "divide_no_nan", _no_nan, _pair, _spread, _weak, Sample(_above, array(1, 4) * 0), _ints
    ),
    _binary("floor_divide", np.floor_divide, _pair, _ints, smooth=False, dtypes=("float32",)),
    _binary("mod", np.mod, _pair, _ints, _weak, smooth=False, dtypes=("float32",)),
    _binary("fmod", np.fmod, _pair, _ints, _weak, smooth=False, dtypes=("float32",)),
    _binary("power", np.power, Sample(_above, array(3, 4)), Sample(_above, 2), Sample(_whole, 2)),
    _binary("maximum", np.maximum, _pair, _spread, _weak, _ints, _nan, _two_bools),
    _binary("minimum", np.minimum, _pair, _spread, _weak, _ints, _nan, _two_bools),
    _binary("fmax", np.fmax, _pair, _spread, _weak, _ints, _nan),
    _binary("fmin", np.fmin, _pair, _spread, _weak, _ints, _nan),
    _binary("arctan2", np.arctan2, _pair, _spread, _ints),
    _binary("hypot", np.hypot, _pair, _spread, Sample(_special(0, math.inf), _special(0, 1))),
    _binary("logaddexp", np.logaddexp, _pair, _spread, Sample(_EDGES, _EDGES)),
    _binary("logaddexp2", np.logaddexp2, _pair, _spread),
    _binary("heaviside", np.heaviside, Sample(_special(-1, 0, 2, math.nan), 0.5), smooth=False),
    _binary("nextafter", np.nextafter, _pair, smooth=False, dtypes=("float32",), rtol=0, atol=0),
    _binary("gcd", np.gcd, _ints, Sample(integers(3), 6), smooth=False, errors=[_FRACTIONS]),
    _binary("lcm", np.lcm, _ints, Sample(integers(3), 6), smooth=False, errors=[_FRACTIONS]),
    _binary("ldexp", lambda a, b: a * 2.0**b, Sample(array(3), integers(3)), Sample(array(3), 2)),
]
_rows += [
    _binary(name, getattr(np, name), _pair, _ints, _weak, _nan, _mixed, _two_bools, smooth=False)
    for name in ["equal", "not_equal", "less", "less_equal", "greater", "greater_equal"]
]
_rows += [
    _binary(name, getattr(np, name), _two_bools, _ints, Sample(booleans(3), True), smooth=False)
    for name in ["logical_and", "logical_or", "logical_xor"]
]
_rows += [
    Row(
        name,
        [_ints, _two_bools, Sample(integers(3), 3)],
        getattr(np, name),
        errors=[_FRACTIONS],
    )
    for name in ["bitwise_and", "bitwise_or", "bitwise_xor"]
]
_moves = [Sample(integers(4), integers(4, high=4, salt=1)), Sample(integers(4), 2)]
_rows += [
    Row(name, _moves, getattr(np, name.removeprefix("bitwise_")))
    for name in ["left_shift", "right_shift", "bitwise_left_shift", "bitwise_right_shift"]
]
_rows += [
    Row("logical_not", [Sample(booleans(4)), Sample(_whole), Sample(array(3))], np.logical_not),
    Row("bitwise_not", [Sample(_whole), Sample(booleans(4))], np.invert),
    Row("bitwise_invert", [Sample(_whole), Sample(booleans(4))], np.invert),
    Row(
        "clip",
        [
            Sample(array(3, 4), -0.5, 0.75),
            Sample(array(0, 3), 0.0, 1.0),
            Sample(array(2, 2, salt=2), -0.3, None),
            Sample(_whole, -1, 3),
            Sample(array(4), None, 0.5),
            Sample(_special(math.nan, 2.0), 0.0, 1.0),
        ],
        np.clip,
        dtypes=_FLOATS,
        differentiable=True,
    ),
    Row(
        "where",
        [
            Sample(booleans(3, 4), array(3, 4), array(3, 4, salt=1)),
            Sample(booleans(3, 1), array(4), 0.0),
            Sample(integers(4, high=2), integers(4), integers(4, salt=1)),
            Sample(booleans(4), 1, 2),
        ],
        lambda c, a, b: np.where(np.asarray(c, "bool"), a, b),
        errors=[ErrorCase((booleans(2, 3), array(4, 3), array(3)), match="broadcast")],
        dtypes=_FLOATS,
        differentiable=True,
    ),
    Row(
        "isclose",
        [
            Sample(_special(1.0, 1.0, 2.0), _special(1.0, 1.00001, 2.1)),
            Sample(_EDGES, _EDGES),
            Sample(_EDGES, _EDGES, equal_nan=True),
            Sample(_special(math.inf, -math.inf, math.inf), _special(math.inf, -math.inf, 1)),
            Sample(_special(math.inf, 5.0), _special(-math.inf, math.inf)),
            Sample(integers(4), integers(4), 1e-3, 1e-3),
        ],
        np.isclose,
    ),
]

register(_rows)
