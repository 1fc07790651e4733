"""`Functional`: a model made of a graph of layers and ops."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Mapping
from typing import Any

from klayers.calls import describe
from klayers.graph import (
    graph_config,
    graph_from_config,
    is_input_tensor,
    node_of,
    order_operations,
    pack_graph,
    unpack_graph,
    with_inputs,
)
from klayers.input_layer import InputLayer
from klayers.input_spec import InputSpec
from klayers.layer import Layer
from klayers.model import Model
from klayers.recording import automatic_config, is_built_in
from klayers.schedule import Schedule
from kops import dtypes, ops, tree
from kops.backend import current
from kops.function import Function
from kops.keras_tensor import KerasTensor
from kops.masks import set_mask
from kops.operation import Operation
from kops.registry import export

__all__ = ["Functional"]


@export("keras.src.models.functional.Functional")
class Functional(Model):
    """A model given by symbolic inputs and the outputs computed from them.

    Args:
        inputs: symbolic tensors, alone or nested in lists, tuples and dictionaries.
        outputs: symbolic tensors computed from `inputs`, nested likewise.
        name: name.

    Example:

    >>> import numpy as np
    >>> from klayers import Input, Model, layers
    >>> a, b = Input((2,), name="a"), Input((2,), name="b")
    >>> model = Model({"a": a, "b": b}, {"sum": layers.Add()([a, b])})
    >>> ones = np.ones((1, 2), "float32")
    >>> model.predict({"a": ones, "b": ones}, verbose=0)["sum"].tolist()
    [[2.0, 2.0]]
    """

    _allow_non_tensor_positional_args = True
    _function: Function
    _schedule: Schedule | None
    _operations: list[Operation]
    _input_names: list[str]

    def __init__(self, inputs: Any, outputs: Any, name: str | None = None, **kwargs: Any):
        super().__init__(name=name, **kwargs)
        self._set_graph(inputs, outputs)
        if not self._trainable:
            self.trainable = False

    def _set_graph(self, inputs: Any, outputs: Any) -> None:
        for tensor in tree.flatten(inputs):
            if not isinstance(tensor, KerasTensor):
                raise ValueError(
                    "`inputs` must be symbolic tensors made with `Input`; got "
                    f"{describe(tensor)} (of type {type(tensor).__name__})."
                )
        for tensor in tree.flatten(outputs):
            if not isinstance(tensor, KerasTensor):
                raise ValueError(
                    "`outputs` must be symbolic tensors computed from `inputs`; got "
                    f"{describe(tensor)} (of type {type(tensor).__name__})."
                )
        inputs, outputs = with_inputs(inputs, outputs)
        function = Function(inputs, outputs, name=self.name)
        fields = self.__dict__
        fields["_function"] = function
        fields["_schedule"] = None
        fields["_operations"] = order_operations(function.inputs, function.outputs)
        fields["_input_names"] = [t._keras_history.operation.name for t in function.inputs]  # type: ignore[union-attr]
        if len(set(map(id, function.inputs))) < len(function.inputs):
            raise ValueError(f"`inputs` holds the same tensor twice; got {inputs}.")
        _check_names(self._operations, self.name)
        for layer in self._graph_layers():
            self._tracker.add("layer", layer)
        self._input_spec = _input_specs(function, self._input_names)
        fields["built"] = True
        fields["_build_shapes"] = {"input_shape": None}
        self._reset_plan()

    def _graph_layers(self) -> list[Layer]:
        return [op for op in self._operations if isinstance(op, Layer)]

    # -- structure -----------------------------------------------------------------------

    @property
    def layers(self) -> list[Layer]:
        """Layers of the graph, from inputs to outputs."""
        return self._graph_layers()

    @property
    def operations(self) -> list[Operation]:
        """Layers and ops of the graph, from inputs to outputs."""
        return list(self._operations)

    @property
    def inputs(self) -> list[KerasTensor]:
        """Flat list of the symbolic inputs."""
        return self._function.inputs

    @property
    def outputs(self) -> list[KerasTensor]:
        """Flat list of the symbolic outputs."""
        return self._function.outputs

    @property
    def input(self) -> Any:
        """Symbolic inputs, nested as they were given."""
        return self._function._inputs_struct

    @property
    def output(self) -> Any:
        """Symbolic outputs, nested as they were given."""
        return self._function._outputs_struct

    @property
    def input_names(self) -> list[str]:
        """Names of the inputs."""
        return list(self._input_names)

    @property
    def output_names(self) -> list[str]:
        """Names of the operations that the outputs come out of."""
        return [node_of(t).operation.name for t in self.outputs]

    @property
    def input_shape(self) -> Any:
        """Shapes of the inputs, nested likewise."""
        return tree.map_structure(lambda t: t.shape, self.input)

    @property
    def output_shape(self) -> Any:
        """Shapes of the outputs, nested likewise."""
        return tree.map_structure(lambda t: t.shape, self.output)

    # -- running -------------------------------------------------------------------------

    def call(self, inputs: Any, training: Any = None, mask: Any = None, **kwargs: Any) -> Any:
        """Runs the graph.

        Args:
            inputs: values nested like the model's inputs, or a dictionary by input name.
            training: handed down to layers that were not given their own when the graph
                was made.
            mask: mask(s) of the inputs.
        """
        del training, kwargs  # layers find `training` in the call around them
        flat = self._standardize(inputs)
        if mask is not None:
            for x, m in zip(flat, tree.flatten(mask), strict=False):
                if m is not None:
                    set_mask(x, m)
        schedule = self._schedule
        if schedule is None:
            schedule = self.__dict__["_schedule"] = Schedule(self._function)
        outputs = schedule.run(flat)
        structure = self._function._outputs_struct
        if isinstance(structure, KerasTensor):
            return outputs[0]
        return tree.pack_sequence_as(structure, outputs)

    def _convert_one(self, x: Any, record: bool) -> Any:
        return x  # the inputs' own dtypes decide, see _standardize

    def _standardize(self, inputs: Any) -> list[Any]:
        """Flat list of input values, each with the dtype and rank of its `Input`."""
        expected = self._function.inputs
        flat = self._flatten_inputs(inputs)
        return [
            _fit(x, t, n, self.name)
            for x, t, n in zip(flat, expected, self._input_names, strict=True)
        ]

    def _flatten_inputs(self, inputs: Any) -> list[Any]:
        structure = self._function._inputs_struct
        single = isinstance(structure, KerasTensor)
        if single and not isinstance(inputs, (dict, list, tuple)):
            return [inputs]
        if isinstance(inputs, dict):
            if not isinstance(structure, dict):
                return [
                    self._by_name(inputs, n, t)
                    for n, t in zip(self._input_names, self.inputs, strict=True)
                ]
            missing = [k for k in structure if k not in inputs and not _optional(structure[k])]
            if missing:
                raise self._missing(missing, inputs)
            inputs = {k: inputs.get(k) for k in structure}
        flat = tree.flatten(inputs)
        if len(flat) != len(self.inputs):
            raise ValueError(
                f"Model {self.name!r} takes {len(self.inputs)} input(s), named "
                f"{self._input_names}; got {len(flat)}: {describe(inputs)}."
            )
        if isinstance(structure, dict) and not isinstance(inputs, dict):
            warnings.warn(
                f"Model {self.name!r} takes a dictionary with the keys {sorted(structure)}; got a "
                f"{type(inputs).__name__}, whose entries are taken in the order of the sorted "
                "keys.",
                stacklevel=4,
            )
        return flat

    def _by_name(self, inputs: Mapping[str, Any], name: str, tensor: KerasTensor) -> Any:
        if name in inputs:
            return inputs[name]
        if _optional(tensor):
            return None
        raise self._missing([name], inputs)

    def _missing(self, names: list[str], inputs: Mapping[str, Any]) -> ValueError:
        return ValueError(
            f"The dictionary passed to model {self.name!r} lacks {names}; it has "
            f"{sorted(map(str, inputs))}. The model's inputs are named {self._input_names}."
        )

    # -- symbolic ------------------------------------------------------------------------

    def compute_output_spec(
        self, inputs: Any, training: Any = None, mask: Any = None, **kwargs: Any
    ) -> Any:
        """Symbolic outputs for symbolic inputs."""
        del training, mask, kwargs
        flat = self._standardize(inputs)
        if all(_same_spec(x, t) for x, t in zip(flat, self.inputs, strict=True)):
            outputs = [KerasTensor(t.shape, t.dtype, sparse=t.sparse) for t in self.outputs]
        else:
            copies = [None if x is None else KerasTensor.of(x.dims, x.dtype) for x in flat]
            outputs = self._function._run(copies, lambda op: op.compute_output_spec)
            outputs = [KerasTensor(t.shape, t.dtype) for t in outputs]
        return tree.pack_sequence_as(self._function._outputs_struct, outputs)

    def compute_output_shape(self, input_shape: Any) -> Any:
        """Shape(s) of the outputs for the shape(s) of the inputs."""
        return self._function.compute_output_shape(input_shape)

    def symbolic_call(self, *args: Any, **kwargs: Any) -> Any:
        """Adds this model to a graph as one node, its outputs' masks included."""
        outputs = super().symbolic_call(*args, **kwargs)
        self._pass_masks(args, kwargs, outputs)
        return outputs

    def _pass_masks(self, args: tuple[Any, ...], kwargs: dict[str, Any], outputs: Any) -> None:
        """Gives the outputs of a symbolic call the masks that the graph's outputs have."""
        masks = [getattr(t, "_keras_mask", None) for t in self.outputs]
        found = [m for m in masks if m is not None]
        if not found:
            return
        # They are functions of this model's inputs: compute them anew outside.
        try:
            function = Function(self.inputs, found, name=f"{self.name}_masks")
        except ValueError:
            return  # given by the caller, not computed from the inputs
        flat = self._standardize(args[0] if args else kwargs["inputs"])
        computed = iter(function._run(flat))
        for tensor, mask in zip(tree.flatten(outputs), masks, strict=True):
            if mask is not None:
                set_mask(tensor, next(computed))

    # -- configs, copies -----------------------------------------------------------------

    def get_config(self) -> dict[str, Any]:
        """The graph, JSON-ready; for a subclass with a constructor of its own, its arguments."""
        if not _takes_graph(type(self)):
            base = self._base_config()
            own = type(self).__mro__[: type(self).__mro__.index(Functional)]
            if any("get_config" in c.__dict__ for c in own):
                return base
            return automatic_config(self, type(self), base)
        config = {"name": self.name, "trainable": self.trainable}
        return config | graph_config(self._function, self._operations)

    @classmethod
    def from_config(cls, config: Mapping[str, Any], custom_objects: Any = None) -> Any:
        """The model that `get_config` described."""
        if not {"layers", "input_layers", "output_layers"} <= config.keys():
            return super().from_config(config, custom_objects=custom_objects)
        inputs, outputs = graph_from_config(config, custom_objects)
        kwargs = {k: config[k] for k in ("name", "trainable") if k in config}
        return cls(inputs=inputs, outputs=outputs, **kwargs)

    def __getstate__(self) -> dict[str, Any]:
        left_out = ("_function", "_schedule", "_operations", "_recorded")
        fields = {k: v for k, v in super().__getstate__().items() if k not in left_out}
        fields["_packed_graph"] = pack_graph(self._function, self._operations)
        if not _takes_graph(type(self)):
            fields["_recorded"] = self._recorded
        return fields

    def __setstate__(self, fields: dict[str, Any]) -> None:
        packed = fields.pop("_packed_graph")
        super().__setstate__(fields)
        self.__dict__.setdefault("_recorded", ((), {}))
        self._set_graph(*unpack_graph(packed))


def _takes_graph(cls: type) -> bool:
    """Whether a class is made from `inputs` and `outputs`."""
    owner = next(c for c in cls.__mro__ if "__init__" in c.__dict__)
    if is_built_in(owner):
        return True
    names = list(inspect.signature(owner.__init__).parameters)[1:3]
    return names == ["inputs", "outputs"]


def _check_names(operations: list[Operation], model: str) -> None:
    names: dict[str, Operation] = {}
    for operation in operations:
        if not isinstance(operation, Layer):
            continue
        if operation.name in names:
            raise ValueError(
                f"Model {model!r} has two layers named {operation.name!r}: "
                f"{names[operation.name]!r} and {operation!r}. Give one another `name`."
            )
        names[operation.name] = operation


def _input_specs(function: Function, names: list[str]) -> Any:
    """Input specs; None for deeply nested inputs, which `_standardize` checks alone."""
    structure = function._inputs_struct
    if isinstance(structure, dict) and any(tree.is_nested(v) for v in structure.values()):
        return None
    if isinstance(structure, (list, tuple)) and any(map(tree.is_nested, structure)):
        return None
    keys = list(names)
    if isinstance(structure, dict):
        by_tensor = {id(t): k for k, t in structure.items()}
        keys = [by_tensor[id(t)] for t in function.inputs]
    return [
        InputSpec(
            shape=(None, *t.shape[1:]) if t.shape else (),
            allow_last_axis_squeeze=True,
            name=key,
            optional=_optional(t),
        )
        for t, key in zip(function.inputs, keys, strict=True)
    ]


def _optional(tensor: Any) -> bool:
    if not isinstance(tensor, KerasTensor):
        return False
    return is_input_tensor(tensor) and _input_layer(tensor).optional


def _input_layer(tensor: KerasTensor) -> InputLayer:
    return tensor._keras_history.operation  # type: ignore[union-attr,return-value]


def _same_spec(x: Any, tensor: KerasTensor) -> bool:
    return x is None or (x.shape == tensor.shape and x.dtype == tensor.dtype)


def _fit(x: Any, tensor: KerasTensor, name: str, model: str) -> Any:
    """`x` in the dtype of an input, with its last axis of size 1 added or dropped if need be."""
    engine = current()
    if isinstance(x, KerasTensor):
        rank = len(x.dims)
    elif engine.is_tensor(x):
        if engine.dtype_of(x) != tensor.dtype:
            x = _cast(x, engine.dtype_of(x), tensor.dtype)
        rank = len(x.shape)
    elif x is None:
        if _optional(tensor):
            return None
        raise ValueError(f"Input {name!r} of model {model!r} is None, but it is not optional.")
    else:
        try:
            x = ops.convert_to_tensor(x)
        except Exception as e:
            raise ValueError(
                f"Input {name!r} of model {model!r} must be a tensor or an array; got "
                f"{describe(x)} (of type {type(x).__name__})."
            ) from e
        x = _cast(x, engine.dtype_of(x), tensor.dtype)
        rank = len(x.shape)
    wanted = len(tensor.dims)
    if rank == wanted:
        return x
    if rank == wanted + 1 and x.shape[-1] == 1:
        return ops.squeeze(x, axis=-1)
    if rank == wanted - 1 and tensor.shape[-1] == 1:
        return ops.expand_dims(x, axis=-1)
    raise ValueError(
        f"Input {name!r} of model {model!r} has shape {tensor.shape}; got a value of shape "
        f"{tuple(x.shape)}."
    )


def _cast(x: Any, have: str, want: str) -> Any:
    # Ids keep their width: an int64 cut to int32 would be another id.
    if have == want or (dtypes.is_int(have) and dtypes.is_int(want)):
        return x
    return ops.cast(x, want)
