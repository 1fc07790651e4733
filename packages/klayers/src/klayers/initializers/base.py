"""The base class of initializers."""

from __future__ import annotations

from typing import Any

from kops import dtypes
from kops.registry import export

__all__ = ["Initializer", "standardize"]


@export("keras.Initializer", "keras.initializers.Initializer")
class Initializer:
    """Base of initializers: a callable from a shape to the first value of a weight.

    Initial values are drawn on the host as NumPy arrays and converted once by the
    variable that takes them, so one seed gives the same weights on every engine.

    A subclass defines `__call__(self, shape, dtype=None)`, which may return a NumPy array
    or a tensor, and `get_config` if its constructor takes arguments.

    Example:

    >>> class Half(Initializer):
    ...     def __call__(self, shape, dtype=None, **kwargs):
    ...         return np.full(shape, 0.5, dtype)
    >>> import numpy as np
    >>> Half()((2,), "float32").tolist()
    [0.5, 0.5]
    """

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        """The initial value.

        Args:
            shape: its shape.
            dtype: its dtype, `floatx` by default.
        """
        raise NotImplementedError(
            f"{type(self).__name__} must define `__call__(self, shape, dtype=None)`."
        )

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        return {}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Initializer:
        """The initializer with the arguments in `config`."""
        return cls(**config)

    def clone(self) -> Initializer:
        """A new initializer with the same arguments; without a seed it draws other values."""
        return type(self).from_config(self.get_config())


def standardize(shape: Any, dtype: Any) -> tuple[tuple[int, ...], str]:
    """`shape` as a tuple of ints and `dtype` as a name."""
    try:
        sizes = tuple(int(size) for size in shape)
    except TypeError as error:
        raise ValueError(
            f"The shape of a weight must be a sequence of integers. Received: shape={shape!r}"
        ) from error
    return sizes, dtypes.standardize(dtype)
