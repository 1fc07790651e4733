"""Element-wise maximum of tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from klayers.layers.merging.base import Merge
from kops import ops
from kops.registry import export

__all__ = ["Maximum", "maximum"]


@export("keras.layers.Maximum")
class Maximum(Merge):
    """Element-wise maximum of tensors, element by element: `max(x1, x2, …)`.

    Input: a list of tensors whose shapes broadcast. Axes are added after the batch to
    those of a lower rank. Output: one tensor.

    Example:

    >>> import numpy as np
    >>> a, b = np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]])
    >>> ops.convert_to_numpy(Maximum()([a, b])).tolist()
    [[3.0, 4.0]]
    """

    combine = staticmethod(ops.maximum)


@export("keras.layers.maximum")
def maximum(inputs: Sequence[Any], **kwargs: Any) -> Any:
    """Maximum as a function: `Maximum(**kwargs)(inputs)`.

    Args:
        inputs: list of tensors whose shapes broadcast.
        kwargs: arguments of the layer, such as `name`.

    Example:

    >>> import numpy as np
    >>> ops.convert_to_numpy(maximum([np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]])])).tolist()
    [[3.0, 4.0]]
    """
    return Maximum(**kwargs)(inputs)
