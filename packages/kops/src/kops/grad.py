"""Gradients, with one meaning on every engine that has them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from kops import tree
from kops.backend import current

__all__ = ["custom_gradient", "grad", "jvp", "value_and_grad", "vjp"]


def value_and_grad(
    fn: Callable[..., Any], argnums: int | tuple[int, ...] = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """A function that returns `fn`'s value and its gradients.

    Args:
        fn: function of tensors (or nested structures of them) that returns a scalar, or
            `(scalar, anything)` with `has_aux`.
        argnums: position(s) of the arguments to differentiate by.
        has_aux: whether `fn` returns something beside the scalar.

    Returns:
        A function of the same arguments that returns `(value, gradients)`; the gradients
        have the structure of the argument, or are a tuple for several `argnums`. An
        argument that does not reach the value has gradient 0.

    Raises:
        NotImplementedError: on an engine without gradients (numpy, openvino).

    Example:
    ```python
    value, slope = kops.value_and_grad(lambda x: kops.ops.sum(x * x))(x)  # slope == 2 * x
    ```
    """
    return current().value_and_grad(fn, argnums, has_aux)


def grad(fn: Callable[..., Any], argnums: int | tuple[int, ...] = 0) -> Callable[..., Any]:
    """A function that returns the gradients of `fn`; see `value_and_grad`.

    Example:
    ```python
    slope = kops.grad(lambda x: kops.ops.sum(x**3))(x)  # 3 * x ** 2
    ```
    """
    both = value_and_grad(fn, argnums)

    def call(*args: Any, **kwargs: Any) -> Any:
        return both(*args, **kwargs)[1]

    return call


def _tensors(name: str, values: Any) -> tuple[Any, ...]:
    if not isinstance(values, (tuple, list)):
        raise TypeError(
            f"`{name}` must be a tuple with one entry for each argument of `fun`; got {values!r}."
        )
    return tuple(tree.map_structure(current().convert, value) for value in values)


def jvp(
    fun: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any], has_aux: bool = False
) -> Any:
    """The value of a function and its derivative along a direction (forward mode).

    Args:
        fun: function of tensors.
        primals: its arguments, a tuple.
        tangents: the direction: a tensor of the same shape for each argument.
        has_aux: whether `fun` returns `(value, anything)`.

    Returns:
        `(value, derivative)`, or `(value, derivative, anything)` with `has_aux`.

    Raises:
        TypeError: if `primals` or `tangents` is no tuple.
        ValueError: if the tangents do not fit the arguments.
        NotImplementedError: on an engine without derivatives (numpy).

    Example:
    ```python
    value, slope = kops.jvp(lambda x: x**2, (3.0,), (1.0,))  # 9.0, 6.0
    ```
    """
    points, directions = _tensors("primals", primals), _tensors("tangents", tangents)
    shapes = [
        [tuple(current().shape_of(x)) for x in tree.flatten(xs)] for xs in (points, directions)
    ]
    if shapes[0] != shapes[1]:
        raise ValueError(
            f"`tangents` must have the shapes of `primals`, {shapes[0]}; got {shapes[1]}."
        )
    return current().jvp(fun, points, directions, has_aux)


def vjp(fun: Callable[..., Any], primals: Sequence[Any], has_aux: bool = False) -> Any:
    """The value of a function and a function that pulls gradients back (reverse mode).

    Args:
        fun: function of tensors.
        primals: its arguments, a tuple.
        has_aux: whether `fun` returns `(value, anything)`.

    Returns:
        `(value, pull_back)`, or `(value, pull_back, anything)` with `has_aux`. `pull_back` takes
        the gradient by the value and returns those by the arguments, a tuple.

    Raises:
        TypeError: if `primals` is no tuple.
        NotImplementedError: on an engine without derivatives (numpy).

    Example:
    ```python
    value, pull_back = kops.vjp(lambda x: x**2, (x,))
    (slope,) = pull_back(kops.ops.ones_like(value))  # 2 * x
    ```
    """
    return current().vjp(fun, _tensors("primals", primals), has_aux)


def custom_gradient(f: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator that gives a function a gradient written by hand.

    Args:
        f: function of tensors that returns `(value, gradient)`. `gradient` takes the gradient by
            the value and returns that by the argument, or a tuple of them for several.

    Returns:
        A function of the same arguments that returns the value. On an engine without gradients
        the second result is never called.

    Example:
    ```python
    @kops.custom_gradient
    def log1pexp(x):
        e = ops.exp(x)
        return ops.log(1 + e), lambda upstream: upstream * (1 - 1 / (1 + e))
    ```
    """
    if not callable(f):
        raise TypeError(f"`f` must be a function; got {f!r}.")

    @functools.wraps(f)
    def call(*args: Any) -> Any:
        eng = current()
        return eng.custom_gradient(f)(*(tree.map_structure(eng.convert, x) for x in args))

    return call
