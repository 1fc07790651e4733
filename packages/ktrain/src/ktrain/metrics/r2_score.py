"""The coefficient of determination."""

from __future__ import annotations

from typing import Any

from kops import ops
from kops.registry import export
from ktrain.losses.shapes import align_rank, align_weight
from ktrain.metrics.classification import weight_with_mask
from ktrain.metrics.metric import Metric

__all__ = ["R2Score"]

_AGGREGATIONS = (None, "uniform_average", "variance_weighted_average")


@export("keras.metrics.R2Score")
class R2Score(Metric):
    """Which part of the targets' variance the predictions explain: `1 - SSE / SST`.

    Args:
        class_aggregation: how the scores of several outputs are combined: None (not at
            all), `"uniform_average"`, or `"variance_weighted_average"`.
        num_regressors: number of independent variables; above 0 gives the adjusted score
            `1 - (1 - R2) * (n - 1) / (n - num_regressors - 1)` for `n` samples.
        name: the metric's name.
        dtype: dtype of the result.

    Raises:
        ValueError: an argument is none of the accepted values.

    Example:
    ```python
    >>> from ktrain.metrics import R2Score
    >>> round(float(R2Score()([[1.0], [4.0], [3.0]], [[2.0], [4.0], [4.0]])), 4)
    0.5714

    ```
    """

    def __init__(
        self,
        class_aggregation: str | None = "uniform_average",
        num_regressors: int = 0,
        name: str = "r2_score",
        dtype: Any = None,
    ) -> None:
        super().__init__(name=name, dtype=dtype)
        if class_aggregation not in _AGGREGATIONS:
            raise ValueError(
                "Invalid value for argument `class_aggregation`. Expected one of "
                f"{_AGGREGATIONS}. Received: class_aggregation={class_aggregation}"
            )
        if num_regressors < 0:
            raise ValueError(
                "Invalid value for argument `num_regressors`. Expected a value >= 0. "
                f"Received: num_regressors={num_regressors}"
            )
        self.class_aggregation = class_aggregation
        self.num_regressors = num_regressors
        self.num_samples = self.add_variable((), initializer="zeros", name="num_samples")
        self._built = False

    def _prepare(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        if self._built:
            return
        shape = ops.convert_to_tensor(y_pred).shape
        outputs = (shape[-1] if len(shape) > 1 else 1,)
        self.squared_sum = self.add_variable(outputs, initializer="zeros", name="squared_sum")
        self.sum = self.add_variable(outputs, initializer="zeros", name="sum")
        self.total_mse = self.add_variable(outputs, initializer="zeros", name="residual")
        self.count = self.add_variable(outputs, initializer="zeros", name="count")
        self._built = True

    def stateless_update_state(self, metric_variables: Any, *args: Any, **kwargs: Any) -> Any:
        """`update_state` as a function: takes the state's values, returns the new ones."""
        given = len(self.variables)
        self._prepare(*args, **kwargs)
        added = [v.value for v in self.variables[given:]] if len(metric_variables) == given else []
        return super().stateless_update_state([*metric_variables, *added], *args, **kwargs)

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Adds a batch.

        Args:
            y_true: targets, shape `(batch,)` or `(batch, outputs)`.
            y_pred: predictions of the same shape.
            sample_weight: scalar, or weights of shape `(batch,)`.
        """
        self._prepare(y_true, y_pred)
        sample_weight = weight_with_mask(y_pred, sample_weight)
        y_true, y_pred = align_rank(self._float(y_true), self._float(y_pred))
        if len(y_true.shape) == 1:
            y_true, y_pred = ops.expand_dims(y_true, -1), ops.expand_dims(y_pred, -1)
        weight = ops.ones_like(y_true)
        if sample_weight is not None:
            weight = weight * align_weight(y_true, self._float(sample_weight))[1]
        axes = tuple(range(len(y_true.shape) - 1))
        weighted = y_true * weight
        self.sum.assign_add(ops.sum(weighted, axis=axes))
        self.squared_sum.assign_add(ops.sum(y_true * weighted, axis=axes))
        self.total_mse.assign_add(ops.sum(ops.square(y_true - y_pred) * weight, axis=axes))
        self.count.assign_add(ops.sum(weight, axis=axes))
        # Rows, not elements: each row is one sample for the adjustment.
        rows = ops.prod(ops.stack([*ops.shape(y_true)[:-1]]))
        self.num_samples.assign_add(ops.cast(rows, self.num_samples.dtype))

    def result(self) -> Any:
        """The score; with `class_aggregation=None` one per output."""
        if not self._built:
            raise ValueError("R2Score has no result before its first update.")
        mean = ops.divide_no_nan(self.sum.value, self.count.value)
        total = self.squared_sum.value - self.sum.value * mean
        # Targets that do not vary: 0, or NaN if the predictions are right too.
        flat = ops.equal(total, 0)
        raw = 1.0 - self.total_mse.value / ops.where(flat, ops.ones_like(total), total)
        exact = ops.equal(self.total_mse.value, 0)
        raw = ops.where(flat, ops.where(exact, float("nan"), ops.zeros_like(raw)), raw)
        if self.class_aggregation == "uniform_average":
            score = ops.mean(raw)
        elif self.class_aggregation == "variance_weighted_average":
            score = ops.sum(raw * total) / ops.sum(total)
        else:
            score = raw
        return self._adjusted(score) if self.num_regressors else score

    def _adjusted(self, score: Any) -> Any:
        samples = self.num_samples.value
        free = samples - float(self.num_regressors) - 1.0
        adjusted = 1.0 - (1.0 - score) * ops.divide_no_nan(samples - 1.0, free)
        # With no degree of freedom left there is nothing to adjust by.
        return ops.where(free > 0, adjusted, score)

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments as plain values."""
        return {
            **super().get_config(),
            "class_aggregation": self.class_aggregation,
            "num_regressors": self.num_regressors,
        }
