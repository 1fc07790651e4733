"""Average pooling over all positions."""

from __future__ import annotations

from typing import Any

from klayers.layers.pooling.base import GlobalPooling
from kops import ops
from kops.registry import export

__all__ = ["GlobalAveragePooling1D", "GlobalAveragePooling2D", "GlobalAveragePooling3D"]


@export("keras.layers.GlobalAveragePooling1D", "keras.layers.GlobalAvgPool1D")
class GlobalAveragePooling1D(GlobalPooling):
    """The mean over all positions of a sequence, for each channel.

    Input shape: `(batch, steps, channels)` with
    `data_format="channels_last"`, channels after the batch with `"channels_first"`.
    Output shape: `(batch, channels)`.

    A mask `(batch, steps)` leaves the masked steps out of the mean. A sequence that is
    masked as a whole gives zeros.

    Args:
        data_format: where the channels are; the configured default for None.
        keepdims: whether the reduced axes stay, with size 1.

    Example:

    >>> import numpy as np
    >>> tuple(GlobalAveragePooling1D()(np.ones((2, 8, 3), "float32")).shape)
    (2, 3)
    """

    rank = 1
    reduce = staticmethod(ops.mean)

    def __init__(
        self, data_format: str | None = None, keepdims: bool = False, **kwargs: Any
    ) -> None:
        super().__init__(data_format, keepdims, **kwargs)
        self.supports_masking = True

    def call(self, inputs: Any, mask: Any = None) -> Any:
        """The mean over the steps that `mask` keeps."""
        if mask is None:
            return super().call(inputs)
        axis = self._axes[0]
        weights = ops.expand_dims(ops.cast(mask, inputs.dtype), 3 - axis)
        total = ops.sum(ops.multiply(inputs, weights), axis=axis, keepdims=self.keepdims)
        count = ops.sum(weights, axis=axis, keepdims=self.keepdims)
        return ops.divide_no_nan(total, count)

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """None: the steps are gone."""
        return None


@export("keras.layers.GlobalAveragePooling2D", "keras.layers.GlobalAvgPool2D")
class GlobalAveragePooling2D(GlobalPooling):
    """The mean over all positions of images, for each channel.

    Input shape: `(batch, height, width, channels)` with
    `data_format="channels_last"`, channels after the batch with `"channels_first"`.
    Output shape: `(batch, channels)`.

    Args:
        data_format: where the channels are; the configured default for None.
        keepdims: whether the reduced axes stay, with size 1.

    Example:

    >>> import numpy as np
    >>> tuple(GlobalAveragePooling2D()(np.ones((2, 8, 8, 3), "float32")).shape)
    (2, 3)
    """

    rank = 2
    reduce = staticmethod(ops.mean)

    def __init__(
        self, data_format: str | None = None, keepdims: bool = False, **kwargs: Any
    ) -> None:
        super().__init__(data_format, keepdims, **kwargs)


@export("keras.layers.GlobalAveragePooling3D", "keras.layers.GlobalAvgPool3D")
class GlobalAveragePooling3D(GlobalPooling):
    """The mean over all positions of volumes, for each channel.

    Input shape: `(batch, depth, height, width, channels)` with
    `data_format="channels_last"`, channels after the batch with `"channels_first"`.
    Output shape: `(batch, channels)`.

    Args:
        data_format: where the channels are; the configured default for None.
        keepdims: whether the reduced axes stay, with size 1.

    Example:

    >>> import numpy as np
    >>> tuple(GlobalAveragePooling3D()(np.ones((2, 8, 8, 8, 3), "float32")).shape)
    (2, 3)
    """

    rank = 3
    reduce = staticmethod(ops.mean)

    def __init__(
        self, data_format: str | None = None, keepdims: bool = False, **kwargs: Any
    ) -> None:
        super().__init__(data_format, keepdims, **kwargs)
