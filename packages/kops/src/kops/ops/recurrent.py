"""Recurrent networks over a whole sequence: engines fuse what a step-by-step loop cannot."""

from __future__ import annotations

from typing import Any

from kops import ops
from kops.callables import Activation, activation_function
from kops.op import Tensor, op_family
from kops.specs import float_result, keep

__all__ = ["lstm"]

op = op_family("nn")


@op(dtype={"x initial_h initial_c kernel recurrent_kernel bias": float_result, "mask": keep})
def lstm(
    x: Tensor,
    initial_h: Tensor,
    initial_c: Tensor,
    kernel: Tensor,
    recurrent_kernel: Tensor,
    bias: Tensor | None = None,
    mask: Tensor | None = None,
    activation: Activation = "tanh",
    recurrent_activation: Activation = "sigmoid",
    go_backwards: bool = False,
    return_sequences: bool = True,
    zero_output_for_mask: bool = False,
    unroll: bool = False,
) -> tuple[Tensor, Tensor, Tensor]:
    """Long short-term memory (Hochreiter and Schmidhuber, 1997, doi:10.1162/neco.1997.9.8.1735).

    With gates `i, f, g, o` from `x[t] @ kernel + h @ recurrent_kernel + bias`:
    `c = sigmoid(f) * c + sigmoid(i) * tanh(g)` and `h = sigmoid(o) * tanh(c)`.

    Args:
        x: shape (batch, time, features).
        initial_h: shape (batch, units).
        initial_c: shape (batch, units).
        kernel: shape (features, 4 * units), gates in the order i, f, g, o.
        recurrent_kernel: shape (units, 4 * units).
        bias: shape (4 * units,), or None.
        mask: shape (batch, time), True where a step counts. A step that does not keeps the state
            and repeats
            the last output (zeros before the first).
        activation: function of g and c: name of an op, function, or None.
        recurrent_activation: function of i, f and o.
        go_backwards: whether the time runs from the end; the outputs then come in that order.
        return_sequences: whether the first result is the outputs of all steps, or the last output.
        zero_output_for_mask: whether the output of a step that does not count is zero.
        unroll: whether an engine that compiles should unroll the loop.

    Returns:
        (outputs of shape (batch, time, units) or last output (batch, units), last h, last c).

    Raises:
        ValueError: for ranks or sizes that do not fit.

    Example:

    >>> import numpy as np
    >>> from kops.ops.recurrent import lstm
    >>> h = np.zeros((2, 4), "float32")
    >>> kernel, recurrent = np.ones((3, 16), "float32"), np.ones((4, 16), "float32")
    >>> y, h, c = lstm(np.ones((2, 5, 3), "float32"), h, h, kernel, recurrent)
    >>> tuple(y.shape), tuple(h.shape)
    ((2, 5, 4), (2, 4))
    """
    _check(x, initial_h, initial_c, kernel, recurrent_kernel, bias, mask)
    inner, gate = activation_function(activation), activation_function(recurrent_activation)
    inputs = ops.matmul(x, kernel)
    if bias is not None:
        inputs = inputs + bias
    inputs = ops.swapaxes(inputs, 0, 1)
    steps: Any = (inputs,)
    if mask is not None:
        steps = (inputs, ops.expand_dims(ops.swapaxes(ops.cast(mask, "bool"), 0, 1), -1))
    if go_backwards:
        steps = tuple(ops.flip(s, 0) for s in steps)

    def step(state: Any, now: Any) -> Any:
        h, c, y = state
        i, f, g, o = ops.split(now[0] + ops.matmul(h, recurrent_kernel), 4, axis=-1)
        new_c = gate(f) * c + gate(i) * inner(g)
        new_h = gate(o) * inner(new_c)
        if mask is None:
            return (new_h, new_c, new_h), (new_h if return_sequences else None)
        counts = now[1]
        idle = ops.zeros_like(y) if zero_output_for_mask else y
        y = ops.where(counts, new_h, idle)
        state = (ops.where(counts, new_h, h), ops.where(counts, new_c, c), y)
        return state, (y if return_sequences else None)

    start = (initial_h, initial_c, ops.zeros_like(initial_h))
    (h, c, last), outputs = ops.scan(step, start, steps)
    return (ops.swapaxes(outputs, 0, 1) if return_sequences else last), h, c


def _check(x, initial_h, initial_c, kernel, recurrent_kernel, bias, mask) -> None:
    shapes = {
        "x": (x, 3, "(batch, time, features)"),
        "initial_h": (initial_h, 2, "(batch, units)"),
        "initial_c": (initial_c, 2, "(batch, units)"),
        "kernel": (kernel, 2, "(features, 4 * units)"),
        "recurrent_kernel": (recurrent_kernel, 2, "(units, 4 * units)"),
        "bias": (bias, 1, "(4 * units,)"),
        "mask": (mask, 2, "(batch, time)"),
    }
    for name, (value, rank, meaning) in shapes.items():
        if value is not None and len(value.shape) != rank:
            raise ValueError(f"`{name}` must have the shape {meaning}, got {tuple(value.shape)}.")
    units = recurrent_kernel.shape[0]
    gates = None if units is None else 4 * units
    for name, got, wanted in (
        ("recurrent_kernel", recurrent_kernel.shape[1], gates),
        ("kernel", kernel.shape[1], gates),
        ("kernel", kernel.shape[0], x.shape[2]),
        ("initial_h", initial_h.shape[1], units),
        ("initial_c", initial_c.shape[1], units),
        ("bias", None if bias is None else bias.shape[0], gates),
    ):
        if got is not None and wanted is not None and got != wanted:
            raise ValueError(
                f"`{name}` has a size of {got} where {wanted} is needed: x {tuple(x.shape)}, "
                "kernel "
                f"{tuple(kernel.shape)}, recurrent_kernel {tuple(recurrent_kernel.shape)}, "
                "initial_h "
                f"{tuple(initial_h.shape)}."
            )
