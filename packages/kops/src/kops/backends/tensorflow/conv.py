"""TensorFlow: convolution and pooling.

TensorFlow's CPU kernels take channels-last data only, have no gradient for grouped or dilated
convolutions and
refuse a few other combinations. Those go through an equal formulation, so that every argument
works everywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import product
from typing import Any

import tensorflow as tf

from kops.windows import conv_geometry, depthwise_geometry, pool_geometry, transpose_geometry

__all__ = ["TABLE"]

_CONV = {1: tf.nn.conv1d, 2: tf.nn.conv2d, 3: tf.nn.conv3d}
_TRANSPOSE = {1: tf.nn.conv1d_transpose, 2: tf.nn.conv2d_transpose, 3: tf.nn.conv3d_transpose}
_MAX_POOL = {1: tf.nn.max_pool1d, 2: tf.nn.max_pool2d, 3: tf.nn.max_pool3d}
_AVERAGE_POOL = {1: tf.nn.avg_pool1d, 2: tf.nn.avg_pool2d, 3: tf.nn.avg_pool3d}
_TO_LAST = {3: (0, 2, 1), 4: (0, 2, 3, 1), 5: (0, 2, 3, 4, 1)}
_TO_FIRST = {3: (0, 2, 1), 4: (0, 3, 1, 2), 5: (0, 4, 1, 2, 3)}


@cache
def _cpu_only() -> bool:
    return not tf.config.list_physical_devices("GPU")


def _shape(x: Any) -> tuple[Any, ...]:
    return tuple(x.shape)


def _last(x: Any, channels_last: bool) -> Any:
    return x if channels_last else tf.transpose(x, _TO_LAST[x.shape.rank])


def _restore(y: Any, channels_last: bool) -> Any:
    return y if channels_last else tf.transpose(y, _TO_FIRST[y.shape.rank])


def _steps(values: tuple[int, ...]) -> tuple[int, ...]:
    return (1, *values, 1)


def _stride(y: Any, strides: tuple[int, ...]) -> Any:
    return y if set(strides) == {1} else y[(slice(None), *(slice(None, None, s) for s in strides))]


def _pad_same(x: Any, g: Any) -> Any:
    """Explicit "same" padding, for sizes that may be unknown until the graph runs."""
    if g.padding == "valid":
        return x
    pads: Any = g.pads
    if pads is None:
        sizes = tf.shape(x)[1:-1]
        strides, spans = tf.constant(g.strides), tf.constant(_spans(g))
        total = tf.maximum((sizes + strides - 1) // strides * strides - strides + spans - sizes, 0)
        pads = tf.stack([total // 2, total - total // 2], axis=1)
    ends = tf.zeros((1, 2), tf.int32)
    return tf.pad(x, tf.concat([ends, tf.cast(pads, tf.int32), ends], 0))


def _spans(g: Any) -> tuple[int, ...]:
    return tuple(d * (k - 1) + 1 for d, k in zip(g.dilation, g.kernel, strict=True))


def _plain(x: Any, kernel: Any, g: Any) -> Any:
    """One group, channels last."""
    conv = _CONV[g.rank]
    if set(g.kernel) == {1}:  # the CPU's 3-D kernel is wrong for a strided window of 1
        return conv(
            _stride(x, g.strides), kernel, 1 if g.rank == 1 else _steps((1,) * g.rank), "VALID"
        )
    if set(g.dilation) == {1}:
        strides = g.strides[0] if g.rank == 1 else _steps(g.strides)
        return conv(x, kernel, strides, g.padding.upper())
    # The taps of a dilated kernel are neighbours after space-to-batch; the stride is taken at the
    # end.
    ones = 1 if g.rank == 1 else _steps((1,) * g.rank)
    y = tf.compat.v1.nn.with_space_to_batch(
        _pad_same(x, g), g.dilation, "VALID", lambda v, *_: conv(v, kernel, ones, "VALID"), g.kernel
    )
    return _stride(y, g.strides)


def conv(inputs, kernel, strides=1, padding="valid", data_format=None, dilation_rate=1):
    g = conv_geometry(_shape(inputs), _shape(kernel), strides, padding, data_format, dilation_rate)
    x = _last(inputs, g.channels_last)
    if g.groups == 1:
        y = _plain(x, kernel, g)
    elif not _cpu_only() and set(g.dilation) == {1} and g.rank == 2:
        y = tf.nn.conv2d(x, kernel, _steps(g.strides), g.padding.upper())
    else:
        parts = zip(tf.split(x, g.groups, -1), tf.split(kernel, g.groups, -1), strict=True)
        y = tf.concat([_plain(a, w, g) for a, w in parts], -1)
    return _restore(y, g.channels_last)


def conv_bias(
    inputs, kernel, bias=None, strides=1, padding="valid", data_format=None, dilation_rate=1
):
    last = conv_geometry(
        _shape(inputs), _shape(kernel), strides, padding, data_format, dilation_rate
    ).channels_last
    y = conv(inputs, kernel, strides, padding, data_format, dilation_rate)
    if bias is None:
        return y
    return tf.nn.bias_add(y, bias, None if last else "N" + "C" + "DHW"[5 - y.shape.rank :])


def depthwise_conv(inputs, kernel, strides=1, padding="valid", data_format=None, dilation_rate=1):
    g = depthwise_geometry(
        _shape(inputs), _shape(kernel), strides, padding, data_format, dilation_rate
    )
    x = _last(inputs, g.channels_last)
    if g.rank == 1:
        y = _depthwise_1d(x, kernel, g)
    elif g.rank == 2 and (
        len(set(g.strides)) == 1 and (g.strides[0] == 1 or set(g.dilation) == {1})
    ):
        y = tf.nn.depthwise_conv2d(
            x, kernel, _steps(g.strides), g.padding.upper(), dilations=g.dilation
        )
    else:
        y = _depthwise_taps(_pad_same(x, g), kernel, g)
    return _restore(y, g.channels_last)


def _depthwise_1d(x: Any, kernel: Any, g: Any) -> Any:
    if g.strides[0] > 1 and g.dilation[0] > 1:
        return _depthwise_taps(_pad_same(x, g), kernel, g)
    y = tf.nn.depthwise_conv2d(
        x[:, None],
        kernel[None],
        _steps((g.strides[0],) * 2),
        g.padding.upper(),
        dilations=(1, *g.dilation),
    )
    return y[:, 0]


def _depthwise_taps(x: Any, kernel: Any, g: Any) -> Any:
    """Sum over the places of the window of (the elements met) x (that place's weights)."""
    total: Any = 0
    for index, part in _taps(x, g.kernel, g.strides, g.dilation):
        total += part[..., None] * kernel[index]
    shape = tf.shape(total)
    merged = tf.reshape(total, tf.concat([shape[:-2], [shape[-2] * shape[-1]]], 0))
    merged.set_shape((*total.shape[:-2], g.filters))
    return merged


def _taps(x: Any, window: Any, strides: Any, dilation: Any) -> Any:
    """(index in the window, elements it meets) for every place of the window over padded `x`."""
    sizes = [
        x.shape[1 + i] if x.shape[1 + i] is not None else tf.shape(x)[1 + i]
        for i in range(len(window))
    ]
    out = [
        (n - d * (k - 1) - 1) // s + 1
        for n, k, s, d in zip(sizes, window, strides, dilation, strict=True)
    ]
    for index in product(*map(range, window)):
        reach = tuple(
            slice(i * d, i * d + (n - 1) * s + 1, s)
            for i, n, s, d in zip(index, out, strides, dilation, strict=True)
        )
        yield index, x[(slice(None), *reach)]


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
        _shape(inputs), _shape(kernel), strides, padding, output_padding, data_format, dilation_rate
    )
    x = _last(inputs, g.channels_last)
    w = _spread(kernel, g)
    sizes = tf.shape(x)
    full = [
        (sizes[1 + i] - 1) * s + n
        for i, (s, n) in enumerate(zip(g.strides, _spans(g), strict=True))
    ]
    out = [n - low - high for n, (low, high) in zip(full, g.pads, strict=True)]
    native = output_padding is None
    steps = g.strides[0] if g.rank == 1 else _steps(g.strides)
    shape = tf.stack([sizes[0], *(out if native else full), g.filters])
    y = _TRANSPOSE[g.rank](x, w, shape, steps, g.padding.upper() if native else "VALID")
    if not native:
        cut = tuple(
            slice(low, n - max(high, 0)) for n, (low, high) in zip(full, g.pads, strict=True)
        )
        y = y[(slice(None), *cut)]
        if any(high < 0 for _, high in g.pads):
            y = tf.pad(y, [(0, 0), *((0, max(-high, 0)) for _, high in g.pads), (0, 0)])
    y.set_shape((x.shape[0], *g.out, g.filters))
    return _restore(y, g.channels_last)


def _spread(kernel: Any, g: Any) -> Any:
    """`kernel` with zeros between its taps: the CPU has no dilated transposed convolution."""
    for axis, d in enumerate(g.dilation):
        if d > 1:
            shape = list(kernel.shape)
            grown = tf.reshape(kernel, [*shape[: axis + 1], 1, *shape[axis + 1 :]])
            ends = [(0, d - 1) if i == axis + 1 else (0, 0) for i in range(len(shape) + 1)]
            shape[axis] *= d
            kernel = tf.reshape(tf.pad(grown, ends), shape)
            kernel = kernel[(slice(None),) * axis + (slice(0, shape[axis] - d + 1),)]
    return kernel


def max_pool(inputs, pool_size, strides=None, padding="valid", data_format=None):
    g = pool_geometry(_shape(inputs), pool_size, strides, padding, data_format)
    x = _last(inputs, g.channels_last)
    if x.dtype == tf.bool:
        y = tf.cast(_pool(_MAX_POOL[g.rank], tf.cast(x, tf.float32), g), tf.bool)
    elif g.rank < 3 or x.dtype in (tf.float32, tf.bfloat16):
        y = _pool(_MAX_POOL[g.rank], x, g)
    elif x.dtype == tf.float16:
        y = tf.cast(_pool(tf.nn.max_pool3d, tf.cast(x, tf.float32), g), x.dtype)
    else:
        y = _max_planes(x, g)
    return _restore(y, g.channels_last)


def _pool(pool: Callable[..., Any], x: Any, g: Any) -> Any:
    size, strides = (
        (g.size[0], g.strides[0]) if g.rank == 1 else (_steps(g.size), _steps(g.strides))
    )
    return pool(x, size, strides, g.padding.upper())


def _max_planes(x: Any, g: Any) -> Any:
    """3-D pooling of other dtypes: 2-D over height and width, then 2-D over depth."""
    padding = g.padding.upper()
    shape = tf.shape(x)
    flat = tf.reshape(x, tf.concat([[shape[0] * shape[1]], shape[2:]], 0))
    flat = tf.nn.max_pool2d(flat, _steps(g.size[1:]), _steps(g.strides[1:]), padding)
    inner = tf.shape(flat)
    y = tf.reshape(flat, [shape[0], shape[1], inner[1] * inner[2], inner[3]])
    y = tf.nn.max_pool2d(y, (1, g.size[0], 1, 1), (1, g.strides[0], 1, 1), padding)
    y = tf.reshape(y, tf.concat([tf.shape(y)[:2], inner[1:]], 0))
    y.set_shape((x.shape[0], *g.out, x.shape[-1]))
    return y


def average_pool(inputs, pool_size, strides=None, padding="valid", data_format=None):
    g = pool_geometry(_shape(inputs), pool_size, strides, padding, data_format)
    x = _last(inputs, g.channels_last)
    low = x.dtype in (tf.float16, tf.bfloat16)
    y = _pool(_AVERAGE_POOL[g.rank], tf.cast(x, tf.float32) if low else x, g)
    return _restore(tf.cast(y, x.dtype), g.channels_last)


TABLE = {
    "conv": conv,
    "conv_bias": conv_bias,
    "depthwise_conv": depthwise_conv,
    "conv_transpose": conv_transpose,
    "max_pool": max_pool,
    "average_pool": average_pool,
}
