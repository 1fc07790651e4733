"""Exponential, inverse-time, polynomial and piecewise constant decay."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kops import ops
from kops.registry import export
from ktrain.optimizers.schedules.schedule import LearningRateSchedule, as_float

__all__ = [
    "ExponentialDecay",
    "InverseTimeDecay",
    "PiecewiseConstantDecay",
    "PolynomialDecay",
]


@export("keras.optimizers.schedules.ExponentialDecay")
class ExponentialDecay(LearningRateSchedule):
    """`initial_learning_rate * decay_rate**(step / decay_steps)`.

    Args:
        initial_learning_rate: the rate at step 0.
        decay_steps: steps per factor of `decay_rate`, above 0.
        decay_rate: the factor.
        staircase: whether `step / decay_steps` is rounded down.
        name: kept in the config.

    Raises:
        ValueError: `decay_steps` is not above 0.

    Example:
    ```python
    >>> from ktrain.optimizers.schedules import ExponentialDecay
    >>> float(ExponentialDecay(1.0, decay_steps=10, decay_rate=0.5)(20))
    0.25

    ```
    """

    def __init__(
        self,
        initial_learning_rate: float,
        decay_steps: int,
        decay_rate: float,
        staircase: bool = False,
        name: str = "ExponentialDecay",
    ) -> None:
        self.initial_learning_rate = initial_learning_rate
        self.decay_steps = decay_steps
        self.decay_rate = decay_rate
        self.staircase = staircase
        self.name = name

    def __call__(self, step: Any) -> Any:
        """The learning rate at `step`."""
        exponent = as_float(step) / self.decay_steps
        if self.staircase:
            exponent = ops.floor(exponent)
        return self.initial_learning_rate * ops.power(as_float(self.decay_rate), exponent)

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        return {
            "initial_learning_rate": self.initial_learning_rate,
            "decay_steps": self.decay_steps,
            "decay_rate": self.decay_rate,
            "staircase": self.staircase,
            "name": self.name,
        }


@export("keras.optimizers.schedules.InverseTimeDecay")
class InverseTimeDecay(LearningRateSchedule):
    """`initial_learning_rate / (1 + decay_rate * step / decay_steps)`.

    Args:
        initial_learning_rate: the rate at step 0.
        decay_steps: how many steps count as one, above 0.
        decay_rate: how fast the rate falls.
        staircase: whether `step / decay_steps` is rounded down.
        name: kept in the config.

    Raises:
        ValueError: `decay_steps` is not above 0.

    Example:
    ```python
    >>> from ktrain.optimizers.schedules import InverseTimeDecay
    >>> float(InverseTimeDecay(1.0, decay_steps=10, decay_rate=0.5)(20))
    0.5

    ```
    """

    def __init__(
        self,
        initial_learning_rate: float,
        decay_steps: int,
        decay_rate: float,
        staircase: bool = False,
        name: str = "InverseTimeDecay",
    ) -> None:
        self.initial_learning_rate = initial_learning_rate
        self.decay_steps = decay_steps
        self.decay_rate = decay_rate
        self.staircase = staircase
        self.name = name

    def __call__(self, step: Any) -> Any:
        """The learning rate at `step`."""
        time = as_float(step) / self.decay_steps
        if self.staircase:
            time = ops.floor(time)
        return self.initial_learning_rate / (1.0 + self.decay_rate * time)

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        return {
            "initial_learning_rate": self.initial_learning_rate,
            "decay_steps": self.decay_steps,
            "decay_rate": self.decay_rate,
            "staircase": self.staircase,
            "name": self.name,
        }


@export("keras.optimizers.schedules.PolynomialDecay")
class PolynomialDecay(LearningRateSchedule):
    """Falls to `end_learning_rate` along `(1 - step / decay_steps)**power`.

    Args:
        initial_learning_rate: the rate at step 0.
        decay_steps: when the end is reached, above 0.
        end_learning_rate: the rate from then on.
        power: 1 gives a straight line.
        cycle: whether the rate, once at its end, starts again each time with the next
            multiple of `decay_steps` as the end.
        name: kept in the config.

    Raises:
        ValueError: `decay_steps` is not above 0.

    Example:
    ```python
    >>> from ktrain.optimizers.schedules import PolynomialDecay
    >>> float(PolynomialDecay(1.0, decay_steps=10, end_learning_rate=0.0)(5))
    0.5

    ```
    """

    def __init__(
        self,
        initial_learning_rate: float,
        decay_steps: int,
        end_learning_rate: float = 0.0001,
        power: float = 1.0,
        cycle: bool = False,
        name: str = "PolynomialDecay",
    ) -> None:
        self.initial_learning_rate = initial_learning_rate
        self.decay_steps = decay_steps
        self.end_learning_rate = end_learning_rate
        self.power = power
        self.cycle = cycle
        self.name = name

    def __call__(self, step: Any) -> Any:
        """The learning rate at `step`."""
        step = as_float(step)
        steps = as_float(self.decay_steps)
        if self.cycle:
            steps = steps * ops.maximum(ops.ceil(step / steps), 1.0)
        else:
            step = ops.minimum(step, steps)
        left = ops.power(1.0 - step / steps, self.power)
        return (self.initial_learning_rate - self.end_learning_rate) * left + self.end_learning_rate

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        return {
            "initial_learning_rate": self.initial_learning_rate,
            "decay_steps": self.decay_steps,
            "end_learning_rate": self.end_learning_rate,
            "power": self.power,
            "cycle": self.cycle,
            "name": self.name,
        }


@export("keras.optimizers.schedules.PiecewiseConstantDecay")
class PiecewiseConstantDecay(LearningRateSchedule):
    """A constant rate between boundaries.

    `values[i]` holds while `step <= boundaries[i]`, the last value afterwards.

    Args:
        boundaries: increasing step numbers.
        values: one rate more than there are boundaries.
        name: kept in the config.

    Raises:
        ValueError: the lengths do not fit.

    Example:
    ```python
    >>> from ktrain.optimizers.schedules import PiecewiseConstantDecay
    >>> schedule = PiecewiseConstantDecay([10], [1.0, 0.5])
    >>> float(schedule(10)), float(schedule(11))
    (1.0, 0.5)

    ```
    """

    def __init__(
        self,
        boundaries: Sequence[float],
        values: Sequence[float],
        name: str = "PiecewiseConstant",
    ) -> None:
        if len(boundaries) != len(values) - 1:
            raise ValueError(
                "The length of boundaries should be 1 less than the length of values. Received: "
                f"boundaries={boundaries} of length {len(boundaries)}, and values={values} of "
                f"length {len(values)}."
            )
        self.boundaries = boundaries
        self.values = values
        self.name = name

    def __call__(self, step: Any) -> Any:
        """The learning rate at `step`."""
        step = as_float(step)
        rate = as_float(self.values[-1])
        for boundary, value in zip(
            reversed(self.boundaries), reversed(self.values[:-1]), strict=True
        ):
            rate = ops.where(step <= boundary, as_float(value), rate)
        return rate

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        return {"boundaries": self.boundaries, "values": self.values, "name": self.name}
