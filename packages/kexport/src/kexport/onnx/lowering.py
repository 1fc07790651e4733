"""From a graph of ops to an ONNX graph.

An op whose name has an emitter becomes ONNX nodes; a composite without one becomes its
body, traced; anything else is an error that names the op.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from kexport.onnx import elementwise, nn, shapes
from kexport.onnx.graph import Graph, Value
from kops import Function, KerasTensor, tree
from kops.function import sort_nodes
from kops.keras_tensor import any_symbolic
from kops.op import Op
from kops.operation import Node

__all__ = ["EMITTERS", "lower"]

EMITTERS: dict[str, Callable[..., Any]] = {
    **elementwise.EMITTERS,
    **shapes.EMITTERS,
    **nn.EMITTERS,
}
"""`{op: emit}`. `emit(graph, *arguments)` gets tensors as `Value`s, cast as the op's dtype rule
says, and the other arguments as they are; `graph.out` is what the op's spec says of the result."""


def lower(graph: Graph, function: Function) -> list[Value]:
    """Adds the nodes of a traced function, whose inputs are bound already; returns its outputs."""
    _lower_nodes(graph, function.nodes)
    return [graph.tensor(o) for o in function.outputs]


def _lower_nodes(graph: Graph, nodes: Iterable[Node]) -> None:
    for node in nodes:
        operation: Any = node.operation
        args, kwargs = node.arguments.args, node.arguments.kwargs
        results = _emit(graph, operation.op, operation.values(args, kwargs), node.outputs)
        for tensor, value in zip(node.outputs, results, strict=True):
            if value is not None:
                graph.bind(tensor, value._replace(dims=tensor.dims))


def _emit(graph: Graph, op: Op, values: list[Any], outputs: list[KerasTensor]) -> list[Value]:
    emitter = EMITTERS.get(op.name)
    if emitter is not None:
        graph.out = outputs[0] if len(outputs) == 1 else outputs
        if op.name == "split":
            graph.out = outputs
        try:
            return _as_list(op._call(_bound(emitter, graph), _arguments(graph, op, values)))
        except nn.Descend:
            pass
    if op.body is None:
        raise NotImplementedError(
            f"The op {op.name!r} has no ONNX form. Leave it out of the exported model, or apply "
            "it before or after."
        )
    return _descend(graph, op, values)


def _bound(emitter: Callable[..., Any], graph: Graph) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        return emitter(graph, *args, **kwargs)

    return call


def _arguments(graph: Graph, op: Op, values: list[Any]) -> list[Any]:
    """The op's arguments with its tensors as values of the graph, cast by its dtype rule."""
    specs = op.specs(values)
    arguments = list(values)
    for i in op.tensor_indices:
        value, spec = values[i], specs[i]
        if value is None or isinstance(spec, tuple):
            continue  # an index, which may hold tensors but is none
        if op.params[i].kind == "tensors":
            arguments[i] = [graph.tensor(v, s.dtype) for v, s in zip(value, spec, strict=True)]
        else:
            arguments[i] = graph.tensor(value, spec.dtype)
    return arguments


def _descend(graph: Graph, op: Op, values: list[Any]) -> list[Value]:
    """Emits a composite's body."""
    fresh, result = op.trace_body(values)
    specs = op.specs(values)
    inputs: list[KerasTensor] = []
    for i in op.tensor_indices:
        if not any_symbolic(values[i]):
            continue
        olds = values[i] if isinstance(values[i], (list, tuple)) else [values[i]]
        news = fresh[i] if isinstance(fresh[i], (list, tuple)) else [fresh[i]]
        wanted = specs[i] if isinstance(specs[i], list) else [specs[i]]
        for old, new, spec in zip(olds, news, wanted, strict=True):
            graph.bind(new, graph.tensor(old, spec.dtype))
            inputs.append(new)
    results = tree.flatten(result)
    _lower_nodes(graph, sort_nodes(inputs, [r for r in results if isinstance(r, KerasTensor)]))
    return [graph.tensor(r) for r in results]


def _as_list(results: Any) -> list[Any]:
    return (
        list(results)
        if isinstance(results, (list, tuple)) and not isinstance(results, Value)
        else [results]
    )
