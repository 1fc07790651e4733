"""Checks before training starts: what cannot work is refused at once, with the fix."""

from __future__ import annotations

from typing import Any

from klayers import Model
from kops import tree

from ktrain import steps
from ktrain.compiled.checks import check_labels
from ktrain.data.arrays import ArraySource, holds_arrays
from ktrain.data.class_weights import ClassWeights
from ktrain.data.source import Source
from ktrain.state import TrainerState

__all__ = ["check_can_train", "check_class_weight", "check_first_data", "require_samples"]


def check_can_train(model: Model, state: TrainerState) -> None:
    if steps.is_overridden(model, "train_step") or steps.is_overridden(model, "compute_loss"):
        return
    if model.__dict__.get("optimizer") is None:
        raise ValueError(
            f"The model {model.name!r} was compiled with `optimizer=None`, so it cannot be "
            'trained. Compile it with an optimizer, such as "adam".'
        )


def require_samples(source: Source) -> None:
    if isinstance(source, ArraySource) and source.size == 0:
        raise ValueError("`x` has no samples: the size of its first axis is 0.")


def check_class_weight(weights: ClassWeights, state: TrainerState, y: Any) -> None:
    if holds_arrays(y):
        weights.check_labels(y, state.num_classes)
    elif state.num_classes:
        weights.check(range(max(state.num_classes, 2)))


def check_first_data(state: TrainerState, y: Any) -> None:
    if state.losses is not None and y is not None and not tree.is_nested(y) and holds_arrays(y):
        check_labels(state.losses.single_loss, y, state.num_classes)
