"""Nested structures of lists, tuples, dictionaries: flatten, map, walk.

Nodes are `list`, `tuple`, named tuples, `dict`, `OrderedDict`, `defaultdict`
and `deque`; everything else is a leaf, `None` too. A `dict` is walked in the
order of its sorted keys, so that two dictionaries with the same keys match, and
is put together in its own order. An `OrderedDict` is walked in its own order.

The work is done by [optree](https://github.com/metaopt/optree).
"""

from __future__ import annotations

import functools
import reprlib
import threading
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from kops.registry import export

if TYPE_CHECKING:
    import optree

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
    "register_node",
    "traverse",
]

# Containers of ours that optree should look into are registered here, where they
# do not change what other users of optree see.
_NAMESPACE = "kops"
_NODES = {list, tuple, dict}
_pending: list[tuple[Any, ...]] = []
_lock = threading.Lock()


@functools.cache
def _optree() -> Any:
    """optree, loaded at the first walk: an import of kops takes a quarter less time so."""
    import optree

    with _lock:
        while _pending:
            optree.register_pytree_node(*_pending.pop(), namespace=_NAMESPACE)
    return optree


def register_node(
    cls: type,
    to_children: Callable[[Any], tuple[Iterable[Any], Any]],
    from_children: Callable[[Any, Iterable[Any]], Any],
) -> None:
    """Makes a container class a node: its content is walked.

    Args:
        cls: the class.
        to_children: `node -> (children, auxiliary)` or
            `node -> (children, auxiliary, keys)`.
        from_children: `(auxiliary, children) -> node`.
    """
    _pending.append((cls, to_children, from_children))
    _optree.cache_clear()  # the next walk registers it
    _NODES.add(cls)


@export("keras.tree.MAP_TO_NONE")
class MAP_TO_NONE:
    """What a function given to `traverse` returns to put `None` in a place.

    Example:
    ```python
    >>> from kops import tree
    >>> tree.traverse(lambda x: tree.MAP_TO_NONE if x == 1 else None, [1, 2])
    [None, 2]

    ```
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        del args, kwargs


@export("keras.tree.is_nested")
def is_nested(structure: Any) -> bool:
    """Whether `structure` is a container rather than a leaf.

    Example:
    ```python
    >>> from kops import tree
    >>> tree.is_nested([1]), tree.is_nested({}), tree.is_nested("ab")
    (True, True, False)

    ```
    """
    if type(structure) in _NODES:
        return True
    return not _optree().tree_is_leaf(structure, none_is_leaf=True, namespace=_NAMESPACE)


@export("keras.tree.flatten")
def flatten(structure: Any) -> list[Any]:
    """The leaves of `structure`, in walking order; `[structure]` for a leaf.

    Example:
    ```python
    >>> from kops import tree
    >>> tree.flatten({"b": 1, "a": [2, (3, None)]})
    [2, 3, None, 1]

    ```
    """
    return _optree().tree_leaves(structure, none_is_leaf=True, namespace=_NAMESPACE)


@export("keras.tree.flatten_with_path")
def flatten_with_path(structure: Any) -> list[tuple[tuple[Any, ...], Any]]:
    """The leaves of `structure`, each with the keys and indices that lead to it.

    Example:
    ```python
    >>> from kops import tree
    >>> tree.flatten_with_path({"a": [2, 3]})
    [(('a', 0), 2), (('a', 1), 3)]

    ```
    """
    paths, leaves, _ = _optree().tree_flatten_with_path(
        structure, none_is_leaf=True, namespace=_NAMESPACE
    )
    return list(zip(paths, leaves, strict=True))


@export("keras.tree.map_structure")
def map_structure(func: Callable[..., Any], *structures: Any, none_is_leaf: bool = True) -> Any:
    """Applies `func` to each leaf, or to the matching leaves of several structures.

    Args:
        func: called with one leaf of each structure.
        structures: one or more structures alike in containers, keys and lengths.
        none_is_leaf: when False, `None` stays `None` and `func` is not called.

    Returns:
        The results, in the structure of the first argument.

    Raises:
        ValueError: no structure is given, or they differ.

    Example:
    ```python
    >>> from kops import tree
    >>> tree.map_structure(lambda x, y: x + y, {"a": 1, "b": (2,)}, {"a": 3, "b": (4,)})
    {'a': 4, 'b': (6,)}

    ```
    """
    _check_mapping(func, structures)
    if len(structures) > 1:
        for other in structures[1:]:
            _compare(structures[0], other, none_is_leaf)
    return _optree().tree_map(func, *structures, none_is_leaf=none_is_leaf, namespace=_NAMESPACE)


@export("keras.tree.map_structure_up_to")
def map_structure_up_to(shallow_structure: Any, func: Callable[..., Any], *structures: Any) -> Any:
    """Like `map_structure`, down to the leaves of `shallow_structure` only.

    Args:
        shallow_structure: says how deep to go.
        func: called with what the structures hold where `shallow_structure` has
            a leaf; that may be a container.
        structures: at least as deep as `shallow_structure`.

    Raises:
        ValueError: no structure is given, or one does not start like
            `shallow_structure`.

    Example:
    ```python
    >>> from kops import tree
    >>> tree.map_structure_up_to([0, 0], len, [[1, 2], [3]])
    [2, 1]

    ```
    """
    _check_mapping(func, structures)
    spec = _optree().tree_structure(shallow_structure, none_is_leaf=True, namespace=_NAMESPACE)
    columns = [_up_to(spec, shallow_structure, deep) for deep in structures]
    return _optree().tree_unflatten(spec, map(func, *columns))


@export("keras.tree.assert_same_structure")
def assert_same_structure(a: Any, b: Any, check_types: bool | None = None) -> None:
    """Raises unless `a` and `b` have the same containers, keys and lengths.

    Dictionaries match by their keys, whatever their kind and order.

    Args:
        a: a structure.
        b: a structure.
        check_types: without effect; use `assert_same_paths` for a check that
            takes lists and tuples as alike.

    Raises:
        ValueError: they differ; the text says where.

    Example:
    ```python
    >>> from kops import tree
    >>> tree.assert_same_structure([1, {"a": 2}], ["x", {"a": "y"}])

    ```
    """
    if check_types is not None:
        warnings.warn(
            "`check_types` has no effect; `assert_same_paths` is the looser check.",
            DeprecationWarning,
            stacklevel=2,
        )
    _compare(a, b, none_is_leaf=True)


@export("keras.tree.assert_same_paths")
def assert_same_paths(a: Any, b: Any) -> None:
    """Raises unless the leaves of `a` and `b` are reached by the same keys.

    Lists, tuples, named tuples and deques count as alike.

    Raises:
        ValueError: they differ; the text lists the paths.

    Example:
    ```python
    >>> from kops import tree
    >>> tree.assert_same_paths([1, 2], (3, 4))

    ```
    """
    a_paths, b_paths = (
        set(_optree().tree_paths(s, none_is_leaf=True, namespace=_NAMESPACE)) for s in (a, b)
    )
    if a_paths == b_paths:
        return
    lines = ["`a` and `b` don't have the same paths."]
    if a_paths - b_paths:
        lines.append(f"Only in `a`: {sorted(a_paths - b_paths, key=repr)}")
    if b_paths - a_paths:
        lines.append(f"Only in `b`: {sorted(b_paths - a_paths, key=repr)}")
    raise ValueError("\n".join(lines))


@export("keras.tree.pack_sequence_as")
def pack_sequence_as(structure: Any, flat_sequence: Sequence[Any]) -> Any:
    """The inverse of `flatten`: puts the items into the shape of `structure`.

    Args:
        structure: gives the shape; its leaves are ignored.
        flat_sequence: as many items as `structure` has leaves.

    Raises:
        TypeError: `flat_sequence` is not a sequence.
        ValueError: the number of items differs from the number of leaves.

    Example:
    ```python
    >>> from kops import tree
    >>> tree.pack_sequence_as({"b": 0, "a": [0, 0]}, [1, 2, 3])
    {'b': 3, 'a': [1, 2]}

    ```
    """
    try:
        items = list(flat_sequence)
    except TypeError:
        raise TypeError(
            f"`flat_sequence` must be a sequence. Received: {flat_sequence!r}"
        ) from None
    spec = _optree().tree_structure(structure, none_is_leaf=True, namespace=_NAMESPACE)
    if len(items) != spec.num_leaves:
        raise ValueError(
            f"`structure` has {spec.num_leaves} leaves and `flat_sequence` has "
            f"{len(items)} items; the numbers must be equal. "
            f"Received: structure={reprlib.repr(structure)}"
        )
    return _optree().tree_unflatten(spec, items)


@export("keras.tree.lists_to_tuples")
def lists_to_tuples(structure: Any) -> Any:
    """A copy of `structure` with every list turned into a tuple.

    Example:
    ```python
    >>> from kops import tree
    >>> tree.lists_to_tuples([1, {"a": [2]}])
    (1, {'a': (2,)})

    ```
    """

    def convert(node: Any) -> Any:
        return tuple(node) if isinstance(node, list) else None

    return traverse(convert, structure, top_down=False)


@export("keras.tree.map_shape_structure")
def map_shape_structure(func: Callable[[Any], Any], structure: Any) -> Any:
    """Applies `func` to each shape; a tuple or list of sizes counts as one leaf.

    Example:
    ```python
    >>> from kops import tree
    >>> tree.map_shape_structure(len, {"a": (None, 3), "b": [(1,), (2, 3, 4)]})
    {'a': 2, 'b': [1, 3]}

    ```
    """
    if not callable(func):
        raise TypeError(f"`func` must be callable. Received: {func!r}")
    return _optree().tree_map(
        func, structure, is_leaf=_is_shape, none_is_leaf=True, namespace=_NAMESPACE
    )


@export("keras.tree.traverse")
def traverse(func: Callable[[Any], Any], structure: Any, top_down: bool = True) -> Any:
    """Visits every container and leaf; what `func` returns replaces the visited part.

    Args:
        func: called with a container or leaf. `None` keeps the part (and, top
            down, visits its content); `MAP_TO_NONE` puts `None` there.
        structure: what to visit.
        top_down: whether a container comes before its content.

    Returns:
        The structure with the replacements; containers are copied.

    Example:
    ```python
    >>> from kops import tree
    >>> tree.traverse(lambda x: sum(x) if isinstance(x, tuple) else None, [1, (2, 3)])
    [1, 5]

    ```
    """
    if not callable(func):
        raise TypeError(f"`func` must be callable. Received: {func!r}")

    def visit(node: Any) -> Any:
        if top_down:
            found = func(node)
            if found is not None:
                return None if _is_map_to_none(found) else found
        node = _rebuild(node, visit)
        if top_down:
            return node
        found = func(node)
        if found is None:
            return node
        return None if _is_map_to_none(found) else found

    return visit(structure)


def _is_map_to_none(value: Any) -> bool:
    return value is MAP_TO_NONE or isinstance(value, MAP_TO_NONE)


def _is_shape(node: Any) -> bool:
    """A tuple or list that holds sizes (or nothing) and no containers."""
    return isinstance(node, (list, tuple)) and not any(map(is_nested, node))


def _rebuild(node: Any, visit: Callable[[Any], Any]) -> Any:
    """Visits the children of `node` and puts the results in a new container."""
    if not is_nested(node):
        return node
    if isinstance(node, deque):
        return deque(map(visit, node), maxlen=node.maxlen)
    if type(node) is list:
        return [visit(child) for child in node]
    children, spec = _optree().tree_flatten(
        node,
        is_leaf=lambda child: child is not node,
        none_is_leaf=True,
        namespace=_NAMESPACE,
    )
    return _optree().tree_unflatten(spec, [visit(child) for child in children])


def _check_mapping(func: Any, structures: tuple[Any, ...]) -> None:
    if not callable(func):
        raise TypeError(f"`func` must be callable. Received: {func!r}")
    if not structures:
        raise ValueError("At least one structure must be given. Received none.")


def _compare(a: Any, b: Any, none_is_leaf: bool) -> None:
    """Raises a ValueError that says how `b` differs from `a`."""
    spec = _optree().tree_structure(a, none_is_leaf=none_is_leaf, namespace=_NAMESPACE)
    if any(map(is_nested, _up_to(spec, a, b))):
        raise ValueError(
            "The structures differ: one has a container where the other has a "
            f"leaf. Received: {reprlib.repr(a)} and {reprlib.repr(b)}"
        )


def _up_to(spec: optree.PyTreeSpec, a: Any, b: Any) -> list[Any]:
    try:
        return spec.flatten_up_to(b)
    except ValueError as error:
        raise ValueError(
            f"The structures differ: {error} Received: {reprlib.repr(a)} and {reprlib.repr(b)}"
        ) from None
