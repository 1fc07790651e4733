"""Rows of colours and frames of images."""

from __future__ import annotations

import colorsys
from typing import Any

import numpy as np

from kops.testing.rows import ErrorCase, Row, Sample, integers, positive, register

__all__: list[str] = []

_X = positive(2, 3, 4, 3)
_X = (_X - _X.min()) / (_X.max() - _X.min())
_FIRST = np.moveaxis(_X, -1, 1)
_LAST = Sample(_X)
_SPECIAL = np.array([[[0, 0, 0], [1, 1, 1], [0.5, 0.5, 0.5], [1, 0, 1], [0, 1, 1]]], "float32")


def _pixels(convert: Any) -> Any:
    def reference(images: Any, data_format: str | None = None) -> Any:
        if data_format == "channels_first":
            return np.moveaxis(reference(np.moveaxis(images, -3, -1)), -1, -3)
        flat = [convert(*map(float, pixel)) for pixel in np.reshape(images, (-1, 3))]
        return np.array(flat).reshape(images.shape)

    return reference


def _grey(images: Any, data_format: str | None = None) -> Any:
    axis = -3 if data_format == "channels_first" else -1
    x = np.moveaxis(np.asarray(images, "float64"), axis, -1)
    y = np.expand_dims(x @ np.array([0.2989, 0.587, 0.114]), axis)
    return np.round(y) if images.dtype.kind in "iu" else y


def _pad(images: Any, top: Any = None, left: Any = None, **kwargs: Any) -> Any:
    height, width = images.shape[-3:-1]
    bottom = kwargs.get("bottom_padding")
    bottom = kwargs["target_height"] - height - top if bottom is None else bottom
    right = kwargs.get("right_padding")
    right = kwargs["target_width"] - width - left if right is None else right
    none = [(0, 0)] * (images.ndim - 3)
    return np.pad(images, [*none, (top, bottom), (left, right), (0, 0)])


def _crop(images: Any, top: Any = None, left: Any = None, **kwargs: Any) -> Any:
    height, width = images.shape[-3:-1]
    bottom = kwargs.get("bottom_cropping")
    bottom = height - kwargs["target_height"] - top if bottom is None else bottom
    right = kwargs.get("right_cropping")
    right = width - kwargs["target_width"] - left if right is None else right
    return images[..., top : height - bottom, left : width - right, :]


_COLOUR_ERRORS = [
    ErrorCase((_X[0, 0],), match="rank 3"),
    ErrorCase((_X[..., :2],), match="3 channels"),
    ErrorCase((np.swapaxes(_X, 1, 2),), {"data_format": "channels_first"}, match="3 channels"),
    ErrorCase((_X,), {"data_format": "NHWC"}, match="data_format"),
]
_FLOATS_ONLY = ErrorCase((integers(2, 4, 4, 3, high=256),), match="floats")

rows = [
    Row(
        "rgb_to_grayscale",
        samples=[
            _LAST,
            Sample(_X[0]),
            Sample(_FIRST, data_format="channels_first"),
            Sample(integers(2, 3, 4, 3, high=256).astype("uint8")),
            Sample(_X[:0]),
        ],
        reference=_grey,
        errors=_COLOUR_ERRORS,
        dtypes=("float32", "float16", "bfloat16"),
        differentiable=True,
        unknown_dims="batch",
    ),
    Row(
        "rgb_to_hsv",
        samples=[_LAST, Sample(_SPECIAL), Sample(_FIRST, "channels_first"), Sample(_X[:0])],
        reference=_pixels(colorsys.rgb_to_hsv),
        errors=[*_COLOUR_ERRORS, _FLOATS_ONLY],
        atol=1e-5,
        unknown_dims="batch",
    ),
    Row(
        "hsv_to_rgb",
        samples=[_LAST, Sample(_SPECIAL), Sample(_FIRST, "channels_first"), Sample(_X[:0])],
        reference=_pixels(colorsys.hsv_to_rgb),
        errors=[*_COLOUR_ERRORS, _FLOATS_ONLY],
        atol=1e-5,
        unknown_dims="batch",
    ),
    Row(
        "pad_images",
        samples=[
            Sample(_X, 1, 2, target_height=6, target_width=7),
            Sample(_X[0], 0, 1, bottom_padding=2, right_padding=0),
            Sample(integers(2, 3, 4, 1), 1, 0, bottom_padding=0, target_width=4),
            Sample(_X[:0], 1, 2, target_height=6, target_width=7),
        ],
        reference=_pad,
        errors=[
            ErrorCase((_X, 1, 2), {"target_height": 6}, match="exactly two"),
            ErrorCase((_X, 1, 2, 3, 4, 5), match="exactly two"),
            ErrorCase((_X, 1, 2), {"target_height": 3, "right_padding": 0}, match="bottom_padding"),
            ErrorCase((_X, -1, 2, 0, 0), match="`top_padding`"),
            ErrorCase((_X, 1.5, 2, 0, 0), match="`top_padding`"),
        ],
        unknown_dims="batch",
        differentiable=True,
    ),
    Row(
        "crop_images",
        samples=[
            Sample(_X, 1, 1, target_height=2, target_width=2),
            Sample(_X[0], 0, 1, bottom_cropping=2, right_cropping=0),
            Sample(integers(2, 3, 4, 1), 1, 0, bottom_cropping=0, target_width=4),
            Sample(_X[:0], 1, 1, target_height=2, target_width=2),
        ],
        reference=_crop,
        errors=[
            ErrorCase((_X, 1, 2), {"target_height": 2}, match="exactly two"),
            ErrorCase((_X, 1, 1), {"target_height": 3, "right_cropping": 0}, match="bottom_crop"),
            ErrorCase((_X, 2, 1, 2, 0), match="leave nothing"),
            ErrorCase((_X, -1, 2, 0, 0), match="`top_cropping`"),
        ],
        unknown_dims="batch",
        differentiable=True,
    ),
]
register(rows)
