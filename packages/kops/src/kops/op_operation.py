"""`OpOperation`: an op with its attributes fixed, what a graph node holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from kops import config
from kops.dim import Size, evaluate, has_dim
from kops.fast_path import MISSING
from kops.operation import Operation

if TYPE_CHECKING:
    from kops.op import Op

__all__ = ["OpOperation"]

_SETTINGS = {"data_format": config.image_data_format, "dtype": config.floatx}


class OpOperation(Operation):
    """An op with its attributes fixed: what a graph node holds."""

    op: Op
    _makes_tensors = True  # a node of it without symbolic arguments is no graph input

    def __init__(self, *args: Any, name: str | None = None, **kwargs: Any):
        op = self.op
        kwargs.pop("dtype", None) if "dtype" not in op.index else None
        super().__init__(name=name)
        names = [op.params[i].name for i in op.attr_indices]
        if len(args) > len(names):
            raise TypeError(f"{op.class_name} takes {names}; got {len(args)} arguments.")
        given = dict(zip(names, args, strict=False)) | kwargs
        if op.var_keyword is not None:  # further arguments stand in the config beside the others
            rest = op.params[op.var_keyword].name
            more = given.keys() - set(names)
            given[rest] = {**given.get(rest, {}), **{n: given.pop(n) for n in more}}
        unknown = given.keys() - set(names)
        if unknown:
            raise TypeError(f"{op.class_name} takes {names}; got {sorted(unknown)}.")
        self.attributes: dict[str, Any] = {
            n: given.get(n, op.params[op.index[n]].default) for n in names
        }
        if op.family == "nn":  # the graph keeps what the settings were when it was made
            for n, setting in _SETTINGS.items():
                if n in self.attributes and self.attributes[n] is None:
                    self.attributes[n] = setting()
        missing = [n for n, v in self.attributes.items() if v is MISSING]
        if missing:
            raise TypeError(f"{op.class_name} is missing the arguments {missing}.")
        self._has_dims = any(has_dim(v) for v in self.attributes.values())

    def values(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> list[Any]:
        """All arguments of the op, in order, for a call of this operation."""
        op = self.op
        values = list(op.defaults)
        for name, value in self.attributes.items():
            values[op.index[name]] = value
        rest = list(args)
        for i in op.tensor_indices:
            if i == op.var_positional:
                values[i], rest = tuple(rest), []
            elif rest and not op.params[i].keyword_only:
                values[i] = rest.pop(0)
        if rest:
            raise TypeError(f"{op.class_name} got {len(args)} tensors, more than it takes.")
        for name, value in kwargs.items():
            if name not in op.index:
                raise TypeError(f"{op.class_name} got an unexpected argument {name!r}.")
            values[op.index[name]] = value
        for i in op.tensor_indices:
            if values[i] is MISSING:
                raise TypeError(f"{op.class_name} is missing {op.params[i].name!r}.")
        return values

    def call(self, *args: Any, **kwargs: Any) -> Any:
        return self.op._call(self.op.function, self.values(args, kwargs))

    def compute_output_spec(self, *args: Any, **kwargs: Any) -> Any:
        return self.op.infer(self.values(args, kwargs))

    def with_dims(self, env: Mapping[int, Size]) -> OpOperation:
        """This operation with the unknown sizes in its attributes replaced."""
        copy = type(self).__new__(type(self))
        copy.__dict__.update(self.__dict__)
        copy._inbound_nodes, copy._outbound_nodes = [], []
        copy.attributes = {k: evaluate(v, env) for k, v in self.attributes.items()}
        return copy

    def get_config(self) -> dict[str, Any]:
        config = {**self.attributes, "name": self.name}
        if self.op.var_keyword is not None:
            config |= config.pop(self.op.params[self.op.var_keyword].name)
        return config
