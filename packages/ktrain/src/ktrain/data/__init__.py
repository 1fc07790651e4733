"""Data adapters: what `fit`, `evaluate` and `predict` take as input."""

from ktrain.data.adapt import make_feed, make_source
from ktrain.data.packing import pack_x_y_sample_weight, unpack_x_y_sample_weight
from ktrain.data.preparing import normalize, pad_sequences, to_categorical
from ktrain.data.pydataset import PyDataset
from ktrain.data.source import Feed, Source

__all__ = [
    "Feed",
    "PyDataset",
    "Source",
    "make_feed",
    "make_source",
    "normalize",
    "pack_x_y_sample_weight",
    "pad_sequences",
    "to_categorical",
    "unpack_x_y_sample_weight",
]
