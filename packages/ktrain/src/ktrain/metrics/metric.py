"""`Metric`: state that is updated batch by batch, and a result computed from it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from klayers import initializers
from kops import Variable, config, dtypes, ops
from kops.naming import auto_name
from kops.registry import export
from kops.scopes import StatelessScope, name_scope
from ktrain.losses.loss import compute_dtype

__all__ = ["Metric"]


@export("keras.Metric", "keras.metrics.Metric")
class Metric:
    """Base of the metrics.

    A subclass makes its variables in `__init__` with `add_variable`, changes them in
    `update_state(...)` and computes the value in `result()`.

    Args:
        dtype: dtype (or dtype policy) of the result; by default `floatx`.
        name: the metric's name; made from the class name by default.

    Example:
    ```python
    >>> from kops import ops
    >>> from ktrain.metrics import Metric
    >>> class Largest(Metric):
    ...     def __init__(self, name="largest"):
    ...         super().__init__(name=name)
    ...         self.value = self.add_variable((), initializer="zeros", name="value")
    ...
    ...     def update_state(self, values, sample_weight=None):
    ...         self.value.assign(ops.maximum(self.value, ops.max(values)))
    ...
    ...     def result(self):
    ...         return self.value.value
    >>> metric = Largest()
    >>> metric.update_state([1.0, 3.0])
    >>> metric.update_state([2.0])
    >>> float(metric.result())
    3.0

    ```
    """

    _variables: list[Variable]
    _metrics: list[Metric]

    def __init__(self, dtype: Any = None, name: str | None = None) -> None:
        self.name = auto_name(type(self).__name__) if name is None else name
        self._dtype = compute_dtype(dtype)

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        # Here, so that subclasses may set variables before `super().__init__()`.
        self = super().__new__(cls)
        object.__setattr__(self, "_variables", [])
        object.__setattr__(self, "_metrics", [])
        return self

    def __setattr__(self, name: str, value: Any) -> None:
        # Variables and metrics that become attributes belong to the state.
        if isinstance(value, Variable):
            self._track(self._variables, value)
        elif isinstance(value, Metric):
            self._track(self._metrics, value)
        super().__setattr__(name, value)

    @staticmethod
    def _track(known: list[Any], value: Any) -> None:
        if not any(value is item for item in known):
            known.append(value)

    @property
    def dtype(self) -> str:
        """The dtype of the result."""
        return self._dtype

    @property
    def _state_dtype(self) -> str:
        """What sums are kept in: short floats stop counting at 2048 or overflow."""
        return "float32" if self._dtype in ("float16", "bfloat16") else self._dtype

    @property
    def variables(self) -> list[Variable]:
        """The state, that of metrics inside included."""
        return [*self._variables, *(v for metric in self._metrics for v in metric.variables)]

    def add_variable(
        self,
        shape: Sequence[int],
        initializer: Any,
        dtype: Any = None,
        aggregation: str | None = "sum",
        name: str | None = None,
    ) -> Variable:
        """Makes a variable that belongs to the state.

        Args:
            shape: its shape.
            initializer: initializer, or the name of one.
            dtype: its dtype; by default the metric's, float32 for a shorter float.
            aggregation: how replicas are combined.
            name: its name.
        """
        make = _zeros if initializer in (None, "zeros") else initializers.get(initializer)
        with name_scope(self.name.replace("/", "_")):
            variable = Variable(
                make,
                shape=shape,
                dtype=dtype or self._state_dtype,
                trainable=False,
                aggregation=aggregation,
                name=name,
            )
        self._track(self._variables, variable)
        return variable

    def add_weight(
        self,
        shape: Sequence[int] = (),
        initializer: Any = None,
        dtype: Any = None,
        name: str | None = None,
    ) -> Variable:
        """`add_variable` under the name that layers use."""
        return self.add_variable(shape, initializer=initializer, dtype=dtype, name=name)

    def update_state(self, *args: Any, **kwargs: Any) -> None:
        """Adds a batch; to be overridden."""
        raise NotImplementedError(f"{type(self).__name__} must override `update_state`.")

    def result(self) -> Any:
        """The value, a scalar tensor (or a dictionary of them); to be overridden."""
        raise NotImplementedError(f"{type(self).__name__} must override `result`.")

    def reset_state(self) -> None:
        """Sets all state to zero; to be overridden where it starts elsewhere."""
        for variable in self.variables:
            variable.assign(np.zeros(variable.shape, variable.dtype))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Adds a batch and returns the result so far."""
        self.update_state(*args, **kwargs)
        return self.result()

    # -- as pure functions ----------------------------------------------------------------

    def _scope(self, values: Sequence[Any]) -> StatelessScope:
        variables = self.variables
        if len(values) != len(variables):
            raise ValueError(
                "Argument `metric_variables` must hold one value for each of the "
                f"{len(variables)} variables of metric {self.name!r}. Received {len(values)}."
            )
        return StatelessScope(state_mapping=list(zip(variables, values, strict=True)))

    def stateless_update_state(
        self, metric_variables: Sequence[Any], *args: Any, **kwargs: Any
    ) -> Any:
        """`update_state` as a function: takes the state's values, returns the new ones."""
        if not metric_variables and not self.variables:
            # State that is made at the first update must not hold traced values.
            self._prepare(*args, **kwargs)
            metric_variables = [v.value for v in self.variables]
        with self._scope(metric_variables) as scope:
            self.update_state(*args, **kwargs)
        return [scope.get_current_value(v) for v in self.variables]

    def _prepare(self, *args: Any, **kwargs: Any) -> None:
        """Makes variables whose shape only the data tells."""

    def stateless_result(self, metric_variables: Sequence[Any]) -> Any:
        """`result` as a function of the state's values."""
        with self._scope(metric_variables):
            return self.result()

    def stateless_reset_state(self) -> list[Any]:
        """The values of the state after `reset_state`; the state itself stays."""
        with StatelessScope() as scope:
            self.reset_state()
        values = [scope.get_current_value(v) for v in self.variables]
        return [v.value if x is None else x for v, x in zip(self.variables, values, strict=True)]

    # -- configuration ---------------------------------------------------------------------

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments as plain values."""
        return {"name": self.name, "dtype": self.dtype}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """Builds the metric from what `get_config` returned."""
        return cls(**config)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} name={self.name}>"

    __str__ = __repr__

    def _float(self, x: Any) -> Any:
        """`x` as a tensor of the dtype that sums are kept in."""
        dtype = self._state_dtype
        return ops.convert_to_tensor(x, dtype if dtypes.is_float(dtype) else config.floatx())


def _zeros(shape: Sequence[int], dtype: Any = None) -> np.ndarray:
    return np.zeros(shape, dtype)
