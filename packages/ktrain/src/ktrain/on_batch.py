"""`train_on_batch`, `test_on_batch`, `predict_on_batch`: one step, without a loop."""

from __future__ import annotations

from typing import Any

import numpy as np

from klayers import Model
from ktrain import steps
from ktrain.checks import check_can_train, check_labels_of
from ktrain.data.adapt import make_source
from ktrain.data.arrays import ArraySource
from ktrain.data.class_weights import ClassWeights
from ktrain.engines import engine
from ktrain.evaluation import predict_batch
from ktrain.loop import as_list, final_logs, program_of
from ktrain.state import require_compiled, trainer_state

__all__ = ["predict_on_batch", "test_on_batch", "train_on_batch"]


def _one_batch(model: Model, kind: str, batch: Any, return_dict: bool) -> Any:
    run = engine()
    state = trainer_state(model)
    train = kind == "train"
    if not state.prepared or (train and not getattr(model.__dict__["optimizer"], "built", True)):
        steps.prepare(model, batch, train)
    program = program_of(model, kind)
    # Afresh, so that the values are those of this batch.
    run.reset_metrics(steps.leaf_metrics(model))
    run.begin(model, kind)
    raw = run.run(model, kind, program, iter((batch,)))
    logs = final_logs(model, kind, raw)
    return logs if return_dict else as_list(model, logs)


def _batch(x: Any, y: Any, sample_weight: Any, weights: ClassWeights | None = None) -> Any:
    source = make_source(engine(), x, y, sample_weight, 1, class_weight=weights)
    assert isinstance(source, ArraySource)
    return source.whole()


def train_on_batch(
    model: Model,
    x: Any,
    y: Any = None,
    sample_weight: Any = None,
    class_weight: dict[int, float] | None = None,
    return_dict: bool = False,
) -> Any:
    """One step of training on one batch.

    Args:
        model: a compiled model.
        x: inputs, arrays.
        y: targets, arrays.
        sample_weight: weight by sample.
        class_weight: weight by class id.
        return_dict: whether to return a dict by name.

    Returns:
        The loss, or the loss and the metrics, of this batch alone.

    Raises:
        ValueError: the model is not compiled, or the data does not fit.
    """
    require_compiled(model, "train_on_batch")
    check_can_train(model)
    weights = None if class_weight is None else ClassWeights(class_weight)
    batch = _batch(x, y, sample_weight, weights)
    result = _one_batch(model, "train", batch, return_dict)
    if weights is not None:
        check_labels_of(model, y, weights)
    return result


def test_on_batch(
    model: Model, x: Any, y: Any = None, sample_weight: Any = None, return_dict: bool = False
) -> Any:
    """The loss and metrics of one batch.

    Args:
        model: a compiled model.
        x: inputs, arrays.
        y: targets, arrays.
        sample_weight: weight by sample.
        return_dict: whether to return a dict by name.

    Returns:
        The loss, or the loss and the metrics, of this batch alone.

    Raises:
        ValueError: the model is not compiled, or the data does not fit.
    """
    require_compiled(model, "test_on_batch")
    return _one_batch(model, "test", _batch(x, y, sample_weight), return_dict)


def predict_on_batch(model: Model, x: Any) -> Any:
    """The model's outputs for one batch, as NumPy arrays.

    Args:
        model: the model; it need not be compiled.
        x: inputs, arrays.
    """
    if type(x) is np.ndarray:
        engine().check_array(x)
        return predict_batch(model, engine().to_device(x))
    return predict_batch(model, _batch(x, None, None))
