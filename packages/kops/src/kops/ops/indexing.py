"""Reading and writing by position."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kops.dim import Dim, Size
from kops.keras_tensor import KerasTensor
from kops.op import Argument, Tensor, op_family
from kops.ops.comparison import not_equal
from kops.ops.elementwise import floor_divide, mod, where
from kops.shapes import check_segments, item_dims, take_dims
from kops.specs import axis_of, broadcast_dims, index, promote, size_product

__all__ = [
    "get_item",
    "nonzero",
    "scatter",
    "scatter_update",
    "segment_max",
    "segment_min",
    "segment_prod",
    "segment_sum",
    "select",
    "slice",
    "slice_update",
    "take",
    "take_along_axis",
    "unravel_index",
]

op = op_family("numpy")
core = op_family("core")
maths = op_family("math")

Dims = tuple[Size, ...]
REDUCTIONS = (None, "add", "max", "min", "mul")


def _take_shape(x: KerasTensor, indices: KerasTensor, axis: int | None) -> Dims:
    return take_dims(x.dims, indices.dims, axis)


def _take_along_shape(x: KerasTensor, indices: KerasTensor, axis: int | None) -> Dims:
    if axis is None:
        return (size_product(indices.dims),)
    axis = axis_of(axis, x.ndim)
    if x.ndim != indices.ndim:
        raise ValueError(f"`indices` must have the rank of `x`, {x.ndim}; got rank {indices.ndim}.")
    without = [d[:axis] + (1,) + d[axis + 1 :] for d in (x.dims, indices.dims)]
    dims = broadcast_dims(*without)
    return (*dims[:axis], indices.dims[axis], *dims[axis + 1 :])


def _get_item_shape(x: KerasTensor, key: Any) -> Dims:
    return item_dims(x.dims, key)


def _block_fits(dims: Dims, block: Dims, what: str) -> None:
    if len(dims) != len(block) or any(
        isinstance(d, int) and isinstance(b, int) and b > d
        for d, b in zip(dims, block, strict=False)
    ):
        raise ValueError(f"`{what}` {tuple(block)} does not fit into a tensor of shape {dims}.")


def _slice_shape(inputs: KerasTensor, start_indices: Any, shape: Sequence[Any]) -> Dims:
    _block_fits(inputs.dims, tuple(shape), "shape")
    return tuple(shape)


def _slice_update_shape(inputs: KerasTensor, start_indices: Any, updates: KerasTensor) -> Dims:
    _block_fits(inputs.dims, updates.dims, "updates")
    return inputs.dims


def _scatter_shape(indices: KerasTensor, values: Any, shape: Sequence[Any]) -> Dims:
    return tuple(shape)


def _scatter_dtype(indices: Any, values: KerasTensor, shape: Any) -> str:
    return values.dtype


def _scatter_update_shape(
    inputs: KerasTensor, indices: KerasTensor, updates: KerasTensor, reduction: str | None
) -> Dims:
    if reduction not in REDUCTIONS:
        raise ValueError(f"`reduction` must be one of {REDUCTIONS}; got {reduction!r}.")
    return inputs.dims


def _segment_shape(
    data: KerasTensor, segment_ids: KerasTensor, num_segments: int | None, sorted: bool
) -> Dims:
    check_segments(data.ndim, segment_ids.ndim)
    return (Dim() if num_segments is None else num_segments, *data.dims[1:])


@op(shape=_take_shape, dtype={"indices": index})
def take(x: Tensor, indices: Tensor, axis: int | None = None) -> Tensor:
    """Elements, or slices along an axis, by their positions.

    Args:
        x: tensor.
        indices: positions; negative ones count from the end.
        axis: axis to pick along; None for the flattened tensor.

    Raises:
        IndexError: for a position out of range. A compiled call cannot raise: its result
            is NaN there for floats, and the nearest element for integers.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.take([10, 20, 30], [2, 0]))
    array([30, 10], dtype=int32)
    """


@op(shape=_take_along_shape, dtype={"indices": index})
def take_along_axis(x: Tensor, indices: Tensor, axis: int | None = None) -> Tensor:
    """For each position along an axis, the element that the indices name.

    Args:
        x: tensor.
        indices: positions along `axis`, of the rank of `x`; other axes broadcast.
        axis: axis to pick along; None for the flattened tensor.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.take_along_axis([[1, 2], [3, 4]], [[1], [0]], axis=1))
    array([[2],
           [3]], dtype=int32)
    """


@op(shape=_get_item_shape)
def get_item(x: Tensor, key: Argument) -> Tensor:
    """x[key], NumPy's indexing.

    Args:
        x: tensor.
        key: int, slice, `...`, None, tensor of positions or bools, or a tuple of them.

    Raises:
        IndexError: if there are more indices than axes, or one is out of range.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.get_item([10, 20, 30], -1))
    array(30, dtype=int32)
    """


@core(shape=_slice_shape, dtype={"start_indices": index})
def slice(inputs: Tensor, start_indices: Tensor, shape: Sequence[int]) -> Tensor:
    """A block of a tensor.

    Args:
        inputs: tensor.
        start_indices: where the block starts on each axis; may depend on data.
        shape: size of the block. A start too close to the end is moved to where the block
            fits.

    Raises:
        ValueError: if the block is larger than the tensor.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.slice([[1, 2], [3, 4]], [0, 1], (2, 1)))
    array([[2],
           [4]], dtype=int32)
    """


@core(shape=_slice_update_shape, dtype={"inputs updates": promote, "start_indices": index})
def slice_update(inputs: Tensor, start_indices: Tensor, updates: Tensor) -> Tensor:
    """The tensor with a block replaced.

    Args:
        inputs: tensor.
        start_indices: where the block starts on each axis; may depend on data. A start too
            close to the end is moved to where the block fits.
        updates: the block, of the rank of `inputs`.

    Raises:
        ValueError: if the block is larger than the tensor.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.slice_update([1, 2, 3], [1], [9]))
    array([1, 9, 3], dtype=int32)
    """


@core(shape=_scatter_shape, dtype={"indices": index}, out=_scatter_dtype)
def scatter(indices: Tensor, values: Tensor, shape: Sequence[int]) -> Tensor:
    """Values added to a tensor of zeros at given positions.

    Args:
        indices: positions `(..., k)`, each naming the first k axes; those out of range are
            left out.
        values: `(..., *shape[k:])`; values for one position are summed.
        shape: shape of the result.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.scatter([[0], [2], [0]], [1, 2, 3], (3,)))
    array([4, 0, 2], dtype=int32)
    """


@core(shape=_scatter_update_shape, dtype={"inputs updates": promote, "indices": index})
def scatter_update(
    inputs: Tensor, indices: Tensor, updates: Tensor, reduction: str | None = None
) -> Tensor:
    """The tensor with the elements at given positions replaced or combined with others.

    Args:
        inputs: tensor.
        indices: positions `(..., k)`, each naming the first k axes; those out of range are
            left out.
        updates: `(..., *inputs.shape[k:])`.
        reduction: None (replace: the last of several updates wins), "add", "max", "min"
            or "mul".

    Raises:
        ValueError: for another reduction.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.scatter_update([1, 2, 3], [[0]], [9]))
    array([9, 2, 3], dtype=int32)
    """


@op()
def nonzero(x: Tensor) -> Any:
    """Positions of the elements that are not 0, one int32 tensor per axis.

    Args:
        x: tensor.

    Example:
    >>> from kops import ops
    >>> [ops.convert_to_numpy(t) for t in ops.nonzero([0, 5, 7])]
    [array([1, 2], dtype=int32)]
    """
    return where(not_equal(x, 0))


@maths(shape=_segment_shape, dtype={"segment_ids": index})
def segment_sum(
    data: Tensor,
    segment_ids: Tensor,
    num_segments: int | None = None,
    sorted: bool = False,
) -> Tensor:
    """Sum of the rows of each segment.

    Args:
        data: tensor `(n, ...)`.
        segment_ids: the segment of each row, `(n,)`; rows with a number outside
            [0, num_segments) are left out.
        num_segments: number of segments; by default the largest number plus 1, which is
            not known to a symbolic or compiled call.
        sorted: whether the numbers are known to be in order.

    Returns:
        Tensor `(num_segments, ...)`; 0 where a segment has no rows.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.segment_sum([1, 2, 3], [0, 0, 1], 2))
    array([3, 3], dtype=int32)
    """


@maths(shape=_segment_shape, dtype={"segment_ids": index})
def segment_prod(
    data: Tensor,
    segment_ids: Tensor,
    num_segments: int | None = None,
    sorted: bool = False,
) -> Tensor:
    """Product of the rows of each segment.

    Args:
        data: tensor `(n, ...)`.
        segment_ids: the segment of each row, `(n,)`; rows with a number outside
            [0, num_segments) are left out.
        num_segments: number of segments; by default the largest number plus 1, which is
            not known to a symbolic or compiled call.
        sorted: whether the numbers are known to be in order.

    Returns:
        Tensor `(num_segments, ...)`; 1 where a segment has no rows.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.segment_prod([1, 2, 3], [0, 0, 1], 2))
    array([2, 3], dtype=int32)
    """


@maths(shape=_segment_shape, dtype={"segment_ids": index})
def segment_max(
    data: Tensor,
    segment_ids: Tensor,
    num_segments: int | None = None,
    sorted: bool = False,
) -> Tensor:
    """Largest value of the rows of each segment.

    Args:
        data: tensor `(n, ...)`.
        segment_ids: the segment of each row, `(n,)`; rows with a number outside
            [0, num_segments) are left out.
        num_segments: number of segments; by default the largest number plus 1, which is
            not known to a symbolic or compiled call.
        sorted: whether the numbers are known to be in order.

    Returns:
        Tensor `(num_segments, ...)`; the lowest number of the dtype where a segment has no rows.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.segment_max([1, 2, 3], [0, 0, 1], 2))
    array([2, 3], dtype=int32)
    """


@maths(shape=_segment_shape, dtype={"segment_ids": index})
def segment_min(
    data: Tensor,
    segment_ids: Tensor,
    num_segments: int | None = None,
    sorted: bool = False,
) -> Tensor:
    """Smallest value of the rows of each segment.

    Args:
        data: tensor `(n, ...)`.
        segment_ids: the segment of each row, `(n,)`; rows with a number outside
            [0, num_segments) are left out.
        num_segments: number of segments; by default the largest number plus 1, which is
            not known to a symbolic or compiled call.
        sorted: whether the numbers are known to be in order.

    Returns:
        Tensor `(num_segments, ...)`; the highest number of the dtype where a segment has no rows.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.segment_min([1, 2, 3], [0, 0, 1], 2))
    array([1, 3], dtype=int32)
    """


@op()
def select(condlist: Sequence[Tensor], choicelist: Sequence[Tensor], default: Tensor = 0) -> Tensor:
    """For each element, the choice of the first condition that holds.

    Args:
        condlist: conditions.
        choicelist: what to take where each holds.
        default: what to take where none does.

    Raises:
        ValueError: if the lists are empty or of different lengths.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.select([[True, False]], [[1, 2]], 0))
    array([1, 0], dtype=int32)
    """
    if not condlist or len(condlist) != len(choicelist):
        raise ValueError(
            "`condlist` and `choicelist` must be of one length, at least 1; got "
            f"{len(condlist)} and {len(choicelist)}."
        )
    result = default
    for condition, choice in reversed(list(zip(condlist, choicelist, strict=True))):
        result = where(condition, choice, result)
    return result


@op()
def unravel_index(indices: Tensor, shape: Sequence[int]) -> list[Any]:
    """Positions in a flattened tensor as positions per axis.

    Args:
        indices: positions in the flattened tensor.
        shape: its shape.

    Example:
    >>> from kops import ops
    >>> [ops.convert_to_numpy(t) for t in ops.unravel_index([1, 5], (2, 3))]
    [array([0, 1], dtype=int32), array([1, 2], dtype=int32)]
    """
    places = []
    for size in reversed(tuple(shape)):
        places.append(mod(indices, size))
        indices = floor_divide(indices, size)
    return list(reversed(places))
