"""NumPy: linear algebra."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["TABLE"]

_MODES = {"reduced": "reduced", "complete": "complete"}


def cholesky(x, upper=False):
    return np.linalg.cholesky(x, upper=upper)


def eig(x):
    values, vectors = np.linalg.eig(x)
    dtype = np.complex128 if x.dtype == np.float64 else np.complex64
    return values.astype(dtype), vectors.astype(dtype)


def eigh(x):
    values, vectors = np.linalg.eigh(x)
    return values, vectors


def slogdet(x):
    sign, log = np.linalg.slogdet(x)
    return np.asarray(sign), np.asarray(log)


def lu_factor(x):
    lu = x.copy()
    rows, columns = lu.shape[-2:]
    flat = lu.reshape(-1, rows, columns)
    steps = min(rows, columns)
    pivots = np.empty((len(flat), steps), np.int32)
    each = np.arange(len(flat))
    for i in range(steps):
        best = i + np.argmax(np.abs(flat[:, i:, i]), axis=1)
        pivots[:, i] = best
        flat[each, i], flat[each, best] = flat[each, best], flat[each, i].copy()
        pivot = flat[:, i, i][:, None]
        flat[:, i + 1 :, i] /= np.where(pivot == 0, 1, pivot)
        flat[:, i + 1 :, i + 1 :] -= flat[:, i + 1 :, i, None] * flat[:, i, None, i + 1 :]
    return flat.reshape(x.shape), pivots.reshape(*x.shape[:-2], steps)


def qr(x, mode="reduced"):
    q, r = np.linalg.qr(x, mode=_MODES[mode])
    return q, r


def _is_vectors(a: Any, b: Any) -> bool:
    """Whether `b` holds vectors, not matrices; the shape rule explains any other rank."""
    if b.ndim not in (a.ndim, a.ndim - 1):
        raise ValueError("`b` has the wrong rank")
    return b.ndim < a.ndim


def solve(a, b):
    if _is_vectors(a, b):
        return np.linalg.solve(a, b[..., None])[..., 0]
    return np.linalg.solve(a, b)


def solve_triangular(a, b, lower=False):
    return solve(np.tril(a) if lower else np.triu(a), b)


def svd(x, full_matrices=True, compute_uv=True):
    result = np.linalg.svd(x, full_matrices, compute_uv)
    return tuple(result) if compute_uv else result


TABLE = {
    "cholesky": cholesky,
    "det": np.linalg.det,
    "eig": eig,
    "eigh": eigh,
    "inv": np.linalg.inv,
    "lu_factor": lu_factor,
    "qr": qr,
    "slogdet": slogdet,
    "solve": solve,
    "solve_triangular": solve_triangular,
    "svd": svd,
}
