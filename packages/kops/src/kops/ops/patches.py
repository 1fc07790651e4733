"""Moving blocks of an image into channels and back."""

from __future__ import annotations

from typing import Any

from kops import ops
from kops.op import Tensor, op_family
from kops.specs import keep

__all__ = ["depth_to_space", "fold", "space_to_depth", "unfold"]

op = op_family("nn")

Pair = int | tuple[int, int]


def _rank_4(x: Tensor, what: str) -> None:
    if len(x.shape) != 4:
        raise ValueError(f"`x` must be {what}, of rank 4; got shape {tuple(x.shape)}.")


def _block(block_size: Any, data_format: Any) -> bool:
    """Whether channels come last; checks the arguments."""
    if not isinstance(block_size, int) or isinstance(block_size, bool) or block_size < 1:
        raise ValueError(f"`block_size` must be a positive int; got {block_size!r}.")
    if data_format not in ("channels_last", "channels_first"):
        raise ValueError(
            f"`data_format` must be 'channels_last' or 'channels_first'; got {data_format!r}."
        )
    return data_format == "channels_last"


@op(dtype=keep)
def space_to_depth(x: Tensor, block_size: int, data_format: str = "channels_last") -> Tensor:
    """Blocks of `block_size` by `block_size` pixels become channels.

    The channels of a block follow each other pixel by pixel, row by row.

    Args:
        x: images, shape (batch, height, width, channels), or (batch, channels, height, width) for
            "channels_first". Height and width are multiples of `block_size`.
        block_size: size of the blocks.
        data_format: "channels_last" or "channels_first".

    Returns:
        Shape (batch, height / block_size, width / block_size, channels * block_size**2), or with
        the channels first.

    Raises:
        ValueError: for another rank, or a size that is no multiple.

    Example:

    >>> import numpy as np
    >>> from kops import ops
    >>> tuple(ops.space_to_depth(np.zeros((1, 4, 6, 3), "float32"), 2).shape)
    (1, 2, 3, 12)
    """
    last = _block(block_size, data_format)
    _rank_4(x, "images")
    n = block_size
    batch, *sizes = ops.shape(x)
    height, width, channels = sizes if last else (*sizes[1:], sizes[0])
    for name, size in (("height", height), ("width", width)):
        if isinstance(size, int) and size % n:
            raise ValueError(f"The {name} of `x`, {size}, is no multiple of `block_size` {n}.")
    if last:
        x = ops.reshape(x, (batch, height // n, n, width // n, n, channels))
        x = ops.transpose(x, (0, 1, 3, 2, 4, 5))
        return ops.reshape(x, (batch, height // n, width // n, n * n * channels))
    x = ops.reshape(x, (batch, channels, height // n, n, width // n, n))
    x = ops.transpose(x, (0, 3, 5, 1, 2, 4))
    return ops.reshape(x, (batch, n * n * channels, height // n, width // n))


@op(dtype=keep)
def depth_to_space(x: Tensor, block_size: int, data_format: str = "channels_last") -> Tensor:
    """The inverse of `space_to_depth`.

    Args:
        x: shape (batch, height, width, channels), or (batch, channels, height, width) for
            "channels_first". The channels are a multiple of `block_size**2`.
        block_size: size of the blocks.
        data_format: "channels_last" or "channels_first".

    Returns:
        Shape (batch, height * block_size, width * block_size, channels / block_size**2), or with
        the channels first.

    Raises:
        ValueError: for another rank, or channels that are no multiple.

    Example:

    >>> import numpy as np
    >>> from kops import ops
    >>> tuple(ops.depth_to_space(np.zeros((1, 2, 3, 12), "float32"), 2).shape)
    (1, 4, 6, 3)
    """
    last = _block(block_size, data_format)
    _rank_4(x, "images")
    n = block_size
    batch, *sizes = ops.shape(x)
    height, width, channels = sizes if last else (*sizes[1:], sizes[0])
    if isinstance(channels, int) and channels % (n * n):
        raise ValueError(
            f"The channels of `x`, {channels}, are no multiple of `block_size` squared, {n * n}."
        )
    rest = channels // (n * n)
    if last:
        x = ops.reshape(x, (batch, height, width, n, n, rest))
        x = ops.transpose(x, (0, 1, 3, 2, 4, 5))
        return ops.reshape(x, (batch, height * n, width * n, rest))
    x = ops.reshape(x, (batch, n, n, rest, height, width))
    x = ops.transpose(x, (0, 3, 4, 1, 5, 2))
    return ops.reshape(x, (batch, rest, height * n, width * n))


def _pair(value: Any, name: str, least: int = 1) -> tuple[int, int]:
    pair = (value, value) if isinstance(value, int) else value
    if (
        not isinstance(pair, (tuple, list))
        or len(pair) != 2
        or not all(isinstance(v, int) and not isinstance(v, bool) and v >= least for v in pair)
    ):
        raise ValueError(
            f"`{name}` must be an int of at least {least}, or two of them; got {value!r}."
        )
    return (pair[0], pair[1])


def _counts(sizes: Any, kernel: Any, dilation: Any, padding: Any, stride: Any) -> list[Any]:
    """Numbers of windows along both axes."""
    counts = []
    for size, k, d, p, s in zip(sizes, kernel, dilation, padding, stride, strict=True):
        span = d * (k - 1) + 1
        if isinstance(size, int) and size + 2 * p < span:
            raise ValueError(
                f"A window of {span} pixels does not fit into {size} pixels padded by {p}."
            )
        counts.append((size + 2 * p - span) // s + 1)
    return counts


@op(dtype=keep)
def unfold(
    x: Tensor, kernel_size: Pair, dilation: Pair = 1, padding: Pair = 0, stride: Pair = 1
) -> Tensor:
    """The windows of images as columns ("im2col").

    Args:
        x: images, shape (batch, channels, height, width).
        kernel_size: size of the windows, one int or two.
        dilation: distance of the pixels of a window.
        padding: zeros on both sides of each axis.
        stride: distance of the windows.

    Returns:
        Shape (batch, channels * kernel height * kernel width, windows).

    Raises:
        ValueError: for another rank, or windows that do not fit.

    Example:

    >>> import numpy as np
    >>> from kops import ops
    >>> tuple(ops.unfold(np.zeros((1, 3, 4, 5), "float32"), 2).shape)
    (1, 12, 12)
    """
    _rank_4(x, "images with the channels first")
    kernel, dilate = _pair(kernel_size, "kernel_size"), _pair(dilation, "dilation")
    pad, step = _pair(padding, "padding", 0), _pair(stride, "stride")
    batch, channels, *sizes = ops.shape(x)
    rows, columns = _counts(sizes, kernel, dilate, pad, step)
    x = ops.pad(x, ((0, 0), (0, 0), (pad[0], pad[0]), (pad[1], pad[1])))
    pixels = []
    for i in range(kernel[0]):
        for j in range(kernel[1]):
            top, left = i * dilate[0], j * dilate[1]
            key = (
                slice(None),
                slice(None),
                slice(top, top + (rows - 1) * step[0] + 1, step[0]),
                slice(left, left + (columns - 1) * step[1] + 1, step[1]),
            )
            pixels.append(ops.get_item(x, key))
    stacked = ops.stack(pixels, axis=2)
    return ops.reshape(stacked, (batch, channels * kernel[0] * kernel[1], rows * columns))


@op(dtype=keep)
def fold(
    x: Tensor,
    output_size: Pair,
    kernel_size: Pair,
    dilation: Pair = 1,
    padding: Pair = 0,
    stride: Pair = 1,
) -> Tensor:
    """Images from columns: what overlaps is added up. The transpose of `unfold`.

    Args:
        x: columns, shape (batch, channels * kernel height * kernel width, windows).
        output_size: height and width of the images.
        kernel_size: size of the windows, one int or two.
        dilation: distance of the pixels of a window.
        padding: zeros that `unfold` put on both sides of each axis.
        stride: distance of the windows.

    Returns:
        Shape (batch, channels, height, width).

    Raises:
        ValueError: for another rank, or sizes that do not fit each other.

    Example:

    >>> import numpy as np
    >>> from kops import ops
    >>> columns = ops.unfold(np.ones((1, 1, 3, 3), "float32"), 2)
    >>> ops.convert_to_numpy(ops.fold(columns, 3, 2))[0, 0].tolist()
    [[1.0, 2.0, 1.0], [2.0, 4.0, 2.0], [1.0, 2.0, 1.0]]
    """
    if len(x.shape) != 3:
        raise ValueError(f"`x` must be columns, of rank 3; got shape {tuple(x.shape)}.")
    size = _pair(output_size, "output_size")
    kernel, dilate = _pair(kernel_size, "kernel_size"), _pair(dilation, "dilation")
    pad, step = _pair(padding, "padding", 0), _pair(stride, "stride")
    rows, columns = _counts(size, kernel, dilate, pad, step)
    batch, depth, windows = ops.shape(x)
    area = kernel[0] * kernel[1]
    if isinstance(depth, int) and depth % area:
        raise ValueError(f"The second size of `x`, {depth}, is no multiple of {area} pixels.")
    if isinstance(windows, int) and windows != rows * columns:
        raise ValueError(
            f"`x` has {windows} windows, but `output_size` {size} has {rows} x {columns}."
        )
    channels = depth // area
    # One window position after another, with stride - 1 zeros between its pixels.
    x = ops.reshape(x, (batch, channels, area, rows, 1, columns, 1))
    x = ops.pad(x, ((0, 0),) * 4 + ((0, step[0] - 1), (0, 0), (0, step[1] - 1)))
    x = ops.reshape(x, (batch, channels, area, rows * step[0], columns * step[1]))
    height, width = size[0] + 2 * pad[0], size[1] + 2 * pad[1]
    inner = ((rows - 1) * step[0] + 1, (columns - 1) * step[1] + 1)
    total: Any = None
    for i in range(kernel[0]):
        for j in range(kernel[1]):
            top, left = i * dilate[0], j * dilate[1]
            part = x[:, :, i * kernel[1] + j, : inner[0], : inner[1]]
            edges = ((top, height - top - inner[0]), (left, width - left - inner[1]))
            part = ops.pad(part, ((0, 0), (0, 0), *edges))
            total = part if total is None else total + part
    return total[:, :, pad[0] : pad[0] + size[0], pad[1] : pad[1] + size[1]]
