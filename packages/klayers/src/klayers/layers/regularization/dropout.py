"""Dropout."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from klayers.input_spec import InputSpec
from klayers.layers._base import SameShapeLayer, check_rate
from kops import ops, random
from kops.registry import export
from kops.serialization import serialize_keras_object
from kops.windows import data_format_of

__all__ = ["Dropout", "RandomLayer", "SpatialDropout1D", "SpatialDropout2D", "SpatialDropout3D"]


class RandomLayer(SameShapeLayer):
    """Base of layers that draw random numbers while training."""

    def _set_seed(self, seed: Any, needed: bool = True) -> None:
        self.seed = seed
        if needed:
            self.seed_generator = random.SeedGenerator(seed)
        self.supports_masking = True
        self.built = True


@export("keras.layers.Dropout")
class Dropout(RandomLayer):
    """Sets values to 0 at random while training, and scales up the others.

    A value is dropped with probability `rate`; the others are divided by `1 - rate`, so
    the expected sum stays. Without `training=True` the inputs pass unchanged.

    Args:
        rate: fraction of the values to drop, between 0 and 1.
        noise_shape: shape of the pattern, broadcast to the inputs; None entries take the
            size of the input. `(None, 1, None)` drops whole channels of a sequence.
        seed: an integer, for the same pattern in every run.

    Source: Srivastava et al., 2014, https://jmlr.org/papers/v15/srivastava14a.html.

    Example:

    >>> import numpy as np
    >>> ops.convert_to_numpy(Dropout(0.5)(np.ones((1, 3), "float32"))).tolist()
    [[1.0, 1.0, 1.0]]
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
        self.noise_shape = _checked_noise_shape(noise_shape)
        self._set_seed(seed, needed=self.rate > 0)

    def call(self, inputs: Any, training: bool = False) -> Any:
        """The inputs, some of them dropped if `training`."""
        if not training or self.rate == 0:
            return inputs
        return random.dropout(
            inputs, self.rate, noise_shape=self._pattern_shape(inputs), seed=self.seed_generator
        )

    def _pattern_shape(self, inputs: Any) -> tuple[Any, ...] | None:
        if self.noise_shape is None:
            return None
        return fill_shape(self.noise_shape, inputs)


def fill_shape(noise_shape: Sequence[int | None], inputs: Any) -> tuple[Any, ...]:
    """`noise_shape` with None replaced by the sizes of `inputs`."""
    sizes = ops.shape(inputs)
    if len(noise_shape) != len(sizes):
        raise ValueError(
            f"`noise_shape` must have as many entries as the input has axes ({len(sizes)}). "
            f"Received: noise_shape={tuple(noise_shape)}"
        )
    return tuple(n if s is None else s for s, n in zip(noise_shape, sizes, strict=True))


def _checked_noise_shape(noise_shape: Any) -> tuple[int | None, ...] | None:
    if noise_shape is None:
        return None
    if not isinstance(noise_shape, (list, tuple)) or not all(
        n is None or (isinstance(n, int) and n > 0) for n in noise_shape
    ):
        raise ValueError(
            "`noise_shape` must be a tuple of positive integers or None. "
            f"Received: noise_shape={noise_shape!r}"
        )
    return tuple(noise_shape)


class _SpatialDropout(Dropout):
    """Base: drops whole channels."""

    rank: int

    def __init__(
        self,
        rate: float,
        seed: int | None = None,
        name: str | None = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(rate, seed=seed, name=name, dtype=dtype, **kwargs)
        self.input_spec = InputSpec(ndim=self.rank + 2)
        self.data_format = "channels_last"

    def call(self, inputs: Any, training: bool = False) -> Any:
        """The inputs, some of their channels dropped if `training`."""
        return super().call(inputs, training)

    def _pattern_shape(self, inputs: Any) -> tuple[Any, ...]:
        ones = (1,) * self.rank
        if self.data_format == "channels_first":
            return fill_shape((None, None, *ones), inputs)
        return fill_shape((None, *ones, None), inputs)

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        policy = self.dtype_policy
        plain = policy.name == self.dtype
        return {
            "rate": self.rate,
            "seed": self.seed,
            "name": self.name,
            "dtype": self.dtype if plain else serialize_keras_object(policy),
        }


@export("keras.layers.SpatialDropout1D")
class SpatialDropout1D(_SpatialDropout):
    """Drops whole channels of sequences while training.

    Input shape: `(batch, steps, channels)`.

    Args:
        rate: fraction of the channels to drop, between 0 and 1.
        seed: an integer, for the same pattern in every run.
        name: name of the layer.
        dtype: dtype or dtype policy of the layer.

    Source: Tompson et al., 2014, https://arxiv.org/abs/1411.4280.

    Example:

    >>> import numpy as np
    >>> tuple(SpatialDropout1D(0.5)(np.ones((2, 5, 3), "float32"), training=True).shape)
    (2, 5, 3)
    """

    rank = 1

    def __init__(
        self, rate: float, seed: int | None = None, name: str | None = None, dtype: Any = None
    ) -> None:
        super().__init__(rate, seed, name, dtype)


class _SpatialDropoutND(_SpatialDropout):
    """Base: with a data format."""

    def __init__(
        self,
        rate: float,
        data_format: str | None = None,
        seed: int | None = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(rate, seed, name, dtype)
        self.data_format = data_format_of(data_format)

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        return {**super().get_config(), "data_format": self.data_format}


@export("keras.layers.SpatialDropout2D")
class SpatialDropout2D(_SpatialDropoutND):
    """Drops whole channels of images while training.

    Input shape: `(batch, height, width, channels)` with `data_format="channels_last"`,
    channels after the batch with `"channels_first"`.

    Args:
        rate: fraction of the channels to drop, between 0 and 1.
        data_format: where the channels are; the configured default for None.
        seed: an integer, for the same pattern in every run.
        name: name of the layer.
        dtype: dtype or dtype policy of the layer.

    Source: Tompson et al., 2014, https://arxiv.org/abs/1411.4280.

    Example:

    >>> import numpy as np
    >>> tuple(SpatialDropout2D(0.5)(np.ones((2, 5, 5, 3), "float32"), training=True).shape)
    (2, 5, 5, 3)
    """

    rank = 2


@export("keras.layers.SpatialDropout3D")
class SpatialDropout3D(_SpatialDropoutND):
    """Drops whole channels of volumes while training.

    Input shape: `(batch, depth, height, width, channels)` with
    `data_format="channels_last"`, channels after the batch with `"channels_first"`.

    Args:
        rate: fraction of the channels to drop, between 0 and 1.
        data_format: where the channels are; the configured default for None.
        seed: an integer, for the same pattern in every run.
        name: name of the layer.
        dtype: dtype or dtype policy of the layer.

    Source: Tompson et al., 2014, https://arxiv.org/abs/1411.4280.

    Example:

    >>> import numpy as np
    >>> tuple(SpatialDropout3D(0.5)(np.ones((2, 3, 3, 3, 4), "float32"), training=True).shape)
    (2, 3, 3, 3, 4)
    """

    rank = 3
