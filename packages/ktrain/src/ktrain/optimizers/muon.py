"""Muon: momentum with orthogonal steps for matrices, AdamW for the rest."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

from kops import Variable, ops
from kops.registry import export
from ktrain.optimizers.adam import bias_correction, moments
from ktrain.optimizers.optimizer import Optimizer

__all__ = ["Muon", "orthogonalize"]


def orthogonalize(matrix: Any, steps: int, a: float, b: float, c: float) -> Any:
    """Moves all singular values of a matrix towards 1, by Newton-Schulz iteration."""
    tall = matrix.shape[0] > matrix.shape[1]
    x = ops.transpose(matrix) if tall else matrix
    x = x / (ops.sqrt(ops.sum(ops.square(x))) + 1e-7)
    for _ in range(steps):
        gram = ops.matmul(x, ops.transpose(x))
        x = a * x + ops.matmul(b * gram + c * ops.matmul(gram, gram), x)
    return ops.transpose(x) if tall else x


@export("keras.optimizers.Muon")
class Muon(Optimizer):
    """Steps along the nearest orthogonal matrix of the momentum.

    Only matrices (variables with two axes) that are not embeddings take such steps; all
    other variables are trained by AdamW.

    The arguments not listed here are those of `Optimizer`.

    Args:
        learning_rate: a float, a schedule, or a function without arguments.
        adam_beta_1: AdamW's decay rate of the mean gradient.
        adam_beta_2: AdamW's decay rate of the mean squared gradient.
        adam_weight_decay: weight decay of the variables trained by AdamW.
        epsilon: keeps AdamW's division finite.
        weight_decay: weight decay of the matrices.
        exclude_layers: regular expressions; variables whose path matches are trained by
            AdamW (the output layer, usually).
        exclude_embeddings: whether variables with "embedding" in their path are too.
        muon_a: coefficient of the Newton-Schulz iteration.
        muon_b: coefficient of the Newton-Schulz iteration.
        muon_c: coefficient of the Newton-Schulz iteration.
        adam_lr_ratio: AdamW's learning rate as a multiple of `learning_rate`.
        momentum: fraction of the momentum that is kept.
        ns_steps: number of Newton-Schulz iterations.
        nesterov: whether the momentum looks one step ahead.
        rms_rate: root mean square of a step, so that AdamW's learning rates fit; None
            for no scaling.

    Source: K. Jordan et al., "Muon: An optimizer for hidden layers in neural networks",
    2024; J. Liu et al., "Muon is Scalable for LLM Training", 2025 (`rms_rate`).

    Example:
    ```python
    >>> from kops import Variable, ops
    >>> from ktrain.optimizers import Muon
    >>> weight = Variable([[1.0, 1.0], [1.0, 1.0]])
    >>> Muon().apply([ops.convert_to_tensor([[1.0, 0.0], [0.0, 1.0]])], [weight])
    >>> bool((weight.numpy() < 1.0).all())
    True

    ```
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        adam_beta_1: float = 0.9,
        adam_beta_2: float = 0.999,
        adam_weight_decay: float = 0.004,
        epsilon: float = 1e-07,
        weight_decay: float = 0.004,
        clipnorm: float | None = None,
        clipvalue: float | None = None,
        global_clipnorm: float | None = None,
        use_ema: bool = False,
        ema_momentum: float = 0.99,
        ema_overwrite_frequency: int | None = None,
        loss_scale_factor: float | None = None,
        gradient_accumulation_steps: int | None = None,
        name: str | None = None,
        exclude_layers: Sequence[str] | None = None,
        exclude_embeddings: bool = True,
        muon_a: float = 3.4445,
        muon_b: float = -4.775,
        muon_c: float = 2.0315,
        adam_lr_ratio: float = 1,
        momentum: float = 0.95,
        ns_steps: int = 5,
        nesterov: bool = True,
        rms_rate: float | None = 0.2,
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
        self.adam_beta_1 = adam_beta_1
        self.adam_beta_2 = adam_beta_2
        self.adam_weight_decay = adam_weight_decay
        self.epsilon = epsilon
        self.exclude_embeddings = exclude_embeddings
        self.muon_a = muon_a
        self.muon_b = muon_b
        self.muon_c = muon_c
        self.adam_lr_ratio = adam_lr_ratio
        self.momentum = momentum
        self.ns_steps = ns_steps
        self.nesterov = nesterov
        self.rms_rate = rms_rate
        self.exclude_layers = list(exclude_layers or [])
        self._momentums: list[Any] = []
        self._velocities: list[Any] = []

    def _by_adam(self, variable: Variable) -> bool:
        if len(variable.shape) != 2:
            return True
        path = variable.path
        if self.exclude_embeddings and "embedding" in path.lower():
            return True
        return any(re.search(pattern, path) for pattern in self.exclude_layers)

    def build(self, var_list: Sequence[Variable]) -> None:
        """Makes the momentums, and AdamW's mean squares where it is used."""
        if self.built:
            return
        super().build(var_list)
        for variable in var_list:
            momentum = velocity = None
            if not variable.overwrite_with_gradient:
                momentum = self.add_variable_from_reference(variable, "momentum")
                if self._by_adam(variable):
                    velocity = self.add_variable_from_reference(variable, "velocity")
            self._momentums.append(momentum)
            self._velocities.append(velocity)

    def update_step(self, gradient: Any, variable: Variable, learning_rate: Any) -> None:
        """Updates one variable."""
        rate = ops.cast(learning_rate, variable.dtype)
        gradient = ops.cast(gradient, variable.dtype)
        if self._by_adam(variable):
            self._adam_step(gradient, variable, rate * self.adam_lr_ratio)
        else:
            self._muon_step(gradient, variable, rate)

    def _muon_step(self, gradient: Any, variable: Variable, rate: Any) -> None:
        slot = self._momentums[self._get_variable_index(variable)]
        momentum = self.momentum * slot.value + gradient
        self.assign(slot, momentum)
        ahead = gradient + self.momentum * momentum if self.nesterov else momentum
        change = self.lr_adjust(self.zeropower_via_newtonschulz5(ahead, self.ns_steps))
        self.assign_sub(variable, rate * change)

    def zeropower_via_newtonschulz5(self, x: Any, steps: int) -> Any:
        """The matrix `x` with its singular values moved towards 1."""
        return orthogonalize(x, steps, self.muon_a, self.muon_b, self.muon_c)

    def lr_adjust(self, x: Any) -> Any:
        """A step scaled to the root mean square `rms_rate`, whatever its shape."""
        if self.rms_rate is None:
            return x
        return x * (self.rms_rate * math.sqrt(max(x.shape)))

    def transpose_last_axis(self, X: Any) -> Any:
        """`X` with its last two axes swapped."""
        return ops.swapaxes(X, -1, -2)

    def _adam_step(self, gradient: Any, variable: Variable, rate: Any) -> None:
        i = self._get_variable_index(variable)
        step = ops.cast(self.iterations + 1, variable.dtype)
        mean, square = moments(
            gradient,
            self._momentums[i].value,
            self._velocities[i].value,
            self.adam_beta_1,
            self.adam_beta_2,
        )
        self.assign(self._momentums[i], mean)
        self.assign(self._velocities[i], square)
        rate = rate * ops.sqrt(bias_correction(self.adam_beta_2, step))
        rate = rate / bias_correction(self.adam_beta_1, step)
        self.assign_sub(variable, rate * mean / (ops.sqrt(square) + self.epsilon))

    def _weight_decay_of(self, variable: Variable) -> float | None:
        return self.adam_weight_decay if self._by_adam(variable) else self.weight_decay

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments as plain values."""
        return {
            **super().get_config(),
            "adam_beta_1": self.adam_beta_1,
            "adam_beta_2": self.adam_beta_2,
            "epsilon": self.epsilon,
            "exclude_layers": self.exclude_layers,
            "muon_a": self.muon_a,
            "muon_b": self.muon_b,
            "muon_c": self.muon_c,
            "adam_lr_ratio": self.adam_lr_ratio,
            "momentum": self.momentum,
            "ns_steps": self.ns_steps,
            "nesterov": self.nesterov,
            "exclude_embeddings": self.exclude_embeddings,
            "adam_weight_decay": self.adam_weight_decay,
            "rms_rate": self.rms_rate,
        }
