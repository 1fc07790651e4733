"""Frames around images: padding and cropping."""

from __future__ import annotations

from typing import Any

from kops import ops
from kops.op import Tensor, op_family
from kops.ops.image_color import channel_axis
from kops.specs import keep

__all__ = ["crop_images", "pad_images"]

op = op_family("image")


def _edges(name: str, sides: tuple[str, str, str], given: tuple[Any, Any, Any], size: Any) -> Any:
    """Both edges, from two of: first edge, second edge, size of the result."""
    listed = ", ".join(f"{s}={v!r}" for s, v in zip(sides, given, strict=True))
    if sum(v is None for v in given) != 1:
        raise ValueError(f"{name}() needs exactly two of `{'`, `'.join(sides)}`; got {listed}.")
    for side, value in zip(sides, given, strict=True):
        if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
            raise ValueError(f"`{side}` of {name}() must be an int; got {value!r}.")
        if value is not None and value < 0:
            raise ValueError(f"`{side}` of {name}() must be at least 0; got {value}.")
    first, second, target = given
    total = None if target is None else (target - size if name == "pad_images" else size - target)
    if first is None:
        first = total - second
    elif second is None:
        second = total - first
    for side, value in zip(sides, (first, second), strict=False):
        if isinstance(value, int) and value < 0:
            raise ValueError(
                f"`{side}` of {name}() would be {value}: {listed} do not fit an image whose size "
                f"is {size}."
            )
    if name == "crop_images" and isinstance(size, int) and first + second > size:
        raise ValueError(f"{listed} of {name}() leave nothing of an image whose size is {size}.")
    return first, second


def _axes(images: Any, data_format: str | None) -> tuple[int, int]:
    return (-3, -2) if channel_axis(images, data_format) == -1 else (-2, -1)


@op(dtype=keep)
def pad_images(
    images: Tensor,
    top_padding: int | None = None,
    left_padding: int | None = None,
    bottom_padding: int | None = None,
    right_padding: int | None = None,
    target_height: int | None = None,
    target_width: int | None = None,
    data_format: str | None = None,
) -> Tensor:
    """Images with zeros around them.

    Exactly two of top, bottom and target height are given, and two of left, right and target
    width.

    Args:
        images: shape (..., height, width, channels), or (..., channels, height, width) for
            "channels_first".
        top_padding: rows above.
        left_padding: columns to the left.
        bottom_padding: rows below.
        right_padding: columns to the right.
        target_height: height of the result.
        target_width: width of the result.
        data_format: "channels_last", "channels_first" or None for the configured one.

    Raises:
        ValueError: for another rank, or numbers that do not fit.

    Example:

    >>> import numpy as np
    >>> from kops import ops
    >>> x = np.ones((2, 4, 4, 3), "float32")
    >>> tuple(ops.image.pad_images(x, 1, 2, target_height=6, target_width=8).shape)
    (2, 6, 8, 3)
    """
    rows, columns = _axes(images, data_format)
    sizes = ops.shape(images)
    rank = len(sizes)
    pairs: list[Any] = [(0, 0)] * rank
    pairs[rows] = _edges(
        "pad_images",
        ("top_padding", "bottom_padding", "target_height"),
        (top_padding, bottom_padding, target_height),
        sizes[rows],
    )
    pairs[columns] = _edges(
        "pad_images",
        ("left_padding", "right_padding", "target_width"),
        (left_padding, right_padding, target_width),
        sizes[columns],
    )
    return ops.pad(images, tuple(pairs))


@op(dtype=keep)
def crop_images(
    images: Tensor,
    top_cropping: int | None = None,
    left_cropping: int | None = None,
    bottom_cropping: int | None = None,
    right_cropping: int | None = None,
    target_height: int | None = None,
    target_width: int | None = None,
    data_format: str | None = None,
) -> Tensor:
    """Images without some rows and columns at their edges.

    Exactly two of top, bottom and target height are given, and two of left, right and target
    width.

    Args:
        images: shape (..., height, width, channels), or (..., channels, height, width) for
            "channels_first".
        top_cropping: rows to drop above.
        left_cropping: columns to drop on the left.
        bottom_cropping: rows to drop below.
        right_cropping: columns to drop on the right.
        target_height: height of the result.
        target_width: width of the result.
        data_format: "channels_last", "channels_first" or None for the configured one.

    Raises:
        ValueError: for another rank, or numbers that do not fit.

    Example:

    >>> import numpy as np
    >>> from kops import ops
    >>> x = np.ones((2, 4, 4, 3), "float32")
    >>> tuple(ops.image.crop_images(x, 1, 0, target_height=2, target_width=3).shape)
    (2, 2, 3, 3)
    """
    rows, columns = _axes(images, data_format)
    sizes = ops.shape(images)
    top, bottom = _edges(
        "crop_images",
        ("top_cropping", "bottom_cropping", "target_height"),
        (top_cropping, bottom_cropping, target_height),
        sizes[rows],
    )
    left, right = _edges(
        "crop_images",
        ("left_cropping", "right_cropping", "target_width"),
        (left_cropping, right_cropping, target_width),
        sizes[columns],
    )
    key: list[Any] = [slice(None)] * len(sizes)
    key[rows] = slice(top, sizes[rows] - bottom)
    key[columns] = slice(left, sizes[columns] - right)
    return ops.get_item(images, tuple(key))
