"""The base of layers that wrap a layer."""

from __future__ import annotations

from typing import Any

from klayers.layer import Layer
from kops.registry import export
from kops.serialization import deserialize_keras_object

__all__ = ["Wrapper"]


@export("keras.layers.Wrapper")
class Wrapper(Layer):
    """Base of layers that hold one other layer and change what it does.

    A subclass defines `call`. The wrapped layer is saved with the wrapper.

    Args:
        layer: the layer to wrap.

    Raises:
        TypeError: `layer` is no layer.

    Example:

    >>> import numpy as np
    >>> class Twice(Wrapper):
    ...     def call(self, inputs):
    ...         return self.layer(self.layer(inputs))
    """

    def __init__(self, layer: Layer, **kwargs: Any) -> None:
        if not isinstance(layer, Layer):
            raise TypeError(f"`layer` must be a Layer. Received: layer={layer!r}")
        super().__init__(**kwargs)
        self.layer = layer

    def build(self, input_shape: Any = None) -> None:
        """Builds the wrapped layer."""
        if not self.layer.built:
            self.layer.build(input_shape)

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Wrapper:
        """The wrapper that `get_config` described."""
        config = dict(config)
        layer = deserialize_keras_object(config.pop("layer"), custom_objects=custom_objects)
        return cls(layer, **config)
