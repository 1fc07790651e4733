"""Group normalization."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from klayers.input_spec import InputSpec
from klayers.layers._base import axes_tuple
from klayers.layers.normalization.affine import AffineNormalization
from kops import ops
from kops.registry import export

__all__ = ["GroupNormalization"]


@export("keras.layers.GroupNormalization")
class GroupNormalization(AffineNormalization):
    """Normalizes groups of channels by their mean and variance within each sample.

    Statistics are computed in float32 also for inputs of lower precision.

    Input shape: any, of rank 2 or more. Output shape: that of the input.

    Args:
        groups: number of groups, a divisor of the number of channels. -1 makes each
            channel a group (instance normalization); 1 takes all channels together.
        axis: axis of the channels.
        epsilon: added to the variance.
        center: whether to add the offset `beta`.
        scale: whether to multiply by `gamma`.
        beta_initializer: first value of `beta`.
        gamma_initializer: first value of `gamma`.
        beta_regularizer: penalty of `beta`.
        gamma_regularizer: penalty of `gamma`.
        beta_constraint: projection of `beta` after each update.
        gamma_constraint: projection of `gamma` after each update.

    Raises:
        ValueError: `groups` does not divide the channels.

    Source: Wu and He, 2018, https://arxiv.org/abs/1803.08494.

    Example:

    >>> import numpy as np
    >>> tuple(GroupNormalization(groups=2)(np.ones((1, 3, 4), "float32")).shape)
    (1, 3, 4)
    """

    def __init__(
        self,
        groups: int = 32,
        axis: int = -1,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        beta_regularizer: Any = None,
        gamma_regularizer: Any = None,
        beta_constraint: Any = None,
        gamma_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(autocast=False, **kwargs)
        self.groups = groups
        self.axis = axis
        self.epsilon = epsilon
        self._set_affine(
            center,
            scale,
            beta_initializer,
            gamma_initializer,
            beta_regularizer,
            gamma_regularizer,
            beta_constraint,
            gamma_constraint,
        )

    def build(self, input_shape: Sequence[int | None]) -> None:
        """Creates `gamma` and `beta`."""
        ndim = len(input_shape)
        axes = axes_tuple(self.axis, ndim)
        (channels,) = self._known_sizes(input_shape, axes)
        if self.groups == -1:
            self.groups = channels
        if self.groups < 1 or channels % self.groups:
            raise ValueError(
                f"`groups` must divide the number of channels ({channels}). "
                f"Received: groups={self.groups}"
            )
        self._build_affine((channels,), autocast=False)
        self._index = axes[0]
        self.input_spec = InputSpec(ndim=ndim, axes={self.axis: channels})

    def call(self, inputs: Any) -> Any:
        """The normalized inputs."""
        index, ndim = self._index, len(inputs.shape)
        shape = ops.shape(inputs)
        size = shape[index] // self.groups
        grouped = (*shape[:index], self.groups, size, *shape[index + 1 :])
        x = ops.reshape(inputs, grouped)
        if self.compute_dtype in ("float16", "bfloat16"):
            x = ops.cast(x, "float32")
        axes = tuple(a for a in range(1, ndim + 1) if a != index)
        mean, variance = ops.moments(x, axes=axes, keepdims=True)
        x = ops.multiply(ops.subtract(x, mean), ops.rsqrt(variance + self.epsilon))
        x = ops.reshape(x, shape)
        spread = (1,) * index + (-1,) + (1,) * (ndim - index - 1)
        if self.gamma is not None:
            x = ops.multiply(x, ops.reshape(self.gamma, spread))
        if self.beta is not None:
            x = ops.add(x, ops.reshape(self.beta, spread))
        return ops.cast(x, self.compute_dtype)
