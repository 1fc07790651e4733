"""The names of `keras.config`. Written by tools/namespace.py."""

from klayers.dtype_policies import dtype_policy as dtype_policy
from klayers.dtype_policies import set_dtype_policy as set_dtype_policy
from kops.config import backend as backend
from kops.config import disable_flash_attention as disable_flash_attention
from kops.config import disable_interactive_logging as disable_interactive_logging
from kops.config import disable_traceback_filtering as disable_traceback_filtering
from kops.config import enable_flash_attention as enable_flash_attention
from kops.config import enable_interactive_logging as enable_interactive_logging
from kops.config import enable_traceback_filtering as enable_traceback_filtering
from kops.config import enable_unsafe_deserialization as enable_unsafe_deserialization
from kops.config import epsilon as epsilon
from kops.config import floatx as floatx
from kops.config import image_data_format as image_data_format
from kops.config import is_flash_attention_enabled as is_flash_attention_enabled
from kops.config import is_interactive_logging_enabled as is_interactive_logging_enabled
from kops.config import is_nnx_enabled as is_nnx_enabled
from kops.config import is_traceback_filtering_enabled as is_traceback_filtering_enabled
from kops.config import max_epochs as max_epochs
from kops.config import max_steps_per_epoch as max_steps_per_epoch
from kops.config import set_backend as set_backend
from kops.config import set_epsilon as set_epsilon
from kops.config import set_floatx as set_floatx
from kops.config import set_image_data_format as set_image_data_format
from kops.config import set_max_epochs as set_max_epochs
from kops.config import set_max_steps_per_epoch as set_max_steps_per_epoch

__all__ = [
    "backend",
    "disable_flash_attention",
    "disable_interactive_logging",
    "disable_traceback_filtering",
    "dtype_policy",
    "enable_flash_attention",
    "enable_interactive_logging",
    "enable_traceback_filtering",
    "enable_unsafe_deserialization",
    "epsilon",
    "floatx",
    "image_data_format",
    "is_flash_attention_enabled",
    "is_interactive_logging_enabled",
    "is_nnx_enabled",
    "is_traceback_filtering_enabled",
    "max_epochs",
    "max_steps_per_epoch",
    "set_backend",
    "set_dtype_policy",
    "set_epsilon",
    "set_floatx",
    "set_image_data_format",
    "set_max_epochs",
    "set_max_steps_per_epoch",
]
