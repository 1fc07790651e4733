"""Rows of what moves or gathers blocks: patches, adaptive pooling, patterns, distances."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from kops.testing.rows import ErrorCase, Row, Sample, array, integers, register

__all__: list[str] = []


def _double(x: Any) -> Any:
    return np.asarray(x, "float64")


def _last(x: Any, back: bool = False) -> Any:
    return np.moveaxis(x, -1, 1) if back else np.moveaxis(x, 1, -1)


def _to_depth(x: Any, n: int, data_format: str = "channels_last") -> Any:
    if data_format == "channels_first":
        return _last(_to_depth(_last(np.asarray(x)), n), back=True)
    return np.concatenate([x[:, i::n, j::n] for i in range(n) for j in range(n)], -1)


def _to_space(x: Any, n: int, data_format: str = "channels_last") -> Any:
    if data_format == "channels_first":
        return _last(_to_space(_last(np.asarray(x)), n), back=True)
    batch, height, width, depth = x.shape
    result = np.zeros((batch, height * n, width * n, depth // (n * n)), x.dtype)
    for k, part in enumerate(np.split(np.asarray(x), n * n, -1)):
        result[:, k // n :: n, k % n :: n] = part
    return result


def _two(v: Any) -> Any:
    return (v, v) if isinstance(v, int) else v


def _places(size: Any, kernel: Any, dilation: Any, padding: Any, stride: Any) -> Any:
    """Number and pixels of each window, in the padded image."""
    k, d, p, s = map(_two, (kernel, dilation, padding, stride))
    counts = [(n + 2 * p[a] - d[a] * (k[a] - 1) - 1) // s[a] + 1 for a, n in enumerate(size)]
    for i in range(counts[0]):
        for j in range(counts[1]):
            rows = [i * s[0] + a * d[0] for a in range(k[0])]
            columns = [j * s[1] + b * d[1] for b in range(k[1])]
            yield i * counts[1] + j, np.ix_(rows, columns)


def _unfold(x: Any, kernel: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Any:
    p = _two(padding)
    x = np.asarray(x)
    places = _places(x.shape[2:], kernel, dilation, padding, stride)
    x = np.pad(x, ((0, 0), (0, 0), (p[0], p[0]), (p[1], p[1])))
    n = math.prod(_two(kernel)) * x.shape[1]
    windows = [x[:, :, at[0], at[1]].reshape(len(x), n) for _, at in places]
    return np.stack(windows, -1)


def _fold(
    x: Any, size: Any, kernel: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> Any:
    p, k, size = _two(padding), _two(kernel), _two(size)
    channels = x.shape[1] // (k[0] * k[1])
    result = np.zeros((x.shape[0], channels, size[0] + 2 * p[0], size[1] + 2 * p[1]))
    for n, at in _places(size, kernel, dilation, padding, stride):
        result[:, :, at[0], at[1]] += _double(x)[..., n].reshape(-1, channels, *k)
    return result[:, :, p[0] : p[0] + size[0], p[1] : p[1] + size[1]]


def _adaptive(reduce: Any) -> Any:
    def reference(x: Any, output_size: Any, data_format: str | None = None) -> Any:
        x = _double(x)
        if data_format == "channels_first":
            return _last(reference(_last(x), output_size), back=True)
        sizes = (output_size,) * (x.ndim - 2) if isinstance(output_size, int) else output_size
        for axis, n in enumerate(sizes, 1):
            length = x.shape[axis]
            parts = [
                reduce(
                    np.take(x, range(i * length // n, math.ceil((i + 1) * length / n)), axis), axis
                )
                for i in range(n)
            ]
            x = np.stack(parts, axis)
        return x

    return reference


_ADAPTIVE = [
    Sample(array(2, 7, 3), 3),
    Sample(array(2, 7, 5, 2), (3, 4)),
    Sample(array(2, 5, 4, 6, 2), 2),
    Sample(array(2, 3, 7), 10, data_format="channels_first"),
    Sample(array(0, 7, 3), 3),
]
_ADAPTIVE_ERRORS = [
    ErrorCase((array(2, 7, 3), 0), match="`output_size`"),
    ErrorCase((array(2, 7, 3), (2, 2)), match="`output_size`"),
    ErrorCase((array(7, 3), 2), match="spatial"),
    ErrorCase((array(2, 7, 3), 2, "NCHW"), match="`data_format`"),
]
_BLOCK_ERRORS = [
    ErrorCase((array(2, 4, 4), 2), match="rank 4"),
    ErrorCase((array(1, 4, 4, 4), 0), match="`block_size`"),
    ErrorCase((array(1, 4, 4, 4), 2, "NCHW"), match="`data_format`"),
    ErrorCase((array(1, 5, 4, 6), 4), match="multiple"),
]

rows = [
    Row(
        "space_to_depth",
        samples=[
            Sample(array(2, 4, 6, 3), 2),
            Sample(integers(1, 6, 3, 1), 3),
            Sample(array(2, 3, 4, 6), 2, data_format="channels_first"),
            Sample(array(0, 4, 6, 3), 2),
        ],
        reference=_to_depth,
        errors=_BLOCK_ERRORS,
        unknown_dims="batch",
        differentiable=True,
    ),
    Row(
        "depth_to_space",
        samples=[
            Sample(array(2, 2, 3, 8), 2),
            Sample(array(2, 8, 2, 3), 2, data_format="channels_first"),
            Sample(array(0, 2, 3, 4), 2),
        ],
        reference=_to_space,
        errors=_BLOCK_ERRORS,
        unknown_dims="batch",
        differentiable=True,
    ),
    Row(
        "unfold",
        samples=[
            Sample(array(2, 3, 5, 6), 2),
            Sample(array(2, 2, 8, 9), (2, 3), dilation=2, padding=1, stride=2),
            Sample(array(0, 3, 5, 6), 2),
        ],
        reference=_unfold,
        errors=[
            ErrorCase((array(3, 5, 6), 2), match="rank 4"),
            ErrorCase((array(1, 3, 5, 6), 0), match="`kernel_size`"),
            ErrorCase((array(1, 3, 5, 6), 7), match="does not fit"),
        ],
        unknown_dims="batch",
        differentiable=True,
    ),
    Row(
        "fold",
        samples=[
            Sample(array(2, 12, 20), (5, 6), 2),
            Sample(array(2, 12, 12), (7, 8), (2, 3), dilation=(1, 2), padding=1, stride=(2, 2)),
            Sample(array(0, 12, 20), (5, 6), 2),
        ],
        reference=_fold,
        errors=[
            ErrorCase((array(2, 12, 20, 1), (5, 6), 2), match="rank 3"),
            ErrorCase((array(2, 12, 19), (5, 6), 2), match="windows"),
            ErrorCase((array(2, 10, 20), (5, 6), 2), match="multiple"),
        ],
        unknown_dims="batch",
        differentiable=True,
    ),
    Row(
        "adaptive_average_pool",
        samples=_ADAPTIVE,
        reference=_adaptive(lambda x, axis: x.mean(axis)),
        errors=_ADAPTIVE_ERRORS,
        dtypes=("float32", "float16", "bfloat16"),
        unknown_dims="batch",
        differentiable=True,
    ),
    Row(
        "adaptive_max_pool",
        samples=_ADAPTIVE,
        reference=_adaptive(lambda x, axis: x.max(axis)),
        errors=_ADAPTIVE_ERRORS,
        unknown_dims="batch",
        differentiable=True,
    ),
    Row(
        "psnr",
        samples=[Sample(array(2, 3, 3), array(2, 3, 3, salt=1), 2.0)],
        reference=lambda a, b, m: 10 * np.log10(m * m / np.mean((_double(a) - b) ** 2)),
        errors=[
            ErrorCase((array(2, 3), array(3, 2), 1.0), match="same shape"),
            ErrorCase((array(2, 3), array(2, 3), 0.0), match="`max_val`"),
        ],
        differentiable=True,
    ),
    Row(
        "cdist",
        samples=[
            Sample(array(3, 4), array(5, 4, salt=1)),
            Sample(array(2, 3, 4), array(2, 5, 4, salt=1)),
            Sample(array(0, 4), array(5, 4)),
        ],
        reference=lambda x, y: np.sqrt(
            ((_double(x)[..., :, None, :] - y[..., None, :, :]) ** 2).sum(-1)
        ),
        errors=[
            ErrorCase((array(4), array(5, 4)), match="rank 2"),
            ErrorCase((array(3, 4), array(5, 3)), match="same dimension"),
        ],
        differentiable=True,
    ),
    Row(
        "rearrange",
        samples=[
            Sample(array(2, 6, 5), "b (h w) c -> b c h w", h=2),
            Sample(array(2, 3, 4), "a b c -> (c a) b"),
            Sample(array(2, 3, 4, 5), "b ... c -> c b ..."),
            Sample(array(2, 1, 4), "a 1 c -> c 1 a 1"),
            Sample(integers(0, 4), "a (b c) -> (a b) c", b=2),
        ],
        reference=lambda x, pattern, **sizes: {
            "b (h w) c -> b c h w": lambda: x.reshape(2, 2, 3, 5).transpose(0, 3, 1, 2),
            "a b c -> (c a) b": lambda: x.transpose(2, 0, 1).reshape(8, 3),
            "b ... c -> c b ...": lambda: x.transpose(3, 0, 1, 2),
            "a 1 c -> c 1 a 1": lambda: x.transpose(2, 1, 0)[..., None],
            "a (b c) -> (a b) c": lambda: x.reshape(0, 2),
        }[pattern](),
        errors=[
            ErrorCase((array(2, 3), "a b c -> a b c"), match="rank 2"),
            ErrorCase((array(2, 3), "a b"), match="'->'"),
            ErrorCase((array(2, 3), "a b -> a"), match="same axes"),
            ErrorCase((array(2, 3), "a a -> a a"), match="twice"),
            ErrorCase((array(2, 3), "a (b c -> a b c"), match=r"'\)'"),
            ErrorCase((array(2, 3), "a (b c) -> a b c"), match="leaves the sizes"),
            ErrorCase((array(2, 3), "a (b c) -> a b c"), {"b": 2}, match="size 3"),
            ErrorCase((array(2, 3), "a b -> b a"), {"d": 2}, match="'d'"),
        ],
        unknown_dims="batch",
        differentiable=True,
    ),
]
register(rows)
