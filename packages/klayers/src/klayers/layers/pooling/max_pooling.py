"""Max pooling over a window."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from klayers.layers.pooling.base import Pooling
from kops import ops
from kops.registry import export

__all__ = ["MaxPooling1D", "MaxPooling2D", "MaxPooling3D"]


@export("keras.layers.MaxPooling1D", "keras.layers.MaxPool1D")
class MaxPooling1D(Pooling):
    """The largest value of each window over a sequence.

    Input shape: `(batch, steps, channels)` with
    `data_format="channels_last"`, channels after the batch with `"channels_first"`.
    Output shape: `(batch, new_steps, channels)`.

    Args:
        pool_size: size of the window, an int.
        strides: steps of the window, an int; `pool_size` for None.
        padding: `"valid"` (windows inside the input only) or `"same"`.
        data_format: where the channels are; the configured default for None.
        name: name of the layer.

    Example:

    >>> import numpy as np
    >>> tuple(MaxPooling1D(2)(np.ones((1, 8, 3), "float32")).shape)
    (1, 4, 3)
    """

    rank = 1
    pool = staticmethod(ops.max_pool)

    def __init__(
        self,
        pool_size: int | Sequence[int] = 2,
        strides: int | Sequence[int] | None = None,
        padding: str = "valid",
        data_format: str | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(pool_size, strides, padding, data_format, name, **kwargs)


@export("keras.layers.MaxPooling2D", "keras.layers.MaxPool2D")
class MaxPooling2D(Pooling):
    """The largest value of each window over images.

    Input shape: `(batch, height, width, channels)` with
    `data_format="channels_last"`, channels after the batch with `"channels_first"`.
    Output shape: `(batch, new_height, new_width, channels)`.

    Args:
        pool_size: size of the window, an int or 2 of them.
        strides: steps of the window, an int or 2 of them; `pool_size` for None.
        padding: `"valid"` (windows inside the input only) or `"same"`.
        data_format: where the channels are; the configured default for None.
        name: name of the layer.

    Example:

    >>> import numpy as np
    >>> tuple(MaxPooling2D(2)(np.ones((1, 8, 8, 3), "float32")).shape)
    (1, 4, 4, 3)
    """

    rank = 2
    pool = staticmethod(ops.max_pool)

    def __init__(
        self,
        pool_size: int | Sequence[int] = (2, 2),
        strides: int | Sequence[int] | None = None,
        padding: str = "valid",
        data_format: str | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(pool_size, strides, padding, data_format, name, **kwargs)


@export("keras.layers.MaxPooling3D", "keras.layers.MaxPool3D")
class MaxPooling3D(Pooling):
    """The largest value of each window over volumes.

    Input shape: `(batch, depth, height, width, channels)` with
    `data_format="channels_last"`, channels after the batch with `"channels_first"`.
    Output shape: `(batch, new_depth, new_height, new_width, channels)`.

    Args:
        pool_size: size of the window, an int or 3 of them.
        strides: steps of the window, an int or 3 of them; `pool_size` for None.
        padding: `"valid"` (windows inside the input only) or `"same"`.
        data_format: where the channels are; the configured default for None.
        name: name of the layer.

    Example:

    >>> import numpy as np
    >>> tuple(MaxPooling3D(2)(np.ones((1, 8, 8, 8, 3), "float32")).shape)
    (1, 4, 4, 4, 3)
    """

    rank = 3
    pool = staticmethod(ops.max_pool)

    def __init__(
        self,
        pool_size: int | Sequence[int] = (2, 2, 2),
        strides: int | Sequence[int] | None = None,
        padding: str = "valid",
        data_format: str | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(pool_size, strides, padding, data_format, name, **kwargs)
