"""Counting true and false positives and negatives at thresholds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from kops import config, ops
from ktrain.losses.shapes import align_rank, align_weight

__all__ = ["Counts", "check_thresholds", "confusion", "even_thresholds"]

NEVER = -1e10  # a score below every threshold


class Counts:
    """Weighted counts per threshold: tensors `(thresholds,)` or `(thresholds, labels)`."""

    def __init__(self, positive: Any, true: Any, weight: Any) -> None:
        hits, misses = true * weight, (1.0 - true) * weight
        self.true_positives = _matched(positive, hits)
        self.false_positives = _matched(positive, misses)
        self.false_negatives = ops.sum(hits, axis=0) - self.true_positives
        self.true_negatives = ops.sum(misses, axis=0) - self.false_positives


def _matched(positive: Any, amount: Any) -> Any:
    if len(amount.shape) == 1:
        return ops.matmul(positive, amount)
    return ops.sum(positive * ops.expand_dims(amount, 0), axis=1)


def check_thresholds(thresholds: Any, default: float = 0.5) -> list[float]:
    """Thresholds as a list.

    Raises:
        ValueError: one is not between 0 and 1.
    """
    if thresholds is None:
        return [default]
    values = list(thresholds) if isinstance(thresholds, Sequence) else [thresholds]
    wrong = [t for t in values if t is None or not 0 <= t <= 1]
    if wrong:
        raise ValueError(
            f"Threshold values must be in [0, 1]. Received: {wrong} in thresholds={thresholds}"
        )
    return values


def even_thresholds(number: int) -> list[float]:
    """`number` thresholds at even distances from just below 0 to just above 1."""
    inner = [(i + 1) / (number - 1) for i in range(number - 2)]
    return [-config.epsilon(), *inner, 1.0 + config.epsilon()]


def confusion(
    y_true: Any,
    y_pred: Any,
    thresholds: Sequence[float],
    sample_weight: Any = None,
    top_k: int | None = None,
    class_id: int | None = None,
    per_label: bool = False,
    label_weights: Any = None,
) -> Counts:
    """Counts a batch.

    Args:
        y_true: targets; other than 0 means yes.
        y_pred: scores of the same shape; above a threshold means yes.
        thresholds: list of thresholds.
        sample_weight: weights whose axes are the first axes of `y_pred`.
        top_k: only that many scores along the last axis can mean yes.
        class_id: the only index along the last axis that counts.
        per_label: whether the last axis is kept.
        label_weights: weight of each index of the last axis.
    """
    y_pred = ops.convert_to_tensor(y_pred, "float32")
    y_true = ops.cast(ops.not_equal(ops.convert_to_tensor(y_true), 0), "float32")
    y_pred, y_true = align_rank(y_pred, y_true)
    if tuple(y_pred.shape) != tuple(y_true.shape) and None not in (*y_pred.shape, *y_true.shape):
        raise ValueError(
            "`y_true` and `y_pred` must have the same shape. Received: "
            f"y_true.shape={tuple(y_true.shape)}, y_pred.shape={tuple(y_pred.shape)}"
        )
    weight = ops.ones_like(y_pred)
    if sample_weight is not None:
        _, given = align_weight(y_pred, ops.convert_to_tensor(sample_weight, "float32"))
        weight = weight * given
    if label_weights is not None:
        weight = weight * ops.convert_to_tensor(label_weights, "float32")
    if top_k is not None:
        y_pred = _only_top_k(y_pred, top_k)
    if class_id is not None:
        y_true, y_pred, weight = (x[..., class_id] for x in (y_true, y_pred, weight))
    shape = (-1, y_pred.shape[-1]) if per_label else (-1,)
    y_true, y_pred, weight = (ops.reshape(x, shape) for x in (y_true, y_pred, weight))
    limits = np.reshape(np.asarray(thresholds, "float32"), (-1, *[1] * len(shape)))
    positive = ops.expand_dims(y_pred, 0) > ops.convert_to_tensor(limits)
    return Counts(ops.cast(positive, "float32"), y_true, weight)


def _only_top_k(scores: Any, k: int) -> Any:
    """The `k` highest scores along the last axis; the others never mean yes."""
    _, best = ops.top_k(scores, k, sorted=False)
    keep = ops.sum(ops.one_hot(best, scores.shape[-1], dtype="float32"), axis=-2)
    return keep * scores + (1.0 - keep) * NEVER
