"""Rows of the ops that make tensors, convert them, or work on diagonals."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from kops.testing.rows import ErrorCase, Row, Sample, array, booleans, integers, register

_FLOATS = ("float32", "float16", "bfloat16")
_VECTOR = ErrorCase((array(3),), match="rank 1")


def _dtype(name: Any) -> Any:
    return np.dtype(getattr(ml_dtypes, str(name), None) or name or "float32")


def _arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None) -> Any:
    return np.arange(start, stop, step) if stop is not None else np.arange(start)


def _linspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True, **kwargs: Any) -> Any:
    return np.linspace(start, stop, num, endpoint, **kwargs)


_rows = [
    Row(
        "zeros",
        [Sample((2, 3)), Sample(2, dtype="int32"), Sample((0, 2))],
        lambda s, dtype=None: np.zeros(s),
    ),
    Row(
        "ones",
        [Sample((2, 3)), Sample(2, dtype="bool"), Sample(())],
        lambda s, dtype=None: np.ones(s),
    ),
    Row(
        "empty",
        [Sample((2, 3)), Sample(2, dtype="int32")],
        lambda s, dtype=None: np.zeros(s),
        check_values=False,
    ),
    Row(
        "full",
        [Sample((2, 3), 1.5), Sample((2, 3), array(3)), Sample(2, 7, dtype="int32")],
        lambda s, v, dtype=None: np.full(s, v),
    ),
    Row(
        "zeros_like",
        [Sample(array(2, 3)), Sample(integers(3), dtype="float32")],
        lambda x, dtype=None: np.zeros_like(x),
        (),
        _FLOATS,
    ),
    Row(
        "ones_like",
        [Sample(array(2, 3)), Sample(integers(3), dtype="float32")],
        lambda x, dtype=None: np.ones_like(x),
        (),
        _FLOATS,
    ),
    Row(
        "empty_like",
        [Sample(array(2, 3))],
        lambda x, dtype=None: np.zeros_like(x),
        check_values=False,
    ),
    Row(
        "full_like",
        [Sample(array(2, 3), 2), Sample(integers(3), 2, dtype="float32")],
        lambda x, v, dtype=None: np.full(x.shape, v),
        (),
        _FLOATS,
    ),
    Row(
        "arange",
        [
            Sample(5),
            Sample(1, 7, 2),
            Sample(5, 1, -1),
            Sample(0.0, 1.0, 0.25),
            Sample(3, 1),
            Sample(4, dtype="float32"),
        ],
        _arange,
        [ErrorCase((0, 3, 0), match="step")],
    ),
    Row(
        "linspace",
        [
            Sample(0.0, 1.0, 5),
            Sample(0, 4, num=4, endpoint=False),
            Sample(array(3), array(3, salt=1), 4, axis=-1),
            Sample(array(3), 1.0, 1),
            Sample(0.0, 1.0, 3, retstep=True),
            Sample(0, 10, 4, dtype="int32"),
            Sample(0.0, 1.0, 0),
        ],
        _linspace,
        [ErrorCase((0.0, 1.0, -1), match="num")],
        _FLOATS,
    ),
    Row(
        "logspace",
        [Sample(0.0, 2.0, 5), Sample(array(3), array(3, salt=1), 4, base=2.0)],
        lambda a, b, n, base=10.0: np.logspace(a, b, n, base=base),
        rtol=1e-4,
    ),
    Row("geomspace", [Sample(1.0, 8.0, 4), Sample(-1.0, -8.0, num=4)], np.geomspace, rtol=1e-4),
    Row(
        "eye",
        [Sample(3), Sample(2, 4, 1), Sample(3, k=-1, dtype="int32")],
        lambda n, m=None, k=0, dtype=None: np.eye(n, m, k),
    ),
    Row("identity", [Sample(3), Sample(2, dtype="int32")], lambda n, dtype=None: np.identity(n)),
    Row(
        "tri",
        [Sample(3), Sample(2, 4, 1), Sample(3, k=-1, dtype="int32")],
        lambda n, m=None, k=0, dtype=None: np.tri(n, m, k),
    ),
    *(
        Row(
            name,
            [Sample(array(3, 4), k) for k in (-4, -1, 0, 1, 5)]
            + [Sample(array(2, 3, 3)), Sample(integers(3, 3), k=-1), Sample(booleans(3, 3), 1)],
            getattr(np, name),
            [_VECTOR],
            _FLOATS,
            differentiable=True,
        )
        for name in ("tril", "triu")
    ),
    Row(
        "diag",
        [
            Sample(array(3)),
            Sample(array(3), 1),
            Sample(array(3), k=-2),
            Sample(array(3, 4)),
            Sample(array(3, 4), -1),
            Sample(array(3, 4), 3),
        ],
        np.diag,
        [ErrorCase((array(2, 2, 2),), match="rank 3")],
        differentiable=True,
    ),
    Row("diagflat", [Sample(array(2, 2)), Sample(array(3), 1)], np.diagflat),
    Row(
        "diagonal",
        [
            Sample(array(3, 4)),
            Sample(array(3, 4), 1),
            Sample(array(2, 3, 4), -1, axis1=2, axis2=0),
            Sample(array(2, 3, 4), axis1=1, axis2=2),
            Sample(array(3, 4), 4),
        ],
        np.diagonal,
        [_VECTOR],
        differentiable=True,
    ),
    Row(
        "trace",
        [Sample(array(3, 4)), Sample(array(2, 3, 4), 1, axis1=1, axis2=2), Sample(integers(3, 3))],
        np.trace,
        [_VECTOR],
        differentiable=True,
    ),
    Row(
        "vander",
        [Sample(array(3)), Sample(array(3), 2), Sample(array(3), increasing=True)],
        np.vander,
        unknown_dims=False,
    ),
    Row(
        "array",
        [Sample(array(3)), Sample(integers(3), dtype="float32")],
        lambda x, dtype=None: np.array(x),
    ),
    Row(
        "cast",
        [
            Sample(array(3, 4), "int32"),
            Sample(array(3, 4), "bool"),
            Sample(integers(3), "float16"),
            Sample(integers(3), "bfloat16"),
            Sample(booleans(3), "float32"),
            Sample(integers(3), "uint8"),
        ],
        lambda x, d: np.asarray(x).astype(_dtype(d)).astype("float64"),
        [ErrorCase((array(3), "float33"), match="float33")],
        _FLOATS,
    ),
    Row(
        "saturate_cast",
        [
            Sample(np.float32([-5, 300, 7.5]), "uint8"),
            Sample(integers(3, low=-9), "uint8"),
            Sample(np.float32([3e9, -3e9, 1]), "int32"),
        ],
        lambda x, d: np.clip(np.asarray(x, "float64"), np.iinfo(d).min, np.iinfo(d).max).astype(d),
        rtol=1e-6,
    ),
    Row(
        "_convert_to_tensor",
        [Sample(array(3)), Sample(array(3), "int32")],
        lambda x, dtype=None: np.asarray(x).astype(dtype or x.dtype),
    ),
]

register(_rows)
