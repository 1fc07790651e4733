"""The same numbers seen another way: bits as another dtype, pairs as complex numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from kops import dtypes, ops
from kops.keras_tensor import KerasTensor
from kops.op import Tensor, op_family
from kops.specs import Dims, keep, wide_float

__all__ = ["polar", "view", "view_as_complex", "view_as_real"]

op = op_family("math")
nn = op_family("nn")
array = op_family("numpy")

_COMPLEX = {"float32": "complex64", "float64": "complex128"}
_PARTS = {v: k for k, v in _COMPLEX.items()}


def _itemsize(dtype: str) -> int:
    return np.dtype(dtype).itemsize


def _view_dims(x: KerasTensor, dtype: Any) -> Dims:
    if dtype is None:
        return x.dims
    old, new = _itemsize(x.dtype), _itemsize(dtypes.standardize(dtype))
    if "bool" in (x.dtype, dtypes.standardize(dtype)) and x.dtype != dtypes.standardize(dtype):
        raise ValueError(f"`x` of dtype {x.dtype} cannot be viewed as {dtype!r}.")
    if old == new:
        return x.dims
    if not x.ndim:
        raise ValueError(
            f"A scalar of dtype {x.dtype} cannot be viewed as {dtype!r}, whose size differs."
        )
    last = x.dims[-1]
    if new > old and isinstance(last, int) and last % (new // old):
        raise ValueError(
            f"The last axis of `x`, of size {last}, does not hold whole numbers of dtype "
            f"{dtype!r}: it must be a multiple of {new // old}."
        )
    return (*x.dims[:-1], last * old // new)


def _view_dtype(x: KerasTensor, dtype: Any) -> str:
    return x.dtype if dtype is None else dtypes.standardize(dtype)


@array(shape=_view_dims, dtype=keep, out=_view_dtype)
def view(x: Tensor, dtype: Any = None) -> Tensor:
    """The bits of a tensor read as another dtype.

    Args:
        x: tensor.
        dtype: dtype to read; the tensor's own if None.

    Returns:
        A tensor whose last axis is longer or shorter where the dtypes differ in size.

    Raises:
        ValueError: if the last axis does not hold whole numbers of the new dtype.

    Example:

    >>> import numpy as np
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.view(np.array([1.0], "float32"), "int32")).tolist()
    [1065353216]
    """


def _complex_dims(x: KerasTensor) -> Dims:
    if not x.ndim or (isinstance(x.dims[-1], int) and x.dims[-1] != 2):
        raise ValueError(
            "The last axis of `x` must hold a real and an imaginary part, size 2; got shape "
            f"{tuple(x.shape)}."
        )
    return x.dims[:-1]


@op(shape=_complex_dims, dtype=wide_float, out=lambda x: _COMPLEX[x.dtype])
def view_as_complex(x: Tensor) -> Tensor:
    """Complex numbers from real and imaginary parts.

    Args:
        x: shape (..., 2).

    Returns:
        Complex tensor of shape (...).

    Raises:
        ValueError: if the last axis has another size.

    Example:

    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.view_as_complex([[1.0, 2.0]])).tolist()
    [(1+2j)]
    """


def _parts_dtype(x: KerasTensor) -> str:
    if x.dtype not in _PARTS:
        raise ValueError(f"`x` must be complex, got dtype {x.dtype}.")
    return _PARTS[x.dtype]


@op(shape=lambda x: (*x.dims, 2), dtype=keep, out=_parts_dtype)
def view_as_real(x: Tensor) -> Tensor:
    """Real and imaginary parts of complex numbers along a new last axis.

    Args:
        x: complex tensor of shape (...).

    Returns:
        Shape (..., 2).

    Raises:
        ValueError: if `x` is not complex.

    Example:

    >>> import numpy as np
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.view_as_real(np.array([1 + 2j], "complex64"))).tolist()
    [[1.0, 2.0]]
    """


@nn(dtype=wide_float)
def polar(abs_: Tensor, angle: Tensor) -> Tensor:
    """Complex numbers from their absolute value and angle.

    Args:
        abs_: absolute values.
        angle: angles in radians; the shapes broadcast.

    Returns:
        Complex tensor.

    Example:

    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.polar([2.0], [0.0])).tolist()
    [(2+0j)]
    """
    return view_as_complex(
        ops.stack([ops.multiply(abs_, ops.cos(angle)), ops.multiply(abs_, ops.sin(angle))], axis=-1)
    )
