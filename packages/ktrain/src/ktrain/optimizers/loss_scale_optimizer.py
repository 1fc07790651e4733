"""Loss scaling for float16 training."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from kops import Variable, ops
from kops.registry import export
from kops.serialization import serialize_keras_object
from ktrain.optimizers.branching import choose
from ktrain.optimizers.optimizer import Optimizer

__all__ = ["LossScaleOptimizer"]


@export("keras.mixed_precision.LossScaleOptimizer", "keras.optimizers.LossScaleOptimizer")
class LossScaleOptimizer(Optimizer):
    """Wraps an optimizer so that small float16 gradients do not vanish.

    The loss is multiplied by a large scale (`scale_loss`) and the gradients are divided
    by it. A step with a gradient that is infinite or NaN is left out and halves the
    scale; `dynamic_growth_steps` steps without one double it. Variables that are
    overwritten with their gradient take it as it is.

    Args:
        inner_optimizer: the optimizer that makes the updates.
        initial_scale: the scale at the start.
        dynamic_growth_steps: good steps until the scale is doubled.
        name: the optimizer's name.

    Raises:
        ValueError: arguments that belong to the inner optimizer.

    Source: P. Micikevicius et al., "Mixed Precision Training", ICLR 2018.

    Example:
    ```python
    >>> from kops import Variable, ops
    >>> from ktrain.optimizers import SGD, LossScaleOptimizer
    >>> optimizer = LossScaleOptimizer(SGD(1.0), initial_scale=8.0)
    >>> weight = Variable([1.0])
    >>> optimizer.apply([ops.convert_to_tensor([8.0])], [weight])
    >>> weight.numpy().tolist()
    [0.0]

    ```
    """

    def __init__(
        self,
        inner_optimizer: Optimizer,
        initial_scale: float = 32768.0,
        dynamic_growth_steps: int = 2000,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        if not isinstance(inner_optimizer, Optimizer):
            raise ValueError(
                "`inner_optimizer` must be an optimizer. "
                f"Received: inner_optimizer={inner_optimizer!r}"
            )
        for key in kwargs:
            where = (
                f"Instead, set `{key}` on the `inner_optimizer`." if key in _INNER_ARGUMENTS else ""
            )
            raise ValueError(f"LossScaleOptimizer does not support `{key}`. {where}".strip())
        super().__init__(learning_rate=0.0, name=name)
        self.inner_optimizer = inner_optimizer
        self.initial_scale = initial_scale
        self.dynamic_growth_steps = dynamic_growth_steps
        self.step_counter: Any = None
        self.dynamic_scale: Any = None

    def build(self, var_list: Sequence[Variable]) -> None:
        """Makes the scale and its counter, and builds the inner optimizer."""
        if self.built:
            return
        super().build(var_list)
        self.step_counter = self.add_variable((), dtype="int32", name="step_counter")
        self.dynamic_scale = self.add_variable(
            (), initializer=self._first_scale, dtype="float32", name="dynamic_scale"
        )
        self.inner_optimizer.build(var_list)
        self.use_ema = self.inner_optimizer.use_ema  # `fit` asks at its end

    def _first_scale(self, shape: Sequence[int], dtype: Any = None) -> np.ndarray:
        return np.full(shape, self.initial_scale, dtype)

    @property
    def variables(self) -> list[Variable]:
        """The own state, then the inner optimizer's."""
        return self._variables + self.inner_optimizer.variables

    @property
    def iterations(self) -> Any:
        """The inner optimizer's count of updates."""
        return self.inner_optimizer.iterations

    @property
    def learning_rate(self) -> Any:
        """The inner optimizer's learning rate; can be set."""
        return self.inner_optimizer.learning_rate

    @learning_rate.setter
    def learning_rate(self, value: Any) -> None:
        self.inner_optimizer.learning_rate = value

    def apply(
        self, grads: Sequence[Any], trainable_variables: Sequence[Variable] | None = None
    ) -> None:
        """Updates variables, unless a gradient is not finite. Arguments as in `Optimizer`."""
        if not len(grads):
            return
        variables = self._checked_variables(grads, trainable_variables)
        scaled = [
            g
            for g, v in zip(grads, variables, strict=True)
            if g is not None and not v.overwrite_with_gradient
        ]
        if not scaled:
            self.inner_optimizer.apply(grads, variables)
            return

        def update() -> None:
            inverse = 1.0 / self.dynamic_scale.value
            rescaled = [
                g if g is None or v.overwrite_with_gradient else g * ops.cast(inverse, g.dtype)
                for g, v in zip(grads, variables, strict=True)
            ]
            self.inner_optimizer.apply(rescaled, variables)
            self._grow()

        choose(self.check_finite(scaled), update, self._shrink, self._may_change(variables))

    def _may_change(self, variables: Sequence[Variable]) -> list[Variable]:
        return [*variables, self.step_counter, self.dynamic_scale, *self.inner_optimizer.variables]

    def _grow(self) -> None:
        due = ops.equal(self.step_counter.value, self.dynamic_growth_steps - 1)
        scale, count = self.dynamic_scale.value, self.step_counter.value
        self.dynamic_scale.assign(ops.where(due, scale * 2.0, scale))
        self.step_counter.assign(ops.where(due, ops.zeros_like(count), count + 1))

    def _shrink(self) -> None:
        self.step_counter.assign(0)
        self.dynamic_scale.assign(self.dynamic_scale.value / 2.0)

    def check_finite(self, grads: Sequence[Any]) -> Any:
        """Whether all elements of all gradients are finite; a scalar bool tensor."""
        finite = [ops.all(ops.isfinite(g)) for g in grads if g is not None]
        return finite[0] if len(finite) == 1 else ops.all(ops.stack(finite))

    def scale_loss(self, loss: Any) -> Any:
        """The loss times the current scale."""
        scale = self.initial_scale if self.dynamic_scale is None else self.dynamic_scale.value
        return self.inner_optimizer.scale_loss(loss * scale)

    def finalize_variable_values(self, var_list: Sequence[Variable]) -> None:
        """Puts the inner optimizer's averages in place, if it keeps them."""
        self.inner_optimizer.finalize_variable_values(var_list)

    def exclude_from_weight_decay(
        self, var_list: Sequence[Variable] | None = None, var_names: Sequence[str] | None = None
    ) -> None:
        """Exempts variables from the inner optimizer's weight decay."""
        self.inner_optimizer.exclude_from_weight_decay(var_list, var_names)

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments as plain values."""
        return {
            "name": self.name,
            "inner_optimizer": serialize_keras_object(self.inner_optimizer),
            "initial_scale": self.initial_scale,
            "dynamic_growth_steps": self.dynamic_growth_steps,
        }

    @classmethod
    def from_config(
        cls, config: dict[str, Any], custom_objects: dict[str, Any] | None = None
    ) -> Self:
        """Builds the optimizer from what `get_config` returned."""
        # Imported here: the lookup lists this class.
        from ktrain.optimizers.lookup import deserialize

        config = dict(config)
        inner = deserialize(config.pop("inner_optimizer"), custom_objects=custom_objects)
        return cls(inner, **config)


_INNER_ARGUMENTS = frozenset(
    [
        "weight_decay",
        "clipnorm",
        "clipvalue",
        "global_clipnorm",
        "use_ema",
        "ema_momentum",
        "ema_overwrite_frequency",
        "loss_scale_factor",
        "gradient_accumulation_steps",
        "learning_rate",
    ]
)
