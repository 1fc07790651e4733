"""JAX: linear algebra."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import jax.scipy.linalg as jsl

__all__ = ["TABLE"]

_MODES = {"reduced": "reduced", "complete": "complete"}


def cholesky(x, upper=False):
    return jnp.linalg.cholesky(x, upper=upper)


def eig(x):
    values, vectors = jnp.linalg.eig(x)
    return values, vectors


def eigh(x):
    values, vectors = jnp.linalg.eigh(x)
    return values, vectors


def slogdet(x):
    sign, log = jnp.linalg.slogdet(x)
    return sign, log


def lu_factor(x):
    lu, pivots = jsl.lu_factor(x)
    return lu, pivots


def qr(x, mode="reduced"):
    q, r = jnp.linalg.qr(x, mode=_MODES[mode])
    return q, r


def _is_vectors(a: Any, b: Any) -> bool:
    """Whether `b` holds vectors, not matrices; the shape rule explains any other rank."""
    if b.ndim not in (a.ndim, a.ndim - 1):
        raise ValueError("`b` has the wrong rank")
    return b.ndim < a.ndim


def solve(a, b):
    if _is_vectors(a, b):
        return jnp.linalg.solve(a, b[..., None])[..., 0]
    return jnp.linalg.solve(a, b)


def solve_triangular(a, b, lower=False):
    if _is_vectors(a, b):
        return jsl.solve_triangular(a, b[..., None], lower=lower)[..., 0]
    return jsl.solve_triangular(a, b, lower=lower)


def svd(x, full_matrices=True, compute_uv=True):
    result = jnp.linalg.svd(x, full_matrices, compute_uv)
    return tuple(result) if compute_uv else result


TABLE = {
    "cholesky": cholesky,
    "det": jnp.linalg.det,
    "eig": eig,
    "eigh": eigh,
    "inv": jnp.linalg.inv,
    "lu_factor": lu_factor,
    "qr": qr,
    "slogdet": slogdet,
    "solve": solve,
    "solve_triangular": solve_triangular,
    "svd": svd,
}
