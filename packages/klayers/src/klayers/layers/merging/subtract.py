"""Difference of two tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from klayers.layers.merging.base import Merge
from kops import ops
from kops.registry import export

__all__ = ["Subtract", "subtract"]


@export("keras.layers.Subtract")
class Subtract(Merge):
    """Difference of two tensors, element by element: `x1 - x2`.

    Input: a list of tensors whose shapes broadcast. Axes are added after the batch to
    those of a lower rank. Output: one tensor.

    Example:

    >>> import numpy as np
    >>> a, b = np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]])
    >>> ops.convert_to_numpy(Subtract()([a, b])).tolist()
    [[-2.0, -2.0]]
    """

    combine = staticmethod(ops.subtract)
    _count = 2


@export("keras.layers.subtract")
def subtract(inputs: Sequence[Any], **kwargs: Any) -> Any:
    """Subtract as a function: `Subtract(**kwargs)(inputs)`.

    Args:
        inputs: list of tensors whose shapes broadcast.
        kwargs: arguments of the layer, such as `name`.

    Example:

    >>> import numpy as np
    >>> ops.convert_to_numpy(subtract([np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]])])).tolist()
    [[-2.0, -2.0]]
    """
    return Subtract(**kwargs)(inputs)
