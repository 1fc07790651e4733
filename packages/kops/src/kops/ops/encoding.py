"""Class numbers as vectors."""

from __future__ import annotations

from typing import Any

from kops import dtypes, ops
from kops.op import Tensor, op_family
from kops.ops._precision import dtype_name
from kops.specs import axis_of, keep

__all__ = ["multi_hot", "one_hot"]

op = op_family("nn")


def _check(num_classes: Any, sparse: bool) -> None:
    # A size that is known only when a graph runs is a tensor.
    bad = num_classes is None or isinstance(num_classes, (bool, float, str))
    if bad or (isinstance(num_classes, int) and num_classes < 0):
        raise ValueError(f"`num_classes` must be an int of at least 0, got {num_classes!r}.")
    if sparse:
        raise ValueError(
            "`sparse=True` is not available: sparse tensors differ by engine. Use `sparse=False`."
        )


@op(dtype=keep)
def one_hot(
    x: Tensor, num_classes: int, axis: int = -1, dtype: Any = None, sparse: bool = False
) -> Tensor:
    """1 where a class number equals the position along a new axis, 0 elsewhere.

    A number outside [0, num_classes) gives zeros.

    Args:
        x: whole numbers.
        num_classes: size of the new axis.
        axis: place of the new axis in the result.
        dtype: dtype of the result; the configured float if None.
        sparse: must be False.

    Raises:
        ValueError: for an axis out of range, a negative size or `sparse=True`.

    Example:

    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.one_hot([1, 3], 3)).tolist()
    [[0.0, 1.0, 0.0], [0.0, 0.0, 0.0]]
    """
    _check(num_classes, sparse)
    rank = len(x.shape) + 1
    index = axis_of(axis, rank)
    if dtype_name(x) not in ("int32", "int64"):
        x = ops.cast(x, "int32")
    shape = (1,) * index + (num_classes,) + (1,) * (rank - index - 1)
    classes = ops.reshape(ops.arange(num_classes, dtype=dtype_name(x)), shape)
    return ops.cast(ops.equal(ops.expand_dims(x, index), classes), dtypes.standardize(dtype))


@op(dtype=keep)
def multi_hot(
    inputs: Tensor,
    num_classes: int | None = None,
    axis: int = -1,
    dtype: Any = None,
    sparse: bool = False,
    **kwargs: Any,
) -> Tensor:
    """1 for every class number that occurs along the last axis, 0 elsewhere.

    A number outside [0, num_classes) counts for nothing.

    Args:
        inputs: whole numbers, shape (*batch, n); the result has shape (*batch, num_classes).
        num_classes: size of the axis of classes; required.
        axis: place of the axis of classes.
        dtype: dtype of the result; the configured float if None.
        sparse: must be False.
        kwargs: `num_tokens`, an older name of `num_classes`.

    Raises:
        ValueError: for an axis out of range, a negative or missing size or `sparse=True`.
        TypeError: for an unknown argument.

    Example:

    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.multi_hot([0, 2, 2], 4)).tolist()
    [1.0, 0.0, 1.0, 0.0]
    """
    num_classes = kwargs.pop("num_tokens", num_classes)
    if kwargs:
        raise TypeError(
            f"multi_hot() got unexpected arguments {sorted(kwargs)}; it takes `num_tokens`."
        )
    _check(num_classes, sparse)
    rank = len(inputs.shape)
    over = 1 if rank > 1 else 0
    hits = one_hot(inputs, num_classes, axis, dtype)  # type: ignore[arg-type]
    return hits if rank == 0 else ops.max(hits, axis=over, initial=0)
