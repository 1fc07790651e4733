"""The depthwise convolution of any rank."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from klayers import constraints, initializers, regularizers
from klayers.layers._base import check_positive_int
from klayers.layers.convolutional.base import WindowLayer
from kops import ops

__all__ = ["DepthwiseConv"]


class DepthwiseConv(WindowLayer):
    """Base of DepthwiseConv1D and DepthwiseConv2D."""

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
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        self.depth_multiplier = check_positive_int(depth_multiplier, "depth_multiplier")
        self._set_window(kernel_size, strides, padding, data_format, dilation_rate)
        self.depthwise_initializer = initializers.get(depthwise_initializer)
        self.depthwise_regularizer = regularizers.get(depthwise_regularizer)
        self.depthwise_constraint = constraints.get(depthwise_constraint)
        self._set_bias(activation, use_bias, bias_initializer, bias_regularizer, bias_constraint)

    def build(self, input_shape: Sequence[int | None]) -> None:
        """Creates the kernel and the bias."""
        channels = self._input_channels(input_shape)
        self.compute_output_shape(input_shape)
        self.kernel = self.add_weight(
            name="kernel",
            shape=(*self.kernel_size, channels, self.depth_multiplier),
            initializer=self.depthwise_initializer,
            regularizer=self.depthwise_regularizer,
            constraint=self.depthwise_constraint,
        )
        self._build_bias(channels * self.depth_multiplier)

    def call(self, inputs: Any) -> Any:
        """`activation(depthwise_conv(inputs, kernel) + bias)`."""
        x = ops.depthwise_conv(
            inputs,
            self.kernel,
            strides=self.strides,
            padding=self.padding,
            data_format=self.data_format,
            dilation_rate=self.dilation_rate,
        )
        return self._finish(x)

    def compute_output_shape(self, input_shape: Sequence[int | None]) -> tuple[int | None, ...]:
        """Shape of the output for an input of shape `input_shape`."""
        channels = input_shape[1 if self._channels_first else -1]
        filters = None if channels is None else channels * self.depth_multiplier
        kernel = (*self.kernel_size, 1 if channels is None else channels, 1)
        return self._output_shape(input_shape, kernel, filters)  # type: ignore[arg-type]
