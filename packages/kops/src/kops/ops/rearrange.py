"""`rearrange`: transposing, splitting and joining axes by a pattern."""

from __future__ import annotations

import re
from typing import Any

from kops import ops
from kops.op import Argument, Tensor, op_family
from kops.specs import keep

__all__ = ["rearrange"]

op = op_family("einops")

_TOKEN = re.compile(r"\(|\)|\.\.\.|[A-Za-z_]\w*|\d+|\S")


@op(dtype=keep)
def rearrange(tensor: Tensor, pattern: Argument, **axes_lengths: int) -> Tensor:
    """Transposes, splits and joins axes as a pattern in einops notation says.

    The pattern names the axes before and after `->`. Names in parentheses make up one axis,
    the first name varying slowest; `1` is an axis of size 1; `...` stands for any axes.

    Args:
        tensor: tensor.
        pattern: such as `"batch (height row) width -> batch height (row width)"`.
        axes_lengths: sizes of named axes that the shape does not give.

    Raises:
        ValueError: for a pattern that is none, or does not fit the shape.

    Source: Rogozhnikov, "Einops: Clear and Reliable Tensor Manipulations with Einstein-like
    Notation", ICLR 2022.

    Example:

    >>> import numpy as np
    >>> from kops import ops
    >>> tuple(ops.rearrange(np.zeros((2, 6, 5)), "b (h w) c -> b c h w", h=2).shape)
    (2, 5, 2, 3)
    """
    left, right = _sides(pattern, len(tensor.shape))
    names = [name for group in left for name in group]
    wanted = [name for group in right for name in group]
    if sorted(names) != sorted(wanted):
        odd = sorted(set(names) ^ set(wanted))
        raise ValueError(f"`pattern` {pattern!r} must have the same axes on both sides; see {odd}.")
    unknown = sorted(set(axes_lengths) - set(names))
    if unknown:
        raise ValueError(f"The axes {unknown} are not in `pattern` {pattern!r}.")
    sizes = _sizes(left, ops.shape(tensor), axes_lengths, pattern)
    x = ops.reshape(tensor, tuple(sizes[name] for name in names))
    x = ops.transpose(x, tuple(names.index(name) for name in wanted))
    return ops.reshape(x, tuple(_product(sizes[name] for name in group) for group in right))


def _sides(pattern: str, rank: int) -> tuple[list[list[str]], list[list[str]]]:
    """Both sides of a pattern: for each axis the names that make it up."""
    if not isinstance(pattern, str) or pattern.count("->") != 1:
        raise ValueError(f"`pattern` must be a string with one '->'; got {pattern!r}.")
    texts = pattern.split("->")
    named = [_groups(text, pattern) for text in texts]
    for groups in named:
        flat = [name for group in groups for name in group]
        for name in flat:
            if flat.count(name) > 1:
                raise ValueError(f"`pattern` {pattern!r} has the axis {name!r} twice on one side.")
    free = rank - sum(group != ["..."] for group in named[0])
    if free < 0 or (free and ["..."] not in named[0]):
        raise ValueError(
            f"`pattern` {pattern!r} does not fit a tensor of rank {rank}: it names "
            f"{rank - free} axes."
        )
    dots = [f"...{i}" for i in range(free)]
    left, right = [_expanded(groups, dots) for groups in named]
    return left, right


def _expanded(groups: list[list[str]], dots: list[str]) -> list[list[str]]:
    result: list[list[str]] = []
    for group in groups:
        if group == ["..."]:
            result.extend([name] for name in dots)
        else:
            result.append([n for name in group for n in (dots if name == "..." else [name])])
    return result


def _groups(text: str, pattern: str) -> list[list[str]]:
    groups: list[list[str]] = []
    inside = False
    for token in _TOKEN.findall(text):
        if token == "(" and not inside:
            inside = True
            groups.append([])
        elif token == ")" and inside:
            inside = False
        elif token == "1":
            if not inside:
                groups.append([])
        elif token == "..." or token.isidentifier():
            if inside:
                groups[-1].append(token)
            else:
                groups.append([token])
        else:
            raise ValueError(f"`pattern` {pattern!r} has {token!r} where a name is expected.")
    if inside:
        raise ValueError(f"`pattern` {pattern!r} lacks a ')'.")
    return groups


def _product(sizes: Any) -> Any:
    result: Any = 1
    for size in sizes:
        result = size * result
    return result


def _sizes(groups: Any, shape: Any, given: dict[str, int], pattern: str) -> dict[str, Any]:
    """The size of every name; one of each group may be left to the shape."""
    sizes: dict[str, Any] = {}
    for group, size in zip(groups, shape, strict=True):
        missing = [name for name in group if name not in given]
        known = _product(given[name] for name in group if name in given)
        sizes.update({name: given[name] for name in group if name in given})
        if len(missing) > 1:
            raise ValueError(
                f"`pattern` {pattern!r} leaves the sizes of {missing} open; give all but one of "
                f"them, such as {missing[0]}=2."
            )
        fits = not isinstance(size, int) or (size % known == 0 if known else size == 0)
        if not fits or (not missing and isinstance(size, int) and size != known):
            raise ValueError(
                f"An axis of size {size} does not fit ({' '.join(group)}) of `pattern` "
                f"{pattern!r} with {given}."
            )
        if missing:
            sizes[missing[0]] = size // known if known else 0
    return sizes
