"""`LearningRateSchedule`: a learning rate that depends on the step."""

from __future__ import annotations

from typing import Any, Self

from kops import config, ops
from kops.registry import export

__all__ = ["LearningRateSchedule", "as_float"]


@export("keras.optimizers.schedules.LearningRateSchedule")
class LearningRateSchedule:
    """Base of the schedules: a callable of the optimizer's step count.

    Subclasses override `__call__(step)`, made of ops so that it also runs inside a
    compiled step, and `get_config()` so that it can be saved.

    Example:
    ```python
    >>> from ktrain.optimizers.schedules import LearningRateSchedule
    >>> class Halving(LearningRateSchedule):
    ...     def __call__(self, step):
    ...         return 0.1 * 0.5**step
    >>> Halving()(1)
    0.05

    ```
    """

    def __call__(self, step: Any) -> Any:
        """The learning rate at `step`, a scalar integer tensor (or int)."""
        raise NotImplementedError(
            f"Learning rate schedule {type(self).__name__!r} must override `__call__(self, step)`."
        )

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments as plain values."""
        raise NotImplementedError(
            f"Learning rate schedule {type(self).__name__!r} must override `get_config()` in "
            "order to be serializable."
        )

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """Builds the schedule from what `get_config` returned."""
        return cls(**config)


def as_float(value: Any) -> Any:
    """`value` (a step or a rate) as a float tensor."""
    return ops.cast(ops.convert_to_tensor(value), config.floatx())
