"""A layer applied to each step of a sequence."""

from __future__ import annotations

from typing import Any

from klayers.layer import Layer
from klayers.layers.core.wrapper import Wrapper
from kops import ops
from kops.registry import export

__all__ = ["TimeDistributed"]


@export("keras.layers.TimeDistributed")
class TimeDistributed(Wrapper):
    """Applies one layer, with the same weights, to each step of a sequence.

    Input shape: `(batch, steps, ...)`. Output shape: `(batch, steps, ...)`.

    The steps are joined with the batch for one call of the layer. With a mask
    `(batch, steps)` and a layer that takes masks, each step's mask is handed to it.

    Args:
        layer: the layer to apply.

    Raises:
        ValueError: the input has rank below 3.

    Example:

    >>> import numpy as np
    >>> from klayers import layers
    >>> layer = TimeDistributed(layers.Conv2D(8, 3))
    >>> tuple(layer(np.ones((2, 5, 10, 10, 3), "float32")).shape)
    (2, 5, 8, 8, 8)
    """

    def __init__(self, layer: Layer, **kwargs: Any) -> None:
        super().__init__(layer, **kwargs)
        self.supports_masking = True

    def build(self, input_shape: Any) -> None:
        """Builds the wrapped layer for one step."""
        if not self.layer.built:
            self.layer.build(_step_shape(input_shape))

    def compute_output_shape(self, input_shape: Any) -> tuple[int | None, ...]:
        """Shape of the output for an input of shape `input_shape`."""
        batch, *rest = self.layer.compute_output_shape(_step_shape(input_shape))
        return (batch, input_shape[1], *rest)

    def call(self, inputs: Any, training: bool | None = None, mask: Any = None) -> Any:
        """The layer's output for each step."""
        batch, steps, *rest = ops.shape(inputs)
        _step_shape(inputs.shape)
        keywords: dict[str, Any] = {}
        names = self.layer._call_signature.names
        if training is not None and "training" in names:
            keywords["training"] = training
        if mask is not None and "mask" in names:
            extra = ops.shape(mask)[2:]
            keywords["mask"] = ops.reshape(mask, (batch * steps, *extra))
        y = self.layer(ops.reshape(inputs, (batch * steps, *rest)), **keywords)
        return ops.reshape(y, (batch, steps, *ops.shape(y)[1:]))


def _step_shape(shape: Any) -> tuple[int | None, ...]:
    if not isinstance(shape, (list, tuple)) and not hasattr(shape, "__len__") or len(shape) < 3:
        raise ValueError(
            "TimeDistributed takes inputs of rank 3 or more: (batch, steps, ...). "
            f"Received: input_shape={tuple(shape)}"
        )
    return (shape[0], *shape[2:])
