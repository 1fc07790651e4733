"""`fit`, `evaluate`, `predict` and their one-batch siblings, for any `klayers.Model`."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from klayers import Model
from kops import config, tree

from ktrain import steps
from ktrain.callbacks import CallbackList, History
from ktrain.compiled.checks import check_labels
from ktrain.data.adapt import make_feed, make_source
from ktrain.data.arrays import ArraySource, holds_arrays, split_arrays
from ktrain.data.class_weights import ClassWeights
from ktrain.data.iterables import with_class_weight
from ktrain.data.packing import pack_x_y_sample_weight, unpack_x_y_sample_weight
from ktrain.data.source import Feed, Source
from ktrain.engines import engine
from ktrain.logs import LazyLogs, settle, to_numbers
from ktrain.state import TrainerState, require_compiled, trainer_state

__all__ = [
    "evaluate",
    "fit",
    "predict",
    "predict_on_batch",
    "test_on_batch",
    "train_on_batch",
]


# -- shared ---------------------------------------------------------------------------


def program_of(model: Model, kind: str) -> Any:
    """The program of a kind, made by the user's `make_…_function` if there is one."""
    name = f"make_{kind}_function"
    if steps.is_overridden(model, name):
        getattr(model, name)()
        return getattr(model, f"{kind}_function")
    program = engine().program(model, kind)
    model.__dict__[f"{kind}_function"] = program
    return program


def _verbosity(verbose: Any) -> int:
    if verbose == "auto":
        return 1
    if verbose not in (0, 1, 2):
        raise ValueError(
            f"`verbose` must be 0 (silent), 1 (progress bar), 2 (a line per epoch) or 'auto'; "
            f"got {verbose!r}."
        )
    return int(verbose)


def _callback_list(
    model: Model, callbacks: Any, history: bool, verbose: int, epochs: int, count: int | None
) -> CallbackList:
    if isinstance(callbacks, CallbackList):
        return callbacks
    return CallbackList(
        callbacks,
        add_history=history,
        add_progbar=verbose != 0,
        model=model,
        verbose=verbose,
        epochs=epochs,
        steps=count,
    )


def _results(model: Model) -> dict[str, Any]:
    return steps.bound(model, "get_metrics_result", steps.get_metrics_result)()


def _final_logs(model: Model, kind: str, raw: Any) -> dict[str, Any]:
    """Numbers of an epoch: metrics over all of it, or what the user's step returned last."""
    if raw is None:
        return to_numbers(_results(model))
    logs = to_numbers(raw)
    if steps.is_overridden(model, f"{kind}_step"):
        results = to_numbers(_results(model))
        if results.keys() == logs.keys():
            return results
    return logs


def _batch_logs(model: Model, raw: Any) -> LazyLogs:
    return LazyLogs(lambda: _results(model) if raw is None else raw)


def _run_epoch(model: Model, kind: str, program: Any, feed: Feed, callbacks: Any) -> Any:
    """Runs a program until the epoch has no more batches; returns the last raw logs.

    Raises:
        ValueError: the epoch has no batch at all.
    """
    run, watched = engine(), callbacks.watches_batches(kind)
    begin = getattr(callbacks, f"on_{kind}_batch_begin")
    end = getattr(callbacks, f"on_{kind}_batch_end")
    run.begin(model, kind)
    raw, done = None, 0
    while feed.has_next():
        if watched:
            begin(done)
        raw = run.run(model, kind, program, feed)
        done = feed.count
        if watched:
            logs = _batch_logs(model, raw)
            end(done - 1, logs)
            settle(logs)
        if model.__dict__.get("stop_training") and kind == "train":
            break
        if model.__dict__.get("stop_evaluating") and kind == "test":
            break
    if not done:
        feed.peek()  # raises, saying that there is no batch
    return raw


# -- fit ------------------------------------------------------------------------------


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
    state = require_compiled(model, "fit")
    _check_can_train(model, state)
    _check_epochs(epochs, initial_epoch)
    verbose = _verbosity(verbose)
    if validation_split and validation_data is None:
        named = {"x": x, "y": y, "sample_weight": sample_weight}
        named, held_out = split_arrays(named, validation_split)
        x, y, sample_weight = named.values()
        validation_data = tuple(held_out.values())
    weights = None if class_weight is None else ClassWeights(class_weight)
    source = make_source(engine(), x, y, sample_weight, batch_size, shuffle, weights)
    _require_samples(source)
    feed = make_feed(source, steps_per_epoch)
    program = _ready(model, "train", feed)
    if weights is not None:
        _check_class_weight(weights, state, y)
    if not state.checked:
        _check_first_data(state, y)
    validation = _Validation(
        model, validation_data, validation_batch_size or batch_size, validation_steps, validation_freq
    )
    cap = config.max_epochs()
    epochs = epochs if cap is None else min(epochs, cap)
    callbacks = _callback_list(model, callbacks, True, verbose, epochs, feed.num_batches)
    model.__dict__["stop_training"] = False
    callbacks.on_train_begin()
    logs: dict[str, Any] = {}
    for epoch in range(initial_epoch, epochs):
        engine().reset_metrics(steps.metrics_of(model))
        callbacks.on_epoch_begin(epoch)
        feed.start_epoch()
        raw = _run_epoch(model, "train", program, feed, callbacks)
        feed.end_epoch()
        logs = _final_logs(model, "train", raw)
        _check_loss(model, state, source, logs)
        logs |= validation.run(epoch, callbacks)
        callbacks.on_epoch_end(epoch, logs)
        if model.__dict__.get("stop_training"):
            break
        if epoch + 1 < epochs and steps_per_epoch is None and feed.exhausted:
            _warn_exhausted(epoch + 1, epochs)
            break
    if hasattr(model.__dict__.get("optimizer"), "finalize_variable_values"):
        model.__dict__["optimizer"].finalize_variable_values(model.trainable_weights)
    callbacks.on_train_end(logs)
    return model.__dict__["history"]
