"""JAX: derivatives along directions, and gradients by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax

__all__ = ["custom_gradient", "jvp", "vjp"]


def jvp(fn: Callable[..., Any], primals: Any, tangents: Any, has_aux: bool) -> Any:
    return jax.jvp(fn, primals, tangents, has_aux=has_aux)


def vjp(fn: Callable[..., Any], primals: Any, has_aux: bool) -> Any:
    return jax.vjp(fn, *primals, has_aux=has_aux)


def custom_gradient(fn: Callable[..., Any]) -> Callable[..., Any]:
    return jax.custom_gradient(fn)
