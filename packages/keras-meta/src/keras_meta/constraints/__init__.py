"""The names of `keras.constraints`. Written by tools/namespace.py."""

from klayers.constraints import Constraint as Constraint
from klayers.constraints import MaxNorm as MaxNorm
from klayers.constraints import MaxNorm as max_norm
from klayers.constraints import MinMaxNorm as MinMaxNorm
from klayers.constraints import MinMaxNorm as min_max_norm
from klayers.constraints import NonNeg as NonNeg
from klayers.constraints import NonNeg as non_neg
from klayers.constraints import UnitNorm as UnitNorm
from klayers.constraints import UnitNorm as unit_norm
from klayers.constraints import deserialize as deserialize
from klayers.constraints import get as get
from klayers.constraints import serialize as serialize

__all__ = [
    "Constraint",
    "MaxNorm",
    "MinMaxNorm",
    "NonNeg",
    "UnitNorm",
    "deserialize",
    "get",
    "max_norm",
    "min_max_norm",
    "non_neg",
    "serialize",
    "unit_norm",
]
