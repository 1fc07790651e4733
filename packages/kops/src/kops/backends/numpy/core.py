"""NumPy: tensors, variables and tracing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import ml_dtypes
import numpy as np

from kops import dtypes, tree
from kops.keras_tensor import KerasTensor

NAME = "numpy"
Tensor = np.ndarray
SCALAR_OPS = frozenset(
    ["add", "subtract", "multiply", "divide", "maximum", "minimum"]
    + ["less", "less_equal", "greater", "greater_equal"]
)

# NumPy makes float32 of a bfloat16 array and a Python number.
NO_SCALAR_DTYPES = frozenset(["bfloat16"])

_DTYPES = {
    d: np.dtype(getattr(ml_dtypes, d, None) or d) for d in dtypes.ALL - {"string", "int4", "uint4"}
}
_NAMES = {v: k for k, v in _DTYPES.items()}


def native_dtype(dtype: str) -> np.dtype[Any]:
    try:
        return _DTYPES[dtype]
    except KeyError:
        raise TypeError(f"NumPy has no dtype {dtype!r}.") from None


def is_tensor(x: Any) -> bool:
    return isinstance(x, (np.ndarray, np.generic))


def has_values(x: Any) -> bool:
    return True


def convert(x: Any, dtype: str | None = None) -> np.ndarray:
    if dtype is not None:
        return np.asarray(_readable(x), dtype=native_dtype(dtype))
    if isinstance(x, (np.ndarray, np.generic)):
        return np.asarray(x)
    given = hasattr(x, "dtype")
    x = np.asarray(_readable(x))
    if given:
        return x
    # Python numbers have no dtype of their own: int32 where they fit, or floatx.
    if x.dtype == np.int64 and _fits_int32(x):
        return x.astype(np.int32)
    return x.astype(_DTYPES[dtypes.standardize(None)]) if x.dtype == np.float64 else x


def _readable(x: Any) -> Any:
    if isinstance(x, KerasTensor):
        raise x._no_values("turned into a tensor")
    if hasattr(x, "detach"):  # a torch tensor that may need a gradient or lie on a device
        return x.detach().cpu()
    return x


def _fits_int32(x: np.ndarray) -> bool:
    return x.size == 0 or (x.min() >= -(2**31) and x.max() < 2**31)


def to_numpy(x: Any) -> np.ndarray:
    return np.asarray(x)


def cast(x: Any, dtype: str) -> np.ndarray:
    return np.asarray(x).astype(native_dtype(dtype), copy=False)


def dtype_of(x: Any) -> str:
    name = _NAMES.get(x.dtype)
    return name if name is not None else dtypes.standardize(x.dtype)


def shape_of(x: Any) -> tuple[int, ...]:
    return x.shape


shape = shape_of


def new_state(value: Any, dtype: str, trainable: bool, name: str) -> np.ndarray:
    return np.asarray(value, dtype=_DTYPES[dtype])


def read_state(holder: np.ndarray) -> np.ndarray:
    return holder


def write_state(holder: np.ndarray, value: Any) -> np.ndarray:
    return np.array(value, dtype=holder.dtype)


def set_trainable(holder: np.ndarray, trainable: bool) -> None:
    """NumPy keeps no gradients: nothing to tell."""


def compile(fn: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    return fn


def value_and_grad(fn: Any, argnums: Any, has_aux: bool) -> Any:
    raise NotImplementedError(
        "The engine 'numpy' computes no gradients. Use jax, torch or tensorflow "
        "(set KERAS_BACKEND before the import)."
    )


def abstract_eval(fn: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    def zeros(x: Any) -> Any:
        return np.zeros(x.shape, _DTYPES[x.dtype]) if isinstance(x, KerasTensor) else x

    args, kwargs = tree.map_structure(zeros, (args, kwargs))
    return tree.map_structure(
        lambda x: KerasTensor(x.shape, dtype_of(x)) if is_tensor(x) else x, fn(*args, **kwargs)
    )


@contextmanager
def device_scope(name: str) -> Iterator[None]:
    if name.lower().split(":")[0] != "cpu":
        raise ValueError(f"The engine 'numpy' runs on 'cpu'; got device {name!r}.")
    yield
