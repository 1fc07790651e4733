"""`Source`: where batches come from. `Feed`: how an epoch draws on a source."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from kops import tree

__all__ = ["Feed", "Source"]


class Source:
    """Batches of one kind of data.

    Attributes:
        num_batches: batches in an epoch, None if that is not known.
        repeats: whether `epoch` can be called again.
    """

    num_batches: int | None = None
    repeats: bool = True

    def epoch(self) -> Iterator[Any]:
        """The batches of one epoch, on the engine's device."""
        raise NotImplementedError

    def on_epoch_begin(self) -> None:
        """Called before each epoch."""

    def on_epoch_end(self) -> None:
        """Called after each epoch."""

    def find_nan(self) -> str | None:
        """Says which of the data hold NaN, if that can be told."""
        return None


class Feed:
    """An iterator over batches that can tell beforehand whether one is left.

    It outlives the epoch: with `steps`, the next epoch goes on where this one stopped.

    Args:
        source: where batches come from.
        steps: batches in an epoch; by default all that the source has.

    Attributes:
        count: batches handed out in this epoch.
        left: batches that this epoch may still hand out.
    """

    def __init__(self, source: Source, steps: int | None = None):
        self.source = source
        self.steps = steps
        self.left: float = 0
        self.count = 0
        self._batches: Iterator[Any] | None = None
        self._ahead: list[Any] = []
        self._started = False

    @property
    def num_batches(self) -> int | None:
        """Batches in an epoch, None if that is not known."""
        return self.source.num_batches if self.steps is None else self.steps

    def peek(self) -> Any:
        """The next batch, which stays in the feed.

        Raises:
            ValueError: there is none.
        """
        if not self._ahead and not self._fetch():
            raise ValueError(
                "The data has no batches, so there is nothing to do. Check that the generator, "
                "dataset or loader yields at least one batch."
            )
        return self._ahead[0]

    def start_epoch(self) -> None:
        """Begins an epoch."""
        self.source.on_epoch_begin()
        if self.steps is None and (self._started or self._batches is None) and self.source.repeats:
            self._batches, self._ahead = None, []
        self._started = True
        self.count = 0
        known = self.num_batches
        self.left = float("inf") if known is None else known

    def rewind(self) -> None:
        """Makes the next epoch start with the first batch, where the source allows that."""
        if self._started and self.source.repeats:
            self._batches, self._ahead = None, []

    def end_epoch(self) -> None:
        """Ends an epoch."""
        self.source.on_epoch_end()

    def _fetch(self) -> bool:
        if self._batches is None:
            self._batches = self.source.epoch()
        batch = next(self._batches, self)
        if batch is self and self.steps is not None and self.source.repeats:
            self._batches = self.source.epoch()
            batch = next(self._batches, self)
        if batch is self:
            return False
        self._ahead.append(batch)
        return True

    def has_next(self) -> bool:
        """Whether the epoch has another batch."""
        if self.left <= 0:
            return False
        if self._ahead or self._fetch():
            return True
        if self.left != float("inf"):
            warnings.warn(
                f"The data ran out {int(self.left)} batches before the end of the epoch. Make "
                "sure that it yields `steps_per_epoch * epochs` batches (use `.repeat()`, or a "
                "generator that does not end).",
                stacklevel=2,
            )
        self.left = 0
        return False

    @property
    def exhausted(self) -> bool:
        """Whether no later epoch can have a batch."""
        return not self.source.repeats and not self._ahead and not self._fetch()

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        if self.left <= 0:
            raise StopIteration
        self.left -= 1
        self.count += 1
        if self._ahead:
            return self._ahead.pop()
        if self._batches is None and not self._fetch():
            raise StopIteration
        if self._ahead:
            return self._ahead.pop()
        batch = next(self._batches, self)  # type: ignore[arg-type]
        if batch is not self:
            return batch
        if self._fetch():
            return self._ahead.pop()
        raise StopIteration


def take(batches: Iterator[Any], count: int) -> list[Any]:
    """Up to `count` batches.

    Raises:
        StopIteration: there is none.
    """
    taken = list(itertools.islice(batches, count))
    if not taken:
        raise StopIteration
    return taken


def same_shapes(batches: list[Any]) -> bool:
    """Whether all batches have the shapes of the first, so that they can be stacked."""
    first = [np.shape(leaf) for leaf in tree.flatten(batches[0])]
    return all([np.shape(leaf) for leaf in tree.flatten(b)] == first for b in batches[1:])
