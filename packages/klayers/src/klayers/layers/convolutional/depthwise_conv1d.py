"""The 1D depthwise convolution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from klayers.layers.convolutional.depthwise import DepthwiseConv
from kops.registry import export

__all__ = ["DepthwiseConv1D"]


@export("keras.layers.DepthwiseConv1D")
class DepthwiseConv1D(DepthwiseConv):
    """Temporal convolution of each input channel with windows of its own.

    Input shape: `(batch, steps, channels)` with
    `data_format="channels_last"`, channels after the batch with `"channels_first"`.
    Output shape: `(batch, new_steps, channels * depth_multiplier)`.

    Args:
        kernel_size: the window's length, an int.
        strides: steps of the window, an int.
        padding: `"valid"` (no padding) or `"same"` (zeros at both ends).
        depth_multiplier: number of output channels for each input channel.
        data_format: where the channels are; the configured default for None.
        dilation_rate: distance between the window's cells, an int.
        activation: activation function; none by default.
        use_bias: whether to add a bias.
        depthwise_initializer: first value of the kernel, whose shape is
            `kernel_size + (channels, depth_multiplier)`.
        bias_initializer: first value of the bias `(channels * depth_multiplier,)`.
        depthwise_regularizer: penalty of the kernel.
        bias_regularizer: penalty of the bias.
        activity_regularizer: penalty of the output.
        depthwise_constraint: projection of the kernel after each update.
        bias_constraint: projection of the bias after each update.

    Example:

    >>> import numpy as np
    >>> layer = DepthwiseConv1D(3, depth_multiplier=2)
    >>> tuple(layer(np.ones((4, 10, 8), "float32")).shape)
    (4, 8, 16)
    """

    rank = 1

    def __init__(
        self,
        kernel_size: int | Sequence[int],
        strides: int | Sequence[int] = 1,
        padding: str = "valid",
        depth_multiplier: int = 1,
        data_format: str | None = None,
        dilation_rate: int | Sequence[int] = 1,
        activation: Any = None,
        use_bias: bool = True,
        depthwise_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        depthwise_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        depthwise_constraint: Any = None,
        bias_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            kernel_size,
            strides,
            padding,
            depth_multiplier,
            data_format,
            dilation_rate,
            activation,
            use_bias,
            depthwise_initializer,
            bias_initializer,
            depthwise_regularizer,
            bias_regularizer,
            activity_regularizer,
            depthwise_constraint,
            bias_constraint,
            **kwargs,
        )
