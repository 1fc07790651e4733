"""Layers to configs and back."""

from __future__ import annotations

from typing import Any

from klayers.layer import Layer
from kops.registry import export
from kops.serialization import deserialize_keras_object, serialize_keras_object

__all__ = ["deserialize", "serialize"]


@export("keras.layers.serialize")
def serialize(layer: Layer) -> dict[str, Any]:
    """The config dict that saved files hold for `layer`.

    Example:

    >>> from klayers import layers
    >>> serialize(layers.Dense(3))["class_name"]
    'Dense'
    """
    return serialize_keras_object(layer)


@export("keras.layers.deserialize")
def deserialize(config: dict[str, Any], custom_objects: dict[str, Any] | None = None) -> Layer:
    """The layer that `serialize` wrote `config` for.

    Args:
        config: a dict from `serialize`.
        custom_objects: classes and functions by the names that the config has for them.

    Raises:
        ValueError: `config` describes no layer.

    Example:

    >>> from klayers import layers
    >>> deserialize(serialize(layers.Dense(3))).units
    3
    """
    obj = deserialize_keras_object(config, custom_objects=custom_objects)
    if not isinstance(obj, Layer):
        raise ValueError(f"`config` describes no layer but {obj!r}. Received: config={config}")
    return obj
