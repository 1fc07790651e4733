"""Starting anew within one process."""

from __future__ import annotations

import gc

from kops.naming import clear_names
from kops.registry import export

__all__ = ["clear_session"]


@export("keras.backend.clear_session", "keras.utils.clear_session")
def clear_session(free_memory: bool = True) -> None:
    """Forgets the names given so far, so that the next `Dense` is `dense` again.

    Args:
        free_memory: whether to run the garbage collector too.
    """
    clear_names()
    if free_memory:
        gc.collect()
