"""Losses between real-valued targets and predictions."""

from __future__ import annotations

from typing import Any

from kops import config, ops
from kops.registry import export
from ktrain.losses.loss import FunctionLoss
from ktrain.losses.numerics import float32_inside
from ktrain.losses.shapes import align_pair

__all__ = [
    "CosineSimilarity",
    "Huber",
    "LogCosh",
    "MeanAbsoluteError",
    "MeanAbsolutePercentageError",
    "MeanSquaredError",
    "MeanSquaredLogarithmicError",
    "cosine_similarity",
    "huber",
    "log_cosh",
    "mean_absolute_error",
    "mean_absolute_percentage_error",
    "mean_squared_error",
    "mean_squared_logarithmic_error",
]


@export("keras.losses.mean_squared_error", "keras.metrics.mean_squared_error")
@float32_inside
def mean_squared_error(y_true: Any, y_pred: Any) -> Any:
    """`mean((y_true - y_pred)**2)` over the last axis.

    Args:
        y_true: targets, shape `(batch, ..., d)`.
        y_pred: predictions of the same shape.

    Returns:
        Tensor of shape `(batch, ...)`.

    Example:
    ```python
    >>> from ktrain import losses
    >>> losses.mean_squared_error([[0.0, 2.0]], [[0.0, 0.0]]).shape[0]
    1

    ```
    """
    y_true, y_pred = align_pair(y_true, y_pred)
    return ops.mean(ops.square(y_true - y_pred), axis=-1)


@export("keras.losses.mean_absolute_error", "keras.metrics.mean_absolute_error")
@float32_inside
def mean_absolute_error(y_true: Any, y_pred: Any) -> Any:
    """`mean(|y_true - y_pred|)` over the last axis; shapes as `mean_squared_error`.

    Example:
    ```python
    >>> from ktrain import losses
    >>> float(losses.mean_absolute_error([[0.0, 2.0]], [[0.0, 0.0]])[0])
    1.0

    ```
    """
    y_true, y_pred = align_pair(y_true, y_pred)
    return ops.mean(ops.abs(y_true - y_pred), axis=-1)


@export(
    "keras.losses.mean_absolute_percentage_error",
    "keras.metrics.mean_absolute_percentage_error",
)
@float32_inside
def mean_absolute_percentage_error(y_true: Any, y_pred: Any) -> Any:
    """`100 * mean(|y_true - y_pred| / max(|y_true|, epsilon))` over the last axis.

    Example:
    ```python
    >>> from ktrain import losses
    >>> float(losses.mean_absolute_percentage_error([[2.0]], [[1.0]])[0])
    50.0

    ```
    """
    y_true, y_pred = align_pair(y_true, y_pred)
    scale = ops.maximum(ops.abs(y_true), config.epsilon())
    return 100.0 * ops.mean(ops.abs(y_true - y_pred) / scale, axis=-1)


@export(
    "keras.losses.mean_squared_logarithmic_error",
    "keras.metrics.mean_squared_logarithmic_error",
)
@float32_inside
def mean_squared_logarithmic_error(y_true: Any, y_pred: Any) -> Any:
    """`mean((log(1 + y_true) - log(1 + y_pred))**2)` over the last axis.

    Values below `epsilon` count as `epsilon`.

    Example:
    ```python
    >>> from ktrain import losses
    >>> float(losses.mean_squared_logarithmic_error([[3.0]], [[3.0]])[0])
    0.0

    ```
    """
    y_true, y_pred = align_pair(y_true, y_pred)
    logs = [ops.log1p(ops.maximum(y, config.epsilon())) for y in (y_true, y_pred)]
    return ops.mean(ops.square(logs[0] - logs[1]), axis=-1)


@export("keras.losses.cosine_similarity")
@float32_inside
def cosine_similarity(y_true: Any, y_pred: Any, axis: int = -1) -> Any:
    """Minus the cosine of the angle between targets and predictions along `axis`.

    -1 means the same direction, 1 the opposite one, 0 that they are orthogonal (or
    that one is zero).

    Example:
    ```python
    >>> from ktrain import losses
    >>> float(losses.cosine_similarity([[0.0, 2.0]], [[0.0, 5.0]])[0])
    -1.0

    ```
    """
    y_true, y_pred = align_pair(y_true, y_pred)
    y_true, y_pred = (ops.normalize(y, axis=axis, order=2) for y in (y_true, y_pred))
    return -ops.sum(y_true * y_pred, axis=axis)


@export("keras.losses.huber", "keras.metrics.huber")
@float32_inside
def huber(y_true: Any, y_pred: Any, delta: float = 1.0) -> Any:
    """Quadratic for errors up to `delta`, linear beyond, averaged over the last axis.

    Source: P. J. Huber, "Robust Estimation of a Location Parameter", 1964.

    Example:
    ```python
    >>> from ktrain import losses
    >>> float(losses.huber([[0.0]], [[3.0]], delta=2.0)[0])
    4.0

    ```
    """
    y_true, y_pred = align_pair(y_true, y_pred)
    error = ops.abs(y_true - y_pred)
    inside = ops.minimum(error, delta)
    return ops.mean(inside * (error - 0.5 * inside), axis=-1)


@export("keras.losses.log_cosh", "keras.metrics.log_cosh")
@float32_inside
def log_cosh(y_true: Any, y_pred: Any) -> Any:
    """`mean(log(cosh(y_pred - y_true)))` over the last axis, safe for large errors.

    Example:
    ```python
    >>> from ktrain import losses
    >>> float(losses.log_cosh([[1.0]], [[1.0]])[0])
    0.0

    ```
    """
    y_true, y_pred = align_pair(y_true, y_pred)
    error = ops.abs(y_pred - y_true)
    return ops.mean(error + ops.log1p(ops.expm1(-2.0 * error) * 0.5), axis=-1)


@export("keras.losses.MeanSquaredError")
class MeanSquaredError(FunctionLoss):
    """Mean of squared errors, see `mean_squared_error`.

    Args:
        reduction: see `Loss`.
        name: the loss's name.
        dtype: dtype of the computation.

    Example:
    ```python
    >>> from ktrain.losses import MeanSquaredError
    >>> float(MeanSquaredError()([[0.0, 2.0]], [[0.0, 0.0]]))
    2.0

    ```
    """

    _function = mean_squared_error

    def __init__(
        self,
        reduction: str | None = "sum_over_batch_size",
        name: str = "mean_squared_error",
        dtype: Any = None,
    ) -> None:
        super().__init__(name=name, reduction=reduction, dtype=dtype)


@export("keras.losses.MeanAbsoluteError")
class MeanAbsoluteError(FunctionLoss):
    """Mean of absolute errors, see `mean_absolute_error`.

    Example:
    ```python
    >>> from ktrain.losses import MeanAbsoluteError
    >>> float(MeanAbsoluteError()([[0.0, 2.0]], [[0.0, 0.0]]))
    1.0

    ```
    """

    _function = mean_absolute_error

    def __init__(
        self,
        reduction: str | None = "sum_over_batch_size",
        name: str = "mean_absolute_error",
        dtype: Any = None,
    ) -> None:
        super().__init__(name=name, reduction=reduction, dtype=dtype)


@export("keras.losses.MeanAbsolutePercentageError")
class MeanAbsolutePercentageError(FunctionLoss):
    """Mean error in percent of the target, see `mean_absolute_percentage_error`.

    Example:
    ```python
    >>> from ktrain.losses import MeanAbsolutePercentageError
    >>> float(MeanAbsolutePercentageError()([[2.0]], [[1.0]]))
    50.0

    ```
    """

    _function = mean_absolute_percentage_error

    def __init__(
        self,
        reduction: str | None = "sum_over_batch_size",
        name: str = "mean_absolute_percentage_error",
        dtype: Any = None,
    ) -> None:
        super().__init__(name=name, reduction=reduction, dtype=dtype)


@export("keras.losses.MeanSquaredLogarithmicError")
class MeanSquaredLogarithmicError(FunctionLoss):
    """Mean squared difference of logarithms, see `mean_squared_logarithmic_error`.

    Example:
    ```python
    >>> from ktrain.losses import MeanSquaredLogarithmicError
    >>> float(MeanSquaredLogarithmicError()([[2.0]], [[2.0]]))
    0.0

    ```
    """

    _function = mean_squared_logarithmic_error

    def __init__(
        self,
        reduction: str | None = "sum_over_batch_size",
        name: str = "mean_squared_logarithmic_error",
        dtype: Any = None,
    ) -> None:
        super().__init__(name=name, reduction=reduction, dtype=dtype)


@export("keras.losses.CosineSimilarity")
class CosineSimilarity(FunctionLoss):
    """Minus the cosine similarity, see `cosine_similarity`.

    Args:
        axis: the axis of the vectors.
        reduction: see `Loss`.
        name: the loss's name.
        dtype: dtype of the computation.

    Example:
    ```python
    >>> from ktrain.losses import CosineSimilarity
    >>> float(CosineSimilarity()([[0.0, 2.0]], [[0.0, 5.0]]))
    -1.0

    ```
    """

    _function = cosine_similarity
    _options = ("axis",)

    def __init__(
        self,
        axis: int = -1,
        reduction: str | None = "sum_over_batch_size",
        name: str = "cosine_similarity",
        dtype: Any = None,
    ) -> None:
        super().__init__(name=name, reduction=reduction, dtype=dtype)
        self.axis = axis


@export("keras.losses.Huber")
class Huber(FunctionLoss):
    """Squared error near zero, absolute error far from it, see `huber`.

    Args:
        delta: the error at which it turns linear.
        reduction: see `Loss`.
        name: the loss's name.
        dtype: dtype of the computation.

    Example:
    ```python
    >>> from ktrain.losses import Huber
    >>> float(Huber(delta=2.0)([[0.0]], [[3.0]]))
    4.0

    ```
    """

    _function = huber
    _options = ("delta",)

    def __init__(
        self,
        delta: float = 1.0,
        reduction: str | None = "sum_over_batch_size",
        name: str = "huber_loss",
        dtype: Any = None,
    ) -> None:
        super().__init__(name=name, reduction=reduction, dtype=dtype)
        self.delta = delta


@export("keras.losses.LogCosh")
class LogCosh(FunctionLoss):
    """Logarithm of the hyperbolic cosine of the error, see `log_cosh`.

    Example:
    ```python
    >>> from ktrain.losses import LogCosh
    >>> float(LogCosh()([[1.0]], [[1.0]]))
    0.0

    ```
    """

    _function = log_cosh

    def __init__(
        self,
        reduction: str | None = "sum_over_batch_size",
        name: str = "log_cosh",
        dtype: Any = None,
    ) -> None:
        super().__init__(name=name, reduction=reduction, dtype=dtype)
