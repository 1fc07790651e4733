"""JAX: attention and recurrence."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from kops.callables import activation_function, is_op

__all__ = ["TABLE"]


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
    inner = jnp.tanh if is_op(activation, "tanh") else activation_function(activation)
    gate = (
        jax.nn.sigmoid
        if is_op(recurrent_activation, "sigmoid")
        else activation_function(recurrent_activation)
    )
    # One product of two matrices: XLA's product of a batch of matrices takes a fifth longer.
    time_major = jnp.swapaxes(x, 0, 1)
    steps, batch, features = time_major.shape
    inputs = time_major.reshape(steps * batch, features) @ kernel
    if bias is not None:
        inputs = inputs + bias
    inputs = inputs.reshape(steps, batch, kernel.shape[1])
    counts = None if mask is None else jnp.swapaxes(mask.astype(bool), 0, 1)[..., None]

    def cell(h: Any, c: Any, now: Any) -> tuple[Any, Any]:
        i, f, g, o = jnp.split(now + h @ recurrent_kernel, 4, -1)
        c = gate(f) * c + gate(i) * inner(g)
        return gate(o) * inner(c), c

    def step(state: Any, now: Any) -> tuple[Any, Any]:
        h, c = cell(*state, now)
        return (h, c), (h if return_sequences else None)

    def masked_step(state: Any, now: Any) -> tuple[Any, Any]:
        h, c, y = state
        new_h, new_c = cell(h, c, now[0])
        y = jnp.where(now[1], new_h, jnp.zeros_like(y) if zero_output_for_mask else y)
        return (jnp.where(now[1], new_h, h), jnp.where(now[1], new_c, c), y), (
            y if return_sequences else None
        )

    if counts is None:
        (h, c), outputs = lax.scan(
            step, (initial_h, initial_c), inputs, reverse=go_backwards, unroll=bool(unroll) or 1
        )
        last = h
    else:
        (h, c, last), outputs = lax.scan(
            masked_step,
            (initial_h, initial_c, jnp.zeros_like(initial_h)),
            (inputs, counts),
            reverse=go_backwards,
            unroll=bool(unroll) or 1,
        )
    if not return_sequences:
        return last, h, c
    # A reversed scan keeps the outputs at their steps; they are wanted in the order of the run.
    outputs = outputs[::-1] if go_backwards else outputs
    return jnp.swapaxes(outputs, 0, 1), h, c


TABLE = {"lstm": lstm}
