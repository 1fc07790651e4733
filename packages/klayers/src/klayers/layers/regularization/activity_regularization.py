"""A penalty of the values that pass through."""

from __future__ import annotations

from typing import Any

from klayers.layers._base import SameShapeLayer
from klayers.regularizers import L1L2
from kops.registry import export

__all__ = ["ActivityRegularization"]


@export("keras.layers.ActivityRegularization")
class ActivityRegularization(SameShapeLayer):
    """Passes the inputs on and adds a penalty of them to the loss.

    Args:
        l1: factor of the absolute values.
        l2: factor of the squares.

    Example:

    >>> import numpy as np
    >>> layer = ActivityRegularization(l2=0.5)
    >>> _ = layer(np.ones((1, 2), "float32"))
    >>> float(layer.losses[0])
    1.0
    """

    def __init__(self, l1: float = 0.0, l2: float = 0.0, **kwargs: Any) -> None:
        super().__init__(activity_regularizer=L1L2(l1=l1, l2=l2), **kwargs)
        self.l1 = l1
        self.l2 = l2
        self.supports_masking = True
        self.built = True

    def call(self, inputs: Any) -> Any:
        """The inputs."""
        return inputs

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        config = super().get_config()
        config.pop("activity_regularizer", None)  # follows from the other two
        return {**config, "l1": self.l1, "l2": self.l2}
