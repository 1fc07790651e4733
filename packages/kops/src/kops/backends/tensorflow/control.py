"""Control flow that stays in the graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

from kops import tree
from kops.backends.tensorflow.core import convert

__all__ = ["TABLE"]

Tensor = tf.Tensor


def _cond(pred: Any, true_fn: Callable[[], Any], false_fn: Callable[[], Any]) -> Any:
    return tf.cond(tf.cast(pred, tf.bool), true_fn, false_fn)


def _while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    maximum_iterations: int | None = None,
) -> Any:
    several = isinstance(loop_vars, (list, tuple))
    values = tree.map_structure(convert, tuple(loop_vars) if several else (loop_vars,))

    def step(*values: Any) -> tuple[Any, ...]:
        new = body(*values)
        return tuple(new) if isinstance(new, (list, tuple)) else (new,)

    values = tf.while_loop(
        lambda *v: tf.cast(cond(*v), tf.bool), step, values, maximum_iterations=maximum_iterations
    )
    return type(loop_vars)(values) if several else values[0]


def _fori_loop(lower: Any, upper: Any, body_fun: Callable[..., Any], init_val: Any) -> Any:
    start = (tf.cast(lower, tf.int32), tree.map_structure(convert, init_val))
    _, value = tf.while_loop(
        lambda i, _: i < tf.cast(upper, tf.int32),
        lambda i, value: (i + 1, body_fun(i, value)),
        start,
    )
    return value


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
    n = length
    if xs is not None:
        first = tree.flatten(xs)[0]
        n = first.shape[0] if first.shape[0] is not None else tf.shape(first)[0]
    if tf.executing_eagerly() or (isinstance(n, int) and (unroll is True or n <= unroll)):
        return _unrolled(f, init, xs, int(n), reverse)
    return _looped(f, init, xs, n, reverse)


def _at(xs: Any, i: Any) -> Any:
    return None if xs is None else tree.map_structure(lambda t: t[i], xs)


def _unrolled(f: Callable[..., Any], carry: Any, xs: Any, n: int, reverse: bool) -> Any:
    steps: list[Any] = [None] * n
    for i in reversed(range(n)) if reverse else range(n):
        carry, steps[i] = f(carry, _at(xs, i))
    if not steps or steps[0] is None:
        return carry, None
    return carry, tree.map_structure(lambda *parts: tf.stack(parts), *steps)


def _looped(f: Callable[..., Any], init: Any, xs: Any, n: Any, reverse: bool) -> Any:
    # One step made for its structure only; the graph drops what nobody reads.
    _, sample = f(init, _at(xs, 0))
    flat = [] if sample is None else tree.flatten(sample)
    arrays = [tf.TensorArray(s.dtype, n, element_shape=s.shape) for s in flat]

    def step(i: Tensor, carry: Any, arrays: Any) -> tuple[Any, ...]:
        place = n - 1 - i if reverse else i
        carry, y = f(carry, _at(xs, place))
        parts = [] if y is None else tree.flatten(y)
        written = [a.write(place, p) for a, p in zip(arrays, parts, strict=True)]
        return i + 1, carry, written

    _, carry, arrays = tf.while_loop(lambda i, *_: i < n, step, (0, init, arrays))
    if sample is None:
        return carry, None
    stacked = [a.stack() for a in arrays]
    if isinstance(n, int):
        for t in stacked:
            t.set_shape([n, *t.shape[1:]])
    return carry, tree.pack_sequence_as(sample, stacked)


def _map(f: Callable[..., Any], xs: Any) -> Any:
    return _scan(lambda _, x: (0, f(x)), 0, xs)[1]


def _vectorized_map(function: Callable[..., Any], elements: Any) -> Any:
    return tf.vectorized_map(function, tree.map_structure(convert, elements))


def _switch(index: Any, branches: Sequence[Callable[..., Any]], *operands: Any) -> Any:
    if not branches:
        raise ValueError("`branches` is empty: at least one function is needed.")
    place = tf.clip_by_value(tf.cast(index, tf.int32), 0, len(branches) - 1)
    return tf.switch_case(place, [lambda b=b: b(*operands) for b in branches])


TABLE: dict[str, Any] = {
    "cond": _cond,
    "while_loop": _while_loop,
    "fori_loop": _fori_loop,
    "scan": _scan,
    "map": _map,
    "vectorized_map": _vectorized_map,
    "switch": _switch,
}
