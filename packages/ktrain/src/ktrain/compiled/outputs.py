"""The outputs of a model: their names, and structures that are matched to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kops import tree

__all__ = ["Outputs"]

Path = tuple[Any, ...]


class Outputs:
    """The leaves of the predictions, in flattened order.

    Args:
        y_pred: predictions: tensors, symbolic or not.
        names: names of the outputs of a functional model, in flattened order.

    Attributes:
        paths: where each leaf is in the structure.
        names: each leaf's name, None for a nameless one (an item of a list).
    """

    def __init__(self, y_pred: Any, names: Sequence[str] | None = None):
        self.single = not tree.is_nested(y_pred)
        pairs = tree.flatten_with_path(y_pred)
        self.paths: list[Path] = [tuple(path) for path, _ in pairs]
        self.names: list[str | None] = [_path_name(path) for path in self.paths]
        if names is not None and len(names) == len(self.paths):
            self.names = [own or given for own, given in zip(self.names, names, strict=True)]

    def __len__(self) -> int:
        return len(self.paths)

    def describe(self) -> str:
        """The outputs' names for an error message."""
        return "[" + ", ".join(n or f"#{i}" for i, n in enumerate(self.names)) + "]"

    def index(self, key: Any) -> int | None:
        """Which output a dictionary key means: a name or a top-level key."""
        if key in self.names:
            return self.names.index(key)
        hits = [i for i, path in enumerate(self.paths) if path and path[0] == key]
        return hits[0] if len(hits) == 1 else None

    def match(self, argument: str, value: Any, is_leaf: Any) -> list[Any]:
        """One item of `value` per output; None where `value` has nothing for it.

        Args:
            argument: what `value` is called in messages.
            value: one item for all outputs, or a list or dict of items.
            is_leaf: function that tells an item from a container.

        Raises:
            ValueError: `value` does not fit the outputs.
        """
        if value is None or is_leaf(value):
            return [value] * len(self)
        result: list[Any] = [None] * len(self)
        if isinstance(value, Mapping):
            for key, item in value.items():
                self._place(argument, (key,), item, result, is_leaf)
            return result
        if _count(value, is_leaf) == len(self) and self._fits(value, (), is_leaf):
            self._place(argument, (), value, result, is_leaf)
            return result
        if len(value) != len(self):
            raise ValueError(
                f"`{argument}` has {len(value)} entries, but the model has {len(self)} outputs: "
                f"{self.describe()}. Give one entry per output (None to skip one), or a dict by "
                f"output name. Received: {argument}={value!r}"
            )
        return list(value)

    def _fits(self, value: Any, path: Path, is_leaf: Any) -> bool:
        """Whether a list has the nesting of the outputs."""
        if value is None or is_leaf(value):
            return path in self.paths
        items = value.items() if isinstance(value, Mapping) else enumerate(value)
        return all(self._fits(item, (*path, key), is_leaf) for key, item in items)

    def _place(
        self, argument: str, path: Path, value: Any, result: list[Any], is_leaf: Any
    ) -> None:
        if value is None or is_leaf(value):
            at = self.paths.index(path) if path in self.paths else None
            if at is None and len(path) == 1:
                at = self.index(path[0])
            if at is None:
                name = "/".join(map(str, path))
                raise ValueError(
                    f"`{argument}` has an entry for {name!r}, but the model has no such output. "
                    f"Its outputs are: {self.describe()}."
                )
            result[at] = value
            return
        items = value.items() if isinstance(value, Mapping) else enumerate(value)
        for key, item in items:
            self._place(argument, (*path, key), item, result, is_leaf)

    def pick(self, argument: str, value: Any, wanted: Sequence[int]) -> list[Any]:
        """The leaf of `value` (targets, weights) for each of the `wanted` outputs.

        Raises:
            ValueError: `value` does not fit the outputs.
        """
        if len(self) == 1 and not tree.is_nested(value):
            return [value]
        if isinstance(value, Mapping) and not any(map(tree.is_nested, value.values())):
            found = {self.index(key): leaf for key, leaf in value.items()}
            if all(i in found for i in wanted):
                return [found[i] for i in wanted]
        leaves = tree.flatten(value)
        if len(leaves) == len(self):
            return [leaves[i] for i in wanted]
        if len(leaves) == len(wanted):
            return leaves
        raise ValueError(
            f"`{argument}` holds {len(leaves)} arrays, but the model has {len(self)} outputs: "
            f"{self.describe()}. Pass a list with one array per output, or a dict by output name."
        )


def _count(value: Any, is_leaf: Any) -> int:
    """Number of items in nested lists and dicts."""
    if value is None or is_leaf(value):
        return 1
    items = value.values() if isinstance(value, Mapping) else value
    return sum(_count(item, is_leaf) for item in items)


def _path_name(path: Path) -> str | None:
    if not any(isinstance(key, str) for key in path):
        return None
    return "/".join(key for key in path if isinstance(key, str))
