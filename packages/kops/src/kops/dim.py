"""`Dim`: an unknown size that can be calculated with.

A `Dim` is a polynomial with integer coefficients over atoms. An atom is a symbol (the
size of one axis of one symbolic tensor) or an operation that is no polynomial (floor
division, modulo, broadcasting of two unknown sizes).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping
from typing import Any

__all__ = ["Dim", "DimError", "Size", "as_int", "evaluate", "has_dim", "symbols"]

Atom = tuple[Any, ...]
_counter = itertools.count()


class DimError(TypeError):
    """A plain int was needed where a size is unknown."""


def _monomial(atoms: tuple[Atom, ...]) -> tuple[Atom, ...]:
    return atoms if len(atoms) < 2 else tuple(sorted(atoms, key=repr))


class Dim:
    """An unknown size, closed under integer arithmetic.

    Comparing sizes for order or converting one to `int` raises `DimError`.

    Example:

    >>> n = Dim()
    >>> (n * 6) // 3 == n * 2
    True
    >>> (n * 2 + 1).evaluate({n.symbol: 5})
    11
    """

    __slots__ = ("terms",)

    def __init__(self, terms: Mapping[tuple[Atom, ...], int] | None = None):
        self.terms = dict(terms) if terms is not None else {(("sym", next(_counter)),): 1}

    # -- structure --------------------------------------------------------------------

    @property
    def symbol(self) -> int | None:
        """The symbol's number if this is a bare symbol, else None."""
        if len(self.terms) == 1:
            ((atoms, factor),) = self.terms.items()
            if factor == 1 and len(atoms) == 1 and atoms[0][0] == "sym":
                return atoms[0][1]
        return None

    def symbols(self) -> set[int]:
        """Numbers of all symbols in the expression."""
        found: set[int] = set()
        for atom in itertools.chain.from_iterable(self.terms):
            if atom[0] == "sym":
                found.add(atom[1])
            else:
                for part in atom[1:]:
                    if isinstance(part, Dim):
                        found |= part.symbols()
        return found

    def evaluate(self, env: Mapping[int, Size]) -> Size:
        """The value with each symbol replaced by `env[symbol]`, itself an int or a Dim."""
        total: Size = 0
        for atoms, factor in self.terms.items():
            product: Size = factor
            for atom in atoms:
                product = product * _evaluate_atom(atom, env)
            total = total + product
        return total

    # -- arithmetic -------------------------------------------------------------------

    def __add__(self, other: Size) -> Size:
        other = _terms(other)
        if other is NotImplemented:
            return NotImplemented
        result = dict(self.terms)
        for atoms, factor in other.items():
            result[atoms] = result.get(atoms, 0) + factor
        return _normal(result)

    def __mul__(self, other: Size) -> Size:
        other = _terms(other)
        if other is NotImplemented:
            return NotImplemented
        result: dict[tuple[Atom, ...], int] = {}
        for (a, fa), (b, fb) in itertools.product(self.terms.items(), other.items()):
            key = _monomial(a + b)
            result[key] = result.get(key, 0) + fa * fb
        return _normal(result)

    def __floordiv__(self, other: Size) -> Size:
        return _divide(self, other)

    def __rfloordiv__(self, other: int) -> Size:
        return _divide(other, self)

    def __mod__(self, other: Size) -> Size:
        quotient = _exact(self, other)
        return 0 if quotient is not None else _atom("mod", self, other)

    def __rmod__(self, other: int) -> Size:
        return _atom("mod", other, self)

    def __neg__(self) -> Size:
        return self * -1

    def __sub__(self, other: Size) -> Size:
        return self + other * -1 if isinstance(other, (Dim, int)) else NotImplemented

    def __rsub__(self, other: int) -> Size:
        return self * -1 + other

    __radd__ = __add__
    __rmul__ = __mul__

    # -- what an unknown size cannot do --------------------------------------------------

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Dim) and self.terms == other.terms

    def __hash__(self) -> int:
        return hash(frozenset(self.terms.items()))

    def _needs_int(self, *_: object) -> Any:
        raise DimError("The size of this axis is unknown while the model is being traced.")

    __int__ = __index__ = __float__ = __bool__ = _needs_int
    __lt__ = __le__ = __gt__ = __ge__ = __truediv__ = __rtruediv__ = __pow__ = _needs_int

    def __repr__(self) -> str:
        def term(atoms: tuple[Atom, ...], factor: int) -> str:
            names = [f"d{a[1]}" if a[0] == "sym" else f"{a[0]}{a[1:]}" for a in atoms]
            return "*".join(([] if factor == 1 and names else [str(factor)]) + names)

        return "Dim(" + " + ".join(term(*t) for t in self.terms.items()) + ")"


Size = int | Dim


def _terms(value: object) -> Any:
    if isinstance(value, Dim):
        return value.terms
    if isinstance(value, int) or hasattr(value, "__index__"):
        return {(): int(value)}  # type: ignore[arg-type, call-overload]
    return NotImplemented


def _normal(terms: dict[tuple[Atom, ...], int]) -> Size:
    terms = {a: f for a, f in terms.items() if f}
    if not terms:
        return 0
    if len(terms) == 1 and () in terms:
        return terms[()]
    return Dim(terms)


def _atom(kind: str, *parts: Size) -> Dim:
    return Dim({((kind, *parts),): 1})


def _evaluate_atom(atom: Atom, env: Mapping[int, Size]) -> Size:
    if atom[0] == "sym":
        return env[atom[1]] if atom[1] in env else Dim({(atom,): 1})
    a, b = (p.evaluate(env) if isinstance(p, Dim) else p for p in atom[1:])
    return _ATOMS[atom[0]](a, b)


def _exact(a: Size, b: Size) -> Size | None:
    """A / b if every term of `a` is a multiple of the single term of `b`, else None."""
    num, den = _terms(a), _terms(b)
    if len(den) != 1:
        return 1 if num == den else None
    ((datoms, dfactor),) = den.items()
    if dfactor == 0:
        raise ZeroDivisionError("division of a size by zero")
    result: dict[tuple[Atom, ...], int] = {}
    for atoms, factor in num.items():
        rest = list(atoms)
        for atom in datoms:
            if atom not in rest:
                return None
            rest.remove(atom)
        if factor % dfactor:
            return None
        result[tuple(rest)] = factor // dfactor
    return _normal(result)


def _divide(a: Size, b: Size) -> Size:
    if not isinstance(b, Dim) and not isinstance(b, int):
        return NotImplemented
    exact = _exact(a, b)
    if exact is not None:
        return exact
    if isinstance(a, Dim) and isinstance(b, int):
        # (6n + 5) // 3 == 2n + 1: the multiples of b may leave the division.
        whole = _normal({t: f for t, f in a.terms.items() if f % b == 0})
        rest = _normal({t: f for t, f in a.terms.items() if f % b})
        if isinstance(rest, int):
            return _exact(whole, b) + rest // b  # type: ignore[operator]
    return _atom("floordiv", a, b)


def broadcast(a: Size, b: Size) -> Size:
    """Size that two sizes broadcast to; unknown sizes are taken not to be 1."""
    if a == 1 or a == b:
        return b
    if b == 1:
        return a
    if isinstance(a, Dim) and isinstance(b, Dim):
        return _atom("broadcast", *sorted((a, b), key=repr))
    if isinstance(a, Dim):
        return b
    if isinstance(b, Dim):
        return a
    raise ValueError(f"sizes {a} and {b} do not broadcast")


_ATOMS: dict[str, Callable[[Any, Any], Size]] = {
    "floordiv": lambda a, b: a // b,
    "mod": lambda a, b: a % b,
    "broadcast": broadcast,
}


# -- nested arguments ---------------------------------------------------------------------


def has_dim(value: Any) -> bool:
    """Whether a (nested) argument holds an unknown size."""
    if isinstance(value, (tuple, list)):
        return any(map(has_dim, value))
    if isinstance(value, slice):
        return has_dim((value.start, value.stop, value.step))
    return isinstance(value, Dim)


def evaluate(value: Any, env: Mapping[int, Size]) -> Any:
    """A (nested) argument with its unknown sizes replaced from `env`."""
    if isinstance(value, Dim):
        return value.evaluate(env)
    if isinstance(value, (tuple, list)):
        return type(value)(evaluate(v, env) for v in value)
    if isinstance(value, slice):
        return slice(*(evaluate(v, env) for v in (value.start, value.stop, value.step)))
    return value


def symbols(values: Iterable[Any]) -> set[int]:
    """Numbers of all symbols in the given sizes."""
    found: set[int] = set()
    for v in values:
        if isinstance(v, Dim):
            found |= v.symbols()
    return found


def as_int(size: Size | None) -> int | None:
    """The size as users see it: None where it is unknown."""
    return None if isinstance(size, Dim) else size
