"""`Callback`: what may happen at the turning points of training."""

from __future__ import annotations

from typing import Any

from kops.registry import export

__all__ = ["Callback"]


@export("keras.callbacks.Callback")
class Callback:
    """Base of the callbacks: override the methods for the moments you need.

    In them `self.model` is the model and `self.params` holds `verbose`, `epochs` and
    `steps`. `logs` is a dictionary of metric names and values. The numbers of a batch
    stay on the device until they are looked at: a callback that reads none of them
    does not slow training down.

    Set `self.model.stop_training = True` to end training after the current batch.

    Example:
    ```python
    >>> from ktrain.callbacks import Callback
    >>> class Narrator(Callback):
    ...     def on_epoch_end(self, epoch, logs=None):
    ...         print(f"epoch {epoch}: loss {logs['loss']:.1f}")
    >>> Narrator().on_epoch_end(0, {"loss": 0.5})
    epoch 0: loss 0.5

    ```
    """

    params: dict[str, Any] | None
    _last = False  # whether the end of an epoch comes to it after all others

    def __init__(self) -> None:
        self.params = None
        self._model: Any = None

    @property
    def model(self) -> Any:
        """The model that is trained, evaluated or used."""
        return self.__dict__.get("_model")

    def set_params(self, params: dict[str, Any]) -> None:
        """Receives `verbose`, `epochs` and `steps`."""
        self.params = params

    def set_model(self, model: Any) -> None:
        """Receives the model."""
        self._model = model

    def get_state(self) -> dict[str, Any]:
        """What `BackupAndRestore` keeps of this callback, as plain values."""
        return {}

    def set_state(self, state: dict[str, Any]) -> None:
        """Takes back what `get_state` returned."""

    def on_batch_begin(self, batch: int, logs: Any = None) -> None:
        """Called by `on_train_batch_begin`."""

    def on_batch_end(self, batch: int, logs: Any = None) -> None:
        """Called by `on_train_batch_end`."""

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Before an epoch of training."""

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """After an epoch of training and its validation (`val_` in the logs)."""

    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
        """Before a batch of training."""
        self.on_batch_begin(batch, logs=logs)

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        """After a batch of training."""
        self.on_batch_end(batch, logs=logs)

    def on_test_batch_begin(self, batch: int, logs: Any = None) -> None:
        """Before a batch of evaluation or validation."""

    def on_test_batch_end(self, batch: int, logs: Any = None) -> None:
        """After a batch of evaluation or validation."""

    def on_predict_batch_begin(self, batch: int, logs: Any = None) -> None:
        """Before a batch of prediction."""

    def on_predict_batch_end(self, batch: int, logs: Any = None) -> None:
        """After a batch of prediction; `logs["outputs"]` holds the outputs."""

    def on_train_begin(self, logs: Any = None) -> None:
        """Before training."""

    def on_train_end(self, logs: Any = None) -> None:
        """After training; `logs` are the last epoch's."""

    def on_test_begin(self, logs: Any = None) -> None:
        """Before evaluation or validation."""

    def on_test_end(self, logs: Any = None) -> None:
        """After evaluation or validation."""

    def on_predict_begin(self, logs: Any = None) -> None:
        """Before prediction."""

    def on_predict_end(self, logs: Any = None) -> None:
        """After prediction."""
