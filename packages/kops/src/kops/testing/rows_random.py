"""Rows of the random ops: shapes and dtypes; the numbers are each engine's own."""

from __future__ import annotations

import numpy as np

from kops.testing.rows import Row, Sample, array, register

__all__: list[str] = []

SEED = np.array([3, 7], "uint32")
SHAPES = [(), (2, 3), (2, 0)]


def _add(seed: np.ndarray, first: int, second: int) -> np.ndarray:
    return seed + np.array([first, second], "uint32")


def _row(op: str, *samples: Sample) -> Row:
    # XLA takes seconds to compile these loops of unknown length.
    slow = op in ("random_gamma", "random_beta", "random_binomial")
    return Row(op, samples, check_values=False, jit=not slow)


register(
    [
        Row(
            "seed_add",
            [
                Sample(SEED, 0, 1),
                Sample(SEED, 2**32 - 1, 5),
                Sample(np.array([1, 2**32 - 1], "uint32"), 0, 1),
            ],
            reference=_add,
        ),
        *(
            _row(op, *[Sample(SEED, shape, "float32") for shape in SHAPES])
            for op in ("random_uniform", "random_normal", "random_truncated_normal")
        ),
        _row(
            "random_randint",
            Sample(SEED, (2, 3), 0, 5, "int32"),
            Sample(SEED, (0,), 0, 5, "uint8"),
            Sample(SEED, (2, 3), np.array([0, 1, 2], "int32"), np.array([3], "int32"), "int32"),
        ),
        _row(
            "random_gamma",
            Sample(SEED, (2, 3), array(3, low=0.5, high=2.0), "float32"),
            Sample(SEED, (2, 0), 2.0, "float32"),
        ),
        _row(
            "random_beta",
            Sample(SEED, (2, 3), array(3, low=0.5, high=2.0), 1.0, "float32"),
            Sample(SEED, (2, 0), 2.0, 1.0, "float32"),
        ),
        _row(
            "random_binomial",
            Sample(SEED, (2, 3), 4.0, array(3, low=0.2, high=0.8), "float32"),
            Sample(SEED, (2, 0), 4.0, 0.5, "float32"),
        ),
        _row(
            "random_categorical",
            Sample(SEED, array(2, 3), 4, "int32"),
            Sample(SEED, array(0, 3), 4, "int32"),
        ),
        _row("random_permutation", Sample(SEED, 5), Sample(SEED, 0)),
        _row(
            "random_dropout",
            Sample(array(3, 4), SEED, 0.5, None),
            Sample(array(3, 4), SEED, 0.5, (3, 1)),
            Sample(array(0, 4), SEED, 0.5, None),
        ),
    ]
)
