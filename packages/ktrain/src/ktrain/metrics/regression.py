"""Metrics of regression."""

from __future__ import annotations

from typing import Any

from kops import config, masks, ops
from kops.registry import export
from ktrain.losses.numerics import pair
from ktrain.losses.regression import (
    log_cosh,
    mean_absolute_error,
    mean_absolute_percentage_error,
    mean_squared_error,
    mean_squared_logarithmic_error,
)
from ktrain.losses.shapes import align_pair, align_rank
from ktrain.metrics.reduction import FunctionMetric, Mean

__all__ = [
    "ConcordanceCorrelation",
    "CosineSimilarity",
    "LogCoshError",
    "MeanAbsoluteError",
    "MeanAbsolutePercentageError",
    "MeanSquaredError",
    "MeanSquaredLogarithmicError",
    "PearsonCorrelation",
    "RootMeanSquaredError",
    "concordance_correlation",
    "pearson_correlation",
]


@export("keras.metrics.MeanSquaredError")
class MeanSquaredError(FunctionMetric):
    """Mean of squared errors.

    Args:
        name: the metric's name.
        dtype: dtype of the result.

    Example:
    ```python
    >>> from ktrain.metrics import MeanSquaredError
    >>> float(MeanSquaredError()([[0.0, 2.0]], [[0.0, 0.0]]))
    2.0

    ```
    """

    _function = mean_squared_error

    def __init__(self, name: str = "mean_squared_error", dtype: Any = None) -> None:
        super().__init__(name=name, dtype=dtype)


@export("keras.metrics.MeanAbsoluteError")
class MeanAbsoluteError(FunctionMetric):
    """Mean of absolute errors.

    Args:
        name: the metric's name.
        dtype: dtype of the result.

    Example:
    ```python
    >>> from ktrain.metrics import MeanAbsoluteError
    >>> float(MeanAbsoluteError()([[0.0, 2.0]], [[0.0, 0.0]]))
    1.0

    ```
    """

    _function = mean_absolute_error

    def __init__(self, name: str = "mean_absolute_error", dtype: Any = None) -> None:
        super().__init__(name=name, dtype=dtype)


@export("keras.metrics.MeanAbsolutePercentageError")
class MeanAbsolutePercentageError(FunctionMetric):
    """Mean error in percent of the target.

    Args:
        name: the metric's name.
        dtype: dtype of the result.

    Example:
    ```python
    >>> from ktrain.metrics import MeanAbsolutePercentageError
    >>> float(MeanAbsolutePercentageError()([[2.0]], [[1.0]]))
    50.0

    ```
    """

    _function = mean_absolute_percentage_error

    def __init__(self, name: str = "mean_absolute_percentage_error", dtype: Any = None) -> None:
        super().__init__(name=name, dtype=dtype)


@export("keras.metrics.MeanSquaredLogarithmicError")
class MeanSquaredLogarithmicError(FunctionMetric):
    """Mean squared difference of logarithms, see `losses.mean_squared_logarithmic_error`.

    Args:
        name: the metric's name.
        dtype: dtype of the result.

    Example:
    ```python
    >>> from ktrain.metrics import MeanSquaredLogarithmicError
    >>> float(MeanSquaredLogarithmicError()([[2.0]], [[2.0]]))
    0.0

    ```
    """

    _function = mean_squared_logarithmic_error

    def __init__(self, name: str = "mean_squared_logarithmic_error", dtype: Any = None) -> None:
        super().__init__(name=name, dtype=dtype)


@export("keras.metrics.LogCoshError")
class LogCoshError(FunctionMetric):
    """Mean logarithm of the hyperbolic cosine of the error.

    Args:
        name: the metric's name.
        dtype: dtype of the result.

    Example:
    ```python
    >>> from ktrain.metrics import LogCoshError
    >>> float(LogCoshError()([[1.0]], [[1.0]]))
    0.0

    ```
    """

    _function = log_cosh

    def __init__(self, name: str = "logcosh", dtype: Any = None) -> None:
        super().__init__(name=name, dtype=dtype)


@export("keras.metrics.RootMeanSquaredError")
class RootMeanSquaredError(Mean):
    """Root of the mean squared error.

    Args:
        name: the metric's name.
        dtype: dtype of the result.

    Example:
    ```python
    >>> from ktrain.metrics import RootMeanSquaredError
    >>> float(RootMeanSquaredError()([[0.0], [0.0]], [[3.0], [3.0]]))
    3.0

    ```
    """

    def __init__(self, name: str = "root_mean_squared_error", dtype: Any = None) -> None:
        super().__init__(name=name, dtype=dtype)

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Adds a batch; arguments as in `MeanMetricWrapper`."""
        mask = masks.get_mask(y_pred)
        y_true, y_pred = align_rank(self._float(y_true), self._float(y_pred))
        self._add(ops.square(y_true - y_pred), sample_weight, mask)

    def result(self) -> Any:
        """The root of the mean."""
        return ops.sqrt(super().result())


def _cosine(y_true: Any, y_pred: Any, axis: int = -1) -> Any:
    y_true, y_pred = align_pair(y_true, y_pred)
    y_true, y_pred = (ops.normalize(y, axis=axis, order=2) for y in (y_true, y_pred))
    return ops.sum(y_true * y_pred, axis=axis)


@export("keras.metrics.CosineSimilarity")
class CosineSimilarity(FunctionMetric):
    """Mean cosine of the angle between targets and predictions.

    Args:
        name: the metric's name.
        dtype: dtype of the result.
        axis: the axis of the vectors.

    Example:
    ```python
    >>> from ktrain.metrics import CosineSimilarity
    >>> float(CosineSimilarity()([[0.0, 2.0]], [[0.0, 5.0]]))
    1.0

    ```
    """

    _function = _cosine

    def __init__(self, name: str = "cosine_similarity", dtype: Any = None, axis: int = -1) -> None:
        super().__init__(name=name, dtype=dtype, axis=axis)
        self.axis = axis


def _centred(y_true: Any, y_pred: Any, axis: int) -> tuple[Any, Any, Any, Any]:
    y_true, y_pred = pair(y_true, y_pred)
    means = [ops.mean(y, axis=axis, keepdims=True) for y in (y_true, y_pred)]
    return y_true - means[0], y_pred - means[1], means[0], means[1]


@export("keras.metrics.pearson_correlation")
def pearson_correlation(y_true: Any, y_pred: Any, axis: int = -1) -> Any:
    """Pearson's correlation coefficient of targets and predictions along `axis`.

    Args:
        y_true: targets.
        y_pred: predictions of the same shape.
        axis: the axis along which values correlate.

    Returns:
        Tensor without `axis`, in [-1, 1]; 0 where one side is constant.

    Example:
    ```python
    >>> from ktrain import metrics
    >>> round(float(metrics.pearson_correlation([[1.0, 2.0, 3.0]], [[2.0, 4.0, 6.0]])[0]), 4)
    1.0

    ```
    """
    a, b, _, _ = _centred(y_true, y_pred, axis)
    covariance = ops.sum(a * b, axis=axis)
    spread = ops.sqrt(ops.sum(ops.square(a), axis=axis) * ops.sum(ops.square(b), axis=axis))
    return ops.divide_no_nan(covariance, spread)


@export("keras.metrics.concordance_correlation")
def concordance_correlation(y_true: Any, y_pred: Any, axis: int = -1) -> Any:
    """Lin's concordance correlation coefficient along `axis`.

    Unlike Pearson's, it falls with a difference in mean or scale.

    Args:
        y_true: targets.
        y_pred: predictions of the same shape.
        axis: the axis along which values are compared.

    Returns:
        Tensor without `axis`, in [-1, 1].

    Source: L. Lin, "A concordance correlation coefficient to evaluate
    reproducibility", Biometrics 1989.

    Example:
    ```python
    >>> from ktrain import metrics
    >>> value = metrics.concordance_correlation([[1.0, 2.0, 3.0]], [[1.0, 2.0, 3.0]])
    >>> round(float(value[0]), 4)
    1.0

    ```
    """
    a, b, mean_a, mean_b = _centred(y_true, y_pred, axis)
    covariance = ops.mean(a * b, axis=axis)
    variances = ops.mean(ops.square(a), axis=axis) + ops.mean(ops.square(b), axis=axis)
    distance = ops.squeeze(ops.square(mean_a - mean_b), axis)
    return 2.0 * covariance / (variances + distance + config.epsilon())


@export("keras.metrics.PearsonCorrelation")
class PearsonCorrelation(FunctionMetric):
    """Mean Pearson correlation, see `pearson_correlation`.

    Args:
        name: the metric's name.
        dtype: dtype of the result.
        axis: the axis along which values correlate.

    Example:
    ```python
    >>> from ktrain.metrics import PearsonCorrelation
    >>> round(float(PearsonCorrelation()([[1.0, 2.0, 3.0]], [[2.0, 4.0, 6.0]])), 4)
    1.0

    ```
    """

    _function = pearson_correlation

    def __init__(
        self, name: str = "pearson_correlation", dtype: Any = None, axis: int = -1
    ) -> None:
        super().__init__(name=name, dtype=dtype, axis=axis)
        self.axis = axis


@export("keras.metrics.ConcordanceCorrelation")
class ConcordanceCorrelation(FunctionMetric):
    """Mean concordance correlation, see `concordance_correlation`.

    Args:
        name: the metric's name.
        dtype: dtype of the result.
        axis: the axis along which values are compared.

    Example:
    ```python
    >>> from ktrain.metrics import ConcordanceCorrelation
    >>> round(float(ConcordanceCorrelation()([[1.0, 2.0, 3.0]], [[1.0, 2.0, 3.0]])), 4)
    1.0

    ```
    """

    _function = concordance_correlation

    def __init__(
        self, name: str = "concordance_correlation", dtype: Any = None, axis: int = -1
    ) -> None:
        super().__init__(name=name, dtype=dtype, axis=axis)
        self.axis = axis
