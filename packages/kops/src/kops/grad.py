"""Gradients, with one meaning on every engine that has them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kops.backend import current

__all__ = ["grad", "value_and_grad"]


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
