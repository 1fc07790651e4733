"""F scores of several classes."""

from __future__ import annotations

from typing import Any

from kops import Variable, ops
from kops.registry import export
from ktrain.losses.shapes import align_weight
from ktrain.metrics.classification import weight_with_mask
from ktrain.metrics.metric import Metric

__all__ = ["F1Score", "FBetaScore"]

_AVERAGES = (None, "micro", "macro", "weighted")


@export("keras.metrics.FBetaScore")
class FBetaScore(Metric):
    """Weighted harmonic mean of precision and recall.

    `(1 + beta**2) * precision * recall / (beta**2 * precision + recall)`

    Args:
        average: None for one score per class, `"micro"` for one score over all,
            `"macro"` for the mean of the classes' scores, `"weighted"` for their mean
            weighted by how often each class occurs.
        beta: how many times as much recall counts, above 0.
        threshold: scores above it mean yes; None: the highest score of a row does.
        name: the metric's name.
        dtype: dtype of the result.

    Raises:
        ValueError: an argument is none of the accepted values.

    Example:
    ```python
    >>> from ktrain.metrics import FBetaScore
    >>> metric = FBetaScore(average="micro", beta=2.0, threshold=0.5)
    >>> float(metric([[1, 0], [0, 1]], [[0.9, 0.1], [0.2, 0.8]]))
    1.0

    ```
    """

    def __init__(
        self,
        average: str | None = None,
        beta: float = 1.0,
        threshold: float | None = None,
        name: str = "fbeta_score",
        dtype: Any = None,
    ) -> None:
        super().__init__(name=name, dtype=dtype)
        if average not in _AVERAGES:
            raise ValueError(
                "Invalid `average` argument value. Expected one of: "
                f"{', '.join(map(repr, _AVERAGES))}. Received: average={average!r}"
            )
        if not isinstance(beta, float) or beta <= 0:
            raise ValueError(
                f"Invalid `beta` argument value. It should be a float > 0. Received: beta={beta}"
            )
        if threshold is not None and not (isinstance(threshold, float) and 0 < threshold <= 1):
            raise ValueError(
                "Invalid `threshold` argument value. It should be a float > 0 and <= 1. "
                f"Received: threshold={threshold}"
            )
        self.average = average
        self.beta = beta
        self.threshold = threshold
        self._built = False

    def _prepare(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        if self._built:
            return
        shape = ops.convert_to_tensor(y_pred).shape
        if len(shape) != 2 or shape[-1] is None:
            raise ValueError(
                f"{type(self).__name__} needs predictions of shape (batch, classes). "
                f"Received: y_pred.shape={tuple(shape)}"
            )
        cells = () if self.average == "micro" else (shape[-1],)
        self.true_positives = self._cell(cells, "true_positives")
        self.false_positives = self._cell(cells, "false_positives")
        self.false_negatives = self._cell(cells, "false_negatives")
        self.intermediate_weights = self._cell(cells, "intermediate_weights")
        self._built = True

    def _cell(self, shape: tuple[int, ...], name: str) -> Variable:
        return self.add_variable(shape, initializer="zeros", name=name)

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Counts a batch.

        Args:
            y_true: targets, shape `(batch, classes)`, 0 or 1.
            y_pred: scores of the same shape.
            sample_weight: scalar, or weights of shape `(batch,)`.
        """
        self._prepare(y_true, y_pred)
        sample_weight = weight_with_mask(y_pred, sample_weight)
        y_true, y_pred = self._float(y_true), self._float(y_pred)
        if self.threshold is None:
            best = ops.max(y_pred, axis=-1, keepdims=True)
            # A zero best score means that nothing was predicted.
            yes = ops.logical_and(ops.equal(y_pred, best), ops.abs(y_pred) > 1e-9)
        else:
            yes = y_pred > self.threshold
        y_pred = ops.cast(yes, y_true.dtype)
        weight = ops.ones_like(y_true)
        if sample_weight is not None:
            weight = weight * align_weight(y_true, self._float(sample_weight))[1]
        axis = None if self.average == "micro" else 0

        def total(x: Any) -> Any:
            return ops.sum(x * weight, axis=axis)

        self.true_positives.assign_add(total(y_pred * y_true))
        self.false_positives.assign_add(total(y_pred * (1.0 - y_true)))
        self.false_negatives.assign_add(total((1.0 - y_pred) * y_true))
        self.intermediate_weights.assign_add(total(y_true))

    def result(self) -> Any:
        """The score: a scalar, or one per class with `average=None`."""
        if not self._built:
            raise ValueError(f"{type(self).__name__} has no result before its first update.")
        tp = self.true_positives.value
        precision = ops.divide_no_nan(tp, tp + self.false_positives.value)
        recall = ops.divide_no_nan(tp, tp + self.false_negatives.value)
        square = self.beta**2
        score = ops.divide_no_nan((1.0 + square) * precision * recall, square * precision + recall)
        if self.average == "weighted":
            weights = self.intermediate_weights.value
            return ops.sum(score * ops.divide_no_nan(weights, ops.sum(weights)))
        return score if self.average is None else ops.mean(score)

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments as plain values."""
        return {
            "name": self.name,
            "dtype": self.dtype,
            "average": self.average,
            "beta": self.beta,
            "threshold": self.threshold,
        }


@export("keras.metrics.F1Score")
class F1Score(FBetaScore):
    """Harmonic mean of precision and recall; arguments as in `FBetaScore`.

    Example:
    ```python
    >>> from ktrain.metrics import F1Score
    >>> metric = F1Score(average="macro", threshold=0.5)
    >>> float(metric([[1, 0], [0, 1]], [[0.9, 0.1], [0.2, 0.8]]))
    1.0

    ```
    """

    def __init__(
        self,
        average: str | None = None,
        threshold: float | None = None,
        name: str = "f1_score",
        dtype: Any = None,
    ) -> None:
        super().__init__(average=average, beta=1.0, threshold=threshold, name=name, dtype=dtype)

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments as plain values."""
        result = super().get_config()
        del result["beta"]
        return result
