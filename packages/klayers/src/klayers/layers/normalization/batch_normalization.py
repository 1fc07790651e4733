"""Batch normalization."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from klayers import initializers
from klayers.input_spec import InputSpec
from klayers.layers._base import axes_tuple
from klayers.layers.normalization.affine import AffineNormalization
from kops import config as kops_config
from kops import ops
from kops.ops.normalization import batch_norm_train
from kops.registry import export

__all__ = ["BatchNormalization"]


@export("keras.layers.BatchNormalization")
class BatchNormalization(AffineNormalization):
    """Normalizes each channel by its mean and variance over the batch.

    While training (`training=True`) the statistics are those of the batch, and moving
    averages of them are kept: `moving = moving * momentum + batch * (1 - momentum)`.
    Otherwise, and always when `trainable` is False, the moving averages are used.

    Input shape: any. Output shape: that of the input.

    Args:
        axis: axis of the channels; usually -1, or 1 with `"channels_first"`.
        momentum: how slowly the moving averages follow.
        epsilon: added to the variance.
        center: whether to add the offset `beta`.
        scale: whether to multiply by `gamma`.
        beta_initializer: first value of `beta`.
        gamma_initializer: first value of `gamma`.
        moving_mean_initializer: first value of the moving mean.
        moving_variance_initializer: first value of the moving variance.
        beta_regularizer: penalty of `beta`.
        gamma_regularizer: penalty of `gamma`.
        beta_constraint: projection of `beta` after each update.
        gamma_constraint: projection of `gamma` after each update.
        renorm: whether to correct batch statistics towards moving ones (batch
            renormalization), for small batches.
        renorm_clipping: bounds `rmin`, `rmax`, `dmax` of that correction.
        renorm_momentum: how slowly its moving averages follow.
        synchronized: whether the statistics are those of all replicas together.

    Call arguments:
        inputs: the tensor.
        training: whether to use the batch's statistics.
        mask: boolean, of the shape of the first axes of the inputs: masked positions count
            in no statistic.

    Source: Ioffe and Szegedy, 2015, https://arxiv.org/abs/1502.03167; Ioffe, 2017,
    https://arxiv.org/abs/1702.03275.

    Example:

    >>> import numpy as np
    >>> layer = BatchNormalization()
    >>> y = layer(np.array([[1.0], [3.0]], "float32"), training=True)
    >>> round(float(ops.convert_to_numpy(y)[1, 0]), 2)
    1.0
    """

    def __init__(
        self,
        axis: int = -1,
        momentum: float = 0.99,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        moving_mean_initializer: Any = "zeros",
        moving_variance_initializer: Any = "ones",
        beta_regularizer: Any = None,
        gamma_regularizer: Any = None,
        beta_constraint: Any = None,
        gamma_constraint: Any = None,
        renorm: bool = False,
        renorm_clipping: dict[str, float] | None = None,
        renorm_momentum: float = 0.99,
        synchronized: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if isinstance(axis, (list, tuple)) and len(axis) == 1:
            axis = axis[0]
        if not hasattr(axis, "__index__"):
            raise TypeError(f"`axis` must be an integer. Received: axis={axis!r}")
        self.axis = int(axis)
        self.momentum = momentum
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
        self.moving_mean_initializer = initializers.get(moving_mean_initializer)
        self.moving_variance_initializer = initializers.get(moving_variance_initializer)
        self.synchronized = synchronized
        self.renorm = renorm
        self.renorm_clipping = _checked_clipping(renorm, renorm_clipping)
        self.renorm_momentum = renorm_momentum

    def build(self, input_shape: Sequence[int | None]) -> None:
        """Creates `gamma`, `beta` and the moving averages."""
        ndim = len(input_shape)
        self._axis = axes_tuple(self.axis, ndim)
        shape = self._known_sizes(input_shape, self._axis)
        self._build_affine(shape, autocast=False)
        self.moving_mean = self._moving("moving_mean", shape, self.moving_mean_initializer)
        self.moving_variance = self._moving(
            "moving_variance", shape, self.moving_variance_initializer
        )
        if self.renorm:
            self._build_renorm(shape)
        index = self._axis[0]
        self.input_spec = InputSpec(ndim=ndim, axes={self.axis: shape[0]})
        self._reduced = tuple(a for a in range(ndim) if a != index)
        self._broadcast = (1,) * index + (-1,) + (1,) * (ndim - index - 1)

    def _moving(self, name: str, shape: tuple[int, ...], initializer: Any) -> Any:
        return self.add_weight(
            name=name, shape=shape, initializer=initializer, trainable=False, autocast=False
        )

    def _build_renorm(self, shape: tuple[int, ...]) -> None:
        def stddev(shape: Any, dtype: Any = None) -> Any:
            return ops.sqrt(ops.convert_to_tensor(self.moving_variance_initializer(shape, dtype)))

        self.moving_stddev = self._moving("moving_stddev", shape, stddev)
        self.renorm_mean = self._moving("renorm_mean", shape, self.moving_mean_initializer)
        self.renorm_stddev = self._moving("renorm_stddev", shape, stddev)

    def call(self, inputs: Any, training: bool | None = None, mask: Any = None) -> Any:
        """The normalized inputs."""
        # An empty batch has no mean: it must not reach the moving statistics.
        if not (training and self.trainable) or 0 in inputs.shape:
            y = ops.batch_normalization(
                inputs,
                self.moving_mean,
                self.moving_variance,
                axis=self.axis,
                offset=self.beta,
                scale=self.gamma,
                epsilon=self.epsilon,
            )
        elif self.renorm or mask is not None or self.synchronized:
            y = self._train_unfused(inputs, mask)
        else:
            y, mean, variance = batch_norm_train(
                inputs, self.gamma, self.beta, axis=self.axis, epsilon=self.epsilon
            )
            self._follow(self.moving_mean, mean, self.momentum)
            self._follow(self.moving_variance, variance, self.momentum)
        return ops.cast(y, self.compute_dtype)

    def _follow(self, moving: Any, value: Any, momentum: float) -> None:
        moving.assign(ops.add(moving * momentum, value * (1.0 - momentum)))

    def _train_unfused(self, inputs: Any, mask: Any) -> Any:
        x = ops.cast(inputs, "float32") if self.compute_dtype != "float64" else inputs
        mean, variance = self._moments(x, mask)
        gamma, beta = self.gamma, self.beta
        self._follow(self.moving_mean, ops.stop_gradient(mean), self.momentum)
        if self.renorm:
            gamma, beta = self._renormalized(mean, variance)
            moving_variance = ops.square(self.moving_stddev) - self.epsilon
            self.moving_variance.assign(ops.maximum(moving_variance, 0.0))
        else:
            self._follow(self.moving_variance, ops.stop_gradient(variance), self.momentum)
        return ops.batch_normalization(
            x, mean, variance, axis=self.axis, offset=beta, scale=gamma, epsilon=self.epsilon
        )

    def _moments(self, x: Any, mask: Any) -> tuple[Any, Any]:
        """Mean and variance of each channel, masked positions left out."""
        axes = self._reduced
        if mask is None:
            return ops.moments(x, axes=axes, synchronized=self.synchronized)
        weights = ops.cast(mask, x.dtype)
        for _ in range(len(x.shape) - len(mask.shape)):
            weights = ops.expand_dims(weights, -1)
        weights = ops.broadcast_to(weights, ops.shape(x))
        total = ops.sum(weights, axis=axes, keepdims=True) + kops_config.epsilon()
        mean = ops.sum(weights * x, axis=axes, keepdims=True) / total
        variance = ops.sum(weights * ops.square(x - mean), axis=axes, keepdims=True) / total
        return ops.squeeze(mean, axes), ops.squeeze(variance, axes)

    def _renormalized(self, mean: Any, variance: Any) -> tuple[Any, Any]:
        """`gamma` and `beta` with the correction of batch renormalization in them."""
        stddev = ops.sqrt(variance + self.epsilon)
        r = ops.stop_gradient(stddev / self.renorm_stddev)
        d = ops.stop_gradient((mean - self.renorm_mean) / self.renorm_stddev)
        bounds = self.renorm_clipping or {}
        if bounds.get("rmin") is not None:
            r = ops.maximum(r, bounds["rmin"])
        if bounds.get("rmax") is not None:
            r = ops.minimum(r, bounds["rmax"])
        if bounds.get("dmax") is not None:
            d = ops.clip(d, -bounds["dmax"], bounds["dmax"])
        stddev = ops.stop_gradient(stddev)
        self._follow(self.renorm_mean, ops.stop_gradient(mean), self.renorm_momentum)
        self._follow(self.renorm_stddev, stddev, self.renorm_momentum)
        self._follow(self.moving_stddev, stddev, self.momentum)
        gamma = r if self.gamma is None else r * self.gamma
        beta = d if self.gamma is None else d * self.gamma
        return gamma, beta if self.beta is None else beta + self.beta


def _checked_clipping(renorm: bool, clipping: dict[str, float] | None) -> dict[str, float] | None:
    if not renorm:
        return clipping
    clipping = dict(clipping or {})
    unknown = sorted(set(clipping) - {"rmin", "rmax", "dmax"})
    if unknown:
        raise ValueError(
            "`renorm_clipping` may hold 'rmin', 'rmax' and 'dmax'. "
            f"Received the unknown keys {unknown}: renorm_clipping={clipping}"
        )
    return clipping
