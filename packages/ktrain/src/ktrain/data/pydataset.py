"""`PyDataset`: batches by index, made on worker threads or processes."""

from __future__ import annotations

import itertools
import multiprocessing
import warnings
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any

from kops.registry import export
from ktrain.data.class_weights import ClassWeights
from ktrain.data.iterables import with_class_weight
from ktrain.data.seeds import shuffle_generator
from ktrain.data.source import Source

__all__ = ["PyDataset", "PyDatasetSource"]


@export("keras.utils.PyDataset", "keras.utils.Sequence")
class PyDataset:
    """Base class for data sets that make a batch from its index.

    A subclass defines `__getitem__(index)`, which returns a batch `(x, y)` or
    `(x, y, sample_weight)`, and `__len__`, the number of batches (without it the data
    set has no end). `on_epoch_begin` and `on_epoch_end` may be overridden.

    Args:
        workers: threads or processes that make batches ahead of use; 1 or less makes
            them in the training thread.
        use_multiprocessing: processes instead of threads; the data set is pickled.
        max_queue_size: batches that are made ahead.

    Example:
    ```python
    >>> import numpy as np
    >>> from ktrain.data import PyDataset
    >>> class Squares(PyDataset):
    ...     def __len__(self):
    ...         return 2
    ...     def __getitem__(self, index):
    ...         return np.full((4, 1), index), np.full((4, 1), index**2)
    >>> Squares().num_batches
    2

    ```
    """

    def __init__(
        self, workers: int = 1, use_multiprocessing: bool = False, max_queue_size: int = 10
    ):
        self._workers = workers
        self._use_multiprocessing = use_multiprocessing
        self._max_queue_size = max_queue_size

    def _option(self, name: str, default: Any) -> Any:
        # A subclass that forgets `super().__init__()` gets the defaults.
        return self.__dict__.get(f"_{name}", default)

    @property
    def workers(self) -> int:
        """Threads or processes that make batches."""
        return self._option("workers", 1)

    @workers.setter
    def workers(self, value: int) -> None:
        self._workers = value

    @property
    def use_multiprocessing(self) -> bool:
        """Whether the workers are processes."""
        return self._option("use_multiprocessing", False)

    @use_multiprocessing.setter
    def use_multiprocessing(self, value: bool) -> None:
        self._use_multiprocessing = value

    @property
    def max_queue_size(self) -> int:
        """Batches that are made ahead."""
        return self._option("max_queue_size", 10)

    @max_queue_size.setter
    def max_queue_size(self, value: int) -> None:
        self._max_queue_size = value

    @property
    def num_batches(self) -> int | None:
        """Batches in an epoch; None if there is no end."""
        return len(self) if hasattr(type(self), "__len__") else None  # type: ignore[arg-type]

    def __getitem__(self, index: int) -> Any:
        """The batch at `index`."""
        raise NotImplementedError(
            f"{type(self).__name__} must define `__getitem__(index)`, which returns a batch."
        )

    def on_epoch_begin(self) -> None:
        """Called before each epoch."""

    def on_epoch_end(self) -> None:
        """Called after each epoch."""


_in_worker: PyDataset | None = None


def _start_worker(data: PyDataset) -> None:
    global _in_worker
    _in_worker = data


def _make(index: int) -> Any:
    assert _in_worker is not None
    return _in_worker[index]


class PyDatasetSource(Source):
    """Batches of a `PyDataset`, in order or shuffled, made ahead by its workers.

    Args:
        engine: the engine that the batches are for.
        data: the data set.
        shuffle: whether the batches change places in each epoch.
        class_weight: weights per class.
    """

    def __init__(
        self,
        engine: Any,
        data: PyDataset,
        shuffle: bool = False,
        class_weight: ClassWeights | None = None,
    ):
        self._engine = engine
        self._data = data
        self._shuffle = shuffle
        self._class_weight = class_weight

    @property
    def num_batches(self) -> int | None:  # type: ignore[override]
        """Batches in an epoch; it may change between epochs."""
        return self._data.num_batches

    def on_epoch_begin(self) -> None:
        self._data.on_epoch_begin()

    def on_epoch_end(self) -> None:
        self._data.on_epoch_end()

    def epoch(self) -> Iterator[Any]:
        """The batches of one epoch."""
        for batch in self._batches():
            batch = tuple(batch) if isinstance(batch, list) else batch
            yield self._engine.to_device(with_class_weight(batch, self._class_weight))

    def _indices(self) -> Iterator[int]:
        count = self.num_batches
        if count is None:
            return itertools.count()
        if self._shuffle:
            return iter(shuffle_generator().permutation(count).tolist())
        return iter(range(count))

    def _batches(self) -> Iterator[Any]:
        data = self._data
        if data.workers <= 1 and not data.use_multiprocessing:
            for index in self._indices():
                yield data[index]
            return
        with self._executor() as executor:
            make = _make if isinstance(executor, ProcessPoolExecutor) else data.__getitem__
            waiting: deque[Future[Any]] = deque()
            try:
                indices = self._indices()
                for index in itertools.islice(indices, max(1, data.max_queue_size)):
                    waiting.append(executor.submit(make, index))
                while waiting:
                    batch = waiting.popleft().result()
                    for index in itertools.islice(indices, 1):
                        waiting.append(executor.submit(make, index))
                    yield batch
            finally:
                for future in waiting:
                    future.cancel()

    def _executor(self) -> Executor:
        workers = max(1, self._data.workers)
        if not self._data.use_multiprocessing:
            return ThreadPoolExecutor(workers, thread_name_prefix="PyDataset")
        try:
            # Frameworks run threads, and a forked process would inherit their locks.
            context = multiprocessing.get_context("spawn")
            return ProcessPoolExecutor(workers, context, _start_worker, (self._data,))
        except (OSError, ValueError) as e:
            warnings.warn(f"No worker processes ({e}): batches are made on threads instead.")
            return ThreadPoolExecutor(workers)
