"""Products of matrices, vectors and higher tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kops.dim import Size
from kops.keras_tensor import KerasTensor
from kops.op import Tensor, op_family
from kops.ops.core import shape
from kops.ops.elementwise import conjugate, multiply, negative, subtract
from kops.ops.joining import split, stack
from kops.ops.manipulation import moveaxis, ravel, reshape, squeeze
from kops.shapes import einsum_dims, matmul_dims, tensordot_dims
from kops.specs import promote

__all__ = [
    "cross",
    "dot",
    "einsum",
    "inner",
    "kron",
    "matmul",
    "outer",
    "tensordot",
    "vdot",
]

op = op_family("numpy")
Dims = tuple[Size, ...]


def _matmul_shape(x1: KerasTensor, x2: KerasTensor) -> Dims:
    return matmul_dims(x1.dims, x2.dims)


def _tensordot_shape(x1: KerasTensor, x2: KerasTensor, axes: Any) -> Dims:
    return tensordot_dims(x1.dims, x2.dims, axes)


def _einsum_shape(subscripts: str, *operands: KerasTensor, **kwargs: Any) -> Dims:
    return einsum_dims(subscripts, [o.dims for o in operands])


def _components(x: Any, axis: int) -> Sequence[Any]:
    x = moveaxis(x, axis, -1)
    n = x.shape[-1]
    if n not in (2, 3):
        raise ValueError(f"Vectors of length 2 or 3 are needed; got {n} along axis {axis}.")
    return split(x, n, -1)


@op(shape=_matmul_shape, dtype=promote)
def matmul(x1: Tensor, x2: Tensor) -> Tensor:
    """Matrix product of the last two axes, over broadcast leading axes.

    Args:
        x1: tensor `(..., n, k)`, or a vector `(k,)`.
        x2: tensor `(..., k, m)`, or a vector `(k,)`.

    Returns:
        Tensor `(..., n, m)`, without n or m where a vector was given.

    Raises:
        ValueError: if the sizes k differ, or an argument is a scalar.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.matmul([[1, 2], [3, 4]], [1, 1]))
    array([3, 7], dtype=int32)
    """


@op(dtype=promote)
def dot(x1: Tensor, x2: Tensor) -> Tensor:
    """NumPy's dot product: of vectors their inner product, of matrices their product.

    A scalar multiplies; otherwise the last axis of x1 meets the last but one of x2.

    Args:
        x1: tensor.
        x2: tensor.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.dot([1, 2], [3, 4]))
    array(11, dtype=int32)
    """
    n1, n2 = len(x1.shape), len(x2.shape)
    if n1 == 0 or n2 == 0:
        return multiply(x1, x2)
    if n2 <= 2:
        return matmul(x1, x2)
    return tensordot(x1, x2, ([n1 - 1], [n2 - 2]))


@op(dtype=promote)
def inner(x1: Tensor, x2: Tensor) -> Tensor:
    """Sum of products over the last axes; a scalar multiplies.

    Args:
        x1: tensor `(..., k)`.
        x2: tensor `(..., k)`.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.inner([1, 2], [3, 4]))
    array(11, dtype=int32)
    """
    n1, n2 = len(x1.shape), len(x2.shape)
    if n1 == 0 or n2 == 0:
        return multiply(x1, x2)
    return tensordot(x1, x2, ([n1 - 1], [n2 - 1]))


@op(dtype=promote)
def outer(x1: Tensor, x2: Tensor) -> Tensor:
    """All products of the elements of two tensors, which are flattened.

    Args:
        x1: tensor of n elements.
        x2: tensor of m elements.

    Returns:
        Tensor `(n, m)`.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.outer([1, 2], [3, 4]))
    array([[3, 4],
           [6, 8]], dtype=int32)
    """
    return multiply(reshape(x1, (-1, 1)), reshape(x2, (1, -1)))


@op(dtype=promote)
def vdot(x1: Tensor, x2: Tensor) -> Tensor:
    """Inner product of the flattened tensors, the first one conjugated.

    Args:
        x1: tensor.
        x2: tensor with as many elements.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.vdot([1, 2], [3, 4]))
    array(11, dtype=int32)
    """
    return matmul(ravel(conjugate(x1)), ravel(x2))


@op(shape=_tensordot_shape, dtype=promote)
def tensordot(x1: Tensor, x2: Tensor, axes: Any = 2) -> Tensor:
    """Sum of products over pairs of axes.

    Args:
        x1: tensor.
        x2: tensor.
        axes: number of last axes of x1 to meet as many first ones of x2, or a pair of lists
            of axes.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.tensordot([[1, 2], [3, 4]], [[1, 0], [0, 1]], axes=2))
    array(5, dtype=int32)
    """


@op(shape=_einsum_shape, dtype=promote)
def einsum(subscripts: str, *operands: Tensor, **kwargs: Any) -> Tensor:
    """Sum of products in Einstein's notation.

    Args:
        subscripts: indices of the operands and, after `->`, of the result: `"ij,jk->ik"`.
        operands: tensors.
        kwargs: accepted for NumPy's sake and not used.

    Raises:
        ValueError: if the subscripts do not fit the operands.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.einsum("ij,j->i", [[1, 2], [3, 4]], [1, 1]))
    array([3, 7], dtype=int32)
    """


@op(dtype=promote)
def cross(
    x1: Tensor,
    x2: Tensor,
    axisa: int = -1,
    axisb: int = -1,
    axisc: int = -1,
    axis: int | None = None,
) -> Tensor:
    """Cross product of vectors of length 3 (or 2, whose third component is 0).

    Args:
        x1: tensor of vectors.
        x2: tensor of vectors.
        axisa: axis of the components of x1.
        axisb: axis of the components of x2.
        axisc: axis of the components of the result.
        axis: one axis in place of all three.

    Raises:
        ValueError: if the vectors are of another length.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.cross([1, 0, 0], [0, 1, 0]))
    array([0, 0, 1], dtype=int32)
    """
    if axis is not None:
        axisa = axisb = axisc = axis
    a = [squeeze(p, -1) for p in _components(x1, axisa)]
    b = [squeeze(p, -1) for p in _components(x2, axisb)]
    z = subtract(multiply(a[0], b[1]), multiply(a[1], b[0]))
    if len(a) == len(b) == 2:
        return z
    if len(a) == 2:
        x, y = multiply(a[1], b[2]), negative(multiply(a[0], b[2]))
    elif len(b) == 2:
        x, y = negative(multiply(a[2], b[1])), multiply(a[2], b[0])
    else:
        x = subtract(multiply(a[1], b[2]), multiply(a[2], b[1]))
        y = subtract(multiply(a[2], b[0]), multiply(a[0], b[2]))
    return stack([x, y, z], axisc)


@op(dtype=promote)
def kron(x1: Tensor, x2: Tensor) -> Tensor:
    """Kronecker product: a block of x2 scaled by each element of x1.

    Args:
        x1: tensor.
        x2: tensor.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.kron([1, 2], [1, 1]))
    array([1, 1, 2, 2], dtype=int32)
    """
    n = max(len(x1.shape), len(x2.shape))
    s1, s2 = ((1,) * (n - len(shape(x))) + tuple(shape(x)) for x in (x1, x2))
    blocks = multiply(
        reshape(x1, [d for s in s1 for d in (s, 1)]), reshape(x2, [d for s in s2 for d in (1, s)])
    )
    return reshape(blocks, [a * b for a, b in zip(s1, s2, strict=True)])
