"""`fit`: epochs of training, with validation in between."""

from __future__ import annotations

import warnings
from typing import Any

from klayers import Model
from kops import config
from ktrain import steps
from ktrain.callbacks import CallbackList, History
from ktrain.checks import check_can_train, check_labels_of, check_loss, require_samples
from ktrain.data.adapt import make_feed, make_source
from ktrain.data.arrays import ArraySource, holds_arrays, split_arrays
from ktrain.data.class_weights import ClassWeights
from ktrain.data.source import Feed
from ktrain.engines import engine
from ktrain.loop import callback_list, final_logs, ready, run_epoch, run_evaluation, verbosity
from ktrain.state import require_compiled

__all__ = ["fit"]


def fit(
    model: Model,
    x: Any = None,
    y: Any = None,
    batch_size: int | None = None,
    epochs: int = 1,
    verbose: Any = "auto",
    callbacks: Any = None,
    validation_split: float = 0.0,
    validation_data: Any = None,
    shuffle: bool | str = True,
    class_weight: dict[int, float] | None = None,
    sample_weight: Any = None,
    initial_epoch: int = 0,
    steps_per_epoch: int | None = None,
    validation_steps: int | None = None,
    validation_batch_size: int | None = None,
    validation_freq: Any = 1,
) -> History:
    """Trains a compiled model.

    Args:
        model: the model.
        x: inputs: arrays, tensors or data frames (a list or dict of them for several
            inputs), or something that yields batches `(x, y)` or `(x, y,
            sample_weight)`: a generator, `PyDataset`, torch `DataLoader`,
            `tf.data.Dataset`.
        y: targets, if `x` holds arrays.
        batch_size: rows of a batch, 32 by default; only with arrays.
        epochs: the epoch to stop after, counted from 0 (not from `initial_epoch`).
        verbose: 0 silent, 1 progress bar, 2 one line per epoch, "auto" for 1.
        callbacks: callbacks, or a `CallbackList`.
        validation_split: fraction at the end of the arrays that is held out; the cut is
            made before shuffling.
        validation_data: `(x, y)`, `(x, y, sample_weight)` or something that yields batches.
        shuffle: whether the order of the samples changes in each epoch; "batch" moves
            whole batches. Data that yields batches comes in its own order, but for
            `PyDataset`, whose batches are shuffled.
        class_weight: weight by class id; other classes weigh 1.
        sample_weight: weight by sample, if `x` holds arrays.
        initial_epoch: the epoch to start with.
        steps_per_epoch: batches in an epoch. The next epoch goes on where this one ended.
        validation_steps: batches of `validation_data` that are used.
        validation_batch_size: rows of a validation batch; `batch_size` by default.
        validation_freq: validate every so many epochs, or a list of epochs (from 1).

    Returns:
        The `History`: `history.history` maps each logged name to its values by epoch.

    Raises:
        ValueError: the model is not compiled, or the data does not fit.
        NotImplementedError: the engine cannot train.

    Example:
    ```python
    >>> import numpy as np
    >>> import klayers, ktrain
    >>> model = klayers.Sequential([klayers.Input((3,)), klayers.layers.Dense(1)])
    >>> ktrain.compile_model(model, "sgd", loss="mse")
    >>> history = ktrain.fit(model, np.ones((8, 3)), np.ones((8, 1)), epochs=2, verbose=0)
    >>> len(history.history["loss"])
    2

    ```
    """
    require_compiled(model, "fit")
    check_can_train(model)
    _check_epochs(epochs, initial_epoch)
    verbose = verbosity(verbose)
    if validation_split and validation_data is None:
        named = {"x": x, "y": y, "sample_weight": sample_weight}
        named, held_out = split_arrays(named, validation_split)
        x, y, sample_weight = named.values()
        validation_data = tuple(held_out.values())
    weights = None if class_weight is None else ClassWeights(class_weight)
    source = make_source(engine(), x, y, sample_weight, batch_size, shuffle, weights)
    require_samples(source)
    feed = make_feed(source, steps_per_epoch)
    program = ready(model, "train", feed)
    check_labels_of(model, y, weights)
    size = validation_batch_size or batch_size
    validation = _Validation(model, validation_data, size, validation_steps, validation_freq)
    cap = config.max_epochs()
    epochs = epochs if cap is None else min(epochs, cap)
    watchers = callback_list(model, callbacks, True, verbose, epochs, feed.num_batches)
    _train(model, program, feed, watchers, validation, range(initial_epoch, epochs))
    return _history(model, watchers)


def _train(
    model: Model,
    program: Any,
    feed: Feed,
    callbacks: CallbackList,
    validation: _Validation,
    epochs: range,
) -> None:
    """Runs the epochs."""
    model.__dict__["stop_training"] = False
    callbacks.on_train_begin()
    logs: dict[str, Any] = {}
    metrics = steps.leaf_metrics(model)
    for epoch in epochs:
        engine().reset_metrics(metrics)
        callbacks.on_epoch_begin(epoch)
        feed.start_epoch()
        raw = run_epoch(model, "train", program, feed, callbacks)
        feed.end_epoch()
        logs = final_logs(model, "train", raw)
        check_loss(model, feed.source, logs)
        logs |= validation.run(epoch, callbacks)
        callbacks.on_epoch_end(epoch, logs)
        if model.__dict__.get("stop_training"):
            break
        if epoch + 1 < epochs.stop and feed.steps is None and feed.exhausted:
            _warn_exhausted(epoch + 1, epochs.stop)
            break
    optimizer = model.__dict__["optimizer"]
    if getattr(optimizer, "use_ema", False):
        optimizer.finalize_variable_values(model.trainable_weights)
    callbacks.on_train_end(logs)


def _check_epochs(epochs: Any, initial_epoch: Any) -> None:
    for name, value in (("epochs", epochs), ("initial_epoch", initial_epoch)):
        if isinstance(value, bool) or not hasattr(value, "__index__") or value < 0:
            raise ValueError(f"`{name}` must be an int >= 0; got {value!r}.")


def _warn_exhausted(done: int, epochs: int) -> None:
    warnings.warn(
        f"The data ran out after {done} of {epochs} epochs, so training stops: a generator can "
        "be gone through once. Pass `steps_per_epoch` and a generator that does not end, or data "
        "that can be read again (an array, a `PyDataset`, a `tf.data.Dataset`, a `DataLoader`).",
        stacklevel=3,
    )


class _Validation:
    """Evaluation at the end of epochs of `fit`."""

    def __init__(self, model: Model, data: Any, batch_size: int | None, count: Any, freq: Any):
        self._model = model
        self._freq = freq
        self._feed: Feed | None = None
        if data is None:
            return
        if isinstance(freq, bool) or not (
            isinstance(freq, (list, tuple, set)) or (hasattr(freq, "__index__") and freq > 0)
        ):
            raise ValueError(
                f"`validation_freq` must be a positive int or a list of epochs; got {freq!r}."
            )
        if isinstance(data, (list, tuple)):
            if len(data) not in (2, 3):
                raise ValueError(
                    "`validation_data` must be `(x, y)` or `(x, y, sample_weight)`, or something "
                    f"that yields batches; got a {type(data).__name__} of {len(data)} items."
                )
            x, y, sample_weight = (*data, None)[:3]
        elif holds_arrays(data):
            raise ValueError(
                "`validation_data` is an array; pass inputs and targets: `(x_val, y_val)`."
            )
        else:
            x, y, sample_weight = data, None, None
        source = make_source(engine(), x, y, sample_weight, batch_size)
        if isinstance(source, ArraySource) and source.size == 0:
            raise ValueError("`validation_data` has no samples.")
        self._feed = make_feed(source, count)

    def _due(self, epoch: int) -> bool:
        if isinstance(self._freq, (list, tuple, set)):
            return epoch + 1 in self._freq
        return (epoch + 1) % self._freq == 0

    def run(self, epoch: int, callbacks: CallbackList) -> dict[str, Any]:
        """The validation logs of an epoch, empty if it has no validation."""
        if self._feed is None or not self._due(epoch):
            return {}
        logs = run_evaluation(self._model, self._feed, callbacks, restart=True)
        return {f"val_{name}": value for name, value in logs.items()}


def _history(model: Model, callbacks: CallbackList) -> History:
    history = next(c for c in callbacks.callbacks if isinstance(c, History))
    model.__dict__["history"] = history
    return history
