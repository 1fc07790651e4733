"""Random initializers, drawn on the host by a counter-based generator."""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from klayers.initializers.base import Initializer, standardize
from kops import ops
from kops.random import SeedGenerator, host, make_default_seed
from kops.registry import export
from kops.serialization import deserialize_keras_object, serialize_keras_object
from kops.variable import new_array

__all__ = [
    "GlorotNormal",
    "GlorotUniform",
    "HeNormal",
    "HeUniform",
    "LecunNormal",
    "LecunUniform",
    "Orthogonal",
    "RandomInitializer",
    "RandomNormal",
    "RandomUniform",
    "TruncatedNormal",
    "VarianceScaling",
]

# Standard deviation of a standard normal cut at two standard deviations.
_TRUNCATED_STDDEV = 0.87962566103423978
_MODES = ("fan_in", "fan_out", "fan_avg")
_DISTRIBUTIONS = ("truncated_normal", "untruncated_normal", "uniform")


class RandomInitializer(Initializer):
    """Base of the random initializers: holds the seed.

    An integer seed gives the same values at every call. Without a seed one is drawn when
    the initializer is made, so two initializers differ while one repeats itself. A
    `SeedGenerator` gives new values at every call.
    """

    def __init__(self, seed: int | SeedGenerator | dict[str, Any] | None = None) -> None:
        if isinstance(seed, dict):
            seed = deserialize_keras_object(seed)
        self._init_seed = seed
        if seed is None:
            seed = make_default_seed()
        elif isinstance(seed, bool) or not isinstance(seed, (int, np.integer, SeedGenerator)):
            raise ValueError(
                "`seed` must be an integer, a `keras.random.SeedGenerator` or None. "
                f"Received: seed={seed!r}"
            )
        self.seed = seed

    def _next_seed(self) -> int:
        if isinstance(self.seed, SeedGenerator):
            high, low = (int(word) for word in ops.convert_to_numpy(self.seed.next()))
            return high << 32 | low
        return int(self.seed)

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        return {"seed": serialize_keras_object(self._init_seed)}


@export("keras.initializers.RandomNormal", "keras.initializers.random_normal")
class RandomNormal(RandomInitializer):
    """Drawn from a normal distribution.

    Args:
        mean: mean of the values.
        stddev: their standard deviation.
        seed: an integer, a `SeedGenerator`, or None.

    Example:

    >>> RandomNormal(seed=1)((2, 3)).shape
    (2, 3)
    """

    def __init__(
        self, mean: float = 0.0, stddev: float = 0.05, seed: int | SeedGenerator | None = None
    ) -> None:
        super().__init__(seed)
        self.mean = mean
        self.stddev = stddev

    @new_array
    def __call__(self, shape: Any, dtype: Any = None) -> np.ndarray:
        """The initial value."""
        shape, dtype = standardize(shape, dtype)
        return host.normal(self._next_seed(), shape, self.mean, self.stddev, dtype=dtype)

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        return {**super().get_config(), "mean": self.mean, "stddev": self.stddev}


@export("keras.initializers.TruncatedNormal", "keras.initializers.truncated_normal")
class TruncatedNormal(RandomInitializer):
    """Drawn from a normal distribution cut at two standard deviations from the mean.

    Args:
        mean: mean of the values.
        stddev: standard deviation before the cut.
        seed: an integer, a `SeedGenerator`, or None.

    Example:

    >>> TruncatedNormal(seed=1)((2, 3)).shape
    (2, 3)
    """

    def __init__(
        self, mean: float = 0.0, stddev: float = 0.05, seed: int | SeedGenerator | None = None
    ) -> None:
        super().__init__(seed)
        self.mean = mean
        self.stddev = stddev

    @new_array
    def __call__(self, shape: Any, dtype: Any = None) -> np.ndarray:
        """The initial value."""
        shape, dtype = standardize(shape, dtype)
        return host.truncated_normal(self._next_seed(), shape, self.mean, self.stddev, dtype=dtype)

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        return {**super().get_config(), "mean": self.mean, "stddev": self.stddev}


@export("keras.initializers.RandomUniform", "keras.initializers.random_uniform")
class RandomUniform(RandomInitializer):
    """Drawn evenly from `[minval, maxval)`.

    Args:
        minval: lower bound.
        maxval: upper bound.
        seed: an integer, a `SeedGenerator`, or None.

    Example:

    >>> RandomUniform(0.0, 1.0, seed=1)((2, 3)).shape
    (2, 3)
    """

    def __init__(
        self, minval: float = -0.05, maxval: float = 0.05, seed: int | SeedGenerator | None = None
    ) -> None:
        super().__init__(seed)
        self.minval = minval
        self.maxval = maxval

    @new_array
    def __call__(self, shape: Any, dtype: Any = None) -> np.ndarray:
        """The initial value."""
        shape, dtype = standardize(shape, dtype)
        return host.uniform(self._next_seed(), shape, self.minval, self.maxval, dtype=dtype)

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        return {**super().get_config(), "minval": self.minval, "maxval": self.maxval}


@export("keras.initializers.VarianceScaling", "keras.initializers.variance_scaling")
class VarianceScaling(RandomInitializer):
    """Drawn with variance `scale / n`, where `n` counts a unit's connections.

    The connections are `fan_in` (inputs of a unit), `fan_out` (outputs) or their mean.
    By default the last two axes of a kernel are inputs and outputs and the others are the
    receptive field, which multiplies both.

    Args:
        scale: positive factor of the variance.
        mode: `"fan_in"`, `"fan_out"` or `"fan_avg"`.
        distribution: `"truncated_normal"`, `"untruncated_normal"` or `"uniform"`.
        seed: an integer, a `SeedGenerator`, or None.
        input_axes: axes of the weight whose sizes multiply to `fan_in`. Used when
            `output_axes` is given too.
        output_axes: axes whose sizes multiply to `fan_out`.

    Raises:
        ValueError: `scale` is not positive, or an unknown `mode` or `distribution`.

    Example:

    >>> w = VarianceScaling(3.0, "fan_in", "uniform", seed=1)((100, 10))
    >>> float(abs(w).max()) < 0.3
    True
    """

    def __init__(
        self,
        scale: float = 1.0,
        mode: str = "fan_in",
        distribution: str = "truncated_normal",
        seed: int | SeedGenerator | None = None,
        input_axes: Sequence[int] | None = None,
        output_axes: Sequence[int] | None = None,
    ) -> None:
        if scale <= 0.0:
            raise ValueError(f"`scale` must be positive. Received: scale={scale}")
        if mode not in _MODES:
            raise ValueError(f"`mode` must be one of {_MODES}. Received: mode={mode!r}")
        distribution = distribution.lower()
        if distribution == "normal":
            distribution = "truncated_normal"
        if distribution not in _DISTRIBUTIONS:
            raise ValueError(
                f"`distribution` must be one of {_DISTRIBUTIONS}. "
                f"Received: distribution={distribution!r}"
            )
        super().__init__(seed)
        self.scale = scale
        self.mode = mode
        self.distribution = distribution
        self.input_axes = input_axes
        self.output_axes = output_axes

    @new_array
    def __call__(self, shape: Any, dtype: Any = None) -> np.ndarray:
        """The initial value."""
        shape, dtype = standardize(shape, dtype)
        variance = self.scale / max(1.0, self._fan(shape))
        seed = self._next_seed()
        if self.distribution == "uniform":
            limit = math.sqrt(3.0 * variance)
            return host.uniform(seed, shape, -limit, limit, dtype=dtype)
        if self.distribution == "truncated_normal":
            stddev = math.sqrt(variance) / _TRUNCATED_STDDEV
            return host.truncated_normal(seed, shape, 0.0, stddev, dtype=dtype)
        return host.normal(seed, shape, 0.0, math.sqrt(variance), dtype=dtype)

    def with_axes(self, input_axes: Sequence[int], output_axes: Sequence[int]) -> VarianceScaling:
        """This initializer, seed included, with other axes that count as inputs and outputs."""
        other = copy.copy(self)
        other.input_axes = input_axes
        other.output_axes = output_axes
        return other

    def _fan(self, shape: tuple[int, ...]) -> float:
        if self.input_axes is not None and self.output_axes is not None:
            fan_in = math.prod(shape[axis] for axis in self.input_axes)
            fan_out = math.prod(shape[axis] for axis in self.output_axes)
        else:
            fan_in, fan_out = compute_fans(shape)
        return {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2}[self.mode]

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        return {
            **super().get_config(),
            "scale": self.scale,
            "mode": self.mode,
            "distribution": self.distribution,
            "input_axes": self.input_axes,
            "output_axes": self.output_axes,
        }


def compute_fans(shape: tuple[int, ...]) -> tuple[int, int]:
    """Inputs and outputs of a unit, from the shape of its weight."""
    if len(shape) < 2:
        size = shape[0] if shape else 1
        return size, size
    field = math.prod(shape[:-2])
    return shape[-2] * field, shape[-1] * field


class _Preset(VarianceScaling):
    """A VarianceScaling with fixed scale, mode and distribution."""

    _preset: tuple[float, str, str]

    def __init__(
        self,
        seed: int | SeedGenerator | None = None,
        input_axes: Sequence[int] | None = None,
        output_axes: Sequence[int] | None = None,
    ) -> None:
        super().__init__(*self._preset, seed, input_axes, output_axes)

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        config = super().get_config()
        return {key: config[key] for key in ("seed", "input_axes", "output_axes")}


@export("keras.initializers.GlorotUniform", "keras.initializers.glorot_uniform")
class GlorotUniform(_Preset):
    """Uniform within `sqrt(6 / (fan_in + fan_out))` of 0; also called Xavier uniform.

    Args:
        seed: an integer, a `SeedGenerator`, or None.
        input_axes: axes that count as inputs, see `VarianceScaling`.
        output_axes: axes that count as outputs.

    Source: Glorot and Bengio, 2010, https://proceedings.mlr.press/v9/glorot10a.html.

    Example:

    >>> GlorotUniform(seed=1)((2, 3)).shape
    (2, 3)
    """

    _preset = (1.0, "fan_avg", "uniform")


@export("keras.initializers.GlorotNormal", "keras.initializers.glorot_normal")
class GlorotNormal(_Preset):
    """Truncated normal with variance `2 / (fan_in + fan_out)`; also called Xavier normal.

    Args:
        seed: an integer, a `SeedGenerator`, or None.
        input_axes: axes that count as inputs, see `VarianceScaling`.
        output_axes: axes that count as outputs.

    Source: Glorot and Bengio, 2010, https://proceedings.mlr.press/v9/glorot10a.html.

    Example:

    >>> GlorotNormal(seed=1)((2, 3)).shape
    (2, 3)
    """

    _preset = (1.0, "fan_avg", "truncated_normal")


@export("keras.initializers.LecunNormal", "keras.initializers.lecun_normal")
class LecunNormal(_Preset):
    """Truncated normal with variance `1 / fan_in`.

    Args:
        seed: an integer, a `SeedGenerator`, or None.
        input_axes: axes that count as inputs, see `VarianceScaling`.
        output_axes: axes that count as outputs.

    Source: Klambauer et al., 2017, https://arxiv.org/abs/1706.02515.

    Example:

    >>> LecunNormal(seed=1)((2, 3)).shape
    (2, 3)
    """

    _preset = (1.0, "fan_in", "truncated_normal")


@export("keras.initializers.LecunUniform", "keras.initializers.lecun_uniform")
class LecunUniform(_Preset):
    """Uniform within `sqrt(3 / fan_in)` of 0.

    Args:
        seed: an integer, a `SeedGenerator`, or None.
        input_axes: axes that count as inputs, see `VarianceScaling`.
        output_axes: axes that count as outputs.

    Source: Klambauer et al., 2017, https://arxiv.org/abs/1706.02515.

    Example:

    >>> LecunUniform(seed=1)((2, 3)).shape
    (2, 3)
    """

    _preset = (1.0, "fan_in", "uniform")


@export("keras.initializers.HeNormal", "keras.initializers.he_normal")
class HeNormal(_Preset):
    """Truncated normal with variance `2 / fan_in`, for ReLU networks.

    Args:
        seed: an integer, a `SeedGenerator`, or None.
        input_axes: axes that count as inputs, see `VarianceScaling`.
        output_axes: axes that count as outputs.

    Source: He et al., 2015, https://arxiv.org/abs/1502.01852.

    Example:

    >>> HeNormal(seed=1)((2, 3)).shape
    (2, 3)
    """

    _preset = (2.0, "fan_in", "truncated_normal")


@export("keras.initializers.HeUniform", "keras.initializers.he_uniform")
class HeUniform(_Preset):
    """Uniform within `sqrt(6 / fan_in)` of 0, for ReLU networks.

    Args:
        seed: an integer, a `SeedGenerator`, or None.
        input_axes: axes that count as inputs, see `VarianceScaling`.
        output_axes: axes that count as outputs.

    Source: He et al., 2015, https://arxiv.org/abs/1502.01852.

    Example:

    >>> HeUniform(seed=1)((2, 3)).shape
    (2, 3)
    """

    _preset = (2.0, "fan_in", "uniform")


@export(
    "keras.initializers.Orthogonal",
    "keras.initializers.OrthogonalInitializer",
    "keras.initializers.orthogonal",
)
class Orthogonal(RandomInitializer):
    """A random matrix with orthonormal rows or columns, times `gain`.

    A weight of higher rank is made as the matrix `(product of all but the last size, last
    size)` and reshaped.

    Args:
        gain: factor of the matrix.
        seed: an integer, a `SeedGenerator`, or None.

    Raises:
        ValueError: the shape has fewer than two sizes.

    Source: Saxe et al., 2014, https://arxiv.org/abs/1312.6120.

    Example:

    >>> w = Orthogonal(seed=1)((3, 3))
    >>> bool(abs(w @ w.T).round(4).sum() == 3)
    True
    """

    def __init__(self, gain: float = 1.0, seed: int | SeedGenerator | None = None) -> None:
        super().__init__(seed)
        self.gain = gain

    def __call__(self, shape: Any, dtype: Any = None) -> np.ndarray:
        """The initial value."""
        shape, dtype = standardize(shape, dtype)
        if len(shape) < 2:
            raise ValueError(
                "The Orthogonal initializer makes weights of two or more sizes. "
                f"Received: shape={shape}"
            )
        rows, columns = math.prod(shape[:-1]), shape[-1]
        tall = (max(rows, columns), min(rows, columns))
        q, r = np.linalg.qr(host.normal(self._next_seed(), tall, 0.0, 1.0, dtype="float32"))
        q = q * np.where(np.diag(r) < 0, -1, 1)  # makes the distribution uniform
        matrix = q.T if rows < columns else q
        return (self.gain * matrix).reshape(shape).astype(dtype)

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        return {**super().get_config(), "gain": self.gain}
