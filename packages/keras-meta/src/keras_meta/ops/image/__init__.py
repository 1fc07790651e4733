"""The names of `keras.ops.image`. Written by tools/namespace.py."""

from kops.ops.image import resize as resize
from kops.ops.image_color import hsv_to_rgb as hsv_to_rgb
from kops.ops.image_color import rgb_to_grayscale as rgb_to_grayscale
from kops.ops.image_color import rgb_to_hsv as rgb_to_hsv
from kops.ops.image_frames import crop_images as crop_images
from kops.ops.image_frames import pad_images as pad_images

__all__ = [
    "crop_images",
    "hsv_to_rgb",
    "pad_images",
    "resize",
    "rgb_to_grayscale",
    "rgb_to_hsv",
]
