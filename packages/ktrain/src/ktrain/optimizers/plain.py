"""What happens around an update rule, made of ops: counting, weight decay, clipping."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kops import Variable, ops

__all__ = ["clip", "decay", "increment"]


def increment(variable: Variable) -> None:
    """Adds 1 to a step counter."""
    variable.assign_add(1)


def decay(variables: Sequence[Variable], factors: Sequence[float], optimizer: Any) -> None:
    """Takes `learning rate * factor` of each variable away."""
    learning_rate = optimizer.learning_rate
    for variable, factor in zip(variables, factors, strict=True):
        value = ops.stop_gradient(variable.value)
        rate = ops.cast(learning_rate, variable.dtype)
        variable.assign(value - value * (rate * factor))


def clip(
    grads: Sequence[Any], norm: float | None, global_norm: float | None, value: float | None
) -> Sequence[Any]:
    """The gradients limited in one of three ways.

    Args:
        grads: tensors.
        norm: largest L2 norm of each.
        global_norm: largest L2 norm of all together.
        value: largest size of an element.
    """
    if value is not None:
        return [ops.clip(g, -value, value) for g in grads]
    squares = [ops.sum(ops.square(ops.cast(g, "float32"))) for g in grads]
    if global_norm is not None:
        total = squares[0]
        for square in squares[1:]:
            total = total + square
        squares = [total] * len(squares)
    limit = norm if norm is not None else global_norm
    assert limit is not None
    return [
        g * ops.cast(limit / ops.maximum(ops.sqrt(s), limit), g.dtype)
        for g, s in zip(grads, squares, strict=True)
    ]
