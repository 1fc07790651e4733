"""The PyTorch engine."""

from __future__ import annotations

from kops.backends import load_tables
from kops.backends.torch.core import (
    NAME,
    SCALAR_OPS,
    WIDER,
    Tensor,
    abstract_eval,
    add_to_state,
    cast,
    compile,
    convert,
    default_device,
    device_scope,
    dtype_of,
    find_device,
    has_values,
    inference_scope,
    is_tensor,
    native_dtype,
    new_state,
    read_state,
    set_trainable,
    shape,
    shape_of,
    to_numpy,
    value_and_grad,
    write_state,
)
from kops.backends.torch.differentiation import custom_gradient, jvp, vjp
from kops.backends.torch.random import set_random_seed

__all__ = [
    "NAME",
    "SCALAR_OPS",
    "TABLE",
    "WIDER",
    "Tensor",
    "abstract_eval",
    "add_to_state",
    "cast",
    "compile",
    "convert",
    "custom_gradient",
    "default_device",
    "device_scope",
    "dtype_of",
    "find_device",
    "has_values",
    "inference_scope",
    "is_tensor",
    "jvp",
    "native_dtype",
    "new_state",
    "read_state",
    "set_random_seed",
    "set_trainable",
    "shape",
    "shape_of",
    "to_numpy",
    "value_and_grad",
    "vjp",
    "write_state",
]

TABLE = load_tables(__name__)
