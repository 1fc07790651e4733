"""Automatic names (`dense`, `dense_1`, …), counted per prefix."""

from __future__ import annotations

import re
import threading
from collections import defaultdict

from kops.registry import export

__all__ = ["auto_name", "clear_names", "get_uid", "to_snake_case", "uniquify"]

_lock = threading.Lock()
_counts: defaultdict[str, int] = defaultdict(int)
_uids: defaultdict[str, int] = defaultdict(int)
_SNAKE = (re.compile(r"(.)([A-Z][a-z0-9]+)"), re.compile(r"([a-z])([A-Z])"))


def to_snake_case(name: str) -> str:
    """`Conv2DTranspose` -> `conv2d_transpose`."""
    name = re.sub(r"\W+", "", name)
    for pattern in _SNAKE:
        name = pattern.sub(r"\1_\2", name)
    return name.lower()


def uniquify(name: str) -> str:
    """`name` the first time, then `name_1`, `name_2`, …"""
    with _lock:
        n = _counts[name]
        _counts[name] = n + 1
    return f"{name}_{n}" if n else name


def auto_name(prefix: str) -> str:
    """A new name for an object of class (or kind) `prefix`."""
    return uniquify(to_snake_case(prefix))


@export("keras.backend.get_uid")
def get_uid(prefix: str = "") -> int:
    """A number that counts up with each call for the same prefix, starting at 1."""
    with _lock:
        _uids[prefix] += 1
        return _uids[prefix]


def clear_names() -> None:
    """Starts counting anew."""
    with _lock:
        _counts.clear()
        _uids.clear()
