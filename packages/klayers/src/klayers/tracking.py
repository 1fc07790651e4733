"""Finds variables, layers, metrics and seed generators among a layer's attributes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, SupportsIndex

from kops import tree
from kops.random import SeedGenerator
from kops.variable import Variable

__all__ = ["TrackedDict", "TrackedList", "TrackedSet", "Tracker"]

_PLAIN = (int, float, complex, str, bytes, bool)
_METRIC_METHODS = ("update_state", "result", "reset_state", "stateless_update_state")
_kinds: dict[type, str | None] = {}


def kind_of(cls: type) -> str | None:
    """Which list of a Tracker holds instances of `cls`; "container"; None for other classes."""
    try:
        return _kinds[cls]
    except KeyError:
        kind = _kinds[cls] = _classify(cls)
        return kind


def _classify(cls: type) -> str | None:
    if issubclass(cls, _PLAIN):
        return None
    if issubclass(cls, Variable):
        return "variable"
    if getattr(cls, "_is_layer", False):
        return "layer"
    if issubclass(cls, SeedGenerator):
        return "seed"
    # Metrics live in a package above: they are known by what they do.
    if all(callable(getattr(cls, m, None)) for m in _METRIC_METHODS):
        return "metric"
    if issubclass(cls, (list, dict, set, tuple)):
        return "container"
    return None


class Tracker:
    """Lists of what a layer owns.

    Args:
        variables, non_trainable, layers, metrics, seeds: the lists to fill.
    """

    def __init__(
        self,
        variables: list[Any],
        non_trainable: list[Any],
        layers: list[Any],
        metrics: list[Any],
        seeds: list[Any],
    ):
        self.variables = variables
        self.non_trainable = non_trainable
        self.layers = layers
        self.metrics = metrics
        self.seeds = seeds
        self.owned: dict[str, None] = {}
        self.locked_message: str | None = None

    def _list_for(self, kind: str, value: Any) -> list[Any]:
        if kind == "variable":
            return self.variables if value.trainable else self.non_trainable
        return {"layer": self.layers, "metric": self.metrics, "seed": self.seeds}[kind]

    def track(self, value: Any) -> Any:
        """Registers a value (and what it holds); returns what to store in its place."""
        kind = kind_of(type(value))
        if kind is None:
            return value
        if kind == "container":
            return self._track_container(value)
        self.add(kind, value)
        return value

    def add(self, kind: str, value: Any) -> None:
        """Adds to the list for `kind`, once.

        Raises:
            ValueError: the layer is built, so that its state is fixed.
        """
        if kind == "variable":
            if _holds(self.variables, value) or _holds(self.non_trainable, value):
                return
        held = self._list_for(kind, value)
        if _holds(held, value):
            return
        if self.locked_message is not None and kind != "metric":
            raise ValueError(self.locked_message)
        held.append(value)

    def _track_container(self, value: Any) -> Any:
        if isinstance(value, (TrackedList, TrackedDict, TrackedSet)):
            if value._tracker is self:
                return value
            for v in value.values() if isinstance(value, dict) else value:
                self.track(v)
            return value
        if isinstance(value, tuple):
            if all(kind_of(type(v)) is None for v in value):
                return value
            items = [self.track(v) for v in value]
            return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
        # A list of numbers holds no state now and hardly will later: it stays a list.
        if type(value) is list and not (value and all(isinstance(v, _PLAIN) for v in value)):
            return TrackedList(value, self)
        if type(value) is dict and not (
            value and all(isinstance(v, _PLAIN) for v in value.values())
        ):
            return TrackedDict(value, self)
        if type(value) is set and not (value and all(isinstance(v, _PLAIN) for v in value)):
            return TrackedSet(value, self)
        return value

    def untrack(self, value: Any) -> None:
        """Forgets a value and what it holds."""
        kind = kind_of(type(value))
        if kind is None:
            return
        if kind == "container":
            for v in value.values() if isinstance(value, dict) else value:
                self.untrack(v)
            return
        lists = (
            (self.variables, self.non_trainable)
            if kind == "variable"
            else (self._list_for(kind, value),)
        )
        for held in lists:
            held[:] = [v for v in held if v is not value]

    def lock(self, message: str) -> None:
        """Refuses further variables and layers."""
        self.locked_message = message

    def unlock(self) -> None:
        """Accepts variables and layers again."""
        self.locked_message = None


def _holds(values: Iterable[Any], value: Any) -> bool:
    return any(v is value for v in values)


class TrackedList(list):  # type: ignore[type-arg]
    """A list whose layers and variables belong to the layer it is an attribute of."""

    _tracker: Tracker | None = None

    def __init__(self, values: Iterable[Any] = (), tracker: Tracker | None = None):
        self._tracker = tracker
        super().__init__(map(tracker.track, values) if tracker else values)

    def _track(self, value: Any) -> Any:
        return value if self._tracker is None else self._tracker.track(value)

    def _untrack(self, value: Any) -> None:
        if self._tracker is not None:
            self._tracker.untrack(value)

    def append(self, value: Any) -> None:
        """See `list.append`."""
        super().append(self._track(value))

    def insert(self, index: SupportsIndex, value: Any) -> None:
        """See `list.insert`."""
        super().insert(index, self._track(value))

    def extend(self, values: Iterable[Any]) -> None:
        """See `list.extend`."""
        super().extend([self._track(v) for v in values])

    def __iadd__(self, values: Iterable[Any]) -> TrackedList:  # type: ignore[override,misc]
        self.extend(values)
        return self

    def __setitem__(self, index: Any, value: Any) -> None:
        old = self[index]
        if isinstance(index, slice):
            for v in old:
                self._untrack(v)
            super().__setitem__(index, [self._track(v) for v in value])
        else:
            self._untrack(old)
            super().__setitem__(index, self._track(value))

    def __delitem__(self, index: Any) -> None:
        old = self[index]
        for v in old if isinstance(index, slice) else (old,):
            self._untrack(v)
        super().__delitem__(index)

    def remove(self, value: Any) -> None:
        """See `list.remove`."""
        super().remove(value)
        self._untrack(value)

    def pop(self, index: SupportsIndex = -1) -> Any:
        """See `list.pop`."""
        value = super().pop(index)
        self._untrack(value)
        return value

    def clear(self) -> None:
        """See `list.clear`."""
        for v in self:
            self._untrack(v)
        super().clear()

    def __reduce_ex__(self, protocol: SupportsIndex) -> Any:
        return list, (list(self),)


class TrackedDict(dict):  # type: ignore[type-arg]
    """A dictionary whose layers and variables belong to the layer it is an attribute of."""

    _tracker: Tracker | None = None

    def __init__(self, values: Mapping[Any, Any] | None = None, tracker: Tracker | None = None):
        self._tracker = tracker
        values = values or {}
        super().__init__({k: tracker.track(v) for k, v in values.items()} if tracker else values)

    def __setitem__(self, key: Any, value: Any) -> None:
        if self._tracker is not None:
            if key in self:
                self._tracker.untrack(self[key])
            value = self._tracker.track(value)
        super().__setitem__(key, value)

    def update(self, *args: Any, **kwargs: Any) -> None:
        """See `dict.update`."""
        for key, value in dict(*args, **kwargs).items():
            self[key] = value

    def setdefault(self, key: Any, default: Any = None) -> Any:
        """See `dict.setdefault`."""
        if key not in self:
            self[key] = default
        return self[key]

    def __delitem__(self, key: Any) -> None:
        if self._tracker is not None:
            self._tracker.untrack(self[key])
        super().__delitem__(key)

    def pop(self, key: Any, *default: Any) -> Any:
        """See `dict.pop`."""
        if key in self and self._tracker is not None:
            self._tracker.untrack(self[key])
        return super().pop(key, *default)

    def popitem(self) -> tuple[Any, Any]:
        """See `dict.popitem`."""
        key, value = super().popitem()
        if self._tracker is not None:
            self._tracker.untrack(value)
        return key, value

    def clear(self) -> None:
        """See `dict.clear`."""
        for key in list(self):
            del self[key]

    def __reduce_ex__(self, protocol: SupportsIndex) -> Any:
        return dict, (dict(self),)


class TrackedSet(set):  # type: ignore[type-arg]
    """A set whose layers and variables belong to the layer it is an attribute of."""

    _tracker: Tracker | None = None

    def __init__(self, values: Iterable[Any] = (), tracker: Tracker | None = None):
        self._tracker = tracker
        super().__init__(map(tracker.track, values) if tracker else values)

    def add(self, value: Any) -> None:
        """See `set.add`."""
        super().add(value if self._tracker is None else self._tracker.track(value))

    def update(self, *others: Iterable[Any]) -> None:
        """See `set.update`."""
        for values in others:
            for v in values:
                self.add(v)

    def remove(self, value: Any) -> None:
        """See `set.remove`."""
        super().remove(value)
        if self._tracker is not None:
            self._tracker.untrack(value)

    def discard(self, value: Any) -> None:
        """See `set.discard`."""
        if value in self:
            self.remove(value)

    def pop(self) -> Any:
        """See `set.pop`."""
        value = super().pop()
        if self._tracker is not None:
            self._tracker.untrack(value)
        return value

    def clear(self) -> None:
        """See `set.clear`."""
        for v in list(self):
            self.remove(v)

    def __reduce_ex__(self, protocol: SupportsIndex) -> Any:
        return set, (set(self),)


def _list_children(value: list[Any]) -> tuple[Iterable[Any], Any]:
    return list(value), None


def _dict_children(value: dict[Any, Any]) -> tuple[Iterable[Any], Any, Iterator[Any]]:
    keys = sorted(value)
    return [value[k] for k in keys], (tuple(value), tuple(keys)), iter(keys)


def _dict_from(aux: tuple[tuple[Any, ...], tuple[Any, ...]], children: Iterable[Any]) -> Any:
    order, keys = aux
    values = dict(zip(keys, children, strict=True))
    return {k: values[k] for k in order}


# In trees they are plain lists and dictionaries.
tree.register_node(TrackedList, _list_children, lambda _, children: list(children))
tree.register_node(TrackedDict, _dict_children, _dict_from)  # type: ignore[arg-type]
