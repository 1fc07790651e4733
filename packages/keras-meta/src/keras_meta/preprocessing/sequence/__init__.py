"""The names of `keras.preprocessing.sequence`. Written by tools/namespace.py."""

from ktrain.data.preparing import pad_sequences as pad_sequences

__all__ = [
    "pad_sequences",
]
