"""Symbolic arguments of ops: specs, unknown sizes, and results without values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from kops import dtypes
from kops.backend import current
from kops.dim import Dim, DimError, Size, evaluate, symbols
from kops.keras_tensor import KerasTensor, any_symbolic
from kops.scopes import state
from kops.variable import Variable

__all__ = ["as_sequence", "cast_spec", "outputs", "spec_of", "with_placeholders"]

_PYTHON = dtypes._PYTHON


def as_sequence(v: Any) -> Sequence[Any]:
    """`v`, checked to be a list of tensors and no tensor."""
    if isinstance(v, KerasTensor):
        raise TypeError(
            f"A list of tensors is expected here; got {v!r}. Use ops.unstack to split a tensor."
        )
    return v


def spec_of(v: Any) -> KerasTensor:
    """Shape and dtype of anything an op accepts as a tensor (a weak dtype for a number)."""
    if isinstance(v, KerasTensor):
        return v
    weak = _PYTHON.get(v.__class__)
    if weak is None and isinstance(v, Dim):
        weak = dtypes.WEAK_INT
    if weak is not None:
        return KerasTensor.of((), weak)
    if isinstance(v, Variable):
        cast = state.autocast if v.autocast and dtypes.is_float(v.dtype) else None
        return KerasTensor.of(v.shape, cast or v.dtype)
    if isinstance(v, (list, tuple)) and any_symbolic(v):
        raise TypeError(
            f"A list that holds symbolic tensors is no tensor; use ops.stack first. Got {v!r}."
        )
    eng = current()
    if not eng.is_tensor(v):
        if isinstance(v, np.ndarray):
            return KerasTensor.of(v.shape, dtypes.standardize(v.dtype))
        v = eng.convert(v)
    shape = eng.shape_of(v)
    return KerasTensor.of(tuple(Dim() if s is None else s for s in shape), eng.dtype_of(v))


def cast_spec(s: KerasTensor, target: str | None) -> KerasTensor:
    """The spec in dtype `target`; None resolves a weak dtype only."""
    if target is None:
        target = dtypes._resolve_weak(s.dtype)
    return s if s.dtype == target else KerasTensor.of(s.dims, target)


def outputs(dims: Any, dtype: Any) -> Any:
    """Symbolic result(s) from the sizes and dtype(s) that the rules gave."""
    several = isinstance(dims, list) or (
        isinstance(dims, tuple) and bool(dims) and isinstance(dims[0], tuple)
    )
    if not several:
        return KerasTensor.of(tuple(dims), dtype)
    names = [dtype] * len(dims) if isinstance(dtype, str) else dtype
    return type(dims)(KerasTensor.of(tuple(d), n) for d, n in zip(dims, names, strict=True))


def with_placeholders(infer: Callable[[list[Any]], Any], values: list[Any]) -> Any:
    """Runs `infer` with two sets of made-up sizes; sizes that differ are unknown."""
    found: set[int] = set()
    _gather_symbols(values, found)
    if not found:
        raise DimError("An unknown size is needed as a plain int here.")
    unknown = sorted(found)
    # Highly divisible, and in no fixed proportion to each other.
    first = {s: 24 * (2 * k + 5) for k, s in enumerate(unknown)}
    second = {s: 24 * (3 * k + 7) for k, s in enumerate(unknown)}
    a, b = infer(_substitute(values, first)), infer(_substitute(values, second))
    pairs = {(first[s], second[s]): Dim({(("sym", s),): 1}) for s in unknown}

    def merge(x: Any, y: Any) -> Any:
        if isinstance(x, (list, tuple)):
            return type(x)(merge(p, q) for p, q in zip(x, y, strict=True))
        return KerasTensor.of(
            tuple(_merge_size(p, q, pairs) for p, q in zip(x.dims, y.dims, strict=True)), x.dtype
        )

    return merge(a, b)


def _merge_size(p: Size, q: Size, pairs: Mapping[tuple[int, int], Dim]) -> Size:
    if isinstance(p, Dim) or p == q:
        return p
    for (u, v), dim in pairs.items():
        if p % u == 0 and q % v == 0 and p // u == q // v:  # type: ignore[operator]
            return dim * (p // u)
    return Dim()


def _gather_symbols(value: Any, found: set[int]) -> None:
    if isinstance(value, KerasTensor):
        found |= symbols(value.dims)
    elif isinstance(value, Dim):
        found |= value.symbols()
    elif isinstance(value, (tuple, list)):
        for v in value:
            _gather_symbols(v, found)
    elif isinstance(value, slice):
        _gather_symbols((value.start, value.stop, value.step), found)


def _substitute(value: Any, env: Mapping[int, int]) -> Any:
    if isinstance(value, KerasTensor):
        return KerasTensor.of(evaluate(value.dims, env), value.dtype)
    if isinstance(value, (tuple, list)):
        return type(value)(_substitute(v, env) for v in value)
    return evaluate(value, env)
