"""Adam, and the moments that its relatives share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kops import Variable, ops
from kops.registry import export
from ktrain.optimizers.optimizer import Optimizer

__all__ = ["Adam", "bias_correction", "moments"]


def moments(gradient: Any, mean: Any, square: Any, beta_1: float, beta_2: float) -> tuple[Any, Any]:
    """The moving averages of the gradient and of its square, one step on."""
    mean = mean + (gradient - mean) * (1.0 - beta_1)
    square = square + (ops.square(gradient) - square) * (1.0 - beta_2)
    return mean, square


def bias_correction(beta: float, step: Any) -> Any:
    """`1 - beta**step`: how much of a moving average that began at zero is there."""
    return 1.0 - ops.power(ops.cast(beta, step.dtype), step)


@export("keras.optimizers.Adam")
class Adam(Optimizer):
    """Steps of similar size for all weights: mean gradient over root mean square.

    The arguments not listed here are those of `Optimizer`.

    Args:
        learning_rate: a float, a schedule, or a function without arguments.
        beta_1: decay rate of the mean gradient.
        beta_2: decay rate of the mean squared gradient.
        epsilon: keeps the division finite (the paper's epsilon hat).
        amsgrad: whether the largest mean square so far is used instead of the current one.

    Source: D. Kingma, J. Ba, "Adam: A Method for Stochastic Optimization", ICLR 2015;
    S. Reddi et al., "On the Convergence of Adam and Beyond", ICLR 2018 (`amsgrad`).

    Example:
    ```python
    >>> from kops import Variable, ops
    >>> from ktrain.optimizers import Adam
    >>> weight = Variable([1.0, 1.0])
    >>> Adam().apply([ops.convert_to_tensor([1.0, -1.0])], [weight])
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
        amsgrad: bool = False,
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
        self.amsgrad = amsgrad
        self._momentums: list[Any] = []
        self._velocities: list[Any] = []
        self._velocity_hats: list[Any] = []

    def build(self, var_list: Sequence[Variable]) -> None:
        """Makes the two moments of each variable (three with `amsgrad`)."""
        if self.built:
            return
        super().build(var_list)
        self._momentums, self._velocities = self.add_optimizer_variables(
            var_list, ("momentum", "velocity")
        )
        if self.amsgrad:
            self._velocity_hats = self.add_optimizer_variables(var_list, "velocity_hat")

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
        if self.amsgrad:
            square = ops.maximum(self._velocity_hats[i].value, square)
            self.assign(self._velocity_hats[i], square)
        rate = rate * ops.sqrt(bias_correction(self.beta_2, step))
        rate = rate / bias_correction(self.beta_1, step)
        self.assign_sub(variable, rate * mean / (ops.sqrt(square) + self.epsilon))

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments as plain values."""
        return {
            **super().get_config(),
            "beta_1": self.beta_1,
            "beta_2": self.beta_2,
            "epsilon": self.epsilon,
            "amsgrad": self.amsgrad,
        }
