"""Enlarges sequences, images and volumes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from klayers.input_spec import InputSpec
from klayers.layers._base import TensorLayer, check_choice, check_positive_int, int_tuple
from kops import ops
from kops.registry import export
from kops.windows import data_format_of

__all__ = ["UpSampling1D", "UpSampling2D", "UpSampling3D"]

_INTERPOLATIONS = ("nearest", "bilinear", "bicubic", "lanczos3", "lanczos5")


class _UpSampling(TensorLayer):
    """Base: `_factors` has the factor of each spatial axis."""

    def _set_factors(self, factors: tuple[int, ...], data_format: str) -> None:
        self._factors = factors
        self._first = 1 if data_format == "channels_last" else 2
        self.input_spec = InputSpec(ndim=len(factors) + 2)

    def call(self, inputs: Any) -> Any:
        """The inputs, each value repeated along the spatial axes."""
        for axis, factor in enumerate(self._factors, self._first):
            if factor > 1:
                inputs = ops.repeat(inputs, factor, axis=axis)
        return inputs

    def compute_output_shape(self, input_shape: Sequence[int | None]) -> tuple[int | None, ...]:
        """Shape of the output for an input of shape `input_shape`."""
        shape = list(input_shape)
        for axis, factor in enumerate(self._factors, self._first):
            size = shape[axis]
            shape[axis] = None if size is None else size * factor
        return tuple(shape)


@export("keras.layers.UpSampling1D")
class UpSampling1D(_UpSampling):
    """Repeats each step of a sequence.

    Input shape: `(batch, steps, channels)`. Output shape:
    `(batch, steps * size, channels)`.

    Args:
        size: number of repetitions.

    Example:

    >>> import numpy as np
    >>> tuple(UpSampling1D(2)(np.ones((1, 3, 4), "float32")).shape)
    (1, 6, 4)
    """

    def __init__(self, size: int = 2, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.size = check_positive_int(size, "size")
        self._set_factors((self.size,), "channels_last")


@export("keras.layers.UpSampling2D")
class UpSampling2D(_UpSampling):
    """Enlarges images by whole factors.

    Input shape: `(batch, height, width, channels)` with `data_format="channels_last"`,
    channels after the batch with `"channels_first"`.

    Args:
        size: factors of height and width, an int or two of them.
        data_format: where the channels are; the configured default for None.
        interpolation: `"nearest"`, `"bilinear"`, `"bicubic"`, `"lanczos3"` or
            `"lanczos5"`.

    Example:

    >>> import numpy as np
    >>> tuple(UpSampling2D((1, 2))(np.ones((1, 3, 3, 4), "float32")).shape)
    (1, 3, 6, 4)
    """

    def __init__(
        self,
        size: int | Sequence[int] = (2, 2),
        data_format: str | None = None,
        interpolation: str = "nearest",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.size = int_tuple(size, 2, "size")
        self.data_format = data_format_of(data_format)
        self.interpolation = check_choice(interpolation.lower(), _INTERPOLATIONS, "interpolation")
        self._set_factors(self.size, self.data_format)

    def call(self, inputs: Any) -> Any:
        """The enlarged inputs."""
        if self.interpolation == "nearest":
            return super().call(inputs)
        shape = ops.shape(inputs)
        height, width = (shape[self._first + i] * self.size[i] for i in (0, 1))
        return ops.image.resize(
            inputs,
            (height, width),
            interpolation=self.interpolation,
            data_format=self.data_format,
        )


@export("keras.layers.UpSampling3D")
class UpSampling3D(_UpSampling):
    """Repeats each cell of a volume along its three axes.

    Input shape: `(batch, depth, height, width, channels)` with
    `data_format="channels_last"`, channels after the batch with `"channels_first"`.

    Args:
        size: factors of the three axes, an int or three of them.
        data_format: where the channels are; the configured default for None.

    Example:

    >>> import numpy as np
    >>> tuple(UpSampling3D(2)(np.ones((1, 2, 2, 2, 4), "float32")).shape)
    (1, 4, 4, 4, 4)
    """

    def __init__(
        self,
        size: int | Sequence[int] = (2, 2, 2),
        data_format: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.size = int_tuple(size, 3, "size")
        self.data_format = data_format_of(data_format)
        self._set_factors(self.size, self.data_format)
