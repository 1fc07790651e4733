"""Mean of tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from klayers.layers.merging.base import Merge
from kops import ops
from kops.registry import export

__all__ = ["Average", "average"]


@export("keras.layers.Average")
class Average(Merge):
    """Mean of tensors, element by element: `(x1 + x2 + …) / n`.

    Input: a list of tensors whose shapes broadcast. Axes are added after the batch to
    those of a lower rank. Output: one tensor.

    Example:

    >>> import numpy as np
    >>> a, b = np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]])
    >>> ops.convert_to_numpy(Average()([a, b])).tolist()
    [[2.0, 3.0]]
    """

    combine = staticmethod(ops.add)

    def call(self, inputs: Sequence[Any]) -> Any:
        """The mean of the inputs."""
        return ops.divide(super().call(inputs), len(inputs))


@export("keras.layers.average")
def average(inputs: Sequence[Any], **kwargs: Any) -> Any:
    """Average as a function: `Average(**kwargs)(inputs)`.

    Args:
        inputs: list of tensors whose shapes broadcast.
        kwargs: arguments of the layer, such as `name`.

    Example:

    >>> import numpy as np
    >>> ops.convert_to_numpy(average([np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]])])).tolist()
    [[2.0, 3.0]]
    """
    return Average(**kwargs)(inputs)
