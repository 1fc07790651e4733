"""Cosine decay, with a warm-up or with restarts.

Source: I. Loshchilov, F. Hutter, "SGDR: Stochastic Gradient Descent with Warm
Restarts", ICLR 2017.
"""

from __future__ import annotations

import math
from typing import Any

from kops import ops
from kops.registry import export
from ktrain.optimizers.schedules.schedule import LearningRateSchedule, as_float

__all__ = ["CosineDecay", "CosineDecayRestarts"]


def _half_cosine(fraction: Any) -> Any:
    """1 at 0, 0 at 1, half a cosine wave between."""
    return 0.5 * (1.0 + ops.cos(math.pi * fraction))


@export("keras.optimizers.schedules.CosineDecay")
class CosineDecay(LearningRateSchedule):
    """Falls along half a cosine wave, after an optional linear warm-up.

    Without `warmup_target` the rate falls from `initial_learning_rate`. With it, the
    rate rises linearly to `warmup_target` in `warmup_steps` steps and falls from there.

    Args:
        initial_learning_rate: the rate at step 0.
        decay_steps: length of the fall, above 0.
        alpha: the final rate as a fraction of the one that the fall starts from.
        name: kept in the config.
        warmup_target: the rate at the end of the warm-up; None for no warm-up.
        warmup_steps: length of the warm-up.

    Raises:
        ValueError: `decay_steps` is not above 0.

    Example:
    ```python
    >>> from ktrain.optimizers.schedules import CosineDecay
    >>> schedule = CosineDecay(0.0, 100, warmup_target=1.0, warmup_steps=10)
    >>> [round(float(schedule(step)), 3) for step in (0, 5, 10, 60, 110)]
    [0.0, 0.5, 1.0, 0.5, 0.0]

    ```
    """

    def __init__(
        self,
        initial_learning_rate: float,
        decay_steps: int,
        alpha: float = 0.0,
        name: str = "CosineDecay",
        warmup_target: float | None = None,
        warmup_steps: int = 0,
    ) -> None:
        self.initial_learning_rate = initial_learning_rate
        self.decay_steps = decay_steps
        self.alpha = alpha
        self.name = name
        self.warmup_target = warmup_target
        self.warmup_steps = warmup_steps

    def __call__(self, step: Any) -> Any:
        """The learning rate at `step`."""
        step = as_float(step)
        if self.warmup_target is None:
            return self._fall(step, self.initial_learning_rate)
        fallen = self._fall(step - self.warmup_steps, self.warmup_target)
        if not self.warmup_steps:
            return fallen
        rise = self.warmup_target - self.initial_learning_rate
        risen = self.initial_learning_rate + rise * (step / self.warmup_steps)
        return ops.where(step < self.warmup_steps, risen, fallen)

    def _fall(self, step: Any, start: float) -> Any:
        fraction = ops.minimum(step, float(self.decay_steps)) / self.decay_steps
        return start * ((1.0 - self.alpha) * _half_cosine(fraction) + self.alpha)

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        return {
            "initial_learning_rate": self.initial_learning_rate,
            "decay_steps": self.decay_steps,
            "alpha": self.alpha,
            "name": self.name,
            "warmup_target": self.warmup_target,
            "warmup_steps": self.warmup_steps,
        }


@export("keras.optimizers.schedules.CosineDecayRestarts")
class CosineDecayRestarts(LearningRateSchedule):
    """Cosine decay that starts again after each period.

    Args:
        initial_learning_rate: the rate at step 0.
        first_decay_steps: length of the first period, above 0.
        t_mul: each period is this many times as long as the one before.
        m_mul: each period starts at this multiple of the rate before.
        alpha: the lowest rate as a fraction of the initial one.
        name: kept in the config.

    Raises:
        ValueError: `first_decay_steps` is not above 0.

    Example:
    ```python
    >>> from ktrain.optimizers.schedules import CosineDecayRestarts
    >>> schedule = CosineDecayRestarts(1.0, first_decay_steps=10, m_mul=0.5)
    >>> [round(float(schedule(step)), 3) for step in (0, 5, 10, 20)]
    [1.0, 0.5, 0.5, 0.25]

    ```
    """

    def __init__(
        self,
        initial_learning_rate: float,
        first_decay_steps: int,
        t_mul: float = 2.0,
        m_mul: float = 1.0,
        alpha: float = 0.0,
        name: str = "SGDRDecay",
    ) -> None:
        self.initial_learning_rate = initial_learning_rate
        self.first_decay_steps = first_decay_steps
        self.t_mul = t_mul
        self.m_mul = m_mul
        self.alpha = alpha
        self.name = name

    def __call__(self, step: Any) -> Any:
        """The learning rate at `step`."""
        period, fraction = self._place(as_float(step) / self.first_decay_steps)
        height = ops.power(as_float(self.m_mul), period)
        wave = (1.0 - self.alpha) * height * _half_cosine(fraction) + self.alpha
        return self.initial_learning_rate * wave

    def _place(self, time: Any) -> tuple[Any, Any]:
        """The period's number and how much of it is over; `time` in first periods."""
        if self.t_mul == 1.0:
            period = ops.floor(time)
            return period, time - period
        # The periods before number k last (1 - t**k) / (1 - t) together.
        grown = 1.0 - time * (1.0 - self.t_mul)
        period = ops.floor(ops.log(grown) / math.log(self.t_mul))
        length = ops.power(as_float(self.t_mul), period)
        start = (1.0 - length) / (1.0 - self.t_mul)
        return period, (time - start) / length

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        return {
            "initial_learning_rate": self.initial_learning_rate,
            "first_decay_steps": self.first_decay_steps,
            "t_mul": self.t_mul,
            "m_mul": self.m_mul,
            "alpha": self.alpha,
            "name": self.name,
        }
