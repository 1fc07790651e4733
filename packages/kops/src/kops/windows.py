"""Geometry of sliding windows: strides, padding, dilation, groups and output sizes.

Pure Python, shared by the shape rules of the convolution and pooling ops and by every backend's
implementation, so that eager calls and shape inference accept and refuse exactly the same
arguments.

"same" padding follows the TensorFlow convention: the output has `ceil(size / stride)` elements
and an odd
padding total puts the extra element at the end.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

from kops import config
from kops.dim import Dim

__all__ = [
    "ConvGeometry",
    "PoolGeometry",
    "TransposeGeometry",
    "conv_geometry",
    "data_format_of",
    "depthwise_geometry",
    "pool_geometry",
    "transpose_geometry",
]

Sizes = tuple[Any, ...]
Pads = tuple[tuple[int, int], ...] | None
_FORMATS = ("channels_last", "channels_first")
_PADDINGS = ("valid", "same")


class ConvGeometry(NamedTuple):
    """A convolution with every argument resolved.

    `pads` is None where a "same" size is unknown; `even` is the padding of every axis where
    both ends of all
    axes get the same.
    """

    rank: int
    channels_last: bool
    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    dilation: tuple[int, ...]
    padding: str
    pads: Pads
    even: tuple[int, ...] | None
    groups: int
    filters: Any
    out: Sizes


class PoolGeometry(NamedTuple):
    """A pooling window with every argument resolved."""

    rank: int
    channels_last: bool
    size: tuple[int, ...]
    strides: tuple[int, ...]
    padding: str
    pads: Pads
    out: Sizes


class TransposeGeometry(NamedTuple):
    """A transposed convolution with every argument resolved.

    `pads` is what is cut off the full result (size `(n - 1) * stride + span`) at both ends of
    an axis, as
    the forward convolution would have padded it; a negative value appends zeros instead.
    """

    rank: int
    channels_last: bool
    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    dilation: tuple[int, ...]
    padding: str
    pads: tuple[tuple[int, int], ...]
    filters: Any
    out: Sizes


def data_format_of(data_format: str | None) -> str:
    """`data_format`, or the configured default for None; ValueError for anything else."""
    if data_format is None:
        return config.image_data_format()
    if data_format not in _FORMATS:
        raise ValueError(f"`data_format` must be one of {_FORMATS} or None, got {data_format!r}.")
    return data_format


def conv_geometry(
    inputs: Sizes, kernel: Sizes, strides: Any, padding: str, data_format: str | None, dilation: Any
) -> ConvGeometry:
    """Resolve a convolution of `inputs` (shape) with an (..., in / groups, out) `kernel`."""
    return _cached(
        _conv, inputs, kernel, strides, padding, data_format_of(data_format), dilation, False
    )


def depthwise_geometry(
    inputs: Sizes, kernel: Sizes, strides: Any, padding: str, data_format: str | None, dilation: Any
) -> ConvGeometry:
    """Resolve a depthwise convolution with a (..., in, multiplier) `kernel`."""
    return _cached(
        _conv, inputs, kernel, strides, padding, data_format_of(data_format), dilation, True
    )


def pool_geometry(
    inputs: Sizes, size: Any, strides: Any, padding: str, data_format: str | None
) -> PoolGeometry:
    """Resolve a pooling window over `inputs` (shape); `strides=None` means `size`."""
    return _cached(_pool, inputs, size, strides, padding, data_format_of(data_format))


def transpose_geometry(
    inputs: Sizes,
    kernel: Sizes,
    strides: Any,
    padding: str,
    output_padding: Any,
    data_format: str | None,
    dilation: Any,
) -> TransposeGeometry:
    """Resolve a transposed convolution with an (..., out, in) `kernel`."""
    return _cached(
        _transpose,
        inputs,
        kernel,
        strides,
        padding,
        output_padding,
        data_format_of(data_format),
        dilation,
    )


def _cached(resolve: Any, *args: Any) -> Any:
    try:
        return resolve(*args)
    except TypeError:  # a list, which no cache takes (or a fault, which comes again)
        return resolve.__wrapped__(*(tuple(a) if isinstance(a, list) else a for a in args))


@lru_cache(maxsize=1024)
def _conv(
    inputs: Sizes,
    kernel: Sizes,
    strides: Any,
    padding: str,
    data_format: str,
    dilation: Any,
    depthwise: bool,
) -> ConvGeometry:
    rank = _rank(inputs, "inputs")
    if len(kernel) != rank + 2:
        raise ValueError(
            f"`kernel` must have rank {rank + 2} ({rank} spatial axes, input channels, output "
            "channels) for "
            f"`inputs` of rank {rank + 2}, got shape {tuple(kernel)}."
        )
    strides = _per_axis(strides, rank, "strides")
    dilation = _per_axis(dilation, rank, "dilation_rate")
    padding = _padding(padding)
    channels, sizes = _split(inputs, data_format)
    groups, filters = _channels(channels, kernel, depthwise)
    window = tuple(kernel[:rank])
    pads, out = _slide(sizes, window, strides, dilation, padding, "kernel")
    last = data_format == "channels_last"
    even = None
    if pads is not None and all(low == high for low, high in pads):
        even = tuple(low for low, _ in pads)
    return ConvGeometry(
        rank, last, window, strides, dilation, padding, pads, even, groups, filters, out
    )


@lru_cache(maxsize=256)
def _pool(inputs: Sizes, size: Any, strides: Any, padding: str, data_format: str) -> PoolGeometry:
    rank = _rank(inputs, "inputs")
    size = _per_axis(size, rank, "pool_size")
    strides = size if strides is None else _per_axis(strides, rank, "strides")
    padding = _padding(padding)
    _, sizes = _split(inputs, data_format)
    pads, out = _slide(sizes, size, strides, (1,) * rank, padding, "pool_size")
    return PoolGeometry(rank, data_format == "channels_last", size, strides, padding, pads, out)


@lru_cache(maxsize=256)
def _transpose(
    inputs: Sizes,
    kernel: Sizes,
    strides: Any,
    padding: str,
    output_padding: Any,
    data_format: str,
    dilation: Any,
) -> TransposeGeometry:
    rank = _rank(inputs, "inputs")
    if len(kernel) != rank + 2:
        raise ValueError(
            f"`kernel` must have rank {rank + 2} ({rank} spatial axes, output channels, input "
            "channels) for "
            f"`inputs` of rank {rank + 2}, got shape {tuple(kernel)}."
        )
    strides = _per_axis(strides, rank, "strides")
    dilation = _per_axis(dilation, rank, "dilation_rate")
    padding = _padding(padding)
    extra = _output_padding(output_padding, strides, rank)
    channels, sizes = _split(inputs, data_format)
    if _known(channels, kernel[-1]) and channels != kernel[-1]:
        raise ValueError(
            f"`inputs` has {channels} channels but `kernel` of shape {tuple(kernel)} (output "
            "channels, then input "
            f"channels) expects {kernel[-1]}."
        )
    pads, out = [], []
    for n, k, s, d, e in zip(sizes, kernel, strides, dilation, extra, strict=False):
        if type(k) is not int:
            pads.append((0, 0))
            out.append(Dim())
            continue
        low, high = _crop(d * (k - 1) + 1, s, padding, e)
        pads.append((low, high))
        out.append(None if n is None else (n - 1) * s + d * (k - 1) + 1 - low - high)
    last = data_format == "channels_last"
    window = tuple(kernel[:rank])
    return TransposeGeometry(
        rank, last, window, strides, dilation, padding, tuple(pads), kernel[-2], tuple(out)
    )


def _crop(span: int, stride: int, padding: str, extra: int | None) -> tuple[int, int]:
    """What a transposed convolution cuts off its full result, before and after."""
    if padding == "valid":
        return 0, min(span - stride, 0) if extra is None else -extra
    total = span - stride if extra is None else 2 * (span // 2) - extra
    low = max(total, 0) // 2
    return low, total - low


def _slide(
    sizes: Sizes, window: Sizes, strides: Sizes, dilation: Sizes, padding: str, name: str
) -> tuple[Pads, Sizes]:
    """Padding and output size of every axis."""
    pads: list[tuple[int, int]] = []
    out: list[Any] = []
    unknown = False
    for n, k, s, d in zip(sizes, window, strides, dilation, strict=True):
        if type(k) is not int:
            unknown = True
            out.append(Dim())
            continue
        span = d * (k - 1) + 1
        if padding == "valid":
            pads.append((0, 0))
            if type(n) is int and n < span:
                raise ValueError(
                    f"a window of {span} (`{name}` {tuple(window)}, dilation {tuple(dilation)}) "
                    "does not fit in an "
                    f"axis of size {n} with `padding='valid'`. Use larger inputs, or "
                    "`padding='same'`."
                )
            out.append(None if n is None else (n - span) // s + 1)
            continue
        grown = None if n is None else (n + (s - 1)) // s
        out.append(grown)
        if type(n) is int:
            total = max((n - 1) // s * s + span - n, 0)
            pads.append((total // 2, total - total // 2))
        elif s == 1:
            pads.append(((span - 1) // 2, span - 1 - (span - 1) // 2))
        else:
            unknown = True
    return (None if unknown else tuple(pads)), tuple(out)


def _rank(inputs: Sizes, name: str) -> int:
    rank = len(inputs) - 2
    if rank not in (1, 2, 3):
        raise ValueError(
            f"`{name}` must have rank 3, 4 or 5 (batch, 1 to 3 spatial axes, channels), got rank "
            f"{rank + 2}."
        )
    return rank


def _per_axis(value: Any, rank: int, name: str) -> tuple[int, ...]:
    """`value` (an int, or one int an axis) as a tuple of `rank` positive ints."""
    if isinstance(value, (tuple, list)):
        sizes = tuple(value)
        if len(sizes) == 1:
            sizes *= rank
    else:
        sizes = (value,) * rank
    if len(sizes) != rank or any(isinstance(n, bool) or not _positive(n) for n in sizes):
        raise ValueError(
            f"`{name}` must be a positive int, or {rank} of them (one a spatial axis), got "
            f"{value!r}."
        )
    return tuple(int(n) for n in sizes)


def _positive(n: Any) -> bool:
    return hasattr(n, "__index__") and n.__index__() > 0


def _output_padding(value: Any, strides: Sizes, rank: int) -> tuple[int | None, ...]:
    if value is None:
        return (None,) * rank
    extra = tuple(value) if isinstance(value, (tuple, list)) else (value,) * rank
    if len(extra) != rank:
        raise ValueError(
            f"`output_padding` must be None, an int, or {rank} ints (one a spatial axis), got "
            f"{value!r}."
        )
    for e, s in zip(extra, strides, strict=True):
        if e is not None and not 0 <= e < s:
            raise ValueError(
                f"`output_padding` must be at least 0 and less than the stride, got {value!r} "
                f"for strides {strides}."
            )
    return extra


def _padding(padding: Any) -> str:
    name = padding.lower() if isinstance(padding, str) else padding
    if name not in _PADDINGS:
        raise ValueError(f"`padding` must be one of {_PADDINGS}, got {padding!r}.")
    return name


def _split(inputs: Sizes, data_format: str) -> tuple[Any, Sizes]:
    if data_format == "channels_last":
        return inputs[-1], tuple(inputs[1:-1])
    return inputs[1], tuple(inputs[2:])


def _channels(channels: Any, kernel: Sizes, depthwise: bool) -> tuple[int, Any]:
    """Number of groups and of output channels."""
    inner, outer = kernel[-2], kernel[-1]
    if depthwise:
        if _known(channels, inner) and channels != inner:
            raise ValueError(
                f"`inputs` has {channels} channels but the depthwise `kernel` of shape "
                f"{tuple(kernel)} expects {inner}."
            )
        return inner, None if None in (inner, outer) else inner * outer
    if not _known(channels, inner):
        return 1, outer
    if inner == 0 or channels % inner:
        raise ValueError(
            f"the channels of `inputs` ({channels}) must be a multiple of the input channels of "
            f"`kernel` ({inner}, "
            f"from shape {tuple(kernel)}): their quotient is the number of groups."
        )
    groups = channels // inner
    if groups > 1 and _known(outer) and outer % groups:
        raise ValueError(
            f"the output channels of `kernel` ({outer}) must be a multiple of the number of "
            f"groups ({groups} = "
            f"{channels} input channels / {inner} a group)."
        )
    return max(groups, 1), outer


def _known(*sizes: Any) -> bool:
    return all(type(n) is int for n in sizes)
