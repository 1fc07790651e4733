"""Callbacks that set the learning rate."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from kops import ops
from kops.registry import export
from ktrain.callbacks.callback import Callback
from ktrain.callbacks.monitor import MonitorCallback

__all__ = ["LearningRateScheduler", "ReduceLROnPlateau"]


def _rate(model: Any) -> float:
    return float(np.asarray(ops.convert_to_numpy(model.optimizer.learning_rate)))


@export("keras.callbacks.LearningRateScheduler")
class LearningRateScheduler(Callback):
    """Sets the learning rate at the beginning of each epoch.

    Args:
        schedule: function of the epoch (from 0) and, if it takes a second argument, the
            current rate; returns the new rate as a float.
        verbose: 1 prints the rate.

    Example:
    ```python
    >>> from ktrain.callbacks import LearningRateScheduler
    >>> halving = LearningRateScheduler(lambda epoch, rate: rate * 0.5)
    >>> halving.schedule(1, 0.1)
    0.05

    ```
    """

    def __init__(self, schedule: Callable[..., float], verbose: int = 0) -> None:
        super().__init__()
        self.schedule = schedule
        self.verbose = verbose

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Sets the rate."""
        if not hasattr(self.model.optimizer, "learning_rate"):
            raise ValueError('Optimizer must have a "learning_rate" attribute.')
        try:
            rate = self.schedule(epoch, _rate(self.model))
        except TypeError:  # a function of the epoch alone
            rate = self.schedule(epoch)
        if not isinstance(rate, (float, np.floating)):
            raise ValueError(
                f"The output of the `schedule` function should be a float. Got: {rate}"
            )
        self.model.optimizer.learning_rate = rate
        if self.verbose > 0:
            print(f"\nEpoch {epoch + 1}: LearningRateScheduler setting learning rate to {rate}.")

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Adds the rate to the logs."""
        if logs is not None:
            logs["learning_rate"] = _rate(self.model)


@export("keras.callbacks.ReduceLROnPlateau")
class ReduceLROnPlateau(MonitorCallback):
    """Lowers the learning rate when a metric has stopped improving.

    Args:
        monitor: the metric's name in the logs.
        factor: what the rate is multiplied by, below 1.
        patience: how many epochs without improvement are borne.
        verbose: 1 prints when it acts.
        mode: `"min"`, `"max"`, or `"auto"`: by the metric's name.
        min_delta: smallest change that counts as an improvement.
        cooldown: epochs to wait after a reduction.
        min_lr: lowest rate.

    Raises:
        ValueError: `factor` is 1 or more.

    Example:
    ```python
    >>> from ktrain.callbacks import ReduceLROnPlateau
    >>> ReduceLROnPlateau(factor=0.2, patience=5, min_lr=0.001).in_cooldown()
    False

    ```
    """

    def __init__(
        self,
        monitor: str = "val_loss",
        factor: float = 0.1,
        patience: int = 10,
        verbose: int = 0,
        mode: str = "auto",
        min_delta: float = 0.0001,
        cooldown: int = 0,
        min_lr: float = 0.0,
        **kwargs: Any,
    ) -> None:
        if kwargs:
            raise TypeError(f"ReduceLROnPlateau got unexpected arguments {sorted(kwargs)}.")
        super().__init__(monitor, mode, min_delta=min_delta)
        self.factor = factor
        self.min_lr = min_lr
        self.patience = patience
        self.verbose = verbose
        self.cooldown = cooldown
        self.cooldown_counter = 0
        self.wait = 0

    def on_train_begin(self, logs: Any = None) -> None:
        """Forgets an earlier training."""
        self.best = None
        self.cooldown_counter = 0
        self.wait = 0

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Looks at the metric, and adds the rate to the logs."""
        logs = {} if logs is None else logs
        logs["learning_rate"] = _rate(self.model)
        current = logs.get(self.monitor)
        if current is None:
            warnings.warn(
                f"Learning rate reduction is conditioned on metric `{self.monitor}` which is not "
                f"available. Available metrics are: {','.join(logs)}.",
                stacklevel=2,
            )
            return
        if self.monitor_op is None:
            self._set_monitor_op()
        if self.in_cooldown():
            self.cooldown_counter -= 1
            self.wait = 0
        if self._is_improvement(current, self.best):
            self.best = current
            self.wait = 0
        elif not self.in_cooldown():
            self.wait += 1
            if self.wait >= self.patience:
                self._reduce(epoch)

    def _reduce(self, epoch: int) -> None:
        old = _rate(self.model)
        if old <= np.float32(self.min_lr):
            return
        new = max(old * self.factor, self.min_lr)
        self.model.optimizer.learning_rate = new
        if self.verbose > 0:
            print(f"\nEpoch {epoch + 1}: ReduceLROnPlateau reducing learning rate to {new}.")
        self.cooldown_counter = self.cooldown
        self.wait = 0

    def in_cooldown(self) -> bool:
        """Whether it waits after a reduction."""
        return self.cooldown_counter > 0

    def get_state(self) -> dict[str, Any]:
        """The best value and the counters."""
        own = {"wait": self.wait, "cooldown_counter": self.cooldown_counter}
        return {**super().get_state(), **own}

    def set_state(self, state: dict[str, Any]) -> None:
        """Goes on from a recorded state."""
        super().set_state(state)
        self.wait, self.cooldown_counter = state["wait"], state["cooldown_counter"]
