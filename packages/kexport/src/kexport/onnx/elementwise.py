"""ONNX forms of element-wise ops and reductions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kexport.onnx.graph import Graph, Value
from kops import dtypes
from kops.specs import axes_of, reduced

__all__ = ["EMITTERS"]


def _same(op_type: str, **attributes: Any) -> Callable[..., Value]:
    def emit(g: Graph, x: Value) -> Value:
        return g.op(op_type, x, **attributes)

    return emit


def _test(op_type: str) -> Callable[..., Value]:
    def emit(g: Graph, x: Value) -> Value:
        if dtypes.is_float(x.dtype):
            return g.op(op_type, x, dtype="bool")
        x = g.cast(x, "float32")
        return g.op(op_type, x, dtype="bool")

    return emit


def _two(op_type: str, out: str | None = None) -> Callable[..., Value]:
    def emit(g: Graph, a: Value, b: Value) -> Value:
        return g.op(op_type, a, b, dtype=out, dims=g.out.dims)

    return emit


def _floor_divide(g: Graph, a: Value, b: Value) -> Value:
    if dtypes.is_float(a.dtype):
        return g.op("Floor", _two("Div")(g, a, b))
    remainder = _two("Mod")(g, a, b)
    return _two("Div")(g, _two("Sub")(g, a, remainder), b)


def _mod(g: Graph, a: Value, b: Value) -> Value:
    if not dtypes.is_float(a.dtype):
        return _two("Mod")(g, a, b)  # the sign follows the divisor, as in Python
    whole = g.op("Floor", _two("Div")(g, a, b))
    return _two("Sub")(g, a, _two("Mul")(g, whole, b))


def _not_equal(g: Graph, a: Value, b: Value) -> Value:
    return g.op("Not", _two("Equal", "bool")(g, a, b))


def _square(g: Graph, x: Value) -> Value:
    return g.op("Mul", x, x)


def _rsqrt(g: Graph, x: Value) -> Value:
    return g.op("Reciprocal", g.op("Sqrt", x))


def _scalar(g: Graph, value: float, x: Value) -> Value:
    return g.tensor(value, x.dtype)


def _expm1(g: Graph, x: Value) -> Value:
    return g.op("Sub", g.op("Exp", x), _scalar(g, 1, x))


def _log1p(g: Graph, x: Value) -> Value:
    return g.op("Log", g.op("Add", x, _scalar(g, 1, x)))


def _erfc(g: Graph, x: Value) -> Value:
    return g.op("Sub", _scalar(g, 1, x), g.op("Erf", x), dims=x.dims)


def _trunc(g: Graph, x: Value) -> Value:
    return g.op("Mul", g.op("Sign", x), g.op("Floor", g.op("Abs", x)))


def _round(g: Graph, x: Value, decimals: int = 0) -> Value:
    if not decimals or not dtypes.is_float(x.dtype):
        return g.op("Round", x) if dtypes.is_float(x.dtype) else x
    factor = _scalar(g, 10.0**decimals, x)
    return g.op("Div", g.op("Round", g.op("Mul", x, factor)), factor)


def _isfinite(g: Graph, x: Value) -> Value:
    odd = g.op("Or", _test("IsNaN")(g, x), _test("IsInf")(g, x))
    return g.op("Not", odd)


def _clip(g: Graph, x: Value, x_min: Any, x_max: Any) -> Value:
    # As ops.clip: the limits may be tensors, and the upper one wins.
    if x_min is not None:
        x = g.op("Max", x, g.tensor(x_min, x.dtype), dims=x.dims)
    if x_max is not None:
        x = g.op("Min", x, g.tensor(x_max, x.dtype), dims=x.dims)
    return x


def _where(g: Graph, condition: Value, a: Value | None, b: Value | None) -> Value:
    if a is None or b is None:
        raise NotImplementedError("`where` without values has no ONNX form here; give x1 and x2.")
    return g.op("Where", condition, a, b, dtype=a.dtype, dims=g.out.dims)


def _reduce(op_type: str) -> Callable[..., Value]:
    def emit(g: Graph, x: Value, axis: Any = None, keepdims: bool = False, *rest: Any) -> Value:
        if any(r is not None for r in rest[:1]) and op_type in ("ReduceMax", "ReduceMin"):
            raise NotImplementedError("Reductions with `initial` have no ONNX form.")
        axes = axes_of(axis, x.ndim)
        if not axes:
            return x
        wide = g.cast(x, "int32") if x.dtype in ("bool", "int8", "uint8") else x
        made = g.op(
            op_type,
            wide,
            g.ints(axes),
            dims=reduced(x.dims, axis, keepdims),
            keepdims=int(bool(keepdims)),
        )
        return g.cast(made, g.out.dtype)

    return emit


def _var(g: Graph, x: Value, axis: Any = None, keepdims: bool = False) -> Value:
    axes = g.ints(axes_of(axis, x.ndim))
    kept = reduced(x.dims, axis, True)
    mean = g.op("ReduceMean", x, axes, dims=kept, keepdims=1)
    deviation = g.op("Sub", x, mean)
    squares = g.op("Mul", deviation, deviation)
    dims = reduced(x.dims, axis, keepdims)
    return g.op("ReduceMean", squares, axes, dims=dims, keepdims=int(bool(keepdims)))


def _position(op_type: str) -> Callable[..., Value]:
    def emit(g: Graph, x: Value, axis: int | None = None, keepdims: bool = False) -> Value:
        if axis is None:
            if keepdims:
                raise NotImplementedError("`argmax` of all axes with keepdims has no ONNX form.")
            x, axis = g.op("Reshape", x, g.ints([-1]), dims=(0,)), 0
        made = g.op(
            op_type, x, dtype="int64", dims=g.out.dims, axis=axis, keepdims=int(bool(keepdims))
        )
        return g.cast(made, g.out.dtype)

    return emit


def _cumsum(g: Graph, x: Value, axis: int | None = None, dtype: Any = None) -> Value:
    x = g.cast(x, g.out.dtype)
    if axis is None:
        x, axis = g.op("Reshape", x, g.ints([-1]), dims=g.out.dims), 0
    return g.op("CumSum", x, g.ints(axis))


EMITTERS: dict[str, Callable[..., Any]] = {
    **{
        name: _same(op_type)
        for name, op_type in {
            "absolute": "Abs",
            "negative": "Neg",
            "sign": "Sign",
            "sqrt": "Sqrt",
            "exp": "Exp",
            "log": "Log",
            "floor": "Floor",
            "ceil": "Ceil",
            "reciprocal": "Reciprocal",
            "erf": "Erf",
            "sin": "Sin",
            "cos": "Cos",
            "tan": "Tan",
            "arcsin": "Asin",
            "arccos": "Acos",
            "arctan": "Atan",
            "sinh": "Sinh",
            "cosh": "Cosh",
            "tanh": "Tanh",
            "arcsinh": "Asinh",
            "arccosh": "Acosh",
            "arctanh": "Atanh",
            "logical_not": "Not",
            "bitwise_not": "BitwiseNot",
            "stop_gradient": "Identity",
            "copy": "Identity",
        }.items()
    },
    **{
        name: _two(op_type)
        for name, op_type in {
            "add": "Add",
            "subtract": "Sub",
            "multiply": "Mul",
            "divide": "Div",
            "power": "Pow",
            "maximum": "Max",
            "minimum": "Min",
            "logical_and": "And",
            "logical_or": "Or",
            "logical_xor": "Xor",
            "bitwise_and": "BitwiseAnd",
            "bitwise_or": "BitwiseOr",
            "bitwise_xor": "BitwiseXor",
        }.items()
    },
    **{
        name: _two(op_type, "bool")
        for name, op_type in {
            "equal": "Equal",
            "less": "Less",
            "less_equal": "LessOrEqual",
            "greater": "Greater",
            "greater_equal": "GreaterOrEqual",
        }.items()
    },
    **{
        name: _reduce(op_type)
        for name, op_type in {
            "sum": "ReduceSum",
            "mean": "ReduceMean",
            "max": "ReduceMax",
            "min": "ReduceMin",
            "prod": "ReduceProd",
            "any": "ReduceMax",
            "all": "ReduceMin",
        }.items()
    },
    "isnan": _test("IsNaN"),
    "isinf": _test("IsInf"),
    "isfinite": _isfinite,
    "floor_divide": _floor_divide,
    "mod": _mod,
    "not_equal": _not_equal,
    "square": _square,
    "rsqrt": _rsqrt,
    "expm1": _expm1,
    "log1p": _log1p,
    "erfc": _erfc,
    "trunc": _trunc,
    "round": _round,
    "clip": _clip,
    "where": _where,
    "var": _var,
    "argmax": _position("ArgMax"),
    "argmin": _position("ArgMin"),
    "cumsum": _cumsum,
}
