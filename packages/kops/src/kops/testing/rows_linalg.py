"""Rows of linear algebra."""

from __future__ import annotations

from typing import Any

import numpy as np

from kops.testing.rows import ErrorCase, Row, Sample, array, integers, register

__all__: list[str] = []

_RECTANGLE = array(2, 4, 3)
_SQUARE = array(2, 3, 3, salt=4) + 3 * np.eye(3, dtype="float32")
_DEFINITE = np.swapaxes(_RECTANGLE, 1, 2) @ _RECTANGLE + np.eye(3, dtype="float32")
_NOT_SQUARE = [
    ErrorCase((_RECTANGLE,), match="square"),
    ErrorCase((array(3),), match="rank"),
]


def _double(x: Any) -> Any:
    return np.asarray(x, "float64")


def _vectors(solver: Any) -> Any:
    def reference(a: Any, b: Any, **kwargs: Any) -> Any:
        if b.ndim == a.ndim - 1:
            return solver(_double(a), b[..., None], **kwargs)[..., 0]
        return solver(_double(a), b, **kwargs)

    return reference


def _triangular(a: Any, b: Any, lower: bool = False) -> Any:
    return np.linalg.solve(np.tril(a) if lower else np.triu(a), b)


def _norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    x = _double(x)
    if ord is None and (axis is None or not isinstance(axis, int)):
        return np.sqrt((x * x).sum(axis, keepdims=keepdims))
    return np.linalg.norm(x, ord, axis, keepdims)


def _cholesky(x: Any, upper: bool = False) -> Any:
    factor = np.linalg.cholesky(_double(x))
    return np.swapaxes(factor, -1, -2) if upper else factor


_SQUARES = [Sample(_SQUARE), Sample(_SQUARE[0]), Sample(array(0, 3, 3))]
_SOLVE_ERRORS = [
    ErrorCase((_RECTANGLE, array(2, 4)), match="square"),
    ErrorCase((_SQUARE, array(2, 4)), match="`b`"),
    ErrorCase((_SQUARE, array(3)), match="`b`"),
]
_SOLVES = [
    Sample(_SQUARE, array(2, 3)),
    Sample(_SQUARE, array(2, 3, 2)),
    Sample(_SQUARE[0], array(3)),
]


def _row(name: str, reference: Any, samples: Any, **options: Any) -> Row:
    options = {"rtol": 1e-4, "atol": 1e-4, "differentiable": True} | options
    return Row(name, samples=samples, reference=reference, **options)


register(
    [
        _row(
            "cholesky",
            _cholesky,
            [Sample(_DEFINITE), Sample(_DEFINITE[0], upper=True)],
            errors=_NOT_SQUARE,
            differentiable=False,
        ),
        _row(
            "cholesky_inverse",
            lambda x, upper=False: np.linalg.inv(
                x.swapaxes(-1, -2) @ x if upper else x @ x.swapaxes(-1, -2)
            ),
            [
                Sample(_cholesky(_DEFINITE).astype("float32")),
                Sample(_cholesky(_DEFINITE[0], True).astype("float32"), upper=True),
            ],
            errors=_NOT_SQUARE,
        ),
        _row("det", lambda x: np.linalg.det(_double(x)), _SQUARES, errors=_NOT_SQUARE),
        _row(
            "slogdet", lambda x: tuple(np.linalg.slogdet(_double(x))), _SQUARES, errors=_NOT_SQUARE
        ),
        _row(
            "logdet",
            lambda x: np.log(np.linalg.det(_double(x))),
            [Sample(_DEFINITE), Sample(_DEFINITE[0])],
            errors=_NOT_SQUARE,
            differentiable=False,
        ),
        _row(
            "inv",
            lambda x: np.linalg.inv(_double(x)),
            [*_SQUARES, Sample(np.array([[2, 1], [1, 1]]))],
            errors=_NOT_SQUARE,
        ),
        _row("eig", None, _SQUARES, errors=_NOT_SQUARE, check_values=False, differentiable=False),
        _row(
            "eigh",
            None,
            [Sample(_DEFINITE)],
            errors=_NOT_SQUARE,
            check_values=False,
            differentiable=False,
        ),
        _row(
            "lu_factor",
            None,
            [Sample(_SQUARE), Sample(array(4, 4))],
            errors=[_NOT_SQUARE[1]],
            differentiable=False,
        ),
        _row(
            "qr",
            None,
            [Sample(_RECTANGLE), Sample(_RECTANGLE, mode="complete"), Sample(array(3, 3))],
            errors=[_NOT_SQUARE[1], ErrorCase((_RECTANGLE,), {"mode": "full"}, match="`mode`")],
            check_values=False,
            differentiable=False,
        ),
        _row("solve", _vectors(np.linalg.solve), _SOLVES, errors=_SOLVE_ERRORS),
        _row(
            "solve_triangular",
            _vectors(_triangular),
            [*_SOLVES, Sample(_SQUARE, array(2, 3), lower=True)],
            errors=_SOLVE_ERRORS,
        ),
        _row(
            "svd",
            None,
            [
                Sample(_RECTANGLE),
                Sample(_RECTANGLE, full_matrices=False),
                Sample(array(3, 5), False),
            ],
            errors=[_NOT_SQUARE[1]],
            check_values=False,
            differentiable=False,
        ),
        _row(
            "pinv",
            lambda x, rcond=None: np.linalg.pinv(_double(x)),
            [Sample(_RECTANGLE), Sample(array(3, 5))],
            errors=[_NOT_SQUARE[1]],
            differentiable=False,
        ),
        _row(
            "matrix_rank",
            lambda x, tol=None: np.linalg.matrix_rank(_double(x), tol),
            [Sample(_RECTANGLE), Sample(np.ones((3, 3), "float32")), Sample(_SQUARE, 100.0)],
            errors=[_NOT_SQUARE[1]],
            differentiable=False,
        ),
        _row(
            "lstsq",
            lambda a, b, rcond=None: np.linalg.lstsq(_double(a), b, rcond)[0],
            [Sample(array(5, 3), array(5)), Sample(array(5, 3), array(5, 2))],
            errors=[ErrorCase((array(5, 3), array(4)), match="`b`")],
            differentiable=False,
        ),
        _row(
            "norm",
            _norm,
            [
                Sample(_RECTANGLE),
                Sample(_RECTANGLE, axis=1),
                Sample(_RECTANGLE, axis=(0, 2), keepdims=True),
                Sample(_RECTANGLE, "fro", (1, 2)),
                Sample(_RECTANGLE, "nuc", (1, 2), True),
                Sample(_RECTANGLE, 2, (2, 1)),
                Sample(_RECTANGLE, -2, (1, 2)),
                Sample(_RECTANGLE, 1, (1, 2)),
                Sample(_RECTANGLE, -1, (0, 1)),
                Sample(_RECTANGLE, float("inf"), (1, 2)),
                Sample(_RECTANGLE, float("inf"), 1),
                Sample(_RECTANGLE, -float("inf"), 1),
                Sample(_RECTANGLE, 0, 1),
                Sample(_RECTANGLE, 1, -1),
                Sample(_RECTANGLE, 3, 1, True),
                Sample(_RECTANGLE, 2.5, 1),
                Sample(integers(3, low=1)),
                Sample(array(0, 3), axis=1),
            ],
            errors=[
                ErrorCase((_RECTANGLE,), {"axis": 3}, match="axis"),
                ErrorCase((_RECTANGLE,), {"axis": (1, 1)}, match="axis"),
                ErrorCase((_RECTANGLE, "max", 1), match="`ord`"),
                ErrorCase((_RECTANGLE, 3, (0, 1)), match="`ord`"),
                ErrorCase((_RECTANGLE, 2), match="`axis`"),
            ],
        ),
    ]
)
