"""Softmax as a layer, with an optional mask."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from klayers.layers._base import SameShapeLayer
from kops import dtypes, ops
from kops.registry import export

__all__ = ["Softmax"]


@export("keras.layers.Softmax")
class Softmax(SameShapeLayer):
    """`exp(x) / sum(exp(x))` along an axis: non-negative values that add up to 1.

    Args:
        axis: axis, or axes, of the sum.

    Call arguments:
        inputs: tensor of rank one or more.
        mask: boolean tensor that broadcasts to the inputs. Where it is False the result
            is 0.

    Example:

    >>> import numpy as np
    >>> layer = Softmax()
    >>> ops.convert_to_numpy(layer(np.zeros((1, 2), "float32"))).tolist()
    [[0.5, 0.5]]
    """

    def __init__(self, axis: int | Sequence[int] = -1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axis = axis
        self.supports_masking = True
        self.built = True

    def call(self, inputs: Any, mask: Any = None) -> Any:
        """The normalised inputs."""
        if mask is not None:
            mask = ops.cast(mask, "bool")
            inputs = ops.where(mask, inputs, lowest(inputs))
        axis = tuple(self.axis) if isinstance(self.axis, (list, tuple)) else self.axis
        if isinstance(axis, tuple) and len(axis) == 1:
            axis = axis[0]
        if isinstance(axis, tuple):
            total = ops.logsumexp(inputs, axis=axis, keepdims=True)
            y = ops.exp(ops.subtract(inputs, total))
        else:
            y = ops.softmax(inputs, axis=axis)
        # Where all is masked nothing has a share, not everything an equal one.
        return y if mask is None else ops.where(mask, y, 0.0)


def lowest(x: Any) -> float:
    """A value that stands for minus infinity in the dtype of `x`."""
    return -3e4 if dtypes.standardize(x.dtype) == "float16" else -1e9
