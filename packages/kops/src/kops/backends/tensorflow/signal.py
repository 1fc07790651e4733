"""TensorFlow: Fourier transforms and views."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from kops.backends.tensorflow.core import native_dtype

__all__ = ["TABLE"]


def _parts(x: Any) -> tuple[Any, Any]:
    return tf.math.real(x), tf.math.imag(x)


def _checked(x: Any, axes: int = 1, fft_length: int | None = None) -> Any:
    """`x`, if there is something to transform: TensorFlow would end the process otherwise."""
    if 0 in x.shape[-axes:] or (fft_length is not None and not fft_length >= 1):
        raise ValueError("there is nothing to transform")  # the spec says how
    return x


def _rfft(x: Any, fft_length: int | None = None) -> Any:
    x = _checked(x, fft_length=fft_length)
    length = tf.shape(x)[-1] if fft_length is None else fft_length
    return _parts(tf.signal.rfft(x, [length]))


def _irfft(x: Any, fft_length: int | None = None) -> Any:
    spectrum = _checked(tf.complex(*x), fft_length=fft_length)
    if fft_length is None and spectrum.shape[-1] == 1:
        raise ValueError("the length is not known")  # the spec says how
    length = 2 * (tf.shape(spectrum)[-1] - 1) if fft_length is None else fft_length
    return tf.signal.irfft(spectrum, [length])


def _view(x: Any, dtype: Any = None) -> Any:
    if dtype is None:
        return x
    new = native_dtype(dtype)
    if new.size > x.dtype.size:  # the kernel wants the parts of a number along an axis
        n = new.size // x.dtype.size
        x = tf.reshape(x, tf.concat([tf.shape(x)[:-1], [tf.shape(x)[-1] // n, n]], 0))
        return tf.bitcast(x, new)
    result = tf.bitcast(x, new)
    if new.size < x.dtype.size:
        result = tf.reshape(result, tf.concat([tf.shape(x)[:-1], [-1]], 0))
    return result


def _view_as_complex(x: Any) -> Any:
    real, imaginary = tf.unstack(x, 2, -1)
    return tf.complex(real, imaginary)


def _view_as_real(x: Any) -> Any:
    if not x.dtype.is_complex:
        raise ValueError("`x` is not complex")  # the spec says it better
    return tf.stack([tf.math.real(x), tf.math.imag(x)], -1)


TABLE = {
    "fft": lambda x: _parts(tf.signal.fft(_checked(tf.complex(*x)))),
    "fft2": lambda x: _parts(tf.signal.fft2d(_checked(tf.complex(*x), 2))),
    "ifft2": lambda x: _parts(tf.signal.ifft2d(_checked(tf.complex(*x), 2))),
    "irfft": _irfft,
    "rfft": _rfft,
    "view": _view,
    "view_as_complex": _view_as_complex,
    "view_as_real": _view_as_real,
}
