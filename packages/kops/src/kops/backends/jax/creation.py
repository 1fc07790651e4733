"""New arrays, conversions, and matrices by their diagonals."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from kops import config, dtypes
from kops.backends.jax.core import available, native_dtype
from kops.shapes import arange_limits

__all__ = ["TABLE"]

Array = jax.Array


def _dtype(name: Any) -> np.dtype[Any]:
    return native_dtype(available(dtypes.standardize(name)))


def _cast(x: Array, dtype: Any) -> Array:
    target = _dtype(dtype)
    if jnp.iscomplexobj(x) and target.kind != "c":
        x = jnp.real(x)
    return x.astype(target)


def _convert_to_tensor(
    x: Array, dtype: Any = None, sparse: Any = None, ragged: Any = None
) -> Array:
    return x if dtype is None else _cast(x, dtype)


def _stop_gradient(variable: Array) -> Array:
    return jax.lax.stop_gradient(variable)


def _copy(x: Array) -> Array:
    return jnp.array(x)


def _zeros(shape: Any, dtype: Any = None) -> Array:
    return jnp.zeros(shape, _dtype(dtype))


def _ones(shape: Any, dtype: Any = None) -> Array:
    return jnp.ones(shape, _dtype(dtype))


def _full(shape: Any, fill_value: Any, dtype: Any = None) -> Array:
    return jnp.full(shape, fill_value, _dtype(dtype))


def _zeros_like(x: Array, dtype: Any = None) -> Array:
    return jnp.zeros(x.shape, x.dtype if dtype is None else _dtype(dtype))


def _ones_like(x: Array, dtype: Any = None) -> Array:
    return jnp.ones(x.shape, x.dtype if dtype is None else _dtype(dtype))


def _arange(start: Any, stop: Any = None, step: Any = None, dtype: Any = None) -> Array:
    start, stop, step = arange_limits(start, stop, step)
    if dtype is None:
        numbers = (start, stop, step)
        exact = all(jnp.issubdtype(jnp.result_type(n), jnp.integer) for n in numbers)
        dtype = "int32" if exact else config.floatx()
    return jnp.arange(start, stop, step, _dtype(dtype))


def _tril(x: Array, k: int = 0) -> Array:
    return jnp.tril(x, k)


def _triu(x: Array, k: int = 0) -> Array:
    return jnp.triu(x, k)


def _diag(x: Array, k: int = 0) -> Array:
    return jnp.diag(x, k)


def _diagonal(x: Array, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
    return jnp.diagonal(x, offset, axis1, axis2)


TABLE: dict[str, Any] = {
    "cast": _cast,
    "_convert_to_tensor": _convert_to_tensor,
    "stop_gradient": _stop_gradient,
    "copy": _copy,
    "zeros": _zeros,
    "ones": _ones,
    "empty": _zeros,
    "full": _full,
    "zeros_like": _zeros_like,
    "ones_like": _ones_like,
    "arange": _arange,
    "tril": _tril,
    "triu": _triu,
    "diag": _diag,
    "diagonal": _diagonal,
}
