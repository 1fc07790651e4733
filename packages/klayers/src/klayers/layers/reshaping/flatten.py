"""Flattens all axes but the first."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from klayers.input_spec import InputSpec
from klayers.layers._base import TensorLayer
from kops import ops
from kops.registry import export
from kops.windows import data_format_of

__all__ = ["Flatten"]


@export("keras.layers.Flatten")
class Flatten(TensorLayer):
    """Joins all axes but the batch into one.

    Input shape: `(batch, ...)`. Output shape: `(batch, product of the rest)`; `(batch, 1)`
    for an input of rank 1.

    Args:
        data_format: with `"channels_first"`, channels are moved to the end first, so that
            the order of the values is that of `"channels_last"`.

    Example:

    >>> import numpy as np
    >>> tuple(Flatten()(np.ones((2, 3, 4), "float32")).shape)
    (2, 12)
    """

    def __init__(self, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.data_format = data_format_of(data_format)
        self.input_spec = InputSpec(min_ndim=1)
        self._channels_first = self.data_format == "channels_first"

    def call(self, inputs: Any) -> Any:
        """The flattened inputs."""
        ndim = len(inputs.shape)
        if self._channels_first and ndim > 1:
            inputs = ops.transpose(inputs, (0, *range(2, ndim), 1))
        batch, *rest = ops.shape(inputs)
        return ops.reshape(inputs, (batch, math.prod(rest)))

    def compute_output_shape(self, input_shape: Sequence[int | None]) -> tuple[int | None, ...]:
        """Shape of the output for an input of shape `input_shape`."""
        batch, *rest = input_shape
        return (batch, None if None in rest else math.prod(rest))  # type: ignore[arg-type]

    def compute_output_spec(self, inputs: Any) -> Any:
        """Symbolic output for a symbolic input."""
        return super().compute_output_spec(inputs)
