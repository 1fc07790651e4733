"""Anything that holds values, as a NumPy array. No framework is imported for it."""

from __future__ import annotations

import numbers
from functools import cache
from typing import Any

import numpy as np

from kops import config, tree

__all__ = [
    "HostColumn",
    "host_array",
    "is_array",
    "is_frame",
    "normalize",
    "target_dtype",
    "to_host",
]

_FRAMES = {"pandas", "polars", "pyarrow"}
_TENSORS = {"jax", "jaxlib", "torch", "tensorflow"}


def _package(x: Any) -> str:
    return type(x).__module__.partition(".")[0]


def is_frame(x: Any) -> bool:
    """Whether `x` is a data frame or a column of one."""
    return _package(x) in _FRAMES and hasattr(x, "shape") and hasattr(x, "__array__")


def is_array(x: Any) -> bool:
    """Whether `x` holds values of samples: an array, a tensor, a data frame."""
    if isinstance(x, np.ndarray):
        return True
    if is_frame(x):
        return True
    # torch's and TensorFlow's classes, h5py and zarr datasets: shape, dtype, indexing.
    return hasattr(x, "shape") and hasattr(x, "dtype") and hasattr(x, "__getitem__")


def host_array(x: Any) -> Any:
    """`x` as a NumPy array, its memory shared where possible.

    An array-like that reads from a file (h5py, zarr) is left as it is.
    """
    if isinstance(x, np.ndarray):
        return x
    package = _package(x)
    if package == "torch":
        x = x.detach().cpu()
        return x.float().numpy() if str(x.dtype) == "torch.bfloat16" else x.numpy()
    if package == "tensorflow":
        return x.numpy()
    if is_frame(x) or package in _TENSORS or isinstance(x, (numbers.Number, np.generic)):
        return np.asarray(x)
    if hasattr(x, "__array__") and not hasattr(x, "file") and not hasattr(x, "store"):
        return np.asarray(x)
    return x


def target_dtype(dtype: Any) -> str | None:
    """The dtype that values of `dtype` are turned into, None to leave them.

    Floats become `floatx`.
    """
    return _target_dtype(dtype, config.floatx())


@cache
def _target_dtype(dtype: Any, floatx: str) -> str | None:
    name = str(np.dtype(dtype))
    if name in ("float16", "float32", "float64", "bfloat16"):
        return None if name == floatx else floatx
    return None


def normalize(batch: Any) -> Any:
    """A batch in which every leaf is a NumPy array or a tensor, floats in `floatx`."""
    if type(batch) is np.ndarray:
        return _leaf(batch)
    return tree.map_structure(_leaf, batch)


def to_host(outputs: Any) -> Any:
    """Outputs as NumPy arrays."""
    if isinstance(outputs, (list, tuple, dict)):
        return tree.map_structure(lambda x: None if x is None else host_array(x), outputs)
    return host_array(outputs)


def _leaf(x: Any) -> Any:
    if x is None:
        return None
    x = host_array(x)
    if isinstance(x, np.ndarray):
        cast = target_dtype(x.dtype) if x.dtype.kind in "fV" else None
        return x if cast is None else x.astype(cast)
    return x


class HostColumn:
    """One array of a data set, read by rows.

    Args:
        array: values; the first axis counts the samples.
        cast: dtype that the rows are given, None for their own.
    """

    __slots__ = ("array", "cast")

    def __init__(self, array: Any, cast: str | None = None):
        self.array = array
        self.cast = cast

    def rows(self, indices: np.ndarray) -> Any:
        """The rows at `indices`."""
        if isinstance(self.array, np.ndarray):
            rows = self.array[indices]
        else:  # files want their indices ascending
            order = np.argsort(indices)
            rows = np.empty((len(indices), *self.array.shape[1:]), self.array.dtype)
            rows[order] = self.array[np.asarray(indices)[order]]
        return rows if self.cast is None else rows.astype(self.cast)

    def slice(self, start: int, stop: int) -> Any:
        """The rows from `start` to `stop`."""
        rows = self.array[start:stop]
        return rows if self.cast is None else rows.astype(self.cast)
