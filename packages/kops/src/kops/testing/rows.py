"""One row per op: what the conformance checks need to know of it.

A module `kops/testing/rows_<family>.py` makes its rows and hands them over:

```python
rows = [
    Row(
        "clip",
        samples=[Sample(array(3, 4), -0.5, 0.5), Sample(array(0, 3), x_max=1.0, x_min=0.0)],
        reference=np.clip,
        errors=[ErrorCase((array(3), 2.0), error=TypeError, match="x_max")],
        differentiable=True,
    ),
]
register(rows)
```
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

__all__ = [
    "ROWS",
    "ErrorCase",
    "Row",
    "Sample",
    "all_rows",
    "array",
    "booleans",
    "integers",
    "positive",
    "register",
]


class Sample:
    """Arguments of one call. NumPy arrays (also in lists) are its tensors.

    Args:
        args: positional arguments of the op.
        kwargs: keyword arguments of the op.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.args = args
        self.kwargs = kwargs

    def __repr__(self) -> str:
        parts = [_short(a) for a in self.args]
        parts += [f"{k}={_short(v)}" for k, v in self.kwargs.items()]
        return f"Sample({', '.join(parts)})"


@dataclass(frozen=True)
class ErrorCase:
    """A call that must raise, with concrete and with symbolic tensors alike.

    Args:
        args: positional arguments.
        kwargs: keyword arguments.
        error: the exception class, or several of which any will do.
        match: a regular expression that the message contains.
        symbolic: False when the fault is in the data, so that a symbolic call
            cannot see it.
    """

    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    error: type[Exception] | tuple[type[Exception], ...] = ValueError
    match: str = ""
    symbolic: bool = True

    def __repr__(self) -> str:
        errors = self.error if isinstance(self.error, tuple) else (self.error,)
        names = " or ".join(error.__name__ for error in errors)
        return f"{Sample(*self.args, **self.kwargs)} should raise {names}"


@dataclass(frozen=True)
class Row:
    """What is known of one op.

    Args:
        op: its name in `kops.ops`, dotted for a sub-namespace (`"image.resize"`).
        samples: calls to try. Write float tensors as float32 or float64 arrays:
            they are cast to each of `dtypes`.
        reference: the same op on NumPy arrays, with the same arguments. None
            when there is no independent one: engines are then compared with
            each other (the first installed one is the reference).
        errors: calls that must raise.
        dtypes: the float types to which the samples' float tensors are cast.
            Integer and boolean tensors are left as they are.
        rtol: relative tolerance in float32 (16-bit types get a wider one).
        atol: absolute tolerance in float32.
        differentiable: whether to compare the gradient with finite differences.
            Samples must then stay off kinks.
        gaps: engine name to the reason why the op has no result there yet; the
            checks skip it.
        check_values: False when values are random or not unique; shapes and
            dtypes are still compared.
        jit: False for an op whose output shape depends on the data.
        unknown_dims: False for an op that needs the sizes of its inputs; "batch" for one
            that needs all but those of the first axes.
        tolerances: dtype to (rtol, atol) where the default is not right.
    """

    op: str
    samples: Iterable[Sample]
    reference: Callable[..., Any] | None = None
    errors: Iterable[ErrorCase] = ()
    dtypes: tuple[str, ...] = ("float32",)
    rtol: float = 1e-5
    atol: float = 1e-6
    differentiable: bool = False
    gaps: Mapping[str, str] = field(default_factory=dict)
    check_values: bool = True
    jit: bool = True
    unknown_dims: bool | str = True
    tolerances: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "samples", tuple(self.samples))
        object.__setattr__(self, "errors", tuple(self.errors))

    def tolerance(self, dtype: str) -> tuple[float, float]:
        """(rtol, atol) for results computed in `dtype`."""
        if dtype in self.tolerances:
            return self.tolerances[dtype]
        wide = {"float16": 4e-3, "bfloat16": 3e-2}.get(dtype, 0.0)
        return max(self.rtol, wide), max(self.atol, wide)


ROWS: dict[str, Row] = {}
"""Op name to its row. Complete after `all_rows()`."""


def register(rows: Iterable[Row]) -> None:
    """Adds rows to `ROWS`.

    Raises:
        ValueError: an op has a row already.
    """
    for row in rows:
        if row.op in ROWS:
            raise ValueError(f"The op {row.op!r} has two rows; merge them.")
        ROWS[row.op] = row


def all_rows() -> Mapping[str, Row]:
    """Imports every `kops.testing.rows_<family>` module and returns `ROWS`."""
    package = importlib.import_module("kops.testing")
    for module in pkgutil.iter_modules(package.__path__):
        if module.name.startswith("rows_"):
            importlib.import_module(f"kops.testing.{module.name}")
    return ROWS


# --- sample tensors, the same in every run ---------------------------------------


def _rng(shape: tuple[int, ...], salt: int) -> np.random.Generator:
    return np.random.default_rng([salt, *shape])


def array(*shape: int, low: float = -2.0, high: float = 2.0, salt: int = 0) -> np.ndarray:
    """A float32 array, spread over [low, high); another `salt`, other numbers."""
    values = _rng(shape, salt).uniform(low, high, shape)
    return np.asarray(values, "float32")


def positive(*shape: int, low: float = 0.2, high: float = 3.0, salt: int = 0) -> np.ndarray:
    """A float32 array of positive numbers."""
    return array(*shape, low=low, high=high, salt=salt)


def integers(
    *shape: int, low: int = 0, high: int = 10, dtype: str = "int32", salt: int = 0
) -> np.ndarray:
    """An array of whole numbers in [low, high)."""
    return np.asarray(_rng(shape, salt).integers(low, high, shape), dtype)


def booleans(*shape: int, salt: int = 0) -> np.ndarray:
    """An array of truth values."""
    return np.asarray(_rng(shape, salt).integers(0, 2, shape), "bool")


def _short(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{list(value.shape)}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_short, value))}]"
    return repr(value)
