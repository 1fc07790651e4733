"""Random primitives on NumPy: Philox keyed by the two words of the seed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np

__all__ = ["TABLE"]

Array = np.ndarray


def _generator(seed: Array) -> np.random.Generator:
    first, second = seed.tolist()
    return np.random.Generator(np.random.Philox(key=first | second << 64))


def _dtype(name: str) -> Any:
    return ml_dtypes.bfloat16 if name == "bfloat16" else np.dtype(name)


def _drawn(dtype: str) -> Any:
    """The type to draw in: NumPy has float32 and float64."""
    return np.float64 if dtype == "float64" else np.float32


def _as(values: Any, dtype: str) -> Array:
    return np.asarray(values).astype(_dtype(dtype), copy=False)


def seed_add(seed: Array, first: int, second: int) -> Array:
    # A number too large for one word would be refused; the sum of words wraps around.
    return seed + np.array([first, second], "uint32")


def uniform(seed: Array, shape: Sequence[int], dtype: str) -> Array:
    return _as(_generator(seed).random(shape, _drawn(dtype)), dtype)


def normal(seed: Array, shape: Sequence[int], dtype: str) -> Array:
    return _as(_generator(seed).standard_normal(shape, _drawn(dtype)), dtype)


def truncated_normal(seed: Array, shape: Sequence[int], dtype: str) -> Array:
    rng = _generator(seed)
    values = np.asarray(rng.standard_normal(shape, _drawn(dtype))).reshape(-1)
    beyond = np.flatnonzero(np.abs(values) > 2)
    while beyond.size:
        again = rng.standard_normal(beyond.size, _drawn(dtype))
        values[beyond] = again
        beyond = beyond[np.abs(again) > 2]
    return _as(values.reshape(shape), dtype)


def randint(seed: Array, shape: Sequence[int], minval: Array, maxval: Array, dtype: str) -> Array:
    low, high = np.asarray(minval).astype("int64"), np.asarray(maxval).astype("int64")
    return _as(_generator(seed).integers(low, high, size=shape), dtype)


def gamma(seed: Array, shape: Sequence[int], alpha: Array, dtype: str) -> Array:
    return _as(_generator(seed).standard_gamma(alpha, size=shape), dtype)


def beta(seed: Array, shape: Sequence[int], alpha: Array, beta: Array, dtype: str) -> Array:
    return _as(_generator(seed).beta(alpha, beta, size=shape), dtype)


def binomial(
    seed: Array, shape: Sequence[int], counts: Array, probabilities: Array, dtype: str
) -> Array:
    # NaN marks a count or probability that has no distribution.
    counts = np.asarray(counts)
    tries = np.nan_to_num(counts, nan=0.0).astype("int64")
    return _as(_generator(seed).binomial(tries, probabilities, size=shape), dtype)


def categorical(seed: Array, logits: Array, num_samples: int, dtype: str) -> Array:
    # The inverse of the cumulative distribution: one uniform number a draw.
    wide = logits.astype("float64")
    weights = np.exp(wide - wide.max(axis=-1, keepdims=True)) if wide.size else wide
    cumulative = weights.cumsum(axis=-1)
    draws = _generator(seed).random((logits.shape[0], num_samples))
    classes = np.empty(draws.shape, "int64")
    for row, (bounds, u) in enumerate(zip(cumulative, draws, strict=True)):
        classes[row] = np.searchsorted(bounds, u * bounds[-1], side="right")
    return _as(np.minimum(classes, logits.shape[1] - 1), dtype)


def permutation(seed: Array, n: int) -> Array:
    return _generator(seed).permutation(n).astype("int32")


TABLE: dict[str, Any] = {
    "seed_add": seed_add,
    "random_uniform": uniform,
    "random_normal": normal,
    "random_truncated_normal": truncated_normal,
    "random_randint": randint,
    "random_gamma": gamma,
    "random_beta": beta,
    "random_binomial": binomial,
    "random_categorical": categorical,
    "random_permutation": permutation,
}
