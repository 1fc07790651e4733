"""NumPy: activation functions, with few passes over memory."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from kops.backends.numpy.special import erf

__all__ = ["TABLE", "sigmoid"]

# The largest argument whose exp is finite, by item size.
_EXP_LIMIT = {4: 88.0, 8: 709.0}


def _scores(x: np.ndarray) -> np.ndarray:
    return x.astype(np.float32) if x.dtype.itemsize == 2 else x


def relu(x):
    return np.maximum(x, 0)


def sigmoid(x):
    wide = _scores(x)
    out = np.empty_like(wide)
    np.negative(wide, out=out)
    np.minimum(out, _EXP_LIMIT[out.dtype.itemsize], out=out)
    np.exp(out, out=out)
    out += 1
    return np.reciprocal(out, out=out).astype(x.dtype, copy=False)


def silu(x):
    return x * sigmoid(x)


def softplus(x):
    return np.asarray(np.logaddexp(_scores(x), 0)).astype(x.dtype, copy=False)


def log_sigmoid(x):
    return -softplus(-x)


def leaky_relu(x, negative_slope=0.2):
    return np.where(x > 0, x, x * np.asarray(negative_slope, x.dtype))


def elu(x, alpha=1.0):
    return np.where(x > 0, x, np.expm1(np.minimum(x, 0)) * np.asarray(alpha, x.dtype))


def gelu(x, approximate=True):
    return _gelu(_scores(x), approximate).astype(x.dtype, copy=False)


def _gelu(x: np.ndarray, approximate: bool) -> np.ndarray:
    if approximate:
        inner = np.asarray(np.square(x) * (0.044715 * math.sqrt(2 / math.pi)))
        inner += math.sqrt(2 / math.pi)
        inner *= x
        out = np.tanh(inner, out=inner)
    else:
        out = erf(x * math.sqrt(0.5))
    return np.asarray((out + 1) * (x * 0.5))


def _axis(axis: Any) -> Any:
    return tuple(axis) if isinstance(axis, list) else axis


def softmax(x, axis=-1):
    scores = _scores(x)
    axis = _axis(axis)
    peak = np.max(scores, axis=axis, keepdims=True, initial=-3e38)
    out = np.asarray(np.exp(scores - peak))
    out /= np.sum(out, axis=axis, keepdims=True)
    return out.astype(x.dtype, copy=False)


def log_softmax(x, axis=-1):
    scores = _scores(x)
    axis = _axis(axis)
    peak = np.max(scores, axis=axis, keepdims=True, initial=-3e38)
    out = np.asarray(scores - peak)
    out -= np.log(np.sum(np.exp(out), axis=axis, keepdims=True))
    return out.astype(x.dtype, copy=False)


TABLE = {
    "relu": relu,
    "sigmoid": sigmoid,
    "silu": silu,
    "softplus": softplus,
    "log_sigmoid": log_sigmoid,
    "leaky_relu": leaky_relu,
    "elu": elu,
    "gelu": gelu,
    "softmax": softmax,
    "log_softmax": log_softmax,
}
