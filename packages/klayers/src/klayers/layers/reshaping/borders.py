"""Reads the amounts that cropping and padding layers take off or add."""

from __future__ import annotations

from typing import Any

__all__ = ["Borders", "border_pairs"]

Borders = tuple[tuple[int, int], ...]


def border_pairs(value: Any, rank: int, name: str) -> Borders:
    """`value` as one pair `(before, after)` for each spatial axis.

    Args:
        value: an int for all sides, `rank` ints (each for both ends of its axis), or
            `rank` pairs. With rank 1, two ints are the pair.
        rank: number of spatial axes.
        name: the argument's name, for the error.

    Raises:
        ValueError: anything else, or a negative number.
    """
    if isinstance(value, (list, tuple)):
        sides = [tuple(v) if isinstance(v, (list, tuple)) else (v, v) for v in value]
        if rank == 1 and len(value) == 2 and not any(isinstance(v, (list, tuple)) for v in value):
            sides = [tuple(value)]
    else:
        sides = [(value, value)] * rank
    valid = len(sides) == rank and all(
        len(pair) == 2
        and all(isinstance(v, int) and not isinstance(v, bool) and v >= 0 for v in pair)
        for pair in sides
    )
    if not valid:
        forms = "an int or two ints (before, after)"
        if rank > 1:
            forms = f"an int, {rank} ints, or {rank} pairs of ints (before, after)"
        raise ValueError(f"`{name}` must be {forms}, none negative. Received: {name}={value!r}")
    return tuple(sides)  # type: ignore[arg-type]
