"""Max pooling to a given size."""

from __future__ import annotations

from klayers.layers.pooling.base import AdaptivePooling
from kops import ops
from kops.registry import export

__all__ = [
    "AdaptiveMaxPooling1D",
    "AdaptiveMaxPooling2D",
    "AdaptiveMaxPooling3D",
]


@export("keras.layers.AdaptiveMaxPooling1D")
class AdaptiveMaxPooling1D(AdaptivePooling):
    """The largest value of each window over a sequence, as many as the output has places.

    Input shape: `(batch, steps, channels)` with
    `data_format="channels_last"`, channels after the batch with `"channels_first"`.
    The spatial sizes must be known when the layer runs.
    Output shape: `(batch, new_steps, channels)`.

    Args:
        output_size: sizes of the output, an int.
        data_format: where the channels are; the configured default for None.

    Example:

    >>> import numpy as np
    >>> tuple(AdaptiveMaxPooling1D(4)(np.ones((1, 8, 3), "float32")).shape)
    (1, 4, 3)
    """

    rank = 1
    pool = staticmethod(ops.adaptive_max_pool)


@export("keras.layers.AdaptiveMaxPooling2D")
class AdaptiveMaxPooling2D(AdaptivePooling):
    """The largest value of each window over images, as many as the output has places.

    Input shape: `(batch, height, width, channels)` with
    `data_format="channels_last"`, channels after the batch with `"channels_first"`.
    The spatial sizes must be known when the layer runs.
    Output shape: `(batch, new_height, new_width, channels)`.

    Args:
        output_size: sizes of the output, one int or two.
        data_format: where the channels are; the configured default for None.

    Example:

    >>> import numpy as np
    >>> tuple(AdaptiveMaxPooling2D(4)(np.ones((1, 8, 6, 3), "float32")).shape)
    (1, 4, 4, 3)
    """

    rank = 2
    pool = staticmethod(ops.adaptive_max_pool)


@export("keras.layers.AdaptiveMaxPooling3D")
class AdaptiveMaxPooling3D(AdaptivePooling):
    """The largest value of each window over volumes, as many as the output has places.

    Input shape: `(batch, depth, height, width, channels)` with
    `data_format="channels_last"`, channels after the batch with `"channels_first"`.
    The spatial sizes must be known when the layer runs.
    Output shape: `(batch, new_depth, new_height, new_width, channels)`.

    Args:
        output_size: sizes of the output, one int or three.
        data_format: where the channels are; the configured default for None.

    Example:

    >>> import numpy as np
    >>> tuple(AdaptiveMaxPooling3D(4)(np.ones((1, 8, 6, 4, 3), "float32")).shape)
    (1, 4, 4, 4, 3)
    """

    rank = 3
    pool = staticmethod(ops.adaptive_max_pool)
