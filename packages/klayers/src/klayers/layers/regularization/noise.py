"""Random noise while training: Gaussian, multiplicative, and dropout for SELU networks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from klayers.layers._base import check_rate
from klayers.layers.regularization.dropout import RandomLayer, fill_shape
from kops import ops, random
from kops.registry import export

__all__ = ["AlphaDropout", "GaussianDropout", "GaussianNoise"]

# SELU's saturation value, from its constants alpha and scale.
_SELU_FLOOR = -1.6732632423543772 * 1.0507009873554805


@export("keras.layers.GaussianNoise")
class GaussianNoise(RandomLayer):
    """Adds normal noise of mean 0 while training.

    Args:
        stddev: standard deviation of the noise.
        seed: an integer, for the same noise in every run.

    Raises:
        ValueError: `stddev` is negative.

    Example:

    >>> import numpy as np
    >>> tuple(GaussianNoise(0.1)(np.ones((2, 3), "float32"), training=True).shape)
    (2, 3)
    """

    def __init__(self, stddev: float, seed: int | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.stddev = stddev
        self._set_seed(seed, needed=stddev > 0)

    def call(self, inputs: Any, training: bool = False) -> Any:
        """The inputs, with noise if `training`."""
        if not training or self.stddev == 0:
            return inputs
        noise = random.normal(
            ops.shape(inputs), 0.0, self.stddev, dtype=self.compute_dtype, seed=self.seed_generator
        )
        return ops.add(inputs, noise)


@export("keras.layers.GaussianDropout")
class GaussianDropout(RandomLayer):
    """Multiplies by normal noise of mean 1 while training.

    Args:
        rate: sets the noise's standard deviation, `sqrt(rate / (1 - rate))`, which is that
            of dropout with the same rate.
        seed: an integer, for the same noise in every run.

    Source: Srivastava et al., 2014, https://jmlr.org/papers/v15/srivastava14a.html.

    Example:

    >>> import numpy as np
    >>> tuple(GaussianDropout(0.1)(np.ones((2, 3), "float32"), training=True).shape)
    (2, 3)
    """

    def __init__(self, rate: float, seed: int | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.rate = check_rate(rate)
        self._set_seed(seed, needed=rate > 0)

    def call(self, inputs: Any, training: bool = False) -> Any:
        """The inputs, times noise if `training`."""
        if not training or self.rate == 0:
            return inputs
        stddev = math.sqrt(self.rate / (1.0 - self.rate)) if self.rate < 1 else math.inf
        noise = random.normal(
            ops.shape(inputs), 1.0, stddev, dtype=self.compute_dtype, seed=self.seed_generator
        )
        return ops.multiply(inputs, noise)


@export("keras.layers.AlphaDropout")
class AlphaDropout(RandomLayer):
    """Dropout that keeps mean and variance, for networks of SELU units.

    Dropped values become SELU's saturation value, and an affine map restores mean 0 and
    variance 1.

    Args:
        rate: fraction of the values to drop, between 0 and 1.
        noise_shape: shape of the pattern, as in `Dropout`.
        seed: an integer, for the same pattern in every run.

    Source: Klambauer et al., 2017, https://arxiv.org/abs/1706.02515.

    Example:

    >>> import numpy as np
    >>> tuple(AlphaDropout(0.1)(np.ones((2, 3), "float32"), training=True).shape)
    (2, 3)
    """

    def __init__(
        self,
        rate: float,
        noise_shape: Sequence[int | None] | None = None,
        seed: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.rate = check_rate(rate)
        self.noise_shape = noise_shape
        self._set_seed(seed, needed=rate > 0)

    def call(self, inputs: Any, training: bool = False) -> Any:
        """The inputs, some of them dropped if `training`."""
        rate = self.rate
        if not training or rate == 0:
            return inputs
        if self.noise_shape is None:
            shape = ops.shape(inputs)
        else:
            shape = fill_shape(self.noise_shape, inputs)
        draw = random.uniform(shape, dtype=self.compute_dtype, seed=self.seed_generator)
        kept = ops.cast(ops.greater_equal(draw, rate), self.compute_dtype)
        variance = (1 - rate) * (1 + rate * _SELU_FLOOR**2)
        scale = variance**-0.5 if variance > 0 else 0.0
        dropped = ops.add(ops.multiply(inputs, kept), _SELU_FLOOR * (1 - kept))
        return scale * dropped - scale * rate * _SELU_FLOOR
