"""Colours of images: grey, hue, saturation and value."""

from __future__ import annotations

from typing import Any

from kops import dtypes, ops
from kops.op import Tensor, op_family
from kops.ops._precision import dtype_name, narrow, widen
from kops.specs import keep
from kops.windows import data_format_of

__all__ = ["hsv_to_rgb", "rgb_to_grayscale", "rgb_to_hsv"]

op = op_family("image")

# Luma of ITU-R BT.601.
_LUMA = (0.2989, 0.587, 0.114)


def channel_axis(images: Any, data_format: str | None, channels: int | None = None) -> int:
    """The axis of the channels, counted from the end; checks rank and number of channels."""
    data_format = data_format_of(data_format)
    if len(images.shape) not in (3, 4):
        raise ValueError(
            "`images` must be one image (rank 3) or a batch of them (rank 4); got shape "
            f"{tuple(images.shape)}."
        )
    axis = -1 if data_format == "channels_last" else -3
    found = images.shape[axis]
    if channels is not None and found not in (None, channels):
        raise ValueError(
            f"`images` must have {channels} channels (`data_format` is {data_format!r}); got "
            f"shape {tuple(images.shape)}."
        )
    return axis


def _channels(images: Any, axis: int) -> list[Any]:
    return [ops.squeeze(part, axis) for part in ops.split(images, 3, axis=axis)]


def _float(images: Any) -> None:
    name = dtype_name(images)
    if not dtypes.is_float(name):
        raise ValueError(
            f"`images` must be floats in [0, 1]; got dtype {name}. Divide whole numbers by 255."
        )


@op(dtype=keep, name="RGBToGrayscale")
def rgb_to_grayscale(images: Tensor, data_format: str | None = None) -> Tensor:
    """Brightness of colours: `0.2989 red + 0.587 green + 0.114 blue`.

    Args:
        images: shape (..., height, width, 3), or (..., 3, height, width) for "channels_first".
        data_format: "channels_last", "channels_first" or None for the configured one.

    Returns:
        The images with one channel, in the same dtype; whole numbers are rounded.

    Raises:
        ValueError: for another rank or number of channels.

    Source: ITU-R BT.601.

    Example:

    >>> import numpy as np
    >>> from kops import ops
    >>> tuple(ops.image.rgb_to_grayscale(np.ones((2, 4, 4, 3), "float32")).shape)
    (2, 4, 4, 1)
    """
    axis = channel_axis(images, data_format, 3)
    name = dtype_name(images)
    x = widen(images) if dtypes.is_float(name) else ops.cast(images, "float32")
    red, green, blue = _channels(x, axis)
    grey = _LUMA[0] * red + _LUMA[1] * green + _LUMA[2] * blue
    if not dtypes.is_float(name):
        grey = ops.round(grey)
    return ops.cast(ops.expand_dims(grey, axis), name)


@op(dtype=keep, name="RGBToHSV")
def rgb_to_hsv(images: Tensor, data_format: str | None = None) -> Tensor:
    """Hue, saturation and value of colours, all in [0, 1].

    Args:
        images: floats in [0, 1], shape (..., height, width, 3), or (..., 3, height, width) for
            "channels_first".
        data_format: "channels_last", "channels_first" or None for the configured one.

    Returns:
        Tensor of the same shape. Grey has hue 0, black also saturation 0.

    Raises:
        ValueError: for another rank, number of channels, or whole numbers.

    Source: Smith, "Color Gamut Transform Pairs", SIGGRAPH 1978.

    Example:

    >>> import numpy as np
    >>> from kops import ops
    >>> blue = np.array([[[0.0, 0.0, 1.0]]], "float32")
    >>> ops.convert_to_numpy(ops.image.rgb_to_hsv(blue)).round(3).ravel().tolist()[1:]
    [1.0, 1.0]
    """
    axis = channel_axis(images, data_format, 3)
    _float(images)
    red, green, blue = _channels(widen(images), axis)
    value = ops.maximum(ops.maximum(red, green), blue)
    span = value - ops.minimum(ops.minimum(red, green), blue)
    one = ops.ones_like(span)
    flat = ops.equal(span, 0)
    safe = ops.where(flat, one, span)
    hue = ops.where(
        ops.equal(value, red),
        (green - blue) / safe,
        ops.where(ops.equal(value, green), (blue - red) / safe + 2.0, (red - green) / safe + 4.0),
    )
    hue = ops.mod(hue / 6.0, 1.0)
    black = ops.equal(value, 0)
    saturation = ops.where(black, 0.0, span / ops.where(black, one, value))
    hsv = ops.stack([ops.where(flat, 0.0, hue), saturation, value], axis=axis)
    return narrow(hsv, images)


@op(dtype=keep, name="HSVToRGB")
def hsv_to_rgb(images: Tensor, data_format: str | None = None) -> Tensor:
    """The inverse of `rgb_to_hsv`.

    Args:
        images: hue, saturation and value in [0, 1], shape (..., height, width, 3), or
            (..., 3, height, width) for "channels_first".
        data_format: "channels_last", "channels_first" or None for the configured one.

    Returns:
        Tensor of the same shape: red, green and blue.

    Raises:
        ValueError: for another rank, number of channels, or whole numbers.

    Source: Smith, "Color Gamut Transform Pairs", SIGGRAPH 1978.

    Example:

    >>> import numpy as np
    >>> from kops import ops
    >>> green = np.array([[[1 / 3, 1.0, 1.0]]], "float32")
    >>> ops.convert_to_numpy(ops.image.hsv_to_rgb(green)).round(3).ravel().tolist()
    [0.0, 1.0, 0.0]
    """
    axis = channel_axis(images, data_format, 3)
    _float(images)
    hue, saturation, value = _channels(widen(images), axis)

    def channel(offset: float) -> Any:
        # A trapezoid over the hue: full for a third of the circle, none for another.
        place = ops.mod(hue * 6.0 + offset, 6.0)
        ramp = ops.clip(ops.minimum(place, 4.0 - place), 0.0, 1.0)
        return value * (1.0 - saturation * ramp)

    rgb = ops.stack([channel(5.0), channel(3.0), channel(1.0)], axis=axis)
    return narrow(rgb, images)
