"""Conversion between tensors, arrays and dtypes, and facts about tensors."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from kops import dtypes
from kops.backend import current
from kops.keras_tensor import KerasTensor, any_symbolic
from kops.op import OPS, Tensor, op_family
from kops.specs import keep, same_shape, unary
from kops.variable import Variable

__all__ = [
    "cast",
    "convert_to_numpy",
    "convert_to_tensor",
    "dtype",
    "is_tensor",
    "ndim",
    "saturate_cast",
    "shape",
    "size",
    "stop_gradient",
]

op = op_family("core")


def _target(x: KerasTensor, dtype: Any) -> str:
    return dtypes.standardize(dtype)


def _target_or_own(x: KerasTensor, dtype: Any = None, *_: Any) -> str:
    return x.dtype if dtype is None else dtypes.standardize(dtype)


@op(shape=same_shape, out=_target)
def cast(x: Tensor, dtype: Any) -> Tensor:
    """The tensor in another dtype.

    Args:
        x: tensor.
        dtype: dtype name; fractions are cut off on the way to integers.

    Raises:
        ValueError: if `dtype` names no dtype.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.cast([1.7, -1.7], "int32"))
    array([ 1, -1], dtype=int32)
    """


@op()
def saturate_cast(x: Tensor, dtype: Any) -> Tensor:
    """The tensor in another dtype, values outside its range moved to the nearest limit.

    Args:
        x: tensor.
        dtype: dtype name.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.saturate_cast([-5.0, 300.0], "uint8"))
    array([  0, 255], dtype=uint8)
    """
    target = dtypes.standardize(dtype)
    source = dtypes.standardize(x.dtype)
    low, high = _limits(source)
    to_low, to_high = _limits(target)
    # Only limits inside the source's range: others have no value there.
    x_min = to_low if to_low > low else None
    x_max = to_high if to_high < high else None
    if x_max is not None and dtypes.is_float(source):
        x_max = _not_above(x_max, source)
    return cast(OPS["clip"].function(x, x_min, x_max), target)


def _limits(name: str) -> tuple[Any, Any]:
    if name == "bool":
        return 0, 1
    info = ml_dtypes.finfo(name) if dtypes.is_float(name) else ml_dtypes.iinfo(name)
    return (float(info.min), float(info.max)) if dtypes.is_float(name) else (info.min, info.max)


def _not_above(limit: int, dtype: str) -> float:
    """The largest number of a float dtype that is at most `limit`."""
    kind = np.dtype(getattr(ml_dtypes, dtype, None) or dtype)
    nearest = kind.type(limit)
    if int(nearest) > limit:
        nearest = np.nextafter(nearest, kind.type(0))
    return float(nearest)


@op(**unary(keep))
def stop_gradient(variable: Tensor) -> Tensor:
    """The same values, a constant to differentiation.

    Args:
        variable: tensor or variable.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.stop_gradient([1.0, 2.0]))
    array([1., 2.], dtype=float32)
    """


@op(shape=same_shape, out=_target_or_own, name="ConvertToTensor")
def _convert_to_tensor(
    x: Tensor, dtype: Any = None, sparse: bool | None = None, ragged: bool | None = None
) -> Tensor:
    """What a graph holds for `convert_to_tensor`."""


def convert_to_tensor(
    x: Any, dtype: Any = None, sparse: bool | None = None, ragged: bool | None = None
) -> Any:
    """A tensor of the active engine.

    Args:
        x: array, tensor of any engine, Variable, number, or nested lists of them.
        dtype: dtype name; by default that of `x`, where Python numbers are int32 (int64 if
            they need it), `floatx` or bool.
        sparse: kept for Keras; dense tensors are made.
        ragged: likewise.

    Raises:
        ValueError: if `x` holds lists of unequal lengths, or `dtype` names no dtype.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_tensor([1, 2], dtype="float32").dtype == ops.ones(2).dtype
    True
    """
    if isinstance(x, Variable):
        x = x.value
    if isinstance(x, KerasTensor):
        return _convert_to_tensor(x, dtype, sparse, ragged)
    if isinstance(x, (list, tuple)) and any_symbolic(x):
        x = OPS["stack"].function([convert_to_tensor(v) for v in x])
        return x if dtype is None else cast(x, dtype)
    eng = current()
    name = None if dtype is None else dtypes.standardize(dtype)
    if name is None and eng.is_tensor(x) and x.__class__ is eng.Tensor:
        return x
    return eng.convert(x, name)


def convert_to_numpy(x: Any) -> np.ndarray:
    """The values as a NumPy array.

    Args:
        x: tensor, variable or array-like.

    Raises:
        TypeError: for a symbolic tensor, which has no values.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.ones(2)).tolist()
    [1.0, 1.0]
    """
    if isinstance(x, Variable):
        x = x.value
    if isinstance(x, KerasTensor):
        raise x._no_values("turned into a NumPy array")
    eng = current()
    return eng.to_numpy(x if eng.is_tensor(x) else eng.convert(x))


def is_tensor(x: Any) -> bool:
    """Whether `x` is a tensor of the active engine or a symbolic one.

    Example:
    >>> from kops import ops
    >>> ops.is_tensor(ops.ones(2)), ops.is_tensor([1.0, 1.0])
    (True, False)
    """
    return isinstance(x, KerasTensor) or current().is_tensor(x)


def shape(x: Any) -> tuple[Any, ...]:
    """The shape to calculate with.

    Args:
        x: tensor, variable or array-like.

    Returns:
        A tuple of ints. Sizes that are unknown while a model is traced are `Dim`s; sizes
        that only a running TensorFlow graph knows are scalar tensors.

    Example:
    >>> from kops import ops
    >>> ops.shape(ops.zeros((2, 3)))
    (2, 3)
    """
    if isinstance(x, KerasTensor):
        return x.dims
    if isinstance(x, Variable):
        return tuple(x.shape)
    eng = current()
    return eng.shape(x if eng.is_tensor(x) else eng.convert(x))


def ndim(x: Any) -> int:
    """The number of axes.

    Args:
        x: tensor, variable or array-like.

    Example:
    >>> from kops import ops
    >>> ops.ndim(ops.zeros((2, 3)))
    2
    """
    return len(shape(x))


def size(x: Any) -> Any:
    """The number of elements.

    Args:
        x: tensor, variable or array-like.

    Returns:
        An int; while a model is traced with unknown sizes, what `shape` gives multiplied.

    Example:
    >>> from kops import ops
    >>> ops.size(ops.zeros((2, 3)))
    6
    """
    total: Any = 1
    for length in shape(x):
        total = length * total
    return total


def dtype(x: Any) -> str:
    """The dtype's name.

    Args:
        x: tensor, variable or array-like.

    Example:
    >>> from kops import ops
    >>> ops.dtype(ops.ones(2))
    'float32'
    """
    if isinstance(x, (KerasTensor, Variable)):
        return x.dtype
    eng = current()
    return eng.dtype_of(x if eng.is_tensor(x) else eng.convert(x))
