"""Hinge losses of maximum-margin classifiers."""

from __future__ import annotations

from typing import Any

from kops import ops
from kops.registry import export
from ktrain.losses.loss import FunctionLoss
from ktrain.losses.numerics import float32_inside, pair, signed_targets

__all__ = [
    "CategoricalHinge",
    "Hinge",
    "SquaredHinge",
    "categorical_hinge",
    "hinge",
    "squared_hinge",
]


def _margins(y_true: Any, y_pred: Any) -> Any:
    y_true, y_pred = pair(y_true, y_pred)
    return ops.maximum(1.0 - signed_targets(y_true) * y_pred, 0.0)


@export("keras.losses.hinge", "keras.metrics.hinge")
@float32_inside
def hinge(y_true: Any, y_pred: Any) -> Any:
    """`mean(max(1 - y_true * y_pred, 0))` over the last axis.

    Args:
        y_true: targets in {-1, 1}; {0, 1} is taken as {-1, 1}.
        y_pred: predictions of the same shape.

    Example:
    ```python
    >>> from ktrain import losses
    >>> float(losses.hinge([[-1.0, 1.0]], [[0.0, 2.0]])[0])
    0.5

    ```
    """
    return ops.mean(_margins(y_true, y_pred), axis=-1)


@export("keras.losses.squared_hinge", "keras.metrics.squared_hinge")
@float32_inside
def squared_hinge(y_true: Any, y_pred: Any) -> Any:
    """`mean(max(1 - y_true * y_pred, 0)**2)` over the last axis; targets as in `hinge`.

    Example:
    ```python
    >>> from ktrain import losses
    >>> float(losses.squared_hinge([[-1.0, 1.0]], [[1.0, 2.0]])[0])
    2.0

    ```
    """
    return ops.mean(ops.square(_margins(y_true, y_pred)), axis=-1)


@export("keras.losses.categorical_hinge", "keras.metrics.categorical_hinge")
@float32_inside
def categorical_hinge(y_true: Any, y_pred: Any) -> Any:
    """`max(1 + best wrong score - right score, 0)`.

    Args:
        y_true: one-hot targets, shape `(..., classes)`.
        y_pred: scores of the same shape.

    Returns:
        Tensor of shape `(...)`.

    Example:
    ```python
    >>> from ktrain import losses
    >>> float(losses.categorical_hinge([[0.0, 1.0]], [[0.5, 1.0]])[0])
    0.5

    ```
    """
    y_true, y_pred = pair(y_true, y_pred)
    right = ops.sum(y_true * y_pred, axis=-1)
    wrong = ops.max((1.0 - y_true) * y_pred, axis=-1)
    return ops.maximum(wrong - right + 1.0, 0.0)


@export("keras.losses.Hinge")
class Hinge(FunctionLoss):
    """Hinge loss, see `hinge`.

    Example:
    ```python
    >>> from ktrain.losses import Hinge
    >>> float(Hinge()([[-1.0, 1.0]], [[0.0, 2.0]]))
    0.5

    ```
    """

    _function = hinge

    def __init__(
        self,
        reduction: str | None = "sum_over_batch_size",
        name: str = "hinge",
        dtype: Any = None,
    ) -> None:
        super().__init__(name=name, reduction=reduction, dtype=dtype)


@export("keras.losses.SquaredHinge")
class SquaredHinge(FunctionLoss):
    """Squared hinge loss, see `squared_hinge`.

    Example:
    ```python
    >>> from ktrain.losses import SquaredHinge
    >>> float(SquaredHinge()([[-1.0, 1.0]], [[1.0, 2.0]]))
    2.0

    ```
    """

    _function = squared_hinge

    def __init__(
        self,
        reduction: str | None = "sum_over_batch_size",
        name: str = "squared_hinge",
        dtype: Any = None,
    ) -> None:
        super().__init__(name=name, reduction=reduction, dtype=dtype)


@export("keras.losses.CategoricalHinge")
class CategoricalHinge(FunctionLoss):
    """Multi-class hinge loss, see `categorical_hinge`.

    Example:
    ```python
    >>> from ktrain.losses import CategoricalHinge
    >>> float(CategoricalHinge()([[0.0, 1.0]], [[0.5, 1.0]]))
    0.5

    ```
    """

    _function = categorical_hinge

    def __init__(
        self,
        reduction: str | None = "sum_over_batch_size",
        name: str = "categorical_hinge",
        dtype: Any = None,
    ) -> None:
        super().__init__(name=name, reduction=reduction, dtype=dtype)
