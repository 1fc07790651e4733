"""Scaling of inputs to another range."""

from __future__ import annotations

from typing import Any

from klayers.layers._base import SameShapeLayer
from kops import ops
from kops.registry import export

__all__ = ["Rescaling"]


@export("keras.layers.Rescaling")
class Rescaling(SameShapeLayer):
    """`inputs * scale + offset`, in floating point.

    `Rescaling(1 / 255)` takes images from [0, 255] to [0, 1], and
    `Rescaling(1 / 127.5, offset=-1)` to [-1, 1].

    Args:
        scale: factor: a number, or a list of one per channel.
        offset: added: a number, or a list of one per channel.

    Example:

    >>> import numpy as np
    >>> ops.convert_to_numpy(Rescaling(0.5, offset=1.0)(np.array([[0, 2]], "uint8"))).tolist()
    [[1.0, 2.0]]
    """

    def __init__(self, scale: Any, offset: Any = 0.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.scale = scale
        self.offset = offset
        self.supports_masking = True

    def call(self, inputs: Any) -> Any:
        """The scaled inputs."""
        dtype = self.compute_dtype
        scale, offset = self.scale, self.offset
        if isinstance(scale, (list, tuple)):
            scale = ops.convert_to_tensor(list(scale), dtype=dtype)
        if isinstance(offset, (list, tuple)):
            offset = ops.convert_to_tensor(list(offset), dtype=dtype)
        return ops.add(ops.multiply(ops.cast(inputs, dtype), scale), offset)
