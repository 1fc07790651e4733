"""How often predictions are right."""

from __future__ import annotations

from typing import Any

from kops import config, ops
from kops.registry import export
from ktrain.losses.numerics import dtype_name
from ktrain.losses.shapes import align_rank
from ktrain.metrics.reduction import FunctionMetric

__all__ = [
    "Accuracy",
    "BinaryAccuracy",
    "CategoricalAccuracy",
    "SparseCategoricalAccuracy",
    "SparseTopKCategoricalAccuracy",
    "TopKCategoricalAccuracy",
    "binary_accuracy",
    "categorical_accuracy",
    "sparse_categorical_accuracy",
    "sparse_top_k_categorical_accuracy",
    "top_k_categorical_accuracy",
]


def _tensors(y_true: Any, y_pred: Any) -> tuple[Any, Any]:
    return ops.convert_to_tensor(y_true), ops.convert_to_tensor(y_pred)


def _equal(y_true: Any, y_pred: Any) -> Any:
    y_true, y_pred = align_rank(*_tensors(y_true, y_pred))
    return ops.cast(ops.equal(y_true, y_pred), config.floatx())


@export("keras.metrics.binary_accuracy")
def binary_accuracy(y_true: Any, y_pred: Any, threshold: float = 0.5) -> Any:
    """1 where a yes/no prediction is right, else 0.

    Args:
        y_true: targets, 0 or 1.
        y_pred: predictions of the same shape; above `threshold` means yes.
        threshold: a number.

    Example:
    ```python
    >>> from ktrain import metrics
    >>> metrics.binary_accuracy([[1.0, 0.0]], [[0.7, 0.6]]).shape[1]
    2

    ```
    """
    y_true, y_pred = align_rank(*_tensors(y_true, y_pred))
    yes = ops.cast(y_pred > threshold, y_true.dtype)
    return ops.cast(ops.equal(y_true, yes), config.floatx())


@export("keras.metrics.categorical_accuracy")
def categorical_accuracy(y_true: Any, y_pred: Any) -> Any:
    """1 where the likeliest class is that of the one-hot target, else 0.

    Args:
        y_true: one-hot targets, shape `(..., classes)`.
        y_pred: scores of the same shape.

    Returns:
        Tensor of shape `(...)`.

    Example:
    ```python
    >>> from ktrain import metrics
    >>> float(metrics.categorical_accuracy([[0.0, 1.0]], [[0.2, 0.8]])[0])
    1.0

    ```
    """
    return sparse_categorical_accuracy(ops.argmax(ops.convert_to_tensor(y_true), axis=-1), y_pred)


@export("keras.metrics.sparse_categorical_accuracy")
def sparse_categorical_accuracy(y_true: Any, y_pred: Any) -> Any:
    """1 where the likeliest class is the target class id, else 0.

    Args:
        y_true: class ids, shape `(...)` or `(..., 1)`.
        y_pred: scores, shape `(..., classes)`.

    Returns:
        Tensor of shape `(...)`.

    Example:
    ```python
    >>> from ktrain import metrics
    >>> float(metrics.sparse_categorical_accuracy([1], [[0.2, 0.8]])[0])
    1.0

    ```
    """
    y_true, y_pred = _tensors(y_true, y_pred)
    if len(y_true.shape) == len(y_pred.shape) and y_true.shape[-1] == 1:
        y_true = ops.squeeze(y_true, -1)
    y_true = _ids(y_true)
    best = ops.cast(ops.argmax(y_pred, axis=-1), y_true.dtype)
    return ops.cast(ops.equal(y_true, best), config.floatx())


def _ids(x: Any) -> Any:
    """Class ids in 32 or 64 bits."""
    return x if dtype_name(x.dtype) in ("int32", "int64") else ops.cast(x, "int32")


@export("keras.metrics.top_k_categorical_accuracy")
def top_k_categorical_accuracy(y_true: Any, y_pred: Any, k: int = 5) -> Any:
    """1 where the one-hot target's class is among the `k` likeliest, else 0.

    Args:
        y_true: one-hot targets, shape `(..., classes)`.
        y_pred: scores of the same shape.
        k: how many classes count.

    Example:
    ```python
    >>> from ktrain import metrics
    >>> y_true, y_pred = [[0.0, 0.0, 1.0]], [[0.1, 0.5, 0.4]]
    >>> float(metrics.top_k_categorical_accuracy(y_true, y_pred, k=2)[0])
    1.0

    ```
    """
    y_true, y_pred = _tensors(y_true, y_pred)
    return sparse_top_k_categorical_accuracy(ops.argmax(y_true, axis=-1), y_pred, k=k)


@export("keras.metrics.sparse_top_k_categorical_accuracy")
def sparse_top_k_categorical_accuracy(
    y_true: Any, y_pred: Any, k: int = 5, from_sorted_ids: bool = False
) -> Any:
    """1 where the target class id is among the `k` likeliest, else 0.

    Args:
        y_true: class ids, shape `(...)` or `(..., 1)`.
        y_pred: scores, shape `(..., classes)`; with `from_sorted_ids` class ids, the
            likeliest first.
        k: how many classes count.
        from_sorted_ids: what `y_pred` holds.

    Example:
    ```python
    >>> from ktrain import metrics
    >>> float(metrics.sparse_top_k_categorical_accuracy([2], [[0.1, 0.5, 0.4]], k=2)[0])
    1.0

    ```
    """
    y_true, y_pred = _tensors(y_true, y_pred)
    if len(y_true.shape) == len(y_pred.shape) and y_true.shape[-1] == 1:
        y_true = ops.squeeze(y_true, -1)
    y_true = _ids(y_true)
    if from_sorted_ids:
        first = ops.cast(y_pred[..., :k], y_true.dtype)
        hits = ops.any(ops.equal(ops.expand_dims(y_true, -1), first), axis=-1)
        return ops.cast(hits, config.floatx())
    classes = y_pred.shape[-1]
    flat = ops.in_top_k(ops.reshape(y_true, (-1,)), ops.reshape(y_pred, (-1, classes)), k)
    return ops.reshape(ops.cast(flat, config.floatx()), ops.shape(y_true))


@export("keras.metrics.Accuracy")
class Accuracy(FunctionMetric):
    """How often predictions equal the targets.

    Args:
        name: the metric's name.
        dtype: dtype of the result.

    Example:
    ```python
    >>> from ktrain.metrics import Accuracy
    >>> float(Accuracy()([1, 2, 3, 4], [1, 2, 3, 0]))
    0.75

    ```
    """

    _function = _equal

    def __init__(self, name: str = "accuracy", dtype: Any = None) -> None:
        super().__init__(name=name, dtype=dtype)


@export("keras.metrics.BinaryAccuracy")
class BinaryAccuracy(FunctionMetric):
    """How often yes/no predictions are right.

    Args:
        name: the metric's name.
        dtype: dtype of the result.
        threshold: predictions above it mean yes.

    Example:
    ```python
    >>> from ktrain.metrics import BinaryAccuracy
    >>> float(BinaryAccuracy()([[1.0], [0.0]], [[0.7], [0.6]]))
    0.5

    ```
    """

    _function = binary_accuracy

    def __init__(
        self,
        name: str = "binary_accuracy",
        dtype: Any = None,
        threshold: float = 0.5,
    ) -> None:
        super().__init__(name=name, dtype=dtype, threshold=threshold)
        self.threshold = threshold


@export("keras.metrics.CategoricalAccuracy")
class CategoricalAccuracy(FunctionMetric):
    """How often the likeliest class is that of a one-hot target.

    Args:
        name: the metric's name.
        dtype: dtype of the result.

    Example:
    ```python
    >>> from ktrain.metrics import CategoricalAccuracy
    >>> float(CategoricalAccuracy()([[0.0, 1.0]], [[0.2, 0.8]]))
    1.0

    ```
    """

    _function = categorical_accuracy

    def __init__(self, name: str = "categorical_accuracy", dtype: Any = None) -> None:
        super().__init__(name=name, dtype=dtype)


@export("keras.metrics.SparseCategoricalAccuracy")
class SparseCategoricalAccuracy(FunctionMetric):
    """How often the likeliest class is the target class id.

    Args:
        name: the metric's name.
        dtype: dtype of the result.

    Example:
    ```python
    >>> from ktrain.metrics import SparseCategoricalAccuracy
    >>> float(SparseCategoricalAccuracy()([1, 0], [[0.2, 0.8], [0.2, 0.8]]))
    0.5

    ```
    """

    _function = sparse_categorical_accuracy

    def __init__(self, name: str = "sparse_categorical_accuracy", dtype: Any = None) -> None:
        super().__init__(name=name, dtype=dtype)


@export("keras.metrics.TopKCategoricalAccuracy")
class TopKCategoricalAccuracy(FunctionMetric):
    """How often the one-hot target's class is among the `k` likeliest.

    Args:
        k: how many classes count.
        name: the metric's name.
        dtype: dtype of the result.

    Example:
    ```python
    >>> from ktrain.metrics import TopKCategoricalAccuracy
    >>> float(TopKCategoricalAccuracy(k=2)([[0.0, 0.0, 1.0]], [[0.1, 0.5, 0.4]]))
    1.0

    ```
    """

    _function = top_k_categorical_accuracy

    def __init__(
        self, k: int = 5, name: str = "top_k_categorical_accuracy", dtype: Any = None
    ) -> None:
        super().__init__(name=name, dtype=dtype, k=k)
        self.k = k


@export("keras.metrics.SparseTopKCategoricalAccuracy")
class SparseTopKCategoricalAccuracy(FunctionMetric):
    """How often the target class id is among the `k` likeliest.

    Args:
        k: how many classes count.
        name: the metric's name.
        dtype: dtype of the result.
        from_sorted_ids: whether predictions are class ids, the likeliest first.

    Example:
    ```python
    >>> from ktrain.metrics import SparseTopKCategoricalAccuracy
    >>> float(SparseTopKCategoricalAccuracy(k=2)([2], [[0.1, 0.5, 0.4]]))
    1.0

    ```
    """

    _function = sparse_top_k_categorical_accuracy

    def __init__(
        self,
        k: int = 5,
        name: str = "sparse_top_k_categorical_accuracy",
        dtype: Any = None,
        from_sorted_ids: bool = False,
    ) -> None:
        super().__init__(name=name, dtype=dtype, k=k, from_sorted_ids=from_sorted_ids)
        self.k = k
        self.from_sorted_ids = from_sorted_ids
