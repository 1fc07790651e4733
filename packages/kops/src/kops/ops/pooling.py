"""Pooling over one to three spatial axes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from kops import config, ops
from kops.op import Tensor, op_family
from kops.ops._precision import dtype_name, narrow, widen
from kops.specs import Dims, float_result, keep
from kops.windows import pool_geometry

__all__ = ["adaptive_average_pool", "adaptive_max_pool", "average_pool", "max_pool"]

op = op_family("nn")

Sizes = int | tuple[int, ...]


def _pool_dims(inputs, pool_size, strides, padding, data_format) -> Dims:
    g = pool_geometry(inputs.dims, pool_size, strides, padding, data_format)
    if g.channels_last:
        return (inputs.dims[0], *g.out, inputs.dims[-1])
    return (*inputs.dims[:2], *g.out)


@op(shape=_pool_dims, dtype=keep)
def max_pool(
    inputs: Tensor,
    pool_size: Sizes,
    strides: Sizes | None = None,
    padding: str = "valid",
    data_format: str | None = None,
) -> Tensor:
    """Largest element of every window.

    Args:
        inputs: shape (batch, *sizes, channels), or (batch, channels, *sizes) for "channels_first".
        pool_size: size of the window, one int or one an axis.
        strides: step of the window; `pool_size` if None.
        padding: "valid", or "same" for an output of `ceil(size / stride)`; padding never wins.
        data_format: "channels_last", "channels_first" or None for the configured one.

    Raises:
        ValueError: for ranks, sizes or names that do not fit.

    Example:

    >>> import numpy as np
    >>> from kops import ops
    >>> x = np.array([1.0, 3.0, 2.0], "float32").reshape(1, 3, 1)
    >>> ops.convert_to_numpy(ops.max_pool(x, 2, padding="same")).ravel().tolist()
    [3.0, 2.0]
    """


@op(shape=_pool_dims, dtype=float_result)
def average_pool(
    inputs: Tensor,
    pool_size: Sizes,
    strides: Sizes | None = None,
    padding: str = "valid",
    data_format: str | None = None,
) -> Tensor:
    """Mean of every window; padding does not count.

    Args:
        inputs: shape (batch, *sizes, channels), or (batch, channels, *sizes) for "channels_first".
        pool_size: size of the window, one int or one an axis.
        strides: step of the window; `pool_size` if None.
        padding: "valid", or "same" for an output of `ceil(size / stride)`.
        data_format: "channels_last", "channels_first" or None for the configured one.

    Raises:
        ValueError: for ranks, sizes or names that do not fit.

    Example:

    >>> import numpy as np
    >>> from kops import ops
    >>> x = np.array([1.0, 3.0, 2.0], "float32").reshape(1, 3, 1)
    >>> ops.convert_to_numpy(ops.average_pool(x, 2, padding="same")).ravel().tolist()
    [2.0, 2.0]
    """


# -- to a given size ------------------------------------------------------------------------


def _adaptive(
    inputs: Any, output_size: Any, data_format: str | None, pool: Callable[[Any, int, int], Any]
) -> Any:
    """Pools one spatial axis after another with `pool(x, axis, size)`."""
    spatial = len(inputs.shape) - 2
    if spatial not in (1, 2, 3):
        raise ValueError(
            "`inputs` must have one to three spatial axes between batch and channels; got shape "
            f"{tuple(inputs.shape)}."
        )
    sizes = (output_size,) * spatial if isinstance(output_size, int) else output_size
    if (
        not isinstance(sizes, (tuple, list))
        or len(sizes) != spatial
        or not all(isinstance(n, int) and not isinstance(n, bool) and n > 0 for n in sizes)
    ):
        raise ValueError(
            f"`output_size` must be a positive int, or {spatial} of them; got {output_size!r}."
        )
    data_format = config.image_data_format() if data_format is None else data_format
    if data_format not in ("channels_last", "channels_first"):
        raise ValueError(
            f"`data_format` must be 'channels_last' or 'channels_first'; got {data_format!r}."
        )
    first = 1 if data_format == "channels_last" else 2
    for axis, size in enumerate(sizes, first):
        length = inputs.shape[axis]
        if length is None:
            raise ValueError(
                f"The size of axis {axis} of `inputs`, {tuple(inputs.shape)}, must be known to "
                "pool it to a given size."
            )
        if length == 0:
            raise ValueError(f"Axis {axis} of `inputs`, {tuple(inputs.shape)}, is empty.")
        if length != size:
            inputs = pool(inputs, axis, size)
    return inputs


def _windows(length: int, size: int) -> list[tuple[int, int]]:
    """Start and end of each of `size` windows that cover `length` elements."""
    return [(i * length // size, math.ceil((i + 1) * length / size)) for i in range(size)]


def _average_axis(x: Any, axis: int, size: int) -> Any:
    length = x.shape[axis]
    weights = np.zeros((length, size), dtype_name(x))
    for i, (start, end) in enumerate(_windows(length, size)):
        weights[start:end, i] = 1 / (end - start)
    return ops.moveaxis(ops.tensordot(x, weights, ([axis], [0])), -1, axis)


def _max_axis(x: Any, axis: int, size: int) -> Any:
    before = (slice(None),) * axis
    parts = [
        ops.max(ops.get_item(x, (*before, slice(start, end))), axis=axis)
        for start, end in _windows(x.shape[axis], size)
    ]
    return ops.stack(parts, axis=axis)


@op(dtype=float_result)
def adaptive_average_pool(
    inputs: Tensor, output_size: Sizes, data_format: str | None = None
) -> Tensor:
    """Average pooling to a given size: window `i` of `n` covers `[i L / n, (i + 1) L / n)`.

    Windows overlap where `n` does not divide the length `L`.

    Args:
        inputs: shape (batch, *sizes, channels), or (batch, channels, *sizes) for "channels_first".
        output_size: sizes of the result, one int or one an axis.
        data_format: "channels_last", "channels_first" or None for the configured one.

    Raises:
        ValueError: for sizes that do not fit, or an input size that is not known.

    Example:

    >>> import numpy as np
    >>> from kops import ops
    >>> x = np.arange(4, dtype="float32").reshape(1, 4, 1)
    >>> ops.convert_to_numpy(ops.adaptive_average_pool(x, 2)).ravel().tolist()
    [0.5, 2.5]
    """
    return narrow(_adaptive(widen(inputs), output_size, data_format, _average_axis), inputs)


@op(dtype=keep)
def adaptive_max_pool(inputs: Tensor, output_size: Sizes, data_format: str | None = None) -> Tensor:
    """Max pooling to a given size; windows as in `adaptive_average_pool`.

    Args:
        inputs: shape (batch, *sizes, channels), or (batch, channels, *sizes) for "channels_first".
        output_size: sizes of the result, one int or one an axis.
        data_format: "channels_last", "channels_first" or None for the configured one.

    Raises:
        ValueError: for sizes that do not fit, or an input size that is not known.

    Example:

    >>> import numpy as np
    >>> from kops import ops
    >>> x = np.arange(4, dtype="float32").reshape(1, 4, 1)
    >>> ops.convert_to_numpy(ops.adaptive_max_pool(x, 2)).ravel().tolist()
    [1.0, 3.0]
    """
    return _adaptive(inputs, output_size, data_format, _max_axis)
