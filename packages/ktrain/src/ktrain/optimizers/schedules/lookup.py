"""Writing schedules down and reading them back."""

from __future__ import annotations

from typing import Any

from kops.registry import export
from kops.serialization import deserialize_keras_object, serialize_keras_object
from ktrain.optimizers.schedules.schedule import LearningRateSchedule

__all__ = ["deserialize", "serialize"]


@export("keras.optimizers.schedules.serialize")
def serialize(learning_rate_schedule: LearningRateSchedule) -> dict[str, Any]:
    """The schedule as plain values that `deserialize` takes.

    Example:
    ```python
    >>> from ktrain.optimizers import schedules
    >>> schedules.serialize(schedules.CosineDecay(0.1, 100))["class_name"]
    'CosineDecay'

    ```
    """
    return serialize_keras_object(learning_rate_schedule)


@export("keras.optimizers.schedules.deserialize")
def deserialize(config: dict[str, Any], custom_objects: dict[str, Any] | None = None) -> Any:
    """The schedule that `serialize` wrote down.

    Args:
        config: what `serialize` returned.
        custom_objects: further classes by name.

    Example:
    ```python
    >>> from ktrain.optimizers import schedules
    >>> config = schedules.serialize(schedules.CosineDecay(0.1, 100))
    >>> schedules.deserialize(config).decay_steps
    100

    ```
    """
    return deserialize_keras_object(config, custom_objects=custom_objects)
