"""torch: linear algebra."""

from __future__ import annotations

from typing import Any

import torch

__all__ = ["TABLE"]

_MODES = {"reduced": "reduced", "complete": "complete"}


def cholesky(x, upper=False):
    return torch.linalg.cholesky(x, upper=upper)


def eig(x):
    return tuple(torch.linalg.eig(x))


def eigh(x):
    return tuple(torch.linalg.eigh(x))


def slogdet(x):
    return tuple(torch.linalg.slogdet(x))


def lu_factor(x):
    lu, pivots = torch.linalg.lu_factor(x)
    return lu, pivots - 1  # torch counts rows from 1


def qr(x, mode="reduced"):
    return tuple(torch.linalg.qr(x, _MODES[mode]))


def _is_vectors(a: Any, b: Any) -> bool:
    """Whether `b` holds vectors, not matrices; the shape rule explains any other rank."""
    if b.ndim not in (a.ndim, a.ndim - 1):
        raise ValueError("`b` has the wrong rank")
    return b.ndim < a.ndim


def solve(a, b):
    if _is_vectors(a, b):
        return torch.linalg.solve(a, b[..., None])[..., 0]
    return torch.linalg.solve(a, b)


def solve_triangular(a, b, lower=False):
    if _is_vectors(a, b):
        return torch.linalg.solve_triangular(a, b[..., None], upper=not lower)[..., 0]
    return torch.linalg.solve_triangular(a, b, upper=not lower)


def svd(x, full_matrices=True, compute_uv=True):
    if not compute_uv:
        return torch.linalg.svdvals(x)
    return tuple(torch.linalg.svd(x, full_matrices))


TABLE = {
    "cholesky": cholesky,
    "det": torch.linalg.det,
    "eig": eig,
    "eigh": eigh,
    "inv": torch.linalg.inv,
    "lu_factor": lu_factor,
    "qr": qr,
    "slogdet": slogdet,
    "solve": solve,
    "solve_triangular": solve_triangular,
    "svd": svd,
}
