"""The separable convolution of any rank."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from klayers import constraints, initializers, regularizers
from klayers.layers._base import check_positive_int
from klayers.layers.convolutional.base import WindowLayer
from kops import ops

__all__ = ["SeparableConv"]


class SeparableConv(WindowLayer):
    """Base of SeparableConv1D and SeparableConv2D."""

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
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        self.filters = check_positive_int(filters, "filters")
        self.depth_multiplier = check_positive_int(depth_multiplier, "depth_multiplier")
        self._set_window(
            kernel_size, strides, padding, data_format, dilation_rate, causal=self.rank == 1
        )
        self.depthwise_initializer = initializers.get(depthwise_initializer)
        self.pointwise_initializer = initializers.get(pointwise_initializer)
        self.depthwise_regularizer = regularizers.get(depthwise_regularizer)
        self.pointwise_regularizer = regularizers.get(pointwise_regularizer)
        self.depthwise_constraint = constraints.get(depthwise_constraint)
        self.pointwise_constraint = constraints.get(pointwise_constraint)
        self._set_bias(activation, use_bias, bias_initializer, bias_regularizer, bias_constraint)

    def build(self, input_shape: Sequence[int | None]) -> None:
        """Creates the two kernels and the bias."""
        channels = self._input_channels(input_shape)
        self.compute_output_shape(input_shape)
        self.depthwise_kernel = self.add_weight(
            name="depthwise_kernel",
            shape=(*self.kernel_size, channels, self.depth_multiplier),
            initializer=self.depthwise_initializer,
            regularizer=self.depthwise_regularizer,
            constraint=self.depthwise_constraint,
        )
        self.pointwise_kernel = self.add_weight(
            name="pointwise_kernel",
            shape=(*(1,) * self.rank, channels * self.depth_multiplier, self.filters),
            initializer=self.pointwise_initializer,
            regularizer=self.pointwise_regularizer,
            constraint=self.pointwise_constraint,
        )
        self._build_bias(self.filters)

    def call(self, inputs: Any) -> Any:
        """`activation(separable_conv(inputs, …) + bias)`."""
        padding = self.padding
        if padding == "causal":
            inputs, padding = self._pad_causal(inputs), "valid"
        x = ops.separable_conv(
            inputs,
            self.depthwise_kernel,
            self.pointwise_kernel,
            strides=self.strides,
            padding=padding,
            data_format=self.data_format,
            dilation_rate=self.dilation_rate,
        )
        return self._finish(x)

    def compute_output_shape(self, input_shape: Sequence[int | None]) -> tuple[int | None, ...]:
        """Shape of the output for an input of shape `input_shape`."""
        channels = input_shape[1 if self._channels_first else -1]
        kernel = (*self.kernel_size, 1 if channels is None else channels, 1)
        return self._output_shape(input_shape, kernel, self.filters)
