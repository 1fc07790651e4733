"""`CallbackList`: several callbacks as one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kops import tree
from kops.registry import export
from ktrain.callbacks.callback import Callback
from ktrain.callbacks.history import History
from ktrain.callbacks.progbar import ProgbarLogger

__all__ = ["CallbackList"]


@export("keras.callbacks.CallbackList")
class CallbackList(Callback):
    """Calls the callbacks it holds, in order.

    Args:
        callbacks: a callback, or a (nested) list of them.
        add_history: whether a `History` is added unless there is one.
        add_progbar: whether a `ProgbarLogger` is added unless there is one.
        model: the model, given to each callback.
        params: `verbose`, `epochs`, `steps`: given to each callback.

    Example:
    ```python
    >>> from ktrain.callbacks import CallbackList, LambdaCallback
    >>> first = LambdaCallback(on_train_begin=lambda logs: print("first"))
    >>> second = LambdaCallback(on_train_begin=lambda logs: print("second"))
    >>> CallbackList([first, second]).on_train_begin()
    first
    second

    ```
    """

    def __init__(
        self,
        callbacks: Any = None,
        add_history: bool = False,
        add_progbar: bool = False,
        model: Any = None,
        **params: Any,
    ) -> None:
        super().__init__()
        self.callbacks: list[Callback] = tree.flatten(callbacks) if callbacks else []
        for callback in self.callbacks:
            if not isinstance(callback, Callback):
                raise TypeError(
                    "`callbacks` must be Callback instances (or a list of them). "
                    f"Received: {callback!r}"
                )
        if add_history and not any(isinstance(c, History) for c in self.callbacks):
            self.callbacks.append(History())
        if add_progbar and not any(isinstance(c, ProgbarLogger) for c in self.callbacks):
            self.callbacks.append(ProgbarLogger())
        self._batch_methods: dict[str, list[Callable[..., None]]] = {}
        if model is not None:
            self.set_model(model)
        self.set_params(params)

    def append(self, callback: Callback) -> None:
        """Adds a callback."""
        self.callbacks.append(callback)
        self._batch_methods.clear()

    def set_params(self, params: dict[str, Any]) -> None:
        """Gives `verbose`, `epochs` and `steps` to each callback."""
        self.params = params
        for callback in self.callbacks:
            callback.set_params(params)

    def set_model(self, model: Any) -> None:
        """Gives the model to each callback, and its history to the model."""
        super().set_model(model)
        for callback in self.callbacks:
            callback.set_model(model)
            callback.__dict__["_siblings"] = self.callbacks
            if isinstance(callback, History):
                model.history = callback

    def _methods(self, name: str, *behind: str) -> list[Callable[..., None]]:
        """The callbacks' methods that do something: `name` or one of those behind it."""
        found = self._batch_methods.get(name)
        if found is None:
            found = self._batch_methods[name] = [
                getattr(callback, name)
                for callback in self.callbacks
                if any(_overrides(callback, n) for n in (name, *behind))
            ]
        return found

    def on_batch_begin(self, batch: int, logs: Any = None) -> None:
        for method in self._methods("on_batch_begin"):
            method(batch, logs=logs)

    def on_batch_end(self, batch: int, logs: Any = None) -> None:
        for method in self._methods("on_batch_end"):
            method(batch, logs=logs)

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        for callback in self.callbacks:
            callback.on_epoch_begin(epoch, {} if logs is None else logs)

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        for callback in sorted(self.callbacks, key=lambda c: c._last):
            callback.on_epoch_end(epoch, {} if logs is None else logs)

    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
        for method in self._methods("on_train_batch_begin", "on_batch_begin"):
            method(batch, logs={} if logs is None else logs)

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        for method in self._methods("on_train_batch_end", "on_batch_end"):
            method(batch, logs={} if logs is None else logs)

    def on_test_batch_begin(self, batch: int, logs: Any = None) -> None:
        for method in self._methods("on_test_batch_begin"):
            method(batch, logs={} if logs is None else logs)

    def on_test_batch_end(self, batch: int, logs: Any = None) -> None:
        for method in self._methods("on_test_batch_end"):
            method(batch, logs={} if logs is None else logs)

    def on_predict_batch_begin(self, batch: int, logs: Any = None) -> None:
        for method in self._methods("on_predict_batch_begin"):
            method(batch, logs={} if logs is None else logs)

    def on_predict_batch_end(self, batch: int, logs: Any = None) -> None:
        for method in self._methods("on_predict_batch_end"):
            method(batch, logs={} if logs is None else logs)

    def on_train_begin(self, logs: Any = None) -> None:
        for callback in self.callbacks:
            callback.on_train_begin({} if logs is None else logs)

    def on_train_end(self, logs: Any = None) -> None:
        for callback in self.callbacks:
            callback.on_train_end({} if logs is None else logs)

    def on_test_begin(self, logs: Any = None) -> None:
        for callback in self.callbacks:
            callback.on_test_begin({} if logs is None else logs)

    def on_test_end(self, logs: Any = None) -> None:
        for callback in self.callbacks:
            callback.on_test_end({} if logs is None else logs)

    def on_predict_begin(self, logs: Any = None) -> None:
        for callback in self.callbacks:
            callback.on_predict_begin({} if logs is None else logs)

    def on_predict_end(self, logs: Any = None) -> None:
        for callback in self.callbacks:
            callback.on_predict_end({} if logs is None else logs)


def _overrides(callback: Callback, name: str) -> bool:
    return name in callback.__dict__ or getattr(type(callback), name) is not getattr(Callback, name)
