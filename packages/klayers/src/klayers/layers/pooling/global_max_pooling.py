"""Max pooling over all positions."""

from __future__ import annotations

from typing import Any

from klayers.layers.pooling.base import GlobalPooling
from kops import ops
from kops.registry import export

__all__ = ["GlobalMaxPooling1D", "GlobalMaxPooling2D", "GlobalMaxPooling3D"]


@export("keras.layers.GlobalMaxPooling1D", "keras.layers.GlobalMaxPool1D")
class GlobalMaxPooling1D(GlobalPooling):
    """The largest value over all positions of a sequence, for each channel.

    Input shape: `(batch, steps, channels)` with
    `data_format="channels_last"`, channels after the batch with `"channels_first"`.
    Output shape: `(batch, channels)`.

    Args:
        data_format: where the channels are; the configured default for None.
        keepdims: whether the reduced axes stay, with size 1.

    Example:

    >>> import numpy as np
    >>> tuple(GlobalMaxPooling1D()(np.ones((2, 8, 3), "float32")).shape)
    (2, 3)
    """

    rank = 1
    reduce = staticmethod(ops.max)

    def __init__(
        self, data_format: str | None = None, keepdims: bool = False, **kwargs: Any
    ) -> None:
        super().__init__(data_format, keepdims, **kwargs)


@export("keras.layers.GlobalMaxPooling2D", "keras.layers.GlobalMaxPool2D")
class GlobalMaxPooling2D(GlobalPooling):
    """The largest value over all positions of images, for each channel.

    Input shape: `(batch, height, width, channels)` with
    `data_format="channels_last"`, channels after the batch with `"channels_first"`.
    Output shape: `(batch, channels)`.

    Args:
        data_format: where the channels are; the configured default for None.
        keepdims: whether the reduced axes stay, with size 1.

    Example:

    >>> import numpy as np
    >>> tuple(GlobalMaxPooling2D()(np.ones((2, 8, 8, 3), "float32")).shape)
    (2, 3)
    """

    rank = 2
    reduce = staticmethod(ops.max)

    def __init__(
        self, data_format: str | None = None, keepdims: bool = False, **kwargs: Any
    ) -> None:
        super().__init__(data_format, keepdims, **kwargs)


@export("keras.layers.GlobalMaxPooling3D", "keras.layers.GlobalMaxPool3D")
class GlobalMaxPooling3D(GlobalPooling):
    """The largest value over all positions of volumes, for each channel.

    Input shape: `(batch, depth, height, width, channels)` with
    `data_format="channels_last"`, channels after the batch with `"channels_first"`.
    Output shape: `(batch, channels)`.

    Args:
        data_format: where the channels are; the configured default for None.
        keepdims: whether the reduced axes stay, with size 1.

    Example:

    >>> import numpy as np
    >>> tuple(GlobalMaxPooling3D()(np.ones((2, 8, 8, 8, 3), "float32")).shape)
    (2, 3)
    """

    rank = 3
    reduce = staticmethod(ops.max)

    def __init__(
        self, data_format: str | None = None, keepdims: bool = False, **kwargs: Any
    ) -> None:
        super().__init__(data_format, keepdims, **kwargs)
