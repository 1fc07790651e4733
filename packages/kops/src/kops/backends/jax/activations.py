"""JAX: activation functions."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

__all__ = ["TABLE"]


def leaky_relu(x, negative_slope=0.2):
    return jax.nn.leaky_relu(x, negative_slope)


def elu(x, alpha=1.0):
    return jax.nn.elu(x, alpha)


def celu(x, alpha=1.0):
    return jax.nn.celu(x, alpha)


def gelu(x, approximate=True):
    return jax.nn.gelu(x, approximate)


def _scores(x: Any) -> Any:
    return x.astype(jnp.float32) if x.dtype.itemsize == 2 else x


def _axis(axis: Any) -> Any:
    return tuple(axis) if isinstance(axis, list) else axis


def softmax(x, axis=-1):
    if not x.size:  # JAX takes the maximum of nothing for an error
        return x
    return jax.nn.softmax(_scores(x), _axis(axis)).astype(x.dtype)


def log_softmax(x, axis=-1):
    if not x.size:
        return x
    return jax.nn.log_softmax(_scores(x), _axis(axis)).astype(x.dtype)


TABLE = {
    "relu": jax.nn.relu,
    "sigmoid": jax.nn.sigmoid,
    "silu": jax.nn.silu,
    "softplus": jax.nn.softplus,
    "softsign": jax.nn.soft_sign,
    "log_sigmoid": jax.nn.log_sigmoid,
    "leaky_relu": leaky_relu,
    "elu": elu,
    "celu": celu,
    "selu": jax.nn.selu,
    "gelu": gelu,
    "softmax": softmax,
    "log_softmax": log_softmax,
}
