"""`clone_model`: the same architecture with new variables."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from klayers import hooks
from klayers.functional import Functional
from klayers.graph import order_operations, replay
from klayers.input_layer import Input, InputLayer
from klayers.layer import Layer
from klayers.model import Model
from klayers.sequential import Sequential
from kops import tree
from kops.keras_tensor import KerasTensor
from kops.operation import Operation
from kops.registry import export

__all__ = ["clone_model"]


def _clone_layer(layer: Layer) -> Layer:
    return type(layer).from_config(layer.get_config())


@export("keras.models.clone_model")
def clone_model(
    model: Model,
    input_tensors: Any = None,
    clone_function: Callable[[Layer], Layer] | None = None,
    call_function: Callable[..., Any] | None = None,
    recursive: bool = False,
    **kwargs: Any,
) -> Any:
    """A model of the same architecture with newly initialized variables.

    Args:
        model: a Functional, Sequential or (without further arguments) subclassed model.
        input_tensors: symbolic tensors to build the copy on; new inputs if None.
        clone_function: makes the copy of each layer; by default from its config.
        call_function: how each copied layer is called, `(layer, *args, **kwargs)`;
            Functional models only.
        recursive: whether `clone_function` is applied inside nested models too.

    Example:

    >>> from klayers import Input, Sequential, clone_model, layers
    >>> model = Sequential([Input((2,)), layers.Dense(1, name="d")])
    >>> copy = clone_model(model)
    >>> copy.layers[0] is model.layers[0], copy.layers[0].name
    (False, 'd')
    """
    if kwargs.pop("cache", None) or kwargs:
        raise TypeError(f"clone_model() got unexpected arguments {sorted(kwargs)}.")
    if not isinstance(model, Model):
        raise ValueError(
            f"`model` must be a Model; got {model!r} (of type {type(model).__name__})."
        )
    if clone_function is not None and not callable(clone_function):
        raise ValueError(f"`clone_function` must be callable; got {clone_function!r}.")
    clone = clone_function or _clone_layer

    def copy(layer: Layer) -> Layer:
        if recursive and isinstance(layer, (Functional, Sequential)):
            return clone_model(
                layer, clone_function=clone_function, recursive=True, call_function=call_function
            )
        made = clone(layer)
        if not isinstance(made, Layer):
            raise ValueError(
                f"`clone_function` must return a layer; for {layer!r} it returned {made!r}."
            )
        return made

    if isinstance(model, Sequential):
        if call_function is not None:
            raise ValueError("`call_function` is for Functional models, not for a Sequential.")
        return _clone_sequential(model, input_tensors, copy)
    if isinstance(model, Functional):
        return _clone_functional(model, input_tensors, copy, call_function)
    if input_tensors is not None or clone_function is not None or call_function is not None:
        raise ValueError(
            f"`input_tensors`, `clone_function` and `call_function` need a Functional or "
            f"Sequential model; {model.name!r} is a subclassed {type(model).__name__}."
        )
    return _clone_layer(model)


def _clone_sequential(model: Sequential, input_tensors: Any, copy: Callable[[Layer], Layer]) -> Any:
    own = next((f.sequential for f in hooks.families() if type(model) is f.sequential), type(model))
    layers: list[Any] = [copy(layer) for layer in model.layers]
    if input_tensors is not None:
        flat = tree.flatten(input_tensors)
        if len(flat) != 1:
            raise ValueError(f"A Sequential has one input; `input_tensors` holds {len(flat)}.")
        layers.insert(0, flat[0])
    elif model._layers and isinstance(model._layers[0], InputLayer):
        layers.insert(0, _clone_layer(model._layers[0]))
    return own(layers, name=model.name, trainable=model.trainable)


def _clone_functional(
    model: Functional,
    input_tensors: Any,
    copy: Callable[[Layer], Layer],
    call_function: Callable[..., Any] | None,
) -> Any:
    function = model._function
    if input_tensors is None:
        inputs = [_new_input(t) for t in model.inputs]
    else:
        inputs = tree.flatten(input_tensors)
        if len(inputs) != len(model.inputs) or not all(isinstance(t, KerasTensor) for t in inputs):
            raise ValueError(
                f"`input_tensors` must hold {len(model.inputs)} symbolic tensor(s), one per input "
                f"of the model; got {input_tensors!r}."
            )
    copies: dict[int, Any] = {}
    for operation in order_operations(model.inputs, model.outputs):
        if isinstance(operation, Layer) and not isinstance(operation, InputLayer):
            copies[id(operation)] = copy(operation)
        elif not isinstance(operation, Layer):
            copies[id(operation)] = type(operation).from_config(operation.get_config())

    def call(operation: Operation) -> Callable[..., Any]:
        made = copies[id(operation)]
        if call_function is None or not isinstance(made, Layer):
            return made
        return functools.partial(call_function, made)

    outputs = replay(function, inputs, call)
    structure = tree.pack_sequence_as(function._inputs_struct, inputs)
    cls: Any = (
        type(model)
        if type(model) in {f.functional for f in hooks.families()}
        else (hooks.model_family().functional)
    )
    return cls(structure, outputs, name=model.name, trainable=model.trainable)


def _new_input(tensor: KerasTensor) -> KerasTensor:
    layer: Any = tensor._keras_history.operation  # type: ignore[union-attr]
    return Input(
        batch_shape=tensor.shape,
        dtype=tensor.dtype,
        sparse=tensor.sparse,
        ragged=tensor.ragged,
        name=layer.name,
        optional=getattr(layer, "optional", False),
    )
