"""Max pooling to a given size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kops import ops
from kops.registry import export

from klayers.layers.pooling.base import AdaptivePooling

__all__ = ["AdaptiveMaxPooling1D", "AdaptiveMaxPooling2D", "AdaptiveMaxPooling3D"]


@export("keras.layers.AdaptiveMaxPooling1D")
class AdaptiveMaxPooling1D(AdaptivePooling):
    """The largest value of windows chosen so that the output has the size asked for.

    Window `i` of `n` along an axis of size `s` covers `floor(i * s / n)` up to
    `ceil((i + 1) * s / n)`.

    Input shape: `(batch, steps, channels)` with
    `data_format="channels_last"`, channels after the batch with `"channels_first"`.
    Output shape: `(batch, new_steps, channels)`.

    Args:
        output_size: spatial size of the output, an int.
        data_format: where the channels are; the configured default for None.

    Example:

    >>> import numpy as np
    >>> tuple(AdaptiveMaxPooling1D(4)(np.ones((1, 7, 3), "float32")).shape)
    (1, 4, 3)
    """

    rank = 1
    pool = staticmethod(ops.adaptive_max_pool)

    def __init__(
        self, output_size: int | Sequence[int], data_format: str | None = None, **kwargs: Any
    ) -> None:
        super().__init__(output_size, data_format, **kwargs)


@export("keras.layers.AdaptiveMaxPooling2D")
class AdaptiveMaxPooling2D(AdaptivePooling):
    """The largest value of windows chosen so that the output has the size asked for.

    Window `i` of `n` along an axis of size `s` covers `floor(i * s / n)` up to
    `ceil((i + 1) * s / n)`.

    Input shape: `(batch, height, width, channels)` with
    `data_format="channels_last"`, channels after the batch with `"channels_first"`.
    Output shape: `(batch, new_height, new_width, channels)`.

    Args:
        output_size: spatial size of the output, an int or 2 of them.
        data_format: where the channels are; the configured default for None.

    Example:

    >>> import numpy as np
    >>> tuple(AdaptiveMaxPooling2D(4)(np.ones((1, 7, 7, 3), "float32")).shape)
    (1, 4, 4, 3)
    """

    rank = 2
    pool = staticmethod(ops.adaptive_max_pool)

    def __init__(
        self, output_size: int | Sequence[int], data_format: str | None = None, **kwargs: Any
    ) -> None:
        super().__init__(output_size, data_format, **kwargs)


@export("keras.layers.AdaptiveMaxPooling3D")
class AdaptiveMaxPooling3D(AdaptivePooling):
    """The largest value of windows chosen so that the output has the size asked for.

    Window `i` of `n` along an axis of size `s` covers `floor(i * s / n)` up to
    `ceil((i + 1) * s / n)`.

    Input shape: `(batch, depth, height, width, channels)` with
    `data_format="channels_last"`, channels after the batch with `"channels_first"`.
    Output shape: `(batch, new_depth, new_height, new_width, channels)`.

    Args:
        output_size: spatial size of the output, an int or 3 of them.
        data_format: where the channels are; the configured default for None.

    Example:

    >>> import numpy as np
    >>> tuple(AdaptiveMaxPooling3D(4)(np.ones((1, 7, 7, 7, 3), "float32")).shape)
    (1, 4, 4, 4, 3)
    """

    rank = 3
    pool = staticmethod(ops.adaptive_max_pool)

    def __init__(
        self, output_size: int | Sequence[int], data_format: str | None = None, **kwargs: Any
    ) -> None:
        super().__init__(output_size, data_format, **kwargs)
