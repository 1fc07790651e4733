"""Intersection over union of segmentations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kops import ops
from kops.registry import export
from ktrain.losses.shapes import align_weight
from ktrain.metrics.metric import Metric

__all__ = ["BinaryIoU", "IoU", "MeanIoU", "OneHotIoU", "OneHotMeanIoU"]


class _ConfusionMatrix(Metric):
    """Keeps how often each class was taken for each."""

    def __init__(
        self,
        num_classes: int,
        name: str | None = None,
        dtype: Any = None,
        ignore_class: int | None = None,
        sparse_y_true: bool = True,
        sparse_y_pred: bool = True,
        axis: int = -1,
    ) -> None:
        super().__init__(name=name, dtype=dtype or "int32")
        self.num_classes = num_classes
        self.ignore_class = ignore_class
        self.sparse_y_true = sparse_y_true
        self.sparse_y_pred = sparse_y_pred
        self.axis = axis
        self.total_confusion_matrix = self.add_variable(
            (num_classes, num_classes), initializer="zeros", name="total_confusion_matrix"
        )

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Counts a batch. Ids outside of `[0, num_classes)` are left out.

        Args:
            y_true: class ids (or one-hot, without `sparse_y_true`).
            y_pred: class ids (or scores, without `sparse_y_pred`).
            sample_weight: scalar, or weights whose axes are the first axes of the ids.
        """
        true, guess = self._ids(y_true, y_pred)
        inside = [ops.logical_and(x >= 0, x < self.num_classes) for x in (true, guess)]
        valid = ops.logical_and(*inside)
        if self.ignore_class is not None:
            valid = ops.logical_and(valid, ops.not_equal(true, self.ignore_class))
        weight = ops.cast(valid, "float32")
        if sample_weight is not None:
            weight = (
                weight * align_weight(weight, ops.convert_to_tensor(sample_weight, "float32"))[1]
            )
        rows, columns = (
            ops.one_hot(
                ops.reshape(ops.where(valid, x, 0), (-1,)), self.num_classes, dtype="float32"
            )
            for x in (true, guess)
        )
        counts = ops.matmul(ops.transpose(rows * ops.reshape(weight, (-1, 1))), columns)
        self.total_confusion_matrix.assign_add(ops.cast(counts, self.total_confusion_matrix.dtype))

    def _ids(self, y_true: Any, y_pred: Any) -> tuple[Any, Any]:
        y_true, y_pred = ops.convert_to_tensor(y_true), ops.convert_to_tensor(y_pred)
        if not self.sparse_y_true:
            y_true = ops.argmax(y_true, axis=self.axis)
        if not self.sparse_y_pred:
            y_pred = ops.argmax(y_pred, axis=self.axis)
        true, guess = ops.cast(y_true, "int32"), ops.cast(y_pred, "int32")
        if tuple(true.shape) != tuple(guess.shape):
            guess = ops.reshape(guess, ops.shape(true))
        return true, guess

    def _ious(self) -> tuple[Any, Any]:
        """The IoU of each class, and whether the class occurred."""
        matrix = ops.cast(self.total_confusion_matrix.value, "float32")
        both = ops.diagonal(matrix)
        either = ops.sum(matrix, axis=0) + ops.sum(matrix, axis=1) - both
        return ops.divide_no_nan(both, either), either > 0

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments as plain values."""
        return {
            "num_classes": self.num_classes,
            "name": self.name,
            "dtype": self.dtype,
            "ignore_class": self.ignore_class,
            "sparse_y_true": self.sparse_y_true,
            "sparse_y_pred": self.sparse_y_pred,
            "axis": self.axis,
        }


@export("keras.metrics.IoU")
class IoU(_ConfusionMatrix):
    """Mean intersection over union of chosen classes.

    `true positives / (true positives + false positives + false negatives)`

    Args:
        num_classes: number of classes.
        target_class_ids: the classes averaged over.
        name: the metric's name.
        dtype: dtype of the counts.
        ignore_class: a target id whose samples are left out.
        sparse_y_true: whether targets are class ids, else one-hot.
        sparse_y_pred: whether predictions are class ids, else scores.
        axis: the axis of the classes where they are not ids.

    Raises:
        ValueError: a target class id is not below `num_classes`.

    Example:
    ```python
    >>> from ktrain.metrics import IoU
    >>> round(float(IoU(num_classes=2, target_class_ids=[0])([0, 0, 1, 1], [0, 1, 0, 1])), 4)
    0.3333

    ```
    """

    def __init__(
        self,
        num_classes: int,
        target_class_ids: Sequence[int],
        name: str | None = None,
        dtype: Any = None,
        ignore_class: int | None = None,
        sparse_y_true: bool = True,
        sparse_y_pred: bool = True,
        axis: int = -1,
    ) -> None:
        super().__init__(num_classes, name, dtype, ignore_class, sparse_y_true, sparse_y_pred, axis)
        if max(target_class_ids) >= num_classes:
            raise ValueError(
                f"Target class id {max(target_class_ids)} is out of range, which is [0, "
                f"{num_classes})."
            )
        self.target_class_ids = list(target_class_ids)

    def result(self) -> Any:
        """The mean over the target classes that occurred."""
        ious, occurred = self._ious()
        chosen = ops.convert_to_tensor(self.target_class_ids, "int32")
        ious = ops.take(ious, chosen, axis=0)
        return _mean_where(ious, ops.take(occurred, chosen, axis=0))

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments as plain values."""
        return {**super().get_config(), "target_class_ids": self.target_class_ids}


def _mean_where(values: Any, valid: Any) -> Any:
    valid = ops.cast(valid, values.dtype)
    return ops.divide_no_nan(ops.sum(values * valid), ops.sum(valid))


@export("keras.metrics.BinaryIoU")
class BinaryIoU(IoU):
    """Mean intersection over union of yes and no.

    Args:
        target_class_ids: the classes averaged over: 0 (no), 1 (yes), or both.
        threshold: scores from it on mean yes.
        name: the metric's name.
        dtype: dtype of the counts.

    Example:
    ```python
    >>> from ktrain.metrics import BinaryIoU
    >>> metric = BinaryIoU(target_class_ids=[0, 1], threshold=0.3)
    >>> round(float(metric([0, 1, 0, 1], [0.1, 0.2, 0.4, 0.7])), 4)
    0.3333

    ```
    """

    def __init__(
        self,
        target_class_ids: Sequence[int] = (0, 1),
        threshold: float = 0.5,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(2, target_class_ids, name=name, dtype=dtype)
        self.threshold = threshold

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Counts a batch.

        Args:
            y_true: targets, 0 or 1.
            y_pred: scores of the same shape.
            sample_weight: scalar, or weights whose axes are the first axes of `y_pred`.
        """
        y_pred = ops.cast(self._float(y_pred) >= self.threshold, "int32")
        super().update_state(y_true, y_pred, sample_weight)

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments as plain values."""
        return {
            "target_class_ids": self.target_class_ids,
            "threshold": self.threshold,
            "name": self.name,
            "dtype": self.dtype,
        }


@export("keras.metrics.MeanIoU")
class MeanIoU(IoU):
    """Mean intersection over union of all classes; arguments as in `IoU`.

    Example:
    ```python
    >>> from ktrain.metrics import MeanIoU
    >>> round(float(MeanIoU(num_classes=2)([0, 0, 1, 1], [0, 1, 0, 1])), 4)
    0.3333

    ```
    """

    def __init__(
        self,
        num_classes: int,
        name: str | None = None,
        dtype: Any = None,
        ignore_class: int | None = None,
        sparse_y_true: bool = True,
        sparse_y_pred: bool = True,
        axis: int = -1,
    ) -> None:
        super().__init__(
            num_classes,
            list(range(num_classes)),
            name,
            dtype,
            ignore_class,
            sparse_y_true,
            sparse_y_pred,
            axis,
        )

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments as plain values."""
        result = super().get_config()
        del result["target_class_ids"]
        return result


@export("keras.metrics.OneHotIoU")
class OneHotIoU(IoU):
    """`IoU` for one-hot targets and (by default) scores.

    Example:
    ```python
    >>> from ktrain.metrics import OneHotIoU
    >>> metric = OneHotIoU(num_classes=2, target_class_ids=[0])
    >>> float(metric([[1, 0], [0, 1]], [[0.9, 0.1], [0.2, 0.8]]))
    1.0

    ```
    """

    def __init__(
        self,
        num_classes: int,
        target_class_ids: Sequence[int],
        name: str | None = None,
        dtype: Any = None,
        ignore_class: int | None = None,
        sparse_y_pred: bool = False,
        axis: int = -1,
    ) -> None:
        super().__init__(
            num_classes, target_class_ids, name, dtype, ignore_class, False, sparse_y_pred, axis
        )

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments as plain values."""
        result = super().get_config()
        del result["sparse_y_true"]
        return result


@export("keras.metrics.OneHotMeanIoU")
class OneHotMeanIoU(MeanIoU):
    """`MeanIoU` for one-hot targets and (by default) scores.

    Example:
    ```python
    >>> from ktrain.metrics import OneHotMeanIoU
    >>> float(OneHotMeanIoU(num_classes=2)([[1, 0], [0, 1]], [[0.9, 0.1], [0.2, 0.8]]))
    1.0

    ```
    """

    def __init__(
        self,
        num_classes: int,
        name: str | None = None,
        dtype: Any = None,
        ignore_class: int | None = None,
        sparse_y_pred: bool = False,
        axis: int = -1,
    ) -> None:
        super().__init__(num_classes, name, dtype, ignore_class, False, sparse_y_pred, axis)

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments as plain values."""
        result = super().get_config()
        del result["sparse_y_true"]
        return result
