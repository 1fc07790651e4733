"""Cross-entropies and other losses between probability distributions."""

from __future__ import annotations

import warnings
from typing import Any

from kops import config, dtypes, masks, ops
from kops.registry import export
from ktrain.losses.loss import FunctionLoss
from ktrain.losses.numerics import dtype_name, float32_inside, pair, smooth
from ktrain.losses.shapes import align_pair

__all__ = [
    "BinaryCrossentropy",
    "CategoricalCrossentropy",
    "CategoricalGeneralizedCrossEntropy",
    "KLDivergence",
    "Poisson",
    "SparseCategoricalCrossentropy",
    "binary_crossentropy",
    "categorical_crossentropy",
    "categorical_generalized_cross_entropy",
    "kl_divergence",
    "poisson",
    "sparse_categorical_crossentropy",
]


@export("keras.losses.binary_crossentropy", "keras.metrics.binary_crossentropy")
@float32_inside
def binary_crossentropy(
    y_true: Any,
    y_pred: Any,
    from_logits: bool = False,
    label_smoothing: float = 0.0,
    axis: int = -1,
) -> Any:
    """Cross-entropy of independent yes/no predictions, averaged over `axis`.

    Args:
        y_true: targets in [0, 1], shape `(batch, ..., d)`.
        y_pred: probabilities (or logits) of the same shape.
        from_logits: whether `y_pred` are logits.
        label_smoothing: in [0, 1]; moves the targets that far towards 0.5.
        axis: the axis averaged over.

    Example:
    ```python
    >>> from ktrain import losses
    >>> round(float(losses.binary_crossentropy([[1.0, 0.0]], [[0.5, 0.5]])[0]), 4)
    0.6931

    ```
    """
    y_true, y_pred = pair(y_true, y_pred)
    if label_smoothing:
        y_true = smooth(y_true, label_smoothing, 2.0)
    return ops.mean(ops.binary_crossentropy(y_true, y_pred, from_logits=from_logits), axis=axis)


@export("keras.losses.categorical_crossentropy", "keras.metrics.categorical_crossentropy")
@float32_inside
def categorical_crossentropy(
    y_true: Any,
    y_pred: Any,
    from_logits: bool = False,
    label_smoothing: float = 0.0,
    axis: int = -1,
) -> Any:
    """Cross-entropy between one-hot (or soft) targets and class probabilities.

    Args:
        y_true: targets, shape `(..., classes)`.
        y_pred: probabilities (or logits) of the same shape.
        from_logits: whether `y_pred` are logits.
        label_smoothing: in [0, 1]; moves the targets towards the uniform distribution.
        axis: the axis of the classes.

    Returns:
        Tensor of the inputs' shape without `axis`.

    Example:
    ```python
    >>> from ktrain import losses
    >>> round(float(losses.categorical_crossentropy([[0.0, 1.0]], [[0.5, 0.5]])[0]), 4)
    0.6931

    ```
    """
    y_true, y_pred = pair(y_true, y_pred)
    classes = y_pred.shape[axis]
    if classes == 1:
        warnings.warn(
            "categorical_crossentropy needs more than one class along `axis`; "
            f"received: y_pred.shape={tuple(y_pred.shape)}. For a single yes/no output use "
            "'binary_crossentropy'.",
            SyntaxWarning,
            stacklevel=2,
        )
    if label_smoothing:
        y_true = smooth(y_true, label_smoothing, classes)
    return ops.categorical_crossentropy(y_true, y_pred, from_logits=from_logits, axis=axis)


@export(
    "keras.losses.sparse_categorical_crossentropy",
    "keras.metrics.sparse_categorical_crossentropy",
)
@float32_inside
def sparse_categorical_crossentropy(
    y_true: Any,
    y_pred: Any,
    from_logits: bool = False,
    ignore_class: int | None = None,
    axis: int = -1,
) -> Any:
    """Cross-entropy between class ids and class probabilities.

    Args:
        y_true: class ids, shape `(...)` or `(..., 1)`.
        y_pred: probabilities (or logits), shape `(..., classes)`.
        from_logits: whether `y_pred` are logits.
        ignore_class: an id whose samples count as masked: they get the loss 0, and
            a mean leaves them out.
        axis: the axis of the classes.

    Returns:
        Tensor of the shape of `y_pred` without `axis`.

    Example:
    ```python
    >>> from ktrain import losses
    >>> round(float(losses.sparse_categorical_crossentropy([1], [[0.5, 0.5]])[0]), 4)
    0.6931

    ```
    """
    y_pred = ops.convert_to_tensor(y_pred)
    y_true = ops.convert_to_tensor(y_true)
    if not dtypes.is_int(dtype_name(y_true.dtype)):
        y_true = ops.cast(y_true, "int32")
    if ignore_class is None:
        return ops.sparse_categorical_crossentropy(y_true, y_pred, from_logits, axis)
    if len(y_true.shape) == len(y_pred.shape) and y_true.shape[-1] == 1:
        y_true = ops.squeeze(y_true, -1)
    valid = ops.not_equal(y_true, ignore_class)
    y_true = ops.where(valid, y_true, ops.zeros_like(y_true))
    values = ops.sparse_categorical_crossentropy(y_true, y_pred, from_logits=from_logits, axis=axis)
    values = ops.where(valid, values, ops.zeros_like(values))
    masks.set_mask(values, valid)
    return values


@export("keras.losses.categorical_generalized_cross_entropy")
@float32_inside
def categorical_generalized_cross_entropy(y_true: Any, y_pred: Any, q: float) -> Any:
    """`(1 - p**q) / q`, with `p` the probability of the true class.

    Robust to wrong labels: between cross-entropy (`q` -> 0) and absolute error (`q` = 1).

    Args:
        y_true: class ids, shape `(...)`.
        y_pred: probabilities, shape `(..., classes)`.
        q: in (0, 1).

    Source: Z. Zhang, M. Sabuncu, "Generalized Cross Entropy Loss for Training Deep
    Neural Networks with Noisy Labels", NeurIPS 2018.

    Example:
    ```python
    >>> from ktrain import losses
    >>> float(losses.categorical_generalized_cross_entropy([1], [[0.75, 0.25]], q=0.5)[0])
    1.0

    ```
    """
    y_pred = ops.convert_to_tensor(y_pred)
    y_true = ops.cast(ops.convert_to_tensor(y_true), "int32")
    if len(y_true.shape) == len(y_pred.shape) and y_true.shape[-1] == 1:
        y_true = ops.squeeze(y_true, -1)
    one_hot = ops.one_hot(y_true, y_pred.shape[-1], dtype=y_pred.dtype)
    p = ops.clip(ops.sum(one_hot * y_pred, axis=-1), config.epsilon(), 1.0)
    return (1.0 - ops.power(p, q)) / q


@export("keras.losses.kl_divergence", "keras.metrics.kl_divergence")
@float32_inside
def kl_divergence(y_true: Any, y_pred: Any) -> Any:
    """Kullback-Leibler divergence `sum(y_true * log(y_true / y_pred))` over the last axis.

    Both are clipped to `[epsilon, 1]`.

    Example:
    ```python
    >>> from ktrain import losses
    >>> float(losses.kl_divergence([[0.5, 0.5]], [[0.5, 0.5]])[0])
    0.0

    ```
    """
    y_true, y_pred = align_pair(y_true, y_pred)
    y_true, y_pred = (ops.clip(y, config.epsilon(), 1.0) for y in (y_true, y_pred))
    return ops.sum(y_true * ops.log(y_true / y_pred), axis=-1)


@export("keras.losses.poisson", "keras.metrics.poisson")
@float32_inside
def poisson(y_true: Any, y_pred: Any) -> Any:
    """`mean(y_pred - y_true * log(y_pred))` over the last axis, for counts.

    Example:
    ```python
    >>> from ktrain import losses
    >>> round(float(losses.poisson([[2.0]], [[1.0]])[0]), 4)
    1.0

    ```
    """
    y_true, y_pred = align_pair(y_true, y_pred)
    return ops.mean(y_pred - y_true * ops.log(y_pred + config.epsilon()), axis=-1)


@export("keras.losses.BinaryCrossentropy")
class BinaryCrossentropy(FunctionLoss):
    """Cross-entropy of independent yes/no predictions, see `binary_crossentropy`.

    Args:
        from_logits: whether predictions are logits.
        label_smoothing: in [0, 1]; moves the targets that far towards 0.5.
        axis: the axis averaged over.
        reduction: see `Loss`.
        name: the loss's name.
        dtype: dtype of the computation.

    Example:
    ```python
    >>> from ktrain.losses import BinaryCrossentropy
    >>> round(float(BinaryCrossentropy(from_logits=True)([[1.0]], [[0.0]])), 4)
    0.6931

    ```
    """

    _function = binary_crossentropy
    _options = ("from_logits", "label_smoothing", "axis")

    def __init__(
        self,
        from_logits: bool = False,
        label_smoothing: float = 0.0,
        axis: int = -1,
        reduction: str | None = "sum_over_batch_size",
        name: str = "binary_crossentropy",
        dtype: Any = None,
    ) -> None:
        super().__init__(name=name, reduction=reduction, dtype=dtype)
        self.from_logits = from_logits
        self.label_smoothing = label_smoothing
        self.axis = axis


@export("keras.losses.CategoricalCrossentropy")
class CategoricalCrossentropy(FunctionLoss):
    """Cross-entropy with one-hot targets, see `categorical_crossentropy`.

    Args:
        from_logits: whether predictions are logits.
        label_smoothing: in [0, 1]; moves the targets towards the uniform distribution.
        axis: the axis of the classes.
        reduction: see `Loss`.
        name: the loss's name.
        dtype: dtype of the computation.

    Example:
    ```python
    >>> from ktrain.losses import CategoricalCrossentropy
    >>> round(float(CategoricalCrossentropy()([[0.0, 1.0]], [[0.5, 0.5]])), 4)
    0.6931

    ```
    """

    _function = categorical_crossentropy
    _options = ("from_logits", "label_smoothing", "axis")

    def __init__(
        self,
        from_logits: bool = False,
        label_smoothing: float = 0.0,
        axis: int = -1,
        reduction: str | None = "sum_over_batch_size",
        name: str = "categorical_crossentropy",
        dtype: Any = None,
    ) -> None:
        super().__init__(name=name, reduction=reduction, dtype=dtype)
        self.from_logits = from_logits
        self.label_smoothing = label_smoothing
        self.axis = axis


@export("keras.losses.SparseCategoricalCrossentropy")
class SparseCategoricalCrossentropy(FunctionLoss):
    """Cross-entropy with class ids as targets, see `sparse_categorical_crossentropy`.

    Args:
        from_logits: whether predictions are logits.
        ignore_class: an id whose samples are left out.
        reduction: see `Loss`.
        axis: the axis of the classes.
        name: the loss's name.
        dtype: dtype of the computation.

    Example:
    ```python
    >>> from ktrain.losses import SparseCategoricalCrossentropy
    >>> round(float(SparseCategoricalCrossentropy()([1], [[0.5, 0.5]])), 4)
    0.6931

    ```
    """

    _function = sparse_categorical_crossentropy
    _options = ("from_logits", "ignore_class", "axis")
    _targets_dtype = None

    def __init__(
        self,
        from_logits: bool = False,
        ignore_class: int | None = None,
        reduction: str | None = "sum_over_batch_size",
        axis: int = -1,
        name: str = "sparse_categorical_crossentropy",
        dtype: Any = None,
    ) -> None:
        super().__init__(name=name, reduction=reduction, dtype=dtype)
        self.from_logits = from_logits
        self.ignore_class = ignore_class
        self.axis = axis


@export("keras.losses.CategoricalGeneralizedCrossEntropy")
class CategoricalGeneralizedCrossEntropy(FunctionLoss):
    """Cross-entropy for noisy labels, see `categorical_generalized_cross_entropy`.

    Args:
        q: in (0, 1); larger is more robust to wrong labels.
        reduction: see `Loss`.
        name: the loss's name.
        dtype: dtype of the computation.

    Raises:
        ValueError: `q` is not between 0 and 1.

    Example:
    ```python
    >>> from ktrain.losses import CategoricalGeneralizedCrossEntropy
    >>> float(CategoricalGeneralizedCrossEntropy(q=0.5)([1], [[0.75, 0.25]]))
    1.0

    ```
    """

    _function = categorical_generalized_cross_entropy
    _options = ("q",)
    _targets_dtype = None

    def __init__(
        self,
        q: float = 0.5,
        reduction: str | None = "sum_over_batch_size",
        name: str = "categorical_generalized_cross_entropy",
        dtype: Any = None,
    ) -> None:
        if not 0 < q < 1:
            raise ValueError(f"`q` must be a float between 0 and 1 (exclusive). Received: q={q}")
        super().__init__(name=name, reduction=reduction, dtype=dtype)
        self.q = q


@export("keras.losses.KLDivergence")
class KLDivergence(FunctionLoss):
    """Kullback-Leibler divergence, see `kl_divergence`.

    Example:
    ```python
    >>> from ktrain.losses import KLDivergence
    >>> float(KLDivergence()([[0.5, 0.5]], [[0.5, 0.5]]))
    0.0

    ```
    """

    _function = kl_divergence

    def __init__(
        self,
        reduction: str | None = "sum_over_batch_size",
        name: str = "kl_divergence",
        dtype: Any = None,
    ) -> None:
        super().__init__(name=name, reduction=reduction, dtype=dtype)


@export("keras.losses.Poisson")
class Poisson(FunctionLoss):
    """Poisson loss for counts, see `poisson`.

    Example:
    ```python
    >>> from ktrain.losses import Poisson
    >>> round(float(Poisson()([[2.0]], [[1.0]])), 4)
    1.0

    ```
    """

    _function = poisson

    def __init__(
        self,
        reduction: str | None = "sum_over_batch_size",
        name: str = "poisson",
        dtype: Any = None,
    ) -> None:
        super().__init__(name=name, reduction=reduction, dtype=dtype)
