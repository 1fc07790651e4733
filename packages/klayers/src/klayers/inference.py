"""Shapes and dtypes of what a Python function of tensors returns, without running it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kops import tree
from kops.backend import current
from kops.dim import Dim
from kops.keras_tensor import KerasTensor
from kops.scopes import StatelessScope, SymbolicScope

__all__ = ["infer_outputs"]

# Sizes put in for unknown ones; a result that changes with them is unknown too.
_PLACEHOLDERS = (7, 13)


def infer_outputs(fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Symbolic results of `fn` for arguments of which some are symbolic.

    `fn` runs on the symbolic tensors. Where it needs plain ints for sizes, it runs twice
    with placeholder sizes; where it calls the engine's own functions, the engine's
    abstract evaluation takes over.
    """
    args, kwargs = tree.map_structure(_copy, (args, kwargs))
    try:
        return _clean(_trace(fn, args, kwargs))
    except (TypeError, ValueError, AttributeError, NotImplementedError) as error:
        for attempt in (_trace, _abstract):
            try:
                return _with_placeholders(attempt, fn, args, kwargs)
            except Exception:
                continue
        raise error


def _trace(fn: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    with StatelessScope(), SymbolicScope(record=False):
        return fn(*args, **kwargs)


def _abstract(fn: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    return current().abstract_eval(fn, args, kwargs)


def _with_placeholders(attempt: Any, fn: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    results = []
    for offset in _PLACEHOLDERS:
        known: dict[Any, int] = {}

        def concrete(x: Any, offset: int = offset, known: dict[Any, int] = known) -> Any:
            if not isinstance(x, KerasTensor):
                return x
            dims = tuple(
                known.setdefault(d, offset + 2 * len(known)) if isinstance(d, Dim) else d
                for d in x.dims
            )
            return KerasTensor.of(dims, x.dtype)

        run_args, run_kwargs = tree.map_structure(concrete, (args, kwargs))
        results.append(_clean(attempt(fn, run_args, run_kwargs)))
    return tree.map_structure(_merge, *results)


def _merge(a: Any, b: Any) -> Any:
    if not isinstance(a, KerasTensor):
        return a
    dims = tuple(x if x == y else Dim() for x, y in zip(a.dims, b.dims, strict=True))
    return KerasTensor.of(dims, a.dtype)


def _copy(x: Any) -> Any:
    if not isinstance(x, KerasTensor):
        return x
    copy = KerasTensor.of(x.dims, x.dtype)
    copy.sparse, copy.ragged = x.sparse, x.ragged
    mask = getattr(x, "_keras_mask", None)
    if mask is not None:
        copy._keras_mask = mask  # type: ignore[attr-defined]
    return copy


def _clean(outputs: Any) -> Any:
    """Outputs as fresh symbolic tensors: a result may be an argument or a constant."""
    if isinstance(outputs, KerasTensor):
        return KerasTensor.of(outputs.dims, outputs.dtype)
    return tree.map_structure(_clean_one, outputs)


def _clean_one(x: Any) -> Any:
    if isinstance(x, KerasTensor):
        return KerasTensor.of(x.dims, x.dtype)
    if isinstance(x, tuple) and len(x) == 2 and isinstance(x[1], str):  # (shape, dtype)
        return KerasTensor(x[0], x[1])
    engine = current()
    if engine.is_tensor(x):
        return KerasTensor(engine.shape_of(x), engine.dtype_of(x))
    return x
