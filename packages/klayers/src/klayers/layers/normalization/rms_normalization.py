"""Root mean square normalization."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from klayers.layers._base import SameShapeLayer, axes_tuple
from kops import ops
from kops.registry import export

__all__ = ["RMSNormalization"]


@export("keras.layers.RMSNormalization")
class RMSNormalization(SameShapeLayer):
    """Divides by the root mean square over one or more axes, times a learned scale.

    Input shape: any. Output shape: that of the input.

    Args:
        axis: axis, or axes in any order, that the mean square is taken over.
        epsilon: added to the mean square.

    Source: Zhang and Sennrich, 2019, https://arxiv.org/abs/1910.07467.

    Example:

    >>> import numpy as np
    >>> y = RMSNormalization()(np.array([[3.0, 3.0]], "float32"))
    >>> round(float(ops.convert_to_numpy(y)[0, 1]), 4)
    1.0
    """

    def __init__(
        self, axis: int | Sequence[int] = -1, epsilon: float = 1e-6, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.axis = list(axis) if isinstance(axis, (list, tuple)) else axis
        self.epsilon = epsilon

    def build(self, input_shape: Sequence[int | None]) -> None:
        """Creates the scale, of the shape of the normalized axes."""
        axes = axes_tuple(self.axis, len(input_shape))
        self.scale = self.add_weight(
            name="scale", shape=[input_shape[a] for a in axes], initializer="ones"
        )
        self._axes = axes[0] if len(axes) == 1 else axes
        # From now on a list, as in saved files.
        self.axis = list(self.axis) if isinstance(self.axis, list) else [self.axis]

    def call(self, x: Any) -> Any:
        """The normalized inputs."""
        return ops.rms_normalization(x, scale=self.scale, axis=self._axes, epsilon=self.epsilon)
