"""`Optimizer`: state, clipping, decay, averaging and accumulation around an update rule."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Sequence
from typing import Any

from kops import Variable, ops
from kops.registry import export
from kops.scopes import StatelessScope, in_stateless_scope
from ktrain.optimizers.branching import choose
from ktrain.optimizers.state import OptimizerState

__all__ = ["Optimizer"]


@export("keras.Optimizer", "keras.optimizers.Optimizer")
class Optimizer(OptimizerState):
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
