"""`class_weight`: a weight per class, turned into a weight per sample."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ktrain.data.host import host_array

__all__ = ["ClassWeights"]


class ClassWeights:
    """Looks up the weight of each sample's class.

    Args:
        weights: dictionary of class id to weight; a class without an entry weighs 1.

    Raises:
        ValueError: a key is no class id, or a weight is no number.

    Example:
    ```python
    >>> import numpy as np
    >>> from ktrain.data.class_weights import ClassWeights
    >>> ClassWeights({0: 0.5, 2: 3.0})(np.array([0, 1, 2]))
    array([0.5, 1. , 3. ], dtype=float32)

    ```
    """

    def __init__(self, weights: Mapping[Any, Any]):
        if not isinstance(weights, Mapping):
            raise ValueError(
                "`class_weight` must be a dictionary of class id to weight, such as "
                f"{{0: 1.0, 1: 5.0}}; got {weights!r}."
            )
        self.weights = {_class_id(k): _weight(k, v) for k, v in weights.items()}
        size = max(self.weights, default=-1) + 1
        self.table = np.ones(size + 1, "float32")  # the last entry: any other class
        for key, value in self.weights.items():
            self.table[key] = value

    def check(self, classes: range) -> None:
        """Refuses keys that are not among `classes`."""
        unknown = sorted(k for k in self.weights if k not in classes)
        if unknown:
            raise ValueError(
                f"`class_weight` has the keys {unknown}, which match no class: the classes are "
                f"{classes.start} to {classes.stop - 1}. Remove or correct these keys."
            )

    def check_labels(self, y: Any, num_classes: int | None = None) -> None:
        """Refuses keys beyond the classes of the model and of the targets `y`."""
        y = host_array(y)
        labels = class_ids(y)
        top = y.shape[-1] if _is_one_hot(y) else int(labels.max(initial=-1)) + 1
        self.check(range(max(top, num_classes or 0, 2)))

    def __call__(self, y: Any) -> np.ndarray:
        """The weight of each sample in `y`: class ids, or one row of scores per sample."""
        labels = class_ids(y)
        outside = (labels < 0) | (labels >= len(self.table) - 1)
        return self.table[np.where(outside, len(self.table) - 1, labels)]


def class_ids(y: Any) -> np.ndarray:
    """Class ids of the targets `y`, one-hot rows resolved."""
    y = np.asarray(y)
    if _is_one_hot(y):
        return np.argmax(y, axis=-1)
    if y.ndim == 2:
        y = y[:, 0]
    if y.ndim != 1:
        raise ValueError(
            "`class_weight` needs targets of shape (samples,), (samples, 1) or (samples, "
            f"classes); got targets of shape {y.shape}. Pass `sample_weight` instead."
        )
    return np.round(y).astype("int64")


def _is_one_hot(y: Any) -> bool:
    return len(y.shape) == 2 and y.shape[1] > 1


def _class_id(key: Any) -> int:
    try:
        value = int(key)
        if value != key or value < 0:
            raise ValueError
    except (TypeError, ValueError):
        raise ValueError(
            f"`class_weight` has the key {key!r}, which matches no class. Keys are class ids: "
            "0, 1, 2, …"
        ) from None
    return value


def _weight(key: Any, value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise ValueError(f"`class_weight[{key!r}]` must be a number; got {value!r}.") from None
