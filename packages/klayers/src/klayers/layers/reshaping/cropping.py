"""Cuts off the borders of sequences, images and volumes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from klayers.input_spec import InputSpec
from klayers.layers._base import TensorLayer
from klayers.layers.reshaping.borders import Borders, border_pairs
from kops import ops
from kops.registry import export
from kops.windows import data_format_of

__all__ = ["Cropping1D", "Cropping2D", "Cropping3D"]


class _Cropping(TensorLayer):
    """Base: `pairs` has the amounts before and after each spatial axis."""

    rank: int
    data_format = "channels_last"

    def _set_pairs(self, pairs: Borders, data_format: str | None) -> None:
        self._pairs = pairs
        self._first = 1 if data_format_of(data_format) == "channels_last" else 2
        self.input_spec = InputSpec(ndim=self.rank + 2)

    def call(self, inputs: Any) -> Any:
        """The inner part of the inputs."""
        self._check(inputs.shape)
        key: list[slice] = [slice(None)] * (self.rank + 2)
        for axis, (before, after) in enumerate(self._pairs, self._first):
            key[axis] = slice(before, -after if after else None)
        return ops.get_item(inputs, tuple(key))

    def _check(self, shape: Sequence[int | None]) -> None:
        for axis, (before, after) in enumerate(self._pairs, self._first):
            size = shape[axis]
            if size is not None and before + after >= size:
                raise ValueError(
                    f"`cropping`={self.cropping} leaves nothing of axis {axis} of an input of "  # type: ignore
                    f"shape {tuple(shape)}. Crop less than {size} there."
                )

    def compute_output_shape(self, input_shape: Sequence[int | None]) -> tuple[int | None, ...]:
        """Shape of the output for an input of shape `input_shape`."""
        self._check(input_shape)
        shape = list(input_shape)
        for axis, (before, after) in enumerate(self._pairs, self._first):
            size = shape[axis]
            shape[axis] = None if size is None else size - before - after
        return tuple(shape)


@export("keras.layers.Cropping1D")
class Cropping1D(_Cropping):
    """Cuts values off both ends of each spatial axis of sequences.

    Input shape: `(batch, steps, channels)`.
    Output shape: the same, with smaller spatial sizes.

    Args:
        cropping: `(before, after)`, or an int for both.

    Example:

    >>> import numpy as np
    >>> tuple(Cropping1D(1)(np.ones((2, 6, 3), "float32")).shape)
    (2, 4, 3)
    """

    rank = 1

    def __init__(self, cropping: Any = (1, 1), **kwargs: Any) -> None:
        super().__init__(**kwargs)
        pairs = border_pairs(cropping, 1, "cropping")
        self.cropping = pairs[0]
        self._set_pairs(pairs, "channels_last")


@export("keras.layers.Cropping2D")
class Cropping2D(_Cropping):
    """Cuts values off both ends of each spatial axis of images.

    Input shape: `(batch, height, width, channels)` with
    `data_format="channels_last"`, channels after the batch with `"channels_first"`.
    Output shape: the same, with smaller spatial sizes.

    Args:
        cropping: `((top, bottom), (left, right))`, two ints for height and
            width, or one int for all four sides.
        data_format: where the channels are; the configured default for None.

    Example:

    >>> import numpy as np
    >>> tuple(Cropping2D(1)(np.ones((2, 6, 6, 3), "float32")).shape)
    (2, 4, 4, 3)
    """

    rank = 2

    def __init__(
        self, cropping: Any = ((0, 0), (0, 0)), data_format: str | None = None, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        pairs = border_pairs(cropping, 2, "cropping")
        self.cropping = pairs
        self.data_format = data_format_of(data_format)
        self._set_pairs(pairs, self.data_format)


@export("keras.layers.Cropping3D")
class Cropping3D(_Cropping):
    """Cuts values off both ends of each spatial axis of volumes.

    Input shape: `(batch, depth, height, width, channels)` with
    `data_format="channels_last"`, channels after the batch with `"channels_first"`.
    Output shape: the same, with smaller spatial sizes.

    Args:
        cropping: three pairs `(before, after)`, three ints, or one int for all sides.
        data_format: where the channels are; the configured default for None.

    Example:

    >>> import numpy as np
    >>> tuple(Cropping3D(1)(np.ones((2, 6, 6, 6, 3), "float32")).shape)
    (2, 4, 4, 4, 3)
    """

    rank = 3

    def __init__(
        self,
        cropping: Any = ((1, 1), (1, 1), (1, 1)),
        data_format: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        pairs = border_pairs(cropping, 3, "cropping")
        self.cropping = pairs
        self.data_format = data_format_of(data_format)
        self._set_pairs(pairs, self.data_format)
