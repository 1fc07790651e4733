"""Branches whose condition may be known only when a compiled step runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from kops import Variable, ops
from kops.scopes import StatelessScope, get_stateless_scope

__all__ = ["choose", "known_truth"]


def known_truth(condition: Any) -> bool | None:
    """The truth of a scalar bool tensor, None while it is being traced."""
    try:
        return bool(condition)
    # What JAX's tracers and TensorFlow's graph tensors raise derives from TypeError.
    except TypeError:
        return None


def choose(
    condition: Any,
    if_true: Callable[[], None],
    if_false: Callable[[], None],
    changing: Sequence[Variable],
) -> None:
    """Runs one of two functions that assign variables.

    In a compiled step each function becomes a branch that returns the new values.

    Args:
        condition: scalar bool tensor.
        if_true: assigns some of `changing`.
        if_false: assigns some of `changing`.
        changing: every variable that one of the functions may assign.
    """
    truth = known_truth(condition)
    if truth is not None:
        (if_true if truth else if_false)()
        return
    before = [v.value for v in changing]
    after = ops.cond(
        condition,
        lambda: _values_after(if_true, changing, before),
        lambda: _values_after(if_false, changing, before),
    )
    for variable, value in zip(changing, after, strict=True):
        variable.assign(value)


def _values_after(
    function: Callable[[], None], changing: Sequence[Variable], before: Sequence[Any]
) -> list[Any]:
    outer = get_stateless_scope()
    inherited = (
        []
        if outer is None
        else [(v, outer.state_mapping[key]) for key, v in outer._variables.items()]
    )
    with StatelessScope(state_mapping=[*inherited, *zip(changing, before, strict=True)]) as scope:
        function()
    return [scope.get_current_value(v) for v in changing]
