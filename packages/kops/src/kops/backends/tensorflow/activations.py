"""TensorFlow: activation functions."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

__all__ = ["TABLE"]


def leaky_relu(x, negative_slope=0.2):
    return tf.nn.leaky_relu(x, negative_slope)


def gelu(x, approximate=True):
    return tf.nn.gelu(x, approximate)


def log_sigmoid(x):
    return -tf.nn.softplus(-x)


def _wide(x: Any) -> Any:
    return tf.cast(x, tf.float32) if x.dtype in (tf.float16, tf.bfloat16) else x


def softmax(x, axis=-1):
    if axis.__class__ is int:
        if x.dtype is tf.float32:
            return tf.nn.softmax(x, axis)
        return tf.cast(tf.nn.softmax(_wide(x), axis), x.dtype)
    scores = _wide(x)
    return tf.cast(tf.exp(scores - tf.reduce_logsumexp(scores, axis, keepdims=True)), x.dtype)


def log_softmax(x, axis=-1):
    if axis.__class__ is int:
        if x.dtype is tf.float32:
            return tf.nn.log_softmax(x, axis)
        return tf.cast(tf.nn.log_softmax(_wide(x), axis), x.dtype)
    scores = _wide(x)
    return tf.cast(scores - tf.reduce_logsumexp(scores, axis, keepdims=True), x.dtype)


TABLE = {
    "relu": tf.nn.relu,
    "sigmoid": tf.nn.sigmoid,
    "silu": tf.nn.silu,
    "softplus": tf.nn.softplus,
    "softsign": tf.nn.softsign,
    "log_sigmoid": log_sigmoid,
    "leaky_relu": leaky_relu,
    "selu": tf.nn.selu,
    "gelu": gelu,
    "softmax": softmax,
    "log_softmax": log_softmax,
}
