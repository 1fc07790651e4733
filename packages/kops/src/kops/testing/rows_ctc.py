"""Rows of connectionist temporal classification."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from kops.testing.rows import ErrorCase, Row, Sample, array, register

__all__: list[str] = []


def _spelled(path: Any, blank: int) -> list[int]:
    return [label for label, _ in itertools.groupby(path) if label != blank]


def _loss(target: Any, output: Any, target_length: Any, output_length: Any, blank: int = 0) -> Any:
    """By the definition: every alignment that spells the labels counts."""
    output = np.asarray(output, "float64")
    log_p = output - np.log(np.exp(output).sum(-1, keepdims=True))
    losses = []
    for b, steps in enumerate(output_length):
        total = -np.inf
        for path in itertools.product(range(output.shape[2]), repeat=int(steps)):
            if _spelled(path, blank) == list(target[b][: target_length[b]]):
                total = np.logaddexp(total, sum(log_p[b, t, c] for t, c in enumerate(path)))
        losses.append(-total)
    return np.array(losses)


_TARGET = np.array([[1, 1, 1], [1, 2, 1], [2, 2, -1], [3, 0, 0], [0, 0, 0]])
_LENGTHS = (np.array([3, 3, 2, 1, 0]), np.array([4, 4, 4, 2, 3]))
_SCORES = array(5, 4, 4)
_OTHER = np.array([[0, 3, 0], [1, 1, 0], [3, 0, 0], [0, 0, 0], [0, 0, 0]])

rows = [
    Row(
        "ctc_loss",
        samples=[
            Sample(_TARGET, _SCORES, *_LENGTHS),
            Sample(_OTHER, _SCORES, *_LENGTHS, 2),
            Sample(_TARGET[:0], _SCORES[:0], _LENGTHS[0][:0], _LENGTHS[1][:0]),
        ],
        reference=_loss,
        errors=[
            ErrorCase((_TARGET[0], _SCORES, *_LENGTHS), match="`target`"),
            ErrorCase((_TARGET, _SCORES[0], *_LENGTHS), match="`output`"),
            ErrorCase((_TARGET, _SCORES, _LENGTHS[0][:2], _LENGTHS[1]), match="batch sizes"),
            ErrorCase((_TARGET, _SCORES, *_LENGTHS, 4), match="`mask_index`"),
        ],
        rtol=1e-4,
        atol=1e-4,
        unknown_dims="batch",
    ),
]
register(rows)
