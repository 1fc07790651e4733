"""TensorFlow: steps are traced into one graph function per signature."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import tensorflow as tf

from klayers import Model
from kops import tree
from ktrain import steps
from ktrain.data.packing import unpack_x_y_sample_weight
from ktrain.data.source import same_shapes, take
from ktrain.engines.base import Engine, Program, Step
from ktrain.metrics import Metric

__all__ = ["ENGINE"]


class TensorFlowEngine(Engine):
    """Compiles steps with `tf.function`; through XLA with `jit_compile=True`."""

    NAME = "tensorflow"

    def to_device(self, batch: Any) -> Any:
        if type(batch) is np.ndarray:
            return super().to_device(batch)
        return tree.map_structure(self._leaf, batch)

    def _leaf(self, x: Any) -> Any:
        if x is None or tf.is_tensor(x):
            return x
        return super().to_device(x)

    # -- default steps ----------------------------------------------------------------

    def train_step(self, model: Model, *args: Any) -> Any:
        """`train_step(data)`: forward, backward, update; returns the metrics' results."""
        (data,) = args
        x, y, sample_weight = unpack_x_y_sample_weight(data)
        optimizer = model.__dict__["optimizer"]
        variables = model.trainable_variables
        values = [v._state for v in variables]
        with tf.GradientTape() as tape:
            y_pred = steps.call_model(model, x, training=True)
            loss = steps.bound(model, "compute_loss", steps.compute_loss)(
                x=x, y=y, y_pred=y_pred, sample_weight=sample_weight, training=True
            )
            scaled = optimizer.scale_loss(loss)
        self.track_loss(model, loss, steps.batch_size_of(x))
        if values:
            optimizer.apply(tape.gradient(scaled, values), variables)
        self.update_metrics(model, x, y, y_pred, sample_weight)
        return steps.bound(model, "get_metrics_result", steps.get_metrics_result)()

    def step(self, model: Model, kind: str) -> Step:
        name = f"{kind}_step"
        if steps.is_overridden(model, name):
            return getattr(model, name)
        default = getattr(self, name)
        return lambda data: default(model, data)

    # -- programs ---------------------------------------------------------------------

    def key(self, model: Model, kind: str) -> tuple[Any, ...]:
        # A traced step holds on to the variables that it was traced with.
        variables = [*model.variables, None, *model.trainable_variables]
        return (*self.options(model), *map(id, variables))

    def make_program(self, model: Model, kind: str) -> Program:
        own = model.__dict__
        if own.get("run_eagerly", False):
            return super().make_program(model, kind)
        step = self.step(model, kind)
        xla = bool(own.get("jit_compile", False))
        options = {"autograph": False, "reduce_retracing": True, "jit_compile": xla}
        one = tf.function(step, **options)
        # A full and a last batch are two signatures, no reason to warn.
        one._omit_frequent_tracing_warning = True
        count = own.get("steps_per_execution", 1)
        if count == 1 or kind == "predict":
            return lambda batches: one(_tensors(next(batches)))

        @tf.function(**options)
        def many(stacked: Any) -> Any:
            logs = step(_row(stacked, 0))
            more = lambda i, _: i < count  # noqa: E731

            def body(i: Any, _: Any) -> Any:
                return i + 1, step(_row(stacked, i))

            start = (tf.constant(1), logs)
            return tf.while_loop(more, body, start, maximum_iterations=count - 1)[1]

        def program(batches: Iterator[Any]) -> Any:
            taken = take(batches, count)
            if len(taken) == count and same_shapes(taken):
                return many(tree.map_structure(lambda *leaves: _stack(leaves), *taken))
            logs: Any = {}
            for batch in taken:
                logs = one(_tensors(batch))
            return logs

        return program

    def reset_metrics(self, metrics: list[Metric]) -> None:
        for metric in metrics:
            if type(metric).reset_state is not Metric.reset_state:
                metric.reset_state()
                continue
            for variable in metric.variables:
                variable._state.assign(_zeros(variable.shape, variable.dtype), read_value=False)


def _tensors(batch: Any) -> Any:
    if type(batch) is tuple:
        return tuple([_tensors(part) for part in batch])
    if isinstance(batch, np.ndarray):
        return tf.constant(batch)
    if isinstance(batch, (list, dict)):
        return tree.map_structure(_tensors, batch)
    return batch


def _stack(leaves: Any) -> Any:
    if leaves[0] is None:
        return None
    return np.stack(leaves) if isinstance(leaves[0], np.ndarray) else tf.stack(leaves)


def _row(stacked: Any, i: Any) -> Any:
    return tree.map_structure(lambda leaf: None if leaf is None else leaf[i], stacked)


_ZEROS: dict[tuple[Any, ...], Any] = {}


def _zeros(shape: tuple[int, ...], dtype: str) -> Any:
    found = _ZEROS.get((shape, dtype))
    if found is None:
        found = _ZEROS[shape, dtype] = tf.zeros(shape, dtype)
    return found


ENGINE = TensorFlowEngine()
