"""The scale and the offset that normalization layers learn."""

from __future__ import annotations

from typing import Any

from klayers import constraints, initializers, regularizers
from klayers.layers._base import SameShapeLayer

__all__ = ["AffineNormalization"]


class AffineNormalization(SameShapeLayer):
    """Base of normalizations with the weights `gamma` (scale) and `beta` (offset)."""

    def _set_affine(
        self,
        center: bool,
        scale: bool,
        beta_initializer: Any,
        gamma_initializer: Any,
        beta_regularizer: Any,
        gamma_regularizer: Any,
        beta_constraint: Any,
        gamma_constraint: Any,
    ) -> None:
        self.center = center
        self.scale = scale
        self.beta_initializer = initializers.get(beta_initializer)
        self.gamma_initializer = initializers.get(gamma_initializer)
        self.beta_regularizer = regularizers.get(beta_regularizer)
        self.gamma_regularizer = regularizers.get(gamma_regularizer)
        self.beta_constraint = constraints.get(beta_constraint)
        self.gamma_constraint = constraints.get(gamma_constraint)
        self.gamma = None
        self.beta = None
        self.supports_masking = True

    def _build_affine(self, shape: tuple[int, ...], autocast: bool = True) -> None:
        if self.scale:
            self.gamma = self.add_weight(
                name="gamma",
                shape=shape,
                initializer=self.gamma_initializer,
                regularizer=self.gamma_regularizer,
                constraint=self.gamma_constraint,
                autocast=autocast,
            )
        if self.center:
            self.beta = self.add_weight(
                name="beta",
                shape=shape,
                initializer=self.beta_initializer,
                regularizer=self.beta_regularizer,
                constraint=self.beta_constraint,
                autocast=autocast,
            )

    def _known_sizes(self, input_shape: Any, axes: tuple[int, ...]) -> tuple[int, ...]:
        """The sizes of `axes`.

        Raises:
            ValueError: one of them is unknown.
        """
        sizes = tuple(input_shape[a] for a in axes)
        if None in sizes:
            raise ValueError(
                f"The sizes of the normalized axes {axes} of {type(self).__name__} must be known. "
                f"Received: input_shape={tuple(input_shape)}"
            )
        return sizes
