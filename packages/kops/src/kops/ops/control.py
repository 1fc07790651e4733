"""Control flow: branches, loops and scans of Python functions over tensors.

On JAX and in TensorFlow graphs these become the compiler's own; elsewhere Python runs them.
The functions passed in take and return tensors, nested as the description says.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from kops import tree
from kops.backend import current
from kops.dim import Size
from kops.keras_tensor import KerasTensor, any_symbolic
from kops.operation import Operation
from kops.ops.core import convert_to_tensor, shape
from kops.ops.indexing import get_item
from kops.ops.joining import concatenate, stack
from kops.scopes import SymbolicScope
from kops.variable import Variable

__all__ = [
    "associative_scan",
    "cond",
    "fori_loop",
    "map",
    "scan",
    "switch",
    "vectorized_map",
    "while_loop",
]


def _control(class_name: str, infer: Callable[..., Any]) -> Callable[..., Any]:
    """Gives a control-flow function its engine's version and its symbolic meaning."""

    def decorate(fn: Callable[..., Any]) -> Callable[..., Any]:
        def call(self: Operation, *args: Any, **kwargs: Any) -> Any:
            return public(*args, **kwargs)

        def compute_output_spec(self: Operation, *args: Any, **kwargs: Any) -> Any:
            with SymbolicScope(record=False):
                return infer(*args, **kwargs)

        members = {"call": call, "compute_output_spec": compute_output_spec}
        operation = type(class_name, (Operation,), members)

        @functools.wraps(fn)
        def public(*args: Any, **kwargs: Any) -> Any:
            if any_symbolic(args) or any_symbolic(kwargs):
                return operation().symbolic_call(*args, **kwargs)
            native = current().TABLE.get(fn.__name__)
            return (native or fn)(*tree.map_structure(_tensor, args), **kwargs)

        return public

    return decorate


def _tensor(x: Any) -> Any:
    return x.value if isinstance(x, Variable) else x


def _fresh(x: Any) -> Any:
    """A symbolic tensor of its own, or the spec of a concrete one."""
    if isinstance(x, KerasTensor):
        return KerasTensor.of(x.dims, x.dtype)
    tensor = convert_to_tensor(x)
    return KerasTensor(shape(tensor), current().dtype_of(tensor))


def _without_first(x: Any) -> KerasTensor:
    x = _fresh(x)
    if x.ndim == 0:
        raise ValueError("A scalar has no axis to go along.")
    return KerasTensor.of(x.dims[1:], x.dtype)


def _with_first(x: KerasTensor, size: Size) -> KerasTensor:
    return KerasTensor.of((size, *x.dims), x.dtype)


def _length(xs: Any) -> Any:
    leaves = tree.flatten(xs)
    return leaves[0].dims[0] if isinstance(leaves[0], KerasTensor) else shape(leaves[0])[0]


def _check_same(name: str, a: Any, b: Any) -> None:
    tree.assert_same_structure(a, b)
    for x, y in zip(tree.flatten(a), tree.flatten(b), strict=True):
        if isinstance(x, KerasTensor) and (len(x.shape) != len(y.shape) or x.dtype != y.dtype):
            raise ValueError(f"{name} must return tensors of one shape and dtype; got {x} and {y}.")


def _infer_cond(pred: Any, true_fn: Callable[[], Any], false_fn: Callable[[], Any]) -> Any:
    result = true_fn()
    _check_same("`true_fn` and `false_fn`", result, false_fn())
    return tree.map_structure(lambda x: x if x is None else _fresh(x), result)


@_control("Cond", _infer_cond)
def cond(pred: Any, true_fn: Callable[[], Any], false_fn: Callable[[], Any]) -> Any:
    """`true_fn()` if `pred` holds, else `false_fn()`.

    Args:
        pred: scalar bool.
        true_fn: function without arguments.
        false_fn: function without arguments that returns the same structure.

    Example:
    >>> from kops import ops
    >>> int(ops.cond(True, lambda: ops.add(1, 1), lambda: ops.add(0, 0)))
    2
    """
    return true_fn() if bool(pred) else false_fn()


def _infer_while(
    cond: Any, body: Any, loop_vars: Any, maximum_iterations: int | None = None
) -> Any:
    return tree.map_structure(_fresh, loop_vars)


@_control("WhileLoop", _infer_while)
def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    maximum_iterations: int | None = None,
) -> Any:
    """Applies `body` to the loop variables while `cond` of them holds.

    Args:
        cond: function of the loop variables that returns a scalar bool.
        body: function of the loop variables that returns their new values, of the same
            shapes and dtypes.
        loop_vars: list or tuple of initial values (nested, if need be), or one value.
        maximum_iterations: limit of the number of rounds.

    Returns:
        The last values, nested like `loop_vars`.

    Example:
    >>> from kops import ops
    >>> int(ops.while_loop(lambda i: i < 10, lambda i: i * 2, ops.add(1, 0)))
    16
    """
    several = isinstance(loop_vars, (list, tuple))
    values = tuple(loop_vars) if several else (loop_vars,)
    values = tree.map_structure(convert_to_tensor, values)
    rounds = 0
    while (maximum_iterations is None or rounds < maximum_iterations) and bool(cond(*values)):
        new = body(*values)
        values = tuple(new) if isinstance(new, (list, tuple)) else (new,)
        rounds += 1
    return type(loop_vars)(values) if several else values[0]


def _infer_fori(lower: Any, upper: Any, body_fun: Any, init_val: Any) -> Any:
    return tree.map_structure(_fresh, init_val)


@_control("ForiLoop", _infer_fori)
def fori_loop(lower: Any, upper: Any, body_fun: Callable[[Any, Any], Any], init_val: Any) -> Any:
    """`value = body_fun(i, value)` for i from `lower` to `upper` - 1.

    Args:
        lower: first number.
        upper: end, not included.
        body_fun: function of the number and the value.
        init_val: initial value, nested if need be.

    Example:
    >>> from kops import ops
    >>> int(ops.fori_loop(0, 4, lambda i, total: total + i, ops.add(0, 0)))
    6
    """
    value = tree.map_structure(convert_to_tensor, init_val)
    for i in range(int(lower), int(upper)):
        value = body_fun(i, value)
    return value


def _infer_scan(
    f: Any,
    init: Any,
    xs: Any = None,
    length: int | None = None,
    reverse: bool = False,
    unroll: int | bool = 1,
) -> Any:
    x = None if xs is None else tree.map_structure(_without_first, xs)
    _, y = f(tree.map_structure(_fresh, init), x)
    n: Any = length if xs is None else _length(xs)
    carry = tree.map_structure(_fresh, init)
    return carry, tree.map_structure(lambda s: None if s is None else _with_first(s, n), y)


@_control("Scan", _infer_scan)
def scan(
    f: Callable[[Any, Any], tuple[Any, Any]],
    init: Any,
    xs: Any = None,
    length: int | None = None,
    reverse: bool = False,
    unroll: int | bool = 1,
) -> tuple[Any, Any]:
    """Goes along the first axis with a carried state.

    Args:
        f: function `(carry, x) -> (carry, y)`.
        init: initial carry, nested if need be.
        xs: tensors to go along, nested if need be; None to count to `length` only.
        length: number of steps, if `xs` is None.
        reverse: whether to go from the end; results stay in the order of `xs`.
        unroll: how many steps a compiler should put into one.

    Returns:
        (last carry, the y of all steps stacked along a new first axis).

    Raises:
        ValueError: if neither `xs` nor `length` tells the number of steps.

    Example:
    >>> from kops import ops
    >>> total, sums = ops.scan(lambda c, x: (c + x, c + x), ops.add(0, 0), ops.arange(1, 4))
    >>> ops.convert_to_numpy(sums)
    array([1, 3, 6], dtype=int32)
    """
    if xs is None and length is None:
        raise ValueError("`scan` needs `xs` or `length` to know the number of steps.")
    xs = None if xs is None else tree.map_structure(convert_to_tensor, xs)
    n = int(length if xs is None else _length(xs))  # type: ignore[arg-type]
    carry = tree.map_structure(convert_to_tensor, init)
    steps: list[Any] = [None] * n
    for i in reversed(range(n)) if reverse else range(n):
        x = None if xs is None else tree.map_structure(lambda t, i=i: get_item(t, i), xs)
        carry, steps[i] = f(carry, x)
    return carry, _stacked(steps)


def _stacked(results: Sequence[Any]) -> Any:
    if not results or results[0] is None:
        return None
    return tree.map_structure(lambda *parts: stack(list(parts)), *results)


def _infer_map(f: Any, xs: Any) -> Any:
    y = f(tree.map_structure(_without_first, xs))
    n = _length(xs)
    return tree.map_structure(lambda s: _with_first(_fresh(s), n), y)


@_control("Map", _infer_map)
def map(f: Callable[[Any], Any], xs: Any) -> Any:
    """`f` of each slice along the first axis, the results stacked.

    Args:
        f: function of a slice (nested like `xs`).
        xs: tensors of one size along the first axis, nested if need be.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.map(lambda x: x * x, ops.arange(3)))
    array([0, 1, 4], dtype=int32)
    """
    xs = tree.map_structure(convert_to_tensor, xs)
    return _stacked(
        [f(tree.map_structure(lambda t, i=i: get_item(t, i), xs)) for i in range(_length(xs))]
    )


def _infer_vectorized(function: Any, elements: Any) -> Any:
    return _infer_map(function, elements)


@_control("VectorizedMap", _infer_vectorized)
def vectorized_map(function: Callable[[Any], Any], elements: Any) -> Any:
    """Like `map`, for functions that can be computed for all slices at once.

    Args:
        function: function of a slice (nested like `elements`).
        elements: tensors of one size along the first axis, nested if need be.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.vectorized_map(lambda x: x * x, ops.arange(3)))
    array([0, 1, 4], dtype=int32)
    """
    return map(function, elements)


def _infer_switch(index: Any, branches: Sequence[Callable[..., Any]], *operands: Any) -> Any:
    operands = tree.map_structure(_fresh, operands)
    results = [branch(*operands) for branch in branches]
    for other in results[1:]:
        _check_same("`branches`", results[0], other)
    return tree.map_structure(_fresh, results[0])


@_control("Switch", _infer_switch)
def switch(index: Any, branches: Sequence[Callable[..., Any]], *operands: Any) -> Any:
    """The branch of a number, called on the operands.

    Args:
        index: scalar int; numbers out of range mean the first or the last branch.
        branches: functions of the operands that return the same structure.
        operands: arguments of the branch.

    Example:
    >>> from kops import ops
    >>> int(ops.switch(1, [lambda x: x, lambda x: x * 2], ops.add(3, 0)))
    6
    """
    if not branches:
        raise ValueError("`branches` is empty: at least one function is needed.")
    place = min(max(int(index), 0), len(branches) - 1)
    return branches[place](*operands)


def _infer_associative(f: Any, elems: Any, reverse: bool = False, axis: int = 0) -> Any:
    return tree.map_structure(_fresh, elems)


@_control("AssociativeScan", _infer_associative)
def associative_scan(
    f: Callable[[Any, Any], Any], elems: Any, reverse: bool = False, axis: int = 0
) -> Any:
    """Running results of an associative function along an axis, as `cumsum` is for `add`.

    Args:
        f: associative function of two slices (nested like `elems`) with the axis kept.
        elems: tensors of one size along `axis`, nested if need be.
        reverse: whether to go from the end.
        axis: axis to go along.

    Example:
    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.associative_scan(ops.add, ops.arange(1, 4)))
    array([1, 3, 6], dtype=int32)
    """
    elems = tree.map_structure(convert_to_tensor, elems)
    first = tree.flatten(elems)[0]
    axis = axis % len(shape(first))
    before = (slice(None),) * axis
    n = int(shape(first)[axis])

    def part(t: Any, i: int) -> Any:
        return get_item(t, (*before, slice(i, i + 1)))

    results: list[Any] = []
    for i in reversed(range(n)) if reverse else range(n):
        x = tree.map_structure(lambda t, i=i: part(t, i), elems)
        if results:
            x = f(x, results[-1]) if reverse else f(results[-1], x)
        results.append(x)
    if reverse:
        results.reverse()
    if not results:
        return elems
    return tree.map_structure(lambda *parts: concatenate(list(parts), axis), *results)
