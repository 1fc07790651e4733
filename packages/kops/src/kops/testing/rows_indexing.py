"""Rows of the ops that read and write by position, sort and search."""

from __future__ import annotations

from typing import Any

import numpy as np

from kops.testing.rows import ErrorCase, Row, Sample, array, booleans, integers, positive, register

_x = array(3, 4, 5)
_nan = np.asarray([3, np.nan, -1, np.inf, np.nan, 2, -np.inf], "float32")
_FLOATS = ("float32", "float16", "bfloat16")
_AXIS = ErrorCase((array(2, 3),), {"axis": 2}, match="axis.*2.*rank 2")


def _take_along(x: Any, indices: Any, axis: Any = None) -> Any:
    return np.take_along_axis(x, np.asarray(indices), axis)


def _block(start: Any, shape: Any) -> tuple[slice, ...]:
    return tuple(slice(int(s), int(s) + int(n)) for s, n in zip(start, shape, strict=True))


def _slice_update(x: Any, start: Any, updates: Any) -> Any:
    result = np.array(x)
    result[_block(start, updates.shape)] = updates
    return result


def _scatter_update(x: Any, indices: Any, updates: Any, reduction: Any = None) -> Any:
    result = np.array(x)
    at = tuple(np.moveaxis(indices, -1, 0))
    ufunc = {"add": np.add, "max": np.maximum, "min": np.minimum, "mul": np.multiply}
    if reduction is None:
        result[at] = updates
    else:
        ufunc[reduction].at(result, at, updates)
    return result


def _scatter(indices: Any, values: Any, shape: Any) -> Any:
    return _scatter_update(np.zeros(shape, values.dtype), indices, values, "add")


def _segment(ufunc: Any, empty: Any) -> Any:
    def run(data: Any, ids: Any, num_segments: Any = None, sorted: bool = False) -> Any:
        n = int(ids.max()) + 1 if num_segments is None else num_segments
        start = empty(data.dtype) if callable(empty) else empty
        result = np.full((n, *data.shape[1:]), start, data.dtype)
        keep = (ids >= 0) & (ids < n)
        ufunc.at(result, ids[keep], data[keep])
        return result

    return run


def _low(d: Any) -> Any:
    return -np.inf if d.kind == "f" else np.iinfo(d).min


def _high(d: Any) -> Any:
    return np.inf if d.kind == "f" else np.iinfo(d).max


def _top_k(x: Any, k: int, sorted: bool = True) -> Any:
    order = np.argsort(-np.asarray(x, "float64"), -1, kind="stable")[..., :k]
    return np.take_along_axis(x, order, -1), order


_ids = np.asarray([0, 2, 2, 0, 5, -1], "int32")
_rows = [
    Row(
        "take",
        [
            Sample(_x, np.int32([2, 0]), axis=0),
            Sample(_x, np.int32([[1, -1], [0, 2]]), axis=1),
            Sample(_x, np.int32(3), axis=-1),
            Sample(_x, np.int32([7, -1])),
            Sample(array(5, 4), np.int64([[0, 4], [-5, 1]]), 0),
            Sample(integers(5), [1, 3], 0),
            Sample(array(3, 4), np.zeros((0,), "int32"), 0),
        ],
        lambda x, i, axis=None: np.take(x, np.asarray(i, "int64"), axis),
        [
            ErrorCase(
                (array(3), np.int32([3]), 0), error=IndexError, match="3.*size 3", symbolic=False
            ),
            ErrorCase((array(3), np.int32([-4]), 0), error=IndexError, match="-4", symbolic=False),
            ErrorCase((array(2, 3), np.int32([0]), 2), match="axis.*2.*rank 2"),
        ],
        _FLOATS,
        differentiable=True,
    ),
    Row(
        "take_along_axis",
        [
            Sample(array(3, 4), integers(3, 2, high=4), axis=1),
            Sample(array(3, 4), integers(2, 4, high=3), 0),
            Sample(array(3, 4), np.int32([5, 0])),
            Sample(array(3, 4), np.int32([[-1], [0], [2]]), -1),
            Sample(array(3, 1, 4), integers(1, 2, 3, high=4), -1),
        ],
        _take_along,
        [ErrorCase((array(2, 3), integers(2, high=2), 2), match="axis.*2.*rank 2")],
        differentiable=True,
    ),
    Row(
        "get_item",
        [
            Sample(_x, 1),
            Sample(_x, -1),
            Sample(_x, slice(1, None)),
            Sample(_x, (slice(None), 2)),
            Sample(_x, (..., 0)),
            Sample(_x, (0, ..., slice(None, None, -2))),
            Sample(_x, (None, slice(None, -1), 1, None)),
            Sample(_x, (slice(None), slice(3, 0, -1), slice(10))),
            Sample(_x, np.int32([2, 0])),
            Sample(_x, (slice(None), np.int32([[1, -1], [0, 2]]))),
            Sample(_x, (np.int32([0, 2]), slice(None), np.int32([1, 4]))),
            Sample(_x, (slice(None), np.int32([0, 2]), np.int32([[1], [4]]))),
            Sample(_x, (0, slice(None), np.int32([1, 4]))),
            Sample(_x, (np.int32([0, 2]), 1)),
            Sample(_x, [0, 2]),
            Sample(_x, ()),
        ],
        lambda x, key: x[key],
        [
            ErrorCase((_x, 3), error=IndexError, match="3"),
            ErrorCase((_x, (0, 0, 0, 0)), error=IndexError, match="indices"),
        ],
        differentiable=True,
        unknown_dims=False,
    ),
    Row(
        "slice",
        [
            Sample(_x, [1, 0, 2], (2, 4, 3)),
            Sample(_x, np.int32([0, 3, 1]), (1, 1, 1)),
            Sample(array(5), [2], [2]),
        ],
        lambda x, start, shape: x[_block(start, shape)],
        [ErrorCase((array(2, 3), [0, 0], (3, 3)), match="fit")],
        differentiable=True,
    ),
    Row(
        "slice_update",
        [
            Sample(_x, [1, 0, 2], array(2, 4, 3)),
            Sample(integers(5), np.int32([2]), integers(2)),
        ],
        _slice_update,
        [ErrorCase((array(2, 3), [0, 0], array(3, 3)), match="fit")],
        differentiable=True,
    ),
    Row(
        "scatter",
        [
            Sample(np.int32([[0], [2], [0]]), array(3), (4,)),
            Sample(np.int32([[0, 1], [2, 0]]), array(2), (3, 2)),
            Sample(np.int32([[1], [1]]), array(2, 3), (2, 3)),
            Sample(np.int64([[1]]), integers(1), (2,)),
        ],
        _scatter,
    ),
    Row(
        "scatter_update",
        [
            Sample(array(4), np.int32([[0], [2]]), array(2)),
            Sample(array(3, 2), np.int32([[0, 1], [2, 0]]), array(2)),
            Sample(array(3, 2), np.int32([[2], [0]]), array(2, 2)),
            *(
                Sample(array(4), np.int32([[0], [2], [0]]), array(3, salt=1), reduction=r)
                for r in ("add", "max", "min", "mul")
            ),
            Sample(integers(4), np.int32([[-1]]), integers(1)),
        ],
        _scatter_update,
        [ErrorCase((array(4), np.int32([[0]]), array(1), "mean"), match="reduction")],
        differentiable=True,
    ),
    *(
        Row(
            f"segment_{name}",
            [
                Sample(array(6, 2), _ids, 4),
                Sample(array(6), np.int32([0, 0, 1, 1, 1, 3]), num_segments=4, sorted=True),
                Sample(integers(6), np.int32([0, 0, 1, 1, 1, 3]), num_segments=5),
            ],
            _segment(ufunc, empty),
            [ErrorCase((array(3, 2), integers(3, 2), 3), match="segment_ids")],
        )
        for name, ufunc, empty in [
            ("sum", np.add, 0),
            ("prod", np.multiply, 1),
            ("max", np.maximum, _low),
            ("min", np.minimum, _high),
        ]
    ),
    Row(
        "nonzero",
        [Sample(integers(3, 4, high=2)), Sample(booleans(5)), Sample(array(0))],
        lambda x: list(np.nonzero(x)),
        jit=False,
    ),
    Row(
        "select",
        [
            Sample([booleans(4), booleans(4, salt=1)], [array(4), array(4, salt=1)], 7.0),
            Sample([booleans(4)], [integers(4)]),
        ],
        np.select,
        [ErrorCase(([booleans(4)], []), match="length")],
        differentiable=True,
    ),
    Row(
        "unravel_index",
        [Sample(integers(5, high=12), (3, 4)), Sample(integers(2, 2, high=24), (2, 3, 4))],
        lambda i, shape: list(np.unravel_index(i, shape)),
    ),
    Row(
        "sort",
        [
            Sample(array(3, 4)),
            Sample(array(3, 4), axis=0),
            Sample(array(3, 4), None),
            Sample(integers(6)),
            Sample(_nan),
            Sample(booleans(5)),
        ],
        np.sort,
        [_AXIS],
        _FLOATS,
        differentiable=True,
    ),
    Row(
        "argsort",
        [
            Sample(array(3, 4)),
            Sample(array(3, 4), axis=0),
            Sample(array(3, 4), None),
            Sample(integers(6, high=3)),
            Sample(_nan),
            Sample(booleans(5)),
        ],
        lambda x, axis=-1: np.argsort(x, axis, kind="stable"),
        [_AXIS],
    ),
    Row(
        "argpartition",
        [Sample(array(3, 4), 2), Sample(array(5), 1)],
        lambda x, kth: np.argsort(x, -1),
    ),
    Row(
        "top_k",
        [Sample(array(3, 5), 2), Sample(integers(6, high=3), 4), Sample(array(4), 4)],
        _top_k,
        [ErrorCase((array(3), 4), match="k")],
        _FLOATS,
    ),
    Row(
        "in_top_k",
        [
            Sample(np.int32([0, 2, 5]), array(3, 4), 2),
            Sample(np.int32([[0, 1]]), np.float32([[[0.1, 0.9], [0.2, 0.8]]]), 1),
            Sample(np.int32([0, 1]), np.float32([[1, np.inf], [1, np.nan]]), 1),
            Sample(np.int32([0]), np.float32([[1, 1, 1]]), k=2),
        ],
        lambda t, p, k: _in_top_k(t, p, k),
    ),
    Row(
        "searchsorted",
        [
            Sample(np.float32([1, 3, 5]), np.float32([[0, 3, 6], [4, 5, 1]])),
            Sample(np.float32([1, 3, 3, 5]), np.float32([3, 9]), side="right"),
            Sample(np.int32([1, 3, 5]), integers(4)),
            Sample(np.int32([1, 3, 5]), np.float32([2.5])),
        ],
        np.searchsorted,
        [
            ErrorCase((array(2, 3), array(2)), match="vector"),
            ErrorCase((array(3), array(2)), {"side": "middle"}, match="side"),
        ],
    ),
    Row(
        "digitize",
        [Sample(array(3, 4), np.float32([-1, 0, 1])), Sample(integers(4), np.int32([2, 5]))],
        np.digitize,
    ),
    Row(
        "bincount",
        [
            Sample(integers(6, high=4)),
            Sample(integers(6, high=4), minlength=8),
            Sample(integers(6, high=4), weights=positive(6)),
        ],
        lambda x, weights=None, minlength=0: np.bincount(x, weights, minlength),
        [ErrorCase((integers(2, 2, 2),), match="vector")],
        jit=False,
    ),
    Row(
        "isin",
        [Sample(integers(3, 4), integers(3, salt=1)), Sample(array(4), array(2), invert=True)],
        np.isin,
    ),
]


def _in_top_k(targets: Any, predictions: Any, k: int) -> Any:
    flat = predictions.reshape(-1, predictions.shape[-1])
    found = []
    for t, p in zip(targets.ravel(), flat, strict=True):
        inside = 0 <= t < len(p) and np.isfinite(p[t])
        found.append(bool(inside and np.sum(p > p[t]) < k))
    return np.reshape(found, targets.shape)


register(_rows)
