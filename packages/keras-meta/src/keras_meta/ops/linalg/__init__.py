"""The names of `keras.ops.linalg`. Written by tools/namespace.py."""

from kops.grad import jvp as jvp
from kops.ops.linalg import cholesky as cholesky
from kops.ops.linalg import cholesky_inverse as cholesky_inverse
from kops.ops.linalg import det as det
from kops.ops.linalg import eig as eig
from kops.ops.linalg import eigh as eigh
from kops.ops.linalg import inv as inv
from kops.ops.linalg import lstsq as lstsq
from kops.ops.linalg import lu_factor as lu_factor
from kops.ops.linalg import matrix_rank as matrix_rank
from kops.ops.linalg import norm as norm
from kops.ops.linalg import pinv as pinv
from kops.ops.linalg import qr as qr
from kops.ops.linalg import solve as solve
from kops.ops.linalg import solve_triangular as solve_triangular
from kops.ops.linalg import svd as svd

__all__ = [
    "cholesky",
    "cholesky_inverse",
    "det",
    "eig",
    "eigh",
    "inv",
    "jvp",
    "lstsq",
    "lu_factor",
    "matrix_rank",
    "norm",
    "pinv",
    "qr",
    "solve",
    "solve_triangular",
    "svd",
]
