"""Average pooling over a window."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from klayers.layers.pooling.base import Pooling
from kops import ops
from kops.registry import export

__all__ = ["AveragePooling1D", "AveragePooling2D", "AveragePooling3D"]


@export("keras.layers.AveragePooling1D", "keras.layers.AvgPool1D")
class AveragePooling1D(Pooling):
    """The mean of each window over a sequence.

    Input shape: `(batch, steps, channels)` with
    `data_format="channels_last"`, channels after the batch with `"channels_first"`.
    Output shape: `(batch, new_steps, channels)`.

    With `padding="same"` the mean is that of the cells inside the input.

    Args:
        pool_size: size of the window, an int.
        strides: steps of the window, an int; `pool_size` for None.
        padding: `"valid"` (windows inside the input only) or `"same"`.
        data_format: where the channels are; the configured default for None.
        name: name of the layer.

    Example:

    >>> import numpy as np
    >>> tuple(AveragePooling1D(2)(np.ones((1, 8, 3), "float32")).shape)
    (1, 4, 3)
    """

    rank = 1
    pool = staticmethod(ops.average_pool)

    def __init__(
        self,
        pool_size: int | Sequence[int],
        strides: int | Sequence[int] | None = None,
        padding: str = "valid",
        data_format: str | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(pool_size, strides, padding, data_format, name, **kwargs)


@export("keras.layers.AveragePooling2D", "keras.layers.AvgPool2D")
class AveragePooling2D(Pooling):
    """The mean of each window over images.

    Input shape: `(batch, height, width, channels)` with
    `data_format="channels_last"`, channels after the batch with `"channels_first"`.
    Output shape: `(batch, new_height, new_width, channels)`.

    With `padding="same"` the mean is that of the cells inside the input.

    Args:
        pool_size: size of the window, an int or 2 of them.
        strides: steps of the window, an int or 2 of them; `pool_size` for None.
        padding: `"valid"` (windows inside the input only) or `"same"`.
        data_format: where the channels are; the configured default for None.
        name: name of the layer.

    Example:

    >>> import numpy as np
    >>> tuple(AveragePooling2D(2)(np.ones((1, 8, 8, 3), "float32")).shape)
    (1, 4, 4, 3)
    """

    rank = 2
    pool = staticmethod(ops.average_pool)

    def __init__(
        self,
        pool_size: int | Sequence[int],
        strides: int | Sequence[int] | None = None,
        padding: str = "valid",
        data_format: str | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(pool_size, strides, padding, data_format, name, **kwargs)


@export("keras.layers.AveragePooling3D", "keras.layers.AvgPool3D")
class AveragePooling3D(Pooling):
    """The mean of each window over volumes.

    Input shape: `(batch, depth, height, width, channels)` with
    `data_format="channels_last"`, channels after the batch with `"channels_first"`.
    Output shape: `(batch, new_depth, new_height, new_width, channels)`.

    With `padding="same"` the mean is that of the cells inside the input.

    Args:
        pool_size: size of the window, an int or 3 of them.
        strides: steps of the window, an int or 3 of them; `pool_size` for None.
        padding: `"valid"` (windows inside the input only) or `"same"`.
        data_format: where the channels are; the configured default for None.
        name: name of the layer.

    Example:

    >>> import numpy as np
    >>> tuple(AveragePooling3D(2)(np.ones((1, 8, 8, 8, 3), "float32")).shape)
    (1, 4, 4, 4, 3)
    """

    rank = 3
    pool = staticmethod(ops.average_pool)

    def __init__(
        self,
        pool_size: int | Sequence[int],
        strides: int | Sequence[int] | None = None,
        padding: str = "valid",
        data_format: str | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(pool_size, strides, padding, data_format, name, **kwargs)
