"""Scopes: what a thread is doing at the moment (tracing, running statelessly, casting).

One thread-local record holds all of it, so that the hot paths read one attribute.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from kops import dtypes
from kops.registry import export

if TYPE_CHECKING:
    from kops.variable import Variable

__all__ = [
    "AutocastScope",
    "StatelessScope",
    "SymbolicScope",
    "current_path",
    "get_autocast_dtype",
    "get_stateless_scope",
    "in_stateless_scope",
    "in_symbolic_scope",
    "name_scope",
    "state",
]


class _State(threading.local):
    """Defaults are class attributes: a thread that sets nothing pays nothing."""

    engine: Any = None  # an engine other than the active one, while `kops.on` runs
    stateless: StatelessScope | None = None
    symbolic: SymbolicScope | None = None
    autocast: str | None = None
    redirected: bool = False  # reading a variable needs more than its stored value
    names: tuple[str, ...] = ()


state = _State()


class _Scope:
    """A scope that sets fields of `state` and puts the old values back."""

    _saved: list[dict[str, Any]]

    def _fields(self) -> dict[str, Any]:
        raise NotImplementedError

    def __enter__(self):
        saved = self.__dict__.setdefault("_saved", [])
        fields = self._fields()
        saved.append({k: getattr(state, k) for k in (*fields, "redirected")})
        for key, value in fields.items():
            setattr(state, key, value)
        state.redirected = state.stateless is not None or state.autocast is not None
        return self

    def __exit__(self, *exc: object) -> None:
        for key, value in self._saved.pop().items():
            setattr(state, key, value)


@export("keras.StatelessScope")
class StatelessScope(_Scope):
    """Variables read from and written to a mapping instead of their own storage.

    Args:
        state_mapping: pairs `(variable, value)` that the scope starts with.
        collect_losses: whether `add_loss` of layers goes to `scope.losses`.
        initialize_variables: kept for compatibility; initial values are drawn on the
            host and need no scope.

    Example:

    >>> import kops
    >>> v = kops.Variable(1.0)
    >>> with kops.StatelessScope(state_mapping=[(v, 2.0)]) as scope:
    ...     v.assign_add(1.0) is not None
    True
    >>> float(scope.get_current_value(v)), float(v.numpy())
    (3.0, 1.0)
    """

    def __init__(
        self,
        state_mapping: Iterable[tuple[Variable, Any]] | None = None,
        collect_losses: bool = False,
        initialize_variables: bool = True,
    ):
        self.collect_losses = collect_losses
        self.initialize_variables = initialize_variables
        self.losses: list[Any] = []
        self.state_mapping: dict[int, Any] = {}
        self._variables: dict[int, Variable] = {}  # keeps ids valid
        for variable, value in state_mapping or ():
            if value is None:
                continue
            if not hasattr(variable, "_convert_to_own"):
                raise ValueError(
                    "`state_mapping` must hold pairs (Variable, value); "
                    f"got {variable!r} as a variable."
                )
            self.add_update((variable, variable._convert_to_own(value)))

    def _fields(self) -> dict[str, Any]:
        return {"stateless": self}

    def add_loss(self, loss: Any) -> None:
        """Records a loss."""
        self.losses.append(loss)

    def add_update(self, update: tuple[Variable, Any]) -> None:
        """Sets a variable's value in this scope."""
        variable, value = update
        self.state_mapping[id(variable)] = value
        self._variables[id(variable)] = variable

    def get_current_value(self, variable: Variable) -> Any:
        """The variable's value in this scope, None if it has none here."""
        return self.state_mapping.get(id(variable))


@export("keras.SymbolicScope")
class SymbolicScope(_Scope):
    """Operations are being traced, not run.

    Args:
        record: whether symbolic calls make graph nodes; without, only shapes and dtypes
            are inferred.
        ops_only: whether layers are traced into, so that the graph holds ops alone.
    """

    def __init__(self, record: bool = True, ops_only: bool = False):
        self.record = record
        self.ops_only = ops_only

    def _fields(self) -> dict[str, Any]:
        return {"symbolic": self}


class AutocastScope(_Scope):
    """Float variables with `autocast=True` are read in `dtype` (None: as stored)."""

    def __init__(self, dtype: Any):
        self.dtype = None if dtype is None else dtypes.standardize(dtype)
        if self.dtype is not None and not dtypes.is_float(self.dtype):
            raise ValueError(f"`dtype` of AutocastScope must be a float dtype; got {self.dtype!r}.")

    def _fields(self) -> dict[str, Any]:
        return {"autocast": self.dtype}


@export("keras.name_scope")
class name_scope:
    """Variables made inside have `name/` in front of their path.

    Args:
        name: one part of a path: a non-empty string without "/".

    Example:

    >>> import kops
    >>> with kops.name_scope("block"):
    ...     v = kops.Variable(0.0, name="scale")
    >>> v.path
    'block/scale'
    """

    def __init__(self, name: str, **kwargs: Any):
        if not isinstance(name, str) or not name or "/" in name:
            raise ValueError(f"`name` must be a non-empty string without '/'; got {name!r}.")
        self.name = name
        self._saved: list[tuple[str, ...]] = []

    def __enter__(self) -> name_scope:
        self._saved.append(state.names)
        state.names = (*state.names, self.name)
        return self

    def __exit__(self, *exc: object) -> None:
        state.names = self._saved.pop()


def current_path() -> str:
    """The names of the open name scopes, joined by '/'."""
    return "/".join(state.names)


def in_stateless_scope() -> bool:
    """Whether a StatelessScope is open in this thread."""
    return state.stateless is not None


def get_stateless_scope() -> StatelessScope | None:
    """The innermost open StatelessScope."""
    return state.stateless


def in_symbolic_scope() -> bool:
    """Whether a SymbolicScope is open in this thread."""
    return state.symbolic is not None


def get_autocast_dtype() -> str | None:
    """The dtype of the innermost AutocastScope."""
    return state.autocast
