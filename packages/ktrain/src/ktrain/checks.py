"""Checks around training: what cannot work is refused early, with the fix."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from klayers import Model
from kops import tree
from ktrain import steps
from ktrain.compiled.checks import check_labels
from ktrain.data.arrays import ArraySource, holds_arrays
from ktrain.data.class_weights import ClassWeights
from ktrain.data.source import Source
from ktrain.state import trainer_state

__all__ = ["check_can_train", "check_labels_of", "check_loss", "require_samples"]


def check_can_train(model: Model) -> None:
    """Refuses to train a model without an optimizer, unless it has a step of its own.

    Raises:
        ValueError: as said.
    """
    if steps.is_overridden(model, "train_step"):
        return
    if model.__dict__.get("optimizer") is None:
        raise ValueError(
            f"The model {model.name!r} was compiled with `optimizer=None`, so it cannot be "
            'trained. Compile it with an optimizer, such as "adam".'
        )


def require_samples(source: Source) -> None:
    """Refuses arrays without rows.

    Raises:
        ValueError: as said.
    """
    if isinstance(source, ArraySource) and source.size == 0:
        raise ValueError("`x` has no samples: the size of its first axis is 0.")


def check_labels_of(model: Model, y: Any, weights: ClassWeights | None = None) -> None:
    """Refuses class ids, and keys of `class_weight`, that the model has no class for.

    Raises:
        ValueError: as said.
    """
    state = trainer_state(model)
    arrays = y is not None and not tree.is_nested(y) and holds_arrays(y)
    if weights is not None:
        if arrays:
            weights.check_labels(y, state.num_classes)
        elif state.num_classes:
            weights.check(range(max(state.num_classes, 2)))
    if state.losses is not None and arrays:
        check_labels(state.losses.single_loss, y, state.num_classes)


def check_loss(model: Model, source: Source, logs: Mapping[str, Any]) -> None:
    """Says so if the loss is no number because the data holds none.

    Raises:
        ValueError: naming the data that holds NaN.
    """
    loss = logs.get("loss")
    if not isinstance(loss, float) or not math.isnan(loss):
        return
    if model.__dict__.get("stop_training"):
        return  # a callback has seen it
    where = source.find_nan()
    if where is not None:
        raise ValueError(
            f"The loss is NaN because the data is: {where}. Drop or fill these values, for "
            "example with `np.nan_to_num` or `keras.layers.Normalization` on cleaned data."
        )
