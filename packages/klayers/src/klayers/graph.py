"""Graphs of layers and ops: their order, their config, copies of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from klayers.input_layer import Input, InputLayer
from klayers.layer import Layer
from kops import tree
from kops.function import Function
from kops.keras_tensor import KerasTensor
from kops.op_operation import OpOperation
from kops.operation import Node, Operation, given
from kops.serialization import deserialize_keras_object, serialize_keras_object

__all__ = [
    "graph_config",
    "graph_from_config",
    "is_input_tensor",
    "order_operations",
    "pack_graph",
    "replay",
    "unpack_graph",
    "with_inputs",
]


def node_of(tensor: KerasTensor) -> Node:
    """The node that a symbolic tensor came out of."""
    history = tensor._keras_history
    if history is None:
        raise ValueError(f"{tensor!r} comes out of no operation; make it with `Input`.")
    return history.operation._inbound_nodes[history.node_index]


def is_input_tensor(tensor: KerasTensor) -> bool:
    """Whether a symbolic tensor is the output of an `InputLayer`."""
    history = tensor._keras_history
    return history is not None and isinstance(history.operation, InputLayer)


# -- order ------------------------------------------------------------------------------


def order_operations(inputs: list[KerasTensor], outputs: list[KerasTensor]) -> list[Operation]:
    """Operations from the inputs to the outputs: by depth, then as found from the outputs.

    An operation's depth is the longest way from it to an output. The order decides the
    order of a model's weights and the names of groups in weight files.
    """
    finished, rank = _walk(inputs, outputs)
    depth_of_node: dict[int, int] = {}
    depth: dict[Operation, int] = {}
    for node in reversed(finished):
        here = max(depth_of_node.get(id(node), 0), depth.get(node.operation, 0))
        depth[node.operation] = depth_of_node[id(node)] = here
        for tensor in node.input_tensors:
            parent = node_of(tensor)
            depth_of_node[id(parent)] = max(depth_of_node.get(id(parent), 0), here + 1)
    for tensor in inputs:  # inputs that no output needs come last, before all others of depth 0
        operation = node_of(tensor).operation
        if operation not in depth:
            depth[operation] = 0
            rank[operation] = -1
    return sorted(depth, key=lambda op: (-depth[op], rank[op]))


def _walk(
    inputs: list[KerasTensor], outputs: list[KerasTensor]
) -> tuple[list[Node], dict[Operation, int]]:
    """Nodes, each after its parents, and the operations' numbers in order of discovery."""
    starts = {id(node_of(t)) for t in inputs}
    finished: list[Node] = []
    seen: set[int] = set()
    rank: dict[Operation, int] = {}
    for output in outputs:
        stack: list[tuple[Node, bool]] = [(node_of(output), False)]
        while stack:
            node, expanded = stack.pop()
            if expanded:
                finished.append(node)
                continue
            if id(node) in seen:
                continue
            seen.add(id(node))
            rank.setdefault(node.operation, len(rank))
            stack.append((node, True))
            if id(node) not in starts:
                stack.extend((node_of(t), False) for t in reversed(node.input_tensors))
    return finished, rank


# -- replaying --------------------------------------------------------------------------


def replay(
    function: Function,
    inputs: list[KerasTensor],
    operation_fn: Callable[[Operation], Callable[..., Any]] | None = None,
) -> Any:
    """The graph's outputs, nested, for other symbolic inputs: makes new nodes."""
    outputs = function._run(inputs, operation_fn)
    return tree.pack_sequence_as(function._outputs_struct, outputs)


def with_inputs(inputs: Any, outputs: Any) -> tuple[Any, Any]:
    """The graph with an `Input` wherever it starts at a tensor in the midst of another graph."""
    flat: list[KerasTensor] = tree.flatten(inputs)
    if all(is_input_tensor(t) for t in flat):
        return inputs, outputs
    function = Function(inputs, outputs, name="cut")
    fresh = [
        t if is_input_tensor(t) else Input(batch_shape=t.shape, dtype=t.dtype, name=t._name)
        for t in flat
    ]
    return tree.pack_sequence_as(inputs, fresh), replay(function, fresh)


# -- configs ----------------------------------------------------------------------------


def graph_config(function: Function, operations: list[Operation]) -> dict[str, Any]:
    """Layers, their calls and the ends of a graph, as Keras writes them."""
    used = {id(n) for n in function.nodes} | {id(node_of(t)) for t in function.inputs}
    # Calls of a layer that belong to other graphs are left out and the rest counted anew.
    index: dict[int, int] = {}
    for operation in operations:
        own = [n for n in operation._inbound_nodes if id(n) in used]
        index.update({id(n): i for i, n in enumerate(own)})

    def history(tensor: KerasTensor) -> list[Any]:
        _, _, tensor_index = tensor._keras_history  # type: ignore[misc]
        node = node_of(tensor)
        return [node.operation.name, index[id(node)], tensor_index]

    layers = []
    for operation in operations:
        own = [n for n in operation._inbound_nodes if id(n) in used]
        entry = serialize_keras_object(operation)
        entry["name"] = operation.name
        entry["inbound_nodes"] = [_node_config(n, history) for n in own if not n.is_input]
        layers.append(entry)
    return {
        "layers": layers,
        "input_layers": _histories(function._inputs_struct, history),
        "output_layers": _histories(function._outputs_struct, history),
    }


def _histories(structure: Any, history: Callable[[KerasTensor], list[Any]]) -> Any:
    if isinstance(structure, KerasTensor):
        return history(structure)
    if isinstance(structure, dict):
        return {k: _histories(v, history) for k, v in structure.items()}
    return [_histories(v, history) for v in structure]


def _node_config(node: Node, history: Callable[[KerasTensor], list[Any]]) -> dict[str, Any]:
    def convert(value: Any) -> Any:
        if isinstance(value, KerasTensor):
            fields = {"shape": value.shape, "dtype": value.dtype, "keras_history": history(value)}
            return {"class_name": "__keras_tensor__", "config": fields}
        if isinstance(value, (list, tuple)):
            return (
                type(value)(map(convert, value))
                if type(value) in (list, tuple)
                else tuple(map(convert, value))
            )
        if isinstance(value, dict):
            return {k: convert(v) for k, v in value.items()}
        return serialize_keras_object(value)

    kwargs = {k: convert(v) for k, v in node.arguments.kwargs.items()}
    default = _training_default(node.operation)
    if default is not None and kwargs.get("training") is None:
        kwargs = {"training": default, **{k: v for k, v in kwargs.items() if k != "training"}}
    return {"args": convert(node.arguments.args), "kwargs": kwargs}


def _training_default(operation: Operation) -> Any:
    return operation._call_signature.training_default if isinstance(operation, Layer) else None


def graph_from_config(config: Mapping[str, Any], custom_objects: Any = None) -> tuple[Any, Any]:
    """Inputs and outputs, nested, of the graph that `graph_config` described.

    Raises:
        ValueError: the config is not of a graph, or refers to what it does not hold.
    """
    operations: dict[str, Operation] = {}
    tensors: dict[tuple[str, int], list[KerasTensor]] = {}
    waiting: list[tuple[str, int, Mapping[str, Any]]] = []
    for entry in config["layers"]:
        operation = deserialize_keras_object(entry, custom_objects=custom_objects)
        if not isinstance(operation, Operation):
            raise ValueError(
                f"The config lists {entry.get('class_name')!r} as a layer, which is neither "
                "a layer nor an op."
            )
        name = entry.get("name", operation.name)
        if name in operations:
            raise ValueError(f"The config has two layers named {name!r}.")
        operation.name = name
        operations[name] = operation
        if isinstance(operation, InputLayer):
            tensors[name, 0] = operation._inbound_nodes[0].outputs
        waiting.extend((name, i, node) for i, node in enumerate(entry.get("inbound_nodes", ())))
    while waiting:
        left = [item for item in waiting if not _make_node(operations[item[0]], item, tensors)]
        if len(left) == len(waiting):
            names = sorted({name for name, _, _ in left})
            raise ValueError(f"The layers {names} of the config have inputs that nothing makes.")
        waiting = left

    def find(ends: Any) -> Any:
        if isinstance(ends, dict):
            return {k: find(v) for k, v in ends.items()}
        if _is_history(ends):
            name, node, tensor = ends
            if (name, node) not in tensors:
                raise ValueError(f"The config refers to the unknown tensor {ends}.")
            return tensors[name, node][tensor]
        return [find(e) for e in ends]

    return find(config["input_layers"]), find(config["output_layers"])


def _is_history(value: Any) -> bool:
    return (
        isinstance(value, (list, tuple))
        and len(value) == 3
        and isinstance(value[0], str)
        and isinstance(value[1], int)
        and isinstance(value[2], int)
    )


class _NotYet(Exception):
    """An argument is made by a node that comes later."""


def _make_node(
    operation: Operation,
    item: tuple[str, int, Mapping[str, Any]],
    tensors: dict[tuple[str, int], list[KerasTensor]],
) -> bool:
    """Calls the operation as the config says; False if its inputs are not there yet."""
    name, index, node = item
    if not isinstance(node, Mapping) or "args" not in node:
        raise ValueError(
            f"The calls of layer {name!r} are written in the way of Keras 2, which is not read. "
            "Load the model with Keras 3 and save it again."
        )
    if index and (name, index - 1) not in tensors:
        return False

    def read(value: Any) -> Any:
        if isinstance(value, Mapping):
            if value.get("class_name") == "__keras_tensor__":
                layer, node_index, tensor_index = value["config"]["keras_history"]
                if (layer, node_index) not in tensors:
                    raise _NotYet
                return tensors[layer, node_index][tensor_index]
            if "class_name" in value and "config" in value:
                return deserialize_keras_object(value)
            return {k: read(v) for k, v in value.items()}
        if isinstance(value, (list, tuple)):
            return type(value)(read(v) for v in value)
        return value

    try:
        args = [read(a) for a in node["args"]]
        if isinstance(operation, OpOperation) and operation.op.name == "get_item":
            # JSON made a list of the tuple in x[:, 1].
            args = [tuple(a) if isinstance(a, list) else a for a in args]
        kwargs = {k: read(v) for k, v in node.get("kwargs", {}).items()}
    except _NotYet:
        return False
    if "training" in kwargs and kwargs["training"] == _training_default(operation):
        # Written for every layer with a default, it says nothing about this call.
        del kwargs["training"]
    outputs = operation(*args, **kwargs)
    tensors[name, index] = [outputs] if isinstance(outputs, KerasTensor) else given(outputs)
    return True


# -- pickles and deep copies ------------------------------------------------------------


def pack_graph(function: Function, operations: list[Operation]) -> dict[str, Any]:
    """The graph as flat data: pickling its objects as they hang together would recurse deeply."""
    number: dict[int, tuple[int, int]] = {}
    for i, tensor in enumerate(function.inputs):
        number[id(tensor)] = (-1, i)

    def refer(value: Any) -> Any:
        return tree.map_structure(
            lambda v: _Reference(*number[id(v)]) if isinstance(v, KerasTensor) else v, value
        )

    order = {id(op): i for i, op in enumerate(operations)}
    steps = []
    for n, node in enumerate(function.nodes):
        steps.append(
            (order[id(node.operation)], refer(node.arguments.args), refer(node.arguments.kwargs))
        )
        number.update({id(t): (n, i) for i, t in enumerate(node.outputs)})
    return {
        "operations": [
            op if isinstance(op, Layer) else serialize_keras_object(op) for op in operations
        ],
        "starts": [order[id(node_of(t).operation)] for t in function.inputs],
        "steps": steps,
        "inputs": refer(function._inputs_struct),
        "outputs": refer(function._outputs_struct),
    }


def unpack_graph(packed: Mapping[str, Any]) -> tuple[Any, Any]:
    """Inputs and outputs of the graph that `pack_graph` described."""
    operations = [
        op if isinstance(op, Layer) else deserialize_keras_object(op) for op in packed["operations"]
    ]
    results: list[list[KerasTensor]] = []
    starts = [operations[i]._inbound_nodes[0].outputs[0] for i in packed["starts"]]

    def find(value: Any) -> Any:
        return tree.map_structure(
            lambda v: (
                (starts if v.step < 0 else results[v.step])[v.index]
                if isinstance(v, _Reference)
                else v
            ),
            value,
        )

    for i, args, kwargs in packed["steps"]:
        results.append(given(operations[i](*find(args), **find(kwargs))))
    return find(packed["inputs"]), find(packed["outputs"])


class _Reference:
    """Stands for a tensor of a packed graph; step -1 holds the inputs."""

    def __init__(self, step: int, index: int):
        self.step = step
        self.index = index
