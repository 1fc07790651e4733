"""`OptimizerState`: what an optimizer holds, and how it is made, saved and loaded."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from klayers import initializers
from kops import Variable, config, ops
from kops.naming import auto_name
from kops.scopes import name_scope
from ktrain.optimizers import learning_rate as rates
from ktrain.optimizers.fused import fused_update, kernels

__all__ = ["OptimizerState"]


class OptimizerState:
    """The arguments and variables of an optimizer; the arguments are those of `Optimizer`."""

    def __init__(
        self,
        learning_rate: Any,
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
        self._variables: list[Variable] = []
        if kwargs.pop("decay", None) is not None:
            warnings.warn(
                "Argument `decay` is no longer supported and will be ignored; use a "
                "learning rate schedule instead.",
                stacklevel=3,
            )
        if kwargs:
            raise ValueError(f"Argument(s) not recognized: {kwargs}")
        _check_exclusive(clipnorm=clipnorm, clipvalue=clipvalue, global_clipnorm=global_clipnorm)
        self.name = auto_name(type(self).__name__) if name is None else name
        self.weight_decay = weight_decay
        self.clipnorm = clipnorm
        self.clipvalue = clipvalue
        self.global_clipnorm = global_clipnorm
        self.use_ema = use_ema
        self.ema_momentum = ema_momentum
        self.ema_overwrite_frequency = ema_overwrite_frequency
        self.loss_scale_factor = loss_scale_factor
        self.gradient_accumulation_steps = gradient_accumulation_steps
        self.built = False
        self._trainable_variables: list[Variable] = []
        self._index: dict[int, int] = {}
        self._undecayed: set[int] = set()
        self._undecayed_names: list[re.Pattern[str]] = []
        self._averages: list[Variable | None] = []
        self._accumulators: list[Variable] = []
        self._learning_rate: Any = rates.check(learning_rate)
        with name_scope(self.name):
            self._iterations = Variable(
                0,
                dtype="int32",
                trainable=False,
                aggregation="only_first_replica",
                name="iteration",
            )
            if rates.is_constant(self._learning_rate):
                self._learning_rate = Variable(
                    self._learning_rate,
                    dtype=config.floatx(),
                    trainable=False,
                    aggregation="only_first_replica",
                    name="learning_rate",
                )
        self._kernels = kernels()
        self._fused = fused_update(type(self))

    def __setattr__(self, name: str, value: Any) -> None:
        # A variable set as an attribute is part of the state, as those made by
        # `add_variable` are.
        if isinstance(value, Variable):
            self._track(value)
        super().__setattr__(name, value)

    def _track(self, variable: Variable) -> None:
        if not any(variable is known for known in self._variables):
            self._variables.append(variable)

    # -- state --------------------------------------------------------------------------

    @property
    def variables(self) -> list[Variable]:
        """The state: step count, learning rate (if a number), slots. In the order of files."""
        return self._variables[:]

    @property
    def iterations(self) -> Any:
        """How many updates were made: a scalar `Variable` (a tensor when accumulating)."""
        if self.gradient_accumulation_steps:
            return ops.floor_divide(self._iterations.value, self.gradient_accumulation_steps)
        return self._iterations

    @iterations.setter
    def iterations(self, variable: Variable) -> None:
        if self.built:
            raise RuntimeError(
                "`iterations` cannot be replaced once the optimizer is built; assign a value to "
                "it instead: `optimizer.iterations.assign(...)`."
            )
        self._variables[self._variables.index(self._iterations)] = variable
        self._iterations = variable

    @property
    def learning_rate(self) -> Any:
        """The current learning rate: a `Variable` that can be set, or a rule's value."""
        if isinstance(self._learning_rate, Variable):
            return self._learning_rate
        return rates.current(self._learning_rate, self._iterations)

    @learning_rate.setter
    def learning_rate(self, value: Any) -> None:
        settable = isinstance(self._learning_rate, Variable)
        if callable(value) and not isinstance(value, Variable):
            if settable:  # a schedule has no variable
                self._variables = [v for v in self._variables if v is not self._learning_rate]
            self._learning_rate = value
            return
        if not settable:
            raise TypeError(
                "This optimizer was created with a `LearningRateSchedule` object (or a function) "
                "as its `learning_rate`, hence its learning rate is not settable. Create the "
                "optimizer with a float `learning_rate` if you need to set it."
            )
        self._learning_rate.assign(value)

    def build(self, variables: Sequence[Variable]) -> None:
        """Makes the state for the variables to train; a second call does nothing.

        Subclasses call this first, then make their slots.
        """
        if self.built:
            return
        self._trainable_variables = list(variables)
        self._index = {id(v): i for i, v in enumerate(self._trainable_variables)}
        if self.use_ema:
            self._averages = self.add_optimizer_variables(self._trainable_variables, "average")
        if self.gradient_accumulation_steps:
            self._accumulators = [
                self.add_variable_from_reference(v, name="gradient_accumulator")
                for v in self._trainable_variables
            ]
        self.built = True

    def add_variable(
        self,
        shape: Sequence[int],
        initializer: Any = "zeros",
        dtype: Any = None,
        aggregation: str | None = "none",
        layout: Any = None,
        name: str | None = None,
    ) -> Variable:
        """Makes a variable that belongs to the state.

        Args:
            shape: its shape.
            initializer: initializer, or the name of one.
            dtype: its dtype; `floatx` by default.
            aggregation: how replicas are combined.
            layout: how it is spread over devices (for engines that do).
            name: its name.
        """
        make = _zeros if initializer == "zeros" else initializers.get(initializer)
        with name_scope(self.name):
            variable = Variable(
                make, shape=shape, dtype=dtype, trainable=False, aggregation=aggregation, name=name
            )
        if layout is not None:
            variable._layout = layout  # type: ignore[attr-defined]
        self._track(variable)
        return variable

    def add_variable_from_reference(
        self, reference_variable: Variable, name: str | None = None, initializer: Any = "zeros"
    ) -> Variable:
        """Makes a variable of the shape and dtype of another, named after it."""
        reference = getattr(reference_variable, "path", reference_variable.name).replace("/", "_")
        return self.add_variable(
            reference_variable.shape,
            initializer=initializer,
            dtype=reference_variable.dtype,
            layout=getattr(reference_variable, "_layout", None),
            name=f"{reference}_{name or 'variable'}",
        )

    def add_optimizer_variables(
        self, trainable_variables: Sequence[Variable], name: Any, initializer: Any = "zeros"
    ) -> list[Any]:
        """Makes one slot (or several) per variable.

        Args:
            trainable_variables: the variables.
            name: the slot's name, or a list of names.
            initializer: initializer of the slots, or a list with one per name.

        Returns:
            A list with a slot per variable, or a list of such lists, one per name. Variables
            that are overwritten with their gradient have no slot: their place holds None.
        """
        names = [name] if isinstance(name, str) else list(name)
        makers = list(initializer) if isinstance(initializer, (list, tuple)) else None
        slots: list[list[Any]] = [[] for _ in names]
        for variable in trainable_variables:
            for i, slot in enumerate(names):
                make = makers[i] if makers else initializer
                slots[i].append(
                    None
                    if variable.overwrite_with_gradient
                    else self.add_variable_from_reference(variable, slot, make)
                )
        return slots[0] if isinstance(name, str) else slots

    def _get_variable_index(self, variable: Variable) -> int:
        return self._index[id(variable)]

    # -- saving ---------------------------------------------------------------------------

    def save_own_variables(self, store: Any) -> None:
        """Writes the state into a mapping, under the keys "0", "1" and so on."""
        for i, variable in enumerate(self.variables):
            store[str(i)] = variable.numpy()

    def load_own_variables(self, store: Any) -> None:
        """Reads the state from such a mapping; warns and does nothing if the number differs."""
        variables = self.variables
        if len(store.keys()) != len(variables):
            warnings.warn(
                f"Skipping variable loading for optimizer '{self.name}', because it has "
                f"{len(variables)} variables whereas the saved optimizer has "
                f"{len(store.keys())} variables.",
                stacklevel=2,
            )
            return
        for i, variable in enumerate(variables):
            variable.assign(np.asarray(store[str(i)]))

    def set_weights(self, weights: Sequence[Any]) -> None:
        """Sets the state from a list of arrays in the order of `variables`."""
        variables = self.variables
        if len(weights) != len(variables):
            raise ValueError(
                f"You called `set_weights(weights)` on optimizer {self.name!r} with a list of "
                f"length {len(weights)}, but it has {len(variables)} variables. Build the "
                "optimizer first: `optimizer.build(trainable_variables)`."
            )
        for variable, weight in zip(variables, weights, strict=True):
            variable.assign(weight)

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments as plain values."""
        rate = self._learning_rate
        return {
            "name": self.name,
            "learning_rate": rates.to_config(rate.numpy() if isinstance(rate, Variable) else rate),
            "weight_decay": self.weight_decay,
            "clipnorm": self.clipnorm,
            "global_clipnorm": self.global_clipnorm,
            "clipvalue": self.clipvalue,
            "use_ema": self.use_ema,
            "ema_momentum": self.ema_momentum,
            "ema_overwrite_frequency": self.ema_overwrite_frequency,
            "loss_scale_factor": self.loss_scale_factor,
            "gradient_accumulation_steps": self.gradient_accumulation_steps,
        }

    @classmethod
    def from_config(
        cls, config: dict[str, Any], custom_objects: dict[str, Any] | None = None
    ) -> Self:
        """Builds the optimizer from what `get_config` returned."""
        config = dict(config)
        if "learning_rate" in config:
            config["learning_rate"] = rates.from_config(config["learning_rate"], custom_objects)
        return cls(**config)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} name={self.name}>"


def _zeros(shape: Sequence[int], dtype: Any = None) -> np.ndarray:
    return np.zeros(shape, dtype)


def _check_exclusive(**limits: float | None) -> None:
    if sum(limit is not None for limit in limits.values()) > 1:
        received = ", ".join(f"{name}={value}" for name, value in limits.items())
        raise ValueError(
            "Only one of `clipnorm`, `clipvalue` and `global_clipnorm` can be set. "
            f"Received: {received}"
        )
