"""Which objects of a model have state to save, and under which path each is stored.

Paths follow the attributes: `layers/dense_1`, `encoder/blocks/dense`, `optimizer`. Members
of a list, tuple, set or dict are named by their class, with a counter for each container.
An object that is reached twice is stored under the first path, attributes being visited
in alphabetical order.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import klayers
from kops import KerasTensor, Variable
from kops.naming import to_snake_case

__all__ = ["saveables"]

_MAX_DEPTH = 200


def saveables(root: Any) -> Iterator[tuple[str, Any]]:
    """`(path, object)` of everything with variables of its own, parents first.

    Args:
        root: a layer or model; its own path is "".
    """
    yield from _walk("", root, set(), 0)


def _walk(path: str, obj: Any, seen: set[int], depth: int) -> Iterator[tuple[str, Any]]:
    if id(obj) in seen:
        return
    if depth > _MAX_DEPTH:
        raise ValueError(f"The layers are nested more than {_MAX_DEPTH} deep at {path!r}.")
    seen.add(id(obj))
    yield path, obj
    for name, child in _attributes(obj):
        inner = f"{path}/{name}" if path else name
        if _is_saveable(child):
            yield from _walk(inner, child, seen, depth + 1)
        elif isinstance(child, (list, tuple, set, dict)):
            yield from _walk_container(inner, child, seen, depth + 1)


def _walk_container(
    path: str, container: Any, seen: set[int], depth: int
) -> Iterator[tuple[str, Any]]:
    counts: dict[str, int] = {}
    for item in _members(container):
        if _is_saveable(item):
            name = _counted(to_snake_case(type(item).__name__), counts)
            yield from _walk(f"{path}/{name}", item, seen, depth)
        elif isinstance(item, (list, tuple, set, dict)) and _holds_saveables(item):
            # Keras leaves nested containers out of its files; groups beside the others
            # do not disturb it.
            name = _counted("container", counts)
            yield from _walk_container(f"{path}/{name}", item, seen, depth + 1)


def _counted(name: str, counts: dict[str, int]) -> str:
    n = counts.get(name, 0)
    counts[name] = n + 1
    return f"{name}_{n}" if n else name


def _members(container: Any) -> Iterable[Any]:
    return list(container.values()) if isinstance(container, Mapping) else list(container)


def _holds_saveables(container: Any) -> bool:
    return any(
        _is_saveable(m) or (isinstance(m, (list, tuple, set, dict)) and _holds_saveables(m))
        for m in _members(container)
    )


def _attributes(obj: Any) -> list[tuple[str, Any]]:
    if not isinstance(obj, klayers.Layer):
        return []  # an optimizer: its variables are all there is
    found = {k: v for k, v in vars(obj).items() if k not in _bookkeeping()}
    if isinstance(obj, klayers.Model):
        found["layers"] = obj.layers
    return sorted(found.items())


@functools.cache
def _bookkeeping() -> frozenset[str]:
    """Attributes that every layer or model has: none of them is a user's."""
    x = KerasTensor((None, 1))
    bare = [klayers.Layer(), klayers.Model(), klayers.Sequential(), klayers.Functional(x, x)]
    return frozenset().union(*(vars(b) for b in bare))


def _is_saveable(x: Any) -> bool:
    if isinstance(x, klayers.Layer):
        return True
    # Optimizers belong to a sibling package: they are known by what they do. Metrics have
    # the same methods, and their running values do not belong in a file.
    return (
        hasattr(x, "save_own_variables")
        and not hasattr(x, "update_state")
        and not isinstance(x, (type, Variable))
    )
