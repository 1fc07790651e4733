"""TensorFlow: cross-entropies of logits through the fused kernels."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from kops.backends.tensorflow.core import has_values
from kops.shapes import refuse_classes

__all__ = ["TABLE"]


def _wide(x: Any) -> Any:
    return tf.cast(x, tf.float32) if x.dtype in (tf.float16, tf.bfloat16) else x


def _logits(target, output, from_logits, axis=-1):
    fits = target.shape.rank == output.shape.rank and target.shape.is_compatible_with(output.shape)
    return from_logits and fits and output.shape.rank > 0


def binary_crossentropy(target, output, from_logits=False):
    loss = tf.nn.sigmoid_cross_entropy_with_logits(_wide(target), _wide(output))
    return tf.cast(loss, output.dtype)


def categorical_crossentropy(target, output, from_logits=False, axis=-1):
    loss = tf.nn.softmax_cross_entropy_with_logits(_wide(target), _wide(output), axis=axis)
    return tf.cast(loss, output.dtype)


def _last_axis_logits(target, output, from_logits, axis):
    rank = output.shape.rank
    if not from_logits or not rank or axis not in (-1, rank - 1):
        return False
    if target.shape.rank == rank and target.shape[-1] == 1:
        return target.shape[:-1].is_compatible_with(output.shape[:-1])
    return target.shape.rank == rank - 1 and target.shape.is_compatible_with(output.shape[:-1])


def sparse_categorical_crossentropy(target, output, from_logits=False, axis=-1):
    if target.shape.rank == output.shape.rank:
        target = tf.squeeze(target, -1)
    if target.dtype not in (tf.int32, tf.int64):
        target = tf.cast(target, tf.int32)
    classes = tf.cast(tf.shape(output)[-1], target.dtype)
    # The kernel would stop a graph at a class outside the axis; the rule there is NaN.
    safe = tf.clip_by_value(target, 0, tf.maximum(classes - 1, 0))
    known = safe == target
    if has_values(known) and not tf.reduce_all(known):
        refuse_classes(target.numpy(), int(classes))
    loss = tf.nn.sparse_softmax_cross_entropy_with_logits(safe, _wide(output))
    nan = tf.constant(float("nan"), loss.dtype)
    return tf.cast(tf.where(known, loss, nan), output.dtype)


TABLE = {
    "binary_crossentropy": [(binary_crossentropy, _logits)],
    "categorical_crossentropy": [(categorical_crossentropy, _logits)],
    "sparse_categorical_crossentropy": [(sparse_categorical_crossentropy, _last_axis_logits)],
}
