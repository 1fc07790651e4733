"""What every engine shares: steps are run one after another, eagerly.

A *step* works on one batch (`train_step`, `test_step`, `predict_step` of the model). A
*program* takes an iterator of batches, runs one step or several on it, and is what
`model.train_function` and its siblings hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from klayers import Model
from ktrain import steps
from ktrain.data.host import HostColumn, host_array, normalize, target_dtype, to_host
from ktrain.data.packing import unpack_x_y_sample_weight
from ktrain.metrics import Metric
from ktrain.state import trainer_state

__all__ = ["Engine"]

Step = Callable[..., Any]
Program = Callable[..., Any]


class Engine:
    """How steps are run.

    Attributes:
        NAME: the backend's name.
        JIT: what `jit_compile="auto"` means.
    """

    NAME = ""
    JIT = False

    # -- data -----------------------------------------------------------------------

    def column(self, array: Any) -> Any:
        """One array of a data set, to be read by rows."""
        array = host_array(array)
        self.check_array(array)
        kind = getattr(array.dtype, "kind", "f")
        return HostColumn(array, target_dtype(array.dtype) if kind in "fV" else None)

    def check_array(self, array: Any) -> None:
        """Refuses values that the engine cannot hold."""
        if getattr(array.dtype, "kind", "") == "O":
            raise ValueError(
                "An array of Python objects cannot be fed to a model (rows of unequal length, or "
                "columns of mixed types?). Convert it: `np.asarray(x, dtype='float32')`."
            )

    def indices(self, order: Any) -> Any:
        """Row numbers in the form that `column(…).rows` takes."""
        return order

    def to_device(self, batch: Any) -> Any:
        """A batch of arrays as a batch that steps can take."""
        return normalize(batch)

    def to_host(self, outputs: Any) -> Any:
        """A batch of outputs as NumPy arrays."""
        return to_host(outputs)

    # -- default steps ----------------------------------------------------------------

    def train_step(self, model: Model, *args: Any) -> Any:
        """One step of training."""
        raise NotImplementedError(f"The {self.NAME} engine does not train.")

    def test_step(self, model: Model, *args: Any) -> Any:
        """Loss and metrics of a batch, without training."""
        (data,) = args
        self.update_test(model, data)
        return steps.bound(model, "get_metrics_result", steps.get_metrics_result)()

    def predict_step(self, model: Model, *args: Any) -> Any:
        """The model's outputs for a batch."""
        (data,) = args
        x, _, _ = unpack_x_y_sample_weight(data)
        return steps.call_model(model, x, training=False)

    def update_test(self, model: Model, data: Any) -> None:
        """Adds a batch to the metrics."""
        x, y, sample_weight = unpack_x_y_sample_weight(data)
        y_pred = steps.call_model(model, x, training=False)
        loss = steps.bound(model, "compute_loss", steps.compute_loss)(
            x=x, y=y, y_pred=y_pred, sample_weight=sample_weight, training=False
        )
        self.track_loss(model, loss, steps.batch_size_of(x))
        self.update_metrics(model, x, y, y_pred, sample_weight)

    def track_loss(self, model: Model, loss: Any, batch_size: Any) -> None:
        """Adds a batch's loss to its mean."""
        trainer_state(model).tracker.update_state(loss, sample_weight=batch_size)

    def update_metrics(self, model: Model, x: Any, y: Any, y_pred: Any, sample_weight: Any) -> None:
        """Adds a batch to the metrics, through the user's `compute_metrics` if there is one."""
        if steps.is_overridden(model, "compute_metrics"):
            model.compute_metrics(x, y, y_pred, sample_weight)  # type: ignore[attr-defined]
        else:
            steps.update_metrics(model, x, y, y_pred, sample_weight)

    # -- programs ---------------------------------------------------------------------

    def options(self, model: Model) -> tuple[Any, ...]:
        """The options of `compile` that programs depend on."""
        own = model.__dict__
        return (
            own.get("run_eagerly", False),
            own.get("jit_compile", self.JIT),
            own.get("steps_per_execution", 1),
        )

    def key(self, model: Model, kind: str) -> tuple[Any, ...]:
        """What a program depends on: with another key, it must be made anew."""
        if kind != "train":
            return self.options(model)
        return (*self.options(model), *map(id, model.trainable_variables))

    def program(self, model: Model, kind: str, force: bool = False) -> Program:
        """The program of a kind ("train", "test", "predict"), made once."""
        state = trainer_state(model)
        key = self.key(model, kind)
        found = state.programs.get(kind)
        if force or found is None or found[0] != key:
            found = state.programs[kind] = (key, self.make_program(model, kind))
        return found[1]

    def make_program(self, model: Model, kind: str) -> Program:
        """Makes a program; this one runs steps eagerly."""
        step = self.step(model, kind)
        count = model.__dict__.get("steps_per_execution", 1)
        if kind == "predict":
            return lambda batches: step(next(batches))
        if count == 1:
            return lambda batches: step(next(batches))

        def several(batches: Iterator[Any]) -> Any:
            logs = step(next(batches))
            for _ in range(count - 1):
                batch = next(batches, None)
                if batch is None:
                    break
                logs = step(batch)
            return logs

        return several

    def step(self, model: Model, kind: str) -> Step:
        """The step to run: the user's, or a default one that returns None for its logs.

        None means that the logs are the metrics' results, to be read when wanted.
        """
        name = f"{kind}_step"
        if steps.is_overridden(model, name):
            return getattr(model, name)
        if kind == "test":
            return lambda data: self.update_test(model, data)
        default = getattr(self, name)
        return lambda data: default(model, data)

    # -- running ----------------------------------------------------------------------

    def begin(self, model: Model, kind: str) -> None:
        """Called before the steps of an epoch."""

    def run(self, model: Model, kind: str, program: Program, batches: Iterator[Any]) -> Any:
        """Runs a program on the next batches; returns logs (or None), or outputs."""
        return program(batches)

    def reset_metrics(self, metrics: list[Metric]) -> None:
        """Starts metrics anew."""
        for metric in metrics:
            metric.reset_state()
