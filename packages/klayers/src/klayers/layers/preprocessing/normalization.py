"""Features brought to mean 0 and variance 1, by statistics of a data set."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from klayers.layers._base import SameShapeLayer
from kops import config as kops_config
from kops import ops
from kops.registry import export

__all__ = ["Normalization"]


@export("keras.layers.Normalization")
class Normalization(SameShapeLayer):
    """`(inputs - mean) / sqrt(variance)`, with statistics that are given or learned by `adapt`.

    Args:
        axis: axis, or axes, with statistics of their own for each position; None for one
            mean and variance of everything.
        mean: the mean, broadcast along `axis`. Needs `variance`.
        variance: the variance, broadcast along `axis`. Needs `mean`.
        invert: whether to go from normalized values back to the original ones.

    Raises:
        ValueError: only one of `mean` and `variance` is given.

    Example:

    >>> import numpy as np
    >>> layer = Normalization(axis=None)
    >>> layer.adapt(np.array([1.0, 2.0, 3.0, 4.0, 5.0], "float32"))
    >>> round(float(layer(np.array([5.0], "float32"))[0]), 4)
    1.4142
    """

    def __init__(
        self,
        axis: int | Sequence[int] | None = -1,
        mean: Any = None,
        variance: Any = None,
        invert: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if axis is None:
            self.axis: tuple[int, ...] = ()
        elif isinstance(axis, int):
            self.axis = (axis,)
        else:
            self.axis = tuple(axis)
        if (mean is None) != (variance is None):
            raise ValueError(
                "`mean` and `variance` must both be given, or neither. "
                f"Received: mean={mean!r}, variance={variance!r}"
            )
        self.input_mean = mean
        self.input_variance = variance
        self.invert = invert
        self.supports_masking = True
        self._statistics: tuple[np.ndarray, np.ndarray] | None = None

    def build(self, input_shape: Sequence[int | None] | None) -> None:
        """Creates the statistics, or lays out the given ones."""
        if input_shape is None:
            return
        ndim = len(input_shape)
        kept = self._kept_axes(ndim)
        if any(input_shape[a] is None for a in kept):
            raise ValueError(
                f"The sizes of the axes `axis`={self.axis} must be known. "
                f"Received: input_shape={tuple(input_shape)}"
            )
        shape = tuple(input_shape[a] for a in kept)
        # How the statistics, laid out along `axis`, broadcast to an input.
        self._broadcast = tuple(input_shape[a] if a in kept else 1 for a in range(ndim))
        if self.input_mean is not None:
            self._set(*(_given(v, shape) for v in (self.input_mean, self.input_variance)))
            return
        for name, initializer in (("mean", "zeros"), ("variance", "ones")):
            weight = self.add_weight(
                name=name, shape=shape, initializer=initializer, trainable=False
            )
            setattr(self, f"adapt_{name}", weight)
        self.count = self.add_weight(
            name="count", shape=(), dtype="int", initializer="zeros", trainable=False
        )
        self.finalize_state()

    def _kept_axes(self, ndim: int) -> list[int]:
        kept = sorted(a + ndim if a < 0 else a for a in self.axis)
        for a in kept:
            if not 0 <= a < ndim:
                raise ValueError(f"`axis`={self.axis} is out of range for an input of rank {ndim}.")
        if len(set(kept)) != len(kept):
            raise ValueError(f"`axis`={self.axis} repeats an axis.")
        return kept

    def _set(self, mean: Any, variance: Any) -> None:
        self._statistics = (
            np.reshape(np.asarray(mean, "float32"), self._broadcast),
            np.reshape(np.asarray(variance, "float32"), self._broadcast),
        )
        self._reset_plan()

    @property
    def mean(self) -> Any:
        """The mean, in a shape that broadcasts to the inputs; None before `build`."""
        return None if self._statistics is None else self._statistics[0]

    @property
    def variance(self) -> Any:
        """The variance, in a shape that broadcasts to the inputs; None before `build`."""
        return None if self._statistics is None else self._statistics[1]

    # -- learning the statistics ------------------------------------------------------------

    def adapt(self, data: Any) -> None:
        """Takes the statistics from a data set; earlier ones are forgotten.

        Args:
            data: an array or tensor, or an iterable of batches (a `tf.data.Dataset`, a
                data loader, a generator).

        Raises:
            ValueError: the statistics were given to the constructor.
        """
        if self.input_mean is not None:
            raise ValueError(
                "`adapt` cannot be called: `mean` and `variance` were given to the constructor."
            )
        total = _Moments()
        batches = [data] if hasattr(data, "shape") or isinstance(data, list) else data
        for batch in batches:
            x = np.asarray(ops.convert_to_numpy(batch), "float64")
            if not self.built:
                self.build((None, *x.shape[1:]) if self.axis else x.shape)
            kept = self._kept_axes(x.ndim)
            total.add(x, tuple(a for a in range(x.ndim) if a not in kept))
        if total.count == 0:
            raise ValueError("`adapt` received no data: there are no statistics to learn.")
        self.adapt_mean.assign(total.mean.astype("float32"))
        self.adapt_variance.assign(total.variance.astype("float32"))
        self.count.assign(total.count)
        self.finalize_state()

    def finalize_state(self) -> None:
        """Makes the statistics in the weights those of the computation."""
        if self.input_mean is None and self.built_weights:
            self._set(self.adapt_mean.numpy(), self.adapt_variance.numpy())

    @property
    def built_weights(self) -> bool:
        """Whether the statistics are weights of this layer."""
        return hasattr(self, "adapt_mean")

    def load_own_variables(self, store: Any) -> None:
        """Reads the weights from a store."""
        super().load_own_variables(store)
        self.finalize_state()

    # -- calling ------------------------------------------------------------------------------

    def call(self, inputs: Any) -> Any:
        """The normalized inputs."""
        dtype = self.compute_dtype
        x = ops.cast(inputs, dtype)
        mean, variance = (ops.convert_to_tensor(v, dtype=dtype) for v in self._statistics_now())
        stddev = ops.maximum(ops.sqrt(variance), kops_config.epsilon())
        if self.invert:
            return ops.add(mean, ops.multiply(x, stddev))
        return ops.divide(ops.subtract(x, mean), stddev)

    def _statistics_now(self) -> tuple[np.ndarray, np.ndarray]:
        if self._statistics is None:
            raise ValueError(
                f"Layer {self.name!r} has no statistics yet. Call `adapt(data)`, or give `mean` "
                "and `variance` to the constructor."
            )
        return self._statistics

    def get_build_config(self) -> dict[str, Any] | None:
        """What `build_from_config` needs."""
        shapes = self._build_shapes
        return None if shapes is None else {"input_shape": next(iter(shapes.values()))}

    def build_from_config(self, config: dict[str, Any]) -> None:
        """Builds the layer as a config from `get_build_config` says."""
        if config:
            self.build(config["input_shape"])

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        config = super().get_config()
        for key in ("name", "trainable", "dtype"):
            config.setdefault(key, None)
        return {
            **config,
            "axis": self.axis,
            "invert": self.invert,
            "mean": _listed(self.input_mean),
            "variance": _listed(self.input_variance),
        }


class _Moments:
    """Mean and variance of batches that come one after the other (Chan et al., 1979)."""

    def __init__(self) -> None:
        self.count = 0
        self.mean: Any = 0.0
        self.variance: Any = 0.0

    def add(self, x: np.ndarray, axes: tuple[int, ...]) -> None:
        """Takes a batch in, reduced over `axes`."""
        count = math.prod(x.shape[a] for a in axes)
        if not count:
            return
        mean, variance = x.mean(axis=axes), x.var(axis=axes)
        total = self.count + count
        ours, theirs = self.count / total, count / total
        new_mean = self.mean * ours + mean * theirs
        self.variance = (self.variance + (self.mean - new_mean) ** 2) * ours + (
            variance + (mean - new_mean) ** 2
        ) * theirs
        self.mean, self.count = new_mean, total


def _given(value: Any, shape: tuple[int, ...]) -> np.ndarray:
    """A given statistic at the shape of the kept axes."""
    value = np.asarray(ops.convert_to_numpy(value), "float32")
    if value.size == math.prod(shape):
        return value.reshape(shape)
    try:
        return np.broadcast_to(value, shape)
    except ValueError as error:
        raise ValueError(
            f"A given `mean` or `variance` of shape {value.shape} does not fit the axes of sizes "
            f"{shape} that have statistics of their own."
        ) from error


def _listed(value: Any) -> Any:
    if value is None or isinstance(value, (int, float)):
        return value
    return np.asarray(ops.convert_to_numpy(value)).tolist()
