"""`Function`: a graph of operations, from input tensors to output tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kops import tree
from kops.backend import current
from kops.dim import Dim, Size, evaluate, symbols
from kops.keras_tensor import KerasTensor
from kops.operation import Node, Operation, given
from kops.registry import export

__all__ = ["Function", "sort_nodes"]


def sort_nodes(inputs: list[KerasTensor], outputs: list[KerasTensor]) -> list[Node]:
    """Nodes between `inputs` and `outputs`, each after those it needs.

    Raises:
        ValueError: if an output depends on a tensor that no input leads to.
    """
    known = {id(t) for t in inputs}
    order: list[Node] = []
    done: set[int] = set()
    # Explicit stack: graphs can be deeper than Python's recursion limit.
    for output in outputs:
        stack: list[tuple[KerasTensor, bool]] = [(output, False)]
        while stack:
            tensor, expanded = stack.pop()
            history = tensor._keras_history
            if id(tensor) in known:
                continue
            if history is None:
                raise ValueError(
                    f"The graph is disconnected: {tensor!r} cannot be computed from the "
                    f"inputs {inputs}."
                )
            node = history.operation._inbound_nodes[history.node_index]
            if id(node) in done:
                continue
            if expanded:
                done.add(id(node))
                order.append(node)
                continue
            if node.is_input and not getattr(history.operation, "_makes_tensors", False):
                raise ValueError(
                    f"The graph is disconnected: the input {tensor!r} of "
                    f"{history.operation.name!r} is not among the given inputs."
                )
            stack.append((tensor, True))
            stack.extend((t, False) for t in reversed(node.input_tensors))
    return order


@export("keras.Function")
class Function(Operation):
    """A graph of operations that can be called like one operation.

    Args:
        inputs: symbolic tensors, nested.
        outputs: symbolic tensors computed from `inputs`, nested.
        name: name; made from the class name if None.

    Example:

    >>> import numpy as np, kops
    >>> x = kops.KerasTensor((None, 2))
    >>> double = kops.Function(x, x * 2)
    >>> np.asarray(kops.ops.convert_to_numpy(double(np.ones((1, 2), "float32")))).tolist()
    [[2.0, 2.0]]
    """

    def __init__(self, inputs: Any, outputs: Any, name: str | None = None):
        super().__init__(name=name)
        self._init_graph(inputs, outputs)

    def _init_graph(self, inputs: Any, outputs: Any) -> None:
        self._inputs_struct = tree.map_structure(lambda x: x, inputs)
        self._outputs_struct = tree.map_structure(lambda x: x, outputs)
        self._inputs: list[KerasTensor] = tree.flatten(inputs)
        self._outputs: list[KerasTensor] = tree.flatten(outputs)
        for what, tensors in (("inputs", self._inputs), ("outputs", self._outputs)):
            for t in tensors:
                if not isinstance(t, KerasTensor):
                    raise ValueError(f"`{what}` must be symbolic tensors (KerasTensor); got {t!r}.")
        if not self._outputs:
            raise ValueError("`outputs` is empty.")
        self._nodes = sort_nodes(self._inputs, self._outputs)
        self._needs_dims = any(getattr(n.operation, "_has_dims", False) for n in self._nodes)

    @property
    def nodes(self) -> list[Node]:
        """Nodes in the order in which they run (the inputs' own nodes are not among them)."""
        return list(self._nodes)

    @property
    def operations(self) -> list[Operation]:
        """Operations in the order of their first call, each once."""
        return list(dict.fromkeys(n.operation for n in self._nodes))

    @property
    def inputs(self) -> list[KerasTensor]:
        """Flat list of the symbolic inputs."""
        return self._inputs

    @property
    def outputs(self) -> list[KerasTensor]:
        """Flat list of the symbolic outputs."""
        return self._outputs

    def call(self, inputs: Any) -> Any:
        """Runs the graph on values nested like the inputs."""
        tree.assert_same_structure(self._inputs_struct, inputs)
        outputs = self._run(tree.flatten(inputs))
        return tree.pack_sequence_as(self._outputs_struct, outputs)

    def compute_output_spec(self, inputs: Any) -> Any:
        """Symbolic outputs for symbolic inputs."""
        tree.assert_same_structure(self._inputs_struct, inputs)
        outputs = self._run(tree.flatten(inputs), lambda op: op.compute_output_spec)
        return tree.pack_sequence_as(self._outputs_struct, outputs)

    def compute_output_shape(self, input_shape: Any) -> Any:
        """Output shapes for input shapes."""
        shapes = tree.map_shape_structure(
            lambda s: KerasTensor(s, record_history=False), input_shape
        )
        flat = [
            KerasTensor(s.shape, dtype=t.dtype)
            for s, t in zip(tree.flatten(shapes), self._inputs, strict=True)
        ]
        outputs = self._run(flat, lambda op: op.compute_output_spec)
        return tree.pack_sequence_as(self._outputs_struct, [o.shape for o in outputs])

    def _run(
        self,
        flat_inputs: list[Any],
        operation_fn: Callable[[Operation], Callable[..., Any]] | None = None,
    ) -> list[Any]:
        """Runs the graph on a flat list of values (eager or symbolic).

        `operation_fn` gives what to call in place of each operation.
        """
        if len(flat_inputs) != len(self._inputs):
            raise ValueError(
                f"{self.name!r} takes {len(self._inputs)} input tensors; got {len(flat_inputs)}."
            )
        values = {id(t): v for t, v in zip(self._inputs, flat_inputs, strict=True)}
        env: dict[int, Size] | None = None
        if self._needs_dims:
            env = {}
            for t, v in zip(self._inputs, flat_inputs, strict=True):
                bind_symbols(t, v, env)
        for node in self._nodes:
            operation = node.operation
            args, kwargs = node.arguments.fill(values)
            if env is not None and getattr(operation, "_has_dims", False):
                operation = operation.with_dims(env)  # type: ignore[attr-defined]
                args = evaluate(args, env)
                kwargs = {k: evaluate(v, env) for k, v in kwargs.items()}
            fn = operation if operation_fn is None else operation_fn(operation)
            outputs = fn(*args, **kwargs)
            alone = len(node.outputs) == 1 and not isinstance(outputs, (list, tuple, dict))
            flat = [outputs] if alone else given(outputs)
            for t, v in zip(node.outputs, flat, strict=True):
                values[id(t)] = v
                if env is not None:
                    bind_symbols(t, v, env)
        return [values[id(t)] for t in self._outputs]


def bind_symbols(tensor: KerasTensor, value: Any, env: dict[int, Size]) -> None:
    """Notes what the unknown sizes of `tensor` are in `value` (an array or a KerasTensor)."""
    if value is None:
        return
    sizes = value.dims if isinstance(value, KerasTensor) else current().shape(value)
    for dim, size in zip(tensor.dims, sizes, strict=False):
        if isinstance(dim, Dim) and dim.symbol is not None:
            env.setdefault(dim.symbol, size)


def unknown_symbols(tensors: list[KerasTensor]) -> set[int]:
    """Numbers of all unknown sizes in the shapes of `tensors`."""
    return symbols(d for t in tensors for d in t.dims)
