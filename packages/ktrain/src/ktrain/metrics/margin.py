"""Means of the hinge losses."""

from __future__ import annotations

from typing import Any

from kops.registry import export
from ktrain.losses.margin import categorical_hinge, hinge, squared_hinge
from ktrain.metrics.reduction import FunctionMetric

__all__ = ["CategoricalHinge", "Hinge", "SquaredHinge"]


@export("keras.metrics.Hinge")
class Hinge(FunctionMetric):
    """Mean hinge loss, see `losses.hinge`.

    Args:
        name: the metric's name.
        dtype: dtype of the result.

    Example:
    ```python
    >>> from ktrain.metrics import Hinge
    >>> float(Hinge()([[-1.0, 1.0]], [[0.0, 2.0]]))
    0.5

    ```
    """

    _function = hinge

    def __init__(self, name: str = "hinge", dtype: Any = None) -> None:
        super().__init__(name=name, dtype=dtype)


@export("keras.metrics.SquaredHinge")
class SquaredHinge(FunctionMetric):
    """Mean squared hinge loss, see `losses.squared_hinge`.

    Args:
        name: the metric's name.
        dtype: dtype of the result.

    Example:
    ```python
    >>> from ktrain.metrics import SquaredHinge
    >>> float(SquaredHinge()([[-1.0, 1.0]], [[1.0, 2.0]]))
    2.0

    ```
    """

    _function = squared_hinge

    def __init__(self, name: str = "squared_hinge", dtype: Any = None) -> None:
        super().__init__(name=name, dtype=dtype)


@export("keras.metrics.CategoricalHinge")
class CategoricalHinge(FunctionMetric):
    """Mean multi-class hinge loss, see `losses.categorical_hinge`.

    Args:
        name: the metric's name.
        dtype: dtype of the result.

    Example:
    ```python
    >>> from ktrain.metrics import CategoricalHinge
    >>> float(CategoricalHinge()([[0.0, 1.0]], [[0.5, 1.0]]))
    0.5

    ```
    """

    _function = categorical_hinge

    def __init__(self, name: str = "categorical_hinge", dtype: Any = None) -> None:
        super().__init__(name=name, dtype=dtype)
