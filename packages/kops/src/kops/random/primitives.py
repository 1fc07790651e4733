"""Random ops: functions of a seed of two 32-bit words, the same on every call.

The seed is an argument like any other, so that compiled functions and gradients see
nothing unusual. `kops.random.distributions` has the functions for users.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kops import ops
from kops.op import Tensor, op_family

__all__ = [
    "random_beta",
    "random_binomial",
    "random_categorical",
    "random_dropout",
    "random_gamma",
    "random_normal",
    "random_permutation",
    "random_randint",
    "random_truncated_normal",
    "random_uniform",
    "seed_add",
]

op = op_family("random")

# Added to the first word of a seed for a second, independent stream. The counter is in
# the other word, so the two never meet. (2**32 divided by the golden ratio.)
_SECOND_STREAM = 0x9E3779B9


def _as_given(seed: Any, shape: Sequence[Any], *_: Any) -> tuple[Any, ...]:
    return tuple(shape)


def _last(*args: Any) -> str:
    return args[-1]


@op(shape=lambda seed, first, second: seed.dims)
def seed_add(seed: Tensor, first: int, second: int) -> Tensor:
    """The seed with `first` and `second` added to its words, modulo 2**32."""


@op(shape=_as_given, out=_last, random=True)
def random_uniform(seed: Tensor, shape: Sequence[int], dtype: str) -> Tensor:
    """Numbers in [0, 1)."""


@op(shape=_as_given, out=_last, random=True)
def random_normal(seed: Tensor, shape: Sequence[int], dtype: str) -> Tensor:
    """Numbers of mean 0 and standard deviation 1."""


@op(shape=_as_given, out=_last, random=True)
def random_truncated_normal(seed: Tensor, shape: Sequence[int], dtype: str) -> Tensor:
    """Standard normal numbers, those beyond 2 drawn anew."""


@op(shape=_as_given, out=_last, random=True)
def random_randint(
    seed: Tensor, shape: Sequence[int], minval: Tensor, maxval: Tensor, dtype: str
) -> Tensor:
    """Integers in [minval, maxval)."""


@op(shape=_as_given, out=_last, dtype={"alpha": "float32"}, random=True)
def random_gamma(seed: Tensor, shape: Sequence[int], alpha: Tensor, dtype: str) -> Tensor:
    """Numbers of the gamma distribution with shape parameter `alpha` and scale 1."""


@op(
    shape=_as_given,
    out=_last,
    dtype={"counts probabilities": "float32"},
    random=True,
)
def random_binomial(
    seed: Tensor, shape: Sequence[int], counts: Tensor, probabilities: Tensor, dtype: str
) -> Tensor:
    """Successes in `counts` tries, each with its probability."""


@op(
    shape=lambda seed, logits, num_samples, dtype: (logits.dims[0], num_samples),
    out=_last,
    random=True,
)
def random_categorical(seed: Tensor, logits: Tensor, num_samples: int, dtype: str) -> Tensor:
    """Classes drawn with the probabilities `softmax(logits)`, row by row."""


@op(random=True)
def random_beta(
    seed: Tensor, shape: Sequence[int], alpha: Tensor, beta: Tensor, dtype: str
) -> Tensor:
    """Numbers of the beta distribution: a gamma variate as part of the sum of two."""
    a = random_gamma(seed, shape, alpha, "float32")
    b = random_gamma(seed_add(seed, _SECOND_STREAM, 0), shape, beta, "float32")
    # Both can be too small for float32; either end is as likely then.
    total = a + b
    empty = ops.equal(total, 0.0)
    share = ops.where(empty, 0.5, a / ops.where(empty, 1.0, total))
    return ops.cast(share, dtype)


@op(random=True)
def random_permutation(seed: Tensor, n: int) -> Tensor:
    """The numbers 0 to n - 1 in random order."""
    return ops.argsort(random_uniform(seed, (n,), "float32"))


@op(random=True)
def random_dropout(
    inputs: Tensor, seed: Tensor, rate: float, noise_shape: Sequence[int] | None
) -> Tensor:
    """Zeroes values with probability `rate` and scales the others up to keep the mean."""
    shape = ops.shape(inputs) if noise_shape is None else noise_shape
    keep = ops.greater_equal(random_uniform(seed, shape, "float32"), rate)
    scaled = ops.multiply(inputs, 1.0 / (1.0 - rate))
    return ops.where(keep, scaled, ops.zeros_like(scaled))
