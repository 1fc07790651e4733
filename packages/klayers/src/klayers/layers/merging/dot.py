"""Products of two tensors, summed over one axis of each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from klayers.layers.merging.base import Merge
from kops import ops
from kops.registry import export

__all__ = ["Dot", "dot"]


@export("keras.layers.Dot")
class Dot(Merge):
    """Dot products of the vectors of two tensors, sample by sample.

    Input: a list of two tensors of rank 2 or more. Output: a tensor that has, after the
    batch, the other axes of the first input and those of the second; `(batch, 1)` if both
    have rank 2.

    Args:
        axes: axis to sum over, an int for both inputs or two ints.
        normalize: whether to scale the vectors to norm 1 first, which gives their cosine.

    Raises:
        ValueError: not two inputs, or sizes that differ along the axes.

    Example:

    >>> import numpy as np
    >>> ops.convert_to_numpy(Dot(axes=1)([np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]])])).tolist()
    [[11.0]]
    """

    _count = 2

    def __init__(self, axes: int | Sequence[int], normalize: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if not isinstance(axes, int):
            if not isinstance(axes, (list, tuple)):
                raise TypeError(f"`axes` must be an int or two ints. Received: axes={axes!r}")
            if len(axes) != 2 or not all(isinstance(a, int) for a in axes):
                raise ValueError(f"`axes` must be an int or two ints. Received: axes={axes!r}")
        self.axes = axes
        self.normalize = normalize

    def call(self, inputs: Sequence[Any]) -> Any:
        """The dot products."""
        x1, x2 = inputs
        axis1, axis2 = self._axes_of(x1.shape, x2.shape)
        if self.normalize:
            x1, x2 = ops.normalize(x1, axis=axis1), ops.normalize(x2, axis=axis2)
        return _batched_dot(x1, x2, axis1, axis2)

    def _axes_of(self, shape1: Any, shape2: Any) -> tuple[int, int]:
        """The axes, counted from the front."""
        axes = (self.axes, self.axes) if isinstance(self.axes, int) else self.axes
        result = []
        for axis, shape in zip(axes, (shape1, shape2), strict=True):
            rank = len(shape)
            index = axis + rank if axis < 0 else axis
            if rank < 2 or not 0 < index < rank:
                raise ValueError(
                    f"`axes`={self.axes} of Dot must name axes after the batch. "
                    f"Received inputs of shapes {tuple(shape1)} and {tuple(shape2)}"
                )
            result.append(index)
        return result[0], result[1]

    def compute_output_shape(self, input_shape: Sequence[Any]) -> tuple[int | None, ...]:
        """Shape of the output for inputs of shapes `input_shape`."""
        if len(input_shape) != 2 or not all(isinstance(s, (list, tuple)) for s in input_shape):
            raise ValueError(
                f"Dot must be called on a list of 2 inputs. Received: input_shape={input_shape}"
            )
        shape1, shape2 = (list(s) for s in input_shape)
        axis1, axis2 = self._axes_of(shape1, shape2)
        size1, size2 = shape1.pop(axis1), shape2.pop(axis2)
        if None not in (size1, size2) and size1 != size2:
            raise ValueError(
                f"The inputs of Dot differ along axes={self.axes}: {size1} and {size2}. "
                f"Received: input_shape={list(input_shape)}"
            )
        output = (*shape1, *shape2[1:])
        return (*output, 1) if len(output) == 1 else output

    def compute_mask(self, inputs: Sequence[Any], mask: Any = None) -> Any:
        """None."""
        return None


def _batched_dot(x1: Any, x2: Any, axis1: int, axis2: int) -> Any:
    """Sums over `axis1` and `axis2`, for each sample, by one matrix product."""
    batch, *sizes1 = ops.shape(x1)
    _, *sizes2 = ops.shape(x2)
    size = sizes1.pop(axis1 - 1)
    sizes2.pop(axis2 - 1)
    x1 = ops.reshape(ops.moveaxis(x1, axis1, -1), (batch, math.prod(sizes1), size))
    x2 = ops.reshape(ops.moveaxis(x2, axis2, 1), (batch, size, math.prod(sizes2)))
    output = (*sizes1, *sizes2) or (1,)
    return ops.reshape(ops.matmul(x1, x2), (batch, *output))


@export("keras.layers.dot")
def dot(inputs: Sequence[Any], axes: int | Sequence[int] = -1, **kwargs: Any) -> Any:
    """Dot as a function: `Dot(axes, **kwargs)(inputs)`.

    Args:
        inputs: list of two tensors.
        axes: axis to sum over, an int for both inputs or two ints.
        kwargs: arguments of the layer, such as `normalize`.

    Example:

    >>> import numpy as np
    >>> ops.convert_to_numpy(dot([np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]])], axes=1)).tolist()
    [[11.0]]
    """
    return Dot(axes=axes, **kwargs)(inputs)
