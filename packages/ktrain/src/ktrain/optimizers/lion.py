"""Lion."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kops import Variable, ops
from kops.registry import export
from ktrain.optimizers.optimizer import Optimizer

__all__ = ["Lion"]


@export("keras.optimizers.Lion")
class Lion(Optimizer):
    """Steps of one size: the sign of a mix of gradient and momentum.

    The learning rate is usually 3 to 10 times smaller than Adam's, the weight decay that
    much larger.
    The arguments not listed here are those of `Optimizer`.

    Args:
        learning_rate: a float, a schedule, or a function without arguments.
        beta_1: weight of the momentum in the step, in (0, 1].
        beta_2: decay rate of the momentum.

    Raises:
        ValueError: `beta_1` is not in (0, 1].

    Source: X. Chen et al., "Symbolic Discovery of Optimization Algorithms", 2023.

    Example:
    ```python
    >>> from kops import Variable, ops
    >>> from ktrain.optimizers import Lion
    >>> weight = Variable([1.0, 1.0])
    >>> Lion().apply([ops.convert_to_tensor([1.0, -1.0])], [weight])
    >>> (weight.numpy() != 1.0).tolist()
    [True, True]

    ```
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.99,
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
        if not 0 < beta_1 <= 1:
            raise ValueError(
                f"Argument `beta_1` must be in the (0, 1] range. Received: beta_1={beta_1}. "
                "Otherwise, the optimizer degenerates to SignSGD."
            )
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
        self._momentums: list[Any] = []

    def build(self, var_list: Sequence[Variable]) -> None:
        """Makes the momentums."""
        if self.built:
            return
        super().build(var_list)
        self._momentums = self.add_optimizer_variables(var_list, "momentum")

    def update_step(self, gradient: Any, variable: Variable, learning_rate: Any) -> None:
        """Updates one variable."""
        slot = self._momentums[self._get_variable_index(variable)]
        rate = ops.cast(learning_rate, variable.dtype)
        gradient = ops.cast(gradient, variable.dtype)
        momentum = slot.value
        mix = self.beta_1 * momentum + (1.0 - self.beta_1) * gradient
        self.assign(slot, self.beta_2 * momentum + (1.0 - self.beta_2) * gradient)
        self.assign_sub(variable, rate * ops.sign(mix))

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments as plain values."""
        return {
            **super().get_config(),
            "beta_1": self.beta_1,
            "beta_2": self.beta_2,
        }
