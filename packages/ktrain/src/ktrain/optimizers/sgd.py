"""Stochastic gradient descent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kops import Variable, ops
from kops.registry import export
from ktrain.optimizers.optimizer import Optimizer

__all__ = ["SGD", "sgd_change"]


def sgd_change(
    gradient: Any, momentum: Any, rate: Any, decay: float, nesterov: bool
) -> tuple[Any, Any]:
    """The change of a weight, and its new momentum.

    `m <- decay * m - rate * g`; the change is `m`, or with Nesterov's look-ahead
    `decay * m - rate * g`.
    """
    step = rate * gradient
    momentum = decay * momentum - step
    return (decay * momentum - step if nesterov else momentum), momentum


@export("keras.optimizers.SGD")
class SGD(Optimizer):
    """Gradient descent, with momentum if asked for.

    The arguments not listed here are those of `Optimizer`.

    Args:
        learning_rate: a float, a schedule, or a function without arguments.
        momentum: fraction of the last change that is kept, in [0, 1].
        nesterov: whether the gradient counts at the point that momentum leads to.

    Source: I. Sutskever et al., "On the importance of initialization and momentum in
    deep learning", ICML 2013.

    Example:
    ```python
    >>> from kops import Variable, ops
    >>> from ktrain.optimizers import SGD
    >>> weight = Variable([1.0, 1.0])
    >>> SGD(learning_rate=0.1, momentum=0.9).apply([ops.convert_to_tensor([1.0, -1.0])], [weight])
    >>> (weight.numpy() != 1.0).tolist()
    [True, True]

    ```
    """

    def __init__(
        self,
        learning_rate: Any = 0.01,
        momentum: float = 0.0,
        nesterov: bool = False,
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
        if not isinstance(momentum, (int, float)) or not 0 <= momentum <= 1:
            raise ValueError(
                f"`momentum` must be a float between [0, 1]. Received: momentum={momentum}"
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
        self.momentum = momentum
        self.nesterov = nesterov
        self._momentums: list[Any] = []

    def build(self, variables: Sequence[Variable]) -> None:
        """Makes the momentums, if there is momentum."""
        if self.built:
            return
        super().build(variables)
        if self.momentum:
            self._momentums = self.add_optimizer_variables(variables, "momentum")

    def update_step(self, gradient: Any, variable: Variable, learning_rate: Any) -> None:
        """Updates one variable."""
        rate = ops.cast(learning_rate, variable.dtype)
        gradient = ops.cast(gradient, variable.dtype)
        if not self.momentum:
            self.assign_sub(variable, rate * gradient)
            return
        slot = self._momentums[self._get_variable_index(variable)]
        change, momentum = sgd_change(gradient, slot.value, rate, self.momentum, self.nesterov)
        self.assign(slot, momentum)
        self.assign_add(variable, change)

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments as plain values."""
        return {
            **super().get_config(),
            "momentum": self.momentum,
            "nesterov": self.nesterov,
        }
