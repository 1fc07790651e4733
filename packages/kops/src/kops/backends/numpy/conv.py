"""NumPy: convolution and pooling."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from kops.backends.numpy import windows
from kops.windows import conv_geometry, depthwise_geometry, pool_geometry, transpose_geometry

__all__ = ["TABLE"]


def _low(x: np.ndarray) -> bool:
    return x.dtype.itemsize == 2


def _wide(x: np.ndarray) -> np.ndarray:
    """Half precision has no BLAS: multiply and add up in float32."""
    return x.astype(np.float32) if _low(x) else x


def _last(x: np.ndarray, channels_last: bool) -> np.ndarray:
    return np.ascontiguousarray(x if channels_last else np.moveaxis(x, 1, -1))


def _restore(y: np.ndarray, like: np.ndarray, channels_last: bool) -> np.ndarray:
    y = y if channels_last else np.moveaxis(y, -1, 1)
    return y.astype(like.dtype, copy=False)


def conv(inputs, kernel, strides=1, padding="valid", data_format=None, dilation_rate=1):
    g = conv_geometry(inputs.shape, kernel.shape, strides, padding, data_format, dilation_rate)
    x = windows.pad(_wide(_last(inputs, g.channels_last)), g.pads)
    return _restore(
        windows.grouped(x, _wide(kernel), g.strides, g.dilation, g.groups), inputs, g.channels_last
    )


def depthwise_conv(inputs, kernel, strides=1, padding="valid", data_format=None, dilation_rate=1):
    g = depthwise_geometry(inputs.shape, kernel.shape, strides, padding, data_format, dilation_rate)
    x = windows.pad(_wide(_last(inputs, g.channels_last)), g.pads)
    return _restore(
        windows.depthwise(x, _wide(kernel), g.strides, g.dilation), inputs, g.channels_last
    )


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
    x, w = _wide(_last(inputs, g.channels_last)), _wide(kernel)
    columns = x.reshape(-1, x.shape[-1]) @ w.reshape(-1, w.shape[-1]).T
    columns = columns.reshape(*x.shape[:-1], *g.kernel, g.filters)
    full = tuple(
        max(n - 1, 0) * s + d * (k - 1) + 1 + max(-high, 0)
        for n, s, d, k, (_, high) in zip(
            x.shape[1:-1], g.strides, g.dilation, g.kernel, g.pads, strict=True
        )
    )
    y = windows.scatter_windows(columns, g.kernel, g.strides, g.dilation, full)
    inner = tuple(slice(low, low + n) for n, (low, _) in zip(g.out, g.pads, strict=True))
    return _restore(y[(slice(None), *inner)], inputs, g.channels_last)


def _reduce_windows(
    x: np.ndarray,
    g: Any,
    fold: Callable[..., np.ndarray],
    pads: tuple[tuple[int, int], ...],
    fill: Any,
) -> np.ndarray:
    """Fold the window one axis at a time: k + k passes in place of k * k."""
    for axis in range(g.rank):
        if g.size[axis] == 1 and g.strides[axis] == 1 and pads[axis] == (0, 0):
            continue
        only = tuple(pads[i] if i == axis else (0, 0) for i in range(g.rank))
        one = tuple(g.size[i] if i == axis else 1 for i in range(g.rank))
        step = tuple(g.strides[i] if i == axis else 1 for i in range(g.rank))
        views = [
            v for _, v in windows.positions(windows.pad(x, only, fill), one, step, (1,) * g.rank)
        ]
        out = views[0].copy() if len(views) == 1 else fold(views[0], views[1])
        for view in views[2:]:
            fold(out, view, out=out)
        x = out
    return x


def _lowest(dtype: np.dtype) -> Any:
    if dtype == np.bool_:
        return False
    return np.iinfo(dtype).min if np.issubdtype(dtype, np.integer) else -np.inf


def max_pool(inputs, pool_size, strides=None, padding="valid", data_format=None):
    g = pool_geometry(inputs.shape, pool_size, strides, padding, data_format)
    x = inputs if g.channels_last else np.moveaxis(inputs, 1, -1)
    return _restore(
        _reduce_windows(x, g, np.maximum, g.pads, _lowest(x.dtype)), inputs, g.channels_last
    )


def average_pool(inputs, pool_size, strides=None, padding="valid", data_format=None):
    g = pool_geometry(inputs.shape, pool_size, strides, padding, data_format)
    x = _wide(inputs if g.channels_last else np.moveaxis(inputs, 1, -1))
    total = _reduce_windows(x, g, np.add, g.pads, 0)
    if any(low or high for low, high in g.pads):  # padding does not count
        total = total / _counts(x, g)
    else:
        total = total / np.asarray(np.prod(g.size), total.dtype)
    return _restore(total, inputs, g.channels_last)


def _counts(x: np.ndarray, g: Any) -> np.ndarray:
    """How many real elements every window holds."""
    ones = np.ones((1, *x.shape[1:-1], 1), x.dtype)
    return _reduce_windows(ones, g, np.add, g.pads, 0)


TABLE = {
    "conv": conv,
    "depthwise_conv": depthwise_conv,
    "conv_transpose": conv_transpose,
    "max_pool": max_pool,
    "average_pool": average_pool,
}
