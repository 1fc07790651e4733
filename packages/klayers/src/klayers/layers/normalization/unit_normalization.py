"""Scaling to norm 1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from klayers.layers._base import SameShapeLayer
from kops import ops
from kops.registry import export

__all__ = ["UnitNormalization"]


@export("keras.layers.UnitNormalization")
class UnitNormalization(SameShapeLayer):
    """Scales each sample so that its L2 norm over an axis (or axes) is 1.

    Args:
        axis: axis, or axes, of the norm.

    Example:

    >>> import numpy as np
    >>> y = UnitNormalization()(np.array([[3.0, 4.0]], "float32"))
    >>> round(float(y[0, 1]), 4)
    0.8
    """

    def __init__(self, axis: int | Sequence[int] = -1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if isinstance(axis, (list, tuple)):
            self.axis: int | list[int] = list(axis)
        elif isinstance(axis, int):
            self.axis = axis
        else:
            raise TypeError(f"`axis` must be an int or a list of ints. Received: axis={axis!r}")
        self.supports_masking = True
        self.built = True

    def call(self, inputs: Any) -> Any:
        """The scaled inputs."""
        axis = tuple(self.axis) if isinstance(self.axis, list) else self.axis
        return ops.normalize(inputs, axis=axis, order=2, epsilon=1e-12)
