"""The 1D separable convolution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from klayers.layers.convolutional.separable import SeparableConv
from kops.registry import export

__all__ = ["SeparableConv1D"]


@export("keras.layers.SeparableConv1D", "keras.layers.SeparableConvolution1D")
class SeparableConv1D(SeparableConv):
    """Temporal convolution in two steps: each channel on its own, then a mix of channels.

    Input shape: `(batch, steps, channels)` with
    `data_format="channels_last"`, channels after the batch with `"channels_first"`.
    Output shape: `(batch, new_steps, filters)`.

    Args:
        filters: number of output channels.
        kernel_size: the window's length, an int.
        strides: steps of the window, an int.
        padding: `"valid"` (no padding) or `"same"` (zeros at both ends).
        data_format: where the channels are; the configured default for None.
        dilation_rate: distance between the window's cells, an int.
        depth_multiplier: number of depthwise output channels for each input channel.
        activation: activation function; none by default.
        use_bias: whether to add a bias.
        depthwise_initializer: first value of the depthwise kernel, whose shape is
            `kernel_size + (channels, depth_multiplier)`.
        pointwise_initializer: first value of the pointwise kernel, with window 1.
        bias_initializer: first value of the bias `(filters,)`.
        depthwise_regularizer: penalty of the depthwise kernel.
        pointwise_regularizer: penalty of the pointwise kernel.
        bias_regularizer: penalty of the bias.
        activity_regularizer: penalty of the output.
        depthwise_constraint: projection of the depthwise kernel after each update.
        pointwise_constraint: projection of the pointwise kernel after each update.
        bias_constraint: projection of the bias after each update.

    Source: Chollet, 2017, https://arxiv.org/abs/1610.02357.

    Example:

    >>> import numpy as np
    >>> layer = SeparableConv1D(16, 3)
    >>> tuple(layer(np.ones((4, 10, 8), "float32")).shape)
    (4, 8, 16)
    """

    rank = 1

    def __init__(
        self,
        filters: int,
        kernel_size: int | Sequence[int],
        strides: int | Sequence[int] = 1,
        padding: str = "valid",
        data_format: str | None = None,
        dilation_rate: int | Sequence[int] = 1,
        depth_multiplier: int = 1,
        activation: Any = None,
        use_bias: bool = True,
        depthwise_initializer: Any = "glorot_uniform",
        pointwise_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        depthwise_regularizer: Any = None,
        pointwise_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        depthwise_constraint: Any = None,
        pointwise_constraint: Any = None,
        bias_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            filters,
            kernel_size,
            strides,
            padding,
            data_format,
            dilation_rate,
            depth_multiplier,
            activation,
            use_bias,
            depthwise_initializer,
            pointwise_initializer,
            bias_initializer,
            depthwise_regularizer,
            pointwise_regularizer,
            bias_regularizer,
            activity_regularizer,
            depthwise_constraint,
            pointwise_constraint,
            bias_constraint,
            **kwargs,
        )
