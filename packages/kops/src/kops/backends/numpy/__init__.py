"""The NumPy engine."""

from __future__ import annotations

from kops.backends import load_tables
from kops.backends.numpy.core import (
    NAME,
    NO_SCALAR_DTYPES,
    SCALAR_OPS,
    Tensor,
    abstract_eval,
    cast,
    compile,
    convert,
    device_scope,
    dtype_of,
    has_values,
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
from kops.backends.numpy.differentiation import custom_gradient, jvp, vjp

__all__ = [
    "NAME",
    "NO_SCALAR_DTYPES",
    "SCALAR_OPS",
    "TABLE",
    "Tensor",
    "abstract_eval",
    "cast",
    "compile",
    "convert",
    "custom_gradient",
    "device_scope",
    "dtype_of",
    "has_values",
    "is_tensor",
    "jvp",
    "native_dtype",
    "new_state",
    "read_state",
    "set_trainable",
    "shape",
    "shape_of",
    "to_numpy",
    "value_and_grad",
    "vjp",
    "write_state",
]

TABLE = load_tables(__name__)
