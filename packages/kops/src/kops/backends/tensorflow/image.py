"""TensorFlow: resizing, also of images whose size is known only when the graph runs."""

from __future__ import annotations

import tensorflow as tf

from kops.windows import data_format_of

__all__ = ["TABLE"]

_METHODS = {
    "bilinear": "bilinear",
    "nearest": "nearest",
    "lanczos3": "lanczos3",
    "lanczos5": "lanczos5",
}


def _can_resize(
    images,
    size,
    interpolation,
    antialias,
    crop_to_aspect_ratio,
    pad_to_aspect_ratio,
    fill_mode,
    fill_value,
    data_format,
):
    return (
        interpolation in _METHODS
        and images.shape.rank in (3, 4)
        and not (crop_to_aspect_ratio or pad_to_aspect_ratio)
        and isinstance(size, (tuple, list))
        and len(size) == 2
        and min(size) > 0
        and fill_mode == "constant"
    )


def resize(
    images,
    size,
    interpolation="bilinear",
    antialias=False,
    crop_to_aspect_ratio=False,
    pad_to_aspect_ratio=False,
    fill_mode="constant",
    fill_value=0.0,
    data_format=None,
):
    first = data_format_of(data_format) == "channels_first"
    x = images if images.shape.rank == 4 else images[None]
    x = tf.transpose(x, (0, 2, 3, 1)) if first else x
    y = tf.image.resize(x, size, _METHODS[interpolation], antialias=antialias)
    if y.dtype != images.dtype:
        if images.dtype.is_integer:
            y = tf.clip_by_value(tf.round(y), images.dtype.min, images.dtype.max)
        y = tf.cast(y, images.dtype)
    y = tf.transpose(y, (0, 3, 1, 2)) if first else y
    return y if images.shape.rank == 4 else y[0]


TABLE = {"resize": [(resize, _can_resize)]}
