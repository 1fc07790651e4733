"""`Variable`: a named, mutable tensor."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from typing import Any

import numpy as np

from kops import dtypes, naming, placement
from kops.backend import active
from kops.keras_tensor import KerasTensor
from kops.operators import Operators
from kops.registry import export
from kops.scopes import current_path, state

__all__ = ["Variable", "allocation_budget", "new_array"]

_AGGREGATIONS = (None, "none", "mean", "sum", "only_first_replica")
_SYNCHRONIZATIONS = (None, "none", "auto", "on_read", "on_write")


def new_array(call: Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
    """Marks an initializer's `__call__`: nobody else holds the arrays that it returns.

    A variable keeps such an array as it is; it copies those of other initializers.
    """
    call.new_array = True  # type: ignore[attr-defined]
    return call


_budget: ContextVar[list[int] | None] = ContextVar("budget", default=None)


@contextlib.contextmanager
def allocation_budget(size: int) -> Iterator[None]:
    """Limits the memory of all variables made inside, for models that strangers describe.

    Args:
        size: bytes. A variable that needs more than what is left raises a ValueError before
            its initial value is made.
    """
    token = _budget.set([size])
    try:
        yield
    finally:
        _budget.reset(token)


def _spend(name: str, shape: tuple[int, ...], dtype: str) -> None:
    left = _budget.get()
    if left is None:
        return
    left[0] -= math.prod(shape) * np.dtype(dtype).itemsize
    if left[0] < 0:
        raise ValueError(
            f"The variable {name!r} of shape {shape} and dtype {dtype} needs more memory than "
            "this model may take."
        )


def _gives_new_arrays(initializer: Any) -> bool:
    call = getattr(type(initializer), "__call__", None)  # noqa: B004 - the method itself
    return getattr(call, "new_array", False)


@export("keras.Variable")
class Variable(Operators):
    """A tensor that keeps its place while its value changes.

    Args:
        initializer: initial value (array-like), or a callable `(shape, dtype)` that
            returns it.
        shape: shape; needed only with a callable.
        dtype: dtype; `floatx` for a callable, else the value's own.
        trainable: whether training changes it.
        autocast: whether `AutocastScope` applies to it.
        aggregation: how replicas' values are combined: None, "none", "mean", "sum",
            "only_first_replica".
        synchronization: kept for distributed engines.
        name: name; must hold no "/".

    Example:

    >>> v = Variable([1.0, 2.0], name="v")
    >>> v.assign_add([1.0, 1.0]) is not None
    True
    >>> v.numpy().tolist(), v.shape, v.dtype
    ([2.0, 3.0], (2,), 'float32')
    """

    def __init__(
        self,
        initializer: Any,
        shape: Sequence[int] | None = None,
        dtype: Any = None,
        trainable: bool = True,
        autocast: bool = True,
        aggregation: str | None = "none",
        synchronization: str | None = "auto",
        name: str | None = None,
        **kwargs: Any,
    ):
        if kwargs:
            raise TypeError(f"Variable got unexpected arguments {sorted(kwargs)}.")
        name = name or naming.auto_name(type(self).__name__)
        if not isinstance(name, str) or "/" in name:
            raise ValueError(f"`name` must be a string without '/'; got {name!r}.")
        if aggregation not in _AGGREGATIONS:
            raise ValueError(f"`aggregation` must be one of {_AGGREGATIONS}; got {aggregation!r}.")
        if synchronization not in _SYNCHRONIZATIONS:
            raise ValueError(
                f"`synchronization` must be one of {_SYNCHRONIZATIONS}; got {synchronization!r}."
            )
        self.name = name
        parent = current_path()
        self.path = f"{parent}/{name}" if parent else name
        self.aggregation = aggregation
        self.synchronization = synchronization
        self.autocast = bool(autocast)
        self.regularizer: Any = None
        self.constraint: Any = None
        self.overwrite_with_gradient = False
        self._trainable = bool(trainable)
        self._engine = active()
        value = self._initial_value(initializer, shape, dtype)
        self.shape: tuple[int, ...] = tuple(int(s) for s in value.shape)
        self._state = self._engine.new_state(value, self.dtype, self._trainable, name)
        layout = placement.variable_layout(self)
        if layout is not None:
            self._state = self._engine.distribute(self._state, layout)

    def _initial_value(self, initializer: Any, shape: Any, dtype: Any) -> Any:
        if callable(initializer) and not isinstance(initializer, (Variable, np.ndarray)):
            if shape is None:
                raise ValueError(
                    "`shape` is needed when `initializer` is a callable; "
                    f"got initializer={initializer!r}, shape=None."
                )
            self.dtype = dtypes.standardize(dtype)
            shape = _standardize_shape(shape)
            _spend(self.path, shape, self.dtype)
            value = initializer(shape, dtype=self.dtype)
        else:
            value, shape = initializer, None if shape is None else _standardize_shape(shape)
        if isinstance(value, KerasTensor):
            raise ValueError(f"The initial value of a Variable must have values; got {value!r}.")
        if isinstance(value, Variable):
            value = value.value
        wanted = None if dtype is None else dtypes.standardize(dtype)
        # A host array of the right dtype goes to the engine's storage as it is.
        if not isinstance(value, np.ndarray) or wanted not in (None, str(value.dtype)):
            value = self._engine.convert(value, wanted)
        elif not _gives_new_arrays(initializer):
            value = value.copy()
        self.dtype = (
            dtypes.standardize(value.dtype)
            if isinstance(value, np.ndarray)
            else self._engine.dtype_of(value)
        )
        if shape is not None and tuple(value.shape) != shape:
            raise ValueError(
                f"The initial value of Variable {self.name!r} has shape {tuple(value.shape)}, "
                f"but `shape` is {shape}."
            )
        return value

    # -- value --------------------------------------------------------------------------

    @property
    def value(self) -> Any:
        """The value as the engine's tensor: from the stateless scope, autocast if asked for."""
        if state.redirected:
            return self._scoped_value()
        return self._engine.read_state(self._state)

    def _scoped_value(self) -> Any:
        scope = state.stateless
        value = None if scope is None else scope.get_current_value(self)
        if value is None:
            value = self._engine.read_state(self._state)
        if state.autocast is not None and self.autocast and dtypes.is_float(self.dtype):
            if isinstance(value, KerasTensor):
                return KerasTensor.of(value.dims, state.autocast)
            if self.dtype != state.autocast:
                return self._engine.cast(value, state.autocast)
        return value

    def _convert_to_own(self, value: Any) -> Any:
        """`value` in this variable's dtype, its shape checked."""
        if isinstance(value, Variable):
            value = value.value
        if isinstance(value, KerasTensor):
            shape = value.shape
        else:
            if not self._engine.is_tensor(value) or self._engine.dtype_of(value) != self.dtype:
                value = self._engine.convert(value, self.dtype)
            shape = self._engine.shape_of(value)
        if len(shape) != len(self.shape) or any(
            a is not None and a != b for a, b in zip(shape, self.shape, strict=True)
        ):
            raise ValueError(
                f"The shape of the target variable and the shape of the value must be equal: "
                f"variable {self.path!r} has shape {self.shape}, the value has {tuple(shape)}."
            )
        return value

    def assign(self, value: Any) -> Any:
        """Sets the value (same shape; cast to the variable's dtype). Returns the value."""
        value = self._convert_to_own(value)
        scope = state.stateless
        if scope is not None:
            scope.add_update((self, value))
        elif not isinstance(value, KerasTensor):
            self._state = self._engine.write_state(self._state, value)
        return value

    def assign_add(self, value: Any) -> Any:
        """Adds `value` to the value."""
        if self._added_in_place(value, 1):
            return self._engine.read_state(self._state)
        return self.assign(self + value)

    def assign_sub(self, value: Any) -> Any:
        """Subtracts `value` from the value."""
        if self._added_in_place(value, -1):
            return self._engine.read_state(self._state)
        return self.assign(self - value)

    def _added_in_place(self, value: Any, sign: int) -> bool:
        add = getattr(self._engine, "add_to_state", None)
        return add is not None and not state.redirected and add(self._state, value, sign)

    def numpy(self) -> np.ndarray:
        """The value as a NumPy array of its own: later assignments do not change it."""
        array = self._engine.to_numpy(self.value)
        # A writeable array may share the memory of an engine that assigns in place.
        return array.copy() if array.flags.writeable else array

    # -- facts --------------------------------------------------------------------------

    @property
    def trainable(self) -> bool:
        """Whether training changes the value."""
        return self._trainable

    @trainable.setter
    def trainable(self, value: bool) -> None:
        value = bool(value)
        if value != self._trainable:
            self._trainable = value
            self._engine.set_trainable(self._state, value)

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return int(np.prod(self.shape, dtype=np.int64))

    # TensorFlow's tapes take an object with this mark and a `handle` for one of their variables.
    _should_act_as_resource_variable = True

    @property
    def handle(self) -> Any:
        """What the engine stores the value in; TensorFlow's resource handle."""
        return getattr(self._state, "handle", self._state)

    # -- protocols ------------------------------------------------------------------------

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.asarray(self.numpy(), dtype=dtype)

    def __jax_array__(self) -> Any:
        return self.value

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Any:
        return self._engine.convert(self.value, None if dtype is None else dtype.name)

    @classmethod
    def __torch_function__(
        cls, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        return func(*_plain(args), **_plain(kwargs or {}))

    def __float__(self) -> float:
        return float(self.numpy())

    def __int__(self) -> int:
        return int(self.numpy())

    def __index__(self) -> int:
        return self.numpy().item().__index__()

    def __bool__(self) -> bool:
        return bool(self.numpy())

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError(f"Variable {self.path!r} is a scalar and has no len().")
        return self.shape[0]

    def __eq__(self, other: object) -> Any:
        # Identity: variables are keys of dicts and members of lists.
        return self is other

    def __hash__(self) -> int:
        return id(self)

    def __repr__(self) -> str:
        value = None
        if not state.redirected:
            try:
                value = f", value={self.numpy()}"
            except Exception:
                value = None  # inside a trace there is no value to show
        return f"<Variable path={self.path}, shape={self.shape}, dtype={self.dtype}{value or ''}>"

    def __getstate__(self) -> dict[str, Any]:
        fields = {k: v for k, v in self.__dict__.items() if k not in ("_engine", "_state")}
        return fields | {
            "_value": np.array(self._engine.to_numpy(self._engine.read_state(self._state)))
        }

    def __setstate__(self, fields: dict[str, Any]) -> None:
        value = fields.pop("_value")
        self.__dict__.update(fields)
        self._engine = active()
        self._state = self._engine.new_state(value, self.dtype, self._trainable, self.name)

    def __deepcopy__(self, memo: dict[int, Any]) -> Variable:
        copy = type(self).__new__(type(self))
        memo[id(self)] = copy
        copy.__setstate__(self.__getstate__())
        return copy


def _plain(value: Any) -> Any:
    if isinstance(value, Variable):
        return value.value
    if isinstance(value, (tuple, list)):
        return type(value)(map(_plain, value))
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items()}
    return value


def _standardize_shape(shape: Any) -> tuple[int, ...]:
    if isinstance(shape, (int, np.integer)):
        shape = (shape,)
    try:
        result = tuple(int(s) for s in shape)
    except TypeError:
        result = (-1,)
    if any(s < 0 for s in result):
        raise ValueError(f"`shape` of a Variable must hold non-negative ints; got {shape!r}.")
    return result
