"""Nested structures: what counts as a node, in which order, and what is refused."""

import collections

import numpy as np
import pytest

from kops import tree

Point = collections.namedtuple("Point", "a b")
NESTED = {"b": 1, "a": [2, None, (3, {"z": 4, "y": 5})], "c": Point(6, None)}
ORDERED = collections.OrderedDict([("b", 1), ("a", 2)])


def test_flatten_sorts_dictionaries_but_not_ordered_ones():
    assert tree.flatten(NESTED) == [2, None, 3, 5, 4, 1, 6, None]
    assert tree.flatten(ORDERED) == [1, 2]
    assert tree.flatten(collections.defaultdict(list, {"b": 1, "a": 2})) == [2, 1]
    assert tree.flatten({1: "x", "a": "y"}) == ["x", "y"]  # keys that have no order


@pytest.mark.parametrize("leaf", [None, 3, "ab", b"ab", {1, 2}, range(3), np.zeros(2)])
def test_leaves(leaf):
    assert not tree.is_nested(leaf)
    assert tree.flatten(leaf)[0] is leaf


@pytest.mark.parametrize(
    "node", [[], (), {}, ORDERED, Point(1, 2), collections.deque(), collections.defaultdict(int)]
)
def test_nodes(node):
    assert tree.is_nested(node)


def test_pack_is_the_inverse_of_flatten():
    leaves = tree.flatten(NESTED)
    packed = tree.pack_sequence_as(NESTED, leaves)
    assert packed == NESTED
    assert list(packed) == ["b", "a", "c"], "a dictionary keeps its own order"
    assert tree.pack_sequence_as(1, [5]) == 5
    assert tree.pack_sequence_as([1, 2], "ab") == ["a", "b"]


@pytest.mark.parametrize("items", [[1], [1, 2, 3]])
def test_pack_counts(items):
    with pytest.raises(ValueError, match=f"2 leaves and `flat_sequence` has {len(items)}"):
        tree.pack_sequence_as([0, 0], items)


def test_pack_needs_a_sequence():
    with pytest.raises(TypeError, match="`flat_sequence` must be a sequence"):
        tree.pack_sequence_as([1, 2], 3)


def test_map():
    doubled = tree.map_structure(lambda x: None if x is None else 2 * x, NESTED)
    assert doubled == {"b": 2, "a": [4, None, (6, {"z": 8, "y": 10})], "c": Point(12, None)}
    assert tree.map_structure(lambda x: 2 * x, [1, None], none_is_leaf=False) == [2, None]
    assert tree.map_structure(lambda x, y: x + y, {"b": 1, "a": 2}, ORDERED) == {"b": 2, "a": 4}


@pytest.mark.parametrize(
    "a, b",
    [
        ([1, 2], (3, 4)),
        ([1, 2], [3]),
        ([1, 2], [3, [4]]),
        ([[1]], [1]),
        ({"a": 1}, {"b": 1}),
        (Point(1, 2), (1, 2)),
        (collections.deque([1]), [1]),
    ],
)
def test_structures_that_differ(a, b):
    with pytest.raises(ValueError, match="differ"):
        tree.map_structure(lambda x, y: x, a, b)
    with pytest.raises(ValueError, match="differ"):
        tree.assert_same_structure(a, b)


def test_none_is_no_leaf_in_one_of_two():
    with pytest.raises(ValueError, match="differ"):
        tree.map_structure(lambda x, y: x, [1, None], [3, 4], none_is_leaf=False)


def test_errors_do_not_print_large_arrays():
    with pytest.raises(ValueError) as error:
        tree.assert_same_structure([np.zeros(10000)], (np.zeros(10000),))
    assert len(str(error.value)) < 1000


def test_wrong_arguments():
    with pytest.raises(ValueError, match="structure"):
        tree.map_structure(len)
    for call in (
        lambda: tree.map_structure(3, [1]),
        lambda: tree.traverse(3, [1]),
        lambda: tree.map_shape_structure(3, [1]),
        lambda: tree.map_structure_up_to([1], 3, [1]),
    ):
        with pytest.raises(TypeError, match="callable"):
            call()


def test_map_up_to():
    got = tree.map_structure_up_to(
        {"a": 1, "b": [1]}, lambda x, y: (x, y), {"a": 3, "b": [[4, 5]]}, {"a": 0, "b": [7]}
    )
    assert got == {"a": (3, 0), "b": [([4, 5], 7)]}
    for deep in ([3], (3, 4), {"a": 1}):
        with pytest.raises(ValueError, match="differ"):
            tree.map_structure_up_to([1, 2], lambda x: x, deep)


def test_same_paths():
    tree.assert_same_paths(Point(1, [2]), (1, (2,)))
    with pytest.raises(ValueError, match=r"Only in `b`: \[\(1,\)\]"):
        tree.assert_same_paths([1], [1, 2])


def test_check_types_is_announced_as_gone():
    with pytest.warns(DeprecationWarning, match="check_types"):
        tree.assert_same_structure([1], [1], check_types=False)


def test_flatten_with_path():
    assert tree.flatten_with_path({"b": 1, "a": [2, (3,)]}) == [
        (("a", 0), 2),
        (("a", 1, 0), 3),
        (("b",), 1),
    ]
    assert tree.flatten_with_path(None) == [((), None)]


def test_lists_to_tuples():
    assert tree.lists_to_tuples([1, [2, (3, [4])], {"a": [5]}]) == (1, (2, (3, (4,))), {"a": (5,)})


def test_map_shapes():
    shapes = {"a": (None, 3), "b": [(1, 2), [3, 4]], "c": Point((1,), (2, 3)), "d": ()}
    assert tree.map_shape_structure(len, shapes) == {"a": 2, "b": [2, 2], "c": Point(1, 2), "d": 0}


def test_traverse():
    def tuples(x):
        return ("T", len(x)) if isinstance(x, tuple) else None

    assert tree.traverse(tuples, [1, (2, 3), [(4,)]]) == [1, ("T", 2), [("T", 1)]]
    assert tree.traverse(tuples, [1, (2, (3,))], top_down=False) == [1, ("T", 2)]
    visited = []
    tree.traverse(visited.append, {"b": 1, "a": [2]})
    assert visited == [{"b": 1, "a": [2]}, [2], 2, 1]
    visited.clear()
    tree.traverse(visited.append, {"b": 1, "a": [2]}, top_down=False)
    assert visited == [2, [2], 1, {"b": 1, "a": [2]}]


def test_traverse_keeps_containers_and_puts_none():
    def plus_one(x):
        return x + 1 if isinstance(x, int) else None

    for node in (Point(1, [2]), ORDERED, collections.deque([1], maxlen=3)):
        assert type(tree.traverse(plus_one, node)) is type(node)
    assert tree.traverse(lambda x: tree.MAP_TO_NONE if x == 1 else None, [1, [1], 2]) == [
        None,
        [None],
        2,
    ]


def test_register_node():
    class Pair:
        def __init__(self, left, right):
            self.left, self.right = left, right

    tree.register_node(Pair, lambda p: ((p.left, p.right), None), lambda _, xs: Pair(*xs))
    assert tree.is_nested(Pair(1, 2))
    assert tree.flatten([Pair(1, [2])]) == [1, 2]
    mapped = tree.map_structure(lambda x: -x, Pair(1, 2))
    assert (mapped.left, mapped.right) == (-1, -2)
