"""The names of `keras.regularizers`. Written by tools/namespace.py."""

from klayers.regularizers import L1 as L1
from klayers.regularizers import L1 as l1
from klayers.regularizers import L1L2 as L1L2
from klayers.regularizers import L1L2 as l1_l2
from klayers.regularizers import L2 as L2
from klayers.regularizers import L2 as l2
from klayers.regularizers import OrthogonalRegularizer as OrthogonalRegularizer
from klayers.regularizers import OrthogonalRegularizer as orthogonal_regularizer
from klayers.regularizers import Regularizer as Regularizer
from klayers.regularizers import deserialize as deserialize
from klayers.regularizers import get as get
from klayers.regularizers import serialize as serialize

__all__ = [
    "L1",
    "L1L2",
    "L2",
    "OrthogonalRegularizer",
    "Regularizer",
    "deserialize",
    "get",
    "l1",
    "l1_l2",
    "l2",
    "orthogonal_regularizer",
    "serialize",
]
