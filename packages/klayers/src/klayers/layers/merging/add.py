"""Sum of tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from klayers.layers.merging.base import Merge
from kops import ops
from kops.registry import export

__all__ = ["Add", "add"]


@export("keras.layers.Add")
class Add(Merge):
    """Sum of tensors, element by element: `x1 + x2 + …`.

    Input: a list of tensors whose shapes broadcast. Axes are added after the batch to
    those of a lower rank. Output: one tensor.

    Example:

    >>> import numpy as np
    >>> a, b = np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]])
    >>> ops.convert_to_numpy(Add()([a, b])).tolist()
    [[4.0, 6.0]]
    """

    combine = staticmethod(ops.add)


@export("keras.layers.add")
def add(inputs: Sequence[Any], **kwargs: Any) -> Any:
    """Add as a function: `Add(**kwargs)(inputs)`.

    Args:
        inputs: list of tensors whose shapes broadcast.
        kwargs: arguments of the layer, such as `name`.

    Example:

    >>> import numpy as np
    >>> ops.convert_to_numpy(add([np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]])])).tolist()
    [[4.0, 6.0]]
    """
    return Add(**kwargs)(inputs)
