"""Rows of the image ops."""

from __future__ import annotations

from typing import Any

import numpy as np

from kops.testing.rows import ErrorCase, Row, Sample, array, integers, register

__all__: list[str] = []

_X = array(2, 5, 6, 3)


def _resize(
    images: Any,
    size: Any,
    interpolation: str = "bilinear",
    antialias: bool = False,
    data_format: Any = None,
) -> Any:
    """Every output pixel by the definition, for "nearest" and "bilinear"."""
    x = np.moveaxis(images, -3, -1) if data_format == "channels_first" else np.asarray(images)
    y = x.astype("float64")
    for axis, m in zip((-3, -2), size, strict=True):
        n = y.shape[axis]
        lines = []
        for i in range(m):
            centre = (i + 0.5) * n / m - 0.5
            width = max(n / m, 1) if antialias else 1
            if interpolation == "nearest":
                weights = np.arange(n) == int((i + 0.5) * n / m)
            else:
                weights = np.maximum(0, 1 - np.abs(np.arange(n) - centre) / width)
            lines.append(np.tensordot(y, weights / weights.sum(), axes=([y.ndim + axis], [0])))
        y = np.stack(lines, axis)
    y = np.round(y) if x.dtype.kind in "iu" else y
    return np.moveaxis(y, -1, -3) if data_format == "channels_first" else y


register(
    [
        Row(
            "resize",
            samples=[
                Sample(_X, (3, 3)),
                Sample(_X, (8, 9)),
                Sample(_X, (2, 4), antialias=True),
                Sample(_X, (3, 9), "nearest"),
                Sample(_X[0], (8, 4)),
                Sample(_X, (4, 6), data_format="channels_first"),
                Sample(integers(1, 4, 4, 3, high=255, dtype="uint8"), (3, 6)),
                Sample(integers(1, 4, 4, 1, high=9), (6, 3), "nearest"),
                Sample(array(0, 4, 4, 3), (2, 2)),
            ],
            reference=_resize,
            errors=[
                ErrorCase((_X[0, 0], (3, 3)), match="`images`"),
                ErrorCase((_X, 3), match="`size`"),
                ErrorCase((_X, (3, 0)), match="`size`"),
                ErrorCase((_X, (3, 3), "area"), match="`interpolation`"),
                ErrorCase((_X, (3, 3)), {"fill_mode": "wrap"}, match="`fill_mode`"),
                ErrorCase(
                    (_X, (3, 3)),
                    {"crop_to_aspect_ratio": True, "pad_to_aspect_ratio": True},
                    match="Only one",
                ),
            ],
            atol=1e-5,
            differentiable=True,
            unknown_dims="batch",
        ),
    ]
)
