"""Adds zeros around sequences, images and volumes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from klayers.input_spec import InputSpec
from klayers.layers._base import TensorLayer
from klayers.layers.reshaping.borders import Borders, border_pairs
from kops import ops
from kops.registry import export
from kops.windows import data_format_of

__all__ = ["ZeroPadding1D", "ZeroPadding2D", "ZeroPadding3D"]


class _ZeroPadding(TensorLayer):
    """Base: `pairs` has the amounts before and after each spatial axis."""

    rank: int
    data_format = "channels_last"

    def _set_pairs(self, pairs: Borders, data_format: str | None) -> None:
        self._pairs = pairs
        self._first = 1 if data_format_of(data_format) == "channels_last" else 2
        self.input_spec = InputSpec(ndim=self.rank + 2)

    def call(self, inputs: Any) -> Any:
        """The inputs with zeros around them."""
        pads = [(0, 0)] * (self.rank + 2)
        pads[self._first : self._first + self.rank] = self._pairs
        return ops.pad(inputs, pads)

    def compute_output_shape(self, input_shape: Sequence[int | None]) -> tuple[int | None, ...]:
        """Shape of the output for an input of shape `input_shape`."""
        shape = list(input_shape)
        for axis, (before, after) in enumerate(self._pairs, self._first):
            size = shape[axis]
            shape[axis] = None if size is None else size + before + after
        return tuple(shape)


@export("keras.layers.ZeroPadding1D")
class ZeroPadding1D(_ZeroPadding):
    """Adds zeros at both ends of each spatial axis of sequences.

    Input shape: `(batch, steps, channels)` with
    `data_format="channels_last"`, channels after the batch with `"channels_first"`.
    Output shape: the same, with larger spatial sizes.

    Args:
        padding: `(before, after)`, or an int for both.
        data_format: where the channels are; the configured default for None.

    Example:

    >>> import numpy as np
    >>> tuple(ZeroPadding1D(1)(np.ones((2, 6, 3), "float32")).shape)
    (2, 8, 3)
    """

    rank = 1

    def __init__(self, padding: Any = 1, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        pairs = border_pairs(padding, 1, "padding")
        self.padding = pairs[0]
        self.data_format = data_format_of(data_format)
        self._set_pairs(pairs, self.data_format)


@export("keras.layers.ZeroPadding2D")
class ZeroPadding2D(_ZeroPadding):
    """Adds zeros at both ends of each spatial axis of images.

    Input shape: `(batch, height, width, channels)` with
    `data_format="channels_last"`, channels after the batch with `"channels_first"`.
    Output shape: the same, with larger spatial sizes.

    Args:
        padding: `((top, bottom), (left, right))`, two ints for height and
            width, or one int for all four sides.
        data_format: where the channels are; the configured default for None.

    Example:

    >>> import numpy as np
    >>> tuple(ZeroPadding2D(1)(np.ones((2, 6, 6, 3), "float32")).shape)
    (2, 8, 8, 3)
    """

    rank = 2

    def __init__(
        self, padding: Any = (1, 1), data_format: str | None = None, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        pairs = border_pairs(padding, 2, "padding")
        self.padding = pairs
        self.data_format = data_format_of(data_format)
        self._set_pairs(pairs, self.data_format)


@export("keras.layers.ZeroPadding3D")
class ZeroPadding3D(_ZeroPadding):
    """Adds zeros at both ends of each spatial axis of volumes.

    Input shape: `(batch, depth, height, width, channels)` with
    `data_format="channels_last"`, channels after the batch with `"channels_first"`.
    Output shape: the same, with larger spatial sizes.

    Args:
        padding: three pairs `(before, after)`, three ints, or one int for all sides.
        data_format: where the channels are; the configured default for None.

    Example:

    >>> import numpy as np
    >>> tuple(ZeroPadding3D(1)(np.ones((2, 6, 6, 6, 3), "float32")).shape)
    (2, 8, 8, 8, 3)
    """

    rank = 3

    def __init__(
        self, padding: Any = ((1, 1), (1, 1), (1, 1)), data_format: str | None = None, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        pairs = border_pairs(padding, 3, "padding")
        self.padding = pairs
        self.data_format = data_format_of(data_format)
        self._set_pairs(pairs, self.data_format)
