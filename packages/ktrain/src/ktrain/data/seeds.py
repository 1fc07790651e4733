"""The order of shuffled data: drawn on the host, so that every engine sees the same."""

from __future__ import annotations

import random

import numpy as np

__all__ = ["shuffle_generator"]


def shuffle_generator() -> np.random.Generator:
    """A generator for one shuffle.

    It is seeded from Python's `random`, which `keras.utils.set_random_seed` seeds, so a
    run repeats and two shuffles differ.
    """
    return np.random.Generator(np.random.Philox(random.getrandbits(63)))
