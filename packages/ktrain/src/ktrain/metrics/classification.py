"""Metrics of yes/no predictions: counts, precision, recall."""

from __future__ import annotations

from typing import Any

from kops import Variable, masks, ops
from kops.registry import export
from ktrain.metrics.confusion import NEVER, check_thresholds, confusion
from ktrain.metrics.metric import Metric

__all__ = [
    "FalseNegatives",
    "FalsePositives",
    "Precision",
    "Recall",
    "TrueNegatives",
    "TruePositives",
]


def weight_with_mask(y_pred: Any, sample_weight: Any) -> Any:
    """The sample weight; where there is none, the mask attached to `y_pred`."""
    mask = masks.get_mask(y_pred)
    if mask is None:
        return sample_weight
    mask = ops.cast(mask, "float32")
    if sample_weight is None:
        return mask
    weight = ops.convert_to_tensor(sample_weight, "float32")
    missing = len(mask.shape) - len(weight.shape)
    return mask * ops.reshape(weight, (*ops.shape(weight), *[1] * max(missing, 0)))


class _Count(Metric):
    """Counts one cell of the confusion matrix."""

    _cell: str

    def __init__(self, thresholds: Any = None, name: str | None = None, dtype: Any = None) -> None:
        super().__init__(name=name, dtype=dtype)
        self.init_thresholds = thresholds
        self.thresholds = check_thresholds(thresholds)
        self.accumulator = self.add_variable(
            (len(self.thresholds),), initializer="zeros", name="accumulator"
        )

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Counts a batch.

        Args:
            y_true: targets, 0 or 1.
            y_pred: scores of the same shape; above a threshold means yes.
            sample_weight: scalar, or weights whose axes are the first axes of `y_pred`.
        """
        sample_weight = weight_with_mask(y_pred, sample_weight)
        counts = confusion(y_true, y_pred, self.thresholds, sample_weight)
        self.accumulator.assign_add(getattr(counts, self._cell))

    def result(self) -> Any:
        """The count: a scalar for one threshold, else one per threshold."""
        value = self.accumulator.value
        return value[0] if len(self.thresholds) == 1 else value

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments as plain values."""
        return {**super().get_config(), "thresholds": self.init_thresholds}


@export("keras.metrics.FalsePositives")
class FalsePositives(_Count):
    """Number of samples taken for yes that are no.

    Args:
        thresholds: scores above it mean yes; 0.5 by default. A list gives one count each.
        name: the metric's name.
        dtype: dtype of the result.

    Example:
    ```python
    >>> from ktrain.metrics import FalsePositives
    >>> float(FalsePositives()([0, 1, 0, 0], [0.7, 0.2, 0.9, 0.1]))
    2.0

    ```
    """

    _cell = "false_positives"


@export("keras.metrics.FalseNegatives")
class FalseNegatives(_Count):
    """Number of samples taken for no that are yes; arguments as in `FalsePositives`.

    Example:
    ```python
    >>> from ktrain.metrics import FalseNegatives
    >>> float(FalseNegatives()([0, 1, 1, 1], [0.0, 1.0, 0.0, 0.0]))
    2.0

    ```
    """

    _cell = "false_negatives"


@export("keras.metrics.TruePositives")
class TruePositives(_Count):
    """Number of samples rightly taken for yes; arguments as in `FalsePositives`.

    Example:
    ```python
    >>> from ktrain.metrics import TruePositives
    >>> float(TruePositives()([0, 1, 1, 1], [1.0, 0.0, 1.0, 1.0]))
    2.0

    ```
    """

    _cell = "true_positives"


@export("keras.metrics.TrueNegatives")
class TrueNegatives(_Count):
    """Number of samples rightly taken for no; arguments as in `FalsePositives`.

    Example:
    ```python
    >>> from ktrain.metrics import TrueNegatives
    >>> float(TrueNegatives()([0, 1, 0, 0], [1.0, 1.0, 0.0, 0.0]))
    2.0

    ```
    """

    _cell = "true_negatives"


class _Rate(Metric):
    """True positives as a part of themselves and another cell."""

    _other: str

    def __init__(
        self,
        thresholds: Any = None,
        top_k: int | None = None,
        class_id: int | None = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(name=name, dtype=dtype)
        self.init_thresholds = thresholds
        self.top_k = top_k
        self.class_id = class_id
        if top_k is None or thresholds is not None:
            self.thresholds = check_thresholds(thresholds)
        else:  # everything among the top k means yes
            self.thresholds = [NEVER]
        self.true_positives = self._cells("true_positives")
        other = self._cells(self._other)
        setattr(self, self._other, other)

    def _cells(self, name: str) -> Variable:
        return self.add_variable((len(self.thresholds),), initializer="zeros", name=name)

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Counts a batch.

        Args:
            y_true: targets, 0 or 1.
            y_pred: scores of the same shape; above a threshold means yes.
            sample_weight: scalar, or weights whose axes are the first axes of `y_pred`.
        """
        counts = confusion(
            y_true,
            y_pred,
            self.thresholds,
            weight_with_mask(y_pred, sample_weight),
            top_k=self.top_k,
            class_id=self.class_id,
        )
        self.true_positives.assign_add(counts.true_positives)
        getattr(self, self._other).assign_add(getattr(counts, self._other))

    def result(self) -> Any:
        """The rate: a scalar for one threshold, else one per threshold."""
        hits = self.true_positives.value
        rate = ops.divide_no_nan(hits, hits + getattr(self, self._other).value)
        return rate[0] if len(self.thresholds) == 1 else rate

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments as plain values."""
        return {
            **super().get_config(),
            "thresholds": self.init_thresholds,
            "top_k": self.top_k,
            "class_id": self.class_id,
        }


@export("keras.metrics.Precision")
class Precision(_Rate):
    """Which part of the samples taken for yes are yes.

    Args:
        thresholds: scores above it mean yes; 0.5 by default, none with `top_k`. A list
            gives one value each.
        top_k: only that many scores along the last axis can mean yes.
        class_id: the only index along the last axis that counts.
        name: the metric's name.
        dtype: dtype of the result.

    Example:
    ```python
    >>> from ktrain.metrics import Precision
    >>> float(Precision()([0, 1, 1, 1], [1.0, 0.0, 1.0, 0.0]))
    0.5

    ```
    """

    _other = "false_positives"


@export("keras.metrics.Recall")
class Recall(_Rate):
    """Which part of the samples that are yes are taken for yes; arguments as in `Precision`.

    Example:
    ```python
    >>> from ktrain.metrics import Recall
    >>> float(Recall()([0, 1, 1, 0], [1.0, 0.0, 1.0, 0.0]))
    0.5

    ```
    """

    _other = "false_negatives"
