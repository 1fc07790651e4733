"""Metrics over all thresholds: area under a curve, and one rate where another is given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from kops import Variable, config, ops
from kops.registry import export
from ktrain.metrics.classification import weight_with_mask
from ktrain.metrics.confusion import confusion, even_thresholds
from ktrain.metrics.metric import Metric

__all__ = [
    "AUC",
    "PrecisionAtRecall",
    "RecallAtPrecision",
    "SensitivityAtSpecificity",
    "SpecificityAtSensitivity",
]

_CELLS = ("true_positives", "false_positives", "true_negatives", "false_negatives")
_CURVES = {"roc": "ROC", "pr": "PR", "prgain": "PRGAIN"}
_SUMMATIONS = ("interpolation", "minoring", "majoring")


def _option(name: str, value: Any, accepted: Sequence[str]) -> str:
    if not isinstance(value, str) or value.lower() not in accepted:
        options = ", ".join(map(repr, accepted))
        raise ValueError(
            f"Invalid `{name}` argument value. Expected one of {options}. "
            f"Received: {name}={value!r}"
        )
    return value.lower()


class _AllCells(Metric):
    """Keeps the four cells of the confusion matrix at several thresholds."""

    true_positives: Any
    false_positives: Any
    true_negatives: Any
    false_negatives: Any

    def _make_cells(self, shape: Sequence[int]) -> None:
        for cell in _CELLS:
            setattr(self, cell, self.add_variable(shape, initializer="zeros", name=cell))

    def _count(self, y_true: Any, y_pred: Any, sample_weight: Any, **options: Any) -> None:
        thresholds = self._thresholds
        counts = confusion(
            y_true, y_pred, thresholds, weight_with_mask(y_pred, sample_weight), **options
        )
        for cell in _CELLS:
            getattr(self, cell).assign_add(getattr(counts, cell))

    _thresholds: list[float]


@export("keras.metrics.AUC")
class AUC(_AllCells):
    """Approximate area under the ROC or precision-recall curve, by a Riemann sum.

    Args:
        num_thresholds: number of points of the curve, above 1.
        curve: `"ROC"`, `"PR"`, or `"PRGAIN"` (precision-recall-gain).
        summation_method: `"interpolation"` (trapezoids; for PR the interpolation of Davis
            and Goadrich), `"minoring"` or `"majoring"` (a lower or upper bound).
        name: the metric's name.
        dtype: dtype of the result.
        thresholds: the points between 0 and 1, instead of even ones.
        multi_label: whether the area of each label (last axis) is averaged; otherwise
            all labels count as one.
        num_labels: number of labels, if the state is to be made at once.
        label_weights: weights of the labels in that average (of the counts without
            `multi_label`).
        from_logits: whether predictions are logits.

    Raises:
        ValueError: an argument is none of the accepted values.

    Source: J. Davis, M. Goadrich, "The Relationship Between Precision-Recall and ROC
    Curves", ICML 2006; P. Flach, M. Kull, "Precision-Recall-Gain Curves", NeurIPS 2015.

    Example:
    ```python
    >>> from ktrain.metrics import AUC
    >>> round(float(AUC(num_thresholds=3)([0, 0, 1, 1], [0.0, 0.5, 0.3, 0.9])), 4)
    0.75

    ```
    """

    def __init__(
        self,
        num_thresholds: int = 200,
        curve: str = "ROC",
        summation_method: str = "interpolation",
        name: str | None = None,
        dtype: Any = None,
        thresholds: Sequence[float] | None = None,
        multi_label: bool = False,
        num_labels: int | None = None,
        label_weights: Any = None,
        from_logits: bool = False,
    ) -> None:
        self.curve = _option("curve", curve, list(_CURVES))
        self.summation_method = _option("summation_method", summation_method, _SUMMATIONS)
        super().__init__(name=name, dtype=dtype)
        self.init_thresholds = None if thresholds is None else list(thresholds)
        if thresholds is None:
            if num_thresholds <= 1:
                raise ValueError(
                    "Argument `num_thresholds` must be an integer > 1. "
                    f"Received: num_thresholds={num_thresholds}"
                )
            self._thresholds = even_thresholds(num_thresholds)
        else:
            wrong = [t for t in thresholds if not 0 <= t <= 1]
            if wrong:
                raise ValueError(f"Threshold values must be in [0, 1]. Received: {wrong}")
            small = config.epsilon()
            self._thresholds = [-small, *sorted(thresholds), 1.0 + small]
        self.num_thresholds = len(self._thresholds)
        self.multi_label = multi_label
        self.num_labels = num_labels
        self.label_weights = label_weights
        self._from_logits = from_logits
        if num_labels and not multi_label:
            raise ValueError("`num_labels` is needed only when `multi_label` is True.")
        if not multi_label:
            self._make_cells((self.num_thresholds,))
        elif num_labels:
            self._make_cells((self.num_thresholds, num_labels))

    @property
    def thresholds(self) -> list[float]:
        """The points of the curve."""
        return list(self._thresholds)

    def _prepare(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        if not self._variables:
            self._make_cells((self.num_thresholds, ops.convert_to_tensor(y_pred).shape[-1]))

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Counts a batch.

        Args:
            y_true: targets, 0 or 1.
            y_pred: scores in [0, 1] (or logits) of the same shape.
            sample_weight: scalar, or weights whose axes are the first axes of `y_pred`.
        """
        self._prepare(y_true, y_pred)
        sample_weight = weight_with_mask(y_pred, sample_weight)
        if self._from_logits:
            y_pred = ops.sigmoid(ops.convert_to_tensor(y_pred, "float32"))
        self._count(
            y_true,
            y_pred,
            sample_weight,
            per_label=self.multi_label,
            label_weights=None if self.multi_label else self.label_weights,
        )

    def result(self) -> Any:
        """The area."""
        if not self._variables:
            raise ValueError("AUC(multi_label=True) has no result before its first update.")
        if self.curve == "pr" and self.summation_method == "interpolation":
            return self.interpolate_pr_auc()
        x, y = self._points()
        low, high = y[1:], y[:-1]
        heights = {
            "interpolation": lambda: (low + high) / 2.0,
            "minoring": lambda: ops.minimum(low, high),
            "majoring": lambda: ops.maximum(low, high),
        }[self.summation_method]()
        return self._over_labels(ops.sum((x[:-1] - x[1:]) * heights, axis=0))

    def _points(self) -> tuple[Any, Any]:
        tp, fp, tn, fn = (getattr(self, cell).value for cell in _CELLS)
        recall = ops.divide_no_nan(tp, tp + fn)
        if self.curve == "roc":
            return ops.divide_no_nan(fp, fp + tn), recall
        if self.curve == "pr":
            return recall, ops.divide_no_nan(tp, tp + fp)
        # Gains: how much of the way from always saying yes to perfection.
        odds = ops.divide_no_nan(tp + fn, fp + tn)
        return 1.0 - odds * ops.divide_no_nan(fn, tp), 1.0 - odds * ops.divide_no_nan(fp, tp)

    def interpolate_pr_auc(self) -> Any:
        """Area under the precision-recall curve, true positives interpolated linearly."""
        tp, fp, _, fn = (getattr(self, cell).value for cell in _CELLS)
        taken = tp + fp
        gained = tp[:-1] - tp[1:]
        slope = ops.divide_no_nan(gained, ops.maximum(taken[:-1] - taken[1:], 0.0))
        intercept = tp[1:] - slope * taken[1:]
        usable = ops.logical_and(taken[:-1] > 0, taken[1:] > 0)
        ratio = ops.where(usable, ops.divide_no_nan(taken[:-1], ops.maximum(taken[1:], 0.0)), 1.0)
        ratio = ops.where(ratio > 0, ratio, 1.0)
        area = ops.divide_no_nan(
            slope * (gained + intercept * ops.log(ratio)), ops.maximum(tp[1:] + fn[1:], 0.0)
        )
        return self._over_labels(ops.sum(area, axis=0))

    def _over_labels(self, areas: Any) -> Any:
        if not self.multi_label:
            return areas
        if self.label_weights is None:
            return ops.mean(areas)
        weights = ops.convert_to_tensor(self.label_weights, areas.dtype)
        return ops.divide_no_nan(ops.sum(areas * weights), ops.sum(weights))

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments as plain values."""
        weights = self.label_weights
        result = {
            **super().get_config(),
            "num_thresholds": self.num_thresholds,
            "curve": _CURVES[self.curve],
            "summation_method": self.summation_method,
            "multi_label": self.multi_label,
            "num_labels": self.num_labels,
            "label_weights": None if weights is None else np.asarray(weights).tolist(),
            "from_logits": self._from_logits,
        }
        if self.init_thresholds is not None:
            result["thresholds"] = self.init_thresholds
        return result


class _RateAtRate(_AllCells):
    """The best value of one rate among the thresholds where another reaches a value."""

    _argument: str

    def __init__(
        self,
        value: float,
        num_thresholds: int,
        class_id: int | None,
        name: str | None,
        dtype: Any,
    ) -> None:
        super().__init__(name=name, dtype=dtype)
        self.value = value
        self.class_id = class_id
        self.num_thresholds = num_thresholds
        self.thresholds = [0.5] if num_thresholds == 1 else even_thresholds(num_thresholds)
        self._thresholds = self.thresholds
        self._make_cells((len(self.thresholds),))

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Counts a batch.

        Args:
            y_true: targets, 0 or 1.
            y_pred: scores in [0, 1] of the same shape.
            sample_weight: scalar, or weights whose axes are the first axes of `y_pred`.
        """
        self._count(y_true, y_pred, sample_weight, class_id=self.class_id)

    def _rates(self) -> tuple[Any, Any]:
        """The rate that is given and the one that is wanted."""
        raise NotImplementedError

    def result(self) -> Any:
        """The best value of the wanted rate; 0 where the given one is never reached."""
        given, wanted = self._rates()
        return ops.max(ops.where(given >= self.value, wanted, ops.zeros_like(wanted)))

    def _rate(self, hits: Variable, others: Variable) -> Any:
        return ops.divide_no_nan(hits.value, hits.value + others.value)

    def _sensitivity(self) -> Any:
        return self._rate(self.true_positives, self.false_negatives)

    def _specificity(self) -> Any:
        return self._rate(self.true_negatives, self.false_positives)

    def _precision(self) -> Any:
        return self._rate(self.true_positives, self.false_positives)

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments as plain values."""
        return {
            **super().get_config(),
            "class_id": self.class_id,
            "num_thresholds": self.num_thresholds,
            self._argument: self.value,
        }


@export("keras.metrics.SensitivityAtSpecificity")
class SensitivityAtSpecificity(_RateAtRate):
    """Best sensitivity among the thresholds where the specificity reaches a value.

    Args:
        specificity: the value, in [0, 1].
        num_thresholds: number of thresholds tried.
        class_id: the only index along the last axis that counts.
        name: the metric's name.
        dtype: dtype of the result.

    Example:
    ```python
    >>> from ktrain.metrics import SensitivityAtSpecificity
    >>> metric = SensitivityAtSpecificity(0.5)
    >>> float(metric([0, 0, 0, 1, 1], [0.0, 0.3, 0.8, 0.3, 0.8]))
    0.5

    ```
    """

    _argument = "specificity"

    def __init__(
        self,
        specificity: float,
        num_thresholds: int = 200,
        class_id: int | None = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(specificity, num_thresholds, class_id, name, dtype)
        self.specificity = specificity

    def _rates(self) -> tuple[Any, Any]:
        return self._specificity(), self._sensitivity()


@export("keras.metrics.SpecificityAtSensitivity")
class SpecificityAtSensitivity(_RateAtRate):
    """Best specificity among the thresholds where the sensitivity reaches a value.

    Args:
        sensitivity: the value, in [0, 1].
        num_thresholds: number of thresholds tried.
        class_id: the only index along the last axis that counts.
        name: the metric's name.
        dtype: dtype of the result.

    Example:
    ```python
    >>> from ktrain.metrics import SpecificityAtSensitivity
    >>> metric = SpecificityAtSensitivity(0.5)
    >>> round(float(metric([0, 0, 0, 1, 1], [0.0, 0.3, 0.8, 0.3, 0.8])), 4)
    0.6667

    ```
    """

    _argument = "sensitivity"

    def __init__(
        self,
        sensitivity: float,
        num_thresholds: int = 200,
        class_id: int | None = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(sensitivity, num_thresholds, class_id, name, dtype)
        self.sensitivity = sensitivity

    def _rates(self) -> tuple[Any, Any]:
        return self._sensitivity(), self._specificity()


@export("keras.metrics.PrecisionAtRecall")
class PrecisionAtRecall(_RateAtRate):
    """Best precision among the thresholds where the recall reaches a value.

    Args:
        recall: the value, in [0, 1].
        num_thresholds: number of thresholds tried.
        class_id: the only index along the last axis that counts.
        name: the metric's name.
        dtype: dtype of the result.

    Example:
    ```python
    >>> from ktrain.metrics import PrecisionAtRecall
    >>> float(PrecisionAtRecall(0.5)([0, 0, 0, 1, 1], [0.0, 0.3, 0.8, 0.3, 0.8]))
    0.5

    ```
    """

    _argument = "recall"

    def __init__(
        self,
        recall: float,
        num_thresholds: int = 200,
        class_id: int | None = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(recall, num_thresholds, class_id, name, dtype)
        self.recall = recall

    def _rates(self) -> tuple[Any, Any]:
        return self._sensitivity(), self._precision()


@export("keras.metrics.RecallAtPrecision")
class RecallAtPrecision(_RateAtRate):
    """Best recall among the thresholds where the precision reaches a value.

    Args:
        precision: the value, in [0, 1].
        num_thresholds: number of thresholds tried.
        class_id: the only index along the last axis that counts.
        name: the metric's name.
        dtype: dtype of the result.

    Example:
    ```python
    >>> from ktrain.metrics import RecallAtPrecision
    >>> float(RecallAtPrecision(0.8)([0, 0, 1, 1], [0.0, 0.5, 0.3, 0.9]))
    0.5

    ```
    """

    _argument = "precision"

    def __init__(
        self,
        precision: float,
        num_thresholds: int = 200,
        class_id: int | None = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(precision, num_thresholds, class_id, name, dtype)
        self.precision = precision

    def _rates(self) -> tuple[Any, Any]:
        return self._precision(), self._sensitivity()
