"""Data that comes batch by batch: generators, loaders, `tf.data` datasets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ktrain.data.class_weights import ClassWeights
from ktrain.data.host import host_array
from ktrain.data.packing import pack_x_y_sample_weight, unpack_x_y_sample_weight
from ktrain.data.source import Source

__all__ = ["IterableSource", "TensorFlowSource", "is_tensorflow_dataset", "with_class_weight"]


def is_tensorflow_dataset(x: Any) -> bool:
    """Whether `x` is a `tf.data.Dataset`, told without importing TensorFlow."""
    return any(
        c.__module__.startswith("tensorflow.") and c.__name__ in ("DatasetV2", "DistributedDataset")
        for c in type(x).__mro__
    )


def with_class_weight(batch: Any, weights: ClassWeights | None) -> Any:
    """The batch with sample weights that follow from its targets.

    Raises:
        ValueError: the batch has no targets, or has sample weights already.
    """
    if weights is None:
        return batch
    x, y, sample_weight = unpack_x_y_sample_weight(batch)
    if y is None or sample_weight is not None:
        raise ValueError(
            "`class_weight` needs batches `(x, y)`; got batches "
            + ("without targets." if y is None else "that carry sample weights of their own.")
        )
    return pack_x_y_sample_weight(x, y, weights(host_array(y)))


class IterableSource(Source):
    """Batches that an iterable yields.

    Args:
        engine: the engine that the batches are for.
        data: an iterable of `x`, `(x,)`, `(x, y)` or `(x, y, sample_weight)`. An iterator
            (such as a generator) can be gone through once.
        class_weight: weights per class.
    """

    def __init__(self, engine: Any, data: Iterable[Any], class_weight: ClassWeights | None = None):
        self._engine = engine
        self._data = data
        self._class_weight = class_weight
        self.repeats = iter(data) is not data if not hasattr(data, "__next__") else False
        try:
            self.num_batches = len(data)  # type: ignore[arg-type]
        except (TypeError, NotImplementedError):
            self.num_batches = None

    def _raw(self) -> Iterator[Any]:
        return iter(self._data)

    def epoch(self) -> Iterator[Any]:
        """The batches, moved to the device one by one."""
        move, weights = self._engine.to_device, self._class_weight
        for batch in self._raw():
            # A loader yields a bare tensor when there is nothing but x.
            batch = tuple(batch) if isinstance(batch, list) else batch
            yield move(with_class_weight(batch, weights))


class TensorFlowSource(IterableSource):
    """Batches of a `tf.data.Dataset`.

    Args:
        engine: the engine that the batches are for.
        data: the dataset, batched.
        class_weight: weights per class.
    """

    def __init__(self, engine: Any, data: Any, class_weight: ClassWeights | None = None):
        self._engine = engine
        self._data = data
        self._class_weight = class_weight
        self.repeats = True
        cardinality = getattr(data, "cardinality", None)
        count = -2 if cardinality is None else int(cardinality())
        self.num_batches = count if count >= 0 else None
        self.infinite = count == -1

    def _raw(self) -> Iterator[Any]:
        if self._engine.NAME == "tensorflow" or not hasattr(self._data, "as_numpy_iterator"):
            return iter(self._data)
        return self._data.as_numpy_iterator()
