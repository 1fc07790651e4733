"""ReLU, LeakyReLU and ELU as layers."""

from __future__ import annotations

from typing import Any

from klayers import activations
from klayers.layers._base import SameShapeLayer
from kops import ops
from kops.registry import export

__all__ = ["ELU", "LeakyReLU", "ReLU"]


@export("keras.layers.ReLU")
class ReLU(SameShapeLayer):
    """Rectified linear unit, with optional cap, slope and threshold.

    The result is `max_value` where `x >= max_value`, `x` where
    `threshold <= x < max_value`, else `negative_slope * (x - threshold)`.

    Args:
        max_value: upper bound, none by default.
        negative_slope: slope below `threshold`.
        threshold: value under which inputs are damped.

    Raises:
        ValueError: an argument is negative.

    Example:

    >>> import numpy as np
    >>> ops.convert_to_numpy(ReLU(max_value=2.0)(np.array([-1.0, 1.0, 5.0], "float32"))).tolist()
    [0.0, 1.0, 2.0]
    """

    def __init__(
        self,
        max_value: float | None = None,
        negative_slope: float = 0.0,
        threshold: float = 0.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        for name, value in (("negative_slope", negative_slope), ("threshold", threshold)):
            if value is None or value < 0:
                raise ValueError(f"`{name}` must be 0 or more. Received: {name}={value!r}")
        if max_value is not None and max_value < 0:
            raise ValueError(
                f"`max_value` must be 0 or more, or None. Received: max_value={max_value!r}"
            )
        self.max_value = max_value
        self.negative_slope = negative_slope
        self.threshold = threshold
        self.supports_masking = True
        self.built = True

    def call(self, inputs: Any) -> Any:
        """The rectified inputs."""
        return activations.relu(
            inputs,
            negative_slope=self.negative_slope,
            max_value=self.max_value,
            threshold=self.threshold,
        )


@export("keras.layers.LeakyReLU")
class LeakyReLU(SameShapeLayer):
    """`x` where positive, else `negative_slope * x` (Maas et al., 2013).

    Args:
        negative_slope: slope of the negative part. `alpha` is an older name of it.

    Raises:
        ValueError: `negative_slope` is None.

    Example:

    >>> import numpy as np
    >>> ops.convert_to_numpy(LeakyReLU(0.5)(np.array([-1.0, 2.0], "float32"))).tolist()
    [-0.5, 2.0]
    """

    def __init__(self, negative_slope: float = 0.3, **kwargs: Any) -> None:
        if "alpha" in kwargs:
            negative_slope = kwargs.pop("alpha")
        super().__init__(**kwargs)
        if negative_slope is None or negative_slope < 0:
            raise ValueError(
                f"`negative_slope` must be 0 or more. Received: negative_slope={negative_slope!r}"
            )
        self.negative_slope = negative_slope
        self.supports_masking = True
        self.built = True

    def call(self, inputs: Any) -> Any:
        """The rectified inputs."""
        return ops.leaky_relu(inputs, negative_slope=self.negative_slope)


@export("keras.layers.ELU")
class ELU(SameShapeLayer):
    """`x` where positive, else `alpha * (exp(x) - 1)`.

    Args:
        alpha: scale of the negative part.

    Source: Clevert et al., 2016, https://arxiv.org/abs/1511.07289.

    Example:

    >>> import numpy as np
    >>> ops.convert_to_numpy(ELU()(np.array([0.0, 2.0], "float32"))).tolist()
    [0.0, 2.0]
    """

    def __init__(self, alpha: float = 1.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.alpha = alpha
        self.supports_masking = True
        self.built = True

    def call(self, inputs: Any) -> Any:
        """The activated inputs."""
        return ops.elu(inputs, alpha=self.alpha)
