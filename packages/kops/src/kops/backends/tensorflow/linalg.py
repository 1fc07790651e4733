"""TensorFlow: linear algebra."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

__all__ = ["TABLE"]


def cholesky(x, upper=False):
    factor = tf.linalg.cholesky(x)
    return tf.linalg.matrix_transpose(factor) if upper else factor


def eig(x):
    values, vectors = tf.linalg.eig(x)
    return values, vectors


def eigh(x):
    values, vectors = tf.linalg.eigh(x)
    return values, vectors


def slogdet(x):
    sign, log = tf.linalg.slogdet(x)
    return sign, log


def lu_factor(x):
    lu, order = tf.linalg.lu(x)
    return lu, _pivots(order)


def _pivots(order: Any) -> Any:
    """Row exchanges, one after the other, that amount to a permutation."""
    n = order.shape[-1]
    now = tf.broadcast_to(tf.range(n), tf.shape(order))
    places = tf.range(n)
    pivots = []
    for i in range(n):
        at = tf.argmax(tf.cast(now == order[..., i, None], tf.int32), -1, tf.int32)
        pivots.append(at)
        moved = tf.where(places == at[..., None], now[..., i, None], now)
        now = tf.where(places == i, -1, moved)  # this row is done
    return tf.stack(pivots, -1)


def qr(x, mode="reduced"):
    q, r = tf.linalg.qr(x, full_matrices={"reduced": False, "complete": True}[mode])
    return q, r


def _is_vectors(a: Any, b: Any) -> bool:
    """Whether `b` holds vectors, not matrices; the shape rule explains any other rank."""
    if b.shape.rank not in (a.shape.rank, a.shape.rank - 1):
        raise ValueError("`b` has the wrong rank")
    return b.shape.rank < a.shape.rank


def solve(a, b):
    if _is_vectors(a, b):
        return tf.linalg.solve(a, b[..., None])[..., 0]
    return tf.linalg.solve(a, b)


def solve_triangular(a, b, lower=False):
    if _is_vectors(a, b):
        return tf.linalg.triangular_solve(a, b[..., None], lower=lower)[..., 0]
    return tf.linalg.triangular_solve(a, b, lower=lower)


def svd(x, full_matrices=True, compute_uv=True):
    if not compute_uv:
        return tf.linalg.svd(x, compute_uv=False)
    s, u, v = tf.linalg.svd(x, full_matrices=full_matrices)
    return u, s, tf.linalg.adjoint(v)


TABLE = {
    "cholesky": cholesky,
    "det": tf.linalg.det,
    "eig": eig,
    "eigh": eigh,
    "inv": tf.linalg.inv,
    "lu_factor": lu_factor,
    "qr": qr,
    "slogdet": slogdet,
    "solve": solve,
    "solve_triangular": solve_triangular,
    "svd": svd,
}
