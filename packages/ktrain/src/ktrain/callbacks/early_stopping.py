"""`EarlyStopping`: ends training when a metric improves no more."""

from __future__ import annotations

import warnings
from typing import Any

from kops.registry import export
from ktrain.callbacks.monitor import MonitorCallback

__all__ = ["EarlyStopping"]


@export("keras.callbacks.EarlyStopping")
class EarlyStopping(MonitorCallback):
    """Ends training when a metric has not improved for some epochs.

    Args:
        monitor: the metric's name in the logs.
        min_delta: smallest change that counts as an improvement.
        patience: how many epochs without improvement are borne.
        verbose: 1 prints when it acts.
        mode: `"min"`, `"max"`, or `"auto"`: by the metric's name.
        baseline: a value that must be reached for an epoch to count as improved.
        restore_best_weights: whether the weights of the best epoch are put back at the end.
        start_from_epoch: epochs before it are not looked at.

    Raises:
        ValueError: with `mode="auto"`, the direction cannot be told.

    Example:
    ```python
    >>> from ktrain.callbacks import EarlyStopping
    >>> EarlyStopping(monitor="val_accuracy", patience=3, restore_best_weights=True).patience
    3

    ```
    """

    def __init__(
        self,
        monitor: str = "val_loss",
        min_delta: float = 0,
        patience: int = 0,
        verbose: int = 0,
        mode: str = "auto",
        baseline: float | None = None,
        restore_best_weights: bool = False,
        start_from_epoch: int = 0,
    ) -> None:
        super().__init__(monitor, mode, min_delta=min_delta)
        self.patience = patience
        self.verbose = verbose
        self.baseline = baseline
        self.restore_best_weights = restore_best_weights
        self.start_from_epoch = start_from_epoch
        self._reset()

    def _reset(self) -> None:
        self.wait = 0
        self.stopped_epoch = 0
        self.best = None
        self.best_weights: Any = None
        self.best_epoch = 0

    def on_train_begin(self, logs: Any = None) -> None:
        """Forgets an earlier training."""
        self._reset()

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Looks at the metric."""
        if self.monitor_op is None:
            self._set_monitor_op()
        current = self.get_monitor_value(logs)
        if current is None or epoch < self.start_from_epoch:
            return
        if self.restore_best_weights and self.best_weights is None:
            self._keep(epoch)
        self.wait += 1
        if self._is_improvement(current, self.best):
            self.best = current
            self.best_epoch = epoch
            if self.restore_best_weights:
                self._keep(epoch)
            if self.baseline is None or self._is_improvement(current, self.baseline):
                self.wait = 0
            return
        if self.wait >= self.patience and epoch > 0:
            self.stopped_epoch = epoch
            self.model.stop_training = True

    def _keep(self, epoch: int) -> None:
        self.best_weights = self.model.get_weights()
        self.best_epoch = epoch

    def on_train_end(self, logs: Any = None) -> None:
        """Puts the best weights back, if asked to."""
        if self.stopped_epoch > 0 and self.verbose > 0:
            print(f"Epoch {self.stopped_epoch + 1}: early stopping")
        if self.restore_best_weights and self.best_weights is not None:
            if self.verbose > 0:
                print(
                    "Restoring model weights from the end of the best epoch: "
                    f"{self.best_epoch + 1}."
                )
            self.model.set_weights(self.best_weights)

    def get_monitor_value(self, logs: Any) -> Any:
        """The metric in the logs; None, with a warning, if it is not there."""
        logs = logs or {}
        value = logs.get(self.monitor)
        if value is None:
            warnings.warn(
                f"Early stopping conditioned on metric `{self.monitor}` which is not available. "
                f"Available metrics are: {','.join(logs)}",
                stacklevel=2,
            )
        return value

    def get_state(self) -> dict[str, Any]:
        """The best value and the time since (not the weights)."""
        return {**super().get_state(), "wait": self.wait, "best_epoch": self.best_epoch}

    def set_state(self, state: dict[str, Any]) -> None:
        """Goes on from a recorded state."""
        super().set_state(state)
        self.wait, self.best_epoch = state["wait"], state["best_epoch"]
