"""Element-wise minimum of tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from klayers.layers.merging.base import Merge
from kops import ops
from kops.registry import export

__all__ = ["Minimum", "minimum"]


@export("keras.layers.Minimum")
class Minimum(Merge):
    """Element-wise minimum of tensors, element by element: `min(x1, x2, …)`.

    Input: a list of tensors whose shapes broadcast. Axes are added after the batch to
    those of a lower rank. Output: one tensor.

    Example:

    >>> import numpy as np
    >>> a, b = np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]])
    >>> ops.convert_to_numpy(Minimum()([a, b])).tolist()
    [[1.0, 2.0]]
    """

    combine = staticmethod(ops.minimum)


@export("keras.layers.minimum")
def minimum(inputs: Sequence[Any], **kwargs: Any) -> Any:
    """Minimum as a function: `Minimum(**kwargs)(inputs)`.

    Args:
        inputs: list of tensors whose shapes broadcast.
        kwargs: arguments of the layer, such as `name`.

    Example:

    >>> import numpy as np
    >>> ops.convert_to_numpy(minimum([np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]])])).tolist()
    [[1.0, 2.0]]
    """
    return Minimum(**kwargs)(inputs)
