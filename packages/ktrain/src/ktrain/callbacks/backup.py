"""`BackupAndRestore` and `SwapEMAWeights`."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

from kops.registry import export
from ktrain.callbacks.callback import Callback

__all__ = ["BackupAndRestore", "SwapEMAWeights"]

_WEIGHTS = "latest.weights.h5"
_RECORD = "training_metadata.json"


@export("keras.callbacks.BackupAndRestore")
class BackupAndRestore(Callback):
    """Lets an interrupted `fit` go on where it was when it is run again.

    Weights, optimizer state, epoch, and the state of the other callbacks (the best value
    of a `ModelCheckpoint`, the patience of an `EarlyStopping`, the history) are kept in a
    folder, which is removed when training ends.

    Args:
        backup_dir: the folder; not to be shared with another training.
        save_freq: `"epoch"`, or a number of batches.
        double_checkpoint: whether the backup before the last is kept too.
        delete_checkpoint: whether the folder is removed when training has ended.

    Raises:
        ValueError: an argument is none of the accepted values.

    Example:
    ```python
    >>> from ktrain.callbacks import BackupAndRestore
    >>> BackupAndRestore("backup").save_freq
    'epoch'

    ```
    """

    _last = True  # what the others learn at the end of an epoch is to be kept

    def __init__(
        self,
        backup_dir: str | os.PathLike[str],
        save_freq: Any = "epoch",
        double_checkpoint: bool = False,
        delete_checkpoint: bool = True,
    ) -> None:
        super().__init__()
        if not backup_dir:
            raise ValueError("Empty `backup_dir` argument passed")
        self.backup_dir = Path(backup_dir)
        self.save_freq = save_freq
        self.double_checkpoint = double_checkpoint
        self.delete_checkpoint = delete_checkpoint
        self._current_epoch = 0
        self._batches = 0
        self._states: list[dict[str, Any]] | None = None

    def on_train_begin(self, logs: Any = None) -> None:
        """Takes up the backup, if there is one."""
        for suffix in ("", ".previous"):
            record = self.backup_dir / (_RECORD + suffix)
            weights = self.backup_dir / (_WEIGHTS if not suffix else f"previous.{_WEIGHTS}")
            if record.exists() and weights.exists():
                found = json.loads(record.read_text())
                self.model.load_weights(str(weights))
                self.model._initial_epoch = found["epoch"]
                self._states = found.get("callbacks")
                return

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Gives the other callbacks their state back, after they began anew."""
        self._current_epoch = epoch
        if self._states is not None:
            for callback, state in zip(self._others(), self._states, strict=False):
                if state and state["class"] == type(callback).__name__:
                    callback.set_state(state["state"])
            self._states = None

    def _others(self) -> list[Callback]:
        return [c for c in self.__dict__.get("_siblings", []) if c is not self]

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        """Makes a backup every `save_freq` batches."""
        if not isinstance(self.save_freq, int):
            return
        self._batches += 1
        if self._batches >= self.save_freq:
            self._batches = 0
            self._save(self._current_epoch)

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Makes a backup after each epoch."""
        if self.save_freq == "epoch":
            self._save(epoch + 1)

    def _save(self, next_epoch: int) -> None:
        self.backup_dir.mkdir(parents=True, exist_ok=True)
        weights, record = self.backup_dir / _WEIGHTS, self.backup_dir / _RECORD
        if self.double_checkpoint and record.exists():
            os.replace(weights, self.backup_dir / f"previous.{_WEIGHTS}")
            os.replace(record, self.backup_dir / f"{_RECORD}.previous")
        self.model.save_weights(str(weights), overwrite=True)
        states = [{"class": type(c).__name__, "state": c.get_state()} for c in self._others()]
        temporary = record.with_suffix(".tmp")
        temporary.write_text(json.dumps({"epoch": next_epoch, "callbacks": states}, default=float))
        os.replace(temporary, record)

    def on_train_end(self, logs: Any = None) -> None:
        """Removes the folder, if asked to."""
        if self.delete_checkpoint and self.backup_dir.exists():
            shutil.rmtree(self.backup_dir)


@export("keras.callbacks.SwapEMAWeights")
class SwapEMAWeights(Callback):
    """Puts the optimizer's moving averages in place of the weights for evaluation.

    The weights are swapped back afterwards. The optimizer needs `use_ema=True`.

    Args:
        swap_on_epoch: whether they are also swapped around the end of an epoch, so that
            a `ModelCheckpoint` after this callback saves the averages.

    Raises:
        ValueError: the optimizer keeps no averages.

    Example:
    ```python
    >>> from ktrain.callbacks import SwapEMAWeights
    >>> SwapEMAWeights(swap_on_epoch=True).swap_on_epoch
    True

    ```
    """

    def __init__(self, swap_on_epoch: bool = False) -> None:
        super().__init__()
        self.swap_on_epoch = swap_on_epoch
        self._swapped = False

    def _swap(self) -> None:
        optimizer = self.model.optimizer
        optimizer = getattr(optimizer, "inner_optimizer", optimizer)
        if not getattr(optimizer, "use_ema", False):
            raise ValueError(
                "SwapEMAWeights must be used when `use_ema=True` is set on the optimizer."
            )
        if not optimizer.built:
            return
        pairs = zip(optimizer._trainable_variables, optimizer._averages, strict=True)
        for variable, average in pairs:
            if average is not None:
                value, mean = variable.numpy().copy(), average.numpy().copy()
                variable.assign(mean)
                average.assign(value)
        self._swapped = not self._swapped

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Takes the weights back for training."""
        if self.swap_on_epoch and self._swapped:
            self._swap()

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Puts the averages in place for what follows the epoch."""
        if self.swap_on_epoch and not self._swapped:
            self._swap()

    def on_train_end(self, logs: Any = None) -> None:
        """Leaves the averages swapped in only if that was asked for each epoch."""
        if self.swap_on_epoch and self._swapped:
            self._swap()

    def on_test_begin(self, logs: Any = None) -> None:
        """Puts the averages in place."""
        if not self._swapped:
            self._swap()

    def on_test_end(self, logs: Any = None) -> None:
        """Takes the weights back."""
        if self._swapped:
            self._swap()

    def on_predict_begin(self, logs: Any = None) -> None:
        """Puts the averages in place."""
        if not self._swapped:
            self._swap()

    def on_predict_end(self, logs: Any = None) -> None:
        """Takes the weights back."""
        if self._swapped:
            self._swap()
