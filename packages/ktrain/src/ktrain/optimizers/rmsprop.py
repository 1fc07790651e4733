"""RMSprop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kops import Variable, ops
from kops.registry import export
from ktrain.optimizers.optimizer import Optimizer

__all__ = ["RMSprop"]


@export("keras.optimizers.RMSprop")
class RMSprop(Optimizer):
    """Gradients divided by the root of their mean square.

    The arguments not listed here are those of `Optimizer`.

    Args:
        learning_rate: a float, a schedule, or a function without arguments.
        rho: decay rate of the mean squared gradient.
        momentum: fraction of the last change that is kept.
        epsilon: keeps the division finite.
        centered: whether the mean is taken off, so that the variance divides.

    Source: T. Tieleman, G. Hinton, "Neural Networks for Machine Learning", lecture 6.5, 2012.

    Example:
    ```python
    >>> from kops import Variable, ops
    >>> from ktrain.optimizers import RMSprop
    >>> weight = Variable([1.0, 1.0])
    >>> RMSprop().apply([ops.convert_to_tensor([1.0, -1.0])], [weight])
    >>> (weight.numpy() != 1.0).tolist()
    [True, True]

    ```
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: float = 0.9,
        momentum: float = 0.0,
        epsilon: float = 1e-07,
        centered: bool = False,
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
        self.rho = rho
        self.momentum = momentum
        self.epsilon = epsilon
        self.centered = centered
        self._velocities: list[Any] = []
        self._momentums: list[Any] = []
        self._average_gradients: list[Any] = []

    def build(self, var_list: Sequence[Variable]) -> None:
        """Makes the mean squares, and what momentum and centring need."""
        if self.built:
            return
        super().build(var_list)
        self._velocities = self.add_optimizer_variables(var_list, "velocity")
        if self.momentum > 0:
            self._momentums = self.add_optimizer_variables(var_list, "momentum")
        if self.centered:
            self._average_gradients = self.add_optimizer_variables(var_list, "average_gradient")

    def update_step(self, gradient: Any, variable: Variable, learning_rate: Any) -> None:
        """Updates one variable."""
        i = self._get_variable_index(variable)
        rate = ops.cast(learning_rate, variable.dtype)
        gradient = ops.cast(gradient, variable.dtype)
        square = self.rho * self._velocities[i].value + (1 - self.rho) * ops.square(gradient)
        self.assign(self._velocities[i], square)
        if self.centered:
            mean = self.rho * self._average_gradients[i].value + (1 - self.rho) * gradient
            self.assign(self._average_gradients[i], mean)
            square = square - ops.square(mean)
        change = rate * gradient / ops.sqrt(square + self.epsilon)
        if self.momentum > 0:
            change = self.momentum * self._momentums[i].value + change
            self.assign(self._momentums[i], change)
        self.assign_sub(variable, change)

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments as plain values."""
        return {
            **super().get_config(),
            "rho": self.rho,
            "momentum": self.momentum,
            "epsilon": self.epsilon,
            "centered": self.centered,
        }
