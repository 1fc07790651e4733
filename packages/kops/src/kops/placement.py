"""Which distribution, if any, places variables and batches on several devices.

kops only keeps the choice and asks it; the distributions themselves are in kdistribute.
"""

from __future__ import annotations

from typing import Any, Protocol

__all__ = ["Distribution", "batch_layout", "distribution", "set_distribution", "variable_layout"]


class Distribution(Protocol):
    """What places tensors on devices."""

    def get_variable_layout(self, variable: Any) -> Any:
        """Layout of a variable, or None to leave it where it is."""
        ...

    def get_data_layout(self, data_shape: Any) -> Any:
        """Layout of a batch of the given shape, or None."""
        ...


_distribution: Distribution | None = None


def distribution() -> Distribution | None:
    """The distribution in force."""
    return _distribution


def set_distribution(value: Distribution | None) -> None:
    """Sets the distribution; variables made from now on follow it."""
    global _distribution
    _distribution = value


def variable_layout(variable: Any) -> Any:
    """Layout for a new variable; None without a distribution."""
    return None if _distribution is None else _distribution.get_variable_layout(variable)


def batch_layout(shape: Any) -> Any:
    """Layout for a batch; None without a distribution."""
    return None if _distribution is None else _distribution.get_data_layout(shape)
