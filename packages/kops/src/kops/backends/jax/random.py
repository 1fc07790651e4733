"""Random primitives on JAX: threefry keyed by the two words of the seed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from kops.backends.jax.core import native_dtype

__all__ = ["TABLE"]

Array = jax.Array


def _key(seed: Array) -> Array:
    # Named: the user may have made another generator the default.
    return jax.random.wrap_key_data(seed, impl="threefry2x32")


def _dtype(name: str) -> Any:
    return jax.dtypes.canonicalize_dtype(native_dtype(name))


def seed_add(seed: Array, first: int, second: int) -> Array:
    return seed + np.array([first, second], "uint32")


def uniform(seed: Array, shape: Sequence[int], dtype: str) -> Array:
    return jax.random.uniform(_key(seed), tuple(shape), _dtype(dtype))


def normal(seed: Array, shape: Sequence[int], dtype: str) -> Array:
    return jax.random.normal(_key(seed), tuple(shape), _dtype(dtype))


def truncated_normal(seed: Array, shape: Sequence[int], dtype: str) -> Array:
    return jax.random.truncated_normal(_key(seed), -2.0, 2.0, tuple(shape), _dtype(dtype))


def randint(seed: Array, shape: Sequence[int], minval: Array, maxval: Array, dtype: str) -> Array:
    return jax.random.randint(_key(seed), tuple(shape), minval, maxval, _dtype(dtype))


def _nothing(shape: Sequence[int], dtype: str) -> Array:
    """The result where there is nothing to draw: XLA takes seconds to compile the draw."""
    return jnp.zeros(tuple(shape), _dtype(dtype))


def gamma(seed: Array, shape: Sequence[int], alpha: Array, dtype: str) -> Array:
    if 0 in shape:
        return _nothing(shape, dtype)
    return jax.random.gamma(_key(seed), alpha, tuple(shape), jnp.float32).astype(_dtype(dtype))


def beta(seed: Array, shape: Sequence[int], alpha: Array, beta: Array, dtype: str) -> Array:
    if 0 in shape:
        return _nothing(shape, dtype)
    drawn = jax.random.beta(_key(seed), alpha, beta, tuple(shape), jnp.float32)
    return drawn.astype(_dtype(dtype))


def binomial(
    seed: Array, shape: Sequence[int], counts: Array, probabilities: Array, dtype: str
) -> Array:
    if 0 in shape:
        return _nothing(shape, dtype)
    drawn = jax.random.binomial(_key(seed), counts, probabilities, tuple(shape), jnp.float32)
    return drawn.astype(_dtype(dtype))


def categorical(seed: Array, logits: Array, num_samples: int, dtype: str) -> Array:
    shape = (num_samples, logits.shape[0])
    return jax.random.categorical(_key(seed), logits, axis=-1, shape=shape).T.astype(_dtype(dtype))


def permutation(seed: Array, n: int) -> Array:
    return jax.random.permutation(_key(seed), n)


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
