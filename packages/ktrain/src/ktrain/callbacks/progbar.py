"""`ProgbarLogger`: progress on a terminal, one line per epoch elsewhere."""

from __future__ import annotations

import logging
import sys
import time
from typing import Any

from kops import config
from kops.registry import export
from ktrain.callbacks.callback import Callback

__all__ = ["ProgbarLogger"]

_REFRESH = 0.1
"""Seconds between two updates of the bar: each reads numbers from the device."""


@export("keras.callbacks.ProgbarLogger")
class ProgbarLogger(Callback):
    """Shows progress and metrics; `fit`, `evaluate` and `predict` add one by default.

    With `verbose=1` on a terminal a bar moves, at most ten times a second. With
    `verbose=2`, or when the output is no terminal (a file, a pipe), each epoch prints one
    plain line. The metrics shown at the end of an epoch are those of the history.

    Example:
    ```python
    >>> from ktrain.callbacks import ProgbarLogger
    >>> logger = ProgbarLogger()
    >>> logger.set_params({"verbose": 0, "epochs": 1, "steps": 10})
    >>> logger.on_epoch_begin(0)  # silent

    ```
    """

    def __init__(self) -> None:
        super().__init__()
        self.verbose = 1
        self.epochs = 1
        self.target: int | None = None
        self.seen = 0
        self._title = ""
        self._bar: _Bar | None = None
        self._started = 0.0
        self._training = False

    def set_params(self, params: dict[str, Any]) -> None:
        """Receives `verbose`, `epochs` and `steps`."""
        super().set_params(params)
        self.verbose = params.get("verbose", 1)
        self.epochs = params.get("epochs", 1)
        self.target = params.get("steps")

    # -- moments --------------------------------------------------------------------------

    def on_train_begin(self, logs: Any = None) -> None:
        self._training = True

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        self._start(f"Epoch {epoch + 1}/{self.epochs}")

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        self._advance(batch, logs)

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        self._finish(logs)

    def on_train_end(self, logs: Any = None) -> None:
        self._training = False
        self._close()

    def on_test_begin(self, logs: Any = None) -> None:
        if not self._training:  # validation belongs to its epoch
            self._start("Evaluation")

    def on_test_batch_end(self, batch: int, logs: Any = None) -> None:
        if not self._training:
            self._advance(batch, logs)

    def on_test_end(self, logs: Any = None) -> None:
        if not self._training:
            self._finish(logs)

    def on_predict_begin(self, logs: Any = None) -> None:
        self._start("Prediction")

    def on_predict_batch_end(self, batch: int, logs: Any = None) -> None:
        self._advance(batch, None)

    def on_predict_end(self, logs: Any = None) -> None:
        self._finish(None)

    # -- drawing --------------------------------------------------------------------------

    def _start(self, title: str) -> None:
        self._close()
        self._title = title
        self.seen = 0
        self._started = time.perf_counter()
        if self.verbose == 1 and config.is_interactive_logging_enabled() and _is_terminal():
            self._bar = _Bar(title, self.target)

    def _advance(self, batch: int, logs: Any) -> None:
        self.seen = batch + 1
        if self._bar is not None and self._bar.due():
            self._bar.show(self.seen, self._speed(), _metrics_text(logs))

    def _finish(self, logs: Any) -> None:
        if self.verbose == 0:
            return
        if self.target is None:
            self.target = self.seen
        if self._bar is not None:
            self._bar.show(self.seen, self._speed(), _metrics_text(logs), last=True)
            self._close()
            return
        seconds = time.perf_counter() - self._started
        parts = [self._title, f"{self.seen} steps", f"{seconds:.0f}s", f"{self._speed()}/step"]
        _write(" - ".join([*parts, *filter(None, [_metrics_text(logs)])]))

    def _speed(self) -> str:
        return _duration((time.perf_counter() - self._started) / max(self.seen, 1))

    def _close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None


class _Bar:
    """A bar of rich that is drawn when told to (no thread of its own)."""

    def __init__(self, title: str, total: int | None) -> None:
        # Imported here: the package costs 0.1 s, and only terminals need it.
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        self._progress = Progress(
            TextColumn("{task.description}"),
            TextColumn("{task.fields[count]}"),
            BarColumn(bar_width=24),
            TimeRemainingColumn(compact=True, elapsed_when_finished=True),
            TextColumn("{task.fields[speed]}/step"),
            TextColumn("{task.fields[metrics]}"),
            auto_refresh=False,
        )
        self._total = total
        self._task = self._progress.add_task(title, total=total, count="", speed="", metrics="")
        self._progress.start()
        self._next = 0.0

    def due(self) -> bool:
        return time.perf_counter() >= self._next

    def show(self, seen: int, speed: str, metrics: str, last: bool = False) -> None:
        total = seen if last else self._total
        self._progress.update(
            self._task,
            completed=seen,
            total=total,
            count=f"{seen}/{'?' if total is None else total}",
            speed=speed,
            metrics=metrics,
            refresh=True,
        )
        self._next = time.perf_counter() + _REFRESH

    def close(self) -> None:
        self._progress.stop()


def _is_terminal() -> bool:
    isatty = getattr(sys.stdout, "isatty", None)
    return bool(isatty and isatty())


def _write(line: str) -> None:
    if config.is_interactive_logging_enabled():
        print(line, flush=True)
    else:
        logging.getLogger("keras").info(line)


def _metrics_text(logs: Any) -> str:
    return " - ".join(f"{name}: {_number(value)}" for name, value in (logs or {}).items())


def _number(value: Any) -> str:
    try:
        number = float(value)
    except (TypeError, ValueError):
        return str(value)
    return f"{number:.4f}" if abs(number) > 1e-3 or number == 0 else f"{number:.4e}"


def _duration(seconds: float) -> str:
    if seconds >= 1:
        return f"{seconds:.1f}s"
    return f"{seconds * 1e3:.0f}ms" if seconds >= 1e-3 else f"{seconds * 1e6:.0f}us"
