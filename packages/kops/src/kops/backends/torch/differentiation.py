"""torch: derivatives along directions, and gradients by hand."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import torch

__all__ = ["custom_gradient", "jvp", "vjp"]


def jvp(fn: Callable[..., Any], primals: Any, tangents: Any, has_aux: bool) -> Any:
    with warnings.catch_warnings():
        # torch loads its own formulas of derivatives with what it has deprecated.
        warnings.filterwarnings("ignore", "`torch.jit", DeprecationWarning)
        return torch.func.jvp(fn, primals, tangents, has_aux=has_aux)


def vjp(fn: Callable[..., Any], primals: Any, has_aux: bool) -> Any:
    return torch.func.vjp(fn, *primals, has_aux=has_aux)


def custom_gradient(fn: Callable[..., Any]) -> Callable[..., Any]:
    class Custom(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, *args: Any) -> Any:
            result, ctx.gradient = fn(*args)
            ctx.n = len(args)
            return result

        @staticmethod
        def backward(ctx: Any, *upstream: Any) -> Any:
            with torch.enable_grad():
                grads = ctx.gradient(*upstream)
            grads = tuple(grads) if isinstance(grads, (tuple, list)) else (grads,)
            if len(grads) != ctx.n:
                raise ValueError(
                    f"The gradient function returned {len(grads)} gradients for {ctx.n} arguments."
                )
            return grads

    return Custom.apply  # type: ignore[no-any-return]
