"""Overlap losses of image segmentation: Dice and Tversky."""

from __future__ import annotations

from typing import Any

from kops import config, ops
from kops.registry import export
from ktrain.losses.loss import FunctionLoss
from ktrain.losses.numerics import float32_inside, pair

__all__ = ["Dice", "Tversky", "dice", "tversky"]


@export("keras.losses.dice")
@float32_inside
def dice(y_true: Any, y_pred: Any, axis: Any = None) -> Any:
    """One minus the Dice coefficient `2 |A and B| / (|A| + |B|)`.

    Args:
        y_true: targets in [0, 1].
        y_pred: predictions of the same shape.
        axis: the axes summed over; all by default, which gives a scalar.

    Example:
    ```python
    >>> from ktrain import losses
    >>> round(float(losses.dice([[0.0, 1.0]], [[0.0, 1.0]])), 4)
    0.0

    ```
    """
    y_true, y_pred = pair(y_true, y_pred)
    both = ops.sum(y_true * y_pred, axis=axis)
    either = ops.sum(y_true, axis=axis) + ops.sum(y_pred, axis=axis)
    return 1.0 - ops.divide(2.0 * both + config.epsilon(), either + config.epsilon())


@export("keras.losses.tversky")
@float32_inside
def tversky(
    y_true: Any, y_pred: Any, alpha: float = 0.5, beta: float = 0.5, axis: Any = None
) -> Any:
    """One minus the Tversky index; with `alpha = beta = 0.5` the Dice loss.

    Args:
        y_true: targets in [0, 1].
        y_pred: predictions of the same shape.
        alpha: weight of the targets that are missed (false negatives; in the paper it is
            the other way round, in Keras it is this way).
        beta: weight of the predictions that are wrong (false positives).
        axis: the axes summed over; all by default, which gives a scalar.

    Source: S. Salehi et al., "Tversky loss function for image segmentation using 3D
    fully convolutional deep networks", 2017.

    Example:
    ```python
    >>> from ktrain import losses
    >>> round(float(losses.tversky([[0.0, 1.0]], [[0.0, 1.0]])), 4)
    0.0

    ```
    """
    y_true, y_pred = pair(y_true, y_pred)
    both = ops.sum(y_true * y_pred, axis=axis)
    false_positives = ops.sum((1.0 - y_true) * y_pred, axis=axis)
    false_negatives = ops.sum(y_true * (1.0 - y_pred), axis=axis)
    small = config.epsilon()
    return 1.0 - ops.divide(
        both + small, both + alpha * false_negatives + beta * false_positives + small
    )


@export("keras.losses.Dice")
class Dice(FunctionLoss):
    """Dice loss, see `dice`.

    Args:
        reduction: see `Loss`.
        name: the loss's name.
        axis: the axes summed over; all by default.
        dtype: dtype of the computation.

    Example:
    ```python
    >>> from ktrain.losses import Dice
    >>> round(float(Dice()([[0.0, 1.0]], [[0.0, 1.0]])), 4)
    0.0

    ```
    """

    _function = dice
    _options = ("axis",)

    def __init__(
        self,
        reduction: str | None = "sum_over_batch_size",
        name: str = "dice",
        axis: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(name=name, reduction=reduction, dtype=dtype)
        self.axis = axis


@export("keras.losses.Tversky")
class Tversky(FunctionLoss):
    """Tversky loss, see `tversky` for the arguments.

    Example:
    ```python
    >>> from ktrain.losses import Tversky
    >>> round(float(Tversky()([[0.0, 1.0]], [[0.0, 1.0]])), 4)
    0.0

    ```
    """

    _function = tversky
    _options = ("alpha", "beta", "axis")

    def __init__(
        self,
        alpha: float = 0.5,
        beta: float = 0.5,
        reduction: str | None = "sum_over_batch_size",
        name: str = "tversky",
        axis: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(name=name, reduction=reduction, dtype=dtype)
        self.alpha = alpha
        self.beta = beta
        self.axis = axis
