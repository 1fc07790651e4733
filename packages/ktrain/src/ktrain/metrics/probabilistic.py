"""Metrics between probability distributions."""

from __future__ import annotations

from typing import Any

from kops.registry import export
from ktrain.losses.crossentropy import (
    binary_crossentropy,
    categorical_crossentropy,
    kl_divergence,
    poisson,
    sparse_categorical_crossentropy,
)
from ktrain.metrics.reduction import FunctionMetric

__all__ = [
    "BinaryCrossentropy",
    "CategoricalCrossentropy",
    "KLDivergence",
    "Poisson",
    "SparseCategoricalCrossentropy",
]


@export("keras.metrics.BinaryCrossentropy")
class BinaryCrossentropy(FunctionMetric):
    """Mean cross-entropy of yes/no predictions, see `losses.binary_crossentropy`.

    Args:
        name: the metric's name.
        dtype: dtype of the result.
        from_logits: whether predictions are logits.
        label_smoothing: in [0, 1]; moves the targets that far towards the uniform distribution.

    Example:
    ```python
    >>> from ktrain.metrics import BinaryCrossentropy
    >>> round(float(BinaryCrossentropy()([[1.0]], [[0.5]])), 4)
    0.6931

    ```
    """

    _function = binary_crossentropy

    def __init__(
        self,
        name: str = "binary_crossentropy",
        dtype: Any = None,
        from_logits: bool = False,
        label_smoothing: float = 0,
    ) -> None:
        super().__init__(
            name=name, dtype=dtype, from_logits=from_logits, label_smoothing=label_smoothing
        )
        self.from_logits = from_logits
        self.label_smoothing = label_smoothing


@export("keras.metrics.CategoricalCrossentropy")
class CategoricalCrossentropy(FunctionMetric):
    """Mean cross-entropy with one-hot targets, see `losses.categorical_crossentropy`.

    Args:
        name: the metric's name.
        dtype: dtype of the result.
        from_logits: whether predictions are logits.
        label_smoothing: in [0, 1]; moves the targets that far towards the uniform distribution.
        axis: the axis of the classes.

    Example:
    ```python
    >>> from ktrain.metrics import CategoricalCrossentropy
    >>> round(float(CategoricalCrossentropy()([[0.0, 1.0]], [[0.5, 0.5]])), 4)
    0.6931

    ```
    """

    _function = categorical_crossentropy

    def __init__(
        self,
        name: str = "categorical_crossentropy",
        dtype: Any = None,
        from_logits: bool = False,
        label_smoothing: float = 0,
        axis: int = -1,
    ) -> None:
        super().__init__(
            name=name,
            dtype=dtype,
            from_logits=from_logits,
            label_smoothing=label_smoothing,
            axis=axis,
        )
        self.from_logits = from_logits
        self.label_smoothing = label_smoothing
        self.axis = axis


@export("keras.metrics.SparseCategoricalCrossentropy")
class SparseCategoricalCrossentropy(FunctionMetric):
    """Mean cross-entropy with class ids, see `losses.sparse_categorical_crossentropy`.

    Args:
        name: the metric's name.
        dtype: dtype of the result.
        from_logits: whether predictions are logits.
        ignore_class: an id whose samples are left out.
        axis: the axis of the classes.

    Example:
    ```python
    >>> from ktrain.metrics import SparseCategoricalCrossentropy
    >>> round(float(SparseCategoricalCrossentropy()([1], [[0.5, 0.5]])), 4)
    0.6931

    ```
    """

    _function = sparse_categorical_crossentropy

    def __init__(
        self,
        name: str = "sparse_categorical_crossentropy",
        dtype: Any = None,
        from_logits: bool = False,
        ignore_class: int | None = None,
        axis: int = -1,
    ) -> None:
        super().__init__(
            name=name, dtype=dtype, from_logits=from_logits, ignore_class=ignore_class, axis=axis
        )
        self.from_logits = from_logits
        self.ignore_class = ignore_class
        self.axis = axis


@export("keras.metrics.KLDivergence")
class KLDivergence(FunctionMetric):
    """Mean Kullback-Leibler divergence, see `losses.kl_divergence`.

    Args:
        name: the metric's name.
        dtype: dtype of the result.

    Example:
    ```python
    >>> from ktrain.metrics import KLDivergence
    >>> float(KLDivergence()([[0.5, 0.5]], [[0.5, 0.5]]))
    0.0

    ```
    """

    _function = kl_divergence

    def __init__(self, name: str = "kl_divergence", dtype: Any = None) -> None:
        super().__init__(name=name, dtype=dtype)


@export("keras.metrics.Poisson")
class Poisson(FunctionMetric):
    """Mean Poisson loss, see `losses.poisson`.

    Args:
        name: the metric's name.
        dtype: dtype of the result.

    Example:
    ```python
    >>> from ktrain.metrics import Poisson
    >>> round(float(Poisson()([[2.0]], [[1.0]])), 4)
    1.0

    ```
    """

    _function = poisson

    def __init__(self, name: str = "poisson", dtype: Any = None) -> None:
        super().__init__(name=name, dtype=dtype)
