"""Sums and means over all that was seen, and metrics that are means of a function."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, ClassVar, Self

from kops import masks, ops
from kops.registry import export
from kops.serialization import deserialize_keras_object, serialize_keras_object
from ktrain.losses.shapes import align_rank, align_weight
from ktrain.metrics.metric import Metric

__all__ = ["FunctionMetric", "Mean", "MeanMetricWrapper", "Sum", "samplewise"]


def samplewise(values: Any, sample_weight: Any, mask: Any, dtype: str) -> tuple[Any, Any]:
    """Per-sample weighted values and weights, each averaged over the axes after the first.

    Values of higher rank than the weights are first averaged down to it. Without weights
    and mask, the weights are None.
    """
    values = ops.convert_to_tensor(values, dtype)
    if sample_weight is None and mask is None:
        return _per_sample(values), None
    weight: Any = None
    if sample_weight is not None:
        weight = ops.convert_to_tensor(sample_weight, dtype)
        values, weight = align_rank(values, weight)
    if mask is not None:
        values, mask = align_weight(values, ops.cast(mask, dtype))
        values = ops.where(mask > 0, values, 0.0)
        if weight is None:
            weight = ops.broadcast_to(mask, ops.shape(values))
        else:
            values, weight = align_weight(values, weight)
            weight = ops.broadcast_to(weight * mask, ops.shape(values))
    rank = len(weight.shape)
    if rank < len(values.shape):
        values = ops.mean(values, axis=tuple(range(rank, len(values.shape))))
    return _per_sample(values * weight), _per_sample(weight)


def _per_sample(x: Any) -> Any:
    rank = len(x.shape)
    return x if rank <= 1 else ops.mean(x, axis=tuple(range(1, rank)))


@export("keras.metrics.Sum")
class Sum(Metric):
    """The (weighted) sum of all values.

    Args:
        name: the metric's name.
        dtype: dtype of the result.

    Example:
    ```python
    >>> from ktrain.metrics import Sum
    >>> metric = Sum()
    >>> metric.update_state([1.0, 2.0])
    >>> metric.update_state([3.0])
    >>> float(metric.result())
    6.0

    ```
    """

    def __init__(self, name: str = "sum", dtype: Any = None) -> None:
        super().__init__(name=name, dtype=dtype)
        self.total = self.add_variable((), initializer="zeros", name="total")

    def update_state(self, values: Any, sample_weight: Any = None) -> None:
        """Adds values, times their weights.

        Args:
            values: tensor of any shape.
            sample_weight: scalar, or weights whose axes are the first axes of `values`.
        """
        mask = masks.get_mask(values)
        if sample_weight is None and mask is None:
            self.total.assign_add(ops.sum(self._float(values)))
            return
        values, _ = samplewise(values, sample_weight, mask, self._state_dtype)
        self.total.assign_add(ops.sum(values))

    def reset_state(self) -> None:
        """Starts anew."""
        self.total.assign(0)

    def result(self) -> Any:
        """The sum."""
        return ops.cast(self.total.value, self.dtype)


@export("keras.metrics.Mean")
class Mean(Metric):
    """The (weighted) mean of all values.

    Each sample counts once: values with more axes are averaged per sample first.

    Args:
        name: the metric's name.
        dtype: dtype of the result.

    Example:
    ```python
    >>> from ktrain.metrics import Mean
    >>> metric = Mean()
    >>> metric.update_state([1.0, 2.0])
    >>> metric.update_state([6.0])
    >>> float(metric.result())
    3.0

    ```
    """

    def __init__(self, name: str = "mean", dtype: Any = None) -> None:
        super().__init__(name=name, dtype=dtype)
        self.total = self.add_variable((), initializer="zeros", name="total")
        self.count = self.add_variable((), initializer="zeros", name="count")

    def update_state(self, values: Any, sample_weight: Any = None) -> None:
        """Adds values.

        Args:
            values: tensor of any shape.
            sample_weight: scalar, or weights whose axes are the first axes of `values`.
        """
        self._add(values, sample_weight, masks.get_mask(values))

    def _add(self, values: Any, sample_weight: Any, mask: Any) -> None:
        if sample_weight is None and mask is None:
            self._add_plain(ops.convert_to_tensor(values, self._state_dtype))
            return
        values, weights = samplewise(values, sample_weight, mask, self._state_dtype)
        self.total.assign_add(ops.sum(values))
        self.count.assign_add(ops.sum(weights))

    def _add_plain(self, values: Any) -> None:
        shape = values.shape
        total = ops.sum(values)
        if len(shape) > 1:  # per sample: the mean over the other axes
            size = math.prod(shape[1:]) if None not in tuple(shape[1:]) else None
            others = ops.prod(ops.shape(values)[1:]) if size is None else float(size or 1)
            total = total / (ops.cast(others, values.dtype) if size is None else others)
        self.total.assign_add(total)
        count = ops.shape(values)[0] if len(shape) else 1
        self.count.assign_add(
            float(count) if isinstance(count, int) else ops.cast(count, self._state_dtype)
        )

    def result(self) -> Any:
        """The mean; 0 when nothing was seen."""
        return ops.cast(ops.divide_no_nan(self.total.value, self.count.value), self.dtype)


@export("keras.metrics.MeanMetricWrapper")
class MeanMetricWrapper(Mean):
    """The mean of a function of targets and predictions.

    Args:
        fn: function `(y_true, y_pred, **kwargs)` that returns a value per sample.
        name: the metric's name.
        dtype: dtype of the result.
        kwargs: further arguments of `fn`.

    Example:
    ```python
    >>> from ktrain.losses import mean_squared_error
    >>> from ktrain.metrics import MeanMetricWrapper
    >>> metric = MeanMetricWrapper(mean_squared_error)
    >>> float(metric([[0.0]], [[2.0]]))
    4.0

    ```
    """

    def __init__(
        self, fn: Callable[..., Any], name: str | None = None, dtype: Any = None, **kwargs: Any
    ) -> None:
        super().__init__(name=name, dtype=dtype)  # type: ignore[arg-type]
        self._fn = fn
        self._fn_kwargs = kwargs

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Adds a batch.

        Args:
            y_true: targets.
            y_pred: predictions; a mask attached to them counts.
            sample_weight: scalar, or weights whose axes are the first axes of the values.
        """
        mask = masks.get_mask(y_pred)
        values = self._fn(y_true, y_pred, **self._fn_kwargs)
        own_mask = masks.get_mask(values)
        if own_mask is not None and own_mask is not mask:
            mask = own_mask if mask is None else ops.logical_and(mask, own_mask)
        self._add(values, sample_weight, mask)

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments as plain values."""
        return {
            **super().get_config(),
            "fn": serialize_keras_object(self._fn),
            **serialize_keras_object(self._fn_kwargs),
        }

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """Builds the metric from what `get_config` returned."""
        config = dict(config)
        if "fn" in config:
            config["fn"] = deserialize_keras_object(config["fn"])
        return cls(**config)


class FunctionMetric(MeanMetricWrapper):
    """A mean of a fixed function, whose options are the constructor's arguments."""

    _function: ClassVar[Callable[..., Any]]

    def __init__(self, name: str, dtype: Any = None, **options: Any) -> None:
        super().__init__(type(self)._function, name=name, dtype=dtype, **options)

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments as plain values."""
        return {"name": self.name, "dtype": self.dtype, **self._fn_kwargs}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """Builds the metric from what `get_config` returned."""
        return cls(**config)
