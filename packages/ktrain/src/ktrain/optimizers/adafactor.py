"""Adafactor: second moments in the memory of rows and columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kops import Variable, ops
from kops.registry import export
from ktrain.optimizers.optimizer import Optimizer

__all__ = ["Adafactor"]


@export("keras.optimizers.Adafactor")
class Adafactor(Optimizer):
    """Adam without momentum, whose mean squares of a matrix are kept as row and column means.

    The arguments not listed here are those of `Optimizer`.

    Args:
        learning_rate: a float, a schedule, or a function without arguments.
        beta_2_decay: the decay rate of the mean squares at step t is `1 - t**beta_2_decay`.
        epsilon_1: added to squared gradients.
        epsilon_2: least size of the weights that the step is scaled with.
        clip_threshold: largest root mean square of a step before scaling.
        relative_step: whether the learning rate is at most `1 / sqrt(t)`.

    Source: N. Shazeer, M. Stern, "Adafactor: Adaptive Learning Rates with Sublinear Memory
    Cost", ICML 2018.

    Example:
    ```python
    >>> from kops import Variable, ops
    >>> from ktrain.optimizers import Adafactor
    >>> weight = Variable([1.0, 1.0])
    >>> Adafactor().apply([ops.convert_to_tensor([1.0, -1.0])], [weight])
    >>> (weight.numpy() != 1.0).tolist()
    [True, True]

    ```
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_2_decay: float = -0.8,
        epsilon_1: float = 1e-30,
        epsilon_2: float = 0.001,
        clip_threshold: float = 1.0,
        relative_step: bool = True,
        weight_decay: float | None = None,
        clipnorm: float | None = None,
        clipvalue: float | None = None,
        global_clipnorm: float | None = None,
        use_ema: bool = False,
        ema_momentum: float = 0.99,
        ema_overwrite_frequency: int | None = None,
        loss_scale_factor: float | None = None,
        gradient_accumulation_steps: int | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            learning_rate,
            weight_decay=weight_decay,
            clipnorm=clipnorm,
            clipvalue=clipvalue,
            global_clipnorm=global_clipnorm,
            use_ema=use_ema,
            ema_momentum=ema_momentum,
            ema_overwrite_frequency=ema_overwrite_frequency,
            loss_scale_factor=loss_scale_factor,
            gradient_accumulation_steps=gradient_accumulation_steps,
            name=name,
            **kwargs,
        )
        self.beta_2_decay = beta_2_decay
        self.epsilon_1 = epsilon_1
        self.epsilon_2 = epsilon_2
        self.clip_threshold = clip_threshold
        self.relative_step = relative_step
        self._rows: list[Any] = []
        self._columns: list[Any] = []
        self._velocities: list[Any] = []

    def build(self, var_list: Sequence[Variable]) -> None:
        """Makes row and column means of matrices, and the mean squares."""
        if self.built:
            return
        super().build(var_list)
        for variable in var_list:
            if variable.overwrite_with_gradient:
                slots = (None, None, None)
            else:
                slots = self._slots(variable)
            for slot, known in zip(
                slots, (self._rows, self._columns, self._velocities), strict=True
            ):
                known.append(slot)

    def _slots(self, variable: Variable) -> tuple[Variable, Variable, Variable]:
        shape = variable.shape
        name = variable.path.replace("/", "_")
        if len(shape) < 2:  # placeholders, so that files have three entries per variable
            row = self.add_variable((), dtype="int32", name=f"{name}_row")
            column = self.add_variable((), dtype="int32", name=f"{name}_column")
        else:
            row = self.add_variable(shape[:-1], dtype=variable.dtype, name=f"{name}_row")
            column = self.add_variable(
                (*shape[:-2], shape[-1]), dtype=variable.dtype, name=f"{name}_column"
            )
        return row, column, self.add_variable_from_reference(variable, "velocity")

    def update_step(self, gradient: Any, variable: Variable, learning_rate: Any) -> None:
        """Updates one variable."""
        i = self._get_variable_index(variable)
        gradient = ops.cast(gradient, variable.dtype)
        rate = ops.cast(learning_rate, variable.dtype)
        step = ops.cast(self.iterations + 1, variable.dtype)
        if self.relative_step:
            rate = ops.minimum(rate, 1.0 / ops.sqrt(step))
        decay = 1.0 - ops.power(step, self.beta_2_decay)
        square = self._mean_square(i, ops.square(gradient) + self.epsilon_1, decay)
        self.assign(self._velocities[i], square)
        change = gradient / ops.sqrt(square)
        change = change / ops.maximum(_size(change) / self.clip_threshold, 1.0)
        scale = ops.maximum(_size(ops.stop_gradient(variable.value)), self.epsilon_2)
        self.assign_sub(variable, rate * scale * change)

    def _mean_square(self, i: int, square: Any, decay: Any) -> Any:
        """The moving mean of squared gradients; of a matrix, its rank-one estimate."""

        def moved(slot: Variable, new: Any) -> Any:
            value = decay * slot.value + (1.0 - decay) * new
            self.assign(slot, value)
            return value

        if len(square.shape) < 2:
            return decay * self._velocities[i].value + (1.0 - decay) * square
        row = moved(self._rows[i], ops.mean(square, axis=-1))
        column = moved(self._columns[i], ops.mean(square, axis=-2))
        row = row / ops.mean(row, axis=-1, keepdims=True)
        return ops.expand_dims(row, -1) * ops.expand_dims(column, -2)

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments as plain values."""
        return {
            **super().get_config(),
            "beta_2_decay": self.beta_2_decay,
            "epsilon_1": self.epsilon_1,
            "epsilon_2": self.epsilon_2,
            "clip_threshold": self.clip_threshold,
            "relative_step": self.relative_step,
        }


def _size(x: Any) -> Any:
    """Root mean square."""
    return ops.sqrt(ops.mean(ops.square(x)))
