"""The names of `keras.saving`. Written by tools/namespace.py."""

from kops.registry import CustomObjectScope as CustomObjectScope
from kops.registry import CustomObjectScope as custom_object_scope
from kops.registry import get_custom_objects as get_custom_objects
from kops.registry import get_registered_name as get_registered_name
from kops.registry import get_registered_object as get_registered_object
from kops.registry import register_keras_serializable as register_keras_serializable
from kops.serialization import deserialize_keras_object as deserialize_keras_object
from kops.serialization import serialize_keras_object as serialize_keras_object
from ksaving.model_files import load_model as load_model
from ksaving.model_files import save_model as save_model
from ksaving.weights import load_weights as load_weights
from ksaving.weights import save_weights as save_weights

__all__ = [
    "CustomObjectScope",
    "custom_object_scope",
    "deserialize_keras_object",
    "get_custom_objects",
    "get_registered_name",
    "get_registered_object",
    "load_model",
    "load_weights",
    "register_keras_serializable",
    "save_model",
    "save_weights",
    "serialize_keras_object",
]
