"""The transposed convolution of any rank."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from klayers import constraints, initializers, regularizers
from klayers.layers._base import check_positive_int, int_tuple
from klayers.layers.convolutional.base import WindowLayer
from kops import ops
from kops.windows import transpose_geometry

__all__ = ["ConvTranspose"]


class ConvTranspose(WindowLayer):
    """Base of Conv1DTranspose, Conv2DTranspose and Conv3DTranspose."""

    def __init__(
        self,
        filters: int,
        kernel_size: int | Sequence[int],
        strides: int | Sequence[int] = 1,
        padding: str = "valid",
        output_padding: int | Sequence[int] | None = None,
        data_format: str | None = None,
        dilation_rate: int | Sequence[int] = 1,
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
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        self.filters = check_positive_int(filters, "filters")
        self._set_window(kernel_size, strides, padding, data_format, dilation_rate)
        if output_padding is not None:
            output_padding = int_tuple(output_padding, self.rank, "output_padding", True)
        self.output_padding = output_padding
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.kernel_regularizer = regularizers.get(kernel_regularizer)
        self.kernel_constraint = constraints.get(kernel_constraint)
        self._set_bias(activation, use_bias, bias_initializer, bias_regularizer, bias_constraint)

    def build(self, input_shape: Sequence[int | None]) -> None:
        """Creates the kernel and the bias."""
        self.kernel = self.add_weight(
            name="kernel",
            shape=(*self.kernel_size, self.filters, self._input_channels(input_shape)),
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
        )
        self._build_bias(self.filters)

    def call(self, inputs: Any) -> Any:
        """`activation(conv_transpose(inputs, kernel) + bias)`."""
        x = ops.conv_transpose(
            inputs,
            self.kernel,
            strides=self.strides,
            padding=self.padding,
            output_padding=self.output_padding,
            data_format=self.data_format,
            dilation_rate=self.dilation_rate,
        )
        return self._finish(x)

    def compute_output_shape(self, input_shape: Sequence[int | None]) -> tuple[int | None, ...]:
        """Shape of the output for an input of shape `input_shape`."""
        channels = input_shape[1 if self._channels_first else -1]
        out = transpose_geometry(
            tuple(input_shape),
            (*self.kernel_size, self.filters, channels),
            self.strides,
            self.padding,
            self.output_padding,
            self.data_format,
            self.dilation_rate,
        ).out
        if self._channels_first:
            return (input_shape[0], self.filters, *out)
        return (input_shape[0], *out, self.filters)
