"""Masks the steps that hold a given value."""

from __future__ import annotations

from typing import Any

from klayers.layers._base import SameShapeLayer
from kops import ops
from kops.registry import export

__all__ = ["Masking"]


@export("keras.layers.Masking")
class Masking(SameShapeLayer):
    """Masks, for the layers that follow, the steps whose features all equal `mask_value`.

    The output is 0 at masked steps.

    Input shape: `(batch, steps, features)`. Output shape: the same.

    Args:
        mask_value: the value that marks padding.

    Example:

    >>> import numpy as np
    >>> layer = Masking()
    >>> ops.convert_to_numpy(layer.compute_mask(np.array([[[0.0, 0.0], [1.0, 0.0]]]))).tolist()
    [[False, True]]
    """

    def __init__(self, mask_value: float = 0.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.mask_value = mask_value
        self.supports_masking = True
        self.built = True

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """True for the steps that count."""
        return ops.any(ops.not_equal(inputs, self.mask_value), axis=-1)

    def call(self, inputs: Any) -> Any:
        """The inputs, 0 at masked steps."""
        kept = ops.any(ops.not_equal(inputs, self.mask_value), axis=-1, keepdims=True)
        return ops.multiply(inputs, ops.cast(kept, inputs.dtype))
