"""Initializers without chance: constants, the identity, the Fourier matrix."""

from __future__ import annotations

from typing import Any

import ml_dtypes  # noqa: F401  (gives NumPy the names "bfloat16", "float8_e4m3fn", …)
import numpy as np

from klayers.initializers.base import Initializer, standardize
from kops.registry import export
from kops.serialization import deserialize_keras_object, serialize_keras_object
from kops.variable import new_array

__all__ = ["STFT", "Constant", "Identity", "Ones", "Zeros"]


@export("keras.initializers.Constant", "keras.initializers.constant")
class Constant(Initializer):
    """Every entry is `value`.

    Args:
        value: a number, or an array that broadcasts to the weight's shape.

    Example:

    >>> Constant(3.0)((2,)).tolist()
    [3.0, 3.0]
    """

    def __init__(self, value: Any = 0.0) -> None:
        self.value = value

    def __call__(self, shape: Any, dtype: Any = None) -> np.ndarray:
        """The initial value."""
        shape, dtype = standardize(shape, dtype)
        value = np.asarray(self.value).astype(dtype)
        try:
            return np.array(np.broadcast_to(value, shape))
        except ValueError as error:
            raise ValueError(
                f"`value` of Constant has shape {value.shape}, which does not broadcast to "
                f"the weight's shape {shape}."
            ) from error

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        return {"value": serialize_keras_object(self.value)}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Constant:
        """The initializer with the arguments in `config`."""
        value = config.get("value", 0.0)
        return cls(deserialize_keras_object(value) if isinstance(value, dict) else value)


@export("keras.initializers.Zeros", "keras.initializers.zeros")
class Zeros(Initializer):
    """Every entry is 0.

    Example:

    >>> Zeros()((2,)).tolist()
    [0.0, 0.0]
    """

    @new_array
    def __call__(self, shape: Any, dtype: Any = None) -> np.ndarray:
        """The initial value."""
        return np.zeros(*standardize(shape, dtype))


@export("keras.initializers.Ones", "keras.initializers.ones")
class Ones(Initializer):
    """Every entry is 1.

    Example:

    >>> Ones()((2,)).tolist()
    [1.0, 1.0]
    """

    @new_array
    def __call__(self, shape: Any, dtype: Any = None) -> np.ndarray:
        """The initial value."""
        return np.ones(*standardize(shape, dtype))


@export(
    "keras.initializers.Identity",
    "keras.initializers.IdentityInitializer",
    "keras.initializers.identity",
)
class Identity(Initializer):
    """`gain` on the diagonal of a matrix, 0 elsewhere.

    Args:
        gain: the value on the diagonal.

    Raises:
        ValueError: the shape has not exactly two sizes.

    Example:

    >>> Identity()((2, 2)).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """

    def __init__(self, gain: float = 1.0) -> None:
        self.gain = gain

    def __call__(self, shape: Any, dtype: Any = None) -> np.ndarray:
        """The initial value."""
        shape, dtype = standardize(shape, dtype)
        if len(shape) != 2:
            raise ValueError(
                f"The Identity initializer makes matrices (two sizes). Received: shape={shape}"
            )
        return (self.gain * np.eye(*shape)).astype(dtype)

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        return {} if self.gain == 1.0 else {"gain": self.gain}


@export(
    "keras.initializers.STFT",
    "keras.initializers.STFTInitializer",
    "keras.initializers.stft",
)
class STFT(Initializer):
    """One half of a windowed discrete Fourier transform, as a 1D convolution kernel.

    The weight has shape `(frame, 1, frequencies)`, and its entry is
    `w[n] * cos(2 * pi * n * k / fft_length)` (`-sin` for the imaginary half), with
    `fft_length = 2 * (frequencies - 1)`. A frame shorter than that is centred in it.

    Args:
        side: `"real"` or `"imag"`.
        window: `"hann"`, `"hamming"`, another name of a window, an array, or None.
        scaling: `"density"` (divided by the window's energy), `"spectrum"` (by its sum)
            or None.
        periodic: whether the window is the periodic form instead of the symmetric one.

    Example:

    >>> STFT("imag", window=None, scaling=None)((2, 1, 2)).shape
    (2, 1, 2)
    """

    def __init__(
        self,
        side: str = "real",
        window: Any = "hann",
        scaling: str | None = "density",
        periodic: bool = False,
    ) -> None:
        if side not in ("real", "imag"):
            raise ValueError(f"`side` must be 'real' or 'imag'. Received: side={side!r}")
        if scaling not in (None, "density", "spectrum"):
            raise ValueError(
                f"`scaling` must be 'density', 'spectrum' or None. Received: scaling={scaling!r}"
            )
        self.side = side
        self.window = window
        self.scaling = scaling
        self.periodic = periodic

    def __call__(self, shape: Any, dtype: Any = None) -> np.ndarray:
        """The initial value."""
        shape, dtype = standardize(shape, dtype)
        if len(shape) != 3 or shape[1] != 1:
            raise ValueError(
                "The STFT initializer makes kernels of shape (frame, 1, frequencies). "
                f"Received: shape={shape}"
            )
        frame, _, frequencies = shape
        fft_length = max(2 * (frequencies - 1), 1)
        angle = 2 * np.pi * np.outer(np.arange(frame), np.arange(frequencies)) / fft_length
        wave = np.cos(angle) if self.side == "real" else -np.sin(angle)
        window = self._window_values(frame)
        return (window[:, None] * wave).reshape(shape).astype(dtype)

    def _window_values(self, frame: int) -> np.ndarray:
        if self.window is None:
            window = np.ones(frame)
        elif isinstance(self.window, str):
            window = _window(self.window, frame, self.periodic)
        else:
            window = np.asarray(self.window, dtype="float64")
        if self.scaling == "density":
            return window / np.sqrt(np.sum(window**2))
        return window / np.sum(np.abs(window)) if self.scaling == "spectrum" else window

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        return {
            "side": self.side,
            "window": self.window,
            "periodic": self.periodic,
            "scaling": self.scaling,
        }


_WINDOWS = {
    "hann": np.hanning,
    "hamming": np.hamming,
    "bartlett": np.bartlett,
    "blackman": np.blackman,
}


def _window(name: str, size: int, periodic: bool) -> np.ndarray:
    if name not in _WINDOWS:
        raise ValueError(
            f"Unknown window: {name!r}. Accepted are {', '.join(_WINDOWS)}, an array or None."
        )
    return _WINDOWS[name](size + 1)[:-1] if periodic else _WINDOWS[name](size)
