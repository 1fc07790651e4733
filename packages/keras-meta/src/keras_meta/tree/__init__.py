"""The names of `keras.tree`. Written by tools/namespace.py."""

from kops.tree import MAP_TO_NONE as MAP_TO_NONE
from kops.tree import assert_same_paths as assert_same_paths
from kops.tree import assert_same_structure as assert_same_structure
from kops.tree import flatten as flatten
from kops.tree import flatten_with_path as flatten_with_path
from kops.tree import is_nested as is_nested
from kops.tree import lists_to_tuples as lists_to_tuples
from kops.tree import map_shape_structure as map_shape_structure
from kops.tree import map_structure as map_structure
from kops.tree import map_structure_up_to as map_structure_up_to
from kops.tree import pack_sequence_as as pack_sequence_as
from kops.tree import traverse as traverse

__all__ = [
    "MAP_TO_NONE",
    "assert_same_paths",
    "assert_same_structure",
    "flatten",
    "flatten_with_path",
    "is_nested",
    "lists_to_tuples",
    "map_shape_structure",
    "map_structure",
    "map_structure_up_to",
    "pack_sequence_as",
    "traverse",
]
