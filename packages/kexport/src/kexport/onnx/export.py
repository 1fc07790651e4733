"""Writing a model as an ONNX file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import onnx
from onnx import helper

from kexport.onnx.graph import ONNX_DTYPES, Graph, Value
from kexport.onnx.lowering import lower
from kexport.tracing import input_signature_of, trace
from kops import KerasTensor, tree
from kops.dim import Dim

__all__ = ["export_onnx"]

_OPSET = 20  # the first with Gelu
_IR_VERSION = 10
_MAX_PROTO = 2**31 - 2**20


def export_onnx(
    model: Any, filepath: str | os.PathLike[str], input_signature: Any = None
) -> onnx.ModelProto:
    """Writes a model as an ONNX file with a free batch size.

    The graph comes from the model's ops, so that every engine writes the same file and none
    but the active one is imported.

    Args:
        model: built model or layer.
        filepath: path of the file.
        input_signature: what the inputs are like; from the model itself if None.

    Returns:
        The ONNX model.

    Raises:
        ValueError: if the model is not built or its inputs are unknown.
        NotImplementedError: for an op that ONNX cannot express.
    """
    proto = to_onnx(model, input_signature)
    path = Path(os.fspath(filepath))
    part = path.with_name(f".{path.name}.part")
    try:
        large = proto.ByteSize() > _MAX_PROTO
        onnx.save(proto, str(part), save_as_external_data=large, location=f"{path.name}.data")
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
    return proto


def to_onnx(model: Any, input_signature: Any = None) -> onnx.ModelProto:
    """The ONNX model, without a file."""
    inputs = input_signature_of(model, input_signature)
    function = trace(model, inputs)
    graph = Graph()
    flat = tree.flatten(inputs)
    names = _input_names(inputs, flat)
    for tensor, name in zip(flat, names, strict=True):
        graph.bind(tensor, Value(graph.unique(name), tensor.dtype, tensor.dims))
    in_values = [graph.values[id(t)] for t in flat]
    results = lower(graph, function)
    out_values = _name_outputs(graph, results)
    # Sizes that are one in the model are one name in the file.
    symbols: dict[Any, str] = {}
    proto = helper.make_model(
        helper.make_graph(
            graph.nodes,
            model.name,
            [_info(v, symbols) for v in in_values],
            [_info(v, symbols) for v in out_values],
            _used(graph),
        ),
        opset_imports=[helper.make_opsetid("", _OPSET)],
        ir_version=_IR_VERSION,
        producer_name="kexport",
    )
    onnx.checker.check_model(proto)
    return proto


def _used(graph: Graph) -> list[onnx.TensorProto]:
    """The constants that nodes read: some were only material for others."""
    names = {name for node in graph.nodes for name in node.input}
    return [c for c in graph.initializers if c.name in names]


def _input_names(inputs: Any, flat: list[KerasTensor]) -> list[str]:
    if isinstance(inputs, dict):
        return [str(k) for k in sorted(inputs)] if len(inputs) == len(flat) else _numbered(flat)
    named = [t._name for t in flat]
    if all(named) and len(set(named)) == len(named):
        return [str(n) for n in named]
    return _numbered(flat)


def _numbered(flat: list[Any]) -> list[str]:
    return ["input"] if len(flat) == 1 else [f"input_{i}" for i in range(len(flat))]


def _name_outputs(graph: Graph, results: list[Value]) -> list[Value]:
    """Gives the results names of their own: a graph's output must be the output of a node."""
    named = []
    for i, value in enumerate(results):
        name = graph.unique("output" if len(results) == 1 else f"output_{i}")
        graph.nodes.append(helper.make_node("Identity", [value.name], [name], name=f"node_{name}"))
        named.append(value._replace(name=name))
    return named


def _info(value: Value, symbols: dict[Any, str]) -> onnx.ValueInfoProto:
    shape: list[int | str] = []
    for size in value.dims:
        if isinstance(size, Dim):
            if size not in symbols:
                symbols[size] = "batch" if not symbols else f"size_{len(symbols)}"
            shape.append(symbols[size])
        else:
            shape.append(size)
    return helper.make_tensor_value_info(value.name, ONNX_DTYPES[value.dtype], shape)
