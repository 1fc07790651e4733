"""New tensors, conversions, and matrices by their diagonals."""

from __future__ import annotations

from typing import Any

import torch

from kops import config, dtypes
from kops.backends.torch.core import default_device, native_dtype
from kops.shapes import arange_limits

__all__ = ["TABLE"]

Tensor = torch.Tensor


def _dtype(name: Any) -> torch.dtype:
    return native_dtype(dtypes.standardize(name))


def _cast(x: Tensor, dtype: Any) -> Tensor:
    target = _dtype(dtype)
    if x.is_complex() and not target.is_complex:
        x = torch.real(x)
    return x.to(target)


def _convert_to_tensor(
    x: Tensor, dtype: Any = None, sparse: Any = None, ragged: Any = None
) -> Tensor:
    return x if dtype is None else _cast(x, dtype)


def _stop_gradient(variable: Tensor) -> Tensor:
    return variable.detach()


def _shape(shape: Any) -> tuple[int, ...]:
    return tuple(shape) if isinstance(shape, (tuple, list, torch.Size)) else (shape,)


def _zeros(shape: Any, dtype: Any = None) -> Tensor:
    return torch.zeros(_shape(shape), dtype=_dtype(dtype), device=default_device())


def _ones(shape: Any, dtype: Any = None) -> Tensor:
    return torch.ones(_shape(shape), dtype=_dtype(dtype), device=default_device())


def _full(shape: Any, fill_value: Any, dtype: Any = None) -> Tensor:
    value = torch.as_tensor(fill_value, dtype=_dtype(dtype), device=default_device())
    return value.expand(_shape(shape)).clone()


def _zeros_like(x: Tensor, dtype: Any = None) -> Tensor:
    return torch.zeros_like(x, dtype=None if dtype is None else _dtype(dtype))


def _ones_like(x: Tensor, dtype: Any = None) -> Tensor:
    return torch.ones_like(x, dtype=None if dtype is None else _dtype(dtype))


def _arange(start: Any, stop: Any = None, step: Any = None, dtype: Any = None) -> Tensor:
    start, stop, step = arange_limits(start, stop, step)
    if dtype is None:
        exact = not any(torch.as_tensor(n).is_floating_point() for n in (start, stop, step))
        dtype = "int32" if exact else config.floatx()
    target = _dtype(dtype)
    device = default_device()
    if (stop - start) * step <= 0:
        return torch.zeros(0, dtype=target, device=device)  # torch refuses the wrong direction
    wide = torch.float64 if target.is_floating_point else torch.int64
    return torch.arange(start, stop, step, dtype=wide, device=device).to(target)


def _tril(x: Tensor, k: int = 0) -> Tensor:
    return torch.tril(x, k)


def _triu(x: Tensor, k: int = 0) -> Tensor:
    return torch.triu(x, k)


def _diag(x: Tensor, k: int = 0) -> Tensor:
    return torch.diag(x, k)


def _diagonal(x: Tensor, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    return torch.diagonal(x, offset, axis1, axis2)


TABLE: dict[str, Any] = {
    "cast": _cast,
    "_convert_to_tensor": _convert_to_tensor,
    "stop_gradient": _stop_gradient,
    "copy": torch.clone,
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
