"""Dtype names and the one promotion lattice that every engine follows.

The lattice is JAX's: promotion is order-independent, Python scalars are weak (they
take the dtype of the array they meet) and `(float16, bfloat16) -> float32`.

Source: "Type promotion semantics", JAX documentation, design note 9407.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any

from kops import config
from kops.registry import export

__all__ = [
    "ALL",
    "COMPLEX",
    "FLOATS",
    "INTS",
    "WEAK_FLOAT",
    "WEAK_INT",
    "is_complex",
    "is_float",
    "is_int",
    "python_dtype",
    "result_type",
    "standardize",
    "to_float",
]

WEAK_INT = "int*"
WEAK_FLOAT = "float*"
_WEAK_COMPLEX = "complex*"

# Each dtype points at the dtypes directly above it.
_ABOVE: dict[str, tuple[str, ...]] = {
    "bool": (WEAK_INT,),
    WEAK_INT: ("uint8", "int8"),
    "uint8": ("uint16", "int16"),
    "uint16": ("uint32", "int32"),
    "uint32": ("uint64", "int64"),
    "uint64": (WEAK_FLOAT,),
    "int8": ("int16",),
    "int16": ("int32",),
    "int32": ("int64",),
    "int64": (WEAK_FLOAT,),
    WEAK_FLOAT: ("bfloat16", "float16", _WEAK_COMPLEX),
    "bfloat16": ("float32",),
    "float16": ("float32",),
    "float32": ("float64", "complex64"),
    "float64": ("complex128",),
    _WEAK_COMPLEX: ("complex64",),
    "complex64": ("complex128",),
    "complex128": (),
    "float8_e4m3fn": (),
    "float8_e5m2": (),
    "int4": (),
    "uint4": (),
    "string": (),
}

INTS = frozenset(
    ["uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "int4", "uint4"]
)
FLOATS = frozenset(["bfloat16", "float16", "float32", "float64", "float8_e4m3fn", "float8_e5m2"])
COMPLEX = frozenset(["complex64", "complex128"])
ALL = frozenset(_ABOVE) - {WEAK_INT, WEAK_FLOAT, _WEAK_COMPLEX}

_ALIASES = {"half": "float16", "double": "float64", "long": "int64", "str": "string"}
_PYTHON = {bool: "bool", int: WEAK_INT, float: WEAK_FLOAT, complex: _WEAK_COMPLEX}


@export("keras.backend.is_float_dtype")
def is_float(dtype: str) -> bool:
    """Whether `dtype` names a real floating type."""
    return dtype in FLOATS


@export("keras.backend.is_int_dtype")
def is_int(dtype: str) -> bool:
    """Whether `dtype` names an integer type (bool is none)."""
    return dtype in INTS


def is_complex(dtype: str) -> bool:
    """Whether `dtype` names a complex type."""
    return dtype in COMPLEX


@cache
def _up_set(dtype: str) -> frozenset[str]:
    above = {dtype}
    for d in _ABOVE[dtype]:
        above |= _up_set(d)
    return frozenset(above)


@lru_cache(maxsize=4096)
def _join(dtypes: frozenset[str]) -> str:
    """The least dtype above all of `dtypes`; may be a weak one."""
    common = frozenset.intersection(*map(_up_set, dtypes))
    for d in common:
        if common <= _up_set(d):
            return d
    names = sorted(dtypes)
    raise ValueError(f"The dtypes {names} have no common dtype to promote to; cast one explicitly.")


def _resolve_weak(dtype: str) -> str:
    if dtype == WEAK_INT:
        return "int32"
    if dtype == WEAK_FLOAT:
        return config.floatx()
    return "complex64" if dtype == _WEAK_COMPLEX else dtype


def join(dtypes: list[str]) -> str:
    """Promotes dtype names (weak ones allowed) to one concrete dtype."""
    first = dtypes[0]
    if all(d == first for d in dtypes):
        return _resolve_weak(first)
    return _resolve_weak(_join(frozenset(dtypes)))


def python_dtype(kind: type) -> str | None:
    """The (weak) dtype of a Python scalar type, None for any other type."""
    return _PYTHON.get(kind)


@export("keras.backend.result_type")
def result_type(*dtypes: Any) -> str:
    """Dtype that values of the given dtypes promote to, the same on every engine.

    Args:
        dtypes: dtype names, dtype objects of any engine, or the Python types
            `bool`, `int`, `float`, which are weak.

    Example:

    >>> result_type("int32", "bfloat16")
    'bfloat16'
    >>> result_type("float16", "bfloat16")
    'float32'
    >>> result_type("int8", float)
    'float32'
    """
    if not dtypes:
        return config.floatx()
    return join([_PYTHON.get(d) or standardize(d) for d in dtypes])


def to_float(dtype: str) -> str:
    """`dtype` if it can hold fractions, else `floatx`."""
    if dtype in FLOATS or dtype in COMPLEX:
        return dtype
    if dtype == "string":
        raise ValueError("must hold numbers; got strings.")
    return config.floatx()


@lru_cache(maxsize=1024)
def _standardize_name(name: str) -> str:
    short = name.rsplit(".", 1)[-1]  # "torch.float32"
    short = _ALIASES.get(short, short)
    if short not in ALL:
        raise ValueError(f"Invalid dtype: {name!r}. Expected one of {sorted(ALL)}.")
    return short


@export("keras.backend.standardize_dtype", "keras.utils.standardize_dtype")
def standardize(dtype: Any) -> str:
    """The name of a dtype given as a name, a Python type or any engine's dtype object.

    `None` and `float` mean `floatx`, `int` means int32.

    Raises:
        ValueError: for anything that names no dtype.

    Example:

    >>> import numpy as np
    >>> standardize(np.float16), standardize(None)
    ('float16', 'float32')
    """
    if isinstance(dtype, str):
        if dtype == "float":
            return config.floatx()
        return "int32" if dtype == "int" else _standardize_name(dtype)
    if dtype is None or dtype is float:
        return config.floatx()
    if dtype is int:
        return "int32"
    if dtype is bool:
        return "bool"
    name = getattr(dtype, "name", None) or getattr(dtype, "__name__", None)
    return _standardize_name(name if isinstance(name, str) else str(dtype))
