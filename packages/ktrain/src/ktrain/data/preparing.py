"""Arrays made ready for training: one-hot labels, unit vectors, sequences of one length."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from kops import ops
from kops.registry import export
from kops.specs import axis_of

__all__ = ["normalize", "pad_sequences", "to_categorical"]


@export("keras.utils.to_categorical")
def to_categorical(x: Any, num_classes: int | None = None) -> Any:
    """Class numbers as rows with a 1 at the class.

    Args:
        x: class numbers, from 0 on. A last axis of size 1 is dropped.
        num_classes: number of classes; the largest number plus one if None.

    Returns:
        Shape `(*x.shape, num_classes)`: a float64 array, or a float tensor for a tensor.

    Raises:
        ValueError: a class number is negative, fractional, or not below `num_classes`.

    Example:
    ```python
    >>> from ktrain.data import to_categorical
    >>> to_categorical([0, 2]).tolist()
    [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]

    ```
    """
    values = ops.convert_to_numpy(x) if ops.is_tensor(x) else np.asarray(x)
    if values.size == 0 and num_classes is None:
        raise ValueError("`x` is empty, so `num_classes` must be given.")
    numbers = values.astype("int64") if values.dtype.kind in "fiub" else None
    if numbers is None or (numbers != values).any():
        raise ValueError(f"`x` must hold whole class numbers; got {values.ravel()[:5].tolist()}…")
    if num_classes is None:
        num_classes = int(numbers.max()) + 1
    wrong = numbers[(numbers < 0) | (numbers >= num_classes)]
    if wrong.size:
        raise ValueError(
            f"`x` must hold class numbers from 0 to {num_classes - 1} (`num_classes` is "
            f"{num_classes}); got {wrong[0]}."
        )
    if numbers.ndim > 1 and numbers.shape[-1] == 1:
        numbers = numbers[..., 0]
    result = np.zeros((*numbers.shape, num_classes))
    np.put_along_axis(result, numbers[..., None], 1.0, axis=-1)
    return ops.convert_to_tensor(result, "float32") if ops.is_tensor(x) else result


@export("keras.utils.normalize")
def normalize(x: Any, axis: int = -1, order: int | float = 2) -> Any:
    """Vectors divided by their norm; zero vectors stay zero.

    Args:
        x: array or tensor.
        axis: axis of the vectors.
        order: order of the norm, such as 2 for the Euclidean one.

    Returns:
        Array (or tensor) of the shape of `x`.

    Raises:
        ValueError: the axis is out of range.

    Example:
    ```python
    >>> from ktrain.data import normalize
    >>> normalize([[3.0, 4.0]]).tolist()
    [[0.6, 0.8]]

    ```
    """
    if ops.is_tensor(x):
        return ops.normalize(x, axis=axis, order=order)
    values = np.asarray(x)
    if values.dtype.kind != "f":
        values = values.astype("float64")
    axis = axis_of(axis, values.ndim)
    norm = np.linalg.norm(values, order, axis, keepdims=True)
    return values / np.where(norm == 0, 1, norm)


@export("keras.utils.pad_sequences", "keras.preprocessing.sequence.pad_sequences")
def pad_sequences(
    sequences: Sequence[Any],
    maxlen: int | None = None,
    dtype: Any = "int32",
    padding: str = "pre",
    truncating: str = "pre",
    value: Any = 0.0,
) -> np.ndarray:
    """Sequences of different lengths as one array.

    Args:
        sequences: lists or arrays; their steps may have axes of their own, the same in all.
        maxlen: length of the result; that of the longest sequence if None.
        dtype: dtype of the result; `object` for text.
        padding: "pre" or "post": where shorter sequences are filled up.
        truncating: "pre" or "post": where longer sequences are cut.
        value: what to fill up with.

    Returns:
        Array of shape `(len(sequences), maxlen, ...)`.

    Raises:
        ValueError: for what is no list of sequences, steps of different shapes, or an unknown
            `padding` or `truncating`.

    Example:
    ```python
    >>> from ktrain.data import pad_sequences
    >>> pad_sequences([[1], [2, 3, 4]], maxlen=2).tolist()
    [[0, 1], [3, 4]]

    ```
    """
    for name, where in (("padding", padding), ("truncating", truncating)):
        if where not in ("pre", "post"):
            raise ValueError(f"`{name}` must be 'pre' or 'post'; got {where!r}.")
    if not hasattr(sequences, "__len__"):
        raise ValueError(f"`sequences` must be a list of sequences; got {sequences!r}.")
    arrays = []
    for i, sequence in enumerate(sequences):
        if isinstance(sequence, str) or not hasattr(sequence, "__len__"):
            raise ValueError(
                f"`sequences` must be a list of sequences; its entry {i} is {sequence!r}."
            )
        arrays.append(np.asarray(sequence, object if dtype is object else None))
    if maxlen is None:
        maxlen = max(map(len, arrays), default=0)
    if isinstance(maxlen, bool) or not isinstance(maxlen, (int, np.integer)) or maxlen < 0:
        raise ValueError(f"`maxlen` must be an int of at least 0; got {maxlen!r}.")
    filled = [(i, a) for i, a in enumerate(arrays) if len(a)]
    step = filled[0][1].shape[1:] if filled else ()
    for i, a in filled:
        if a.shape[1:] != step:
            raise ValueError(
                f"The steps of all sequences must have the same shape, {step}; those of entry {i} "
                f"have {a.shape[1:]}."
            )
    if isinstance(value, str) and np.dtype(dtype).kind not in "OUS":
        raise ValueError(
            f"`value` is text, {value!r}, but `dtype` is {dtype}; pass `dtype=object`."
        )
    result = np.full((len(arrays), maxlen, *step), value, dtype)
    for i, a in filled:
        kept = a[max(0, len(a) - maxlen) :] if truncating == "pre" else a[:maxlen]
        if padding == "pre":
            result[i, maxlen - len(kept) :] = kept
        else:
            result[i, : len(kept)] = kept
    return result
