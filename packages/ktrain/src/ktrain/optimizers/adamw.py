"""Adam with decoupled weight decay."""

from __future__ import annotations

from typing import Any

from kops.registry import export
from ktrain.optimizers.adam import Adam

__all__ = ["AdamW"]


@export("keras.optimizers.AdamW")
class AdamW(Adam):
    """Adam with weight decay that does not pass through the moments.

    Each step first takes `learning_rate * weight_decay` of every weight away.
    The arguments not listed here are those of `Optimizer`.

    Args:
        learning_rate: a float, a schedule, or a function without arguments.
        weight_decay: fraction of each weight, times the learning rate, that a step takes away.
        beta_1: decay rate of the mean gradient.
        beta_2: decay rate of the mean squared gradient.
        epsilon: keeps the division finite.
        amsgrad: whether the largest mean square so far is used instead of the current one.

    Source: I. Loshchilov, F. Hutter, "Decoupled Weight Decay Regularization", ICLR 2019.

    Example:
    ```python
    >>> from kops import Variable, ops
    >>> from ktrain.optimizers import AdamW
    >>> weight = Variable([1.0, 1.0])
    >>> AdamW().apply([ops.convert_to_tensor([1.0, -1.0])], [weight])
    >>> (weight.numpy() != 1.0).tolist()
    [True, True]

    ```
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        weight_decay: float = 0.004,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-07,
        amsgrad: bool = False,
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
        if weight_decay is None:
            raise ValueError(
                "Argument `weight_decay` must be a float. Received: weight_decay=None. Use `Adam` "
                "for no decay."
            )
        super().__init__(
            learning_rate,
            beta_1=beta_1,
            beta_2=beta_2,
            epsilon=epsilon,
            amsgrad=amsgrad,
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
