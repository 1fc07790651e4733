"""JAX: tensors, variables, compilation and gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np

from kops import dtypes, tree
from kops.keras_tensor import KerasTensor

NAME = "jax"
Tensor: type = type(jnp.zeros(()))
SCALAR_OPS = frozenset(
    ["add", "subtract", "multiply", "divide", "maximum", "minimum"]
    + ["less", "less_equal", "greater", "greater_equal"]
)

_DTYPES = {d: np.dtype(getattr(ml_dtypes, d, None) or d) for d in dtypes.ALL - {"string"}}
_NAMES = {v: k for k, v in _DTYPES.items()}
_WIDE = {"int64": "int32", "uint64": "uint32", "float64": "float32", "complex128": "complex64"}


def native_dtype(dtype: str) -> np.dtype[Any]:
    try:
        return _DTYPES[dtype]
    except KeyError:
        raise TypeError(f"JAX has no dtype {dtype!r}.") from None


def is_tensor(x: Any) -> bool:
    return isinstance(x, jax.Array)


def has_values(x: Any) -> bool:
    return not isinstance(x, jax.core.Tracer)


def available(dtype: str) -> str:
    """The dtype that JAX has in place of `dtype`: half as wide unless x64 is enabled."""
    return dtype if jax.config.jax_enable_x64 else _WIDE.get(dtype, dtype)


def convert(x: Any, dtype: str | None = None) -> Any:
    if isinstance(x, jax.Array):
        return x if dtype is None or dtype_of(x) == dtype else cast(x, dtype)
    if isinstance(x, KerasTensor):
        raise x._no_values("turned into a tensor")
    if hasattr(x, "detach"):
        x = x.detach().cpu()
    if isinstance(x, (list, tuple)) and any(isinstance(v, jax.Array) for v in tree.flatten(x)):
        x = jnp.asarray(x)
        return x if dtype is None else cast(x, dtype)
    given = isinstance(x, (np.ndarray, np.generic)) or hasattr(x, "dtype")
    x = np.asarray(x)
    if dtype is None:
        dtype = dtypes.standardize(x.dtype)
        if not given and dtype in ("int64", "float64"):
            dtype = "int32" if dtype == "int64" else dtypes.standardize(None)
    narrow = available(dtype)
    if narrow in dtypes.INTS and x.dtype.kind in "iu":
        _check_range(x, narrow)
    # NumPy first: JAX would warn about the width and wrap silently.
    return jnp.asarray(x.astype(_DTYPES[narrow], copy=False))


def _check_range(x: np.ndarray, dtype: str) -> None:
    info = ml_dtypes.iinfo(_DTYPES[dtype])
    if x.dtype.itemsize > 4 and x.size and (x.min() < info.min or x.max() > info.max):
        raise OverflowError(
            f"The integers {x.min()} to {x.max()} do not fit JAX's {dtype}. Enable 64 bits before "
            'the first use of JAX: jax.config.update("jax_enable_x64", True), or set '
            "JAX_ENABLE_X64=1."
        )


def to_numpy(x: Any) -> np.ndarray:
    return np.asarray(x)


def cast(x: Any, dtype: str) -> Any:
    return jnp.asarray(x).astype(_DTYPES[available(dtype)])


def dtype_of(x: Any) -> str:
    name = _NAMES.get(x.dtype)
    return name if name is not None else dtypes.standardize(x.dtype)


def shape_of(x: Any) -> tuple[int, ...]:
    return x.shape


shape = shape_of


def new_state(value: Any, dtype: str, trainable: bool, name: str) -> Any:
    if isinstance(value, np.ndarray):
        # Not `jnp.array`, which compiles a conversion for every new shape.
        return jax.device_put(value.astype(_DTYPES[available(dtype)], copy=False), may_alias=False)
    return convert(value, dtype)


def read_state(holder: Any) -> Any:
    return holder


def write_state(holder: Any, value: Any) -> Any:
    return value


def set_trainable(holder: Any, trainable: bool) -> None:
    """JAX takes gradients of function arguments: nothing to tell."""


def distribute(x: Any, layout: Any) -> Any:
    """The tensor laid out over devices; `layout` has a `backend_layout` (a jax Sharding)."""
    return jax.device_put(x, getattr(layout, "backend_layout", layout))


def compile(fn: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    return jax.jit(fn, **options)


def value_and_grad(
    fn: Callable[..., Any], argnums: int | tuple[int, ...], has_aux: bool
) -> Callable[..., Any]:
    return jax.value_and_grad(fn, argnums=argnums, has_aux=has_aux)


def abstract_eval(fn: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    flat = tree.flatten((args, kwargs))
    symbolic = [i for i, x in enumerate(flat) if isinstance(x, KerasTensor)]
    specs = [
        jax.ShapeDtypeStruct(flat[i].shape, _DTYPES[available(flat[i].dtype)]) for i in symbolic
    ]

    def call(*tensors: Any) -> Any:
        values = list(flat)
        for i, t in zip(symbolic, tensors, strict=True):
            values[i] = t
        a, k = tree.pack_sequence_as((args, kwargs), values)
        return fn(*a, **k)

    return tree.map_structure(
        lambda x: KerasTensor(x.shape, dtypes.standardize(x.dtype)), jax.eval_shape(call, *specs)
    )


def device_scope(name: str) -> Any:
    return jax.default_device(find_device(name))


def find_device(name: str) -> Any:
    kind, _, index = name.lower().partition(":")
    try:
        return jax.devices(kind)[int(index or 0)]
    except (RuntimeError, IndexError, ValueError):
        found = [f"{d.platform}:{d.id}" for d in jax.devices()]
        raise ValueError(f"JAX has no device {name!r}; it has {found}.") from None
