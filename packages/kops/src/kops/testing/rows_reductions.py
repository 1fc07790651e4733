"""Rows of the reductions, statistics and products."""

from __future__ import annotations

from typing import Any

import numpy as np

from kops.testing.rows import ErrorCase, Row, Sample, array, booleans, integers, positive, register

_FLOATS = ("float32", "float16", "bfloat16")
_AXIS_ERRORS = [
    ErrorCase((array(2, 3),), {"axis": 2}, match="axis.*2.*rank 2"),
    ErrorCase((array(2, 3),), {"axis": (0, -2)}, match="twice"),
]
_ONE_AXIS_ERRORS = _AXIS_ERRORS[:1]


def _over_axes(x: np.ndarray) -> list[Sample]:
    return [
        Sample(x),
        Sample(x, axis=0),
        Sample(x, axis=-1, keepdims=True),
        Sample(x, axis=(0, 1)),
        Sample(x, axis=(-1,), keepdims=True),
        Sample(x, keepdims=True),
        Sample(x, 1),
    ]


_x = array(2, 3, 4)
_nan = np.where(booleans(3, 4), np.float32(np.nan), array(3, 4))
_nan[:, 0] = 1.0
_whole = integers(2, 3, 4)
_truth = booleans(2, 3, 4)
_none = [Sample(array(0, 3), axis=0), Sample(array(2, 0, 3), axis=1, keepdims=True)]


def _quiet(fn: Any) -> Any:
    def run(*args: Any, **kwargs: Any) -> Any:
        with np.errstate(all="ignore"):
            return fn(*args, **kwargs)

    return run


def _mean(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    x = np.asarray(x)
    n = np.sum(np.ones(x.shape), axis=axis, keepdims=keepdims)
    with np.errstate(all="ignore"):
        return np.sum(x, axis=axis, keepdims=keepdims) / n


_rows = [
    Row(
        "sum",
        [*_over_axes(_x), *_none, Sample(_whole, 0), Sample(_truth)],
        np.sum,
        _AXIS_ERRORS,
        _FLOATS,
        differentiable=True,
    ),
    Row(
        "mean",
        [*_over_axes(_x), *_none, Sample(_whole, 0), Sample(_truth)],
        _mean,
        _AXIS_ERRORS,
        _FLOATS,
        differentiable=True,
    ),
    Row(
        "prod",
        [*_over_axes(positive(2, 3)), *_none, Sample(_whole, 0)],
        np.prod,
        _AXIS_ERRORS,
        _FLOATS,
        differentiable=True,
    ),
    Row(
        "var",
        [*_over_axes(_x), Sample(_whole, 0)],
        np.var,
        _AXIS_ERRORS,
        _FLOATS,
        differentiable=True,
    ),
    Row(
        "std",
        [*_over_axes(_x), Sample(_whole, 0)],
        np.std,
        _AXIS_ERRORS,
        _FLOATS,
        differentiable=True,
    ),
    Row("any", [*_over_axes(_truth), *_none, Sample(_whole, 0)], np.any, _AXIS_ERRORS),
    Row("all", [*_over_axes(_truth), *_none, Sample(_whole, 0)], np.all, _AXIS_ERRORS),
    Row("ptp", [*_over_axes(_x), Sample(_whole, 0)], np.ptp, _AXIS_ERRORS, _FLOATS),
    Row(
        "count_nonzero",
        [Sample(_whole), Sample(_whole, 0), Sample(_truth, (0, 1)), Sample(array(0, 3), 0)],
        np.count_nonzero,
        _AXIS_ERRORS,
    ),
    Row(
        "logsumexp",
        [*_over_axes(_x), Sample(_whole, 0), Sample(np.float32([1e4, 1e4])), *_none],
        lambda x, axis=None, keepdims=False: _logsumexp(x, axis, keepdims),
        _AXIS_ERRORS,
        ("float32", "bfloat16"),
        differentiable=True,
    ),
]


def _logsumexp(x: Any, axis: Any, keepdims: bool) -> Any:
    x = np.asarray(x, "float64")
    with np.errstate(all="ignore"):
        top = np.max(x, axis=axis, keepdims=True, initial=-1e30)
        total = np.log(np.sum(np.exp(x - top), axis=axis, keepdims=True)) + top
    return total if keepdims else np.squeeze(total, axis)


_EMPTY = ErrorCase((array(0, 3), 0), match="initial")
for _name in ["max", "min", "amax", "amin"]:
    _samples = [*_over_axes(_x), Sample(_whole, 0), Sample(_truth), Sample(_nan, 1)]
    _samples += [Sample(array(0, 3), axis=1)]
    if not _name.startswith("a"):
        _samples += [Sample(array(0, 3), axis=0, initial=-1), Sample(_x, 1, initial=0.25)]
    _rows.append(
        Row(
            _name,
            _samples,
            getattr(np, _name),
            [*_AXIS_ERRORS, _EMPTY],
            _FLOATS,
            differentiable=True,
        )
    )

for _name in ["argmax", "argmin", "nanargmax", "nanargmin"]:
    _source = _nan if _name.startswith("nan") else _x
    _rows.append(
        Row(
            _name,
            [
                Sample(_source),
                Sample(_source, 1),
                Sample(_source, axis=-1, keepdims=True),
                Sample(_source, keepdims=True),
                Sample(integers(3, 5, high=3), 1),
                *([] if _name.startswith("nan") else [Sample(_nan, 1), Sample(_nan)]),
            ],
            getattr(np, _name),
            _ONE_AXIS_ERRORS,
            _FLOATS,
        )
    )

for _name in ["cumsum", "cumprod", "nancumsum", "nancumprod"]:
    _source = _nan if _name.startswith("nan") else positive(3, 4)
    _rows.append(
        Row(
            _name,
            [
                Sample(_source),
                Sample(_source, 1),
                Sample(_source, axis=-1),
                Sample(integers(3, high=3), 0),
                Sample(array(0, 3), 0),
                Sample(array(3, 4), axis=0, dtype="float32"),
            ],
            getattr(np, _name),
            _ONE_AXIS_ERRORS,
            _FLOATS,
        )
    )

for _name in ["nansum", "nanprod", "nanmean", "nanvar", "nanstd", "nanmax", "nanmin", "nanmedian"]:
    _samples = [Sample(_nan), Sample(_nan, axis=1), Sample(_nan, axis=(0, 1), keepdims=True)]
    _samples.append(Sample(array(3, 4), 0))
    _rows.append(Row(_name, _samples, getattr(np, _name), _AXIS_ERRORS[:1]))

_METHODS = ["linear", "lower", "higher", "midpoint", "nearest"]
for _name, _q in [
    ("quantile", 0.3),
    ("nanquantile", 0.3),
    ("percentile", 30.0),
    ("nanpercentile", 30.0),
]:
    _source = _nan if _name.startswith("nan") else array(5, 4)
    _several = np.asarray([_q, 2 * _q, 0.0], "float32")
    _samples = [Sample(_source, _q, axis=0, method=m) for m in _METHODS]
    _samples += [
        Sample(_source, _q),
        Sample(_source, _q, axis=1, keepdims=True),
        Sample(_source, _several, axis=1),
        Sample(_source, _several, axis=(0, 1), keepdims=True),
    ]
    _rows.append(
        Row(
            _name,
            _samples,
            getattr(np, _name),
            [ErrorCase((array(3), _q), {"method": "best"}, match="method")],
        )
    )
_rows += [
    Row("median", [*_over_axes(array(3, 4))], np.median, _AXIS_ERRORS),
    Row(
        "average",
        [
            Sample(array(2, 3)),
            Sample(array(2, 3), axis=0, weights=np.float32([1, 3])),
            Sample(array(2, 3), 1, positive(2, 3)),
            Sample(array(2, 3), weights=positive(2, 3)),
            Sample(integers(2, 3), axis=-1),
        ],
        np.average,
        [ErrorCase((array(2, 3), 0, positive(5)), match="weights")],
        _FLOATS,
        differentiable=True,
    ),
    Row(
        "allclose",
        [Sample(array(3), array(3)), Sample(array(3), array(3, salt=1)), Sample(_nan, _nan)],
        lambda a, b: np.allclose(a, b),
    ),
    Row(
        "array_equal",
        [
            Sample(array(3), array(3)),
            Sample(array(3), array(3, salt=1)),
            Sample(array(3), array(4)),
        ],
        np.array_equal,
        unknown_dims=False,
    ),
    Row(
        "diff",
        [
            Sample(array(3, 5)),
            Sample(array(3, 5), 2, axis=0),
            Sample(integers(5)),
            Sample(array(4), 0),
        ],
        np.diff,
        [
            ErrorCase((array(3),), {"n": -1}, match="n"),
            ErrorCase((array(3),), {"axis": 1}, match="axis"),
        ],
        _FLOATS,
        differentiable=True,
    ),
    Row(
        "trapezoid",
        [
            Sample(array(3, 5)),
            Sample(array(3, 5), dx=0.5, axis=0),
            Sample(array(3, 5), np.float32([0, 1, 3, 4, 6])),
        ],
        np.trapezoid,
        differentiable=True,
    ),
    Row("corrcoef", [Sample(array(3, 6))], np.corrcoef, rtol=1e-4),
    Row(
        "correlate",
        [Sample(array(6), array(3), mode=m) for m in ("valid", "same", "full")]
        + [Sample(array(3), array(6), mode=m) for m in ("valid", "same", "full")]
        + [Sample(array(4), array(3), "same"), Sample(array(3), array(4), "same")],
        np.correlate,
        [ErrorCase((array(3), array(2)), {"mode": "best"}, match="mode")],
        unknown_dims=False,
    ),
    Row(
        "histogram",
        [
            Sample(array(50)),
            Sample(array(50), bins=4, range=(-1.0, 1.0)),
            Sample(array(3, 5), 3),
            Sample(np.float32([1, 1])),
        ],
        lambda x, bins=10, range=None: np.histogram(x, bins, range),
        [ErrorCase((array(3),), {"bins": 0}, match="bins")],
    ),
]

# --- products ---------------------------------------------------------------------

_MISFIT = ErrorCase((array(2, 3), array(2, 3)), match="2")
_rows += [
    Row(
        "matmul",
        [
            Sample(array(2, 3), array(3, 4)),
            Sample(array(5, 2, 3), array(3, 4)),
            Sample(array(2, 1, 2, 3), array(5, 3, 4)),
            Sample(array(3), array(3, 4)),
            Sample(array(5, 2, 3), array(3)),
            Sample(array(3), array(3)),
            Sample(integers(2, 3), integers(3, 4)),
            Sample(array(0, 3), array(3, 4)),
            Sample(array(2, 0), array(0, 4)),
        ],
        np.matmul,
        [_MISFIT, ErrorCase((array(2, 3), np.float32(2)), match="scalar")],
        _FLOATS,
        differentiable=True,
    ),
    Row(
        "dot",
        [
            Sample(array(3), array(3)),
            Sample(array(2, 3), array(3, 4)),
            Sample(array(2, 3), array(3)),
            Sample(array(2, 3), array(5, 3, 4)),
            Sample(array(2, 3), 2.0),
        ],
        np.dot,
        [_MISFIT],
        _FLOATS,
        differentiable=True,
    ),
    Row(
        "inner",
        [Sample(array(3), array(3)), Sample(array(2, 3), array(4, 3)), Sample(array(3), 2.0)],
        np.inner,
        [ErrorCase((array(3), array(2)), match="3")],
        _FLOATS,
        differentiable=True,
    ),
    Row(
        "outer", [Sample(array(3), array(4)), Sample(array(2, 2), array(3))], np.outer, (), _FLOATS
    ),
    Row(
        "vdot", [Sample(array(3), array(3)), Sample(array(2, 3), array(2, 3))], np.vdot, (), _FLOATS
    ),
    Row(
        "tensordot",
        [
            Sample(array(2, 3, 4), array(3, 4, 5)),
            Sample(array(2, 3), array(4, 5), 0),
            Sample(array(2, 3, 4), array(4, 2), axes=([0, 2], [1, 0])),
            Sample(array(2, 3), array(3, 4), axes=(1, 0)),
        ],
        np.tensordot,
        [ErrorCase((array(2, 3), array(2, 3)), {"axes": 1}, match="3")],
        _FLOATS,
        differentiable=True,
    ),
    Row(
        "einsum",
        [
            Sample("ij,jk->ik", array(2, 3), array(3, 4)),
            Sample("abc,cd->abd", array(2, 3, 4), array(4, 5)),
            Sample("...ij,...jk->...ik", array(5, 2, 3), array(5, 3, 4)),
            Sample("ij->ji", array(2, 3)),
            Sample("ij->", array(2, 3)),
            Sample("ii->i", array(3, 3)),
            Sample("ij,j", array(2, 3), array(3)),
            Sample("bqhd,bkhd->bhqk", array(2, 3, 2, 4), array(2, 5, 2, 4)),
            Sample("ij,ij->i", integers(2, 3), integers(2, 3)),
        ],
        np.einsum,
        [ErrorCase(("ij,jk->ik", array(2, 3), array(2, 3)), match="j")],
        _FLOATS,
        differentiable=True,
    ),
    Row(
        "cross",
        [
            Sample(array(4, 3), array(4, 3, salt=1)),
            Sample(array(3, 4), array(3, 4, salt=1), axis=0),
            Sample(array(3), array(5, 3)),
        ],
        np.cross,
        [ErrorCase((array(4), array(4)), match="length")],
        _FLOATS,
        unknown_dims=False,
    ),
    Row(
        "kron", [Sample(array(2), array(3)), Sample(array(2, 2), array(2, 3))], np.kron, (), _FLOATS
    ),
]

_LOW = {"float16": (1e-2, 1e-2), "bfloat16": (6e-2, 6e-2)}
for _row in _rows:
    if not _row.tolerances:
        object.__setattr__(_row, "tolerances", _LOW)
register(_rows)
