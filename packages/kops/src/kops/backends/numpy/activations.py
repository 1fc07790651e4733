"""NumPy: activation functions, with few passes over memory."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from kops.backends.numpy.special import erf

__all__ = ["TABLE", "sigmoid"]

# The largest argument whose exp is finite, by item size.
_EXP_LIMIT = {2: 11.0, 4: 88.0, 8: 709.0}


def relu(x):
    return np.maximum(x, 0)


def sigmoid(x):
    out = np.empty_like(x)
    np.negative(x, out=out)
    np.minimum(out, _EXP_LIMIT[x.dtype.itemsize], out=out)
    np.exp(out, out=out)
    out += 1
    return np.reciprocal(out, out=out)


def silu(x):
    return x * sigmoid(x)


def softplus(x):
    return np.logaddexp(x, 0, dtype=x.dtype) if x.dtype.kind == "f" else _softplus_wide(x)


def _softplus_wide(x: np.ndarray) -> np.ndarray:
    return np.logaddexp(x.astype(np.float32), 0).astype(x.dtype)


def log_sigmoid(x):
    return -softplus(-x)


def leaky_relu(x, negative_slope=0.2):
    return np.where(x > 0, x, x * np.asarray(negative_slope, x.dtype))


def elu(x, alpha=1.0):
    return np.where(x > 0, x, np.expm1(np.minimum(x, 0)) * np.asarray(alpha, x.dtype))


def gelu(x, approximate=True):
    if approximate:
        inner = np.square(x) * 0.044715
        inner += 1
        inner *= x
        inner *= math.sqrt(2 / math.pi)
        out = np.tanh(inner)
    else:
        out = erf(x * math.sqrt(0.5))
    out = out + 1
    out *= x
    out *= 0.5
    return out


def _scores(x: np.ndarray) -> np.ndarray:
    return x.astype(np.float32) if x.dtype.itemsize == 2 else x


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
