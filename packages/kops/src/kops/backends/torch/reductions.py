"""Reductions, cumulative operations and products of tensors."""

from __future__ import annotations

from typing import Any

import torch

from kops import dtypes
from kops.backends.torch.core import native_dtype
from kops.specs import axes_of

__all__ = ["TABLE"]

Tensor = torch.Tensor


def _no_axes(axis: Any) -> bool:
    """NumPy's `axis=()` reduces nothing; torch reads an empty tuple as "all axes"."""
    return isinstance(axis, (tuple, list)) and not axis


def _all_axes(x: Tensor, axis: Any) -> Any:
    return tuple(range(x.ndim)) if axis is None else axis


def _sum(x: Tensor, axis: Any = None, keepdims: bool = False) -> Tensor:
    return x if _no_axes(axis) else torch.sum(x, axis, keepdims, dtype=x.dtype)


def _in_dtype(x: Tensor, dtype: Any) -> Tensor:
    return x.to(native_dtype(dtypes.standardize(dtype)))


def _prod(x: Tensor, axis: Any = None, keepdims: bool = False, dtype: Any = None) -> Tensor:
    if dtype is not None:
        x = _in_dtype(x, dtype)
    if axis is None and not keepdims:
        return torch.prod(x, dtype=x.dtype)
    axes = _all_axes(x, axis)
    if isinstance(axes, int):
        return torch.prod(x, axes, keepdims, dtype=x.dtype)
    for a in sorted(axes_of(axes, x.ndim), reverse=True):
        x = torch.prod(x, a, keepdims, dtype=x.dtype)
    return x


def _mean(x: Tensor, axis: Any = None, keepdims: bool = False) -> Tensor:
    return x if _no_axes(axis) else torch.mean(x, axis, keepdims)


def _empty_var(x: Tensor, axis: Any = None, keepdims: bool = False) -> Tensor:
    """Variance of nothing: NaN without torch's warning."""
    if _no_axes(axis):
        return torch.zeros_like(x)
    return torch.mean(x, axis, keepdims)


def _var(x: Tensor, axis: Any = None, keepdims: bool = False) -> Tensor:
    if x.numel() == 0 or _no_axes(axis):
        return _empty_var(x, axis, keepdims)
    return torch.var(x, axis, correction=0, keepdim=keepdims)


def _std(x: Tensor, axis: Any = None, keepdims: bool = False) -> Tensor:
    if x.numel() == 0 or _no_axes(axis):
        return _empty_var(x, axis, keepdims)
    return torch.std(x, axis, correction=0, keepdim=keepdims)


def _extremum(reduce: Any, pair: Any) -> Any:
    def run(x: Tensor, axis: Any = None, keepdims: bool = False, initial: Any = None) -> Tensor:
        if initial is not None:
            initial = torch.as_tensor(initial, device=x.device).to(x.dtype)
            if x.numel() == 0:
                # The sum of nothing has the reduced shape.
                return torch.zeros_like(_sum(x, axis, keepdims)) + initial
        if _no_axes(axis):
            result = x
        elif axis is None:
            result = reduce(x, dim=tuple(range(x.ndim)), keepdim=keepdims)
        else:
            result = reduce(x, dim=axis, keepdim=keepdims)
        return result if initial is None else pair(result, initial)

    return run


def _any(x: Tensor, axis: Any = None, keepdims: bool = False) -> Tensor:
    return x if _no_axes(axis) else torch.any(x, _all_axes(x, axis), keepdims)


def _all(x: Tensor, axis: Any = None, keepdims: bool = False) -> Tensor:
    return x if _no_axes(axis) else torch.all(x, _all_axes(x, axis), keepdims)


def _arg(reduce: Any) -> Any:
    def run(x: Tensor, axis: int | None = None, keepdims: bool = False) -> Tensor:
        if x.dtype == torch.bool:
            x = x.to(torch.uint8)
        return reduce(x, axis, keepdims).to(torch.int32)

    return run


def _cumsum(x: Tensor, axis: int | None = None, dtype: Any = None) -> Tensor:
    if dtype is not None:
        x = _in_dtype(x, dtype)
    return torch.cumsum(x.flatten() if axis is None else x, axis or 0, dtype=x.dtype)


def _cumprod(x: Tensor, axis: int | None = None, dtype: Any = None) -> Tensor:
    if dtype is not None:
        x = _in_dtype(x, dtype)
    return torch.cumprod(x.flatten() if axis is None else x, axis or 0, dtype=x.dtype)


def _logsumexp(x: Tensor, axis: Any = None, keepdims: bool = False) -> Tensor:
    if _no_axes(axis) or x.ndim == 0:
        return x
    return torch.logsumexp(x, _all_axes(x, axis), keepdims)


def _einsum(subscripts: str, *operands: Tensor) -> Tensor:
    return torch.einsum(subscripts, *operands)


def _tensordot(x1: Tensor, x2: Tensor, axes: Any = 2) -> Tensor:
    if not isinstance(axes, int):
        axes = [[a] if isinstance(a, int) else list(a) for a in axes]
    return torch.tensordot(x1, x2, axes)


TABLE: dict[str, Any] = {
    "sum": _sum,
    "prod": _prod,
    "mean": _mean,
    "var": _var,
    "std": _std,
    "max": _extremum(torch.amax, torch.maximum),
    "min": _extremum(torch.amin, torch.minimum),
    "any": _any,
    "all": _all,
    "argmax": _arg(torch.argmax),
    "argmin": _arg(torch.argmin),
    "cumsum": _cumsum,
    "cumprod": _cumprod,
    "logsumexp": _logsumexp,
    "matmul": torch.matmul,
    "einsum": _einsum,
    "tensordot": _tensordot,
}
