"""The names of `keras.dtype_policies`. Written by tools/namespace.py."""

from klayers.dtype_policies import AWQDTypePolicy as AWQDTypePolicy
from klayers.dtype_policies import DTypePolicy as DTypePolicy
from klayers.dtype_policies import DTypePolicyMap as DTypePolicyMap
from klayers.dtype_policies import FloatDTypePolicy as FloatDTypePolicy
from klayers.dtype_policies import GPTQDTypePolicy as GPTQDTypePolicy
from klayers.dtype_policies import Int4DTypePolicy as Int4DTypePolicy
from klayers.dtype_policies import QuantizedDTypePolicy as QuantizedDTypePolicy
from klayers.dtype_policies import QuantizedFloat8DTypePolicy as QuantizedFloat8DTypePolicy
from klayers.dtype_policies import deserialize as deserialize
from klayers.dtype_policies import get as get
from klayers.dtype_policies import serialize as serialize

__all__ = [
    "AWQDTypePolicy",
    "DTypePolicy",
    "DTypePolicyMap",
    "FloatDTypePolicy",
    "GPTQDTypePolicy",
    "Int4DTypePolicy",
    "QuantizedDTypePolicy",
    "QuantizedFloat8DTypePolicy",
    "deserialize",
    "get",
    "serialize",
]
