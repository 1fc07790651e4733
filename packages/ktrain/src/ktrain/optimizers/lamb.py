"""LAMB: Adam for large batches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kops import Variable, ops
from kops.registry import export
from ktrain.optimizers.adam import bias_correction, moments
from ktrain.optimizers.optimizer import Optimizer

__all__ = ["Lamb"]


@export("keras.optimizers.Lamb")
class Lamb(Optimizer):
    """Adam's step, scaled per variable to the size of its weights.

    The arguments not listed here are those of `Optimizer`.

    Args:
        learning_rate: a float, a schedule, or a function without arguments.
        beta_1: decay rate of the mean gradient.
        beta_2: decay rate of the mean squared gradient.
        epsilon: keeps the division finite.

    Source: Y. You et al., "Large Batch Optimization for Deep Learning: Training BERT in
    76 minutes", ICLR 2020.

    Example:
    ```python
    >>> from kops import Variable, ops
    >>> from ktrain.optimizers import Lamb
    >>> weight = Variable([1.0, 1.0])
    >>> Lamb().apply([ops.convert_to_tensor([1.0, -1.0])], [weight])
    >>> (weight.numpy() != 1.0).tolist()
    [True, True]

    ```
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-07,
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
        self.beta_1 = beta_1
        self.beta_2 = beta_2
        self.epsilon = epsilon
        self._momentums: list[Any] = []
        self._velocities: list[Any] = []

    def build(self, var_list: Sequence[Variable]) -> None:
        """Makes the two moments of each variable."""
        if self.built:
            return
        super().build(var_list)
        self._momentums, self._velocities = self.add_optimizer_variables(
            var_list, ("momentum", "velocity")
        )

    def update_step(self, gradient: Any, variable: Variable, learning_rate: Any) -> None:
        """Updates one variable."""
        i = self._get_variable_index(variable)
        rate = ops.cast(learning_rate, variable.dtype)
        step = ops.cast(self.iterations + 1, variable.dtype)
        mean, square = moments(
            ops.cast(gradient, variable.dtype),
            self._momentums[i].value,
            self._velocities[i].value,
            self.beta_1,
            self.beta_2,
        )
        self.assign(self._momentums[i], mean)
        self.assign(self._velocities[i], square)
        mean = mean / bias_correction(self.beta_1, step)
        square = square / bias_correction(self.beta_2, step)
        change = mean / (ops.sqrt(square) + self.epsilon)
        weights, changes = (
            ops.sqrt(ops.sum(ops.square(x))) for x in (ops.stop_gradient(variable.value), change)
        )
        usable = ops.logical_and(weights > 0, changes > 0)
        ratio = ops.where(usable, ops.divide_no_nan(weights, changes), ops.ones_like(weights))
        self.assign_sub(variable, rate * ratio * change)

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments as plain values."""
        return {
            **super().get_config(),
            "beta_1": self.beta_1,
            "beta_2": self.beta_2,
            "epsilon": self.epsilon,
        }
