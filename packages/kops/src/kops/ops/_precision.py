"""Precision of intermediate results: 16-bit floats are summed up in float32."""

from __future__ import annotations

from typing import Any

from kops import ops
from kops.backend import current
from kops.keras_tensor import KerasTensor

__all__ = ["dtype_name", "narrow", "widen"]

_LOW = ("float16", "bfloat16")


def dtype_name(x: Any) -> str:
    """Dtype of a symbolic or native tensor."""
    return x.dtype if isinstance(x, KerasTensor) else current().dtype_of(x)


def widen(x: Any) -> Any:
    """`x`, in float32 where it is a 16-bit float."""
    return ops.cast(x, "float32") if dtype_name(x) in _LOW else x


def narrow(x: Any, like: Any) -> Any:
    """`x` in the dtype of `like`."""
    dtype = dtype_name(like)
    return x if dtype_name(x) == dtype else ops.cast(x, dtype)
