"""Images: resizing, and the names of the whole family."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from kops import dtypes, ops
from kops.op import Tensor, op_family
from kops.ops._precision import dtype_name
from kops.ops.image_color import hsv_to_rgb, rgb_to_grayscale, rgb_to_hsv
from kops.ops.image_frames import crop_images, pad_images
from kops.specs import keep
from kops.windows import data_format_of

__all__ = [
    "crop_images",
    "hsv_to_rgb",
    "pad_images",
    "resize",
    "rgb_to_grayscale",
    "rgb_to_hsv",
]

op = op_family("image")


def _triangle(x: np.ndarray) -> np.ndarray:
    return np.maximum(0, 1 - np.abs(x))


def _cubic(x: np.ndarray) -> np.ndarray:
    """Keys' kernel with a = -0.5 (IEEE ASSP-29, 1981)."""
    x = np.abs(x)
    near, far = (1.5 * x - 2.5) * x * x + 1, ((-0.5 * x + 2.5) * x - 4) * x + 2
    return np.where(x < 1, near, np.where(x < 2, far, 0))


def _lanczos(radius: int) -> Callable[[np.ndarray], np.ndarray]:
    return lambda x: np.where(np.abs(x) < radius, np.sinc(x) * np.sinc(x / radius), 0)


_KERNELS: dict[str, Callable[[np.ndarray], np.ndarray] | None] = {
    "bilinear": _triangle,
    "nearest": None,
    "lanczos3": _lanczos(3),
    "lanczos5": _lanczos(5),
    "bicubic": _cubic,
}


@op(dtype=keep)
def resize(
    images: Tensor,
    size: tuple[int, int],
    interpolation: str = "bilinear",
    antialias: bool = False,
    crop_to_aspect_ratio: bool = False,
    pad_to_aspect_ratio: bool = False,
    fill_mode: str = "constant",
    fill_value: float = 0.0,
    data_format: str | None = None,
) -> Tensor:
    """Images in another size; the dtype stays (whole numbers are rounded).

    Pixels are areas: the centre of the first is at 0.5. "nearest" keeps the values that occur, as
    masks need.

    Args:
        images: shape (batch, height, width, channels) or (height, width, channels), channels
            in front with "channels_first".
        size: (height, width) of the result.
        interpolation: "bilinear", "nearest", "bicubic", "lanczos3" or "lanczos5".
        antialias: whether to smooth before making smaller.
        crop_to_aspect_ratio: whether to cut the longer side to the target's aspect ratio first.
        pad_to_aspect_ratio: whether to pad the shorter side to the target's aspect ratio first.
        fill_mode: must be "constant".
        fill_value: value of the padding.
        data_format: "channels_last", "channels_first" or None for the configured one.

    Raises:
        ValueError: for another rank, size or name, or both cropping and padding.

    Example:

    >>> import numpy as np
    >>> from kops import ops
    >>> x = np.array([[0.0, 4.0]], "float32").reshape(1, 1, 2, 1)
    >>> ops.convert_to_numpy(ops.image.resize(x, (1, 4))).ravel().tolist()
    [0.0, 1.0, 3.0, 4.0]
    """
    first = data_format_of(data_format) == "channels_first"
    height, width = _checked(images, size, interpolation, fill_mode)
    if crop_to_aspect_ratio and pad_to_aspect_ratio:
        raise ValueError(
            "Only one of `crop_to_aspect_ratio` and `pad_to_aspect_ratio` may be True."
        )
    rank = len(images.shape)
    rows = rank - 2 if first else rank - 3
    sizes = ops.shape(images)
    now = (int(sizes[rows]), int(sizes[rows + 1]))
    if crop_to_aspect_ratio:
        images, now = _crop(images, rows, now, (height, width))
    elif pad_to_aspect_ratio:
        images, now = _pad(images, rows, now, (height, width), fill_value)
    kernel = _KERNELS[interpolation]
    if kernel is None:
        for axis, (n, m) in enumerate(zip(now, (height, width), strict=True)):
            if n != m:
                images = ops.take(images, _nearest(n, m), axis=rows + axis)
        return images
    dtype = dtype_name(images)
    result = images if dtype == "float64" else ops.cast(images, "float32")
    for axis, (n, m) in enumerate(zip(now, (height, width), strict=True)):
        if n != m:
            matrix = _weights(n, m, kernel, antialias).astype(dtype_name(result))
            result = ops.moveaxis(
                ops.tensordot(result, matrix, axes=[[rows + axis], [1]]), -1, rows + axis
            )
    return _in_dtype(result, dtype)


def _in_dtype(x: Tensor, dtype: str) -> Tensor:
    if not dtypes.is_float(dtype):
        info = np.iinfo(dtype)
        x = ops.clip(ops.round(x), info.min, info.max)
    return x if dtype_name(x) == dtype else ops.cast(x, dtype)


def _checked(images: Tensor, size: Any, interpolation: Any, fill_mode: Any) -> tuple[int, int]:
    if len(images.shape) not in (3, 4):
        raise ValueError(
            "`images` must have rank 3 (one image) or 4 (a batch), got shape "
            f"{tuple(images.shape)}."
        )
    good = isinstance(size, Sequence) and len(size) == 2 and all(int(n) > 0 for n in size)
    if not good:
        raise ValueError(f"`size` must be (height, width), two positive ints, got {size!r}.")
    if interpolation not in _KERNELS:
        raise ValueError(
            f"`interpolation` must be one of {tuple(_KERNELS)}, got {interpolation!r}."
        )
    if fill_mode != "constant":
        raise ValueError(f"`fill_mode` must be 'constant', got {fill_mode!r}.")
    return int(size[0]), int(size[1])


def _nearest(n: int, m: int) -> np.ndarray:
    """Index in `n` pixels that the centre of each of `m` pixels falls on."""
    return np.minimum(((np.arange(m) + 0.5) * n / m).astype("int32"), n - 1)


def _weights(
    n: int, m: int, kernel: Callable[[np.ndarray], np.ndarray], antialias: bool
) -> np.ndarray:
    """Matrix (m, n) that makes `m` pixels out of `n`; rows add up to 1."""
    scale = n / m
    width = max(scale, 1.0) if antialias else 1.0
    centres = (np.arange(m) + 0.5) * scale - 0.5
    matrix = kernel((np.arange(n) - centres[:, None]) / width)
    total = matrix.sum(1, keepdims=True)
    return matrix / np.where(np.abs(total) > 1e-6, total, 1.0)


def _fit(now: tuple[int, int], target: tuple[int, int]) -> tuple[int, int]:
    """Height for the width, and width for the height, that have the target's aspect ratio."""
    return int(now[1] * target[0] / target[1]), int(now[0] * target[1] / target[0])


def _crop(
    images: Tensor, rows: int, now: tuple[int, int], target: tuple[int, int]
) -> tuple[Tensor, tuple[int, int]]:
    new = tuple(max(1, min(n, m)) for n, m in zip(now, _fit(now, target), strict=True))
    cut: list[slice] = [slice(None)] * len(images.shape)
    for axis in (0, 1):
        start = (now[axis] - new[axis]) // 2
        cut[rows + axis] = slice(start, start + new[axis])
    return images[tuple(cut)], (new[0], new[1])


def _pad(
    images: Tensor, rows: int, now: tuple[int, int], target: tuple[int, int], value: float
) -> tuple[Tensor, tuple[int, int]]:
    pads = [(0, 0)] * len(images.shape)
    new = list(now)
    for axis, (n, m) in enumerate(zip(now, _fit(now, target), strict=True)):
        half = max(m - n, 0) // 2  # as Keras does it: an odd rest is dropped
        pads[rows + axis] = (half, half)
        new[axis] = n + 2 * half
    return ops.pad(images, pads, mode="constant", constant_values=value), (new[0], new[1])
