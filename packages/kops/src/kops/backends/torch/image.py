"""torch: resizing."""

from __future__ import annotations

import torch.nn.functional as F

from kops.windows import data_format_of

__all__ = ["TABLE"]


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
        interpolation == "bilinear"
        and images.dtype.is_floating_point
        and images.ndim in (3, 4)
        and not (crop_to_aspect_ratio or pad_to_aspect_ratio)
        and isinstance(size, (tuple, list))
        and len(size) == 2
        and min(size) > 0
        and fill_mode == "constant"
        and images.numel() > 0
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
    x = images[None] if images.ndim == 3 else images
    last = data_format_of(data_format) == "channels_last"
    x = x.permute(0, 3, 1, 2) if last else x
    wide = x.float() if x.element_size() == 2 else x
    y = F.interpolate(wide, tuple(size), mode="bilinear", align_corners=False, antialias=antialias)
    y = y.to(x.dtype)
    y = y.permute(0, 2, 3, 1) if last else y
    return y[0] if images.ndim == 3 else y


TABLE = {"resize": [(resize, _can_resize)]}
