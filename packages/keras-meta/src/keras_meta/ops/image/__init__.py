"""The names of `keras.ops.image`. Written by tools/namespace.py."""

from kops.ops.image import resize as resize

__all__ = [
    "resize",
]
