"""The loop over batches, and what `fit`, `evaluate` and `predict` share around it."""

from __future__ import annotations

from typing import Any

from klayers import Model
from ktrain import steps
from ktrain.callbacks import Callback, CallbackList
from ktrain.checks import check_loss
from ktrain.data.source import Feed
from ktrain.engines import engine
from ktrain.logs import LazyLogs, settle, to_numbers
from ktrain.state import trainer_state

__all__ = [
    "as_list",
    "callback_list",
    "final_logs",
    "program_of",
    "ready",
    "run_epoch",
    "run_evaluation",
    "verbosity",
    "watched",
]


def program_of(model: Model, kind: str) -> Any:
    """The program of a kind, made by the user's `make_…_function` if there is one."""
    name = f"make_{kind}_function"
    if steps.is_overridden(model, name):
        trainer_state(model).bindings.pop(kind, None)
        getattr(model, name)()
        return getattr(model, f"{kind}_function")
    program = engine().program(model, kind)
    model.__dict__[f"{kind}_function"] = program
    return program


def verbosity(verbose: Any) -> int:
    """`verbose` as a number.

    Raises:
        ValueError: it is none of the accepted values.
    """
    if verbose == "auto":
        return 1
    if verbose not in (0, 1, 2):
        raise ValueError(
            f"`verbose` must be 0 (silent), 1 (progress bar), 2 (a line per epoch) or 'auto'; "
            f"got {verbose!r}."
        )
    return int(verbose)


def callback_list(
    model: Model, callbacks: Any, history: bool, verbose: int, epochs: int, count: int | None
) -> CallbackList:
    """The callbacks of a call as one; a list made by the user is taken as it is."""
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


def watched(callbacks: CallbackList, kind: str) -> bool:
    """Whether a callback has something to do around each batch."""
    names = [f"on_{kind}_batch_begin", f"on_{kind}_batch_end"]
    if kind == "train":
        names += ["on_batch_begin", "on_batch_end"]
    return type(callbacks) is not CallbackList or any(
        getattr(type(callback), name, None) is not getattr(Callback, name)
        for callback in callbacks.callbacks
        for name in names
    )


def _results(model: Model) -> dict[str, Any]:
    return steps.bound(model, "get_metrics_result", steps.get_metrics_result)()


def final_logs(model: Model, kind: str, raw: Any) -> dict[str, Any]:
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


def run_epoch(model: Model, kind: str, program: Any, feed: Feed, callbacks: Any) -> Any:
    """Runs a program until the epoch has no more batches; returns the last raw logs.

    Raises:
        ValueError: the epoch has no batch at all.
    """
    run, watching = engine(), watched(callbacks, kind)
    state = trainer_state(model)
    begin = getattr(callbacks, f"on_{kind}_batch_begin")
    end = getattr(callbacks, f"on_{kind}_batch_end")
    run.begin(model, kind)
    raw, done = None, 0
    while feed.has_next():
        if watching:
            begin(done)
        raw = run.run(model, kind, program, feed)
        done = feed.count
        if watching:
            logs = _batch_logs(model, raw)
            end(done - 1, logs)
            settle(logs)
        if kind == "train" and not state.checked:
            # Once after `compile`: bad data should not cost an epoch to be found.
            state.checked = True
            check_loss(model, feed.source, _batch_logs(model, raw))
        if model.__dict__.get("stop_training") and kind == "train":
            break
        if model.__dict__.get("stop_evaluating") and kind == "test":
            break
    if not done:
        feed.peek()  # raises, saying that there is no batch
    return raw


def ready(model: Model, kind: str, feed: Feed) -> Any:
    """Builds what is not built yet, and makes the program."""
    state = trainer_state(model)
    optimizer = model.__dict__.get("optimizer")
    train = kind == "train"
    if not state.prepared or (train and not getattr(optimizer, "built", True)):
        steps.prepare(model, feed.peek(), train)
    return program_of(model, kind)


def run_evaluation(
    model: Model, feed: Feed, callbacks: CallbackList, restart: bool = False
) -> dict[str, Any]:
    """Loss and metrics over an epoch of a feed; `restart` begins with its first batch."""
    program = ready(model, "test", feed)
    if restart:
        feed.rewind()
    engine().reset_metrics(steps.leaf_metrics(model))
    model.__dict__["stop_evaluating"] = False
    callbacks.on_test_begin()
    feed.start_epoch()
    raw = run_epoch(model, "test", program, feed, callbacks)
    feed.end_epoch()
    logs = final_logs(model, "test", raw)
    callbacks.on_test_end(logs)
    return logs


def as_list(model: Model, logs: dict[str, Any]) -> Any:
    """Logs as `evaluate` lists them: in the order of `compile`, then the others by name."""
    names: list[str] = []
    for metric in steps.metrics_of(model):
        names.extend(getattr(metric, "keys", [metric.name]))
    ordered = [name for name in names if name in logs]
    ordered += sorted(logs.keys() - set(ordered))
    values = [logs[name] for name in ordered]
    return values[0] if len(values) == 1 else values
