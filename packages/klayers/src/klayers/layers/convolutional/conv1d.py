"""The 1D convolution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from klayers.layers.convolutional.base import Conv
from kops.registry import export

__all__ = ["Conv1D"]


@export("keras.layers.Conv1D", "keras.layers.Convolution1D")
class Conv1D(Conv):
    """Temporal convolution: slides a window of weights over a sequence.

    Input shape: `(batch, steps, channels)` with
    `data_format="channels_last"`, channels after the batch with `"channels_first"`.
    Output shape: `(batch, new_steps, filters)`.

    Args:
        filters: number of output channels.
        kernel_size: the window's length, an int.
        strides: steps of the window, an int. Strides and dilation may both be above 1.
        padding: `"valid"` (no padding), `"same"` (zeros at both ends, so that a stride of 1
            keeps the size) or `"causal"` (zeros in front, so that no output
            depends on later steps).
        data_format: where the channels are; the configured default for None.
        dilation_rate: distance between the window's cells, an int.
        groups: number of groups of channels that are convolved apart from each other.
        activation: activation function; none by default.
        use_bias: whether to add a bias.
        kernel_initializer: first value of the kernel, whose shape is
            `kernel_size + (channels / groups, filters)`.
        bias_initializer: first value of the bias `(filters,)`.
        kernel_regularizer: penalty of the kernel.
        bias_regularizer: penalty of the bias.
        activity_regularizer: penalty of the output.
        kernel_constraint: projection of the kernel after each update.
        bias_constraint: projection of the bias after each update.

    Raises:
        ValueError: an argument out of range, or an input that the window does not fit.

    Example:

    >>> import numpy as np
    >>> layer = Conv1D(16, 3, activation="relu")
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
        groups: int = 1,
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
            data_format,
            dilation_rate,
            groups,
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
