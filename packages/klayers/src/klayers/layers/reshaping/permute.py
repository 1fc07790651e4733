"""Reorders axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from klayers.input_spec import InputSpec
from klayers.layers._base import TensorLayer
from kops import ops
from kops.registry import export

__all__ = ["Permute"]


@export("keras.layers.Permute")
class Permute(TensorLayer):
    """Puts the axes after the batch in another order.

    Args:
        dims: for each axis of the output the axis of the input, counted from 1 (0 is the
            batch): `(2, 1)` swaps two axes.

    Raises:
        ValueError: `dims` is no permutation of 1 to its length.

    Example:

    >>> import numpy as np
    >>> tuple(Permute((2, 1))(np.ones((5, 10, 64), "float32")).shape)
    (5, 64, 10)
    """

    def __init__(self, dims: Sequence[int], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.dims = tuple(dims)
        if sorted(self.dims) != list(range(1, len(self.dims) + 1)):
            raise ValueError(
                f"`dims` must hold each axis from 1 to their number once. Received: dims={dims!r}"
            )
        self.input_spec = InputSpec(ndim=len(self.dims) + 1)

    def call(self, inputs: Any) -> Any:
        """The inputs with permuted axes."""
        return ops.transpose(inputs, (0, *self.dims))

    def compute_output_shape(self, input_shape: Sequence[int | None]) -> tuple[int | None, ...]:
        """Shape of the output for an input of shape `input_shape`."""
        return (input_shape[0], *(input_shape[d] for d in self.dims))

    def compute_output_spec(self, inputs: Any) -> Any:
        """Symbolic output for a symbolic input."""
        return super().compute_output_spec(inputs)
