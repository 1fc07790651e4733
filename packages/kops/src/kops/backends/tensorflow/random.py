"""Random primitives on TensorFlow: its stateless ops, keyed by the two words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tensorflow as tf

from kops.backends.tensorflow.core import native_dtype

__all__ = ["TABLE", "set_random_seed"]

Tensor = Any


def set_random_seed(seed: int) -> None:
    """Seeds TensorFlow's own generators, which a user's code may draw from."""
    tf.random.set_seed(seed)


def _seed(seed: Tensor) -> Tensor:
    # The stateless ops take signed words.
    return tf.bitcast(seed, tf.int32)


def seed_add(seed: Tensor, first: int, second: int) -> Tensor:
    return seed + tf.constant([first, second], tf.uint32)


def uniform(seed: Tensor, shape: Sequence[int], dtype: str) -> Tensor:
    return tf.random.stateless_uniform(shape, _seed(seed), dtype=native_dtype(dtype))


def normal(seed: Tensor, shape: Sequence[int], dtype: str) -> Tensor:
    return tf.random.stateless_normal(shape, _seed(seed), dtype=native_dtype(dtype))


def truncated_normal(seed: Tensor, shape: Sequence[int], dtype: str) -> Tensor:
    return tf.random.stateless_truncated_normal(shape, _seed(seed), dtype=native_dtype(dtype))


def randint(
    seed: Tensor, shape: Sequence[int], minval: Tensor, maxval: Tensor, dtype: str
) -> Tensor:
    low, high = tf.cast(minval, tf.int64), tf.cast(maxval, tf.int64)
    # From a range so wide that the remainder is even enough; bounds may differ by element.
    drawn = tf.random.stateless_uniform(
        shape, _seed(seed), minval=0, maxval=1 << 62, dtype=tf.int64
    )
    return tf.cast(low + drawn % (high - low), native_dtype(dtype))


def gamma(seed: Tensor, shape: Sequence[int], alpha: Tensor, dtype: str) -> Tensor:
    drawn = tf.random.stateless_gamma(shape, _seed(seed), alpha, dtype=tf.float32)
    return tf.cast(drawn, native_dtype(dtype))


def binomial(
    seed: Tensor, shape: Sequence[int], counts: Tensor, probabilities: Tensor, dtype: str
) -> Tensor:
    drawn = tf.random.stateless_binomial(
        shape, _seed(seed), counts, probabilities, output_dtype=tf.float32
    )
    return tf.cast(drawn, native_dtype(dtype))


def categorical(seed: Tensor, logits: Tensor, num_samples: int, dtype: str) -> Tensor:
    drawn = tf.random.stateless_categorical(logits, num_samples, _seed(seed), dtype=tf.int64)
    return tf.cast(drawn, native_dtype(dtype))


TABLE: dict[str, Any] = {
    "seed_add": seed_add,
    "random_uniform": uniform,
    "random_normal": normal,
    "random_truncated_normal": truncated_normal,
    "random_randint": randint,
    "random_gamma": gamma,
    "random_binomial": binomial,
    "random_categorical": categorical,
}
