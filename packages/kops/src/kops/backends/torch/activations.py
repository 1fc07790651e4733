"""torch: activation functions."""

from __future__ import annotations

import torch
import torch.nn.functional as F

__all__ = ["TABLE"]


def relu6(x):
    return torch.clamp(x, 0, 6)


def leaky_relu(x, negative_slope=0.2):
    return F.leaky_relu(x, negative_slope)


def elu(x, alpha=1.0):
    return F.elu(x, alpha)


def celu(x, alpha=1.0):
    return F.celu(x, alpha)


def gelu(x, approximate=True):
    return F.gelu(x, approximate="tanh" if approximate else "none")


def soft_shrink(x, threshold=0.5):
    return F.softshrink(x, threshold)


def softmax(x, axis=-1):
    if axis.__class__ is int:
        return torch.softmax(x, axis)
    axes = tuple(range(x.ndim)) if axis is None else tuple(axis)
    return torch.exp(x - torch.logsumexp(x, axes, keepdim=True))


def log_softmax(x, axis=-1):
    if axis.__class__ is int:
        return torch.log_softmax(x, axis)
    axes = tuple(range(x.ndim)) if axis is None else tuple(axis)
    return x - torch.logsumexp(x, axes, keepdim=True)


TABLE = {
    "relu": torch.relu,
    "relu6": relu6,
    "sigmoid": torch.sigmoid,
    "silu": F.silu,
    "softplus": F.softplus,
    "softsign": F.softsign,
    "log_sigmoid": F.logsigmoid,
    "leaky_relu": leaky_relu,
    "hard_silu": F.hardswish,
    "elu": elu,
    "celu": celu,
    "selu": torch.selu,
    "gelu": gelu,
    "soft_shrink": soft_shrink,
    "softmax": softmax,
    "log_softmax": log_softmax,
}
