"""Control flow by XLA."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from kops import tree
from kops.backends.jax.core import convert

__all__ = ["TABLE"]


def _cond(pred: Any, true_fn: Callable[[], Any], false_fn: Callable[[], Any]) -> Any:
    return jax.lax.cond(jnp.asarray(pred).astype(bool), true_fn, false_fn)


def _while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    maximum_iterations: int | None = None,
) -> Any:
    several = isinstance(loop_vars, (list, tuple))
    values = tuple(loop_vars) if several else (loop_vars,)

    def goes_on(state: tuple[Any, Any]) -> Any:
        count, values = state
        more = jnp.asarray(cond(*values)).astype(bool)
        return more if maximum_iterations is None else more & (count < maximum_iterations)

    def step(state: tuple[Any, Any]) -> tuple[Any, Any]:
        count, values = state
        new = body(*values)
        return count + 1, tuple(new) if isinstance(new, (list, tuple)) else (new,)

    start = (jnp.zeros((), jnp.int32), tree.map_structure(convert, values))
    _, values = jax.lax.while_loop(goes_on, step, start)
    return type(loop_vars)(values) if several else values[0]


def _fori_loop(lower: Any, upper: Any, body_fun: Callable[..., Any], init_val: Any) -> Any:
    return jax.lax.fori_loop(lower, upper, body_fun, tree.map_structure(convert, init_val))


def _scan(
    f: Callable[..., Any],
    init: Any,
    xs: Any = None,
    length: int | None = None,
    reverse: bool = False,
    unroll: int | bool = 1,
) -> Any:
    if xs is None and length is None:
        raise ValueError("`scan` needs `xs` or `length` to know the number of steps.")
    init = tree.map_structure(convert, init)
    xs = None if xs is None else tree.map_structure(convert, xs)
    return jax.lax.scan(f, init, xs, length=length, reverse=reverse, unroll=unroll)


def _map(f: Callable[..., Any], xs: Any) -> Any:
    return jax.lax.map(f, tree.map_structure(convert, xs))


def _vectorized_map(function: Callable[..., Any], elements: Any) -> Any:
    return jax.vmap(function)(tree.map_structure(convert, elements))


def _switch(index: Any, branches: Sequence[Callable[..., Any]], *operands: Any) -> Any:
    if not branches:
        raise ValueError("`branches` is empty: at least one function is needed.")
    return jax.lax.switch(index, branches, *operands)


def _associative_scan(
    f: Callable[..., Any], elems: Any, reverse: bool = False, axis: int = 0
) -> Any:
    return jax.lax.associative_scan(f, tree.map_structure(convert, elems), reverse, axis)


TABLE: dict[str, Any] = {
    "cond": _cond,
    "while_loop": _while_loop,
    "fori_loop": _fori_loop,
    "scan": _scan,
    "map": _map,
    "vectorized_map": _vectorized_map,
    "switch": _switch,
    "associative_scan": _associative_scan,
}
