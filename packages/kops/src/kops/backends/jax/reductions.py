"""Reductions, cumulative operations and products of arrays.

XLA already accumulates low-precision sums in float32 inside `jnp.sum`, `mean` and `var`.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from kops import dtypes
from kops.backends.jax.core import cast

__all__ = ["TABLE"]

Array = jax.Array


def _axes(axis: Any) -> Any:
    return tuple(axis) if isinstance(axis, list) else axis


def _sum(x: Array, axis: Any = None, keepdims: bool = False) -> Array:
    return jnp.sum(x, axis=_axes(axis), dtype=x.dtype, keepdims=keepdims)


def _in_dtype(x: Array, dtype: Any) -> Array:
    return cast(x, dtypes.standardize(dtype))


def _prod(x: Array, axis: Any = None, keepdims: bool = False, dtype: Any = None) -> Array:
    if dtype is not None:
        x = _in_dtype(x, dtype)
    return jnp.prod(x, axis=_axes(axis), dtype=x.dtype, keepdims=keepdims)


def _mean(x: Array, axis: Any = None, keepdims: bool = False) -> Array:
    return jnp.mean(x, axis=_axes(axis), keepdims=keepdims)


def _var(x: Array, axis: Any = None, keepdims: bool = False) -> Array:
    return jnp.var(x, axis=_axes(axis), keepdims=keepdims)


def _std(x: Array, axis: Any = None, keepdims: bool = False) -> Array:
    return jnp.std(x, axis=_axes(axis), keepdims=keepdims)


def _max(x: Array, axis: Any = None, keepdims: bool = False, initial: Any = None) -> Array:
    return jnp.max(x, axis=_axes(axis), keepdims=keepdims, initial=initial)


def _min(x: Array, axis: Any = None, keepdims: bool = False, initial: Any = None) -> Array:
    return jnp.min(x, axis=_axes(axis), keepdims=keepdims, initial=initial)


def _any(x: Array, axis: Any = None, keepdims: bool = False) -> Array:
    return jnp.any(x, axis=_axes(axis), keepdims=keepdims)


def _all(x: Array, axis: Any = None, keepdims: bool = False) -> Array:
    return jnp.all(x, axis=_axes(axis), keepdims=keepdims)


def _argmax(x: Array, axis: int | None = None, keepdims: bool = False) -> Array:
    return jnp.argmax(x, axis=axis, keepdims=keepdims).astype(jnp.int32)


def _argmin(x: Array, axis: int | None = None, keepdims: bool = False) -> Array:
    return jnp.argmin(x, axis=axis, keepdims=keepdims).astype(jnp.int32)


def _cumsum(x: Array, axis: int | None = None, dtype: Any = None) -> Array:
    if dtype is not None:
        x = _in_dtype(x, dtype)
    return jnp.cumsum(x, axis=axis, dtype=x.dtype)


def _cumprod(x: Array, axis: int | None = None, dtype: Any = None) -> Array:
    if dtype is not None:
        x = _in_dtype(x, dtype)
    return jnp.cumprod(x, axis=axis, dtype=x.dtype)


def _logsumexp(x: Array, axis: Any = None, keepdims: bool = False) -> Array:
    return jax.nn.logsumexp(x, axis=_axes(axis), keepdims=keepdims)


def _einsum(subscripts: str, *operands: Array) -> Array:
    return jnp.einsum(subscripts, *operands)


TABLE: dict[str, Any] = {
    "sum": _sum,
    "prod": _prod,
    "mean": _mean,
    "var": _var,
    "std": _std,
    "max": _max,
    "min": _min,
    "any": _any,
    "all": _all,
    "argmax": _argmax,
    "argmin": _argmin,
    "cumsum": _cumsum,
    "cumprod": _cumprod,
    "logsumexp": _logsumexp,
    "matmul": jnp.matmul,
    "einsum": _einsum,
    "tensordot": jnp.tensordot,
}
