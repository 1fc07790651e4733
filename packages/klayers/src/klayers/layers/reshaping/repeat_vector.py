"""Repeats a vector as a sequence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from klayers.input_spec import InputSpec
from klayers.layers._base import TensorLayer
from kops import ops
from kops.registry import export

__all__ = ["RepeatVector"]


@export("keras.layers.RepeatVector")
class RepeatVector(TensorLayer):
    """A sequence of `n` copies of each vector.

    Input shape: `(batch, features)`. Output shape: `(batch, n, features)`.

    Args:
        n: number of copies.

    Raises:
        TypeError: `n` is no integer.

    Example:

    >>> import numpy as np
    >>> tuple(RepeatVector(3)(np.ones((2, 32), "float32")).shape)
    (2, 3, 32)
    """

    def __init__(self, n: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.n = n
        self.input_spec = InputSpec(ndim=2)

    def call(self, inputs: Any) -> Any:
        """The repeated inputs."""
        return ops.repeat(ops.expand_dims(inputs, 1), self.n, axis=1)

    def compute_output_shape(self, input_shape: Sequence[int | None]) -> tuple[int | None, ...]:
        """Shape of the output for an input of shape `input_shape`."""
        return (input_shape[0], self.n, input_shape[1])
