"""JAX: convolution and pooling."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jax import lax

from kops.windows import conv_geometry, depthwise_geometry, pool_geometry, transpose_geometry

__all__ = ["TABLE"]

_SPATIAL = "DHW"


def _layout(rank: int, channels_last: bool) -> tuple[str, str, str]:
    axes = _SPATIAL[-rank:]
    data = f"N{axes}C" if channels_last else f"NC{axes}"
    return data, f"{axes}IO", data


def _convolve(x: Any, kernel: Any, g: Any, groups: int) -> Any:
    return lax.conv_general_dilated(
        x,
        kernel,
        g.strides,
        g.pads,
        rhs_dilation=g.dilation,
        dimension_numbers=_layout(g.rank, g.channels_last),
        feature_group_count=groups,
    )


def conv(inputs, kernel, strides=1, padding="valid", data_format=None, dilation_rate=1):
    g = conv_geometry(inputs.shape, kernel.shape, strides, padding, data_format, dilation_rate)
    return _convolve(inputs, kernel, g, g.groups)


def depthwise_conv(inputs, kernel, strides=1, padding="valid", data_format=None, dilation_rate=1):
    g = depthwise_geometry(inputs.shape, kernel.shape, strides, padding, data_format, dilation_rate)
    channels, multiplier = kernel.shape[-2:]
    return _convolve(inputs, kernel.reshape(*g.kernel, 1, channels * multiplier), g, channels)


def conv_transpose(
    inputs,
    kernel,
    strides=1,
    padding="valid",
    output_padding=None,
    data_format=None,
    dilation_rate=1,
):
    g = transpose_geometry(
        inputs.shape, kernel.shape, strides, padding, output_padding, data_format, dilation_rate
    )
    spans = [d * (k - 1) for d, k in zip(g.dilation, g.kernel, strict=True)]
    pads = [(span - low, span - high) for span, (low, high) in zip(spans, g.pads, strict=True)]
    flipped = jnp.flip(jnp.swapaxes(kernel, -1, -2), tuple(range(g.rank)))
    return lax.conv_general_dilated(
        inputs,
        flipped,
        (1,) * g.rank,
        pads,
        lhs_dilation=g.strides,
        rhs_dilation=g.dilation,
        dimension_numbers=_layout(g.rank, g.channels_last),
    )


def _pool(x: Any, g: Any, start: Any, fold: Any) -> Any:
    def full(inner: tuple[Any, ...], outer: Any) -> tuple[Any, ...]:
        return (outer, *inner, outer) if g.channels_last else (outer, outer, *inner)

    return lax.reduce_window(
        x, start, fold, full(g.size, 1), full(g.strides, 1), full(g.pads, (0, 0))
    )


def max_pool(inputs, pool_size, strides=None, padding="valid", data_format=None):
    g = pool_geometry(inputs.shape, pool_size, strides, padding, data_format)
    if inputs.dtype == jnp.bool_:
        return _pool(inputs, g, False, lax.bitwise_or)
    low = -jnp.inf if jnp.issubdtype(inputs.dtype, jnp.floating) else jnp.iinfo(inputs.dtype).min
    return _pool(inputs, g, low, lax.max)


def average_pool(inputs, pool_size, strides=None, padding="valid", data_format=None):
    g = pool_geometry(inputs.shape, pool_size, strides, padding, data_format)
    x = inputs.astype(jnp.float32) if inputs.dtype.itemsize == 2 else inputs
    total = _pool(x, g, 0.0, lax.add)
    if any(low or high for low, high in g.pads):  # padding does not count
        count = _pool(jnp.ones(x.shape, x.dtype), g, 0.0, lax.add)
    else:
        count = 1
        for k in g.size:
            count *= k
    return (total / count).astype(inputs.dtype)


TABLE = {
    "conv": conv,
    "depthwise_conv": depthwise_conv,
    "conv_transpose": conv_transpose,
    "max_pool": max_pool,
    "average_pool": average_pool,
}
