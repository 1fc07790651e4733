"""Prediction on arrays, batch by batch: what klayers offers without a training package."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kops import tree
from kops.backend import current
from kops.scopes import StatelessScope

if TYPE_CHECKING:
    from klayers.model import Model

__all__ = ["predict", "prediction_function"]


def predict(model: Model, x: Any, batch_size: int | None = None, steps: int | None = None) -> Any:
    """Outputs of a model for arrays of inputs, as NumPy arrays.

    Args:
        model: the model.
        x: arrays nested like the model's inputs; the first axis counts samples.
        batch_size: samples per batch; 32 if None, all at once if 0.
        steps: how many batches to run at most.

    Raises:
        ValueError: `x` is no array or holds arrays of different lengths.
    """
    x = tree.map_structure(_as_array, x)
    arrays = [a for a in tree.flatten(x) if a is not None]
    if not arrays:
        raise ValueError("`x` holds no arrays.")
    lengths = {len(a) for a in arrays}
    if len(lengths) > 1:
        raise ValueError(
            "The arrays in `x` must have the same number of samples (first axis); got "
            f"{[len(a) for a in arrays]}."
        )
    n = lengths.pop()
    size = n if batch_size == 0 else 32 if batch_size is None else int(batch_size)
    if size < 1 and n:
        raise ValueError(f"`batch_size` must be a positive int; got {batch_size!r}.")
    run = prediction_function(model)
    starts = range(0, max(n, 1), max(size, 1))
    results = []
    for i, start in enumerate(starts):
        if steps is not None and i >= steps:
            break
        batch = tree.map_structure(
            lambda a, s=start: None if a is None else a[s : s + max(size, 1)], x
        )
        results.append(run(batch))
    if len(results) == 1:
        return results[0]
    return tree.map_structure(lambda *parts: np.concatenate(parts), *results)


def _as_array(x: Any) -> Any:
    if x is None:
        return None
    engine = current()
    if engine.is_tensor(x):
        x = engine.to_numpy(x)
    elif not hasattr(x, "shape"):
        x = np.asarray(x)
    if not x.shape:
        raise ValueError(
            f"`x` must hold arrays with a first axis of samples; got the scalar {x!r}."
        )
    return x


def prediction_function(model: Model) -> Any:
    """A function from a batch of arrays to NumPy outputs, compiled by the engine.

    It is made once per model; the engine keeps one program per signature.
    """
    cached = model.__dict__.get("_prediction_function")
    variables = model.variables if model.built else None
    key = None if variables is None else tuple(map(id, variables))
    if cached is not None and cached[0] == key:
        return cached[1]
    engine = current()

    def forward(values: list[Any], batch: Any) -> Any:
        own = model.variables
        with StatelessScope(zip(own, values, strict=True)):
            return model(batch, training=False)

    compiled = engine.compile(forward)

    def run(batch: Any) -> Any:
        with inference_scope(engine):
            tensors = tree.map_structure(lambda a: None if a is None else _tensor(engine, a), batch)
            if not model.built:
                outputs = model(tensors, training=False)  # builds it
            else:
                outputs = compiled([v.value for v in model.variables], tensors)
            return tree.map_structure(engine.to_numpy, outputs)

    if key is not None:
        model.__dict__["_prediction_function"] = (key, run)
    return run


def inference_scope(engine: Any) -> Any:
    """The engine's scope for computing without gradients, where it has one."""
    scope = getattr(engine, "inference_scope", None)
    return _Nothing() if scope is None else scope()


class _Nothing:
    def __enter__(self) -> None:
        return None

    def __exit__(self, *exc: object) -> None:
        return None


def _tensor(engine: Any, array: Any) -> Any:
    return array if engine.is_tensor(array) else engine.convert(array)
