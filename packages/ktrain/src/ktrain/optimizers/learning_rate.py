"""What an optimizer accepts as a learning rate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kops.serialization import deserialize_keras_object, serialize_keras_object
from ktrain.optimizers.schedules import LearningRateSchedule

__all__ = ["check", "current", "from_config", "is_constant", "to_config"]


def is_constant(rate: Any) -> bool:
    """Whether `rate` is a number rather than a rule."""
    return not callable(rate)


def check(rate: Any) -> Any:
    """Returns `rate` if it can be a learning rate.

    Raises:
        ValueError: it cannot.
    """
    if callable(rate):
        return rate
    try:
        if not isinstance(rate, (str, bool)):
            return float(rate)
    except (TypeError, ValueError):
        pass
    raise ValueError(
        "Argument `learning_rate` should be float, or an instance of LearningRateSchedule, or a "
        "callable (that takes in the current iteration value and returns the corresponding "
        f"learning rate value). Received instead: learning_rate={rate}"
    )


def current(rate: LearningRateSchedule | Callable[[], Any], step: Any) -> Any:
    """The value of a rule at `step`; a plain callable takes no argument."""
    return rate(step) if isinstance(rate, LearningRateSchedule) else rate()  # type: ignore[call-arg]


def to_config(rate: Any) -> Any:
    """A learning rate as plain values: a float, or a serialized schedule or function."""
    return serialize_keras_object(rate) if callable(rate) else float(rate)


def from_config(rate: Any, custom_objects: dict[str, Any] | None = None) -> Any:
    """The inverse of `to_config`."""
    if isinstance(rate, dict):
        return deserialize_keras_object(rate, custom_objects=custom_objects)
    return rate
