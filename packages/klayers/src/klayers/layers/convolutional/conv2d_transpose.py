"""The 2D transposed convolution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from klayers.layers.convolutional.transpose import ConvTranspose
from kops.registry import export

__all__ = ["Conv2DTranspose"]


@export("keras.layers.Conv2DTranspose", "keras.layers.Convolution2DTranspose")
class Conv2DTranspose(ConvTranspose):
    """Spatial transposed convolution: the linear map of a convolution, transposed.

    It goes from the shape of a convolution's output to that of its input, so strides
    above 1 make images larger.

    Input shape: `(batch, height, width, channels)` with
    `data_format="channels_last"`, channels after the batch with `"channels_first"`.
    Output shape: `(batch, new_height, new_width, filters)`.

    Args:
        filters: number of output channels.
        kernel_size: the window's height and width, an int or 2 of them.
        strides: factor by which the size grows, an int or 2 of them.
        padding: `"valid"` or `"same"` (the size grows by `strides` exactly).
        output_padding: amount added to one end of the output, an int or 2 of them; worked out from
            the other arguments for None.
        data_format: where the channels are; the configured default for None.
        dilation_rate: distance between the window's cells, an int or 2 of them.
        activation: activation function; none by default.
        use_bias: whether to add a bias.
        kernel_initializer: first value of the kernel, whose shape is
            `kernel_size + (filters, channels)`.
        bias_initializer: first value of the bias `(filters,)`.
        kernel_regularizer: penalty of the kernel.
        bias_regularizer: penalty of the bias.
        activity_regularizer: penalty of the output.
        kernel_constraint: projection of the kernel after each update.
        bias_constraint: projection of the bias after each update.

    Source: Dumoulin and Visin, 2016, https://arxiv.org/abs/1603.07285.

    Example:

    >>> import numpy as np
    >>> layer = Conv2DTranspose(16, 3, strides=2)
    >>> tuple(layer(np.ones((4, 5, 5, 8), "float32")).shape)
    (4, 11, 11, 16)
    """

    rank = 2

    def __init__(
        self,
        filters: int,
        kernel_size: int | Sequence[int],
        strides: int | Sequence[int] = (1, 1),
        padding: str = "valid",
        output_padding: int | Sequence[int] | None = None,
        data_format: str | None = None,
        dilation_rate: int | Sequence[int] = (1, 1),
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            filters,
            kernel_size,
            strides,
            padding,
            output_padding,
            data_format,
            dilation_rate,
            activation,
            use_bias,
            kernel_initializer,
            bias_initializer,
            kernel_regularizer,
            bias_regularizer,
            activity_regularizer,
            kernel_constraint,
            bias_constraint,
            **kwargs,
        )
