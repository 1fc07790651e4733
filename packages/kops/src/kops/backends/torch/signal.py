"""torch: Fourier transforms and views."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from kops.backends.torch.core import native_dtype

__all__ = ["TABLE"]


def _joined(x: Any) -> torch.Tensor:
    return torch.complex(*x)


def _parts(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    return x.real, x.imag


def _of_any_batch(
    transform: Callable[..., torch.Tensor], x: torch.Tensor, axes: int = 1, **options: Any
) -> torch.Tensor:
    """The transform of `x`; MKL has none for an empty batch."""
    if x.numel() or 0 in x.shape[-axes:]:
        return transform(x, **options)
    one = transform(x.new_zeros(x.shape[-axes:]), **options)
    return one.new_zeros((*x.shape[:-axes], *one.shape))


def _rfft(x: torch.Tensor, fft_length: int | None = None) -> Any:
    return _parts(_of_any_batch(torch.fft.rfft, x, n=fft_length))


def _irfft(x: Any, fft_length: int | None = None) -> torch.Tensor:
    return _of_any_batch(torch.fft.irfft, _joined(x), n=fft_length)


def _view(x: torch.Tensor, dtype: Any = None) -> torch.Tensor:
    return x if dtype is None else x.contiguous().view(native_dtype(dtype))


def _view_as_complex(x: torch.Tensor) -> torch.Tensor:
    real, imaginary = x.unbind(-1)
    return torch.complex(real, imaginary)


TABLE = {
    "fft": lambda x: _parts(_of_any_batch(torch.fft.fft, _joined(x))),
    "fft2": lambda x: _parts(_of_any_batch(torch.fft.fft2, _joined(x), 2)),
    "ifft2": lambda x: _parts(_of_any_batch(torch.fft.ifft2, _joined(x), 2)),
    "irfft": _irfft,
    "rfft": _rfft,
    "view": _view,
    "view_as_complex": _view_as_complex,
    "view_as_real": torch.view_as_real,
}
