"""JAX: steps are pure functions of the state, compiled once per signature.

The state (values of the variables) is read from the variables before a step and the new
values are put back after it: references only, nothing is copied. The buffers of the old
state are donated, so a step needs no second copy of the model.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from klayers import Model
from kops import tree
from kops.scopes import StatelessScope
from ktrain import steps
from ktrain.data.host import host_array
from ktrain.data.packing import unpack_x_y_sample_weight
from ktrain.data.source import same_shapes, take
from ktrain.engines.base import Engine, Program, Step
from ktrain.metrics import Metric
from ktrain.state import trainer_state

__all__ = ["ENGINE"]

State = tuple[list[Any], ...]


class _Binding:
    """The variables whose values are the state of a kind of step.

    Training: (trainable, non-trainable, optimizer's, metrics'); testing: without the
    optimizer's; prediction: the first two.
    """

    def __init__(self, model: Model, kind: str):
        groups: list[list[Any]] = [[], []]
        own = model.trainable
        for variable in model.variables:  # one walk over the layers in place of two
            groups[not (own and variable.trainable)].append(variable)
        if kind == "train":
            optimizer = model.__dict__.get("optimizer")
            groups.append([] if optimizer is None else optimizer.variables)
        if kind != "predict":
            groups.append(steps.metrics_variables(model))
        self.groups = groups

    def read(self) -> State:
        return tuple([[v._state for v in group] for group in self.groups])

    def write(self, state: Sequence[Sequence[Any]]) -> None:
        for group, values in zip(self.groups, state, strict=True):
            for variable, value in zip(group, values, strict=True):
                variable._state = value

    def own(self) -> None:
        """Copies values that somebody else holds: donating them would pull them away."""
        seen: set[int] = set()
        for group in self.groups[: 3 if len(self.groups) == 4 else 1]:
            for variable in group:
                value = variable._state
                # The variable, this name and the call's argument hold it; nobody else may.
                if sys.getrefcount(value) > 3 or id(value) in seen:
                    value = variable._state = jnp.array(value, copy=True)
                seen.add(id(value))


class JaxEngine(Engine):
    """Compiles every step with `jax.jit`."""

    NAME = "jax"
    JIT = True

    # -- data -----------------------------------------------------------------------

    def check_array(self, array: Any) -> None:
        super().check_array(array)
        dtype = getattr(array, "dtype", None)
        if dtype is None or str(dtype) not in ("int64", "uint64"):
            return
        if jax.config.jax_enable_x64:  # type: ignore[attr-defined]
            return
        if isinstance(array, np.ndarray) and array.size:
            limits = np.iinfo("int32" if array.dtype.kind == "i" else "uint32")
            if array.max() > limits.max or array.min() < limits.min:
                raise ValueError(
                    f"The data holds {dtype} values beyond 32 bits, which JAX would cut off. Set "
                    "JAX_ENABLE_X64=1 (or `jax.config.update('jax_enable_x64', True)`) before "
                    "the start, or use smaller ids."
                )

    def to_device(self, batch: Any) -> Any:
        if type(batch) is np.ndarray:
            return self._leaf(batch)
        return tree.map_structure(self._leaf, batch)

    def _leaf(self, x: Any) -> Any:
        if x is None or isinstance(x, jax.Array):
            return x
        x = host_array(x)
        self.check_array(x)
        return super().to_device(x)

    # -- default steps ----------------------------------------------------------------

    def train_step(self, model: Model, *args: Any) -> Any:
        """`train_step(state, data)`: returns `(logs, state)`."""
        state, data = args
        x, y, sample_weight = unpack_x_y_sample_weight(data)
        binding = _Binding(model, "train")
        optimizer = model.__dict__["optimizer"]
        trainable, *others = binding.groups
        compute_loss = steps.bound(model, "compute_loss", steps.compute_loss)

        def loss_of(values: list[Any]) -> tuple[Any, Any]:
            mapping = _pairs(binding.groups, [values, *state[1:]])
            with StatelessScope(mapping, collect_losses=True) as scope:
                y_pred = steps.call_model(model, x, training=True)
                loss = compute_loss(
                    x=x, y=y, y_pred=y_pred, sample_weight=sample_weight, training=True
                )
                self.track_loss(model, loss, steps.batch_size_of(x))
                self.update_metrics(model, x, y, y_pred, sample_weight)
                scaled = optimizer.scale_loss(loss)
            return scaled, [[scope.get_current_value(v) for v in group] for group in others]

        (_, rest), grads = jax.value_and_grad(loss_of, has_aux=True)(list(state[0]))
        with StatelessScope(_pairs(binding.groups, [state[0], *rest])) as scope:
            if trainable:
                optimizer.apply(grads, trainable)
            logs = steps.bound(model, "get_metrics_result", steps.get_metrics_result)()
        after = [[scope.get_current_value(v) for v in group] for group in binding.groups]
        return logs, tuple(after)

    def test_step(self, model: Model, *args: Any) -> Any:
        """`test_step(state, data)`: returns `(logs, state)`."""
        state, data = args
        binding = _Binding(model, "test")
        with StatelessScope(_pairs(binding.groups, state), collect_losses=True) as scope:
            self.update_test(model, data)
            logs = steps.bound(model, "get_metrics_result", steps.get_metrics_result)()
        after = [[scope.get_current_value(v) for v in group] for group in binding.groups]
        return logs, tuple(after)

    def predict_step(self, model: Model, *args: Any) -> Any:
        """`predict_step(state, data)`: returns `(outputs, non_trainable_variables)`."""
        state, data = args
        x, _, _ = unpack_x_y_sample_weight(data)
        binding = _Binding(model, "predict")
        with StatelessScope(_pairs(binding.groups, state)) as scope:
            outputs = steps.call_model(model, x, training=False)
        return outputs, [scope.get_current_value(v) for v in binding.groups[1]]

    def step(self, model: Model, kind: str) -> Step:
        name = f"{kind}_step"
        if steps.is_overridden(model, name):
            return getattr(model, name)
        default = getattr(self, name)
        return lambda *args: default(model, *args)

    # -- programs ---------------------------------------------------------------------

    def program(self, model: Model, kind: str, force: bool = False) -> Program:
        trainer_state(model).bindings[kind] = _Binding(model, kind)
        return super().program(model, kind, force)

    def key(self, model: Model, kind: str) -> tuple[Any, ...]:
        # Each variable in its group: a compiled step holds on to this assignment.
        groups = trainer_state(model).bindings[kind].groups
        return (*self.options(model), *[id(v) for group in groups for v in (*group, None)])

    def make_program(self, model: Model, kind: str) -> Program:
        """A function `(state, batches) -> (logs, state)`; of outputs when predicting."""
        step = self.step(model, kind)
        own = model.__dict__
        compiled = own.get("jit_compile", True) and not own.get("run_eagerly", False)
        if kind == "predict":
            return _predictor(step, compiled)
        # Metrics are small, and resetting them shares one array of zeros: not donated.
        donate = (0,) if kind == "train" else ()

        def one(kept: Any, metrics: Any, data: Any) -> Any:
            logs, state = step((*kept, metrics), data)
            return logs, _as_state(state)

        def many(kept: Any, metrics: Any, stacked: Any) -> Any:
            def body(state: Any, data: Any) -> Any:
                logs, state = step(state, data)
                return _as_state(state), logs

            state, logs = jax.lax.scan(body, _as_state((*kept, metrics)), stacked)
            return tree.map_structure(lambda log: log[-1], logs), state

        if compiled:
            one, many = jax.jit(one, donate_argnums=donate), jax.jit(many, donate_argnums=donate)
        count = own.get("steps_per_execution", 1)
        if count == 1:

            def program(state: State, batches: Iterator[Any]) -> Any:
                return one(state[:-1], state[-1], next(batches))

            return program

        def program_of_many(state: State, batches: Iterator[Any]) -> Any:
            taken = take(batches, count)
            if len(taken) == count and same_shapes(taken):
                stacked = tree.map_structure(lambda *leaves: np.stack(leaves), *taken)
                return many(state[:-1], state[-1], stacked)
            logs: Any = {}
            for batch in taken:
                logs, state = one(state[:-1], state[-1], batch)
            return logs, state

        return program_of_many

    # -- running ----------------------------------------------------------------------

    def begin(self, model: Model, kind: str) -> None:
        bindings = trainer_state(model).bindings
        if kind not in bindings:  # the program is the user's
            bindings[kind] = _Binding(model, kind)

    def run(self, model: Model, kind: str, program: Program, batches: Iterator[Any]) -> Any:
        binding = trainer_state(model).bindings[kind]
        if kind == "train":
            binding.own()
        if kind == "predict":
            outputs, rest = program(binding.read(), batches)
            for variable, value in zip(binding.groups[1], rest, strict=True):
                variable._state = value
            return outputs
        logs, state = program(binding.read(), batches)
        binding.write(state)
        return logs

    def reset_metrics(self, metrics: list[Metric]) -> None:
        for metric in metrics:
            if type(metric).reset_state is not Metric.reset_state:
                metric.reset_state()
                continue
            for variable in metric.variables:
                variable._state = _zeros(variable.shape, variable.dtype)


def _pairs(groups: Sequence[Sequence[Any]], values: Sequence[Sequence[Any]]) -> list[Any]:
    return [pair for g, v in zip(groups, values, strict=True) for pair in zip(g, v, strict=True)]


def _as_state(state: Any) -> State:
    """A state in one form (tuple of lists), whatever form a user's step returned."""
    return tuple([list(group) for group in state])


def _predictor(step: Step, compiled: bool) -> Program:
    def predict(trainable: Any, rest: Any, data: Any) -> Any:
        outputs, after = step((trainable, rest), data)
        return outputs, list(after)

    if compiled:
        predict = jax.jit(predict)

    def program(state: State, batches: Iterator[Any]) -> Any:
        return predict(state[0], state[1], next(batches))

    return program


_ZEROS: dict[tuple[Any, ...], Any] = {}


def _zeros(shape: tuple[int, ...], dtype: str) -> Any:
    found = _ZEROS.get((shape, dtype))
    if found is None:
        found = _ZEROS[shape, dtype] = jnp.zeros(shape, dtype)
    return found


ENGINE = JaxEngine()
