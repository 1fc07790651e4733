"""Which keys a query may look at."""

from __future__ import annotations

from typing import Any

from kops import ops

__all__ = ["causal_mask", "combine", "key_padding_mask", "window_mask"]


def causal_mask(query: Any, value: Any, axis: int = 1) -> Any:
    """True where position `t` looks at positions up to `t`; shape `(1, targets, sources)`."""
    rows, columns = _positions(query, value, axis)
    return ops.greater_equal(rows, columns)


def window_mask(query: Any, value: Any, window: int, axis: int = 1) -> Any:
    """True where two positions are less than `window` apart; shape `(1, targets, sources)`."""
    rows, columns = _positions(query, value, axis)
    return ops.less(ops.absolute(ops.subtract(rows, columns)), window)


def _positions(query: Any, value: Any, axis: int) -> tuple[Any, Any]:
    targets = ops.arange(ops.shape(query)[axis], dtype="int32")
    sources = ops.arange(ops.shape(value)[axis], dtype="int32")
    return ops.expand_dims(targets, (0, 2)), ops.expand_dims(sources, (0, 1))


def key_padding_mask(*masks: Any) -> Any:
    """Masks `(batch, sources)` of values and keys, as `(batch, 1, sources)`; None if all are."""
    return combine(*(None if m is None else ops.expand_dims(ops.cast(m, "bool"), 1) for m in masks))


def combine(*masks: Any) -> Any:
    """The logical and of the masks that are not None; None if all are."""
    result = None
    for mask in masks:
        if mask is not None:
            mask = ops.cast(mask, "bool")
            result = mask if result is None else ops.logical_and(result, mask)
    return result
