"""`Operation` and `Node`: what a graph is made of."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from kops import tree
from kops.keras_tensor import KerasHistory, KerasTensor, any_symbolic
from kops.naming import auto_name
from kops.registry import export
from kops.scopes import state

__all__ = ["Arguments", "Node", "Operation", "given"]


class Arguments:
    """Arguments of one call, with the symbolic tensors among them picked out."""

    __slots__ = ("_flat", "args", "keras_tensors", "kwargs")

    def __init__(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]):
        self.args = args
        self.kwargs = dict(kwargs)
        found: list[KerasTensor] = []
        _collect((args, self.kwargs), found)
        self.keras_tensors = found

    def fill(self, values: Mapping[int, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments with each symbolic tensor replaced by `values[id(tensor)]`."""
        if len(self.args) == 1 and not self.kwargs and isinstance(self.args[0], KerasTensor):
            return (values[id(self.args[0])],), {}
        return _replace(self.args, values), _replace(self.kwargs, values)


def _collect(value: Any, found: list[KerasTensor]) -> None:
    if isinstance(value, KerasTensor):
        found.append(value)
    elif isinstance(value, (tuple, list)):
        for v in value:
            _collect(v, found)
    elif isinstance(value, dict):
        for v in value.values():
            _collect(v, found)


def _replace(value: Any, values: Mapping[int, Any]) -> Any:
    if isinstance(value, KerasTensor):
        return values[id(value)]
    if isinstance(value, tuple):
        items = [_replace(v, values) for v in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    if isinstance(value, list):
        return [_replace(v, values) for v in value]
    if isinstance(value, dict):
        return {k: _replace(v, values) for k, v in value.items()}
    return value


def given(structure: Any) -> list[Any]:
    """The leaves that are not None."""
    return [leaf for leaf in tree.flatten(structure) if leaf is not None]


class Node:
    """One symbolic call of an operation: the edges of a graph.

    Args:
        operation: what was called.
        args: positional arguments.
        kwargs: keyword arguments.
        outputs: symbolic results, nested as the call returned them; None among them counts
            for nothing.

    Raises:
        ValueError: if `outputs` holds something else.
    """

    def __init__(
        self,
        operation: Operation,
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
        outputs: Any = None,
    ):
        self.operation = operation
        self.arguments = Arguments(args, kwargs or {})
        self.outputs: list[KerasTensor] = (
            [outputs] if isinstance(outputs, KerasTensor) else given(outputs)
        )
        for tensor in self.outputs:
            if not isinstance(tensor, KerasTensor):
                raise ValueError(
                    f"{operation!r} must return tensors (or None) when it is called on symbolic "
                    f"tensors; it returned {tensor!r}."
                )
        index = len(operation._inbound_nodes)
        operation._inbound_nodes.append(self)
        for tensor in self.arguments.keras_tensors:
            if tensor._keras_history is not None:
                tensor._keras_history.operation._outbound_nodes.append(self)
        for i, tensor in enumerate(self.outputs):
            tensor._keras_history = KerasHistory(operation, index, i)

    @property
    def input_tensors(self) -> list[KerasTensor]:
        """Symbolic tensors among the arguments, in order."""
        return self.arguments.keras_tensors

    @property
    def output_tensors(self) -> list[KerasTensor]:
        """Symbolic results, flattened."""
        return self.outputs

    @property
    def is_input(self) -> bool:
        """Whether this is where a graph starts."""
        return not self.arguments.keras_tensors

    @property
    def parent_nodes(self) -> list[Node]:
        """The nodes that made the input tensors."""
        return [
            t._keras_history.operation._inbound_nodes[t._keras_history.node_index]
            for t in self.input_tensors
            if t._keras_history is not None
        ]

    def __repr__(self) -> str:
        return f"<Node operation={self.operation.name}>"


@export("keras.Operation")
class Operation:
    """Something that is called on tensors, eagerly or to make a graph.

    A subclass defines `call` and, for symbolic calls, `compute_output_spec`.

    Args:
        name: name; made from the class name if None.
    """

    _auto_name_prefix: str | None = None

    def __init__(self, name: str | None = None):
        if name is None:
            name = auto_name(self._auto_name_prefix or type(self).__name__)
        if not isinstance(name, str) or "/" in name:
            raise ValueError(f"`name` must be a string without '/'; got {name!r}.")
        self.name = name
        self._inbound_nodes: list[Node] = []
        self._outbound_nodes: list[Node] = []

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if any_symbolic(args) or (kwargs and any_symbolic(kwargs)):
            return self.symbolic_call(*args, **kwargs)
        return self.call(*args, **kwargs)

    def call(self, *args: Any, **kwargs: Any) -> Any:
        """The computation; defined by the subclass."""
        raise NotImplementedError(f"{type(self).__name__} defines no `call` method.")

    def compute_output_spec(self, *args: Any, **kwargs: Any) -> Any:
        """Symbolic results for symbolic arguments."""
        raise NotImplementedError(
            f"{type(self).__name__} defines no `compute_output_spec`, so it cannot be called "
            "on symbolic tensors."
        )

    def symbolic_call(self, *args: Any, **kwargs: Any) -> Any:
        """Infers the results and records the call as a graph node."""
        outputs = self.compute_output_spec(*args, **kwargs)
        scope = state.symbolic
        if scope is None or scope.record:
            Node(self, args, kwargs, outputs)
        return outputs

    # -- configuration ----------------------------------------------------------------

    def get_config(self) -> dict[str, Any]:
        """Constructor arguments; a subclass with more than `name` adds its own."""
        return {"name": self.name}

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Operation:
        """The object that `get_config` described."""
        config = dict(config)
        try:
            return cls(**config)
        except TypeError as e:
            accepted = [p for p in inspect.signature(cls.__init__).parameters if p != "self"]
            raise TypeError(
                f"Cannot make {cls.__name__} from its config {config}: {e}. "
                f"The constructor accepts {accepted}."
            ) from e

    # -- the graph around it ----------------------------------------------------------

    def _first_node(self, what: str) -> Node:
        if not self._inbound_nodes:
            raise AttributeError(
                f"{type(self).__name__} {self.name!r} was never called on symbolic tensors, so "
                f"`{what}` is not defined."
            )
        return self._inbound_nodes[0]

    @property
    def input(self) -> Any:
        """Symbolic input of the first call of this operation."""
        tensors = self._first_node("input").input_tensors
        return tensors[0] if len(tensors) == 1 else tensors

    @property
    def output(self) -> Any:
        """Symbolic output of the first call of this operation."""
        tensors = self._first_node("output").output_tensors
        return tensors[0] if len(tensors) == 1 else tensors

    def __repr__(self) -> str:
        return f"<Operation name={self.name}>"


OperationFn = Callable[[Operation], Callable[..., Any]]
