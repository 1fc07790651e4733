"""The names of `keras.preprocessing`. Written by tools/namespace.py."""

from keras_meta.preprocessing import sequence as sequence

__all__ = [
    "sequence",
]
