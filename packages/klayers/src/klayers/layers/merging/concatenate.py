"""Joins tensors along an axis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from klayers.layers.merging.base import Merge
from kops import ops
from kops.registry import export

__all__ = ["Concatenate", "concatenate"]


@export("keras.layers.Concatenate")
class Concatenate(Merge):
    """Puts tensors one after the other along an axis.

    Input: a list of tensors whose shapes are equal except along `axis`. Output: one
    tensor.

    Args:
        axis: axis to join along.

    Raises:
        ValueError: the shapes differ along another axis.

    Example:

    >>> import numpy as np
    >>> ops.convert_to_numpy(Concatenate()([np.array([[1.0]]), np.array([[2.0, 3.0]])])).tolist()
    [[1.0, 2.0, 3.0]]
    """

    def __init__(self, axis: int = -1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axis = axis

    def call(self, inputs: Sequence[Any]) -> Any:
        """The joined inputs."""
        return ops.concatenate(list(inputs), axis=self.axis)

    def compute_output_shape(self, input_shape: Sequence[Any]) -> tuple[int | None, ...]:
        """Shape of the output for inputs of shapes `input_shape`."""
        self._check(input_shape)
        shapes = [list(s) for s in input_shape]
        axis = self.axis
        total: int | None = 0
        for shape in shapes:
            total = None if total is None or shape[axis] is None else total + shape[axis]
        result = shapes[0]
        for shape in shapes[1:]:
            result = [b if a is None else a for a, b in zip(result, shape, strict=True)]
        result[axis] = total
        return tuple(result)

    def _check(self, shapes: Sequence[Any]) -> None:
        if not shapes or not all(isinstance(s, (list, tuple)) for s in shapes):
            raise ValueError(
                "Concatenate must be called on a list of one or more tensors. Received: "
                f"input_shape={shapes}"
            )
        rank = len(shapes[0])
        if not -rank <= self.axis < rank:
            raise ValueError(
                f"`axis`={self.axis} of Concatenate is out of range for inputs of rank {rank}."
            )
        for i, sizes in enumerate(zip(*shapes, strict=False)):
            known = {n for n in sizes if n is not None}
            if i != self.axis % rank and len(known) > 1 or any(len(s) != rank for s in shapes):
                raise ValueError(
                    "Concatenate needs inputs whose shapes are equal except along axis "
                    f"{self.axis}. Received: input_shape={list(shapes)}"
                )

    def compute_mask(self, inputs: Sequence[Any], mask: Any = None) -> Any:
        """The masks, joined like the inputs; an input without one counts as unmasked."""
        if mask is None:
            return None
        if not isinstance(mask, (list, tuple)) or len(mask) != len(inputs):
            raise ValueError(
                "`mask` of Concatenate must be a list with one mask (or None) for each of the "
                f"{len(inputs)} inputs. Received: mask={mask!r}"
            )
        if all(m is None for m in mask):
            return None
        full = [_full_mask(x, m) for x, m in zip(inputs, mask, strict=True)]
        joined = ops.concatenate(full, axis=self.axis)
        rank = len(inputs[0].shape)
        # A mask of the last axis says nothing new: a position is kept if any value is.
        kept = max(len(m.shape) for m in mask if m is not None)
        return ops.any(joined, axis=tuple(range(kept, rank))) if kept < rank else joined


def _full_mask(x: Any, mask: Any) -> Any:
    """`mask` at the shape of `x`."""
    if mask is None:
        return ops.ones_like(x, dtype="bool")
    mask = ops.cast(mask, "bool")
    for _ in range(len(x.shape) - len(mask.shape)):
        mask = ops.expand_dims(mask, -1)
    return ops.logical_and(mask, ops.ones_like(x, dtype="bool"))


@export("keras.layers.concatenate")
def concatenate(inputs: Sequence[Any], axis: int = -1, **kwargs: Any) -> Any:
    """Concatenate as a function: `Concatenate(axis, **kwargs)(inputs)`.

    Args:
        inputs: list of tensors whose shapes are equal except along `axis`.
        axis: axis to join along.
        kwargs: arguments of the layer, such as `name`.

    Example:

    >>> import numpy as np
    >>> ops.convert_to_numpy(concatenate([np.array([[1.0]]), np.array([[2.0, 3.0]])])).tolist()
    [[1.0, 2.0, 3.0]]
    """
    return Concatenate(axis=axis, **kwargs)(inputs)
