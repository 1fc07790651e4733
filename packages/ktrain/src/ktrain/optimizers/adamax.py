"""Adamax: Adam with the infinity norm."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kops import Variable, ops
from kops.registry import export
from ktrain.optimizers.adam import bias_correction
from ktrain.optimizers.optimizer import Optimizer

__all__ = ["Adamax"]


@export("keras.optimizers.Adamax")
class Adamax(Optimizer):
    """Adam with a decaying maximum in place of the root mean square.

    The arguments not listed here are those of `Optimizer`.

    Args:
        learning_rate: a float, a schedule, or a function without arguments.
        beta_1: decay rate of the mean gradient.
        beta_2: decay rate of the largest gradient.
        epsilon: keeps the division finite.

    Source: D. Kingma, J. Ba, "Adam: A Method for Stochastic Optimization", section 7, ICLR 2015.

    Example:
    ```python
    >>> from kops import Variable, ops
    >>> from ktrain.optimizers import Adamax
    >>> weight = Variable([1.0, 1.0])
    >>> Adamax().apply([ops.convert_to_tensor([1.0, -1.0])], [weight])
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
        self._norms: list[Any] = []

    def build(self, var_list: Sequence[Variable]) -> None:
        """Makes the mean and the maximum of each variable's gradient."""
        if self.built:
            return
        super().build(var_list)
        self._momentums, self._norms = self.add_optimizer_variables(var_list, ("momentum", "norm"))

    def update_step(self, gradient: Any, variable: Variable, learning_rate: Any) -> None:
        """Updates one variable."""
        i = self._get_variable_index(variable)
        rate = ops.cast(learning_rate, variable.dtype)
        gradient = ops.cast(gradient, variable.dtype)
        step = ops.cast(self.iterations + 1, variable.dtype)
        mean = self._momentums[i].value
        mean = mean + (gradient - mean) * (1 - self.beta_1)
        norm = ops.maximum(self.beta_2 * self._norms[i].value, ops.abs(gradient))
        self.assign(self._momentums[i], mean)
        self.assign(self._norms[i], norm)
        rate = rate / bias_correction(self.beta_1, step)
        self.assign_sub(variable, rate * mean / (norm + self.epsilon))

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments as plain values."""
        return {
            **super().get_config(),
            "beta_1": self.beta_1,
            "beta_2": self.beta_2,
            "epsilon": self.epsilon,
        }
