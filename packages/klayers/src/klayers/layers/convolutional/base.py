"""What all convolution layers share, and the plain convolution of any rank."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from klayers import activations, constraints, initializers, regularizers
from klayers.activations import linear
from klayers.input_spec import InputSpec
from klayers.layers._base import LoraMixin, TensorLayer, check_choice, check_positive_int, int_tuple
from kops import ops
from kops.windows import conv_geometry, data_format_of

__all__ = ["Conv", "WindowLayer"]


class WindowLayer(TensorLayer):
    """Base of all convolutions: window arguments, bias and activation.

    A subclass sets `rank`, the number of spatial axes.
    """

    rank: int
    _config_optional: ClassVar[frozenset[str]] = frozenset({"lora_rank", "lora_alpha"})

    def _set_window(
        self,
        kernel_size: int | Sequence[int],
        strides: int | Sequence[int],
        padding: str,
        data_format: str | None,
        dilation_rate: int | Sequence[int],
        causal: bool = False,
    ) -> None:
        self.kernel_size = int_tuple(kernel_size, self.rank, "kernel_size")
        self.strides = int_tuple(strides, self.rank, "strides")
        self.dilation_rate = int_tuple(dilation_rate, self.rank, "dilation_rate")
        choices = ("valid", "same", "causal") if causal else ("valid", "same")
        padding = padding.lower() if isinstance(padding, str) else padding
        self.padding = check_choice(padding, choices, "padding")
        self.data_format = data_format_of(data_format)
        self._channels_first = self.data_format == "channels_first"
        self.input_spec = InputSpec(min_ndim=self.rank + 2)

    def _set_bias(
        self,
        activation: Any,
        use_bias: bool,
        bias_initializer: Any,
        bias_regularizer: Any,
        bias_constraint: Any,
    ) -> None:
        self.activation = activations.get(activation)
        self.use_bias = use_bias
        self.bias_initializer = initializers.get(bias_initializer)
        self.bias_regularizer = regularizers.get(bias_regularizer)
        self.bias_constraint = constraints.get(bias_constraint)
        self.bias = None

    def _build_bias(self, size: int) -> None:
        if self.use_bias:
            self.bias = self.add_weight(
                name="bias",
                shape=(size,),
                initializer=self.bias_initializer,
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
            )

    def _input_channels(self, input_shape: Sequence[int | None]) -> int:
        axis = 1 if self._channels_first else -1
        channels = input_shape[axis]
        if channels is None:
            raise ValueError(
                f"The number of input channels of {type(self).__name__} must be known, because it "
                f"sizes the kernel. Received: input_shape={tuple(input_shape)} with "
                f"data_format={self.data_format!r}"
            )
        self.input_spec = InputSpec(min_ndim=self.rank + 2, axes={axis: channels})
        return channels

    def _finish(self, x: Any) -> Any:
        """Adds the bias and applies the activation."""
        if self.bias is not None:
            bias = self.bias
            if self._channels_first:
                bias = ops.reshape(bias, (1, -1, *(1,) * self.rank))
            x = ops.add(x, bias)
        return self._activate(x)

    def _activate(self, x: Any) -> Any:
        activation = self.activation
        return x if activation is linear else activation(x)

    def _pad_causal(self, inputs: Any) -> Any:
        """Zeros in front of the time axis, so that no output sees later inputs."""
        before = [(0, 0), (self.dilation_rate[0] * (self.kernel_size[0] - 1), 0)]
        pads = [*before, (0, 0)] if not self._channels_first else [(0, 0), (0, 0), before[1]]
        return ops.pad(inputs, pads)

    def _output_shape(
        self, input_shape: Sequence[int | None], kernel_shape: tuple[int, ...], channels: int
    ) -> tuple[int | None, ...]:
        """Shape of the output; ValueError where the window does not fit."""
        shape = list(input_shape)
        time = 2 if self._channels_first else 1
        padding = self.padding
        if padding == "causal":
            padding = "valid"
            if shape[time] is not None:
                shape[time] += self.dilation_rate[0] * (self.kernel_size[0] - 1)  # type: ignore
        out = conv_geometry(
            tuple(shape), kernel_shape, self.strides, padding, self.data_format, self.dilation_rate
        ).out
        if self._channels_first:
            return (shape[0], channels, *out)
        return (shape[0], *out, channels)


class Conv(LoraMixin, WindowLayer):
    """Base of Conv1D, Conv2D and Conv3D."""

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
        lora_rank: int | None = None,
        lora_alpha: float | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        self.filters = check_positive_int(filters, "filters")
        self.groups = check_positive_int(groups, "groups")
        if self.filters % self.groups:
            raise ValueError(
                "`filters` must be a multiple of `groups`. "
                f"Received: filters={filters}, groups={groups}"
            )
        self._set_window(
            kernel_size, strides, padding, data_format, dilation_rate, causal=self.rank == 1
        )
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.kernel_regularizer = regularizers.get(kernel_regularizer)
        self.kernel_constraint = constraints.get(kernel_constraint)
        self.lora_rank = lora_rank
        self.lora_alpha = lora_alpha if lora_alpha is not None else lora_rank
        self._set_bias(activation, use_bias, bias_initializer, bias_regularizer, bias_constraint)

    def build(self, input_shape: Sequence[int | None]) -> None:
        """Creates the kernel and the bias."""
        channels = self._input_channels(input_shape)
        if channels % self.groups:
            raise ValueError(
                f"The number of input channels ({channels}) must be a multiple of `groups` "
                f"({self.groups}). Received: input_shape={tuple(input_shape)}"
            )
        self.compute_output_shape(input_shape)
        self._kernel = self.add_weight(
            name="kernel",
            shape=self._kernel_shape(channels),
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
        )
        self._build_bias(self.filters)
        self._enable_lora_if_asked()

    @property
    def kernel(self) -> Any:
        """The kernel, with the update of LoRA if there is one."""
        update = self._kernel_update
        return self._kernel if update is None else update(self._kernel)

    def _kernel_shape(self, channels: int) -> tuple[int, ...]:
        return (*self.kernel_size, channels // self.groups, self.filters)

    def convolution_op(self, inputs: Any, kernel: Any) -> Any:
        """The convolution alone, without bias; a subclass may change it."""
        padding = self.padding
        if padding == "causal":
            inputs, padding = self._pad_causal(inputs), "valid"
        return ops.conv(
            inputs,
            kernel,
            strides=self.strides,
            padding=padding,
            data_format=self.data_format,
            dilation_rate=self.dilation_rate,
        )

    def call(self, inputs: Any) -> Any:
        """`activation(conv(inputs, kernel) + bias)`."""
        if self.bias is None or type(self).convolution_op is not Conv.convolution_op:
            return self._finish(self.convolution_op(inputs, self.kernel))
        padding = self.padding
        if padding == "causal":
            inputs, padding = self._pad_causal(inputs), "valid"
        x = ops.conv_bias(  # one kernel on engines that fuse the two
            inputs,
            self.kernel,
            self.bias,
            self.strides,
            padding,
            self.data_format,
            self.dilation_rate,
        )
        return self._activate(x)

    def compute_output_shape(self, input_shape: Sequence[int | None]) -> tuple[int | None, ...]:
        """Shape of the output for an input of shape `input_shape`."""
        channels = input_shape[1 if self._channels_first else -1]
        kernel = self._kernel_shape(self.groups if channels is None else channels)
        return self._output_shape(input_shape, kernel, self.filters)
