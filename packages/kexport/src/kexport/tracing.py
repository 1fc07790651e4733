"""From a model to its graph of ops, whatever the model is made of."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import klayers
from kops import Function, KerasTensor, tree
from kops.op_operation import OpOperation
from kops.scopes import StatelessScope, SymbolicScope

__all__ = ["input_signature_of", "trace"]


def input_signature_of(model: Any, input_signature: Any = None) -> Any:
    """Symbolic inputs for a model, with an unknown batch size.

    Args:
        model: built model or layer.
        input_signature: what the inputs are like: tensors, arrays or anything with `shape`
            and `dtype`, nested as the model takes them; from the model itself if None.

    Raises:
        ValueError: if the model does not say what its inputs are like.
    """
    _check_built(model)
    if input_signature is not None:
        if isinstance(input_signature, (list, tuple)) and len(input_signature) == 1:
            input_signature = input_signature[0]
        return tree.map_structure(_spec, input_signature)
    if isinstance(model, (klayers.Functional, klayers.Sequential)):
        structure = model.input  # nested as the model takes it
        if structure is not None:
            return tree.map_structure(_spec, structure)
    build = model.get_build_config() or {}
    shapes = build.get("input_shape", build.get("shapes_dict"))
    if not shapes:
        raise ValueError(
            f"The model {model.name!r} does not say what its inputs are like. Call it on data "
            "first, or pass `input_signature`, such as [keras.InputSpec(shape=(None, 8))]."
        )
    return tree.map_shape_structure(
        lambda shape: KerasTensor((None, *shape[1:]), dtype=model.input_dtype), shapes
    )


def _spec(x: Any) -> KerasTensor:
    shape = getattr(x, "shape", None)
    if shape is None:
        raise ValueError(f"`input_signature` needs things with a known shape; got {x!r}.")
    name = getattr(x, "name", None)
    history = getattr(x, "_keras_history", None)
    if history is not None:
        name = history.operation.name
    return KerasTensor(tuple(shape), dtype=x.dtype or "float32", name=name)


def trace(model: Any, inputs: Any) -> Function:
    """The graph of ops that `model(inputs, training=False)` runs.

    Args:
        model: built model or layer.
        inputs: symbolic tensors, nested as the model takes them.

    Returns:
        A Function whose nodes are ops only: layers and nested models are inlined.
    """
    _check_built(model)
    with StatelessScope(), SymbolicScope(record=True, ops_only=True):
        kwargs = {"training": False} if _takes_training(model) else {}
        outputs = model(inputs, **kwargs)
    function = Function(inputs, outputs, name=model.name)
    _check(function.nodes)
    return function


def _check_built(model: Any) -> None:
    if not isinstance(model, klayers.Layer):
        raise TypeError(f"`model` must be a model or layer; got {type(model).__name__}.")
    if not model.built:
        raise ValueError(
            f"The model {model.name!r} is not built, so it has nothing to export. Call it on "
            "data, or build it, first."
        )


def _takes_training(model: Any) -> bool:
    return model._call_signature.has_training or isinstance(model, klayers.Model)


def _check(nodes: Iterable[Any]) -> None:
    for node in nodes:
        if not isinstance(node.operation, OpOperation):
            raise NotImplementedError(
                f"{type(node.operation).__name__} {node.operation.name!r} is no op and could not "
                "be traced into."
            )
