"""Focal losses: cross-entropies that weigh down what is already classified well.

Source: T.-Y. Lin et al., "Focal Loss for Dense Object Detection", ICCV 2017.
"""

from __future__ import annotations

from typing import Any

from kops import config, ops
from kops.registry import export
from ktrain.losses.loss import FunctionLoss
from ktrain.losses.numerics import float32_inside, pair, smooth

__all__ = [
    "BinaryFocalCrossentropy",
    "CategoricalFocalCrossentropy",
    "binary_focal_crossentropy",
    "categorical_focal_crossentropy",
]


@export("keras.losses.binary_focal_crossentropy", "keras.metrics.binary_focal_crossentropy")
@float32_inside
def binary_focal_crossentropy(
    y_true: Any,
    y_pred: Any,
    apply_class_balancing: bool = False,
    alpha: float = 0.25,
    gamma: float = 2.0,
    from_logits: bool = False,
    label_smoothing: float = 0.0,
    axis: int = -1,
) -> Any:
    """`(1 - p_t)**gamma * binary_crossentropy`, averaged over `axis`.

    `p_t` is the probability given to the true answer.

    Args:
        y_true: targets in [0, 1], shape `(batch, ..., d)`.
        y_pred: probabilities (or logits) of the same shape.
        apply_class_balancing: whether class 1 is weighted by `alpha` and class 0 by
            `1 - alpha`.
        alpha: weight of class 1.
        gamma: 0 gives the cross-entropy.
        from_logits: whether `y_pred` are logits.
        label_smoothing: in [0, 1]; moves the targets that far towards 0.5.
        axis: the axis averaged over.

    Example:
    ```python
    >>> from ktrain import losses
    >>> round(float(losses.binary_focal_crossentropy([[1.0]], [[0.5]])[0]), 4)
    0.1733

    ```
    """
    y_true, y_pred = pair(y_true, y_pred)
    if label_smoothing:
        y_true = smooth(y_true, label_smoothing, 2.0)
    p = ops.sigmoid(y_pred) if from_logits else y_pred
    p_t = y_true * p + (1.0 - y_true) * (1.0 - p)
    values = ops.power(1.0 - p_t, gamma) * ops.binary_crossentropy(
        y_true, y_pred, from_logits=from_logits
    )
    if apply_class_balancing:
        values = values * (y_true * alpha + (1.0 - y_true) * (1.0 - alpha))
    return ops.mean(values, axis=axis)


@export(
    "keras.losses.categorical_focal_crossentropy",
    "keras.metrics.categorical_focal_crossentropy",
)
@float32_inside
def categorical_focal_crossentropy(
    y_true: Any,
    y_pred: Any,
    alpha: Any = 0.25,
    gamma: float = 2.0,
    from_logits: bool = False,
    label_smoothing: float = 0.0,
    axis: int = -1,
) -> Any:
    """`sum(alpha * (1 - p)**gamma * y_true * -log(p))` over the classes.

    Args:
        y_true: one-hot targets, shape `(..., classes)`.
        y_pred: probabilities (or logits) of the same shape.
        alpha: weight, or one weight per class.
        gamma: 0 gives the (weighted) cross-entropy.
        from_logits: whether `y_pred` are logits.
        label_smoothing: in [0, 1]; moves the targets towards the uniform distribution.
        axis: the axis of the classes.

    Example:
    ```python
    >>> from ktrain import losses
    >>> value = losses.categorical_focal_crossentropy([[0.0, 1.0]], [[0.5, 0.5]])
    >>> round(float(value[0]), 4)
    0.0433

    ```
    """
    y_true, y_pred = pair(y_true, y_pred)
    if label_smoothing:
        y_true = smooth(y_true, label_smoothing, y_pred.shape[axis])
    if from_logits:
        y_pred = ops.softmax(y_pred, axis=axis)
    p = y_pred / ops.sum(y_pred, axis=axis, keepdims=True)
    p = ops.clip(p, config.epsilon(), 1.0 - config.epsilon())
    weight = ops.power(1.0 - p, gamma) * ops.convert_to_tensor(alpha, p.dtype)
    return -ops.sum(weight * y_true * ops.log(p), axis=axis)


@export("keras.losses.BinaryFocalCrossentropy")
class BinaryFocalCrossentropy(FunctionLoss):
    """Focal loss of yes/no predictions, see `binary_focal_crossentropy` for the arguments.

    Example:
    ```python
    >>> from ktrain.losses import BinaryFocalCrossentropy
    >>> round(float(BinaryFocalCrossentropy()([[1.0]], [[0.5]])), 4)
    0.1733

    ```
    """

    _function = binary_focal_crossentropy
    _options = (
        "from_logits",
        "label_smoothing",
        "axis",
        "apply_class_balancing",
        "alpha",
        "gamma",
    )

    def __init__(
        self,
        apply_class_balancing: bool = False,
        alpha: float = 0.25,
        gamma: float = 2.0,
        from_logits: bool = False,
        label_smoothing: float = 0.0,
        axis: int = -1,
        reduction: str | None = "sum_over_batch_size",
        name: str = "binary_focal_crossentropy",
        dtype: Any = None,
    ) -> None:
        super().__init__(name=name, reduction=reduction, dtype=dtype)
        self.apply_class_balancing = apply_class_balancing
        self.alpha = alpha
        self.gamma = gamma
        self.from_logits = from_logits
        self.label_smoothing = label_smoothing
        self.axis = axis


@export("keras.losses.CategoricalFocalCrossentropy")
class CategoricalFocalCrossentropy(FunctionLoss):
    """Focal loss over classes, see `categorical_focal_crossentropy` for the arguments.

    Example:
    ```python
    >>> from ktrain.losses import CategoricalFocalCrossentropy
    >>> round(float(CategoricalFocalCrossentropy()([[0.0, 1.0]], [[0.5, 0.5]])), 4)
    0.0433

    ```
    """

    _function = categorical_focal_crossentropy
    _options = ("from_logits", "label_smoothing", "axis", "alpha", "gamma")

    def __init__(
        self,
        alpha: Any = 0.25,
        gamma: float = 2.0,
        from_logits: bool = False,
        label_smoothing: float = 0.0,
        axis: int = -1,
        reduction: str | None = "sum_over_batch_size",
        name: str = "categorical_focal_crossentropy",
        dtype: Any = None,
    ) -> None:
        super().__init__(name=name, reduction=reduction, dtype=dtype)
        self.alpha = alpha
        self.gamma = gamma
        self.from_logits = from_logits
        self.label_smoothing = label_smoothing
        self.axis = axis
