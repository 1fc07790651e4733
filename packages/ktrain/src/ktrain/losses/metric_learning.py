"""Circle loss of deep metric learning."""

from __future__ import annotations

from typing import Any

from kops import ops
from kops.registry import export
from ktrain.losses.loss import FunctionLoss
from ktrain.losses.numerics import float32_inside

__all__ = ["Circle", "circle"]

_NEVER = -1e9  # exponent of a pair that does not count


@export("keras.losses.circle")
@float32_inside
def circle(
    y_true: Any,
    y_pred: Any,
    ref_labels: Any = None,
    ref_embeddings: Any = None,
    remove_diagonal: bool = True,
    gamma: float = 80,
    margin: float = 0.4,
) -> Any:
    """Pulls embeddings of one label together and pushes those of others apart.

    Args:
        y_true: labels, shape `(batch,)`.
        y_pred: L2-normalized embeddings, shape `(batch, d)`.
        ref_labels: labels of the reference embeddings; `y_true` by default.
        ref_embeddings: what `y_pred` is compared with; `y_pred` by default.
        remove_diagonal: whether the i-th embedding is not compared with the i-th
            reference.
        gamma: scale.
        margin: how far from the optimum a similarity still counts.

    Returns:
        Tensor of shape `(batch,)`.

    Source: Y. Sun et al., "Circle Loss: A Unified Perspective of Pair Similarity
    Optimization", CVPR 2020.

    Example:
    ```python
    >>> from ktrain import losses
    >>> labels, points = [0, 0, 1], [[1.0, 0.0], [1.0, 0.0], [-1.0, 0.0]]
    >>> round(float(losses.circle(labels, points)[0]), 4)
    0.0

    ```
    """
    y_pred = ops.convert_to_tensor(y_pred)
    labels = ops.reshape(ops.convert_to_tensor(y_true), (-1, 1))
    references = (
        y_pred if ref_embeddings is None else ops.convert_to_tensor(ref_embeddings, y_pred.dtype)
    )
    others = (
        labels
        if ref_labels is None
        else ops.reshape(ops.convert_to_tensor(ref_labels, labels.dtype), (-1, 1))
    )
    similar = ops.matmul(y_pred, ops.transpose(references))
    positive = ops.equal(labels, ops.transpose(others))
    negative = ops.logical_not(positive)
    if remove_diagonal:
        diagonal = ops.eye(similar.shape[0], similar.shape[1], dtype="bool")
        positive = ops.logical_and(positive, ops.logical_not(diagonal))
    pull = ops.stop_gradient(ops.maximum(1.0 + margin - similar, 0.0))
    push = ops.stop_gradient(ops.maximum(similar + margin, 0.0))
    pull_exponent = ops.where(positive, -gamma * pull * (similar - (1.0 - margin)), _NEVER)
    push_exponent = ops.where(negative, gamma * push * (similar - margin), _NEVER)
    return ops.softplus(ops.logsumexp(pull_exponent, axis=1) + ops.logsumexp(push_exponent, axis=1))


@export("keras.losses.Circle")
class Circle(FunctionLoss):
    """Circle loss, see `circle`.

    Args:
        gamma: scale.
        margin: how far from the optimum a similarity still counts.
        remove_diagonal: whether an embedding is not compared with itself.
        reduction: see `Loss`.
        name: the loss's name.
        dtype: dtype of the computation.

    Example:
    ```python
    >>> from ktrain.losses import Circle
    >>> round(float(Circle()([0, 0, 1], [[1.0, 0.0], [1.0, 0.0], [-1.0, 0.0]])), 4)
    0.0

    ```
    """

    _function = circle
    _options = ("gamma", "margin", "remove_diagonal")
    _targets_dtype = None

    def __init__(
        self,
        gamma: float = 80.0,
        margin: float = 0.4,
        remove_diagonal: bool = True,
        reduction: str | None = "sum_over_batch_size",
        name: str = "circle",
        dtype: Any = None,
    ) -> None:
        super().__init__(name=name, reduction=reduction, dtype=dtype)
        self.gamma = gamma
        self.margin = margin
        self.remove_diagonal = remove_diagonal

    def call(self, y_true: Any, y_pred: Any) -> Any:
        """The loss of each embedding; they are normalized first."""
        return super().call(y_true, ops.normalize(y_pred, axis=-1, order=2))
