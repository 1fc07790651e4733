"""Data in memory: arrays, tensors and data frames, and nested structures of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from kops import tree
from ktrain.data.class_weights import ClassWeights
from ktrain.data.host import host_array, is_array
from ktrain.data.packing import pack_x_y_sample_weight
from ktrain.data.seeds import shuffle_generator
from ktrain.data.source import Source

__all__ = ["ArraySource", "holds_arrays", "num_samples", "split_arrays"]


def holds_arrays(x: Any) -> bool:
    """Whether `x` is an array or a non-empty nested structure of arrays."""
    if is_array(x):
        return True
    if not isinstance(x, (list, tuple, dict)):
        return False
    leaves = tree.flatten(x)
    return bool(leaves) and all(leaf is None or is_array(leaf) for leaf in leaves)


def labelled_leaves(named: dict[str, Any]) -> list[tuple[str, Any]]:
    """The arrays in nested structures, each with a readable name such as `x['a']`."""
    found = []
    for name, structure in named.items():
        for path, leaf in tree.flatten_with_path(structure):
            if leaf is not None:
                found.append((name + "".join(f"[{p!r}]" for p in path), leaf))
    return found


def num_samples(**named: Any) -> int:
    """How many samples the named structures of arrays have.

    Raises:
        ValueError: the arrays differ, or one is a scalar; the message lists them.
    """
    leaves = labelled_leaves(named)
    for name, leaf in leaves:
        if not leaf.shape:
            raise ValueError(
                f"`{name}` is a scalar; it must have one row per sample. Add an axis in front: "
                "`np.expand_dims(value, 0)`."
            )
    sizes = {int(leaf.shape[0]) for _, leaf in leaves}
    if len(sizes) > 1:
        listing = ", ".join(f"`{name}` has {leaf.shape[0]}" for name, leaf in leaves)
        raise ValueError(
            "All arrays must have the same number of samples (the size of the first axis), but "
            f"{listing}. Cut or pair them up so that row i of each belongs to sample i."
        )
    return sizes.pop()


def split_arrays(named: dict[str, Any], fraction: float) -> tuple[dict[str, Any], dict[str, Any]]:
    """Cuts off the last `fraction` of the samples of each structure.

    Raises:
        ValueError: the fraction is not between 0 and 1, or a part would be empty.
    """
    if not 0 < fraction < 1:
        raise ValueError(
            f"`validation_split` must be between 0 and 1 (say 0.2 for a fifth); got {fraction!r}."
        )
    for name, structure in named.items():
        if structure is not None and not holds_arrays(structure):
            raise ValueError(
                f"`validation_split` needs arrays, but `{name}` is {type(structure).__name__}. "
                "Split the data yourself and pass `validation_data`."
            )
    total = num_samples(**named)
    at = int(np.floor(total * (1.0 - fraction)))
    if at in (0, total):
        raise ValueError(
            f"`validation_split={fraction}` of {total} samples leaves one part empty. Give more "
            "samples or another fraction."
        )

    def part(rows: slice) -> dict[str, Any]:
        return {
            name: tree.map_structure(lambda a: None if a is None else _rows(a, rows), structure)
            for name, structure in named.items()
        }

    return part(slice(0, at)), part(slice(at, None))


def _rows(array: Any, rows: slice) -> Any:
    return (array.iloc if hasattr(array, "iloc") else array)[rows]


class ArraySource(Source):
    """Batches cut out of arrays in memory.

    Args:
        engine: the engine that the batches are for.
        x: inputs.
        y: targets.
        sample_weight: weights per sample.
        batch_size: rows of a batch; the last one may have fewer.
        shuffle: True (a new order in each epoch), "batch" (whole batches change places)
            or False.
        class_weight: weights per class.
    """

    def __init__(
        self,
        engine: Any,
        x: Any,
        y: Any = None,
        sample_weight: Any = None,
        batch_size: int = 32,
        shuffle: bool | str = False,
        class_weight: ClassWeights | None = None,
    ):
        self.size = num_samples(x=x, y=y, sample_weight=sample_weight)
        self.batch_size = batch_size
        self.num_batches = -(-self.size // batch_size)
        self._shuffle = shuffle
        self._engine = engine
        self._named = {"x": x, "y": y, "sample_weight": sample_weight}
        if class_weight is not None:
            sample_weight = class_weight(host_array(y))
        data = pack_x_y_sample_weight(x, y, sample_weight)
        self._columns = tree.map_structure(
            lambda leaf: None if leaf is None else engine.column(leaf), data
        )
        leaves = tree.flatten(self._columns)
        flat = isinstance(self._columns, tuple) and not any(map(tree.is_nested, self._columns))
        self._simple = flat and None not in leaves
        self._leaves = leaves

    def epoch(self) -> Iterator[Any]:
        """The batches of one epoch."""
        # Inside a batch the order is of no account.
        if self._shuffle and self.size > self.batch_size:
            return self._indexed(self._engine.indices(self._order()))
        return self._sliced()

    def _order(self) -> np.ndarray:
        rng = shuffle_generator()
        if self._shuffle != "batch":
            return rng.permutation(self.size)
        starts = np.arange(0, self.size, self.batch_size)
        last = starts[-1:] if self.size % self.batch_size else starts[:0]
        full = rng.permutation(starts[: len(starts) - len(last)])
        order = (full[:, None] + np.arange(self.batch_size)).ravel()
        return np.concatenate([order, np.arange(last[0], self.size)]) if len(last) else order

    def _indexed(self, order: Any) -> Iterator[Any]:
        step = self.batch_size
        starts = range(0, self.size, step)
        if self._simple and len(self._leaves) == 2:
            x, y = (leaf.rows for leaf in self._leaves)
            for start in starts:
                indices = order[start : start + step]
                yield x(indices), y(indices)
            return
        for start in starts:
            indices = order[start : start + step]
            yield self._pack([leaf.rows(indices) for leaf in self._present()])

    def _sliced(self) -> Iterator[Any]:
        for start in range(0, self.size, self.batch_size):
            stop = min(start + self.batch_size, self.size)
            yield self._pack([leaf.slice(start, stop) for leaf in self._present()])

    def _present(self) -> list[Any]:
        return self._leaves if self._simple else [c for c in self._leaves if c is not None]

    def _pack(self, values: list[Any]) -> Any:
        if self._simple:
            return tuple(values)
        found = iter(values)
        packed = [None if c is None else next(found) for c in self._leaves]
        return tree.pack_sequence_as(self._columns, packed)

    def whole(self) -> Any:
        """All rows as one batch."""
        return self._pack([leaf.slice(0, self.size) for leaf in self._present()])

    def empty_batch(self) -> Any:
        """A batch without rows."""
        return self._pack([leaf.slice(0, 0) for leaf in self._present()])

    def find_nan(self) -> str | None:
        """Names the arrays that hold NaN, with the first row that does."""
        found = []
        for name, leaf in labelled_leaves(self._named):
            values = host_array(leaf)
            if getattr(values.dtype, "kind", "") != "f":
                continue
            bad = np.isnan(values).reshape(len(values), -1).any(axis=1)
            if bad.any():
                first = int(np.argmax(bad))
                found.append(f"`{name}` has NaN in {int(bad.sum())} rows (the first: {first})")
        return "; ".join(found) or None
