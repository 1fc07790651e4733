"""TensorFlow: normalization, losses and recurrence."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from kops.callables import activation_function, is_op

__all__ = ["TABLE"]

_LOW = (tf.float16, tf.bfloat16)


def _can_fuse_batch_norm(x, scale, offset, axis, epsilon):
    # The fused kernel is for images, and its smallest epsilon is 1.001e-5.
    return (
        x.shape.rank == 4
        and axis in (-1, 3)
        and epsilon > 1.001e-5
        and x.dtype in (tf.float32, *_LOW)
    )


def batch_norm_train(x, scale, offset, axis, epsilon=1e-3):
    size = tf.shape(x)
    scale = tf.ones(size[-1:]) if scale is None else tf.cast(scale, tf.float32)
    offset = tf.zeros(size[-1:]) if offset is None else tf.cast(offset, tf.float32)
    y, mean, variance, *_ = tf.raw_ops.FusedBatchNormV3(
        x=x,
        scale=scale,
        offset=offset,
        mean=tf.zeros((0,)),
        variance=tf.zeros((0,)),
        epsilon=epsilon,
        is_training=True,
    )
    count = tf.cast(tf.reduce_prod(size[:-1]), tf.float32)
    biased = (
        variance * tf.maximum(count - 1.0, 0.0) / tf.maximum(count, 1.0)
    )  # the kernel's is unbiased
    return y, tf.stop_gradient(mean), tf.stop_gradient(biased)


def _vectors(x, mean, variance, axis, offset, scale, epsilon):
    """Whether the arguments fit; the body says what is wrong with them if not."""
    rank = x.shape.rank
    return -rank <= axis < rank and all(
        v is None or (v.shape.rank == 1 and v.shape.is_compatible_with((x.shape[axis],)))
        for v in (mean, variance, offset, scale)
    )


def batch_normalization(x, mean, variance, axis, offset=None, scale=None, epsilon=1e-3):
    dtype = tf.float32 if x.dtype in _LOW else x.dtype
    index = axis % x.shape.rank
    shape = (1,) * index + (-1,) + (1,) * (x.shape.rank - index - 1)
    factor = tf.math.rsqrt(tf.cast(variance, dtype) + epsilon)
    if scale is not None:
        factor *= tf.cast(scale, dtype)
    shift = -tf.cast(mean, dtype) * factor
    if offset is not None:
        shift += tf.cast(offset, dtype)
    y = tf.cast(x, dtype) * tf.reshape(factor, shape) + tf.reshape(shift, shape)
    return tf.cast(y, x.dtype)


def lstm(
    x,
    initial_h,
    initial_c,
    kernel,
    recurrent_kernel,
    bias=None,
    mask=None,
    activation="tanh",
    recurrent_activation="sigmoid",
    go_backwards=False,
    return_sequences=True,
    zero_output_for_mask=False,
    unroll=False,
):
    inner = tf.tanh if is_op(activation, "tanh") else activation_function(activation)
    gate = (
        tf.sigmoid
        if is_op(recurrent_activation, "sigmoid")
        else activation_function(recurrent_activation)
    )
    inputs = tf.linalg.matmul(x, kernel)
    if bias is not None:
        inputs = tf.nn.bias_add(inputs, bias)
    inputs = tf.transpose(inputs, (1, 0, 2))
    steps = x.shape[1] if x.shape[1] is not None else tf.shape(x)[1]
    rows = tf.TensorArray(x.dtype, steps, element_shape=(x.shape[0], kernel.shape[-1])).unstack(
        inputs
    )
    counts = None if mask is None else tf.transpose(tf.cast(mask, tf.bool))[..., None]
    units = recurrent_kernel.shape[0]

    def cell(t: Any, h: Any, c: Any) -> tuple[Any, Any]:
        now = rows.read(steps - 1 - t if go_backwards else t)
        i, f, g, o = tf.split(now + tf.linalg.matmul(h, recurrent_kernel), 4, -1)
        c = gate(f) * c + gate(i) * inner(g)
        return gate(o) * inner(c), c

    def body(t: Any, h: Any, c: Any, y: Any = None, out: Any = None) -> tuple[Any, ...]:
        new_h, new_c = cell(t, h, c)
        state: tuple[Any, ...] = (new_h, new_c)
        if counts is not None:
            here = counts[steps - 1 - t if go_backwards else t]
            y = tf.where(here, new_h, tf.zeros_like(y) if zero_output_for_mask else y)
            state = (tf.where(here, new_h, h), tf.where(here, new_c, c), y)
        if return_sequences:
            out = out.write(t, new_h if counts is None else y)
            state = (*state, *(() if counts is not None else (new_h,)), out)
        return (t + 1, *state)

    start: tuple[Any, ...] = (tf.constant(0), initial_h, initial_c)
    if counts is not None or return_sequences:
        start = (*start, tf.zeros_like(initial_h))
    if return_sequences:
        start = (*start, tf.TensorArray(x.dtype, steps, element_shape=(x.shape[0], units)))
    end = tf.while_loop(lambda t, *_: t < steps, body, start, maximum_iterations=steps)
    h, c = end[1], end[2]
    if not return_sequences:
        return (h if counts is None else end[3]), h, c
    outputs = tf.transpose(end[4].stack(), (1, 0, 2))
    outputs.set_shape((x.shape[0], x.shape[1], units))
    return outputs, h, c


TABLE = {
    "batch_norm_train": [(batch_norm_train, _can_fuse_batch_norm)],
    "batch_normalization": [(batch_normalization, _vectors)],
    "lstm": lstm,
}
