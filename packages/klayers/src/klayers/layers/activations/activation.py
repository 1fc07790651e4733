"""Any activation function as a layer."""

from __future__ import annotations

from typing import Any

from klayers import activations
from klayers.layers._base import SameShapeLayer
from kops.registry import export

__all__ = ["Activation"]


@export("keras.layers.Activation")
class Activation(SameShapeLayer):
    """Applies an activation function.

    Args:
        activation: name of an activation, or a callable.

    Example:

    >>> import numpy as np

    >>> from kops import ops
    >>> ops.convert_to_numpy(Activation("relu")(np.array([-1.0, 2.0], "float32"))).tolist()
    [0.0, 2.0]
    """

    def __init__(self, activation: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True
        self.activation = activations.get(activation)
        self.built = True

    def call(self, inputs: Any) -> Any:
        """`activation(inputs)`."""
        return self.activation(inputs)
