"""AdamW without a learning rate schedule."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kops import Variable, ops
from kops.registry import export
from ktrain.optimizers.adam import bias_correction
from ktrain.optimizers.optimizer import Optimizer

__all__ = ["ScheduleFreeAdamW"]


@export("keras.optimizers.ScheduleFreeAdamW")
class ScheduleFreeAdamW(Optimizer):
    """AdamW that averages the weights instead of lowering the learning rate.

    The weights in training lie between the sequence of steps and its average.
    The arguments not listed here are those of `Optimizer`.

    Args:
        learning_rate: a float, a schedule, or a function without arguments.
        beta_1: how near to the average the gradient is taken.
        beta_2: decay rate of the mean squared gradient.
        epsilon: keeps the division finite.
        warmup_steps: steps in which the learning rate rises linearly.

    Source: A. Defazio et al., "The Road Less Scheduled", NeurIPS 2024.

    Example:
    ```python
    >>> from kops import Variable, ops
    >>> from ktrain.optimizers import ScheduleFreeAdamW
    >>> weight = Variable([1.0, 1.0])
    >>> ScheduleFreeAdamW().apply([ops.convert_to_tensor([1.0, -1.0])], [weight])
    >>> (weight.numpy() != 1.0).tolist()
    [True, True]

    ```
    """

    def __init__(
        self,
        learning_rate: Any = 0.0025,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-08,
        warmup_steps: int = 0,
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
        self.warmup_steps = warmup_steps
        self._momentums: list[Any] = []
        self._velocities: list[Any] = []

    def build(self, var_list: Sequence[Variable]) -> None:
        """Makes the sequences of steps (called momentum) and the mean squares."""
        if self.built:
            return
        super().build(var_list)
        self._momentums, self._velocities = self.add_optimizer_variables(
            var_list, ("momentum", "velocity")
        )
        for variable, slot in zip(var_list, self._momentums, strict=True):
            if slot is not None:
                slot.assign(ops.stop_gradient(variable.value))

    def update_step(self, gradient: Any, variable: Variable, learning_rate: Any) -> None:
        """Updates one variable."""
        i = self._get_variable_index(variable)
        rate = ops.cast(learning_rate, variable.dtype)
        gradient = ops.cast(gradient, variable.dtype)
        step = ops.cast(self.iterations + 1, variable.dtype)
        if self.warmup_steps:
            rate = rate * ops.minimum(step / self.warmup_steps, 1.0)
        square = self._velocities[i].value
        square = square + (ops.square(gradient) - square) * (1.0 - self.beta_2)
        self.assign(self._velocities[i], square)
        unbiased = square / bias_correction(self.beta_2, step)
        change = rate * gradient / (ops.sqrt(unbiased) + self.epsilon)
        weight = 1.0 / step
        point, value = self._momentums[i].value, ops.stop_gradient(variable.value)
        value = value + weight * (point - value) + change * (self.beta_1 * (1.0 - weight) - 1.0)
        self.assign(self._momentums[i], point - change)
        self.assign(variable, value)

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments as plain values."""
        return {
            **super().get_config(),
            "beta_1": self.beta_1,
            "beta_2": self.beta_2,
            "epsilon": self.epsilon,
            "warmup_steps": self.warmup_steps,
        }
