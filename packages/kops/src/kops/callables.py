"""Ops given by name or as functions, as arguments of other ops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kops.operators import OPS

__all__ = ["Activation", "activation_function", "is_op"]

Activation = str | Callable[[Any], Any] | None


def activation_function(activation: Activation) -> Callable[[Any], Any]:
    """The function that `activation` stands for: itself, the op of that name, or nothing.

    Raises:
        ValueError: if it names no op.
    """
    if activation is None:
        return lambda x: x
    if callable(activation):
        return activation
    found = OPS.get(activation)
    if found is None:
        raise ValueError(
            f"`activation` must be a function, None or the name of an op, got {activation!r}."
        )
    return found.function


def is_op(activation: Activation, name: str) -> bool:
    """Whether `activation` is the op called `name`, given by name or as the function."""
    if isinstance(activation, str):
        return activation == name
    declared = getattr(activation, "op", None)
    return declared is not None and declared is OPS.get(name)
