"""TensorFlow: derivatives along directions, and gradients by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from kops import tree

__all__ = ["custom_gradient", "jvp", "vjp"]

_ZERO = tf.UnconnectedGradients.ZERO


def jvp(fn: Callable[..., Any], primals: Any, tangents: Any, has_aux: bool) -> Any:
    with tf.autodiff.ForwardAccumulator(list(primals), list(tangents)) as accumulator:
        result = fn(*primals)
        value, *aux = result if has_aux else (result,)
    return (value, accumulator.jvp(value, unconnected_gradients=_ZERO), *aux)


def vjp(fn: Callable[..., Any], primals: Any, has_aux: bool) -> Any:
    with tf.GradientTape(persistent=True, watch_accessed_variables=False) as tape:
        tape.watch(list(primals))
        result = fn(*primals)
        value, *aux = result if has_aux else (result,)

    def pull_back(cotangent: Any) -> Any:
        grads = tape.gradient(
            value, tuple(primals), output_gradients=cotangent, unconnected_gradients=_ZERO
        )
        return tree.map_structure(tf.convert_to_tensor, grads)

    return (value, pull_back, *aux)


def custom_gradient(fn: Callable[..., Any]) -> Callable[..., Any]:
    return tf.custom_gradient(fn)
