"""`Model`: a layer that is the whole of something."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Self

from klayers import hooks
from klayers.layer import Layer
from klayers.predict import predict
from klayers.summary import print_summary
from kops.registry import export
from kops.serialization import deserialize_keras_object, serialize_keras_object

__all__ = ["Model", "model_from_json"]


def takes_graph(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> bool:
    """Whether constructor arguments are the inputs and outputs of a graph."""
    return (
        len(args) == 2
        or (len(args) == 1 and "outputs" in kwargs)
        or ("inputs" in kwargs and "outputs" in kwargs)
    )


@export("keras.Model", "keras.models.Model")
class Model(Layer):
    """A layer with the means to be looked at and run as a whole.

    Made in one of two ways:

    - `Model(inputs, outputs)` from symbolic tensors: a `Functional` model.
    - By subclassing: layers are made in `__init__`, and `call` says how they work together.

    Args:
        inputs: symbolic tensor(s) from `Input`, nested.
        outputs: symbolic tensor(s) computed from `inputs`, nested.
        name: name.
        trainable: whether training changes the variables.
        dtype: dtype policy.

    Example:

    >>> import numpy as np
    >>> from klayers import Model, layers
    >>> class Twin(Model):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.dense = layers.Dense(2)
    ...     def call(self, x):
    ...         return self.dense(x) + self.dense(-x)
    >>> Twin().predict(np.ones((3, 4), "float32"), verbose=0).shape
    (3, 2)
    """

    _not_copied = frozenset({"_prediction_function"})

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        if takes_graph(args, kwargs):
            functional = hooks.functional_class_of(cls)
            if functional is not None:
                return super().__new__(functional, *args, **kwargs)  # type: ignore[return-value]
        return super().__new__(cls, *args, **kwargs)

    def __init__(self, *args: Any, **kwargs: Any):
        if takes_graph(args, kwargs):
            # A subclass that hands a graph to super().__init__(): its class becomes a
            # Functional one.
            functional = make_functional(type(self))
            functional.__init__(self, *args, **kwargs)  # type: ignore[misc]
            return
        if args:
            raise TypeError(
                f"{type(self).__name__} takes `inputs` and `outputs` (both, for a functional "
                f"model) or named arguments; got {len(args)} positional argument(s)."
            )
        super().__init__(**kwargs)

    # -- structure -----------------------------------------------------------------------

    @property
    def layers(self) -> list[Layer]:
        """The layers of the model, not those inside them."""
        return list(self._flatten_layers(include_self=False, recursive=False))

    @layers.setter
    def layers(self, _: Any) -> None:
        raise AttributeError(
            "`layers` is read only: it lists the layers that are attributes of the model. "
            "Use another attribute name."
        )

    def get_layer(self, name: str | None = None, index: int | None = None) -> Layer:
        """A layer by name or by position in `layers`.

        Raises:
            ValueError: there is none; lists those that there are.
        """
        if (name is None) == (index is None):
            raise ValueError(f"Pass either `name` or `index`; got name={name!r}, index={index!r}.")
        layers = self.layers
        if index is not None:
            if not -len(layers) <= index < len(layers):
                raise ValueError(f"`index` is {index}, but the model has {len(layers)} layers.")
            return layers[index]
        for layer in layers:
            if layer.name == name:
                return layer
        raise ValueError(
            f"No layer of model {self.name!r} is named {name!r}. Its layers: "
            f"{[layer.name for layer in layers]}."
        )

    def summary(
        self,
        line_length: int | None = None,
        positions: list[float] | None = None,
        print_fn: Callable[[str], Any] | None = None,
        expand_nested: bool = False,
        show_trainable: bool = False,
        layer_range: list[str] | tuple[str, str] | None = None,
    ) -> None:
        """Prints a table of the layers, their output shapes and numbers of parameters.

        Args:
            line_length: width of the table in characters.
            positions: where columns end, as fractions of the width or in characters.
            print_fn: takes the text in place of standard output.
            expand_nested: whether models in the model are shown with their layers.
            show_trainable: whether a column says what is trainable.
            layer_range: names (or regular expressions) of the first and last layer shown.
        """
        print_summary(
            self,
            line_length=line_length,
            positions=positions,
            print_fn=print_fn,
            expand_nested=expand_nested,
            show_trainable=show_trainable,
            layer_range=layer_range,
        )

    # -- running -------------------------------------------------------------------------

    def predict(
        self,
        x: Any,
        batch_size: int | None = None,
        verbose: Any = "auto",
        steps: int | None = None,
        callbacks: Any = None,
    ) -> Any:
        """Outputs for arrays of inputs, computed batch by batch, as NumPy arrays.

        Args:
            x: array(s), nested like the model's inputs; the first axis counts samples.
            batch_size: samples per batch; 32 if None.
            verbose: accepted for compatibility; nothing is printed here.
            steps: how many batches to run at most.
            callbacks: must be None: callbacks come with the package ktrain.
        """
        del verbose
        if callbacks:
            raise ValueError("`callbacks` need a model of keras-meta (package ktrain).")
        return predict(self, x, batch_size=batch_size, steps=steps)

    def predict_on_batch(self, x: Any) -> Any:
        """Outputs for one batch, as NumPy arrays."""
        return predict(self, x, batch_size=0)

    # -- configs -------------------------------------------------------------------------

    def to_json(self, **kwargs: Any) -> str:
        """The model's config as JSON text; `kwargs` go to `json.dumps`."""
        return json.dumps(serialize_keras_object(self), **kwargs)

    def build_from_config(self, config: dict[str, Any]) -> None:
        """Builds the model as a config from `get_build_config` says."""
        if config and not self.built:
            super().build_from_config(config)

    @classmethod
    def from_config(cls, config: Mapping[str, Any], custom_objects: Any = None) -> Any:
        """The model that `get_config` described."""
        if {"layers", "input_layers", "output_layers"} <= config.keys():
            functional = hooks.functional_class_of(cls)
            if functional is not None:
                return functional.from_config(config, custom_objects=custom_objects)  # type: ignore[attr-defined]
        return super().from_config(config)


def make_functional(cls: type) -> type:
    """The Functional class that a user's class becomes a subclass of, in place of `Model`."""
    functional = hooks.functional_class_of(cls)
    if functional is not None:
        return functional
    if issubclass(cls, tuple(f.functional for f in hooks.families())):
        return next(c for c in cls.__mro__ if c in {f.functional for f in hooks.families()})
    bases = tuple(
        (hooks.functional_class_of(b) or (_converted(b) if issubclass(b, Model) else b))
        for b in cls.__bases__
    )
    cls.__bases__ = bases
    return next(c for c in cls.__mro__ if c in {f.functional for f in hooks.families()})


def _converted(cls: type) -> type:
    make_functional(cls)
    return cls


@export("keras.models.model_from_json")
def model_from_json(json_string: str, custom_objects: Any = None) -> Any:
    """The model (without its weights) that `to_json` described.

    Args:
        json_string: JSON text.
        custom_objects: names of custom classes and functions.

    Example:

    >>> from klayers import Sequential, layers, model_from_json
    >>> text = Sequential([layers.Dense(2, name="head")]).to_json()
    >>> model_from_json(text).layers[0].name
    'head'
    """
    return deserialize_keras_object(json.loads(json_string), custom_objects=custom_objects)
