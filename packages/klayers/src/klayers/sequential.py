"""`Sequential`: a stack of layers, each fed by the one before."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from klayers import dtype_policies
from klayers.calls import dtype_of, shape_structure
from klayers.functional import Functional
from klayers.input_layer import InputLayer
from klayers.layer import Layer
from klayers.layer_build import named_scope, scope_names
from klayers.model import Model
from kops import dtypes
from kops.keras_tensor import KerasTensor
from kops.registry import export
from kops.serialization import deserialize_keras_object, serialize_keras_object

__all__ = ["Sequential"]


@export("keras.Sequential", "keras.models.Sequential")
class Sequential(Model):
    """A stack of layers, each with one input and one output.

    Built when the input shape is known: from an `Input` in front, by `build`, or at the
    first call.

    Args:
        layers: layers (and `Input`) to start with.
        trainable: whether training changes the variables.
        name: name.

    Example:

    >>> import numpy as np
    >>> from klayers import Input, Sequential, layers
    >>> model = Sequential([Input((4,)), layers.Dense(3, activation="relu"), layers.Dense(1)])
    >>> model.output_shape, model.count_params()
    ((None, 1), 19)
    """

    _allow_non_tensor_positional_args = True
    _functional: Functional | None

    def __init__(
        self,
        layers: Iterable[Any] | None = None,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ):
        super().__init__(trainable=trainable, name=name, **kwargs)
        self.__dict__["_functional"] = None
        if layers:
            for layer in layers:
                self.add(layer, rebuild=False)
            self._rebuild()

    # -- the stack -----------------------------------------------------------------------

    def add(self, layer: Any, rebuild: bool = True) -> None:
        """Puts a layer on top.

        Args:
            layer: a layer, or what `Input` returned (only at the bottom).
            rebuild: whether to build the model anew at once, where its input is known.

        Raises:
            ValueError: no layer, or a name that the stack has already.
        """
        if isinstance(layer, KerasTensor):
            history = layer._keras_history
            if history is not None and isinstance(history.operation, InputLayer):
                layer = history.operation
        if not isinstance(layer, Layer):
            raise ValueError(
                "`layer` must be a keras Layer (or the result of `Input`); got "
                f"{layer!r} (of type {type(layer).__name__})."
            )
        if any(other.name == layer.name for other in self._layers):
            raise ValueError(
                f"Sequential {self.name!r} has a layer named {layer.name!r} already. Give the new "
                "one another `name`."
            )
        if isinstance(layer, InputLayer) and self._layers:
            raise ValueError(
                f"An Input can only be the first in a Sequential; {self.name!r} has "
                f"{len(self._layers)} layer(s) already."
            )
        given = layer.__dict__.get("_given_input_shape")
        if given is not None and not self._layers:
            self._put(InputLayer(batch_shape=given))
        self._put(layer)
        if rebuild:
            self._rebuild()
        else:
            self._forget_build()

    def _put(self, layer: Layer) -> None:
        self._tracker.unlock()
        self._tracker.add("layer", layer)

    def pop(self, rebuild: bool = True) -> Layer:
        """Takes the layer on top off and returns it."""
        if not self.layers:
            raise IndexError(f"Sequential {self.name!r} has no layer to take off.")
        layer = self._layers.pop()
        if rebuild:
            self._rebuild()
        else:
            self._forget_build()
        return layer

    def _forget_build(self) -> None:
        self._tracker.unlock()
        self.__dict__.update(built=False, _functional=None, _build_shapes=None)
        self._reset_plan()

    def _rebuild(self) -> None:
        self._forget_build()
        if len(self._layers) > 1 and isinstance(self._layers[0], InputLayer):
            self.build(self._layers[0].batch_shape)

    def _lock_state(self) -> None:
        pass  # layers can be added at any time

    def build(self, input_shape: Any = None) -> None:
        """Builds the layers.

        Args:
            input_shape: shape of the input, batch axis included; not needed with an `Input`.
        """
        self._build(input_shape, None)

    def _build(self, input_shape: Any, dtype: str | None) -> None:
        layers = self._layers
        if not layers:
            raise ValueError(
                f"Sequential {self.name!r} has no layers, so it cannot be built. Add some with "
                "`model.add(layer)`."
            )
        if not isinstance(layers[0], InputLayer):
            if input_shape is None:
                raise ValueError(
                    f"Sequential {self.name!r} cannot be built without an input shape. Put an "
                    "`Input(shape)` in front, or pass `input_shape`."
                )
            layers.insert(
                0,
                InputLayer(batch_shape=tuple(input_shape), dtype=dtype or layers[0].compute_dtype),
            )
        x: Any = layers[0].output
        inputs = x
        try:
            for layer in layers[1:]:
                x = layer(x)
        except NotImplementedError:
            # A layer whose output cannot be foreseen: the layers run one after the other.
            return
        self.__dict__["_functional"] = Functional(inputs, x, name=self.name)
        self._build_shapes = {"input_shape": inputs.shape}

    def _build_for(self, signature: Any, bound: dict[str, Any]) -> None:
        x = bound.get("inputs")
        if isinstance(x, (list, tuple, dict)) or not hasattr(x, "shape"):
            raise ValueError(
                f"A Sequential takes one tensor; {self.name!r} got an input of type "
                f"{type(x).__name__}."
            )
        have = dtype_of(x)
        with named_scope(scope_names(self)):
            self._build(shape_structure(x), None if dtypes.is_float(have) else have)
        self._after_build()

    # -- structure -----------------------------------------------------------------------

    @property
    def layers(self) -> list[Layer]:
        """The layers, without the `InputLayer` at the bottom."""
        layers = list(self._layers)
        return layers[1:] if layers and isinstance(layers[0], InputLayer) else layers

    def _graph(self, what: str) -> Functional:
        if self._functional is None:
            raise AttributeError(
                f"Sequential {self.name!r} has no `{what}` yet: it is not built. Put an "
                "`Input(shape)` in front, or call `build(input_shape)`."
            )
        return self._functional

    @property
    def inputs(self) -> list[KerasTensor]:
        """Symbolic inputs."""
        return self._graph("inputs").inputs

    @property
    def outputs(self) -> list[KerasTensor]:
        """Symbolic outputs."""
        return self._graph("outputs").outputs

    @property
    def input(self) -> Any:
        """The symbolic input."""
        return self._graph("input").input

    @property
    def output(self) -> Any:
        """The symbolic output."""
        return self._graph("output").output

    @property
    def input_names(self) -> list[str]:
        """Names of the inputs."""
        return self._graph("input_names").input_names

    @property
    def output_names(self) -> list[str]:
        """Names of the outputs."""
        return self._graph("output_names").output_names

    @property
    def operations(self) -> list[Any]:
        """Layers of the graph."""
        return self._graph("operations").operations

    @property
    def input_shape(self) -> Any:
        """Shape of the input."""
        return self._graph("input_shape").input_shape

    @property
    def output_shape(self) -> Any:
        """Shape of the output."""
        return self._graph("output_shape").output_shape

    @property
    def input_dtype(self) -> str:
        """Dtype of the input."""
        first = self._layers[0] if self._layers else None
        return (
            super().input_dtype
            if first is None
            else (first.dtype if isinstance(first, InputLayer) else first.input_dtype)
        )

    # -- running -------------------------------------------------------------------------

    def call(self, inputs: Any, training: Any = None, mask: Any = None, **kwargs: Any) -> Any:
        """Runs the layers one after the other."""
        if self._functional is not None:
            return self._functional.call(inputs, training=training, mask=mask)
        x = inputs
        for layer in self.layers:
            if mask is not None and layer._call_signature.has_mask:
                x = layer(x, mask=mask)
            else:
                x = layer(x)
            mask = None  # from here on it travels with the tensor
        return x

    def _convert_one(self, x: Any, record: bool) -> Any:
        return x  # the first layer (or its Input) converts

    def compute_output_spec(
        self, inputs: Any, training: Any = None, mask: Any = None, **kwargs: Any
    ) -> Any:
        """Symbolic output for a symbolic input."""
        if self._functional is not None:
            return self._functional.compute_output_spec(inputs, training=training, mask=mask)
        return self._infer((inputs,), kwargs)

    def compute_output_shape(self, input_shape: Any) -> Any:
        """Shape of the output for a shape of the input."""
        if self._functional is not None:
            return self._functional.compute_output_shape(input_shape)
        shape = tuple(input_shape)
        for layer in self.layers:
            shape = layer.compute_output_shape(shape)
        return shape

    def symbolic_call(self, *args: Any, **kwargs: Any) -> Any:
        """Adds this model to a graph as one node."""
        outputs = super().symbolic_call(*args, **kwargs)
        if self._functional is not None:
            self._functional._pass_masks(args, kwargs, outputs)
        return outputs

    # -- configs -------------------------------------------------------------------------

    def get_config(self) -> dict[str, Any]:
        """The layers, JSON-ready."""
        config: dict[str, Any] = {
            "name": self.name,
            "trainable": self.trainable,
            "dtype": dtype_policies.serialize(self.dtype_policy),
            "layers": [serialize_keras_object(layer) for layer in self._layers],
        }
        if self._functional is not None:
            config["build_input_shape"] = self._functional.input_shape
        return config

    @classmethod
    def from_config(cls, config: Mapping[str, Any], custom_objects: Any = None) -> Any:
        """The model that `get_config` described."""
        if "layers" not in config:
            return super().from_config(config, custom_objects=custom_objects)
        model = cls(name=config.get("name"))
        if config.get("dtype") is not None:
            model.dtype_policy = config["dtype"]
        for entry in config["layers"]:
            layer = deserialize_keras_object(entry, custom_objects=custom_objects)
            model.add(layer, rebuild=False)
        model._rebuild()
        if not model.built and config.get("build_input_shape"):
            model.build(tuple(config["build_input_shape"]))
        if config.get("trainable") is False:
            model.trainable = False
        return model

    def __getstate__(self) -> dict[str, Any]:
        return {k: v for k, v in super().__getstate__().items() if k != "_functional"}

    def __setstate__(self, fields: dict[str, Any]) -> None:
        shapes = fields.get("_build_shapes")
        super().__setstate__(fields)
        self.__dict__["_functional"] = None
        if self.built and isinstance(self._layers[0], InputLayer):
            self._rebuild()
            self._build_shapes = shapes
