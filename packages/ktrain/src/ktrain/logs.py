"""`logs` of batches: numbers that stay on the device until somebody reads them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

__all__ = ["LazyLogs", "settle", "to_number", "to_numbers"]


def to_number(value: Any) -> Any:
    """A Python float of a scalar tensor; other values as they are, tensors as arrays."""
    if isinstance(value, (float, int, str)) or value is None:
        return value
    try:
        if hasattr(value, "detach"):
            value = value.detach().cpu()
        array = np.asarray(value)
        return float(array) if array.ndim == 0 else array
    except (TypeError, ValueError):
        return value


def to_numbers(values: Mapping[str, Any]) -> dict[str, Any]:
    """Flat, sorted logs with Python numbers.

    A metric that stands for several (its result is a dict) is spread out.
    """
    flat: dict[str, Any] = {}
    for name, value in values.items():
        if isinstance(value, Mapping):
            flat.update(value)
        else:
            flat[name] = value
    return {name: to_number(flat[name]) for name in sorted(flat)}


class LazyLogs(dict[str, Any]):
    """A dictionary that calls `read` for its content when it is first looked at.

    Example:
    ```python
    >>> from ktrain.logs import LazyLogs
    >>> logs = LazyLogs(lambda: {"loss": 0.5})
    >>> logs["loss"], "loss" in logs, dict(logs)
    (0.5, True, {'loss': 0.5})

    ```
    """

    def __init__(self, read: Callable[[], Mapping[str, Any]]):
        super().__init__()
        self._read: Callable[[], Mapping[str, Any]] | None = read

    def fill(self) -> LazyLogs:
        """Fetches the content, once."""
        read, self._read = self._read, None
        if read is not None:
            for name, value in to_numbers(read()).items():
                super().setdefault(name, value)
        return self

    def __getitem__(self, key: str) -> Any:
        self.fill()
        return super().__getitem__(key)

    def __setitem__(self, key: str, value: Any) -> None:
        self.fill()
        super().__setitem__(key, value)

    def __delitem__(self, key: str) -> None:
        self.fill()
        super().__delitem__(key)

    def __contains__(self, key: object) -> bool:
        self.fill()
        return super().__contains__(key)

    def __iter__(self) -> Iterator[str]:
        self.fill()
        return super().__iter__()

    def __len__(self) -> int:
        self.fill()
        return super().__len__()

    def __bool__(self) -> bool:
        return True if self._read is not None else super().__len__() > 0

    def __eq__(self, other: object) -> bool:
        self.fill()
        return super().__eq__(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None  # type: ignore[assignment]

    def __or__(self, other: Any) -> dict[str, Any]:
        return {**self, **other}

    def __ror__(self, other: Any) -> dict[str, Any]:
        return {**other, **self}

    def __repr__(self) -> str:
        self.fill()
        return super().__repr__()

    def __reduce__(self) -> Any:
        return dict, (dict(self.items()),)

    def get(self, key: str, default: Any = None) -> Any:
        self.fill()
        return super().get(key, default)

    def keys(self) -> Any:
        self.fill()
        return super().keys()

    def values(self) -> Any:
        self.fill()
        return super().values()

    def items(self) -> Any:
        self.fill()
        return super().items()

    def copy(self) -> dict[str, Any]:
        return dict(self.items())

    def pop(self, *args: Any) -> Any:
        self.fill()
        return super().pop(*args)

    def update(self, *args: Any, **kwargs: Any) -> None:
        self.fill()
        super().update(*args, **kwargs)

    def setdefault(self, key: str, default: Any = None) -> Any:
        self.fill()
        return super().setdefault(key, default)


def settle(logs: LazyLogs) -> None:
    """Fetches the content now if somebody keeps `logs`: later it would be another batch's."""
    if logs._read is not None and sys.getrefcount(logs) > _ALONE:
        logs.fill()


def _references_when_alone() -> int:
    def count(logs: LazyLogs) -> int:
        return sys.getrefcount(logs)

    logs = LazyLogs(dict)
    return count(logs)


_ALONE = _references_when_alone()
