"""New tensors, and matrices by their diagonals."""

from __future__ import annotations

import math
from typing import Any

from kops import config, dtypes
from kops.dim import Dim, Size
from kops.keras_tensor import KerasTensor
from kops.op import Tensor, op_family
from kops.ops.comparison import equal, greater_equal
from kops.ops.core import cast
from kops.ops.core import shape as sizes
from kops.ops.elementwise import (
    absolute,
    add,
    copy,
    divide,
    floor,
    multiply,
    power,
    sign,
    subtract,
    where,
)
from kops.ops.manipulation import expand_dims, moveaxis, reshape
from kops.ops.reductions import sum
from kops.ops.transcendental import exp, log
from kops.shapes import arange_limits, broadcast_to_dims
from kops.specs import axes_of, float_result

__all__ = [
    "arange",
    "array",
    "diag",
    "diagflat",
    "diagonal",
    "empty",
    "empty_like",
    "eye",
    "full",
    "full_like",
    "geomspace",
    "identity",
    "linspace",
    "logspace",
    "ones",
    "ones_like",
    "trace",
    "tri",
    "tril",
    "triu",
    "vander",
    "zeros",
    "zeros_like",
]

op = op_family("numpy")
Dims = tuple[Size, ...]


def _given_shape(shape: Any, dtype: Any) -> Dims:
    return tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)


def _given_dtype(shape: Any, dtype: Any) -> str:
    return dtypes.standardize(dtype)


def _full_shape(shape: Any, fill_value: KerasTensor, dtype: Any) -> Dims:
    return broadcast_to_dims(fill_value.dims, _given_shape(shape, dtype))


def _full_dtype(shape: Any, fill_value: Any, dtype: Any) -> str:
    return dtypes.standardize(dtype)


def _like_shape(x: KerasTensor, dtype: Any) -> Dims:
    return x.dims


def _like_dtype(x: KerasTensor, dtype: Any) -> str:
    return x.dtype if dtype is None else dtypes.standardize(dtype)


def _arange_shape(start: Any, stop: Any, step: Any, dtype: Any) -> Dims:
    start, stop, step = arange_limits(start, stop, step)
    if isinstance(start, Dim) or isinstance(stop, Dim):
        return (-((start - stop) // step),)
    return (max(math.ceil((stop - start) / step), 0),)


def _arange_dtype(start: Any, stop: Any, step: Any, dtype: Any) -> str:
    if dtype is not None:
        return dtypes.standardize(dtype)
    numbers = [v for v in (start, stop, step) if v is not None]
    return config.floatx() if any(isinstance(v, float) for v in numbers) else "int32"


def _triangle_shape(x: KerasTensor, k: int) -> Dims:
    if x.ndim < 2:
        raise ValueError(f"A matrix is needed; got a tensor of rank {x.ndim}.")
    return x.dims


def _diagonal_length(rows: Size, columns: Size, k: int) -> Size:
    if isinstance(rows, Dim) or isinstance(columns, Dim):
        return rows if rows == columns and k == 0 else Dim()
    return max(min(rows + min(k, 0), columns - max(k, 0)), 0)


def _diag_shape(x: KerasTensor, k: int) -> Dims:
    if x.ndim == 1:
        size = x.dims[0] + abs(k)
        return (size, size)
    if x.ndim != 2:
        raise ValueError(f"`diag` needs a vector or a matrix; got a tensor of rank {x.ndim}.")
    return (_diagonal_length(x.dims[0], x.dims[1], k),)


def _diagonal_shape(x: KerasTensor, offset: int, axis1: int, axis2: int) -> Dims:
    if x.ndim < 2:
        raise ValueError(f"A matrix is needed; got a tensor of rank {x.ndim}.")
    a, b = axes_of((axis1, axis2), x.ndim, "axis1, axis2")
    rest = tuple(d for i, d in enumerate(x.dims) if i not in (a, b))
    return (*rest, _diagonal_length(x.dims[a], x.dims[b], offset))


@op(shape=_given_shape, out=_given_dtype)
def zeros(shape: Any, dtype: Any = None) -> Tensor:
    """Zeros.

    Args:
        shape: sizes.
        dtype: dtype name; `floatx` by default.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.zeros(2))
    array([0., 0.], dtype=float32)
    """


@op(shape=_given_shape, out=_given_dtype)
def ones(shape: Any, dtype: Any = None) -> Tensor:
    """Ones.

    Args:
        shape: sizes.
        dtype: dtype name; `floatx` by default.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.ones(2))
    array([1., 1.], dtype=float32)
    """


@op(shape=_given_shape, out=_given_dtype)
def empty(shape: Any, dtype: Any = None) -> Tensor:
    """A tensor whose values mean nothing yet.

    Args:
        shape: sizes.
        dtype: dtype name; `floatx` by default.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.zeros_like(ops.empty(2)))
    array([0., 0.], dtype=float32)
    """


@op(shape=_full_shape, out=_full_dtype)
def full(shape: Any, fill_value: Tensor, dtype: Any = None) -> Tensor:
    """A tensor of one value.

    Args:
        shape: sizes.
        fill_value: the value, or a tensor that broadcasts to `shape`.
        dtype: dtype name; `floatx` by default.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.full((2,), 7.0))
    array([7., 7.], dtype=float32)
    """


@op(shape=_like_shape, out=_like_dtype)
def zeros_like(x: Tensor, dtype: Any = None) -> Tensor:
    """Zeros in the shape of another tensor.

    Args:
        x: tensor.
        dtype: dtype name; that of `x` by default.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.zeros_like([1, 2]))
    array([0, 0], dtype=int32)
    """


@op(shape=_like_shape, out=_like_dtype)
def ones_like(x: Tensor, dtype: Any = None) -> Tensor:
    """Ones in the shape of another tensor.

    Args:
        x: tensor.
        dtype: dtype name; that of `x` by default.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.ones_like([1, 2]))
    array([1, 1], dtype=int32)
    """


@op()
def empty_like(x: Tensor, dtype: Any = None) -> Tensor:
    """A tensor in the shape of another, whose values mean nothing yet.

    Args:
        x: tensor.
        dtype: dtype name; that of `x` by default.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.zeros_like(ops.empty_like([1, 2])))
    array([0, 0], dtype=int32)
    """
    return zeros_like(x, dtype)


@op()
def full_like(x: Tensor, fill_value: Tensor, dtype: Any = None) -> Tensor:
    """One value in the shape of another tensor.

    Args:
        x: tensor.
        fill_value: the value, or a tensor that broadcasts to the shape of `x`.
        dtype: dtype name; that of `x` by default.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.full_like([1, 2], 7))
    array([7, 7], dtype=int32)
    """
    return full(sizes(x), fill_value, dtype or x.dtype)


@op(shape=_arange_shape, out=_arange_dtype)
def arange(start: Any, stop: Any = None, step: Any = None, dtype: Any = None) -> Tensor:
    """Evenly spaced numbers in [start, stop).

    Args:
        start: first number; the end, if it is the only argument.
        stop: end, not included.
        step: distance, 1 by default.
        dtype: dtype name; by default int32 for integers, else `floatx`.

    Raises:
        ValueError: if `step` is 0.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.arange(1, 7, 2))
    array([1, 3, 5], dtype=int32)
    """


@op(dtype={"start stop": float_result})
def linspace(
    start: Tensor,
    stop: Tensor,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    axis: int = 0,
) -> Any:
    """Evenly spaced numbers from start to stop.

    Args:
        start: first number, or a tensor of them.
        stop: last number, or a tensor of them.
        num: how many.
        endpoint: whether `stop` is the last of them.
        retstep: whether to return the distance too.
        dtype: dtype name; that of the arguments, as a float, by default.
        axis: where the new axis goes, for tensors.

    Raises:
        ValueError: if `num` is negative.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.linspace(0.0, 1.0, 5))
    array([0.  , 0.25, 0.5 , 0.75, 1.  ], dtype=float32)
    """
    if num < 0:
        raise ValueError(f"`num` must not be negative; got {num}.")
    gaps = num - 1 if endpoint else num
    step = divide(subtract(stop, start), gaps if gaps > 0 else float("nan"))
    rank = len(step.shape)
    place = reshape(arange(num, dtype=step.dtype), (num, *[1] * rank))
    values = add(start, multiply(place, step) if gaps > 0 else place)
    if endpoint and num > 1:
        # Rounding must not move the end.
        values = where(equal(place, num - 1), stop, values)
    if axis not in (0, -rank - 1):
        values = moveaxis(values, 0, axis)
    if dtype is not None:
        values = cast(floor(values) if dtypes.is_int(dtypes.standardize(dtype)) else values, dtype)
    return (values, step) if retstep else values


@op(dtype={"start stop": float_result})
def logspace(
    start: Tensor,
    stop: Tensor,
    num: int = 50,
    endpoint: bool = True,
    base: float = 10,
    dtype: Any = None,
    axis: int = 0,
) -> Tensor:
    """Numbers from base**start to base**stop with evenly spaced logarithms.

    Args:
        start: logarithm of the first number.
        stop: logarithm of the last number.
        num: how many.
        endpoint: whether the last is included.
        base: base of the logarithms.
        dtype: dtype name; that of the arguments, as a float, by default.
        axis: where the new axis goes, for tensors.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.logspace(0.0, 2.0, 3))
    array([  1.,  10., 100.], dtype=float32)
    """
    exponents = linspace(start, stop, num, endpoint, axis=axis)
    values = power(cast(base, exponents.dtype), exponents)
    return values if dtype is None else cast(values, dtype)


@op(dtype={"start stop": float_result})
def geomspace(
    start: Tensor,
    stop: Tensor,
    num: int = 50,
    endpoint: bool = True,
    dtype: Any = None,
    axis: int = 0,
) -> Tensor:
    """Numbers from start to stop, each the same multiple of the one before.

    Args:
        start: first number, not 0.
        stop: last number, of the same sign.
        num: how many.
        endpoint: whether the last is included.
        dtype: dtype name; that of the arguments, as a float, by default.
        axis: where the new axis goes, for tensors.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.geomspace(1.0, 4.0, 3))
    array([1., 2., 4.], dtype=float32)
    """
    values = exp(linspace(log(absolute(start)), log(absolute(stop)), num, endpoint, axis=axis))
    values = multiply(values, sign(start) if axis == 0 else expand_dims(sign(start), axis))
    return values if dtype is None else cast(values, dtype)


@op()
def eye(N: int, M: int | None = None, k: int = 0, dtype: Any = None) -> Tensor:
    """Ones on a diagonal, zeros elsewhere.

    Args:
        N: number of rows.
        M: number of columns; N by default.
        k: which diagonal: positive ones are above the main one.
        dtype: dtype name; `floatx` by default.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.eye(2))
    array([[1., 0.],
           [0., 1.]], dtype=float32)
    """
    rows = reshape(arange(N), (N, 1))
    columns = reshape(arange(N if M is None else M), (1, N if M is None else M))
    return cast(equal(add(rows, k), columns), dtypes.standardize(dtype))


@op()
def identity(n: int, dtype: Any = None) -> Tensor:
    """The identity matrix.

    Args:
        n: number of rows and columns.
        dtype: dtype name; `floatx` by default.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.identity(2))
    array([[1., 0.],
           [0., 1.]], dtype=float32)
    """
    return eye(n, dtype=dtype)


@op()
def tri(N: int, M: int | None = None, k: int = 0, dtype: Any = None) -> Tensor:
    """Ones on and below a diagonal, zeros above.

    Args:
        N: number of rows.
        M: number of columns; N by default.
        k: which diagonal: positive ones are above the main one.
        dtype: dtype name; `floatx` by default.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.tri(2))
    array([[1., 0.],
           [1., 1.]], dtype=float32)
    """
    rows = reshape(arange(N), (N, 1))
    columns = reshape(arange(N if M is None else M), (1, N if M is None else M))
    return cast(greater_equal(add(rows, k), columns), dtypes.standardize(dtype))


@op(shape=_triangle_shape)
def tril(x: Tensor, k: int = 0) -> Tensor:
    """The matrix with zeros above a diagonal.

    Args:
        x: matrices `(..., n, m)`.
        k: which diagonal: positive ones are above the main one.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.tril([[1, 2], [3, 4]]))
    array([[1, 0],
           [3, 4]], dtype=int32)
    """


@op(shape=_triangle_shape)
def triu(x: Tensor, k: int = 0) -> Tensor:
    """The matrix with zeros below a diagonal.

    Args:
        x: matrices `(..., n, m)`.
        k: which diagonal: positive ones are above the main one.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.triu([[1, 2], [3, 4]]))
    array([[1, 2],
           [0, 4]], dtype=int32)
    """


@op(shape=_diag_shape)
def diag(x: Tensor, k: int = 0) -> Tensor:
    """A vector as the diagonal of a matrix, or the diagonal of a matrix.

    Args:
        x: vector or matrix.
        k: which diagonal: positive ones are above the main one.

    Raises:
        ValueError: for another rank.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.diag([1, 2]))
    array([[1, 0],
           [0, 2]], dtype=int32)
    """


@op()
def diagflat(x: Tensor, k: int = 0) -> Tensor:
    """The elements as the diagonal of a matrix.

    Args:
        x: tensor.
        k: which diagonal.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.diagflat([[1, 2]]))
    array([[1, 0],
           [0, 2]], dtype=int32)
    """
    return diag(reshape(x, (-1,)), k)


@op(shape=_diagonal_shape)
def diagonal(x: Tensor, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    """The diagonal of the matrices in two axes, as the last axis.

    Args:
        x: tensor.
        offset: which diagonal: positive ones are above the main one.
        axis1: axis of the rows.
        axis2: axis of the columns.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.diagonal([[1, 2], [3, 4]]))
    array([1, 4], dtype=int32)
    """


@op()
def trace(x: Tensor, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    """Sum of a diagonal.

    Args:
        x: tensor.
        offset: which diagonal: positive ones are above the main one.
        axis1: axis of the rows.
        axis2: axis of the columns.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.trace([[1, 2], [3, 4]]))
    array(5, dtype=int32)
    """
    return sum(diagonal(x, offset, axis1, axis2), -1)


@op()
def vander(x: Tensor, N: int | None = None, increasing: bool = False) -> Tensor:
    """Matrix whose columns are powers of a vector.

    Args:
        x: vector of length n.
        N: number of columns; n by default.
        increasing: whether the powers grow from left to right.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.vander([1, 2, 3]))
    array([[1, 1, 1],
           [4, 2, 1],
           [9, 3, 1]], dtype=int32)
    """
    columns = int(x.shape[0]) if N is None else N
    powers = arange(columns) if increasing else arange(columns - 1, -1, -1)
    return power(expand_dims(x, 1), cast(powers, x.dtype))


@op()
def array(x: Tensor, dtype: Any = None) -> Tensor:
    """A tensor of its own with the values of `x`.

    Args:
        x: array-like.
        dtype: dtype name; that of `x` by default.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.array([1, 2]))
    array([1, 2], dtype=int32)
    """
    return copy(x if dtype is None else cast(x, dtype))
