"""Clipping gradients, and weight decay: what happens to them before the update."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kops import ops

__all__ = ["clip_by_global_norm", "clip_by_norm", "clip_by_value", "global_norm"]


def clip_by_value(gradient: Any, limit: float) -> Any:
    """Every element kept in `[-limit, limit]`."""
    return ops.clip(gradient, -limit, limit)


def clip_by_norm(gradient: Any, limit: float) -> Any:
    """`gradient` scaled down so that its L2 norm is at most `limit`."""
    norm = ops.sqrt(ops.sum(ops.square(ops.cast(gradient, "float32"))))
    return _scaled(gradient, norm, limit)


def clip_by_global_norm(gradients: Sequence[Any], limit: float) -> list[Any]:
    """All gradients scaled by one factor so that their common L2 norm is at most `limit`.

    `None`s are passed through.
    """
    norm = global_norm(gradients)
    return [None if g is None else _scaled(g, norm, limit) for g in gradients]


def global_norm(gradients: Sequence[Any]) -> Any:
    """L2 norm of all gradients together, in float32."""
    squares = [
        ops.sum(ops.square(ops.cast(g, "float32"))) for g in gradients if g is not None
    ]
    total = squares[0]
    for square in squares[1:]:
        total = total + square
    return ops.sqrt(total)


def _scaled(gradient: Any, norm: Any, limit: float) -> Any:
    factor = limit / ops.maximum(norm, limit)
    return gradient * ops.cast(factor, gradient.dtype)
