"""`ModelCheckpoint`: saves the model while it is trained."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any

from kops.registry import export
from ktrain.callbacks.monitor import MonitorCallback

__all__ = ["ModelCheckpoint"]


@export("keras.callbacks.ModelCheckpoint")
class ModelCheckpoint(MonitorCallback):
    """Saves the model, or its weights, after each epoch or every few batches.

    Args:
        filepath: the file, ending in `.keras` (in `.weights.h5` for weights). It may hold
            `{epoch}`, `{batch}` and names of the logs in braces, such as
            `"{epoch:02d}-{val_loss:.2f}.keras"`.
        monitor: the metric that `save_best_only` looks at.
        verbose: 1 prints when it saves.
        save_best_only: whether only a model with a better metric is saved.
        save_weights_only: whether the weights alone are saved.
        mode: `"min"`, `"max"`, or `"auto"`: by the metric's name.
        save_freq: `"epoch"`, or a number of batches.
        initial_value_threshold: the best value to begin with.

    Raises:
        ValueError: an argument is none of the accepted values.

    Example:
    ```python
    >>> from ktrain.callbacks import ModelCheckpoint
    >>> ModelCheckpoint("best.keras", monitor="val_accuracy", save_best_only=True).monitor
    'val_accuracy'

    ```
    """

    def __init__(
        self,
        filepath: str | os.PathLike[str],
        monitor: str = "val_loss",
        verbose: int = 0,
        save_best_only: bool = False,
        save_weights_only: bool = False,
        mode: str = "auto",
        save_freq: Any = "epoch",
        initial_value_threshold: float | None = None,
    ) -> None:
        super().__init__(monitor, mode, initial_value_threshold)
        self.filepath = os.fspath(filepath)
        self.verbose = verbose
        self.save_best_only = save_best_only
        self.save_weights_only = save_weights_only
        self.save_freq = save_freq
        self._current_epoch = 0
        self._batches_since_save = 0
        self._last_batch = -1
        if save_weights_only and not self.filepath.endswith(".weights.h5"):
            raise ValueError(
                "When using `save_weights_only=True` in `ModelCheckpoint`, the filepath provided "
                f"must end in `.weights.h5` (Keras weights format). Received: "
                f"filepath={self.filepath}"
            )
        if not save_weights_only and not self.filepath.endswith((".keras", ".h5")):
            raise ValueError(
                "The filepath provided must end in `.keras` (Keras model format). Received: "
                f"filepath={self.filepath}"
            )

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        """Saves, if this batch is one of every `save_freq`."""
        if self.save_freq == "epoch":
            return
        self._batches_since_save += (
            batch + 1 if batch <= self._last_batch else (batch - self._last_batch)
        )
        self._last_batch = batch
        if self._batches_since_save >= self.save_freq:
            self._batches_since_save = 0
            self._save(self._current_epoch, batch, logs)

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Notes the epoch."""
        self._current_epoch = epoch

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Saves, if this is done by epochs."""
        if self.save_freq == "epoch":
            self._save(epoch, None, logs)

    def _save(self, epoch: int, batch: int | None, logs: Any) -> None:
        logs = logs or {}
        if self.save_best_only and not self._is_better(epoch, logs):
            return
        path = self._path(epoch, batch, logs)
        if self.verbose > 0:
            print(f"\nEpoch {epoch + 1}: saving model to {path}")
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        if self.save_weights_only:
            self.model.save_weights(path, overwrite=True)
        else:
            self.model.save(path, overwrite=True)
        if self.verbose > 0:
            print(f"Epoch {epoch + 1}: finished saving model to {path}")

    def _is_better(self, epoch: int, logs: Any) -> bool:
        if self.monitor_op is None:
            self._set_monitor_op()
        current = logs.get(self.monitor)
        if current is None:
            warnings.warn(
                f"Can save best model only with {self.monitor} available, skipping. Available: "
                f"{','.join(logs)}",
                stacklevel=4,
            )
            return False
        better = self._is_improvement(current, self.best)
        if self.verbose > 0:
            told = (
                f"improved from {self.best} to {current}"
                if better
                else (f"did not improve from {self.best}")
            )
            print(f"\nEpoch {epoch + 1}: {self.monitor} {told}")
        if better:
            self.best = current
        return better

    def _path(self, epoch: int, batch: int | None, logs: Any) -> str:
        fields = {"epoch": epoch + 1, **logs}
        if batch is not None:
            fields["batch"] = batch + 1
        try:
            return self.filepath.format(**fields)
        except KeyError as error:
            raise KeyError(
                f"Failed to format the filepath {self.filepath!r}: there is no {error} in "
                f"{sorted(fields)}."
            ) from error
