"""The names of `keras.backend`. Written by tools/namespace.py."""

from kops.config import backend as backend
from kops.config import epsilon as epsilon
from kops.config import floatx as floatx
from kops.config import image_data_format as image_data_format
from kops.config import set_epsilon as set_epsilon
from kops.config import set_floatx as set_floatx
from kops.config import set_image_data_format as set_image_data_format
from kops.dtypes import is_float as is_float_dtype
from kops.dtypes import is_int as is_int_dtype
from kops.dtypes import result_type as result_type
from kops.dtypes import standardize as standardize_dtype
from kops.keras_tensor import is_keras_tensor as is_keras_tensor
from kops.naming import get_uid as get_uid
from kops.session import clear_session as clear_session

__all__ = [
    "backend",
    "clear_session",
    "epsilon",
    "floatx",
    "get_uid",
    "image_data_format",
    "is_float_dtype",
    "is_int_dtype",
    "is_keras_tensor",
    "result_type",
    "set_epsilon",
    "set_floatx",
    "set_image_data_format",
    "standardize_dtype",
]
