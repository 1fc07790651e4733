"""Rows of the convolutions and poolings."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from kops.testing.rows import ErrorCase, Row, Sample, array, integers, register

__all__: list[str] = []

_LOW = ("float32", "float16", "bfloat16")


# -- references: one window at a time, as the definitions read ------------------------------------


def _per_axis(value: Any, rank: int) -> tuple[int, ...]:
    return tuple(value) if isinstance(value, (tuple, list)) else (value,) * rank


def _last(x: Any, data_format: Any) -> Any:
    return np.moveaxis(x, 1, -1) if data_format == "channels_first" else x


def _back(y: Any, data_format: Any) -> Any:
    return np.moveaxis(y, -1, 1) if data_format == "channels_first" else y


def _slots(n: int, k: int, s: int, d: int, padding: str) -> list[list[tuple[int, int]]]:
    """For every output place of an axis: (window index, input index) inside the input."""
    span = d * (k - 1) + 1
    out = -(-n // s) if padding == "same" else (n - span) // s + 1
    low = max((out - 1) * s + span - n, 0) // 2 if padding == "same" else 0
    return [
        [(j, i * s + j * d - low) for j in range(k) if 0 <= i * s + j * d - low < n]
        for i in range(out)
    ]


def _windows(x: Any, k: Any, s: Any, d: Any, padding: str) -> Any:
    """(output index, elements: list of (window index, vector)) for every output place."""
    each = zip(x.shape[1:-1], k, s, d, strict=True)
    axes = [_slots(n, size, step, gap, padding) for n, size, step, gap in each]
    for place in product(*(range(len(a)) for a in axes)):
        inside = product(*(axes[i][p] for i, p in enumerate(place)))
        found = [
            (tuple(j for j, _ in pairs), x[(slice(None), *(i for _, i in pairs))])
            for pairs in inside
        ]
        yield tuple(len(a) for a in axes), place, found


def _conv(
    inputs: Any,
    kernel: Any,
    strides: Any = 1,
    padding: str = "valid",
    data_format: Any = None,
    dilation_rate: Any = 1,
) -> Any:
    x = _last(inputs, data_format)
    rank = x.ndim - 2
    groups = x.shape[-1] // kernel.shape[-2]
    y: Any = None
    k, s, d = kernel.shape[:rank], _per_axis(strides, rank), _per_axis(dilation_rate, rank)
    for sizes, place, found in _windows(x, k, s, d, padding):
        if y is None:
            y = np.zeros((x.shape[0], *sizes, kernel.shape[-1]))
        for index, vector in found:
            parts = np.split(vector, groups, -1), np.split(kernel[index], groups, -1)
            y[(slice(None), *place)] += np.concatenate(
                [a @ w for a, w in zip(*parts, strict=True)], -1
            )
    return _back(y, data_format)


def _conv_bias(
    inputs: Any, kernel: Any, bias: Any = None, *args: Any, data_format: Any = None, **kwargs: Any
) -> Any:
    y = _last(_conv(inputs, kernel, *args, data_format=data_format, **kwargs), data_format)
    return _back(y if bias is None else y + bias, data_format)


def _depthwise(inputs: Any, kernel: Any, *args: Any, data_format: Any = None, **kwargs: Any) -> Any:
    x = _last(inputs, data_format)
    channels = [
        _conv(x[..., c : c + 1], kernel[..., c : c + 1, :], *args, **kwargs)
        for c in range(x.shape[-1])
    ]
    return _back(np.concatenate(channels, -1), data_format)


def _separable(
    inputs: Any, depthwise: Any, pointwise: Any, *args: Any, data_format: Any = None, **kwargs: Any
) -> Any:
    y = _depthwise(inputs, depthwise, *args, data_format=data_format, **kwargs)
    return _conv(y, pointwise, data_format=data_format)


def _transpose(
    inputs: Any,
    kernel: Any,
    strides: Any = 1,
    padding: str = "valid",
    output_padding: Any = None,
    data_format: Any = None,
    dilation_rate: Any = 1,
) -> Any:
    """Every input element spreads over its window; then both ends are cut."""
    x = _last(inputs, data_format)
    rank = x.ndim - 2
    s, d, k = _per_axis(strides, rank), _per_axis(dilation_rate, rank), kernel.shape[:rank]
    extra = _per_axis(output_padding, rank)
    span = [b * (c - 1) + 1 for b, c in zip(d, k, strict=True)]
    room = [(n - 1) * a + p + a for n, a, p in zip(x.shape[1:-1], s, span, strict=True)]
    y = np.zeros((x.shape[0], *room, kernel.shape[-2]))
    for place in product(*map(range, x.shape[1:-1])):
        for index in product(*map(range, k)):
            at = tuple(i * a + j * b for i, a, j, b in zip(place, s, index, d, strict=True))
            y[(slice(None), *at)] += x[(slice(None), *place)] @ kernel[index].T
    cut: list[slice] = []
    for n, a, p, e in zip(x.shape[1:-1], s, span, extra, strict=True):
        if e is None:
            low = max(p - a, 0) // 2 if padding == "same" else 0
            size = n * a + (max(p - a, 0) if padding == "valid" else 0)
        else:
            low = max(2 * (p // 2) - e, 0) // 2 if padding == "same" else 0
            size = (n - 1) * a + p + e - (2 * (p // 2) if padding == "same" else 0)
        cut.append(slice(low, low + size))
    return _back(y[(slice(None), *cut)], data_format)


def _pool(fold: Any) -> Any:
    def reference(
        inputs: Any,
        pool_size: Any,
        strides: Any = None,
        padding: str = "valid",
        data_format: Any = None,
    ) -> Any:
        x = _last(inputs, data_format)
        rank = x.ndim - 2
        k = _per_axis(pool_size, rank)
        s = k if strides is None else _per_axis(strides, rank)
        y: Any = None
        for sizes, place, found in _windows(x, k, s, (1,) * rank, padding):
            if y is None:
                y = np.zeros((x.shape[0], *sizes, x.shape[-1]))
            y[(slice(None), *place)] = fold([v for _, v in found], axis=0)
        return _back(y, data_format)

    return reference


# -- samples --------------------------------------------------------------------------------------

_X, _K = array(2, 6, 5, 4), array(3, 2, 4, 6, salt=1)
_FIRST = np.ascontiguousarray(np.moveaxis(_X, -1, 1))
_CALLS: list[dict[str, Any]] = [
    {},
    {"padding": "same"},
    {"strides": 2, "padding": "same"},
    {"strides": (1, 2), "dilation_rate": (2, 1)},
    {"strides": 2, "dilation_rate": 2, "padding": "same"},
]


def _errors(kernel: Any, *more: Any) -> list[ErrorCase]:
    return [
        ErrorCase((_X, kernel, *more), {"padding": "full"}, match="`padding`.*'full'"),
        ErrorCase((_X, kernel, *more), {"data_format": "NHWC"}, match="`data_format`"),
        ErrorCase((_X, kernel, *more), {"strides": 0}, match="`strides`"),
        ErrorCase((_X, kernel, *more), {"strides": (1, 2, 3)}, match="`strides`"),
        ErrorCase((_X, kernel, *more), {"dilation_rate": -1}, match="`dilation_rate`"),
        ErrorCase((_X[..., 0], kernel, *more), match="rank"),
        ErrorCase((array(4, 3), kernel, *more), match="rank"),
        ErrorCase((_X[..., :3], kernel, *more), match="channels"),
    ]


_SHORT = ErrorCase((array(1, 10, 2), array(5, 2, 3)), {"dilation_rate": 3}, match="does not fit")

register(
    [
        Row(
            "conv",
            samples=[
                *(Sample(_X, _K, **call) for call in _CALLS),
                Sample(_FIRST, _K, data_format="channels_first", padding="same"),
                Sample(_X, array(3, 2, 2, 6), padding="same"),
                Sample(_X, array(1, 1, 4, 3), strides=2),
                Sample(array(2, 7, 3), array(3, 3, 5), padding="same", strides=2),
                Sample(array(2, 7, 4), array(3, 1, 8), dilation_rate=2),
                Sample(
                    array(1, 4, 5, 3, 2), array(2, 3, 2, 2, 3), strides=(1, 2, 1), padding="same"
                ),
                Sample(array(0, 6, 5, 4), _K),
                Sample(integers(1, 4, 4, 2), integers(2, 2, 2, 1)),
            ],
            reference=_conv,
            errors=[
                *_errors(_K),
                _SHORT,
                ErrorCase((_X, array(1, 1, 2, 3)), match="groups"),
                ErrorCase((_X, array(3, 3, 4)), match="`kernel`"),
            ],
            dtypes=_LOW,
            rtol=1e-4,
            atol=1e-5,
            tolerances={"bfloat16": (3e-2, 0.2), "float16": (4e-3, 2e-2)},
            differentiable=True,
        ),
        Row(
            "conv_bias",
            samples=[
                Sample(_X, _K, array(6)),
                Sample(_X, _K, array(6), padding="same", strides=2),
                Sample(_FIRST, _K, array(6), data_format="channels_first"),
                Sample(array(0, 6, 5, 4), _K, array(6)),
                Sample(_X, _K),
            ],
            reference=_conv_bias,
            errors=_errors(_K),
            rtol=1e-4,
            atol=1e-5,
            differentiable=True,
        ),
        Row(
            "depthwise_conv",
            samples=[
                *(Sample(_X, array(3, 2, 4, 2), **call) for call in _CALLS),
                Sample(_FIRST, array(3, 2, 4, 1), data_format="channels_first"),
                Sample(array(2, 9, 3), array(3, 3, 2), strides=2, dilation_rate=2, padding="same"),
                Sample(array(1, 4, 4, 3, 2), array(2, 2, 2, 2, 1)),
                Sample(array(0, 6, 5, 4), array(3, 2, 4, 2)),
            ],
            reference=_depthwise,
            errors=[*_errors(array(3, 2, 4, 1)), _SHORT],
            dtypes=_LOW,
            rtol=1e-4,
            atol=1e-5,
            tolerances={"bfloat16": (3e-2, 0.1), "float16": (4e-3, 1e-2)},
            differentiable=True,
        ),
        Row(
            "separable_conv",
            samples=[
                Sample(_X, array(3, 2, 4, 2), array(1, 1, 8, 3)),
                Sample(_X, array(3, 2, 4, 1), array(1, 1, 4, 3), strides=2, padding="same"),
                Sample(_FIRST, array(3, 2, 4, 1), array(1, 1, 4, 3), data_format="channels_first"),
                Sample(array(2, 9, 3), array(3, 3, 2), array(1, 6, 2)),
            ],
            reference=_separable,
            errors=[
                *_errors(array(3, 2, 4, 1), array(1, 1, 4, 3)),
                ErrorCase(
                    (array(1, 10, 2), array(5, 2, 1), array(1, 2, 3)),
                    {"dilation_rate": 3},
                    match="does not fit",
                ),
            ],
            rtol=1e-4,
            atol=1e-4,
            differentiable=True,
        ),
        Row(
            "conv_transpose",
            samples=[
                *(Sample(_X, array(3, 2, 5, 4), **call) for call in _CALLS),
                Sample(_X, array(2, 3, 5, 4), strides=3, padding="valid"),
                Sample(_X, array(3, 3, 5, 4), strides=2, padding="same", output_padding=1),
                Sample(_X, array(3, 3, 5, 4), strides=2, padding="valid", output_padding=(1, 0)),
                Sample(
                    _FIRST,
                    array(3, 2, 5, 4),
                    strides=2,
                    padding="same",
                    data_format="channels_first",
                ),
                Sample(array(2, 5, 3), array(4, 2, 3), strides=2, padding="same"),
                Sample(array(1, 3, 2, 3, 2), array(2, 3, 2, 3, 2), strides=2),
                Sample(array(0, 6, 5, 4), array(3, 2, 5, 4), strides=2),
            ],
            reference=_transpose,
            errors=[
                *_errors(array(3, 2, 5, 4)),
                ErrorCase((_X, array(3, 2, 5, 4)), {"output_padding": 1}, match="`output_padding`"),
            ],
            dtypes=_LOW,
            rtol=1e-4,
            atol=1e-5,
            tolerances={"bfloat16": (3e-2, 0.2), "float16": (4e-3, 2e-2)},
            differentiable=True,
        ),
        *(
            Row(
                name,
                samples=[
                    Sample(_X, 2),
                    Sample(_X, (3, 2), strides=(2, 1), padding="same"),
                    Sample(_X, 3, strides=1, padding="same"),
                    Sample(_FIRST, 2, padding="same", data_format="channels_first"),
                    Sample(array(2, 7, 3), 3, padding="same", strides=2),
                    Sample(array(1, 4, 5, 3, 2), 2, padding="same"),
                    Sample(array(0, 6, 5, 4), 2),
                    Sample(integers(1, 4, 4, 2, low=-9), 2),
                    Sample(integers(1, 4, 3, 4, 2, low=-9), 2, padding="same"),
                ],
                reference=_pool(fold),
                errors=[
                    ErrorCase((_X, 2), {"padding": "full"}, match="`padding`"),
                    ErrorCase((_X, 2), {"data_format": "NHWC"}, match="`data_format`"),
                    ErrorCase((_X, 0), match="`pool_size`"),
                    ErrorCase((_X, (2, 2, 2)), match="`pool_size`"),
                    ErrorCase((_X, 7), match="does not fit"),
                    ErrorCase((array(4, 3), 2), match="rank"),
                ],
                dtypes=_LOW,
                differentiable=True,
            )
            for name, fold in (("max_pool", np.max), ("average_pool", np.mean))
        ),
    ]
)
