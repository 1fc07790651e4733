"""Gives the values of each sample another shape."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from klayers.layers._base import TensorLayer
from kops import ops
from kops.registry import export

__all__ = ["Reshape"]


@export("keras.layers.Reshape")
class Reshape(TensorLayer):
    """Arranges the values of each sample in another shape.

    Input shape: `(batch, ...)`. Output shape: `(batch, *target_shape)`.

    Args:
        target_shape: sizes without the batch. One of them may be -1: it is worked out at
            every call, so the layer can be called on inputs of different sizes.

    Raises:
        ValueError: the sizes do not hold as many values as the input.

    Example:

    >>> import numpy as np
    >>> tuple(Reshape((-1, 2))(np.ones((3, 8), "float32")).shape)
    (3, 4, 2)
    """

    def __init__(self, target_shape: Sequence[int], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.target_shape = tuple(target_shape)
        if self.target_shape.count(-1) > 1 or any(n < -1 for n in self.target_shape):
            raise ValueError(
                "`target_shape` must hold sizes, one of which may be -1. "
                f"Received: target_shape={target_shape!r}"
            )
        self.built = True

    def call(self, inputs: Any) -> Any:
        """The inputs in their new shape."""
        batch, *rest = ops.shape(inputs)
        return ops.reshape(inputs, (batch, *self._resolve(rest)))

    def _resolve(self, rest: Sequence[Any]) -> tuple[Any, ...]:
        """The target shape for inputs of sizes `rest`, -1 replaced."""
        target = self.target_shape
        known = math.prod(n for n in target if n != -1)
        total = math.prod(rest)
        if isinstance(total, int):
            fits = total == known if -1 not in target else known and total % known == 0
            if not fits and not (total == 0 and -1 in target):
                raise ValueError(
                    f"Reshape cannot arrange the {total} values of each sample, of shape "
                    f"{tuple(rest)}, as target_shape={target}."
                )
        if -1 not in target:
            return target
        missing = total // known if known else 0
        return tuple(missing if n == -1 else n for n in target)

    def compute_output_shape(self, input_shape: Sequence[int | None]) -> tuple[int | None, ...]:
        """Shape of the output for an input of shape `input_shape`."""
        batch, *rest = input_shape
        if None in rest:
            return (batch, *(None if n == -1 else n for n in self.target_shape))
        return (batch, *self._resolve(rest))

    def compute_output_spec(self, inputs: Any) -> Any:
        """Symbolic output for a symbolic input."""
        return super().compute_output_spec(inputs)
