"""Fourier transforms, frames of signals, and window functions.

A complex signal is a pair of real tensors, its real and its imaginary part.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from kops import config, ops
from kops.dim import Dim
from kops.keras_tensor import KerasTensor
from kops.op import Tensor, op_family
from kops.ops._precision import dtype_name
from kops.specs import Dims, keep, wide_float

__all__ = [
    "bartlett",
    "blackman",
    "extract_sequences",
    "fft",
    "fft2",
    "hamming",
    "hanning",
    "ifft2",
    "irfft",
    "istft",
    "kaiser",
    "rfft",
    "stft",
]

op = op_family("math")


# -- shape rules ------------------------------------------------------------------------------


def _pair(x: Any, rank: int) -> Dims:
    if not isinstance(x, (tuple, list)) or len(x) != 2:
        raise ValueError(f"`x` must be a pair (real part, imaginary part); got {x!r}.")
    a, b = (tuple(part.shape) for part in x)
    if len(a) != len(b) or any(m != n and None not in (m, n) for m, n in zip(a, b, strict=True)):
        raise ValueError(f"The parts of `x` must have the same shape, got {a} and {b}.")
    if len(a) < rank:
        raise ValueError(f"`x` must have rank {rank} or more, got shape {a}.")
    dims = x[0].dims if isinstance(x[0], KerasTensor) else a
    for axis in range(-rank, 0):
        _not_empty(dims[axis], axis)
    return dims


def _not_empty(size: Any, axis: int = -1) -> None:
    if size == 0 and isinstance(size, int):
        raise ValueError(f"`x` has nothing along axis {axis}; a transform needs one element.")


def _fft_dims(x) -> Any:
    dims = _pair(x, 1)
    return [dims, dims]


def _fft2_dims(x) -> Any:
    dims = _pair(x, 2)
    return [dims, dims]


def _length(fft_length: Any, least: int = 1) -> None:
    if isinstance(fft_length, bool) or not isinstance(fft_length, int) or fft_length < least:
        raise ValueError(f"`fft_length` must be an int of at least {least}; got {fft_length!r}.")


def _rfft_dims(x, fft_length) -> Any:
    if len(x.shape) < 1:
        raise ValueError("`x` must have rank 1 or more, got a scalar.")
    if fft_length is None:
        _not_empty(x.dims[-1])
        bins = x.dims[-1] // 2 + 1
    else:
        _length(fft_length)
        bins = fft_length // 2 + 1
    dims = (*x.dims[:-1], bins)
    return [dims, dims]


def _irfft_dims(x, fft_length) -> Dims:
    dims = _pair(x, 1)
    if fft_length is None:
        length = 2 * (dims[-1] - 1)
        if isinstance(length, int) and length < 1:
            raise ValueError(
                "`x` has one frequency, which says nothing of the signal's length: give "
                "`fft_length`."
            )
    else:
        _length(fft_length)
        length = fft_length
    return (*dims[:-1], length)


# -- transforms -------------------------------------------------------------------------------


@op(shape=_fft_dims, dtype=wide_float, name="FFT")
def fft(x: Sequence[Tensor]) -> tuple[Tensor, Tensor]:
    """Discrete Fourier transform along the last axis.

    `X[k] = sum(x[n] * exp(-2 pi i k n / N))`.

    Args:
        x: real and imaginary part, of the same shape.

    Returns:
        Real and imaginary part of the transform, of that shape.

    Raises:
        ValueError: if `x` is no pair of equal shapes, or has nothing to transform.

    Example:

    >>> import numpy as np
    >>> from kops import ops
    >>> real, imaginary = ops.fft((np.ones(4, "float32"), np.zeros(4, "float32")))
    >>> ops.convert_to_numpy(real).tolist()
    [4.0, 0.0, 0.0, 0.0]
    """


@op(shape=_fft2_dims, dtype=wide_float, name="FFT2")
def fft2(x: Sequence[Tensor]) -> tuple[Tensor, Tensor]:
    """Discrete Fourier transform along the last two axes.

    Args:
        x: real and imaginary part, of the same shape.

    Returns:
        Real and imaginary part of the transform, of that shape.

    Raises:
        ValueError: if `x` is no pair of equal shapes, or has nothing to transform.

    Example:

    >>> import numpy as np
    >>> from kops import ops
    >>> real, imaginary = ops.fft2((np.ones((2, 2), "float32"), np.zeros((2, 2), "float32")))
    >>> ops.convert_to_numpy(real).tolist()
    [[4.0, 0.0], [0.0, 0.0]]
    """


@op(shape=_fft2_dims, dtype=wide_float, name="IFFT2")
def ifft2(x: Sequence[Tensor]) -> tuple[Tensor, Tensor]:
    """Inverse of `fft2`.

    Args:
        x: real and imaginary part, of the same shape.

    Returns:
        Real and imaginary part of the signal, of that shape.

    Raises:
        ValueError: if `x` is no pair of equal shapes, or has nothing to transform.

    Example:

    >>> import numpy as np
    >>> from kops import ops
    >>> real, imaginary = ops.ifft2((np.ones((2, 2), "float32"), np.zeros((2, 2), "float32")))
    >>> ops.convert_to_numpy(real).tolist()
    [[1.0, 0.0], [0.0, 0.0]]
    """


@op(shape=_rfft_dims, dtype=wide_float, name="RFFT")
def rfft(x: Tensor, fft_length: int | None = None) -> tuple[Tensor, Tensor]:
    """Discrete Fourier transform of a real signal along the last axis: its first half.

    Args:
        x: signal, shape (..., length).
        fft_length: length to which the signal is cut or filled with zeros; its own if None.

    Returns:
        Real and imaginary part, shape (..., fft_length // 2 + 1).

    Raises:
        ValueError: for a length below 1.

    Example:

    >>> import numpy as np
    >>> from kops import ops
    >>> real, imaginary = ops.rfft(np.ones(4, "float32"))
    >>> ops.convert_to_numpy(real).tolist()
    [4.0, 0.0, 0.0]
    """


@op(shape=_irfft_dims, dtype=wide_float, name="IRFFT")
def irfft(x: Sequence[Tensor], fft_length: int | None = None) -> Tensor:
    """Inverse of `rfft`.

    Args:
        x: real and imaginary part, shape (..., frequencies).
        fft_length: length of the signal; `2 * (frequencies - 1)` if None.

    Returns:
        The real signal, shape (..., fft_length).

    Raises:
        ValueError: if `x` is no pair of equal shapes, or for a length below 1.

    Example:

    >>> import numpy as np
    >>> from kops import ops
    >>> x = np.array([1.0, 2.0, 3.0, 4.0], "float32")
    >>> ops.convert_to_numpy(ops.irfft(ops.rfft(x))).round(5).tolist()
    [1.0, 2.0, 3.0, 4.0]
    """


# -- frames -----------------------------------------------------------------------------------


def _positive(name: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ValueError(f"`{name}` must be a positive int; got {value!r}.")


@op(dtype=keep)
def extract_sequences(x: Tensor, sequence_length: int, sequence_stride: int) -> Tensor:
    """Frames of a signal: windows along the last axis.

    Args:
        x: signal, shape (..., length).
        sequence_length: length of a frame.
        sequence_stride: distance between the starts of two frames.

    Returns:
        Shape (..., frames, sequence_length), with `frames = (length - sequence_length) //
        sequence_stride + 1`, none for a shorter signal.

    Raises:
        ValueError: for numbers below 1 or a scalar.

    Example:

    >>> import numpy as np
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.extract_sequences(np.arange(5), 3, 2)).tolist()
    [[0, 1, 2], [2, 3, 4]]
    """
    _positive("sequence_length", sequence_length)
    _positive("sequence_stride", sequence_stride)
    if not len(x.shape):
        raise ValueError("`x` must have rank 1 or more, got a scalar.")
    length = ops.shape(x)[-1]
    frames = (length - sequence_length) // sequence_stride + 1
    if isinstance(frames, int):
        frames = max(0, frames)
    starts = ops.expand_dims(ops.arange(frames, dtype="int32") * sequence_stride, 1)
    steps = ops.expand_dims(ops.arange(sequence_length, dtype="int32"), 0)
    return ops.take(x, starts + steps, axis=-1)


def _window(window: Any, length: int, fft_length: int, dtype: str) -> Any:
    """The window as a tensor of `fft_length`, zeros on both sides of the given one."""
    if window is None:
        return ops.ones((fft_length,), dtype)
    if isinstance(window, str):
        if window not in _PERIODIC:
            raise ValueError(
                f"`window` must be one of {sorted(_PERIODIC)}, None or a tensor of "
                f"`sequence_length` numbers; got {window!r}."
            )
        # Periodic: the window of one more point without its last.
        values = ops.cast(_PERIODIC[window](length + 1)[:-1], dtype)
        if length == 1:
            values = ops.ones((1,), dtype)
    else:
        values = ops.convert_to_tensor(window, dtype)
        if tuple(values.shape) != (length,):
            raise ValueError(
                f"`window` must have the shape ({length},) of `sequence_length`, got "
                f"{tuple(values.shape)}."
            )
    before = (fft_length - length) // 2
    return ops.pad(values, ((before, fft_length - length - before),))


def _check_stft(sequence_length: Any, sequence_stride: Any, fft_length: Any) -> None:
    _positive("sequence_length", sequence_length)
    _positive("sequence_stride", sequence_stride)
    _positive("fft_length", fft_length)
    if fft_length < sequence_length:
        raise ValueError(
            f"`fft_length`, {fft_length}, must be at least `sequence_length`, {sequence_length}."
        )


@op(dtype=wide_float, name="STFT")
def stft(
    x: Tensor,
    sequence_length: int,
    sequence_stride: int,
    fft_length: int,
    window: Any = "hann",
    center: bool = True,
) -> tuple[Tensor, Tensor]:
    """Short-time Fourier transform: `rfft` of the windowed frames of a signal.

    Args:
        x: signal, shape (..., length).
        sequence_length: length of the window.
        sequence_stride: distance between the starts of two frames.
        fft_length: length of a frame, at least `sequence_length`.
        window: "hann" or "hamming" (periodic), a tensor of `sequence_length` numbers, or None
            for no window (ones over the whole frame).
        center: whether the signal is reflected at both ends by half a frame, so that frame `t`
            is centred at `t * sequence_stride`.

    Returns:
        Real and imaginary part, shape (..., frames, fft_length // 2 + 1).

    Raises:
        ValueError: for lengths that do not fit, or an unknown window.

    Source: Allen and Rabiner, "A Unified Approach to Short-Time Fourier Analysis and
    Synthesis", Proc. IEEE 65, 1977.

    Example:

    >>> import numpy as np
    >>> from kops import ops
    >>> real, imaginary = ops.stft(np.ones((2, 16), "float32"), 4, 2, 8)
    >>> tuple(real.shape)
    (2, 9, 5)
    """
    _check_stft(sequence_length, sequence_stride, fft_length)
    if not len(x.shape):
        raise ValueError("`x` must have rank 1 or more, got a scalar.")
    if center:
        half = fft_length // 2
        length = x.shape[-1]
        if length is not None and length <= half:
            raise ValueError(
                f"`x` has {length} steps; reflecting it by half of `fft_length` needs more than "
                f"{half}. Use a smaller `fft_length` or `center=False`."
            )
        x = ops.pad(x, ((0, 0),) * (len(x.shape) - 1) + ((half, half),), mode="reflect")
    frames = extract_sequences(x, fft_length, sequence_stride)
    return rfft(frames * _window(window, sequence_length, fft_length, dtype_name(x)), fft_length)


@op(dtype=wide_float, name="ISTFT")
def istft(
    x: Sequence[Tensor],
    sequence_length: int,
    sequence_stride: int,
    fft_length: int,
    length: int | None = None,
    window: Any = "hann",
    center: bool = True,
) -> Tensor:
    """Inverse of `stft`: windowed frames added up, divided by the sum of the squared windows.

    Where that sum is zero the signal is lost, and zero here.

    Args:
        x: real and imaginary part, shape (..., frames, fft_length // 2 + 1).
        sequence_length: length of the window.
        sequence_stride: distance between the starts of two frames.
        fft_length: length of a frame, at least `sequence_length`.
        length: length of the signal; what the frames cover if None.
        window: as for `stft`.
        center: as for `stft`.

    Returns:
        The signal, shape (..., length).

    Raises:
        ValueError: for lengths that do not fit, or an unknown window.

    Source: Griffin and Lim, "Signal Estimation from Modified Short-Time Fourier Transform",
    IEEE Trans. ASSP 32, 1984.

    Example:

    >>> import numpy as np
    >>> from kops import ops
    >>> x = np.arange(16, dtype="float32")
    >>> spectrum = ops.stft(x, 8, 2, 8)
    >>> ops.convert_to_numpy(ops.istft(spectrum, 8, 2, 8, length=16)).round(3)[1:4].tolist()
    [1.0, 2.0, 3.0]
    """
    _check_stft(sequence_length, sequence_stride, fft_length)
    dims = _pair(x, 2)
    if isinstance(dims[-1], int) and dims[-1] != fft_length // 2 + 1:
        raise ValueError(
            f"The last axis of `x` has {dims[-1]} frequencies; `fft_length` {fft_length} makes "
            f"{fft_length // 2 + 1}."
        )
    if length is not None:
        _positive("length", length)
    frames = irfft(x, fft_length)
    weights = _window(window, sequence_length, fft_length, dtype_name(frames))
    n = ops.shape(frames)[-2]
    signal = _overlap_add(frames * weights, sequence_stride)
    square = ops.broadcast_to(ops.square(weights), (n, fft_length))
    total = _overlap_add(square, sequence_stride)
    lost = ops.less(total, 1e-10)
    signal = ops.where(lost, 0.0, signal / ops.where(lost, ops.ones_like(total), total))
    if center:
        half = fft_length // 2
        end = ops.shape(signal)[-1] - (half if length is None else 0)
        signal = signal[..., half:end]
    if length is None:
        return signal
    covered = ops.shape(signal)[-1]
    if not isinstance(covered, int):
        raise ValueError("`length` needs the number of frames to be known; leave it at None.")
    if covered >= length:
        return signal[..., :length]
    return ops.pad(signal, ((0, 0),) * (len(signal.shape) - 1) + ((0, length - covered),))


def _overlap_add(frames: Any, stride: int) -> Any:
    """Sums frames, shape (..., n, length), that start `stride` apart."""
    *batch, n, length = ops.shape(frames)
    rank = len(frames.shape)
    blocks = -(-length // stride)
    none = ((0, 0),) * (rank - 2)
    frames = ops.pad(frames, (*none, (0, 0), (0, blocks * stride - length)))
    total: Any = None
    for i in range(blocks):
        block = frames[..., i * stride : (i + 1) * stride]
        block = ops.pad(block, (*none, (i, blocks - 1 - i), (0, 0)))
        total = block if total is None else total + block
    total = ops.reshape(total, (*batch, (n + blocks - 1) * stride))
    return total[..., : (n - 1) * stride + length]


# -- windows ----------------------------------------------------------------------------------


def _points(x: Any) -> int:
    """The number of points of a window."""
    if isinstance(x, (KerasTensor, Dim)):
        raise ValueError(f"The length `x` of a window must be known; got {x!r}.")
    if not isinstance(x, int):
        array = ops.convert_to_numpy(x)
        if array.size != 1:
            raise ValueError(f"The length `x` of a window must be one number; got {x!r}.")
        x = array.item()
    if isinstance(x, bool) or x != int(x) or x < 0:
        raise ValueError(f"The length `x` of a window must be a whole number; got {x!r}.")
    return int(x)


def _by_angle(x: Any, function: Callable[[Any], Any]) -> Any:
    """`function` of `n` points evenly spread over [0, 2 pi]."""
    n = _points(x)
    if n <= 1:
        return ops.ones((n,), config.floatx())
    angles = ops.arange(n, dtype=config.floatx()) * (2.0 * math.pi / (n - 1))
    return function(angles)


numpy_op = op_family("numpy")


@numpy_op(dtype=keep)
def bartlett(x: Any) -> Tensor:
    """Bartlett's window, a triangle that is zero at both ends.

    Args:
        x: number of points, an int (or a tensor that holds one).

    Returns:
        Tensor of shape (x,).

    Raises:
        ValueError: if `x` is no whole number of at least 0.

    Example:

    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.bartlett(5)).tolist()
    [0.0, 0.5, 1.0, 0.5, 0.0]
    """
    return _by_angle(x, lambda a: 1.0 - ops.abs(a / math.pi - 1.0))


@numpy_op(dtype=keep)
def blackman(x: Any) -> Tensor:
    """Blackman's window: `0.42 - 0.5 cos(a) + 0.08 cos(2 a)`.

    Args:
        x: number of points, an int (or a tensor that holds one).

    Returns:
        Tensor of shape (x,).

    Raises:
        ValueError: if `x` is no whole number of at least 0.

    Example:

    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.blackman(5)).round(2)[1:4]
    array([0.34, 1.  , 0.34], dtype=float32)
    """
    return _by_angle(x, lambda a: 0.42 - 0.5 * ops.cos(a) + 0.08 * ops.cos(2.0 * a))


@numpy_op(dtype=keep)
def hamming(x: Any) -> Tensor:
    """Hamming's window: `0.54 - 0.46 cos(a)`.

    Args:
        x: number of points, an int (or a tensor that holds one).

    Returns:
        Tensor of shape (x,).

    Raises:
        ValueError: if `x` is no whole number of at least 0.

    Example:

    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.hamming(3)).round(2)
    array([0.08, 1.  , 0.08], dtype=float32)
    """
    return _by_angle(x, lambda a: 0.54 - 0.46 * ops.cos(a))


@numpy_op(dtype=keep)
def hanning(x: Any) -> Tensor:
    """Von Hann's window: `0.5 - 0.5 cos(a)`.

    Args:
        x: number of points, an int (or a tensor that holds one).

    Returns:
        Tensor of shape (x,).

    Raises:
        ValueError: if `x` is no whole number of at least 0.

    Example:

    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.hanning(3)).tolist()
    [0.0, 1.0, 0.0]
    """
    return _by_angle(x, lambda a: 0.5 - 0.5 * ops.cos(a))


@numpy_op(dtype=keep)
def kaiser(x: Any, beta: float) -> Tensor:
    """Kaiser's window: `i0(beta sqrt(1 - r**2)) / i0(beta)` with `r` from -1 to 1.

    Args:
        x: number of points, an int (or a tensor that holds one).
        beta: shape of the window; 0 is a rectangle.

    Returns:
        Tensor of shape (x,).

    Raises:
        ValueError: if `x` is no whole number of at least 0.

    Source: Kaiser, "Digital Filters", 1966.

    Example:

    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.kaiser(3, 0.0)).tolist()
    [1.0, 1.0, 1.0]
    """
    beta = float(beta)

    def value(a: Any) -> Any:
        inside = ops.maximum(1.0 - ops.square(a / math.pi - 1.0), 0.0)
        return ops.i0(beta * ops.sqrt(inside)) / ops.i0(ops.convert_to_tensor(beta, a.dtype))

    return _by_angle(x, value)


_PERIODIC = {"hann": hanning, "hamming": hamming}
