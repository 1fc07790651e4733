"""`TrainerMixin`: the training methods of a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ktrain import steps as step_functions
from ktrain import trainer
from ktrain.callbacks import History
from ktrain.engines import engine
from ktrain.metrics import Metric

if TYPE_CHECKING:
    from klayers import Model as _Base
else:
    _Base = object

__all__ = ["TrainerMixin"]


def _default(method: Any) -> Any:
    """Marks a method as the library's own: a model without it runs the same code."""
    method._is_default = True
    return method


class TrainerMixin(_Base):
    """Adds training to a `klayers.Model`: put it in front of the model class.

    The methods that are meant to be overridden are `train_step`, `test_step`,
    `predict_step` (their arguments depend on the engine: `(data)`, on JAX `(state,
    data)`), `compute_loss`, `compute_metrics` and the `make_…_function`s.

    Example:
    ```python
    >>> import klayers, ktrain
    >>> class Model(ktrain.TrainerMixin, klayers.Sequential):
    ...     pass
    >>> model = Model([klayers.Input((3,)), klayers.layers.Dense(1)])
    >>> model.compile("adam", loss="mse")
    >>> model.compiled
    True

    ```
    """

    # Compiled steps belong to one process and one model object.
    _not_copied = frozenset({"train_function", "test_function", "predict_function"})

    compiled: bool = False
    optimizer: Any = None
    loss: Any = None
    history: Any = None
    stop_training: bool = False
    stop_evaluating: bool = False
    stop_predicting: bool = False
    run_eagerly: bool = False
    jit_compile: bool = False
    steps_per_execution: int = 1
    train_function: Any = None
    test_function: Any = None
    predict_function: Any = None

    # -- compile ------------------------------------------------------------------------

    @_default
    def compile(
        self,
        optimizer: Any = "rmsprop",
        loss: Any = None,
        loss_weights: Any = None,
        metrics: Any = None,
        weighted_metrics: Any = None,
        run_eagerly: bool = False,
        steps_per_execution: int = 1,
        jit_compile: bool | str = "auto",
        auto_scale_loss: bool = True,
    ) -> None:
        trainer.compile_model(
            self,
            optimizer=optimizer,
            loss=loss,
            loss_weights=loss_weights,
            metrics=metrics,
            weighted_metrics=weighted_metrics,
            run_eagerly=run_eagerly,
            steps_per_execution=steps_per_execution,
            jit_compile=jit_compile,
            auto_scale_loss=auto_scale_loss,
        )

    @_default
    def get_compile_config(self) -> dict[str, Any]:
        return trainer.get_compile_config(self)

    @_default
    def compile_from_config(self, config: dict[str, Any]) -> None:
        trainer.compile_from_config(self, config)

    # -- loops --------------------------------------------------------------------------

    def fit(
        self,
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
        return trainer.fit(
            self,
            x=x,
            y=y,
            batch_size=batch_size,
            epochs=epochs,
            verbose=verbose,
            callbacks=callbacks,
            validation_split=validation_split,
            validation_data=validation_data,
            shuffle=shuffle,
            class_weight=class_weight,
            sample_weight=sample_weight,
            initial_epoch=initial_epoch,
            steps_per_epoch=steps_per_epoch,
            validation_steps=validation_steps,
            validation_batch_size=validation_batch_size,
            validation_freq=validation_freq,
        )

    def evaluate(
        self,
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
        return trainer.evaluate(
            self,
            x=x,
            y=y,
            batch_size=batch_size,
            verbose=verbose,
            sample_weight=sample_weight,
            steps=steps,
            callbacks=callbacks,
            return_dict=return_dict,
            **kwargs,
        )

    def predict(
        self,
        x: Any,
        batch_size: int | None = None,
        verbose: Any = "auto",
        steps: int | None = None,
        callbacks: Any = None,
    ) -> Any:
        return trainer.predict(self, x, batch_size, verbose, steps, callbacks)

    def train_on_batch(
        self,
        x: Any,
        y: Any = None,
        sample_weight: Any = None,
        class_weight: dict[int, float] | None = None,
        return_dict: bool = False,
    ) -> Any:
        return trainer.train_on_batch(self, x, y, sample_weight, class_weight, return_dict)

    def test_on_batch(
        self, x: Any, y: Any = None, sample_weight: Any = None, return_dict: bool = False
    ) -> Any:
        return trainer.test_on_batch(self, x, y, sample_weight, return_dict)

    def predict_on_batch(self, x: Any) -> Any:
        return trainer.predict_on_batch(self, x)

    # -- steps --------------------------------------------------------------------------

    @_default
    def train_step(self, *args: Any) -> Any:
        """One step of training: `(data) -> logs`; on JAX `(state, data) -> (logs, state)`."""
        return engine().train_step(self, *args)

    @_default
    def test_step(self, *args: Any) -> Any:
        """Loss and metrics of a batch: `(data) -> logs`; JAX `(state, data) -> (logs, state)`."""
        return engine().test_step(self, *args)

    @_default
    def predict_step(self, *args: Any) -> Any:
        """Outputs: `(data) -> outputs`; JAX `(state, data) -> (outputs, non_trainable)`."""
        return engine().predict_step(self, *args)

    @_default
    def make_train_function(self, force: bool = False) -> Any:
        """Sets `train_function`, which trains on the next batches of an iterator."""
        return self._make_function("train", force)

    @_default
    def make_test_function(self, force: bool = False) -> Any:
        """Sets `test_function`, which tests on the next batches of an iterator."""
        return self._make_function("test", force)

    @_default
    def make_predict_function(self, force: bool = False) -> Any:
        """Sets `predict_function`, which predicts for the next batch of an iterator."""
        return self._make_function("predict", force)

    def _make_function(self, kind: str, force: bool) -> Any:
        program = engine().program(self, kind, force)
        self.__dict__[f"{kind}_function"] = program
        return program

    @_default
    def compute_loss(
        self,
        x: Any = None,
        y: Any = None,
        y_pred: Any = None,
        sample_weight: Any = None,
        training: bool = True,
    ) -> Any:
        """The loss of a batch, a scalar."""
        return step_functions.compute_loss(self, x, y, y_pred, sample_weight, training)

    def stateless_compute_loss(
        self,
        trainable_variables: Sequence[Any],
        non_trainable_variables: Sequence[Any],
        metrics_variables: Sequence[Any],
        x: Any = None,
        y: Any = None,
        y_pred: Any = None,
        sample_weight: Any = None,
        training: bool = True,
    ) -> Any:
        """`compute_loss` with given values of the variables; also returns those after it."""
        return step_functions.stateless_compute_loss(
            self,
            trainable_variables,
            non_trainable_variables,
            metrics_variables,
            x=x,
            y=y,
            y_pred=y_pred,
            sample_weight=sample_weight,
            training=training,
        )

    # -- metrics ------------------------------------------------------------------------

    @_default
    def compute_metrics(
        self, x: Any, y: Any, y_pred: Any, sample_weight: Any = None
    ) -> dict[str, Any]:
        """Updates the metrics with a batch; returns their results."""
        return step_functions.compute_metrics(self, x, y, y_pred, sample_weight)

    @_default
    def get_metrics_result(self) -> dict[str, Any]:
        """The metrics' results by name."""
        return step_functions.get_metrics_result(self)

    def reset_metrics(self) -> None:
        """Starts all metrics anew."""
        step_functions.reset_metrics(self)

    @property
    def metrics(self) -> list[Metric]:
        """All metrics: the loss's mean, the layers', the compiled ones, the outputs' losses."""
        return step_functions.all_metrics(self, super().metrics)

    @property
    def metrics_names(self) -> list[str]:
        """Names of the metrics."""
        return [metric.name for metric in self.metrics]

    @property
    def metrics_variables(self) -> list[Any]:
        """Variables of the metrics."""
        return [v for metric in self.metrics for v in metric.variables]

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forgets the gradients that `loss.backward()` left on the weights (torch)."""
        for variable in self.trainable_variables:
            value = variable.value
            gradient = getattr(value, "grad", None)
            if gradient is not None:
                if set_to_none:
                    value.grad = None
                else:
                    gradient.zero_()
