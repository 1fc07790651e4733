"""Lining up the ranks of targets, predictions, weights and masks."""

from __future__ import annotations

from typing import Any

from kops import ops
from ktrain.losses.numerics import pair

__all__ = ["align_pair", "align_rank", "align_weight"]


def align_rank(x: Any, y: Any) -> tuple[Any, Any]:
    """Removes (or adds) a last axis of size 1 where the ranks differ by one.

    `(n,)` against `(n, 1)` becomes `(n, 1)` twice; `(n, m, 1)` against `(n, m)`
    becomes `(n, m)` twice. Anything else is returned as it is.
    """
    difference = len(x.shape) - len(y.shape)
    if difference == 0:
        return x, y
    if difference == 1 and x.shape[-1] == 1:
        return (x, ops.expand_dims(y, -1)) if len(y.shape) == 1 else (ops.squeeze(x, -1), y)
    if difference == -1 and y.shape[-1] == 1:
        return (ops.expand_dims(x, -1), y) if len(x.shape) == 1 else (x, ops.squeeze(y, -1))
    return x, y


def align_pair(y_true: Any, y_pred: Any) -> tuple[Any, Any]:
    """Both as float tensors with the ranks lined up.

    Raises:
        ValueError: the shapes do not broadcast.
    """
    y_true, y_pred = align_rank(*pair(y_true, y_pred))
    a, b = y_true.shape, y_pred.shape
    if a != b and any(
        m != n and 1 not in (m, n) and None not in (m, n)
        for m, n in zip(reversed(a), reversed(b), strict=False)
    ):
        raise ValueError(
            f"`y_true` of shape {tuple(a)} does not fit `y_pred` of shape {tuple(b)}: give one "
            "target for each value that the model puts out."
        )
    return y_true, y_pred


def align_weight(values: Any, weight: Any) -> tuple[Any, Any]:
    """Makes `weight` broadcast to `values`, the first axes against the first axes.

    Raises:
        ValueError: the shapes do not fit.
    """
    values, weight = align_rank(values, weight)
    missing = len(values.shape) - len(weight.shape)
    if missing > 0 and len(weight.shape) > 0:
        weight = ops.reshape(weight, (*ops.shape(weight), *[1] * missing))
    fits = missing >= 0 and all(
        a == b or b == 1 or a is None or b is None
        for a, b in zip(values.shape, weight.shape, strict=False)
    )
    if not fits:
        raise ValueError(
            "`sample_weight` (or the mask) does not fit the per-sample losses: they have shape "
            f"{tuple(values.shape)}, the weights {tuple(weight.shape)}. Give one weight per "
            "sample, or one per value."
        )
    return values, weight
