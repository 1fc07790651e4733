"""What constructor arguments may be: one table of names for the classes of an area.

A package keeps tables `{argument: rule}` and gives them to `guard`, which makes the
constructors check what they are given before anything else happens.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Mapping
from numbers import Integral, Real
from typing import Any, NamedTuple

from kops.registry import PUBLIC

__all__ = [
    "Rule",
    "any_of",
    "count",
    "guard",
    "number",
    "numbers",
    "whole",
    "wholes",
]


class Rule(NamedTuple):
    """What an argument may be: a test, and the words for the error message.

    None is also accepted where it is the default.
    """

    accepts: Callable[[Any], bool]
    accepted: str


def _is_number(x: Any, kind: type = Real) -> bool:
    return isinstance(x, kind) and not isinstance(x, bool)


def number(
    low: float = -math.inf, high: float = math.inf, *, above: bool = False, below: bool = False
) -> Rule:
    """A number from `low` to `high`, not NaN.

    Args:
        low: lower limit.
        high: upper limit.
        above: whether `low` itself is left out.
        below: whether `high` itself is left out.

    Example:

    >>> rule = number(0, 1, below=True)
    >>> rule.accepted, rule.accepts(0.5), rule.accepts(1)
    ('a number in [0, 1)', True, False)
    """

    def accepts(x: Any) -> bool:
        return (
            _is_number(x)
            and (low < x if above else low <= x)
            and (x < high if below else x <= high)
        )

    if low == -math.inf and high == math.inf:
        return Rule(accepts, "a number")
    if high == math.inf:
        return Rule(accepts, f"a number {'above' if above else 'of at least'} {low:g}")
    return Rule(accepts, f"a number in {'(['[not above]}{low:g}, {high:g}{')]'[not below]}")


def numbers() -> Rule:
    """A number, or a list or tuple of numbers; not NaN."""
    return _or_several(number())


def whole(low: float = -math.inf) -> Rule:
    """An integer of at least `low`."""
    words = "an integer" if low == -math.inf else f"an integer of at least {low:g}"
    return Rule(lambda x: _is_number(x, Integral) and x >= low, words)


def wholes(low: float = -math.inf) -> Rule:
    """An integer of at least `low`, or a list or tuple of such."""
    return _or_several(whole(low))


def _or_several(one: Rule) -> Rule:
    def accepts(x: Any) -> bool:
        return all(map(one.accepts, x)) if isinstance(x, (list, tuple)) else one.accepts(x)

    return Rule(accepts, f"{one.accepted}, or a tuple of such")


count = functools.partial(whole, 1)
"""A positive integer."""


def any_of(rule: Rule, accepts: Callable[[Any], bool], words: str) -> Rule:
    """`rule`, or what another test accepts.

    Example:

    >>> any_of(number(), callable, "a function").accepted
    'a number, or a function'
    """
    return Rule(lambda x: rule.accepts(x) or accepts(x), f"{rule.accepted}, or {words}")


def guard(package: str, area: str, table: Mapping[str, Rule]) -> None:
    """Makes the constructors of a package's public classes check their arguments.

    Args:
        package: the package: only constructors that it defines are guarded.
        area: the part of the public namespace, such as "optimizers".
        table: what the arguments of these names may be.
    """
    for path, cls in PUBLIC.items():
        if not path.startswith(f"keras.{area}.") or not inspect.isclass(cls):
            continue
        owner = next(c for c in cls.__mro__ if "__init__" in vars(c))
        init = vars(owner)["__init__"]
        if owner.__module__.startswith(f"{package}.") and not hasattr(init, "__wrapped__"):
            owner.__init__ = _guarded(init, table)


def _guarded(init: Callable[..., None], table: Mapping[str, Rule]) -> Callable[..., None]:
    code, defaults = init.__code__, init.__defaults__ or ()
    positional = code.co_varnames[1 : code.co_argcount]
    names = {*positional, *code.co_varnames[code.co_argcount :][: code.co_kwonlyargcount]}
    rules = {name: rule for name, rule in table.items() if name in names}
    if not rules:
        return init
    values = dict(zip(reversed(positional), reversed(defaults), strict=False))
    values |= init.__kwdefaults__ or {}
    may_be_none = {name for name, value in values.items() if value is None}

    @functools.wraps(init)
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        given = {**dict(zip(positional, args, strict=False)), **kwargs}
        for name, value in given.items():
            rule = rules.get(name)
            if rule is None or rule.accepts(value) or (value is None and name in may_be_none):
                continue
            if getattr(value, "shape", None) == ():
                continue  # a tensor may hold its value on a device
            raise ValueError(
                f"`{name}` of {type(self).__name__} must be {rule.accepted}. "
                f"Received: {name}={value!r}"
            )
        init(self, *args, **kwargs)

    return __init__
