"""Layer normalization."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from klayers.layers._base import axes_tuple
from klayers.layers.normalization.affine import AffineNormalization
from kops import ops
from kops.registry import export

__all__ = ["LayerNormalization"]


@export("keras.layers.LayerNormalization")
class LayerNormalization(AffineNormalization):
    """Normalizes each sample by its mean and variance over one or more axes.

    Statistics are computed in float32 also for inputs of lower precision.

    Input shape: any. Output shape: that of the input.

    Args:
        axis: axis, or axes in any order, that the statistics are taken over.
        epsilon: added to the variance.
        center: whether to add the offset `beta`.
        scale: whether to multiply by `gamma`.
        beta_initializer: first value of `beta`.
        gamma_initializer: first value of `gamma`.
        beta_regularizer: penalty of `beta`.
        gamma_regularizer: penalty of `gamma`.
        beta_constraint: projection of `beta` after each update.
        gamma_constraint: projection of `gamma` after each update.

    Source: Ba et al., 2016, https://arxiv.org/abs/1607.06450.

    Example:

    >>> import numpy as np
    >>> y = LayerNormalization()(np.array([[1.0, 3.0]], "float32"))
    >>> round(float(ops.convert_to_numpy(y)[0, 1]), 2)
    1.0
    """

    _config_extra: ClassVar[tuple[str, ...]] = ("rms_scaling",)

    def __init__(
        self,
        axis: int | Sequence[int] = -1,
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
        rms_scaling = kwargs.pop("rms_scaling", False)
        super().__init__(autocast=False, **kwargs)
        if isinstance(axis, (list, tuple)):
            self.axis: int | list[int] = list(axis)
        elif isinstance(axis, int):
            self.axis = axis
        else:
            raise TypeError(f"`axis` must be an int or a list of ints. Received: axis={axis!r}")
        self.epsilon = epsilon
        self.rms_scaling = rms_scaling
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
        """Creates `gamma` and `beta`, of the shape of the normalized axes."""
        axes = axes_tuple(self.axis, len(input_shape))
        shape = self._known_sizes(input_shape, axes)
        self._axes = axes[0] if len(axes) == 1 else axes
        # From now on a sorted list, as in saved files.
        self.axis = sorted([self.axis] if isinstance(self.axis, int) else self.axis)
        if self.rms_scaling:
            self.center, center = False, self.center
            self._build_affine(shape, autocast=False)
            self.center = center
        else:
            self._build_affine(shape, autocast=False)

    def call(self, inputs: Any) -> Any:
        """The normalized inputs."""
        y = ops.layer_normalization(
            inputs,
            self.gamma,
            self.beta,
            axis=self._axes,
            epsilon=self.epsilon,
            **({"rms_scaling": True} if self.rms_scaling else {}),
        )
        return ops.cast(y, self.compute_dtype)
