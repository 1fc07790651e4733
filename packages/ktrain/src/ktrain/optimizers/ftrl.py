"""Follow the regularized leader."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from klayers import initializers
from kops import Variable, ops
from kops.registry import export
from ktrain.optimizers.optimizer import Optimizer

__all__ = ["Ftrl"]


@export("keras.optimizers.Ftrl")
class Ftrl(Optimizer):
    """FTRL-proximal, for large sparse models; L1 gives exact zeros.

    The arguments not listed here are those of `Optimizer`.

    Args:
        learning_rate: a float, a schedule, or a function without arguments.
        learning_rate_power: how the rate falls with the sum of squares, at most 0;
            0 gives a fixed rate.
        initial_accumulator_value: what the sums of squares start from, at least 0.
        l1_regularization_strength: L1 penalty, at least 0.
        l2_regularization_strength: L2 penalty, at least 0.
        l2_shrinkage_regularization_strength: L2 penalty on the size of the weights as
            they are, at least 0.
        beta: the paper's beta.

    Raises:
        ValueError: an argument is out of its range.

    Source: H. McMahan et al., "Ad Click Prediction: a View from the Trenches", KDD 2013.

    Example:
    ```python
    >>> from kops import Variable, ops
    >>> from ktrain.optimizers import Ftrl
    >>> weight = Variable([1.0, 1.0])
    >>> Ftrl().apply([ops.convert_to_tensor([1.0, -1.0])], [weight])
    >>> (weight.numpy() != 1.0).tolist()
    [True, True]

    ```
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        learning_rate_power: float = -0.5,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        l2_shrinkage_regularization_strength: float = 0.0,
        beta: float = 0.0,
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
        _check_sign("initial_accumulator_value", initial_accumulator_value)
        _check_sign("learning_rate_power", learning_rate_power, largest=0.0)
        _check_sign("l1_regularization_strength", l1_regularization_strength)
        _check_sign("l2_regularization_strength", l2_regularization_strength)
        _check_sign("l2_shrinkage_regularization_strength", l2_shrinkage_regularization_strength)
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
        self.learning_rate_power = learning_rate_power
        self.initial_accumulator_value = initial_accumulator_value
        self.l1_regularization_strength = l1_regularization_strength
        self.l2_regularization_strength = l2_regularization_strength
        self.l2_shrinkage_regularization_strength = l2_shrinkage_regularization_strength
        self.beta = beta
        self._accumulator_slots: list[Any] = []
        self._linears: list[Any] = []

    def build(self, var_list: Sequence[Variable]) -> None:
        """Makes the sums of squares and the linear terms."""
        if self.built:
            return
        super().build(var_list)
        start = initializers.Constant(self.initial_accumulator_value)
        self._accumulator_slots, self._linears = self.add_optimizer_variables(
            var_list, ("accumulator", "linear"), initializer=[start, "zeros"]
        )

    def update_step(self, gradient: Any, variable: Variable, learning_rate: Any) -> None:
        """Updates one variable."""
        i = self._get_variable_index(variable)
        rate = ops.cast(learning_rate, variable.dtype)
        gradient = ops.cast(gradient, variable.dtype)
        value = ops.stop_gradient(variable.value)
        old, linear = self._accumulator_slots[i].value, self._linears[i].value
        total = old + ops.square(gradient)
        shrinking = gradient + 2.0 * self.l2_shrinkage_regularization_strength * value
        now, before = (ops.power(t, -self.learning_rate_power) for t in (total, old))
        linear = linear + shrinking - (now - before) / rate * value
        quadratic = now / rate + 2.0 * self.l2_regularization_strength + self.beta / rate
        l1 = self.l1_regularization_strength
        self.assign(self._accumulator_slots[i], total)
        self.assign(self._linears[i], linear)
        self.assign(variable, (ops.clip(linear, -l1, l1) - linear) / quadratic)

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments as plain values."""
        return {
            **super().get_config(),
            "learning_rate_power": self.learning_rate_power,
            "initial_accumulator_value": self.initial_accumulator_value,
            "l1_regularization_strength": self.l1_regularization_strength,
            "l2_regularization_strength": self.l2_regularization_strength,
            "l2_shrinkage_regularization_strength": self.l2_shrinkage_regularization_strength,
            "beta": self.beta,
        }


def _check_sign(name: str, value: float, largest: float | None = None) -> None:
    if largest is None and value < 0:
        raise ValueError(f"`{name}` needs to be positive or zero. Received: {name}={value}.")
    if largest is not None and value > largest:
        raise ValueError(f"`{name}` needs to be negative or zero. Received: {name}={value}.")
