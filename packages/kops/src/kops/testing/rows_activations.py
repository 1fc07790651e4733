"""Rows of the activation functions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from kops.testing.rows import ErrorCase, Row, Sample, array, integers, register

__all__: list[str] = []

_erf = np.vectorize(math.erf, otypes=["float64"])
_ALL = ("float32", "float16", "bfloat16")


def _sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-np.asarray(x, "float64")))


def _softplus(x: Any) -> Any:
    return np.logaddexp(np.asarray(x, "float64"), 0)


def _elu(x: Any, alpha: float = 1.0) -> Any:
    return np.where(x > 0, x, alpha * np.expm1(x))


def _gelu(x: Any, approximate: bool = True) -> Any:
    if approximate:
        return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    return 0.5 * x * (1 + _erf(x / math.sqrt(2)))


def _glu(x: Any, axis: int = -1) -> Any:
    a, b = np.split(x, 2, axis)
    return a * _sigmoid(b)


def _softmax(x: Any, axis: Any = -1) -> Any:
    e = np.exp(np.asarray(x, "float64"))
    return e / e.sum(axis=axis, keepdims=True) if e.size else e


def _log_softmax(x: Any, axis: Any = -1) -> Any:
    return np.log(_softmax(x, axis))


def _sparsemax(x: Any, axis: int = -1) -> Any:
    """By bisection on the threshold that makes the sum 1."""
    x = np.asarray(x, "float64")
    if not x.size:
        return x
    low, high = x.max(axis, keepdims=True) - 1, x.max(axis, keepdims=True)
    for _ in range(60):
        middle = (low + high) / 2
        above = np.maximum(x - middle, 0).sum(axis, keepdims=True) > 1
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    return np.maximum(x - low, 0)


def _row(name: str, reference: Any, *more: Sample, samples: Any = None, **options: Any) -> Row:
    """Row of an element-wise function: a matrix, an empty batch, a scalar and whole numbers."""
    samples = samples or [
        Sample(array(3, 4, salt=1)),
        Sample(array(0, 3)),
        Sample(array()),
        Sample(integers(5, low=-5)),
    ]
    return Row(
        name,
        samples=[*samples, *more],
        reference=reference,
        dtypes=options.pop("dtypes", _ALL),
        differentiable=options.pop("differentiable", True),
        **options,
    )


_AXIS = [
    ErrorCase((array(2, 3),), {"axis": 2}, match="axis"),
    ErrorCase((array(2, 3),), {"axis": -3}, match="axis"),
]
_SOFTMAX = [
    Sample(array(3, 4)),
    Sample(array(2, 3, 4), axis=1),
    Sample(array(2, 3, 4), axis=(0, 2)),
    Sample(array(2, 3), axis=None),
    Sample(array(0, 3)),
    Sample(array(3, 4, low=80, high=90)),
    Sample(integers(3, 4)),
]

register(
    [
        _row("relu", lambda x: np.maximum(x, 0)),
        _row("relu6", lambda x: np.clip(x, 0, 6)),
        _row("sigmoid", _sigmoid, Sample(np.array([-200.0, 200.0], "float32"))),
        _row("softplus", _softplus, Sample(np.array([-200.0, 0.0, 200.0], "float32"))),
        _row("softsign", lambda x: x / (1 + np.abs(x))),
        _row("silu", lambda x: x * _sigmoid(x)),
        _row(
            "log_sigmoid",
            lambda x: -_softplus(-np.asarray(x, "float64")),
            Sample(np.array([-200.0, 200.0], "float32")),
        ),
        _row(
            "leaky_relu",
            lambda x, negative_slope=0.2: np.where(x > 0, x, negative_slope * x),
            Sample(array(4), 0.01),
        ),
        _row("hard_sigmoid", lambda x: np.clip(x + 3.0, 0, 6) / 6),
        _row("hard_silu", lambda x: x * np.clip(x + 3.0, 0, 6) / 6),
        _row("hard_tanh", lambda x: np.clip(x, -1, 1)),
        _row("elu", _elu, Sample(array(4), 0.5), Sample(np.array([-200.0, 200.0], "float32"))),
        _row("selu", lambda x: 1.0507009873554805 * _elu(x, 1.6732632423543772)),
        _row(
            "celu",
            lambda x, alpha=1.0: np.where(x > 0, x, alpha * np.expm1(x / alpha)),
            Sample(array(4), 0.5),
        ),
        _row("gelu", _gelu, Sample(array(3, 4), approximate=False)),
        _row(
            "glu",
            _glu,
            samples=[
                Sample(array(3, 4)),
                Sample(array(4, 3), axis=0),
                Sample(array(0, 4)),
                Sample(integers(4)),
            ],
            errors=[*_AXIS, ErrorCase((array(2, 3),), match="even")],
        ),
        _row("tanh_shrink", lambda x: x - np.tanh(x)),
        _row(
            "hard_shrink",
            lambda x, threshold=0.5: np.where(np.abs(x) > threshold, x, 0),
            Sample(array(4), 1.0),
        ),
        _row(
            "soft_shrink",
            lambda x, threshold=0.5: np.sign(x) * np.maximum(np.abs(x) - threshold, 0),
            Sample(array(4), 1.0),
        ),
        _row(
            "threshold",
            lambda x, threshold, default_value: np.where(x > threshold, x, default_value),
            samples=[
                Sample(array(3, 4), 0.5, 2.0),
                Sample(array(0, 3), 0.0, 1.0),
                Sample(integers(5), 3, 1),
            ],
        ),
        _row(
            "squareplus", lambda x, b=4: (x + np.sqrt(np.square(x) + b)) / 2, Sample(array(4), 1.0)
        ),
        _row(
            "sparse_plus", lambda x: np.where(x <= -1, 0, np.where(x >= 1, x, (x + 1.0) ** 2 / 4))
        ),
        _row("sparse_sigmoid", lambda x: np.clip((x + 1.0) / 2, 0, 1)),
        _row("softmax", _softmax, samples=_SOFTMAX, errors=_AXIS),
        _row("log_softmax", _log_softmax, samples=_SOFTMAX, errors=_AXIS, atol=1e-5),
        _row(
            "sparsemax",
            _sparsemax,
            samples=[
                Sample(array(3, 4)),
                Sample(array(2, 3, 2), axis=1),
                Sample(array(0, 3)),
                Sample(integers(2, 3)),
            ],
            errors=_AXIS,
        ),
    ]
)
