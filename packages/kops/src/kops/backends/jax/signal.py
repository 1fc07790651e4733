"""JAX: Fourier transforms and views."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from kops.backends.jax.core import native_dtype

__all__ = ["TABLE"]


def _joined(x: Any, axes: int = 1) -> jax.Array:
    if 0 in x[0].shape[-axes:]:
        raise ValueError("there is nothing to transform")  # the spec says it better
    return jax.lax.complex(*x)


def _parts(x: jax.Array) -> tuple[jax.Array, jax.Array]:
    return x.real, x.imag


def _rfft(x: jax.Array, fft_length: int | None = None) -> Any:
    return _parts(jnp.fft.rfft(x, fft_length))


def _irfft(x: Any, fft_length: int | None = None) -> jax.Array:
    spectrum = _joined(x)
    if fft_length is None and spectrum.shape[-1] == 1:
        raise ValueError("the length is not known")  # the spec says it better
    return jnp.fft.irfft(spectrum, fft_length)


def _view(x: jax.Array, dtype: Any = None) -> jax.Array:
    return x if dtype is None else x.view(native_dtype(dtype))


def _view_as_complex(x: jax.Array) -> jax.Array:
    real, imaginary = jnp.moveaxis(x, -1, 0)
    return jax.lax.complex(real, imaginary)


def _view_as_real(x: jax.Array) -> jax.Array:
    if not jnp.iscomplexobj(x):
        raise ValueError("`x` is not complex")  # the spec says it better
    return jnp.stack([x.real, x.imag], -1)


TABLE = {
    "fft": lambda x: _parts(jnp.fft.fft(_joined(x))),
    "fft2": lambda x: _parts(jnp.fft.fft2(_joined(x, 2))),
    "ifft2": lambda x: _parts(jnp.fft.ifft2(_joined(x, 2))),
    "irfft": _irfft,
    "rfft": _rfft,
    "view": _view,
    "view_as_complex": _view_as_complex,
    "view_as_real": _view_as_real,
}
