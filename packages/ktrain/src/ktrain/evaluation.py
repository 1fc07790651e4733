"""`evaluate` and `predict`."""

from __future__ import annotations

from typing import Any

import numpy as np

from klayers import Model
from kops import tree
from ktrain import steps as step_functions
from ktrain.callbacks import CallbackList
from ktrain.checks import check_labels_of, require_samples
from ktrain.data.adapt import make_feed, make_source
from ktrain.data.arrays import ArraySource
from ktrain.data.packing import unpack_x_y_sample_weight
from ktrain.data.source import Feed
from ktrain.engines import engine
from ktrain.loop import (
    as_list,
    callback_list,
    program_of,
    ready,
    run_evaluation,
    verbosity,
    watched,
)
from ktrain.state import require_compiled

__all__ = ["evaluate", "predict", "predict_batch"]


def evaluate(
    model: Model,
    x: Any = None,
    y: Any = None,
    batch_size: int | None = None,
    verbose: Any = "auto",
    sample_weight: Any = None,
    steps: int | None = None,
    callbacks: Any = None,
    return_dict: bool = False,
    **kwargs: Any,
) -> Any:
    """The loss and metrics of a compiled model on data.

    Args:
        model: the model.
        x: inputs, as for `fit`.
        y: targets, if `x` holds arrays.
        batch_size: rows of a batch, 32 by default; only with arrays.
        verbose: 0 silent, 1 progress bar, 2 a line, "auto" for 1.
        sample_weight: weight by sample, if `x` holds arrays.
        steps: batches to use; by default all.
        callbacks: callbacks.
        return_dict: whether to return a dict by name.

    Returns:
        The loss alone if there are no metrics; else a list, the loss first, then the
        metrics as `compile` named them; or a dict.

    Raises:
        ValueError: the model is not compiled, or the data does not fit.

    Example:
    ```python
    >>> import numpy as np
    >>> import klayers, ktrain
    >>> model = klayers.Sequential([klayers.Input((3,)), klayers.layers.Dense(1)])
    >>> ktrain.compile_model(model, "sgd", loss="mse", metrics=["mae"])
    >>> sorted(ktrain.evaluate(model, np.ones((8, 3)), np.ones((8, 1)), verbose=0,
    ...                        return_dict=True))
    ['loss', 'mae']

    ```
    """
    if kwargs:
        raise TypeError(f"evaluate() got unexpected arguments {sorted(kwargs)}.")
    require_compiled(model, "evaluate")
    verbose = verbosity(verbose)
    source = make_source(engine(), x, y, sample_weight, batch_size)
    require_samples(source)
    feed = make_feed(source, steps)
    ready(model, "test", feed)
    check_labels_of(model, y)
    watchers = callback_list(model, callbacks, False, verbose, 1, feed.num_batches)
    logs = run_evaluation(model, feed, watchers)
    return logs if return_dict else as_list(model, logs)


def predict(
    model: Model,
    x: Any,
    batch_size: int | None = None,
    verbose: Any = "auto",
    steps: int | None = None,
    callbacks: Any = None,
) -> Any:
    """The model's outputs for data, batch by batch, as NumPy arrays.

    Args:
        model: the model; it need not be compiled.
        x: inputs, as for `fit`; targets that the data yields are ignored.
        batch_size: rows of a batch, 32 by default; only with arrays.
        verbose: 0 silent, 1 progress bar, 2 a line, "auto" for 1.
        steps: batches to use; by default all.
        callbacks: callbacks.

    Returns:
        Arrays in the structure of the outputs, with one row per sample.

    Raises:
        ValueError: the data does not fit.

    Example:
    ```python
    >>> import numpy as np
    >>> import klayers, ktrain
    >>> model = klayers.Sequential([klayers.Input((3,)), klayers.layers.Dense(2)])
    >>> ktrain.predict(model, np.ones((8, 3)), verbose=0).shape
    (8, 2)

    ```
    """
    run = engine()
    if verbose == 0 and callbacks is None and steps is None and type(x) is np.ndarray:
        if 0 < len(x) <= (batch_size or 32):
            # One batch and nobody watches: the step alone.
            run.check_array(x)
            return predict_batch(model, run.to_device(x))
    verbose = verbosity(verbose)
    source = make_source(run, x, batch_size=batch_size)
    if isinstance(source, ArraySource) and source.size == 0:
        return predict_batch(model, source.empty_batch())
    feed = make_feed(source, steps)
    watchers = callback_list(model, callbacks, False, verbose, 1, feed.num_batches)
    return _predict_all(model, feed, watchers)


def predict_batch(model: Model, batch: Any) -> Any:
    """The outputs of one batch as NumPy arrays."""
    run = engine()
    if not model.built:
        step_functions.output_spec(model, unpack_x_y_sample_weight(batch)[0])
    program = program_of(model, "predict")
    run.begin(model, "predict")
    return run.to_host(run.run(model, "predict", program, iter((batch,))))


def _predict_all(model: Model, feed: Feed, callbacks: CallbackList) -> Any:
    run, watching = engine(), watched(callbacks, "predict")
    if not model.built:
        step_functions.output_spec(model, unpack_x_y_sample_weight(feed.peek())[0])
    program = program_of(model, "predict")
    run.begin(model, "predict")
    model.__dict__["stop_predicting"] = False
    callbacks.on_predict_begin()
    feed.start_epoch()
    parts: list[Any] = []
    pending: Any = None  # fetched while the next batch is being computed
    while feed.has_next():
        if watching:
            callbacks.on_predict_batch_begin(feed.count)
        outputs = run.run(model, "predict", program, feed)
        if pending is not None:
            parts.append(run.to_host(pending[0]))
        pending = (outputs,)
        if watching:
            callbacks.on_predict_batch_end(feed.count - 1, {"outputs": outputs})
        if model.__dict__.get("stop_predicting"):
            break
    if pending is None:
        feed.peek()  # raises, saying that there is no batch
    else:
        parts.append(run.to_host(pending[0]))
    feed.end_epoch()
    callbacks.on_predict_end()
    if len(parts) == 1:
        return parts[0]
    return tree.map_structure(
        lambda *leaves: None if leaves[0] is None else np.concatenate(leaves), *parts
    )
