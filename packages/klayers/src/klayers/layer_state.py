"""The state of a layer: variables, losses, metrics, and running without side effects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from klayers import constraints, hooks, initializers, regularizers
from klayers.calls import is_tensor
from klayers.layer_fields import LayerFields
from kops import dtypes
from kops.scopes import StatelessScope, state
from kops.variable import Variable

if TYPE_CHECKING:
    from klayers.layer import Layer

__all__ = ["LayerState"]

# Whether any layer ever held a loss: a process without losses need not look for them.
_losses_exist = False


def losses_exist() -> bool:
    """Whether a layer of this process has ever been given a loss."""
    return _losses_exist


class LayerState(LayerFields):
    """Mixin of `Layer`: what it holds and how that is read and written."""

    # -- making state --------------------------------------------------------------------

    def add_weight(
        self,
        *args: Any,
        shape: Sequence[int] | int | None = None,
        initializer: Any = None,
        dtype: Any = None,
        trainable: bool = True,
        autocast: bool = True,
        regularizer: Any = None,
        constraint: Any = None,
        aggregation: str | None = "none",
        overwrite_with_gradient: bool = False,
        name: str | None = None,
    ) -> Variable:
        """Makes a variable of this layer.

        Args:
            args: `shape` and `name` may come by position.
            shape: shape; `()` (a scalar) if None.
            initializer: initial value: an initializer, its name, or a callable
                `(shape, dtype)`. None: "glorot_uniform" for floats, "zeros" otherwise.
            dtype: dtype; the policy's variable dtype if None.
            trainable: whether training changes it.
            autocast: whether it is read in the compute dtype inside `call`.
            regularizer: regularizer (or its name) whose loss is added.
            constraint: applied after each update.
            aggregation: how replicas are combined.
            overwrite_with_gradient: whether an optimizer replaces it by its gradient.
            name: name; made up if None.
        """
        self._check_super_called()
        for key, value in zip(("shape", "name"), args, strict=False):
            if key == "shape" and shape is None:
                shape = value
            elif key == "name" and name is None:
                name = value
            else:
                raise TypeError(f"add_weight() got two values for the argument {key!r}.")
        if len(args) > 2:
            raise TypeError("add_weight() takes `shape` and `name` by position, the rest by name.")
        dtype = dtypes.standardize(self.variable_dtype if dtype is None else dtype)
        if initializer is None:
            initializer = "glorot_uniform" if dtypes.is_float(dtype) else "zeros"
        variable = Variable(
            initializers.get(initializer),
            shape=() if shape is None else (shape,) if isinstance(shape, int) else shape,
            dtype=dtype,
            trainable=trainable,
            autocast=autocast,
            aggregation=aggregation,
            name=name,
        )
        variable.regularizer = regularizers.get(regularizer)
        variable.constraint = constraints.get(constraint)
        variable.overwrite_with_gradient = overwrite_with_gradient
        self._track_variable(variable)
        return variable

    def add_variable(
        self,
        shape: Any,
        initializer: Any,
        dtype: Any = None,
        trainable: bool = True,
        autocast: bool = True,
        regularizer: Any = None,
        constraint: Any = None,
        name: str | None = None,
    ) -> Variable:
        """Older name of `add_weight`."""
        return self.add_weight(
            shape=shape,
            initializer=initializer,
            dtype=dtype,
            trainable=trainable,
            autocast=autocast,
            regularizer=regularizer,
            constraint=constraint,
            name=name,
        )

    def add_metric(self, *args: Any, **kwargs: Any) -> Any:
        """Not part of Keras 3: make the metric in `__init__` and update it in `call`."""
        raise NotImplementedError(
            "Layers have no `add_metric()`. Make the metric an attribute in `__init__` "
            "(`self.my_metric = keras.metrics.Mean()`) and call its `update_state()` in `call()`."
        )

    def _track_variable(self, variable: Variable) -> None:
        self._tracker.add("variable", variable)
        if not self._trainable:
            variable.trainable = False

    def _untrack_variable(self, variable: Variable) -> None:
        locked, self._tracker.locked_message = self._tracker.locked_message, None
        self._tracker.untrack(variable)
        self._tracker.locked_message = locked

    @contextmanager
    def _replacing_variables(self) -> Iterator[None]:
        """Scope in which this layer, though built, gets other variables."""
        saved = self._tracker.locked_message, state.names
        self._tracker.locked_message, state.names = None, self._scope_names or state.names
        try:
            yield
        finally:
            self._tracker.locked_message, state.names = saved

    # -- what there is -------------------------------------------------------------------

    def _flatten_layers(self, include_self: bool = True, recursive: bool = True) -> Iterator[Layer]:
        seen: set[int] = set()
        stack: list[Any] = [self] if include_self else list(reversed(self._layers))
        while stack:
            layer = stack.pop()
            if id(layer) in seen:
                continue
            seen.add(id(layer))
            yield layer
            if recursive or layer is self:
                stack.extend(reversed(layer._layers))

    @property
    def variables(self) -> list[Variable]:
        """All variables, those of seed generators included, metrics' not."""
        found: dict[int, Variable] = {}
        _collect(self, found, seeds=True)
        return list(found.values())

    @property
    def weights(self) -> list[Variable]:
        """All variables that belong to the computation: no random states, no metrics."""
        found: dict[int, Variable] = {}
        _collect(self, found, seeds=False)
        return list(found.values())

    @property
    def trainable_variables(self) -> list[Variable]:
        """Variables that training changes."""
        return [v for v in self.variables if v.trainable] if self._trainable else []

    @property
    def non_trainable_variables(self) -> list[Variable]:
        """Variables that training does not change, random states included."""
        return [v for v in self.variables if not (self._trainable and v.trainable)]

    @property
    def trainable_weights(self) -> list[Variable]:
        """Weights that training changes."""
        return [v for v in self.weights if v.trainable] if self._trainable else []

    @property
    def non_trainable_weights(self) -> list[Variable]:
        """Weights that training does not change."""
        return [v for v in self.weights if not (self._trainable and v.trainable)]

    @property
    def metrics(self) -> list[Any]:
        """Metrics of this layer and the layers in it."""
        found: list[Any] = []
        for layer in self._flatten_layers():
            for m in layer._metrics:
                if all(m is not f for f in found):
                    found.append(m)
        return found

    @property
    def metrics_variables(self) -> list[Variable]:
        """Variables of the metrics."""
        return [v for metric in self.metrics for v in metric.variables]

    @property
    def trainable(self) -> bool:
        """Whether training changes this layer. Setting it sets the layers in it too."""
        return self._trainable

    @trainable.setter
    def trainable(self, value: bool) -> None:
        value = bool(value)
        self._trainable = value
        for variable in self._trainable_variables:
            variable.trainable = value
        for layer in self._layers:
            layer.trainable = value

    def count_params(self) -> int:
        """Number of scalars in the weights.

        Raises:
            ValueError: the layer is not built yet.
        """
        if not self.built:
            raise ValueError(
                f"Layer {self.name!r} is not built, so its parameters cannot be counted. Call it "
                "on data, or build it with `layer.build(input_shape)`."
            )
        return sum(v.size for v in self.weights)

    def get_weights(self) -> list[np.ndarray]:
        """Values of the weights as NumPy arrays."""
        return [v.numpy() for v in self.weights]

    def set_weights(self, weights: Sequence[Any]) -> None:
        """Sets the weights from arrays in the order of `get_weights`."""
        variables = self.weights
        if len(variables) != len(weights):
            raise ValueError(
                f"`weights` of layer {self.name!r} must hold {len(variables)} arrays, one per "
                f"weight; got {len(weights)}."
            )
        for variable, value in zip(variables, weights, strict=True):
            if tuple(np.shape(value)) != variable.shape:
                raise ValueError(
                    f"Weight {variable.path!r} of layer {self.name!r} has shape {variable.shape}; "
                    f"the given array has shape {tuple(np.shape(value))}."
                )
        for variable, value in zip(variables, weights, strict=True):
            variable.assign(value)

    # -- losses --------------------------------------------------------------------------

    def add_loss(self, loss: Any) -> None:
        """Adds to the losses, from within `call`.

        Args:
            loss: scalar tensor, or a list of them.
        """
        global _losses_exist
        losses = loss if isinstance(loss, (list, tuple)) else [loss]
        for value in losses:
            if not is_tensor(value):
                raise ValueError(
                    f"`loss` given to add_loss() must be a tensor computed in `call()` or "
                    f"`build()`; got {value!r} (of type {type(value).__name__})."
                )
        _losses_exist = True
        scope = state.stateless
        if scope is None:
            self._loss_list.extend(losses)
        elif scope.collect_losses:
            for value in losses:
                scope.add_loss(value)
                self._loss_ids.add(id(value))

    def _own_losses(self) -> list[Any]:
        scope = state.stateless
        if scope is None:
            return list(self._loss_list)
        return [v for v in scope.losses if id(v) in self._loss_ids]

    def _clear_losses(self) -> None:
        for layer in self._flatten_layers():
            if layer._loss_list:
                layer._loss_list.clear()
            if layer._loss_ids:
                layer._loss_ids.clear()

    @property
    def losses(self) -> list[Any]:
        """Losses of the last call (`add_loss`, activity regularizers) and of regularizers."""
        losses: list[Any] = []
        if _losses_exist:
            for layer in self._flatten_layers():
                losses.extend(layer._own_losses())
        losses.extend(v.regularizer(v) for v in self.trainable_weights if v.regularizer is not None)
        return losses

    # -- without side effects ------------------------------------------------------------

    def stateless_call(
        self,
        trainable_variables: Sequence[Any],
        non_trainable_variables: Sequence[Any],
        *args: Any,
        return_losses: bool = False,
        **kwargs: Any,
    ) -> Any:
        """Calls the layer with given values of its variables, leaving the stored ones alone.

        Args:
            trainable_variables: values, in the order of `trainable_variables`.
            non_trainable_variables: values, in the order of `non_trainable_variables`.
            args: arguments of the call.
            return_losses: whether to return the losses of the call too.
            kwargs: arguments of the call.

        Returns:
            `(outputs, non_trainable_variables)`, with `losses` as a third entry if asked for.

        Example:

        >>> import numpy as np
        >>> from klayers import layers
        >>> dense = layers.Dense(2)
        >>> dense.build((None, 3))
        >>> zeros = [np.zeros(v.shape, "float32") for v in dense.trainable_variables]
        >>> y, state = dense.stateless_call(zeros, [], np.ones((1, 3), "float32"))
        >>> float(y[0, 0]), state
        (0.0, [])
        """
        self._check_super_called()
        if not self.built:
            raise ValueError(
                f"Layer {self.name!r} must be built before stateless_call(): call it on data, or "
                "use `layer.build(input_shape)`."
            )
        mapping: list[tuple[Variable, Any]] = []
        own_trainable, own_rest = self.trainable_variables, self.non_trainable_variables
        for what, variables, values in (
            ("trainable_variables", own_trainable, trainable_variables),
            ("non_trainable_variables", own_rest, non_trainable_variables),
        ):
            if len(variables) != len(values):
                raise ValueError(
                    f"`{what}` must hold one value for each of {self.name!r}'s {what}, which are "
                    f"{len(variables)}; got {len(values)}."
                )
            mapping.extend(zip(variables, values, strict=True))
        losses: list[Any] = []
        with StatelessScope(mapping, collect_losses=return_losses) as scope:
            outputs = self(*args, **kwargs)  # type: ignore[operator]
            if return_losses:
                losses = self.losses
        after = [scope.get_current_value(v) for v in own_rest]
        after = [v.value if a is None else a for v, a in zip(own_rest, after, strict=True)]
        return (outputs, after, losses) if return_losses else (outputs, after)

    # -- files ---------------------------------------------------------------------------

    def _stored_variables(self) -> list[Variable]:
        """This layer's own variables, in the order in which files hold them."""
        if self._dtype_policy.quantization_mode is not None:
            return hooks.find_hook("quantized_variables")(self)
        return self._trainable_variables + self._non_trainable_variables

    def save_own_variables(self, store: Any) -> None:
        """Writes this layer's own variables (not those of layers in it) into `store`."""
        for i, variable in enumerate(self._stored_variables()):
            store[f"{i}"] = variable.numpy()

    def load_own_variables(self, store: Mapping[str, Any]) -> None:
        """Reads what `save_own_variables` wrote.

        Raises:
            ValueError: other variables than this layer has.
        """
        own = self._stored_variables()
        if len(store) != len(own):
            if not own and not self.built:
                raise ValueError(
                    f"Layer {self.name!r} is not built, so it has no variables, but the file holds "
                    f"{len(store)} for it. The `build()` of the layer around it must build it too, "
                    "or the layer must define `build_from_config()`."
                )
            raise ValueError(
                f"Layer {self.name!r} has {len(own)} variables ({[v.name for v in own]}); the "
                f"file holds {len(store)} for it."
            )
        for i, variable in enumerate(own):
            if f"{i}" not in store:
                raise ValueError(f"The file lacks variable {i} ({variable.path!r}).")
            variable.assign(store[f"{i}"])


def _collect(layer: Any, found: dict[int, Variable], seeds: bool) -> None:
    for v in layer._trainable_variables:
        found.setdefault(id(v), v)
    for v in layer._non_trainable_variables:
        found.setdefault(id(v), v)
    if seeds:
        for generator in layer._seed_generators:
            v = generator.state
            found.setdefault(id(v), v)
    for sub in layer._layers:
        _collect(sub, found, seeds)


def unique(values: Iterable[Any]) -> list[Any]:
    """Values once each, by identity, in order."""
    return list({id(v): v for v in values}.values())
