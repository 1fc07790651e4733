"""Masks travel with the tensors they describe.

A mask is attached as the attribute `_keras_mask` where the tensor allows one
(torch and TensorFlow tensors, symbolic tensors) and kept in a side table for
the others (JAX and NumPy arrays). The table holds the tensors weakly, so a mask
lives as long as its tensor.
"""

from __future__ import annotations

import threading
import weakref
from typing import Any

__all__ = ["get_mask", "set_mask"]

_LOCK = threading.Lock()
_SIDE_TABLE: dict[int, tuple[weakref.ref[Any], Any]] = {}


def set_mask(x: Any, mask: Any) -> None:
    """Attaches `mask` to the tensor `x`; `None` removes the mask.

    A tensor that takes neither attributes nor weak references (a Python number)
    is left alone.

    Example:
    ```python
    >>> import numpy as np
    >>> from kops import masks
    >>> x = np.zeros((2, 3))
    >>> masks.set_mask(x, np.array([True, False]))
    >>> masks.get_mask(x)
    array([ True, False])

    ```
    """
    if mask is None:
        _remove(x)
        return
    try:
        x._keras_mask = mask
    except AttributeError:
        _remember(x, mask)


def get_mask(x: Any) -> Any:
    """The mask attached to the tensor `x`, or None.

    Example:
    ```python
    >>> import numpy as np
    >>> from kops import masks
    >>> masks.get_mask(np.zeros(3)) is None
    True

    ```
    """
    mask = getattr(x, "_keras_mask", None)
    if mask is None and _SIDE_TABLE:
        held = _SIDE_TABLE.get(id(x))
        # An id can be reused: the reference says whether this is the same tensor.
        if held is not None and held[0]() is x:
            return held[1]
    return mask


def _remember(x: Any, mask: Any) -> None:
    key = id(x)

    def forget(dead: weakref.ref[Any]) -> None:
        held = _SIDE_TABLE.get(key)
        if held is not None and held[0] is dead:
            _SIDE_TABLE.pop(key, None)

    try:
        reference = weakref.ref(x, forget)
    except TypeError:
        return
    with _LOCK:
        _SIDE_TABLE[key] = (reference, mask)


def _remove(x: Any) -> None:
    if getattr(x, "_keras_mask", None) is not None:
        del x._keras_mask
    with _LOCK:
        held = _SIDE_TABLE.get(id(x))
        if held is not None and held[0]() is x:
            del _SIDE_TABLE[id(x)]
