"""Chooses the source for what the user passed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kops import config
from ktrain.data.arrays import ArraySource, holds_arrays
from ktrain.data.class_weights import ClassWeights
from ktrain.data.iterables import IterableSource, TensorFlowSource, is_tensorflow_dataset
from ktrain.data.pydataset import PyDataset, PyDatasetSource
from ktrain.data.source import Feed, Source

__all__ = ["make_feed", "make_source"]


def make_source(
    engine: Any,
    x: Any,
    y: Any = None,
    sample_weight: Any = None,
    batch_size: int | None = None,
    shuffle: bool | str = False,
    class_weight: ClassWeights | None = None,
) -> Source:
    """The source of batches for `x` and what belongs to it.

    Args:
        engine: the engine that the batches are for.
        x: arrays, tensors or data frames (or nested structures of them), a generator, a
            `PyDataset`, a torch `DataLoader`, a `tf.data.Dataset` or another iterable.
        y: targets; only with arrays.
        sample_weight: weights per sample; only with arrays.
        batch_size: rows of a batch, 32 by default; only with arrays.
        shuffle: whether the order changes in each epoch; with arrays and `PyDataset`.
        class_weight: weights per class.

    Raises:
        ValueError: the data is of no known kind, or an argument does not go with it.
    """
    _check_batch_size(batch_size)
    if holds_arrays(x):
        _check_arrays(y, sample_weight, class_weight)
        return ArraySource(engine, x, y, sample_weight, batch_size or 32, shuffle, class_weight)
    kind = type(x).__name__
    if (
        x is None
        or isinstance(x, (str, bytes, int, float, list, tuple, dict))
        or not isinstance(x, Iterable)
    ):
        if not isinstance(x, PyDataset):
            raise ValueError(_unknown(x))
    for name, value in (("y", y), ("sample_weight", sample_weight)):
        if value is not None:
            raise ValueError(
                f"`{name}` was passed although `x` is a {kind}. Such data yields its own "
                "targets and weights: let it yield `(x, y)` or `(x, y, sample_weight)`."
            )
    if isinstance(x, PyDataset):
        return PyDatasetSource(engine, x, bool(shuffle), class_weight)
    if is_tensorflow_dataset(x):
        return TensorFlowSource(engine, x, class_weight)
    return IterableSource(engine, x, class_weight)


def make_feed(source: Source, steps: int | None = None) -> Feed:
    """A feed over `source`, its epoch capped by `KERAS_MAX_STEPS_PER_EPOCH` if that is set."""
    cap = config.max_steps_per_epoch()
    if cap is not None:
        steps = cap if steps is None else min(steps, cap)
    return Feed(source, steps)


def _check_batch_size(batch_size: Any) -> None:
    if batch_size is None:
        return
    if isinstance(batch_size, bool) or not hasattr(batch_size, "__index__") or batch_size < 1:
        raise ValueError(f"`batch_size` must be a positive int or None; got {batch_size!r}.")


def _check_arrays(y: Any, sample_weight: Any, class_weight: ClassWeights | None) -> None:
    for name, value in (("y", y), ("sample_weight", sample_weight)):
        if value is not None and not holds_arrays(value):
            raise ValueError(
                f"`{name}` must be an array, or a structure of arrays, like `x`; got "
                f"{_describe(value)}."
            )
    if class_weight is None:
        return
    if y is None:
        raise ValueError("`class_weight` needs targets, but `y` is None.")
    if sample_weight is not None:
        raise ValueError(
            "`class_weight` and `sample_weight` cannot be used together. Multiply the weight "
            "of each sample's class into `sample_weight`."
        )
    if isinstance(y, (list, tuple, dict)):
        raise ValueError(
            "`class_weight` works for models with one output. Pass `sample_weight` with one "
            "array per output."
        )


def _describe(value: Any) -> str:
    text = repr(value)
    return f"{text if len(text) < 80 else text[:77] + '...'} (a {type(value).__name__})"


def _unknown(x: Any) -> str:
    hint = ""
    if isinstance(x, (list, tuple)) and x:
        hint = " A list of numbers must become an array first: `np.array(x)`."
    return (
        f"Cannot read data from x = {_describe(x)}. Pass a NumPy array, a tensor, a data frame, "
        "a list or dict of these, a generator, a `keras.utils.PyDataset`, a torch `DataLoader` "
        f"or a `tf.data.Dataset`.{hint}"
    )
