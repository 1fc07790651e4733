"""`Optimizer`: state, clipping, decay, averaging and accumulation around an update rule."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Sequence
from typing import Any, Self

import numpy as np

from klayers import initializers
from kops import Variable, config, ops
from kops.naming import auto_name
from kops.registry import export
from kops.scopes import StatelessScope, in_stateless_scope, name_scope
from ktrain.optimizers import learning_rate as rates
from ktrain.optimizers.branching import choose
from ktrain.optimizers.fused import fused_update, kernels

__all__ = ["Optimizer"]


@export("keras.Optimizer", "keras.optimizers.Optimizer")
class Optimizer:
    """Base of the optimizers.

    A subclass gives a rule for one variable in `update_step(gradient, variable,
    learning_rate)`, makes its slots in `build(variables)`, and names its own arguments
    in `get_config()`.

    One call of `apply` does, in this order: divide by `loss_scale_factor`; collect, if
    gradients are accumulated; clip; decay the weights; update; average; apply the
    variables' constraints.

    Args:
        learning_rate: a float, a `LearningRateSchedule`, or a function without arguments.
        weight_decay: fraction of each weight, times the learning rate, that a step takes away.
        clipnorm: upper limit of each gradient's L2 norm.
        clipvalue: upper limit of the size of each gradient element.
        global_clipnorm: upper limit of the L2 norm of all gradients together.
        use_ema: whether moving averages of the weights are kept; `fit` puts them in place
            of the weights at its end.
        ema_momentum: weight of the old average, in [0, 1].
        ema_overwrite_frequency: every how many updates the averages replace the weights;
            None: only at the end of training.
        loss_scale_factor: the loss is multiplied by it and the gradients divided, so that
            small gradients survive float16.
        gradient_accumulation_steps: how many calls of `apply` make one update, with the
            mean of their gradients. Clipping, decay and averaging happen once per update.
        name: the optimizer's name; made from the class name by default.

    Raises:
        ValueError: arguments that make no sense, or contradict each other.

    Example:
    ```python
    >>> from kops import Variable, ops
    >>> from ktrain.optimizers import Optimizer
    >>> class SignDescent(Optimizer):
    ...     def update_step(self, gradient, variable, learning_rate):
    ...         self.assign_sub(variable, ops.sign(gradient) * learning_rate)
    >>> weight = Variable([1.0, 2.0])
    >>> SignDescent(learning_rate=0.5).apply([ops.convert_to_tensor([3.0, -3.0])], [weight])
    >>> weight.numpy().tolist()
    [0.5, 2.5]

    ```
    """

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
        if use_ema and not 0 <= ema_momentum <= 1:
            raise ValueError(
                f"`ema_momentum` must be in the range [0, 1]. Received: ema_momentum={ema_momentum}"
            )
        _check_count("ema_overwrite_frequency", ema_overwrite_frequency, 1)
        _check_count("gradient_accumulation_steps", gradient_accumulation_steps, 2)
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

    # -- one step -------------------------------------------------------------------------

    def apply_gradients(self, grads_and_vars: Iterable[tuple[Any, Variable]]) -> Any:
        """Updates variables, given pairs `(gradient, variable)`. Returns the step count."""
        pairs = list(grads_and_vars)
        self.apply([g for g, _ in pairs], [v for _, v in pairs])
        return self._iterations

    def apply(
        self, grads: Sequence[Any], trainable_variables: Sequence[Variable] | None = None
    ) -> None:
        """Updates variables with their gradients.

        Args:
            grads: gradients; None where there is none.
            trainable_variables: the variables in the same order; by default all that the
                optimizer was built with.

        Raises:
            ValueError: the gradients do not fit the variables, the variables are not those
                that the optimizer was built with, or there is no gradient at all.
        """
        if not len(grads):
            return
        variables = self._checked_variables(grads, trainable_variables)
        for gradient in grads:
            if gradient is None:
                grads, variables = _without_missing(grads, variables)
                break
        if self.loss_scale_factor is not None:
            scale = 1.0 / self.loss_scale_factor
            grads = [
                g if v.overwrite_with_gradient else g * scale
                for g, v in zip(grads, variables, strict=True)
            ]
        if self.gradient_accumulation_steps:
            self._accumulate(grads, variables)
        else:
            self._update(grads, variables)
        self._kernels.increment(self._iterations)

    def _checked_variables(
        self, grads: Sequence[Any], variables: Sequence[Variable] | None
    ) -> Sequence[Variable]:
        if variables is None:
            if not self.built:
                raise ValueError(
                    "When passing `grads` without `variables`, the optimizer must already be "
                    "built on a list of variables. Call `optimizer.build(trainable_variables)` "
                    "first."
                )
            variables = self._trainable_variables
        elif not self.built:
            self.build(variables)
        if len(grads) != len(variables):
            raise ValueError(
                "The gradients must match the variables one-to-one. Received "
                f"{len(grads)} gradients for {len(variables)} variables."
            )
        if variables is not self._trainable_variables:
            for variable in variables:
                if id(variable) not in self._index:
                    raise ValueError(
                        f"Unknown variable: {variable}. This optimizer can only be called for "
                        "the variables it was originally built with. When working with a new "
                        "set of variables, you should recreate a new optimizer instance."
                    )
        return variables

    def _update(self, grads: Sequence[Any], variables: Sequence[Variable]) -> None:
        """A real update: clipping, decay, the rule, averages, constraints."""
        grads, variables = self._overwrite(grads, variables)
        if variables:
            grads = self._clip(grads)
            if self.weight_decay is not None:
                self._decay_weights(variables)
            self._backend_update_step(grads, variables, self.learning_rate)
        if self.use_ema:
            self._update_averages(variables)
        for variable in variables:
            if variable.constraint is not None:
                variable.assign(variable.constraint(variable.value))

    def _overwrite(
        self, grads: Sequence[Any], variables: Sequence[Variable]
    ) -> tuple[Sequence[Any], Sequence[Variable]]:
        """Sets the variables whose gradient is their new value; returns the others."""
        if not any(v.overwrite_with_gradient for v in variables):
            return grads, variables
        rest = []
        for gradient, variable in zip(grads, variables, strict=True):
            if variable.overwrite_with_gradient:
                variable.assign(gradient)
            else:
                rest.append((gradient, variable))
        return [g for g, _ in rest], [v for _, v in rest]

    def _backend_update_step(
        self, grads: Sequence[Any], variables: Sequence[Variable], learning_rate: Any
    ) -> None:
        if (
            self._fused is not None
            and not in_stateless_scope()
            and self._fused(self, grads, variables)
        ):
            return
        for gradient, variable in zip(grads, variables, strict=True):
            self.update_step(gradient, variable, learning_rate)

    def update_step(self, gradient: Any, variable: Variable, learning_rate: Any) -> None:
        """Updates one variable; to be overridden.

        Args:
            gradient: its gradient, a tensor.
            variable: the variable.
            learning_rate: scalar tensor or variable.
        """
        raise NotImplementedError(
            f"{type(self).__name__} must override `update_step(gradient, variable, learning_rate)`."
        )

    def _clip(self, grads: Sequence[Any]) -> Sequence[Any]:
        limits = (self.clipnorm, self.global_clipnorm, self.clipvalue)
        if not any(limit is not None and limit > 0 for limit in limits):
            return grads
        return self._kernels.clip(grads, *limits)

    # -- accumulation ---------------------------------------------------------------------

    def _accumulate(self, grads: Sequence[Any], variables: Sequence[Variable]) -> None:
        """Collects gradients; every n-th call makes an update with their mean."""
        n = self.gradient_accumulation_steps
        assert n is not None
        sums = [self._accumulators[self._index[id(v)]] for v in variables]
        totals = [
            ops.maximum(s.value, g) if v.overwrite_with_gradient else s.value + g
            for s, g, v in zip(sums, grads, variables, strict=True)
        ]
        due = ops.equal(ops.mod(self._iterations.value + 1, n), 0)

        def update() -> None:
            means = [
                t if v.overwrite_with_gradient else t / n
                for t, v in zip(totals, variables, strict=True)
            ]
            self._update(means, variables)
            for s in sums:
                s.assign(ops.zeros_like(s.value))

        def collect() -> None:
            for s, total in zip(sums, totals, strict=True):
                s.assign(total)

        choose(due, update, collect, self._changing(variables))

    def _changing(self, variables: Sequence[Variable]) -> list[Variable]:
        """All that an update may assign."""
        return [*variables, *(v for v in self.variables if v is not self._iterations)]

    # -- weight decay ---------------------------------------------------------------------

    def exclude_from_weight_decay(
        self, var_list: Sequence[Variable] | None = None, var_names: Sequence[str] | None = None
    ) -> None:
        """Exempts variables from weight decay; to be called before training.

        Args:
            var_list: variables.
            var_names: regular expressions, searched for in the variables' names.

        Example:
        ```python
        >>> from ktrain.optimizers import AdamW
        >>> AdamW(weight_decay=0.01).exclude_from_weight_decay(var_names=["bias"])

        ```
        """
        self._undecayed = {id(v) for v in var_list or ()}
        self._undecayed_names = [re.compile(name) for name in var_names or ()]

    def _use_weight_decay(self, variable: Variable) -> bool:
        return id(variable) not in self._undecayed and not any(
            pattern.search(variable.name) for pattern in self._undecayed_names
        )

    def _decay_weights(self, variables: Sequence[Variable]) -> None:
        decayed = [
            (v, decay)
            for v in variables
            if (decay := self._weight_decay_of(v)) is not None and self._use_weight_decay(v)
        ]
        if decayed:
            self._kernels.decay([v for v, _ in decayed], [decay for _, decay in decayed], self)

    def _weight_decay_of(self, variable: Variable) -> float | None:
        return self.weight_decay

    # -- averages -------------------------------------------------------------------------

    def _update_averages(self, variables: Sequence[Variable]) -> None:
        first = ops.equal(self.iterations, 0)
        step = self.iterations + 1 if self.ema_overwrite_frequency else None
        for variable in variables:
            average = self._averages[self._index[id(variable)]]
            if average is None:
                continue
            value = ops.stop_gradient(variable.value)
            mixed = self.ema_momentum * average.value + (1.0 - self.ema_momentum) * value
            mixed = ops.where(first, value, mixed)
            average.assign(mixed)
            if self.ema_overwrite_frequency:
                due = ops.equal(ops.mod(step, self.ema_overwrite_frequency), 0)
                variable.assign(ops.where(due, mixed, value))

    def finalize_variable_values(self, var_list: Sequence[Variable]) -> None:
        """Puts the moving averages in place of the weights, if they are kept."""
        if not (self.use_ema and self.built):
            return
        for variable in var_list:
            index = self._index.get(id(variable))
            average = None if index is None else self._averages[index]
            if average is not None:
                variable.assign(average.value)

    # -- stateless ------------------------------------------------------------------------

    def stateless_apply(
        self,
        optimizer_variables: Sequence[Any],
        grads: Sequence[Any],
        trainable_variables: Sequence[Any],
    ) -> tuple[list[Any], list[Any]]:
        """One step as a pure function of values.

        Args:
            optimizer_variables: values of `optimizer.variables`.
            grads: gradients of the variables the optimizer was built with.
            trainable_variables: values of those variables.

        Returns:
            The new values: `(trainable_variables, optimizer_variables)`.

        Raises:
            ValueError: the optimizer is not built, or the numbers do not match.
        """
        if not self.built:
            raise ValueError(
                f"To call `stateless_apply`, {type(self).__name__} must be built (i.e. its "
                "variables must have been created). You can build it via "
                "`optimizer.build(trainable_variables)`."
            )
        own, trained = self.variables, self._trainable_variables
        for name, given, needed in (
            ("optimizer_variables", optimizer_variables, own),
            ("trainable_variables", trainable_variables, trained),
        ):
            if len(given) != len(needed):
                raise ValueError(
                    f"Argument `{name}` must hold one value for each of the {len(needed)} "
                    f"variables of the optimizer. Received {len(given)} values."
                )
        mapping = [
            *zip(trained, trainable_variables, strict=True),
            *zip(own, optimizer_variables, strict=True),
        ]
        with StatelessScope(state_mapping=mapping) as scope:
            self.apply(grads)
        return (
            [scope.get_current_value(v) for v in trained],
            [scope.get_current_value(v) for v in own],
        )

    def scale_loss(self, loss: Any) -> Any:
        """The loss to differentiate: multiplied by `loss_scale_factor`, if there is one."""
        return loss if self.loss_scale_factor is None else loss * self.loss_scale_factor

    # -- assigning ------------------------------------------------------------------------

    def assign(self, variable: Variable, value: Any) -> None:
        """Sets a variable, cast to its dtype."""
        variable.assign(value)

    def assign_add(self, variable: Variable, value: Any) -> None:
        """Adds to a variable."""
        variable.assign(ops.stop_gradient(variable.value) + ops.cast(value, variable.dtype))

    def assign_sub(self, variable: Variable, value: Any) -> None:
        """Subtracts from a variable."""
        variable.assign(ops.stop_gradient(variable.value) - ops.cast(value, variable.dtype))

    def __setstate__(self, fields: dict[str, Any]) -> None:
        # A copy has variables of its own, so their ids are others.
        self.__dict__.update(fields)
        self._index = {id(v): i for i, v in enumerate(self._trainable_variables)}

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


def _check_count(name: str, value: int | None, least: int) -> None:
    if value is not None and (not isinstance(value, int) or value < least):
        if value == 0:  # taken as "off", like None
            return
        raise ValueError(f"`{name}` must be an integer >= {least}. Received: {name}={value}")


def _without_missing(
    grads: Sequence[Any], variables: Sequence[Variable]
) -> tuple[list[Any], list[Variable]]:
    present = [(g, v) for g, v in zip(grads, variables, strict=True) if g is not None]
    if not present:
        raise ValueError(
            "No gradients provided for any variable. Does the loss depend on the weights?"
        )
    missing = [v.name for g, v in zip(grads, variables, strict=True) if g is None]
    warnings.warn(
        f"Gradients do not exist for variables {missing} when minimizing the loss. If using "
        "`model.compile()`, did you forget to provide a `loss` argument?",
        stacklevel=3,
    )
    return [g for g, _ in present], [v for _, v in present]
