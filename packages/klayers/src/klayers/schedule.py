"""A graph as a list of steps over numbered slots: what a functional model runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kops.function import Function
from kops.keras_tensor import KerasTensor
from kops.op_operation import OpOperation
from kops.operation import Node, Operation, given

__all__ = ["Schedule"]


class _Slot:
    """Stands for a value in the arguments of a step."""

    __slots__ = ("index",)

    def __init__(self, index: int):
        self.index = index


Step = tuple[Callable[..., Any], Any, Any, Any, tuple[int, ...]]


def callable_of(operation: Operation) -> Callable[..., Any]:
    """What to call for an operation of a graph: layers whole, ops directly."""
    return operation.call if isinstance(operation, OpOperation) else operation


class Schedule:
    """Steps in order; each says what to call, where its arguments are, where results go.

    Args:
        function: the graph.
    """

    def __init__(self, function: Function):
        self._function = function
        self._needs_dims = function._needs_dims
        self._slots: dict[int, int] = {}
        self._n = 0
        for tensor in function.inputs:
            self._slots[id(tensor)] = self._new_slot()
        nodes = function.nodes
        last_use = self._number(nodes)
        keep = {self._slots[id(t)] for t in function.outputs}
        self._outputs = [self._slots[id(t)] for t in function.outputs]
        self._steps = [self._step(i, node, last_use, keep) for i, node in enumerate(nodes)]

    def _new_slot(self) -> int:
        self._n += 1
        return self._n - 1

    def _number(self, nodes: list[Node]) -> dict[int, int]:
        """Gives every tensor a slot; returns which step uses each slot last."""
        last_use: dict[int, int] = {}
        for i, node in enumerate(nodes):
            for tensor in node.input_tensors:
                last_use[self._slots[id(tensor)]] = i
            for tensor in node.outputs:
                slot = self._slots[id(tensor)] = self._new_slot()
                last_use[slot] = max(last_use.get(slot, -1), i)
        return last_use

    def _step(self, i: int, node: Node, last_use: dict[int, int], keep: set[int]) -> Step:
        args, kwargs = node.arguments.args, node.arguments.kwargs
        if len(args) == 1 and not kwargs and isinstance(args[0], KerasTensor):
            argument: Any = self._slots[id(args[0])]
            keywords: Any = None
        else:
            argument = tuple(self._template(a) for a in args)
            keywords = {k: self._template(v) for k, v in kwargs.items()}
        outputs: Any = [self._slots[id(t)] for t in node.outputs]
        used = {self._slots[id(t)] for t in node.input_tensors} | set(outputs)
        done = tuple(s for s in used if last_use[s] == i and s not in keep)
        result = outputs[0] if len(outputs) == 1 else outputs
        return callable_of(node.operation), argument, keywords, result, done

    def _template(self, value: Any) -> Any:
        if isinstance(value, KerasTensor):
            return _Slot(self._slots[id(value)])
        if isinstance(value, tuple):
            items = [self._template(v) for v in value]
            return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
        if isinstance(value, list):
            return [self._template(v) for v in value]
        if isinstance(value, dict):
            return {k: self._template(v) for k, v in value.items()}
        return value

    def run(self, inputs: list[Any]) -> list[Any]:
        """Values of the graph's outputs for values of its inputs, both flat."""
        if self._needs_dims:
            return self._function._run(inputs, callable_of)
        values: list[Any] = [None] * self._n
        values[: len(inputs)] = inputs
        for call, argument, keywords, result, done in self._steps:
            if keywords is None:
                out = call(values[argument])
            else:
                out = call(
                    *[_fill(a, values) for a in argument],
                    **{k: _fill(v, values) for k, v in keywords.items()},
                )
            if result.__class__ is int:
                if out.__class__ in _CONTAINERS:
                    (out,) = given(out)
                values[result] = out
            else:
                for slot, value in zip(result, given(out), strict=True):
                    values[slot] = value
            for slot in done:  # lets go of what no later step needs
                values[slot] = None
        return [values[slot] for slot in self._outputs]


_CONTAINERS = (list, tuple, dict)


def _fill(value: Any, values: list[Any]) -> Any:
    kind = value.__class__
    if kind is _Slot:
        return values[value.index]
    if kind is list:
        return [_fill(v, values) for v in value]
    if kind is tuple:
        return tuple([_fill(v, values) for v in value])
    if isinstance(value, tuple):
        return type(value)(*[_fill(v, values) for v in value])
    if kind is dict:
        return {k: _fill(v, values) for k, v in value.items()}
    return value
