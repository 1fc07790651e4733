"""What callbacks that watch a metric share: which direction is better."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from kops.naming import to_snake_case
from ktrain.callbacks.callback import Callback

__all__ = ["MonitorCallback"]

_UP = (
    "acc",
    "accuracy",
    "auc",
    "correlation",
    "f1_score",
    "fbeta_score",
    "io_u",
    "iou",
    "precision",
    "r2_score",
    "recall",
    "true_negatives",
    "true_positives",
)
_DOWN = (
    "crossentropy",
    "divergence",
    "error",
    "false_negatives",
    "false_positives",
    "hinge",
    "logcosh",
    "loss",
    "mae",
    "mape",
    "mse",
    "msle",
    "poisson",
    "rmse",
)


class MonitorCallback(Callback):
    """Watches one entry of the logs.

    Args:
        monitor: its name.
        mode: `"min"`, `"max"`, or `"auto"`: by the metric's name.
        initial_value_threshold: the best value to begin with.
        min_delta: smallest change that counts as an improvement.
    """

    def __init__(
        self,
        monitor: str = "val_loss",
        mode: str = "auto",
        initial_value_threshold: float | None = None,
        min_delta: float = 0,
    ) -> None:
        super().__init__()
        if mode not in ("auto", "min", "max"):
            warnings.warn(
                f"{type(self).__name__} mode {mode!r} is unknown, fallback to auto mode.",
                stacklevel=3,
            )
            mode = "auto"
        self.monitor = monitor
        self.mode = mode
        self.best = initial_value_threshold
        self.min_delta = abs(min_delta)
        self.monitor_op: Callable[[Any, Any], bool] | None = None

    def _set_monitor_op(self) -> None:
        if self.mode == "auto":
            better = self._direction()
        else:
            better = operator.lt if self.mode == "min" else operator.gt
        self.monitor_op = better

    def _direction(self) -> Callable[[Any, Any], bool]:
        name = self.monitor.removeprefix("val_")
        for candidate in (name, *self._class_names(name)):
            if candidate.endswith(_UP):
                return operator.gt
            if candidate.endswith(_DOWN):
                return operator.lt
        raise ValueError(
            f"{type(self).__name__} callback received monitor={self.monitor}, but it cannot tell "
            "whether that metric should be maximized or minimized. Pass `mode='max'` in order to "
            "monitor the highest value, or `mode='min'` in order to monitor the lowest value."
        )

    def _class_names(self, name: str) -> Iterator[str]:
        """What the model's metric of this name is, in lower case."""
        for metric in getattr(self.model, "metrics", None) or []:
            if metric.name == name:
                yield to_snake_case(type(metric).__name__)

    def _is_improvement(self, current: Any, reference: Any) -> bool:
        if reference is None:
            return True
        if self.monitor_op is None:
            self._set_monitor_op()
        assert self.monitor_op is not None
        delta = -self.min_delta if self.monitor_op is operator.gt else self.min_delta
        return bool(self.monitor_op(current + delta, reference))

    def get_state(self) -> dict[str, Any]:
        """The best value."""
        return {"best": None if self.best is None else float(self.best)}

    def set_state(self, state: dict[str, Any]) -> None:
        """Goes on from a recorded best value."""
        self.best = state["best"]
