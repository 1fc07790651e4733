"""Convolutions over one to three spatial axes."""

from __future__ import annotations

from typing import Any

from kops import ops
from kops.op import Tensor, op_family
from kops.specs import Dims, float_result
from kops.windows import conv_geometry, data_format_of, depthwise_geometry, transpose_geometry

__all__ = ["conv", "conv_bias", "conv_transpose", "depthwise_conv", "separable_conv"]

op = op_family("nn")

Sizes = int | tuple[int, ...]


def _placed(batch: Any, out: tuple[Any, ...], channels: Any, channels_last: bool) -> Dims:
    return (batch, *out, channels) if channels_last else (batch, channels, *out)


def _conv_dims(inputs, kernel, strides, padding, data_format, dilation_rate) -> Dims:
    g = conv_geometry(inputs.dims, kernel.dims, strides, padding, data_format, dilation_rate)
    return _placed(inputs.dims[0], g.out, g.filters, g.channels_last)


def _transpose_dims(
    inputs, kernel, strides, padding, output_padding, data_format, dilation_rate
) -> Dims:
    g = transpose_geometry(
        inputs.dims, kernel.dims, strides, padding, output_padding, data_format, dilation_rate
    )
    return _placed(inputs.dims[0], g.out, g.filters, g.channels_last)


@op(shape=_conv_dims, dtype=float_result)
def conv(
    inputs: Tensor,
    kernel: Tensor,
    strides: Sizes = 1,
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Sizes = 1,
) -> Tensor:
    """Convolution (cross-correlation) over 1, 2 or 3 spatial axes.

    The inputs are cut in `inputs channels / kernel channels` groups; each is convolved with its
    own share of
    the kernel's output channels.

    Args:
        inputs: shape (batch, *sizes, channels), or (batch, channels, *sizes) for "channels_first".
        kernel: shape (*window, channels / groups, output channels), whatever the data format.
        strides: step of the window, one int or one an axis.
        padding: "valid", or "same" for an output of `ceil(size / stride)`.
        data_format: "channels_last", "channels_first" or None for the configured one.
        dilation_rate: distance of neighbouring window elements, one int or one an axis.

    Raises:
        ValueError: for ranks, channels, sizes or names that do not fit.

    Example:

    >>> import numpy as np
    >>> from kops import ops
    >>> x = np.ones((1, 5, 5, 2), "float32")
    >>> kernel = np.ones((3, 3, 2, 4), "float32")
    >>> tuple(ops.conv(x, kernel, strides=2, padding="same").shape)
    (1, 3, 3, 4)
    """


@op(dtype=float_result)
def conv_bias(
    inputs: Tensor,
    kernel: Tensor,
    bias: Tensor | None = None,
    strides: Sizes = 1,
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Sizes = 1,
) -> Tensor:
    """`conv` plus a bias of shape (output channels,): one kernel on engines that fuse the two.

    Raises:
        ValueError: as `conv`.

    Example:

    >>> import numpy as np
    >>> from kops.ops.conv import conv_bias
    >>> x, kernel = np.ones((1, 3, 1), "float32"), np.ones((3, 1, 2), "float32")
    >>> float(conv_bias(x, kernel, np.array([0.0, 1.0], "float32"))[0, 0, 1])
    4.0
    """
    outputs = conv(inputs, kernel, strides, padding, data_format, dilation_rate)
    if bias is None:
        return outputs
    if data_format_of(data_format) == "channels_first":
        bias = ops.reshape(bias, (-1, *(1,) * (len(inputs.shape) - 2)))
    return ops.add(outputs, bias)


@op(dtype=float_result)
def depthwise_conv(
    inputs: Tensor,
    kernel: Tensor,
    strides: Sizes = 1,
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Sizes = 1,
) -> Tensor:
    """Convolution of every channel with its own windows.

    Args:
        inputs: shape (batch, *sizes, channels), or (batch, channels, *sizes) for "channels_first".
        kernel: shape (*window, channels, multiplier).
        strides: step of the window, one int or one an axis.
        padding: "valid" or "same".
        data_format: "channels_last", "channels_first" or None for the configured one.
        dilation_rate: distance of neighbouring window elements.

    Returns:
        `channels * multiplier` channels; those of the first input channel come first.

    Raises:
        ValueError: for ranks, channels, sizes or names that do not fit.

    Example:

    >>> import numpy as np
    >>> from kops import ops
    >>> x = np.ones((1, 5, 5, 2), "float32")
    >>> tuple(ops.depthwise_conv(x, np.ones((3, 3, 2, 4), "float32")).shape)
    (1, 3, 3, 8)
    """
    depthwise_geometry(inputs.shape, kernel.shape, strides, padding, data_format, dilation_rate)
    *window, channels, multiplier = ops.shape(kernel)
    grouped = ops.reshape(kernel, (*window, 1, channels * multiplier))
    return conv(inputs, grouped, strides, padding, data_format, dilation_rate)


@op(dtype=float_result)
def separable_conv(
    inputs: Tensor,
    depthwise_kernel: Tensor,
    pointwise_kernel: Tensor,
    strides: Sizes = 1,
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Sizes = 1,
) -> Tensor:
    """Depthwise convolution, then a mix of the channels everywhere (arXiv:1610.02357).

    Args:
        inputs: shape (batch, *sizes, channels), or (batch, channels, *sizes) for "channels_first".
        depthwise_kernel: shape (*window, channels, multiplier).
        pointwise_kernel: shape (1, ..., 1, channels * multiplier, output channels).
        strides: step of the window, one int or one an axis.
        padding: "valid" or "same".
        data_format: "channels_last", "channels_first" or None for the configured one.
        dilation_rate: distance of neighbouring window elements.

    Raises:
        ValueError: for ranks, channels, sizes or names that do not fit.

    Example:

    >>> import numpy as np
    >>> from kops import ops
    >>> x = np.ones((1, 5, 2), "float32")
    >>> depthwise, pointwise = np.ones((3, 2, 1), "float32"), np.ones((1, 2, 6), "float32")
    >>> tuple(ops.separable_conv(x, depthwise, pointwise).shape)
    (1, 3, 6)
    """
    mixed = depthwise_conv(inputs, depthwise_kernel, strides, padding, data_format, dilation_rate)
    return conv(mixed, pointwise_kernel, 1, "valid", data_format, 1)


@op(shape=_transpose_dims, dtype=float_result)
def conv_transpose(
    inputs: Tensor,
    kernel: Tensor,
    strides: Sizes = 1,
    padding: str = "valid",
    output_padding: int | tuple[int | None, ...] | None = None,
    data_format: str | None = None,
    dilation_rate: Sizes = 1,
) -> Tensor:
    """Transposed convolution: the gradient of `conv` with respect to its inputs.

    With `span = dilation * (window - 1) + 1` and no `output_padding`, an axis of `n` becomes
    `n * stride`
    for "same" and `n * stride + max(span - stride, 0)` for "valid"; with it,
    `(n - 1) * stride + span - 2 * (span // 2 if same else 0) + output_padding`.

    Args:
        inputs: shape (batch, *sizes, channels), or (batch, channels, *sizes) for "channels_first".
        kernel: shape (*window, output channels, channels).
        strides: growth of every axis, one int or one an axis.
        padding: "valid" or "same".
        output_padding: size added at the end of an axis, less than its stride.
        data_format: "channels_last", "channels_first" or None for the configured one.
        dilation_rate: distance of neighbouring window elements.

    Raises:
        ValueError: for ranks, channels or names that do not fit.

    Example:

    >>> import numpy as np
    >>> from kops import ops
    >>> x = np.ones((1, 4, 2), "float32")
    >>> tuple(ops.conv_transpose(x, np.ones((3, 5, 2), "float32"), strides=2, padding="same").shape)
    (1, 8, 5)
    """
