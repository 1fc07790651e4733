"""What the element-wise merging layers share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from klayers.layer import Layer
from kops import ops
from kops.dim import Dim

__all__ = ["Merge", "check_same_batch", "combine_masks", "merged_shape"]

Shape = tuple[int | None, ...]


class Merge(Layer):
    """Base of the element-wise merging layers. A subclass sets `combine`.

    Inputs of a lower rank get axes of size 1 after the batch, so `(batch, 3)` joins
    `(batch, 5, 3)`.
    """

    combine: Callable[[Any, Any], Any]
    _count: int | None = None  # how many inputs, if fixed

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True

    def build(self, input_shape: Sequence[Any]) -> None:
        """Checks the input shapes."""
        self.compute_output_shape(input_shape)

    def call(self, inputs: Sequence[Any]) -> Any:
        """The inputs, combined from first to last."""
        if not isinstance(inputs, (list, tuple)):
            raise ValueError(
                f"{type(self).__name__} joins a list of tensors. Received: inputs={inputs!r}"
            )
        first, *rest = self._align(inputs)
        combine = type(self).combine
        for x in rest:
            first = combine(first, x)
        return first

    def _align(self, inputs: Sequence[Any]) -> Sequence[Any]:
        ranks = {len(x.shape) for x in inputs}
        if len(ranks) == 1:
            return inputs
        rank = max(ranks)
        return [_with_rank(x, rank) for x in inputs]

    def compute_output_shape(self, input_shape: Sequence[Any]) -> Shape:
        """Shape of the output for inputs of shapes `input_shape`."""
        shapes = _shapes(input_shape, type(self).__name__)
        if self._count is not None and len(shapes) != self._count:
            raise ValueError(
                f"{type(self).__name__} joins exactly {self._count} inputs. "
                f"Received {len(shapes)}: input_shape={input_shape}"
            )
        check_same_batch(shapes)
        rank = max(map(len, shapes))
        padded = [(*s[:1], *(1,) * (rank - len(s)), *s[1:]) for s in shapes]
        return merged_shape(padded)

    def compute_output_spec(self, inputs: Sequence[Any]) -> Any:
        """Symbolic output for symbolic inputs."""
        self.compute_output_shape([x.shape for x in inputs])
        return super().compute_output_spec(inputs)

    def compute_mask(self, inputs: Sequence[Any], mask: Any = None) -> Any:
        """True where all masks are: an input without a mask counts as unmasked."""
        if mask is None:
            return None
        if not isinstance(mask, (list, tuple)) or len(mask) != len(inputs):
            raise ValueError(
                f"`mask` of {type(self).__name__} must be a list with one mask (or None) for each "
                f"of the {len(inputs)} inputs. Received: mask={mask!r}"
            )
        return combine_masks(mask)


def combine_masks(masks: Sequence[Any]) -> Any:
    """The logical and of the masks that are not None."""
    given = [m for m in masks if m is not None]
    if not given:
        return None
    result = given[0]
    for mask in given[1:]:
        rank = max(len(result.shape), len(mask.shape))
        result = ops.logical_and(_with_rank(result, rank), _with_rank(mask, rank))
    return result


def _with_rank(x: Any, rank: int) -> Any:
    for _ in range(rank - len(x.shape)):
        x = ops.expand_dims(x, 1)
    return x


def _shapes(input_shape: Any, name: str) -> list[Shape]:
    is_list = isinstance(input_shape, (list, tuple)) and all(
        isinstance(s, (list, tuple)) for s in input_shape
    )
    if not is_list or not input_shape:
        raise ValueError(
            f"{name} must be called on a list of one or more tensors. Received: "
            f"input_shape={input_shape} (not a list of shapes)"
        )
    return [tuple(s) for s in input_shape]


def check_same_batch(shapes: Sequence[Shape]) -> None:
    """Raises ValueError if the known batch sizes differ."""
    batches = {s[0] for s in shapes if s and s[0] is not None and not isinstance(s[0], Dim)}
    if len(batches) > 1:
        raise ValueError(f"Tensors with different batch sizes cannot be joined: shapes {shapes}.")


def merged_shape(shapes: Sequence[Shape]) -> Shape:
    """The shape that `shapes` of equal rank broadcast to.

    Raises:
        ValueError: they do not broadcast.
    """
    result = []
    for sizes in zip(*shapes, strict=True):
        known = {n for n in sizes if n is not None and n != 1}
        if len(known) > 1:
            raise ValueError(f"Shapes that do not broadcast cannot be joined: {list(shapes)}.")
        result.append(known.pop() if known else (None if None in sizes else 1))
    return tuple(result)
