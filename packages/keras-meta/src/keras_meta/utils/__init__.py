"""The names of `keras.utils`. Written by tools/namespace.py."""

from kops.config import disable_interactive_logging as disable_interactive_logging
from kops.config import enable_interactive_logging as enable_interactive_logging
from kops.config import is_interactive_logging_enabled as is_interactive_logging_enabled
from kops.dtypes import standardize as standardize_dtype
from kops.keras_tensor import is_keras_tensor as is_keras_tensor
from kops.random.seed_generator import set_random_seed as set_random_seed
from kops.registry import CustomObjectScope as CustomObjectScope
from kops.registry import CustomObjectScope as custom_object_scope
from kops.registry import get_custom_objects as get_custom_objects
from kops.registry import get_registered_name as get_registered_name
from kops.registry import get_registered_object as get_registered_object
from kops.registry import register_keras_serializable as register_keras_serializable
from kops.serialization import deserialize_keras_object as deserialize_keras_object
from kops.serialization import serialize_keras_object as serialize_keras_object
from kops.session import clear_session as clear_session
from ktrain.data.packing import pack_x_y_sample_weight as pack_x_y_sample_weight
from ktrain.data.packing import unpack_x_y_sample_weight as unpack_x_y_sample_weight
from ktrain.data.preparing import normalize as normalize
from ktrain.data.preparing import pad_sequences as pad_sequences
from ktrain.data.preparing import to_categorical as to_categorical
from ktrain.data.pydataset import PyDataset as PyDataset
from ktrain.data.pydataset import PyDataset as Sequence

__all__ = [
    "CustomObjectScope",
    "PyDataset",
    "Sequence",
    "clear_session",
    "custom_object_scope",
    "deserialize_keras_object",
    "disable_interactive_logging",
    "enable_interactive_logging",
    "get_custom_objects",
    "get_registered_name",
    "get_registered_object",
    "is_interactive_logging_enabled",
    "is_keras_tensor",
    "normalize",
    "pack_x_y_sample_weight",
    "pad_sequences",
    "register_keras_serializable",
    "serialize_keras_object",
    "set_random_seed",
    "standardize_dtype",
    "to_categorical",
    "unpack_x_y_sample_weight",
]
