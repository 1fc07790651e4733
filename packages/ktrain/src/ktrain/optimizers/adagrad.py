"""Adagrad and Adadelta."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from klayers import initializers
from kops import Variable, ops
from kops.registry import export
from ktrain.optimizers.optimizer import Optimizer

__all__ = ["Adadelta", "Adagrad"]


@export("keras.optimizers.Adagrad")
class Adagrad(Optimizer):
    """Gradients divided by the root of the sum of all their squares.

    The arguments not listed here are those of `Optimizer`.

    Args:
        learning_rate: a float, a schedule, or a function without arguments.
        initial_accumulator_value: what the sums start from.
        epsilon: keeps the division finite.

    Source: J. Duchi et al., "Adaptive Subgradient Methods for Online Learning and
    Stochastic Optimization", JMLR 2011.

    Example:
    ```python
    >>> from kops import Variable, ops
    >>> from ktrain.optimizers import Adagrad
    >>> weight = Variable([1.0, 1.0])
    >>> Adagrad().apply([ops.convert_to_tensor([1.0, -1.0])], [weight])
    >>> (weight.numpy() != 1.0).tolist()
    [True, True]

    ```
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        initial_accumulator_value: float = 0.1,
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
        self.initial_accumulator_value = initial_accumulator_value
        self.epsilon = epsilon
        self._accumulator_slots: list[Any] = []

    def build(self, var_list: Sequence[Variable]) -> None:
        """Makes the sums of squares."""
        if self.built:
            return
        super().build(var_list)
        start = initializers.Constant(self.initial_accumulator_value)
        self._accumulator_slots = self.add_optimizer_variables(
            var_list, "accumulator", initializer=start
        )

    def update_step(self, gradient: Any, variable: Variable, learning_rate: Any) -> None:
        """Updates one variable."""
        slot = self._accumulator_slots[self._get_variable_index(variable)]
        rate = ops.cast(learning_rate, variable.dtype)
        gradient = ops.cast(gradient, variable.dtype)
        total = slot.value + ops.square(gradient)
        self.assign(slot, total)
        self.assign_sub(variable, rate * gradient / ops.sqrt(total + self.epsilon))

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments as plain values."""
        return {
            **super().get_config(),
            "initial_accumulator_value": self.initial_accumulator_value,
            "epsilon": self.epsilon,
        }


@export("keras.optimizers.Adadelta")
class Adadelta(Optimizer):
    """Steps in the weights' own units: root mean square change over root mean square gradient.

    The arguments not listed here are those of `Optimizer`.

    Args:
        learning_rate: a float, a schedule, or a function without arguments; 1 is the
            paper's algorithm.
        rho: decay rate of both mean squares.
        epsilon: keeps the division finite and starts the first change.

    Source: M. Zeiler, "ADADELTA: An Adaptive Learning Rate Method", 2012.

    Example:
    ```python
    >>> from kops import Variable, ops
    >>> from ktrain.optimizers import Adadelta
    >>> weight = Variable([1.0, 1.0])
    >>> Adadelta(learning_rate=1.0).apply([ops.convert_to_tensor([1.0, -1.0])], [weight])
    >>> (weight.numpy() != 1.0).tolist()
    [True, True]

    ```
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: float = 0.95,
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
        self.rho = rho
        self.epsilon = epsilon
        self._squared_gradients: list[Any] = []
        self._squared_changes: list[Any] = []

    def build(self, var_list: Sequence[Variable]) -> None:
        """Makes the mean squares."""
        if self.built:
            return
        super().build(var_list)
        self._squared_gradients, self._squared_changes = self.add_optimizer_variables(
            var_list, ("accumulated_grad", "accumulated_delta_var")
        )

    def update_step(self, grad: Any, variable: Variable, learning_rate: Any) -> None:
        """Updates one variable."""
        i = self._get_variable_index(variable)
        rate = ops.cast(learning_rate, variable.dtype)
        gradient = ops.cast(grad, variable.dtype)
        old = self._squared_changes[i].value
        square = self.rho * self._squared_gradients[i].value + (1 - self.rho) * ops.square(gradient)
        change = gradient * ops.sqrt(old + self.epsilon) / ops.sqrt(square + self.epsilon)
        self.assign(self._squared_gradients[i], square)
        self.assign(self._squared_changes[i], self.rho * old + (1 - self.rho) * ops.square(change))
        self.assign_sub(variable, rate * change)

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments as plain values."""
        return {
            **super().get_config(),
            "rho": self.rho,
            "epsilon": self.epsilon,
        }
