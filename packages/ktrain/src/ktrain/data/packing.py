"""What a batch looks like: `x`, `(x,)`, `(x, y)` or `(x, y, sample_weight)`."""

from __future__ import annotations

from typing import Any

from kops import tree
from kops.registry import export

__all__ = ["pack_x_y_sample_weight", "unpack_x_y_sample_weight"]


@export("keras.utils.unpack_x_y_sample_weight")
def unpack_x_y_sample_weight(data: Any) -> tuple[Any, Any, Any]:
    """Splits a batch into inputs, targets and sample weights.

    Args:
        data: `x`, `(x,)`, `(x, y)` or `(x, y, sample_weight)`; a list counts as a tuple.

    Returns:
        The tuple `(x, y, sample_weight)`, None for what is absent.

    Raises:
        ValueError: the tuple has another length.

    Example:
    ```python
    >>> from ktrain.data import unpack_x_y_sample_weight
    >>> unpack_x_y_sample_weight((1, 2))
    (1, 2, None)

    ```
    """
    if isinstance(data, list):
        data = tuple(data)
    if not isinstance(data, tuple):
        return data, None, None
    if not 1 <= len(data) <= 3:
        raise ValueError(
            "A batch must be `x`, `(x,)`, `(x, y)` or `(x, y, sample_weight)`; got a tuple of "
            f"{len(data)} items. Put several inputs into one list or dict: `([x1, x2], y)`."
        )
    return (*data, None, None)[:3]  # type: ignore[return-value]


@export("keras.utils.pack_x_y_sample_weight")
def pack_x_y_sample_weight(x: Any, y: Any = None, sample_weight: Any = None) -> Any:
    """Joins inputs, targets and sample weights into a batch: the inverse of unpacking.

    Args:
        x: inputs, a tensor or a nested structure.
        y: targets, or None.
        sample_weight: weights per sample, or None.

    Returns:
        `x` (or `(x,)` if `x` is nested) when `y` is None, else `(x, y)` or
        `(x, y, sample_weight)`.

    Example:
    ```python
    >>> from ktrain.data import pack_x_y_sample_weight
    >>> pack_x_y_sample_weight(1), pack_x_y_sample_weight([1]), pack_x_y_sample_weight(1, 2)
    (1, ([1],), (1, 2))

    ```
    """
    if y is None:
        return (x,) if tree.is_nested(x) else x
    if sample_weight is None:
        return (x, y)
    return (x, y, sample_weight)
