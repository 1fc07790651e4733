"""Pooling over one to three spatial axes."""

from __future__ import annotations

from kops.op import Tensor, op_family
from kops.specs import Dims, float_result, keep
from kops.windows import pool_geometry

__all__ = ["average_pool", "max_pool"]

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
