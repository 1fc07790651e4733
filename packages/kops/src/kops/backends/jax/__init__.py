"""The JAX engine."""

from __future__ import annotations

from kops.backends import load_tables
from kops.backends.jax.core import (
    NAME,
    SCALAR_OPS,
    Tensor,
    abstract_eval,
    available,
    cast,
    compile,
    convert,
    device_scope,
    distribute,
    dtype_of,
    find_device,
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
from kops.backends.jax.differentiation import custom_gradient, jvp, vjp

__all__ = [
    "NAME",
    "SCALAR_OPS",
    "TABLE",
    "Tensor",
    "abstract_eval",
    "available",
    "cast",
    "compile",
    "convert",
    "custom_gradient",
    "device_scope",
    "distribute",
    "dtype_of",
    "find_device",
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
