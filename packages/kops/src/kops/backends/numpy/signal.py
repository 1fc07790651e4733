"""NumPy: Fourier transforms and views."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["TABLE"]


def _joined(x: Any) -> np.ndarray:
    real, imaginary = x
    result = np.empty(real.shape, np.result_type(real.dtype, np.complex64))
    result.real, result.imag = real, imaginary
    return result


def _parts(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return np.ascontiguousarray(x.real), np.ascontiguousarray(x.imag)


def _rfft(x: np.ndarray, fft_length: int | None = None) -> Any:
    return _parts(np.fft.rfft(x, fft_length))


def _irfft(x: Any, fft_length: int | None = None) -> np.ndarray:
    return np.fft.irfft(_joined(x), fft_length)


def _view(x: np.ndarray, dtype: Any = None) -> np.ndarray:
    return x if dtype is None else np.ascontiguousarray(x).view(dtype)


def _view_as_complex(x: np.ndarray) -> np.ndarray:
    real, imaginary = np.moveaxis(x, -1, 0)
    return _joined((real, imaginary))


def _view_as_real(x: np.ndarray) -> np.ndarray:
    if not np.iscomplexobj(x):
        raise ValueError("`x` is not complex")  # the spec says it better
    return np.stack([x.real, x.imag], -1)


TABLE = {
    "fft": lambda x: _parts(np.fft.fft(_joined(x))),
    "fft2": lambda x: _parts(np.fft.fft2(_joined(x))),
    "ifft2": lambda x: _parts(np.fft.ifft2(_joined(x))),
    "irfft": _irfft,
    "rfft": _rfft,
    "view": _view,
    "view_as_complex": _view_as_complex,
    "view_as_real": _view_as_real,
}
