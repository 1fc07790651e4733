"""Normalization: moments, batch, layer and RMS normalization, unit vectors.

Statistics of 16-bit floats are computed in float32; results have the dtype of `x`.
"""

from __future__ import annotations

from typing import Any

from kops import config, ops
from kops.op import Tensor, op_family
from kops.ops._precision import dtype_name, narrow, widen
from kops.specs import axes_of, axis_of, float_result

__all__ = [
    "batch_norm_train",
    "batch_normalization",
    "layer_normalization",
    "moments",
    "normalize",
    "rms_normalization",
]

op = op_family("nn")


@op(dtype=float_result)
def moments(
    x: Tensor, axes: int | tuple[int, ...], keepdims: bool = False, synchronized: bool = False
) -> tuple[Tensor, Tensor]:
    """Mean and (biased) variance over `axes`.

    Args:
        x: a tensor.
        axes: one axis or several.
        keepdims: whether the axes stay, with size 1.
        synchronized: whether to average over the replicas of a distribution; a single process
            ignores it.

    Raises:
        ValueError: for an axis out of range or given twice.

    Example:

    >>> from kops import ops
    >>> mean, variance = ops.moments([1.0, 3.0], axes=0)
    >>> float(mean), float(variance)
    (2.0, 1.0)
    """
    axes = axes_of(axes, len(x.shape), "axes")
    wide = widen(x)
    mean = ops.mean(wide, axis=axes, keepdims=True)
    centred = wide - mean
    variance = ops.mean(centred * centred, axis=axes, keepdims=True)
    if not keepdims and axes:
        mean, variance = ops.squeeze(mean, axes), ops.squeeze(variance, axes)
    return narrow(mean, x), narrow(variance, x)


@op(dtype={"x": float_result, "mean variance offset scale": float_result}, name="BatchNorm")
def batch_normalization(
    x: Tensor,
    mean: Tensor,
    variance: Tensor,
    axis: int,
    offset: Tensor | None = None,
    scale: Tensor | None = None,
    epsilon: float = 1e-3,
) -> Tensor:
    """`scale * (x - mean) / sqrt(variance + epsilon) + offset` along `axis` (arXiv:1502.03167).

    Args:
        x: a tensor.
        mean: shape (size of the axis,).
        variance: shape (size of the axis,).
        axis: the axis of the features.
        offset: shape (size of the axis,), or None for 0.
        scale: shape (size of the axis,), or None for 1.
        epsilon: added to the variance.

    Raises:
        ValueError: for an axis out of range or vectors of another size.

    Example:

    >>> from kops import ops
    >>> y = ops.batch_normalization([[1.0], [3.0]], [1.0], [4.0], axis=-1, epsilon=0.0)
    >>> ops.convert_to_numpy(y).ravel().tolist()
    [0.0, 1.0]
    """
    index = axis_of(axis, len(x.shape))
    shape = _vector_shape(x, index, mean=mean, variance=variance, offset=offset, scale=scale)
    wide = widen(x)
    dtype = dtype_name(wide)

    def along(v: Tensor) -> Tensor:
        return ops.cast(ops.reshape(v, shape), dtype)

    factor = ops.rsqrt(along(variance) + epsilon)
    if scale is not None:
        factor = factor * along(scale)
    result = (wide - along(mean)) * factor
    return narrow(result if offset is None else result + along(offset), x)


def _vector_shape(x: Tensor, index: int, **vectors: Tensor | None) -> tuple[int, ...]:
    """Shape with which the vectors broadcast along axis `index` of `x`."""
    rank, size = len(x.shape), x.shape[index]
    for name, vector in vectors.items():
        if vector is None:
            continue
        shape = tuple(vector.shape)
        if len(shape) != 1 or (None not in (shape[0], size) and shape[0] != size):
            raise ValueError(
                f"`{name}` must be a vector of the size of axis {index} of `x` ({size}), got "
                f"shape {shape}."
            )
    return (1,) * index + (-1,) + (1,) * (rank - index - 1)


@op(dtype={"x": float_result, "scale offset": float_result})
def batch_norm_train(
    x: Tensor, scale: Tensor | None, offset: Tensor | None, axis: int, epsilon: float = 1e-3
) -> tuple[Tensor, Tensor, Tensor]:
    """Batch normalization with the batch's own statistics: (result, mean, biased variance).

    One kernel on engines that fuse it. The gradient goes through the statistics; the returned mean
    and
    variance, meant for moving averages, are in float32 for 16-bit `x` and carry none.

    Args:
        x: a tensor.
        scale: shape (size of the axis,), or None for 1.
        offset: shape (size of the axis,), or None for 0.
        axis: the axis of the features; the statistics are over all others.
        epsilon: added to the variance.

    Raises:
        ValueError: for an axis out of range or vectors of another size.

    Example:

    >>> from kops.ops.normalization import batch_norm_train
    >>> y, mean, variance = batch_norm_train([[1.0], [3.0]], None, None, axis=-1)
    >>> float(mean[0]), float(variance[0])
    (2.0, 1.0)
    """
    rank = len(x.shape)
    index = axis_of(axis, rank)
    _vector_shape(x, index, scale=scale, offset=offset)
    wide = widen(x)
    mean, variance = moments(wide, tuple(i for i in range(rank) if i != index))
    result = batch_normalization(wide, mean, variance, axis, offset, scale, epsilon)
    return narrow(result, x), ops.stop_gradient(mean), ops.stop_gradient(variance)


@op(dtype={"x": float_result, "gamma beta": float_result}, name="LayerNorm")
def layer_normalization(
    x: Tensor,
    gamma: Tensor | None = None,
    beta: Tensor | None = None,
    axis: int | tuple[int, ...] = -1,
    epsilon: float | None = None,
    **kwargs: Any,
) -> Tensor:
    """`gamma * (x - mean) / sqrt(variance + epsilon) + beta`, over `axis` (arXiv:1607.06450).

    Args:
        x: a tensor.
        gamma: scale, of the shape of the normalized axes; None for 1.
        beta: offset, of the shape of the normalized axes; None for 0.
        axis: one axis or several.
        epsilon: added to the variance; None for `config.epsilon()`.
        kwargs: `rms_scaling=True` divides by the root of the variance without taking the mean
            off.

    Raises:
        ValueError: for an axis out of range or given twice, or a gamma or beta of another shape.
        TypeError: for an unknown argument.

    Example:

    >>> from kops import ops
    >>> y = ops.layer_normalization([[1.0, 3.0]], epsilon=0.0)
    >>> ops.convert_to_numpy(y).tolist()
    [[-1.0, 1.0]]
    """
    rms_scaling = kwargs.pop("rms_scaling", False)
    if kwargs:
        raise TypeError(
            f"layer_normalization() got unexpected arguments {sorted(kwargs)}; it takes "
            "`rms_scaling`."
        )
    axes = tuple(sorted(axes_of(axis, len(x.shape))))
    wide = widen(x)
    mean, variance = moments(wide, axes, keepdims=True)
    centred = wide if rms_scaling else wide - mean
    result = centred * ops.rsqrt(variance + _epsilon(epsilon))
    return _scaled(result, x, axes, gamma=gamma, beta=beta)


@op(dtype={"x": float_result, "scale": float_result}, name="RMSNorm")
def rms_normalization(
    x: Tensor,
    scale: Tensor | None = None,
    axis: int | tuple[int, ...] = -1,
    epsilon: float | None = None,
) -> Tensor:
    """`scale * x / sqrt(mean(x**2) + epsilon)`, the mean over `axis` (arXiv:1910.07467).

    Args:
        x: a tensor.
        scale: of the shape of the normalized axes; None for 1.
        axis: one axis or several.
        epsilon: added to the mean square; None for `config.epsilon()`.

    Raises:
        ValueError: for an axis out of range or given twice, or a scale of another shape.

    Example:

    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.rms_normalization([[3.0, 3.0]], epsilon=0.0)).tolist()
    [[1.0, 1.0]]
    """
    axes = tuple(sorted(axes_of(axis, len(x.shape))))
    wide = widen(x)
    square = ops.mean(wide * wide, axis=axes, keepdims=True)
    return _scaled(wide * ops.rsqrt(square + _epsilon(epsilon)), x, axes, scale=scale)


def _epsilon(epsilon: float | None) -> float:
    return config.epsilon() if epsilon is None else epsilon


def _scaled(
    result: Tensor,
    x: Tensor,
    axes: tuple[int, ...],
    beta: Tensor | None = None,
    **factor: Tensor | None,
) -> Tensor:
    """`result * factor + beta`, whose parameters span `axes`, in the dtype of `x`."""
    ((name, value),) = factor.items()
    if value is not None:
        result = result * _along(value, name, result, axes)
    if beta is not None:
        result = result + _along(beta, "beta", result, axes)
    return narrow(result, x)


def _along(value: Tensor, name: str, x: Tensor, axes: tuple[int, ...]) -> Tensor:
    shape = tuple(value.shape)
    wanted = tuple(x.shape[i] for i in axes)
    if len(shape) == len(x.shape) > len(wanted):  # already broadcasts
        return ops.cast(value, dtype_name(x))
    if len(shape) != len(wanted) or any(
        None not in (a, b) and a != b for a, b in zip(shape, wanted, strict=True)
    ):
        raise ValueError(
            f"`{name}` must have the shape of the normalized axes {axes}, {wanted}; got {shape}."
        )
    spread: list[Any] = [1] * len(x.shape)
    for i, n in zip(axes, ops.shape(value), strict=True):
        spread[i] = n
    return ops.cast(ops.reshape(value, tuple(spread)), dtype_name(x))


@op(dtype=float_result)
def normalize(
    x: Tensor, axis: int | tuple[int, ...] = -1, order: float = 2, epsilon: float | None = None
) -> Tensor:
    """`x` divided by its norm along `axis`, or by `epsilon` where the norm is smaller.

    Args:
        x: a tensor.
        axis: one axis or several.
        order: order of the norm, a positive number.
        epsilon: smallest divisor; None for `config.epsilon()`.

    Raises:
        ValueError: for an axis out of range or given twice, or an order that is not positive.

    Example:

    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.normalize([[4.0, 0.0], [0.0, 0.0]])).tolist()
    [[1.0, 0.0], [0.0, 0.0]]
    """
    if isinstance(order, bool) or not isinstance(order, (int, float)) or order <= 0:
        raise ValueError(f"`order` must be a positive number, got {order!r}.")
    axes = axes_of(axis, len(x.shape))
    limit = _epsilon(epsilon)
    wide = widen(x)
    if order == 2:
        # The limit under the root: the root itself has no finite gradient at 0.
        square = ops.sum(wide * wide, axis=axes, keepdims=True)
        return narrow(wide * ops.rsqrt(ops.maximum(square, limit * limit)), x)
    size = ops.absolute(wide)
    if order == float("inf"):
        return narrow(
            wide / ops.maximum(ops.max(size, axis=axes, keepdims=True, initial=0.0), limit), x
        )
    if order == 1:
        return narrow(wide / ops.maximum(ops.sum(size, axis=axes, keepdims=True), limit), x)
    total = ops.sum(ops.power(ops.maximum(size, 1e-37), order), axis=axes, keepdims=True)
    return narrow(wide / ops.maximum(ops.power(ops.maximum(total, 1e-37), 1.0 / order), limit), x)
