"""ReLU with a learned slope."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from klayers import constraints, initializers, regularizers
from klayers.input_spec import InputSpec
from klayers.layers._base import SameShapeLayer
from kops import ops
from kops.registry import export

__all__ = ["PReLU"]


@export("keras.layers.PReLU")
class PReLU(SameShapeLayer):
    """`x` where positive, else `alpha * x` with a trained `alpha`.

    Args:
        alpha_initializer: first value of `alpha`, whose shape is that of a sample.
        alpha_regularizer: penalty of `alpha`.
        alpha_constraint: projection of `alpha` after each update.
        shared_axes: axes along which one `alpha` serves all positions: `[1, 2]` shares it
            over the height and width of images. Counted with the batch as axis 0.

    Source: He et al., 2015, https://arxiv.org/abs/1502.01852.

    Example:

    >>> import numpy as np
    >>> layer = PReLU("ones")
    >>> ops.convert_to_numpy(layer(np.array([[-1.0, 2.0]], "float32"))).tolist()
    [[-1.0, 2.0]]
    """

    def __init__(
        self,
        alpha_initializer: Any = "Zeros",
        alpha_regularizer: Any = None,
        alpha_constraint: Any = None,
        shared_axes: int | Sequence[int] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True
        self.alpha_initializer = initializers.get(alpha_initializer)
        self.alpha_regularizer = regularizers.get(alpha_regularizer)
        self.alpha_constraint = constraints.get(alpha_constraint)
        if shared_axes is None or isinstance(shared_axes, (list, tuple)):
            self.shared_axes = None if shared_axes is None else list(shared_axes)
        else:
            self.shared_axes = [shared_axes]

    def build(self, input_shape: Sequence[int | None]) -> None:
        """Creates `alpha`."""
        shape = list(input_shape[1:])
        for axis in self.shared_axes or ():
            shape[axis - 1 if axis > 0 else axis] = 1
        if None in shape:
            raise ValueError(
                "PReLU needs the sizes of the inputs' axes, except the shared ones. "
                f"Received: input_shape={tuple(input_shape)}, shared_axes={self.shared_axes}"
            )
        self.alpha = self.add_weight(
            name="alpha",
            shape=shape,
            initializer=self.alpha_initializer,
            regularizer=self.alpha_regularizer,
            constraint=self.alpha_constraint,
        )
        own = [i for i in range(1, len(input_shape)) if i not in (self.shared_axes or ())]
        axes = {i: input_shape[i] for i in own if self.shared_axes}
        self.input_spec = InputSpec(ndim=len(input_shape), axes=axes)

    def call(self, inputs: Any) -> Any:
        """The rectified inputs."""
        negative = ops.multiply(self.alpha, ops.minimum(inputs, 0.0))
        return ops.add(ops.relu(inputs), negative)
