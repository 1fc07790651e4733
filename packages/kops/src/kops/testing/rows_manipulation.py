"""Rows of the ops that change shapes and orders."""

from __future__ import annotations

from typing import Any

import numpy as np

from kops.testing.rows import ErrorCase, Row, Sample, array, integers, register

_x = array(2, 3, 4)
_AXIS = ErrorCase((array(2, 3),), {"axis": 2}, match="axis.*2.*rank 2")


def _smooth(name: str, samples: list[Sample], reference: Any, errors: Any = (), **k: Any) -> Row:
    return Row(name, samples, reference, errors, differentiable=True, **k)


_rows = [
    _smooth(
        "reshape",
        [
            Sample(_x, (6, 4)),
            Sample(_x, (-1,)),
            Sample(_x, -1),
            Sample(_x, [2, -1]),
            Sample(array(0, 3), (3, 0)),
            Sample(integers(4), (2, 2)),
            Sample(array(1), ()),
        ],
        np.reshape,
        [
            ErrorCase((array(2, 3), (4, 2)), match="reshaped"),
            ErrorCase((array(2, 3), (4, -1)), match="reshaped"),
            ErrorCase((array(2, 3), (-1, -1)), match="-1"),
        ],
    ),
    _smooth(
        "transpose",
        [Sample(_x), Sample(_x, (1, 0, 2)), Sample(_x, axes=[-1, 0, 1]), Sample(array(3))],
        np.transpose,
        [
            ErrorCase((_x, (0, 1)), match="axes"),
            ErrorCase((_x, (0, 0, 1)), match="twice"),
            ErrorCase((_x, (0, 1, 3)), match="axes.*3.*rank 3"),
        ],
    ),
    _smooth("ravel", [Sample(_x), Sample(array(3)), Sample(array(0, 2))], np.ravel),
    _smooth(
        "expand_dims",
        [Sample(_x, 0), Sample(_x, -1), Sample(_x, (0, -1)), Sample(array(3), axis=1)],
        np.expand_dims,
        [ErrorCase((array(2, 3), 3), match="axis.*3.*rank 3")],
    ),
    _smooth(
        "squeeze",
        [
            Sample(array(1, 3, 1)),
            Sample(array(1, 3, 1), 0),
            Sample(array(1, 3, 1), axis=(0, -1)),
            Sample(array(3)),
        ],
        np.squeeze,
        [ErrorCase((array(2, 3), 0), match="size 1"), _AXIS],
    ),
    _smooth(
        "moveaxis",
        [Sample(_x, 0, -1), Sample(_x, (0, 1), (2, 0)), Sample(_x, 1, 0)],
        np.moveaxis,
        [ErrorCase((_x, 3, 0), match="source.*3.*rank 3")],
    ),
    _smooth(
        "swapaxes",
        [Sample(_x, 0, 2), Sample(_x, -1, 1)],
        np.swapaxes,
        [ErrorCase((_x, 0, 3), match="axis2.*3.*rank 3")],
    ),
    _smooth(
        "broadcast_to",
        [Sample(array(3), (2, 3)), Sample(array(2, 1), (4, 2, 3)), Sample(array(2, 3), (2, 3))],
        np.broadcast_to,
        [ErrorCase((array(2, 3), (2, 4)), match="broadcast")],
    ),
    _smooth(
        "tile",
        [Sample(_x, 2), Sample(array(2, 3), (2, 1)), Sample(array(3), [2, 1, 2]), Sample(_x, (2,))],
        np.tile,
    ),
    _smooth(
        "repeat",
        [
            Sample(array(2, 3), 2),
            Sample(array(2, 3), 2, axis=1),
            Sample(array(2, 3), [1, 2], axis=0),
            Sample(array(2, 3), 3, -1),
        ],
        np.repeat,
        [ErrorCase((array(2, 3), 2), {"axis": 2}, match="axis.*2.*rank 2")],
    ),
    _smooth("flip", [Sample(_x), Sample(_x, 0), Sample(_x, axis=(0, -1))], np.flip, [_AXIS]),
    _smooth("fliplr", [Sample(array(2, 3))], np.fliplr),
    _smooth("flipud", [Sample(array(2, 3))], np.flipud),
    _smooth(
        "roll",
        [
            Sample(_x, 1),
            Sample(_x, -2, axis=1),
            Sample(_x, 1, axis=(0, 1)),
            Sample(_x, (1, 2), axis=(0, 2)),
            Sample(_x, (1, 2), axis=1),
            Sample(array(3), 7, 0),
        ],
        np.roll,
        [ErrorCase((array(2, 3), 1), {"axis": 2}, match="axis.*2.*rank 2")],
    ),
    _smooth(
        "rot90",
        [Sample(array(2, 3), k) for k in range(-1, 5)]
        + [Sample(_x, 2, axes=(1, 2))]
        + [Sample(_x, 1, axes=(2, 0))],
        np.rot90,
        [ErrorCase((array(2, 3),), {"axes": (0, 0)}, match="twice")],
    ),
    _smooth(
        "pad",
        [
            Sample(array(2, 3), 1),
            Sample(array(5), (2, 3), mode="symmetric"),
            Sample(array(2, 3), ((1, 2), (0, 3)), constant_values=1.5),
            Sample(array(2, 3), ((0, 0), (7, 4)), mode="reflect"),
            Sample(array(2, 3), 4, mode="symmetric"),
            Sample(array(2, 3), ((1, 0), (2, 5)), mode="edge"),
            Sample(array(2, 3), 4, "wrap"),
            Sample(array(1, 3), 2, mode="reflect"),
            Sample(integers(3), [[1, 1]]),
            Sample(array(0, 3), ((1, 0), (0, 0))),
        ],
        lambda x, w, mode="constant", constant_values=0: (
            np.pad(x, w, mode, constant_values=constant_values)
            if mode == "constant"
            else np.pad(x, w, mode)
        ),
        [
            ErrorCase((array(2, 3), 1), {"mode": "best"}, match="mode"),
            ErrorCase((array(2, 3), ((1, 1),) * 3), match="pad_width"),
            ErrorCase((array(2, 3), -1), match="negative"),
            ErrorCase((array(2, 3), 1, "edge", 1.0), match="constant_values"),
        ],
    ),
    _smooth(
        "concatenate",
        [
            Sample([array(2, 3), array(1, 3)]),
            Sample([array(2, 3), array(2, 1)], axis=-1),
            Sample((array(2), integers(2))),
            Sample([array(0, 3), array(2, 3)]),
        ],
        np.concatenate,
        [
            ErrorCase(([array(2, 3), array(2, 4)],), match="differ on axis 1"),
            ErrorCase(([array(2, 3), array(2, 3)], 2), match="axis.*2.*rank 2"),
            ErrorCase(([array(2, 3), array(2)],), match="rank"),
        ],
    ),
    _smooth(
        "stack",
        [
            Sample([array(2, 3), array(2, 3)]),
            Sample([array(2, 3), array(2, 3)], axis=-1),
            Sample([array(2), integers(2)], 1),
        ],
        np.stack,
        [ErrorCase(([array(2, 3), array(2, 4)],), match="differ")],
    ),
    _smooth(
        "vstack", [Sample([array(3), array(3)]), Sample([array(2, 3), array(1, 3)])], np.vstack
    ),
    _smooth(
        "hstack", [Sample([array(3), array(2)]), Sample([array(2, 3), array(2, 1)])], np.hstack
    ),
    _smooth(
        "dstack", [Sample([array(3), array(3)]), Sample([array(2, 3), array(2, 3)])], np.dstack
    ),
    _smooth(
        "append",
        [Sample(array(2, 3), array(2)), Sample(array(2, 3), array(1, 3), axis=0)],
        np.append,
    ),
    _smooth(
        "split",
        [
            Sample(array(4, 3), 2),
            Sample(array(4, 6), 3, axis=-1),
            Sample(array(5, 3), [1, 3]),
            Sample(array(5), [2, 7]),
            Sample(array(5), [-1]),
        ],
        np.split,
        [
            ErrorCase((array(4, 3), 3), match="equal"),
            ErrorCase((array(4, 3), 2, 2), match="axis.*2.*rank 2"),
        ],
        unknown_dims=False,
    ),
    _smooth(
        "array_split",
        [Sample(array(5, 3), 2), Sample(array(2, 7), 3, axis=1), Sample(array(5), [1, 2])],
        np.array_split,
        unknown_dims=False,
    ),
    _smooth("hsplit", [Sample(array(2, 4), 2), Sample(array(4), 2)], np.hsplit),
    _smooth("vsplit", [Sample(array(4, 2), 2)], np.vsplit),
    _smooth("dsplit", [Sample(array(2, 3, 4), 2)], np.dsplit),
    _smooth(
        "unstack",
        [Sample(array(3, 2)), Sample(array(3, 2), axis=1), Sample(array(3, 2), 2, -1)],
        lambda x, num=None, axis=0: list(np.moveaxis(x, axis, 0)),
        [ErrorCase((array(3, 2), 2), match="num")],
        unknown_dims=False,
    ),
    _smooth(
        "meshgrid",
        [
            Sample(array(2), array(3)),
            Sample(array(2), array(3), array(4), indexing="ij"),
            Sample(array(2), array(3), array(4)),
        ],
        np.meshgrid,
        [ErrorCase((array(2), array(3)), {"indexing": "yx"}, match="indexing")],
    ),
]

register(_rows)
