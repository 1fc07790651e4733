"""torch: convolution and pooling.

Channels-last data seen through a permutation is torch's `channels_last` memory format, so
nothing is copied
to get there. A kernel is cheap when its (height, width, in, out) view lies in memory as (out,
height, width,
in): `KERNEL_ORDER` is the permutation with which state of that rank is stored.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F

from kops.windows import conv_geometry, depthwise_geometry, pool_geometry, transpose_geometry

__all__ = ["KERNEL_ORDER", "TABLE", "kernel_layout"]

KERNEL_ORDER = {4: (3, 0, 1, 2), 5: (4, 0, 1, 2, 3)}

_CONV = {1: torch.conv1d, 2: torch.conv2d, 3: torch.conv3d}
_CONV_TRANSPOSE = {2: F.conv_transpose2d, 3: F.conv_transpose3d}
_MAX_POOL = {1: F.max_pool1d, 2: F.max_pool2d, 3: F.max_pool3d}
_AVERAGE_POOL = {1: F.avg_pool1d, 2: F.avg_pool2d, 3: F.avg_pool3d}
_TO_FIRST = {3: (0, 2, 1), 4: (0, 3, 1, 2), 5: (0, 4, 1, 2, 3)}
_TO_LAST = {3: (0, 2, 1), 4: (0, 2, 3, 1), 5: (0, 2, 3, 4, 1)}
# (spatial..., in, out) to (out, in, spatial...), and (spatial..., out, in) to (in, out,
# spatial...).
_KERNEL_FIRST = {3: (2, 1, 0), 4: (3, 2, 0, 1), 5: (4, 3, 0, 1, 2)}


def kernel_layout(value: torch.Tensor) -> torch.Tensor:
    """The same values in the memory order that convolutions read without a copy.

    Example:

    >>> import torch
    >>> kernel_layout(torch.ones(3, 3, 8, 16)).permute(3, 2, 0, 1).is_contiguous(
    ...     memory_format=torch.channels_last)
    True
    """
    order = KERNEL_ORDER.get(value.ndim)
    if order is None:
        return value
    back = [order.index(i) for i in range(value.ndim)]
    return value.permute(order).contiguous().permute(back)


def _padding(
    pads: tuple[tuple[int, int], ...], x: torch.Tensor, value: float = 0.0
) -> tuple[Any, Any]:
    """(x, padding for torch's own argument); `x` is padded only where the ends differ."""
    if all(low == high for low, high in pads):
        return x, tuple(low for low, _ in pads)
    flat = [n for low, high in reversed(pads) for n in (low, high)]
    return F.pad(x, flat, value=value), (0,) * len(pads)


def _convolve(
    x: torch.Tensor, w: torch.Tensor, bias: torch.Tensor | None, g: Any, groups: int
) -> torch.Tensor:
    """Channels-first convolution, (out, in / groups, spatial...) kernel."""
    padding = g.even
    if padding is None:
        x, padding = _padding(g.pads, x)
    if (
        g.rank == 1 and g.channels_last
    ):  # a 2-D convolution keeps the memory format, a 1-D one copies
        return torch.conv2d(
            x.unsqueeze(2),
            w.unsqueeze(2),
            bias,
            (1, *g.strides),
            (0, *padding),
            (1, *g.dilation),
            groups,
        ).squeeze(2)
    return _CONV[g.rank](x, w, bias, g.strides, padding, g.dilation, groups)


def conv_bias(
    inputs, kernel, bias=None, strides=1, padding="valid", data_format=None, dilation_rate=1
):
    g = conv_geometry(inputs.shape, kernel.shape, strides, padding, data_format, dilation_rate)
    rank = inputs.ndim
    x = inputs.permute(_TO_FIRST[rank]) if g.channels_last else inputs
    y = _convolve(x, kernel.permute(_KERNEL_FIRST[rank]), bias, g, g.groups)
    return y.permute(_TO_LAST[rank]) if g.channels_last else y


def conv(inputs, kernel, strides=1, padding="valid", data_format=None, dilation_rate=1):
    return conv_bias(inputs, kernel, None, strides, padding, data_format, dilation_rate)


def depthwise_conv(inputs, kernel, strides=1, padding="valid", data_format=None, dilation_rate=1):
    g = depthwise_geometry(inputs.shape, kernel.shape, strides, padding, data_format, dilation_rate)
    rank = inputs.ndim
    x = inputs.permute(_TO_FIRST[rank]) if g.channels_last else inputs
    channels, multiplier = kernel.shape[-2:]
    order = (rank - 2, rank - 1, *range(rank - 2))
    w = kernel.permute(order).reshape(channels * multiplier, 1, *g.kernel)
    y = _convolve(x, w, None, g, channels)
    return y.permute(_TO_LAST[rank]) if g.channels_last else y


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
    rank = inputs.ndim
    x = inputs.permute(_TO_FIRST[rank]) if g.channels_last else inputs
    w = kernel.permute(_KERNEL_FIRST[rank])
    # torch cuts the same amount off both ends; what is left over is cut off (or appended)
    # afterwards.
    cut = tuple(max(0, min(low, high)) for low, high in g.pads)
    if rank == 3:
        y = F.conv_transpose2d(
            x.unsqueeze(2), w.unsqueeze(2), None, (1, *g.strides), (0, *cut), 0, 1, (1, *g.dilation)
        ).squeeze(2)
    else:
        y = _CONV_TRANSPOSE[g.rank](x, w, None, g.strides, cut, 0, 1, g.dilation)
    rest = [(low - c, high - c) for (low, high), c in zip(g.pads, cut, strict=True)]
    if any(low or high for low, high in rest):
        y = F.pad(y, [-n for low, high in reversed(rest) for n in (low, high)])
    return y.permute(_TO_LAST[rank]) if g.channels_last else y


def _pool_input(x: torch.Tensor, g: Any) -> torch.Tensor:
    return x.permute(_TO_FIRST[x.ndim]) if g.channels_last else x


def _fits(pads: tuple[tuple[int, int], ...], size: tuple[int, ...]) -> bool:
    """Whether torch's own padding (symmetric, at most half the window) can do it."""
    return all(low == high and 2 * low <= k for (low, high), k in zip(pads, size, strict=True))


def max_pool(inputs, pool_size, strides=None, padding="valid", data_format=None):
    g = pool_geometry(inputs.shape, pool_size, strides, padding, data_format)
    x = _pool_input(inputs, g)
    if not x.dtype.is_floating_point:
        lowest = False if x.dtype == torch.bool else torch.iinfo(x.dtype).min
        y = _pool_exact(x, g, lowest)
    elif x.numel() == 0:
        y = x.new_empty((x.shape[0], x.shape[1], *g.out))
    elif _fits(g.pads, g.size):
        y = _MAX_POOL[g.rank](x, g.size, g.strides, tuple(low for low, _ in g.pads))
    else:
        x, _ = _padding(g.pads, x, float("-inf"))
        y = _MAX_POOL[g.rank](x, g.size, g.strides)
    return y.permute(_TO_LAST[y.ndim]) if g.channels_last else y


def _pool_exact(x: torch.Tensor, g: Any, lowest: Any) -> torch.Tensor:
    """Maximum over unfolded windows: integers beyond 2**24 would not survive a float kernel."""
    flat = [n for low, high in reversed(g.pads) for n in (low, high)]
    y = F.pad(x, flat, value=lowest) if any(flat) else x
    for axis in range(g.rank):
        y = y.unfold(2 + axis, g.size[axis], g.strides[axis])
    return y.amax(dim=tuple(range(-g.rank, 0)))


def average_pool(inputs, pool_size, strides=None, padding="valid", data_format=None):
    g = pool_geometry(inputs.shape, pool_size, strides, padding, data_format)
    x = _pool_input(inputs, g)
    if x.dtype in (torch.float16, torch.bfloat16):
        x = x.float()
    if x.numel() == 0:
        y = x.new_empty((x.shape[0], x.shape[1], *g.out))
    elif _fits(g.pads, g.size):
        pads = tuple(low for low, _ in g.pads)
        y = _AVERAGE_POOL[g.rank](x, g.size, g.strides, pads, False, False)
    else:
        padded, _ = _padding(g.pads, x)
        ones, _ = _padding(g.pads, torch.ones((1, 1, *x.shape[2:]), dtype=x.dtype, device=x.device))
        pool = _AVERAGE_POOL[g.rank]
        y = pool(padded, g.size, g.strides) / pool(ones, g.size, g.strides)
    y = y.to(inputs.dtype)
    return y.permute(_TO_LAST[y.ndim]) if g.channels_last else y


TABLE = {
    "conv": conv,
    "conv_bias": conv_bias,
    "depthwise_conv": depthwise_conv,
    "conv_transpose": conv_transpose,
    "max_pool": max_pool,
    "average_pool": average_pool,
}
