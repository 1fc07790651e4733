"""Small callbacks: functions as a callback, a CSV file, a guard against NaN."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable
from typing import Any

import numpy as np

from kops.registry import export
from ktrain.callbacks.callback import Callback

__all__ = ["CSVLogger", "LambdaCallback", "TerminateOnNaN"]


@export("keras.callbacks.LambdaCallback")
class LambdaCallback(Callback):
    """A callback made of functions.

    Args:
        on_epoch_begin: function `(epoch, logs)`.
        on_epoch_end: function `(epoch, logs)`.
        on_train_begin: function `(logs)`.
        on_train_end: function `(logs)`.
        on_train_batch_begin: function `(batch, logs)`.
        on_train_batch_end: function `(batch, logs)`.
        kwargs: any other method of `Callback`, by its name.

    Example:
    ```python
    >>> from ktrain.callbacks import LambdaCallback
    >>> callback = LambdaCallback(on_epoch_begin=lambda epoch, logs: print("epoch", epoch))
    >>> callback.on_epoch_begin(2)
    epoch 2

    ```
    """

    def __init__(
        self,
        on_epoch_begin: Callable[..., Any] | None = None,
        on_epoch_end: Callable[..., Any] | None = None,
        on_train_begin: Callable[..., Any] | None = None,
        on_train_end: Callable[..., Any] | None = None,
        on_train_batch_begin: Callable[..., Any] | None = None,
        on_train_batch_end: Callable[..., Any] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__()
        given = {
            "on_epoch_begin": on_epoch_begin,
            "on_epoch_end": on_epoch_end,
            "on_train_begin": on_train_begin,
            "on_train_end": on_train_end,
            "on_train_batch_begin": on_train_batch_begin,
            "on_train_batch_end": on_train_batch_end,
        }
        self.__dict__.update(kwargs)
        self._functions = {name: f for name, f in given.items() if f is not None}
        for name, function in self._functions.items():
            setattr(self, name, _with_optional_logs(function, name))


def _with_optional_logs(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    if name in ("on_train_begin", "on_train_end"):
        return lambda logs=None: function(logs)
    return lambda number, logs=None: function(number, logs)


@export("keras.callbacks.TerminateOnNaN")
class TerminateOnNaN(Callback):
    """Ends training when the loss is NaN or infinite.

    Args:
        raise_error: whether that is an error; otherwise training just stops.

    Example:
    ```python
    >>> from ktrain.callbacks import TerminateOnNaN
    >>> TerminateOnNaN().on_batch_end(0, {"loss": 0.5})

    ```
    """

    def __init__(self, raise_error: bool = False) -> None:
        super().__init__()
        self.raise_error = raise_error

    def on_batch_end(self, batch: int, logs: Any = None) -> None:
        """Looks at the loss."""
        loss = (logs or {}).get("loss")
        if loss is None or np.isfinite(loss):
            return
        if self.raise_error:
            raise RuntimeError(
                f"NaN or Inf loss encountered at batch {batch}. Loss value: {loss}. Terminating "
                "training immediately."
            )
        print(f"Batch {batch}: Invalid loss, terminating training")
        self.model.stop_training = True


@export("keras.callbacks.CSVLogger")
class CSVLogger(Callback):
    """Writes the logs of each epoch to a CSV file.

    Args:
        filename: the file.
        separator: what separates the columns.
        append: whether an existing file is continued.

    Example:
    ```python
    >>> from ktrain.callbacks import CSVLogger
    >>> CSVLogger("training.csv", separator=";").sep
    ';'

    ```
    """

    def __init__(
        self, filename: str | os.PathLike[str], separator: str = ",", append: bool = False
    ) -> None:
        super().__init__()
        self.filename = os.fspath(filename)
        self.sep = separator
        self.append = append
        self.keys: list[str] | None = None
        self._file: Any = None
        self._writer: Any = None

    def on_train_begin(self, logs: Any = None) -> None:
        """Opens the file."""
        self.keys = self._known_keys() if self.append else None
        self._writer = None
        self._file = open(self.filename, "a" if self.append else "w", newline="")

    def _known_keys(self) -> list[str] | None:
        """The columns that the file has."""
        if not os.path.exists(self.filename):
            return None
        with open(self.filename, newline="") as file:
            header = next(csv.reader(file, delimiter=self.sep), None)
        return header[1:] if header else None

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Writes a row."""
        logs = logs or {}
        new = self.keys is None
        if self.keys is None:
            self.keys = list(logs)
        if self._writer is None:
            self._writer = csv.DictWriter(
                self._file, fieldnames=["epoch", *self.keys], delimiter=self.sep
            )
            if new:
                self._writer.writeheader()
        row = {"epoch": epoch, **{key: _cell(logs.get(key, "NA")) for key in self.keys}}
        self._writer.writerow(row)
        self._file.flush()

    def on_train_end(self, logs: Any = None) -> None:
        """Closes the file."""
        if self._file is not None:
            self._file.close()
        self._file = self._writer = None


def _cell(value: Any) -> Any:
    if isinstance(value, str) or np.ndim(value) == 0:
        return value
    return f'"[{", ".join(map(str, value))}]"'
