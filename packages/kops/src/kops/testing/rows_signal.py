"""Rows of Fourier transforms, frames, windows and views."""

from __future__ import annotations

from typing import Any

import numpy as np

from kops.testing.rows import ErrorCase, Row, Sample, array, integers, register

__all__: list[str] = []

_PAIR = [array(2, 5), array(2, 5, salt=1)]
_IMAGES = [array(2, 4, 3), array(2, 4, 3, salt=1)]
_EMPTY = [array(0, 4), array(0, 4)]
_SIGNAL = array(2, 40, salt=2)


def _complex(x: Any) -> Any:
    return np.asarray(x[0], "float64") + 1j * np.asarray(x[1], "float64")


def _parts(x: Any) -> Any:
    return x.real, x.imag


def _double(x: Any) -> Any:
    return np.asarray(x, "float64")


def _frames(x: Any, length: int, stride: int) -> Any:
    starts = range(0, x.shape[-1] - length + 1, stride)
    frames = [x[..., s : s + length] for s in starts]
    return np.stack(frames, -2) if frames else np.zeros((*x.shape[:-1], 0, length), x.dtype)


def _window(window: Any, length: int, fft_length: int) -> Any:
    if window is None:
        return np.ones(fft_length)
    angles = 2 * np.pi * np.arange(length) / length
    named = {"hann": 0.5 - 0.5 * np.cos(angles), "hamming": 0.54 - 0.46 * np.cos(angles)}
    values = named[window] if isinstance(window, str) else _double(window)
    if length == 1 and isinstance(window, str):
        values = np.ones(1)
    before = (fft_length - length) // 2
    return np.pad(values, (before, fft_length - length - before))


def _stft(x, sequence_length, sequence_stride, fft_length, window="hann", center=True) -> Any:
    x = _double(x)
    if center:
        x = np.pad(x, [(0, 0)] * (x.ndim - 1) + [(fft_length // 2,) * 2], mode="reflect")
    frames = _frames(x, fft_length, sequence_stride)
    return _parts(np.fft.rfft(frames * _window(window, sequence_length, fft_length)))


def _istft(
    x, sequence_length, sequence_stride, fft_length, length=None, window="hann", center=True
) -> Any:
    frames = np.fft.irfft(_complex(x), fft_length)
    weights = _window(window, sequence_length, fft_length)
    n = frames.shape[-2]
    signal = np.zeros((*frames.shape[:-2], (n - 1) * sequence_stride + fft_length))
    total = np.zeros(signal.shape[-1])
    for i in range(n):
        here = slice(i * sequence_stride, i * sequence_stride + fft_length)
        signal[..., here] += frames[..., i, :] * weights
        total[here] += weights**2
    signal = np.where(total > 1e-10, signal / np.where(total > 1e-10, total, 1), 0)
    if center:
        signal = signal[..., fft_length // 2 :]
        signal = signal if length else signal[..., : signal.shape[-1] - fft_length // 2]
    if length is None:
        return signal
    signal = signal[..., :length]
    return np.pad(signal, [(0, 0)] * (signal.ndim - 1) + [(0, length - signal.shape[-1])])


_PAIR_ERRORS = [
    ErrorCase(([array(2, 5), array(2, 4)],), match="same shape"),
    ErrorCase(([array(2, 0), array(2, 0)],), match="axis -1"),
]
_SPECTRUM = [array(2, 9, 5, salt=3), array(2, 9, 5, salt=4)]

rows = [
    Row(
        "fft",
        samples=[Sample(_PAIR), Sample(_EMPTY), Sample([array(1), array(1)])],
        reference=lambda x: _parts(np.fft.fft(_complex(x))),
        errors=_PAIR_ERRORS,
        atol=1e-5,
    ),
    Row(
        "fft2",
        samples=[Sample(_IMAGES), Sample([array(0, 2, 3), array(0, 2, 3)])],
        reference=lambda x: _parts(np.fft.fft2(_complex(x))),
        errors=[*_PAIR_ERRORS, ErrorCase(([array(4), array(4)],), match="rank 2")],
        atol=1e-5,
    ),
    Row(
        "ifft2",
        samples=[Sample(_IMAGES), Sample([array(0, 2, 3), array(0, 2, 3)])],
        reference=lambda x: _parts(np.fft.ifft2(_complex(x))),
        errors=[*_PAIR_ERRORS, ErrorCase(([array(4), array(4)],), match="rank 2")],
        atol=1e-5,
    ),
    Row(
        "rfft",
        samples=[
            Sample(array(2, 7)),
            Sample(array(2, 8)),
            Sample(array(2, 7), 4),
            Sample(array(7), fft_length=12),
            Sample(array(0, 4)),
            Sample(integers(2, 6)),
        ],
        reference=lambda x, fft_length=None: _parts(np.fft.rfft(_double(x), fft_length)),
        errors=[
            ErrorCase((array(2, 7), 0), match="`fft_length`"),
            ErrorCase((array(2, 7), 2.5), match="`fft_length`"),
            ErrorCase((array(2, 0),), match="axis -1"),
        ],
        atol=1e-5,
    ),
    Row(
        "irfft",
        samples=[Sample(_PAIR), Sample(_PAIR, 7), Sample(_PAIR, fft_length=14), Sample(_EMPTY)],
        reference=lambda x, fft_length=None: np.fft.irfft(_complex(x), fft_length),
        errors=[
            _PAIR_ERRORS[0],
            ErrorCase((_PAIR, 0), match="`fft_length`"),
            ErrorCase(([array(2, 1), array(2, 1)],), match="`fft_length`"),
        ],
        atol=1e-5,
    ),
    Row(
        "extract_sequences",
        samples=[
            Sample(array(2, 9), 4, 2),
            Sample(array(9), 3, 5),
            Sample(array(2, 2), 4, 2),
            Sample(array(0, 9), 4, 2),
            Sample(integers(7), 7, 1),
        ],
        reference=lambda x, n, s: _frames(np.asarray(x), n, s),
        errors=[
            ErrorCase((array(9), 0, 2), match="`sequence_length`"),
            ErrorCase((array(9), 4, 0), match="`sequence_stride`"),
            ErrorCase((array(), 4, 2), match="rank 1"),
        ],
        unknown_dims="batch",
        differentiable=True,
    ),
    Row(
        "stft",
        samples=[
            Sample(_SIGNAL, 8, 3, 8),
            Sample(_SIGNAL, 7, 4, 11, center=False),
            Sample(_SIGNAL[0], 8, 4, 16, window="hamming"),
            Sample(_SIGNAL, 8, 4, 8, window=None),
            Sample(_SIGNAL, 1, 1, 1),
            Sample(array(0, 40), 8, 4, 8),
        ],
        reference=_stft,
        errors=[
            ErrorCase((_SIGNAL, 8, 3, 7), match="`fft_length`"),
            ErrorCase((_SIGNAL, 8, 3, 8), {"window": "box"}, match="`window`"),
            ErrorCase((_SIGNAL, 8, 3, 8), {"window": [1.0, 2.0]}, match="`window`"),
            ErrorCase((array(4), 8, 3, 8), match="center=False"),
        ],
        atol=2e-5,
        unknown_dims="batch",
    ),
    Row(
        "istft",
        samples=[
            Sample(_SPECTRUM, 8, 3, 8),
            Sample(_SPECTRUM, 6, 2, 8, length=20),
            Sample(_SPECTRUM, 8, 4, 8, length=60, window="hamming"),
            Sample(_SPECTRUM, 8, 3, 9, window=None, center=False),
            Sample([array(4, 1), array(4, 1, salt=5)], 1, 1, 1),
        ],
        reference=_istft,
        errors=[
            ErrorCase((_SPECTRUM, 8, 3, 12), match="5 frequencies"),
            ErrorCase((_SPECTRUM, 8, 3, 8, 0), match="`length`"),
        ],
        atol=2e-4,
        rtol=1e-4,
        unknown_dims=False,
    ),
    *(
        Row(name, samples=[Sample(n, *more) for n in (0, 1, 2, 7)], reference=reference, errors=[])
        for name, reference, more in (
            ("bartlett", np.bartlett, ()),
            ("blackman", np.blackman, ()),
            ("hamming", np.hamming, ()),
            ("hanning", np.hanning, ()),
            ("kaiser", np.kaiser, (2.5,)),
        )
    ),
    Row(
        "view",
        samples=[
            Sample(integers(2, 4), "float32"),
            Sample(integers(2, 4)),
            Sample(integers(2, 4), "uint8"),
            Sample(np.arange(8, dtype="uint8"), "int32"),
        ],
        reference=lambda x, dtype=None: np.asarray(x).view(dtype or x.dtype),
        errors=[
            ErrorCase((np.arange(7, dtype="uint8"), "int32"), match="last axis"),
            ErrorCase((np.uint8(3), "int32"), match="scalar"),
        ],
        unknown_dims="batch",
    ),
    Row(
        "view_as_complex",
        samples=[Sample(array(3, 2)), Sample(array(0, 2))],
        reference=lambda x: _double(x)[..., 0] + 1j * _double(x)[..., 1],
        errors=[ErrorCase((array(3, 3),), match="size 2")],
        unknown_dims="batch",
    ),
    Row(
        "view_as_real",
        samples=[Sample(np.array([1 + 2j, 3 - 1j], "complex64"))],
        reference=lambda x: np.stack([x.real, x.imag], -1),
        errors=[ErrorCase((array(3),), match="complex")],
    ),
    Row(
        "polar",
        samples=[Sample(np.abs(array(3)), array(3)), Sample(np.abs(array(2, 1)), array(3))],
        reference=lambda abs_, angle: abs_ * np.exp(1j * _double(angle)),
        errors=[ErrorCase((array(2), array(3)), match="broadcast")],
    ),
]
register(rows)
