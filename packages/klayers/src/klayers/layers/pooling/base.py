"""The pooling layers of any rank: over a window, over everything, to a given size."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from klayers.input_spec import InputSpec
from klayers.layers._base import TensorLayer, check_choice, int_tuple
from kops.windows import data_format_of, pool_geometry

__all__ = ["AdaptivePooling", "GlobalPooling", "Pooling"]


class Pooling(TensorLayer):
    """Base of MaxPooling and AveragePooling. A subclass sets `rank` and `pool`."""

    rank: int
    pool: Callable[..., Any]

    def __init__(
        self,
        pool_size: int | Sequence[int],
        strides: int | Sequence[int] | None = None,
        padding: str = "valid",
        data_format: str | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, **kwargs)
        self.pool_size = int_tuple(pool_size, self.rank, "pool_size")
        strides = self.pool_size if strides is None else strides
        self.strides = int_tuple(strides, self.rank, "strides")
        padding = padding.lower() if isinstance(padding, str) else padding
        self.padding = check_choice(padding, ("valid", "same"), "padding")
        self.data_format = data_format_of(data_format)
        self.input_spec = InputSpec(ndim=self.rank + 2)
        self.built = True

    def call(self, inputs: Any) -> Any:
        """The pooled inputs."""
        return type(self).pool(
            inputs,
            self.pool_size,
            strides=self.strides,
            padding=self.padding,
            data_format=self.data_format,
        )

    def compute_output_shape(self, input_shape: Sequence[int | None]) -> tuple[int | None, ...]:
        """Shape of the output for an input of shape `input_shape`."""
        out = pool_geometry(
            tuple(input_shape), self.pool_size, self.strides, self.padding, self.data_format
        ).out
        return _with_sizes(input_shape, out, self.data_format)


class GlobalPooling(TensorLayer):
    """Base of the global poolings. A subclass sets `rank` and `reduce`."""

    rank: int
    reduce: Callable[..., Any]

    def __init__(
        self, data_format: str | None = None, keepdims: bool = False, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.data_format = data_format_of(data_format)
        self.keepdims = keepdims
        first = 1 if self.data_format == "channels_last" else 2
        self._axes = tuple(range(first, first + self.rank))
        self.input_spec = InputSpec(ndim=self.rank + 2)
        self.built = True

    def call(self, inputs: Any) -> Any:
        """The inputs, reduced over the spatial axes."""
        return type(self).reduce(inputs, axis=self._axes, keepdims=self.keepdims)

    def compute_output_shape(self, input_shape: Sequence[int | None]) -> tuple[int | None, ...]:
        """Shape of the output for an input of shape `input_shape`."""
        if self.keepdims:
            return _with_sizes(input_shape, (1,) * self.rank, self.data_format)
        return tuple(n for i, n in enumerate(input_shape) if i not in self._axes)


class AdaptivePooling(TensorLayer):
    """Base of the adaptive poolings. A subclass sets `rank` and `pool`."""

    rank: int
    pool: Callable[..., Any]

    def __init__(
        self, output_size: int | Sequence[int], data_format: str | None = None, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.output_size = int_tuple(output_size, self.rank, "output_size")
        self.data_format = data_format_of(data_format)
        self.input_spec = InputSpec(ndim=self.rank + 2)

    def call(self, inputs: Any) -> Any:
        """The inputs, pooled to `output_size`."""
        return type(self).pool(inputs, self.output_size, data_format=self.data_format)

    def compute_output_shape(self, input_shape: Sequence[int | None]) -> tuple[int | None, ...]:
        """Shape of the output for an input of shape `input_shape`."""
        return _with_sizes(input_shape, self.output_size, self.data_format)


def _with_sizes(
    shape: Sequence[int | None], sizes: Sequence[int | None], data_format: str
) -> tuple[int | None, ...]:
    """`shape` with other spatial sizes."""
    if data_format == "channels_last":
        return (shape[0], *sizes, shape[-1])
    return (shape[0], shape[1], *sizes)
