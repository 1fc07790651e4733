"""Projections applied to weights after each update."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from klayers._identifiers import resolve
from kops import config as kops_config
from kops import ops
from kops.naming import to_snake_case
from kops.registry import export
from kops.serialization import serialize_keras_object

__all__ = [
    "Constraint",
    "MaxNorm",
    "MinMaxNorm",
    "NonNeg",
    "UnitNorm",
    "deserialize",
    "get",
    "serialize",
]


@export("keras.constraints.Constraint")
class Constraint:
    """Base of constraints: a callable from a weight to the projected weight.

    A subclass defines `__call__` and, if its constructor takes arguments, `get_config`.

    Example:

    >>> class Half(Constraint):
    ...     def __call__(self, w):
    ...         return ops.minimum(w, 0.5)
    >>> ops.convert_to_numpy(Half()([0.2, 0.9])).tolist()[1]
    0.5
    """

    def __call__(self, w: Any) -> Any:
        """The weight nearest to `w` that satisfies the constraint."""
        raise NotImplementedError(f"{type(self).__name__} must define `__call__(self, w)`.")

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        return {}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Constraint:
        """The constraint with the arguments in `config`."""
        return cls(**config)


@export("keras.constraints.MaxNorm", "keras.constraints.max_norm")
class MaxNorm(Constraint):
    """Scales down weights whose norm along `axis` is above `max_value`.

    Args:
        max_value: greatest norm.
        axis: axis (or axes) of the norm. For a Dense kernel `(inputs, units)`, 0 bounds
            the weights of each unit; for a 2D convolution kernel `[0, 1, 2]` does.

    Example:

    >>> MaxNorm(1.0)([[3.0], [4.0]]).shape[0]
    2
    """

    def __init__(self, max_value: float = 2, axis: int | list[int] = 0) -> None:
        self.max_value = max_value
        self.axis = axis

    def __call__(self, w: Any) -> Any:
        """The projection of `w`."""
        w = ops.convert_to_tensor(w)
        norm = _norm(w, self.axis)
        return w * (ops.clip(norm, 0, self.max_value) / (kops_config.epsilon() + norm))

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        return {"max_value": self.max_value, "axis": self.axis}


@export("keras.constraints.NonNeg", "keras.constraints.non_neg")
class NonNeg(Constraint):
    """Sets negative weights to 0.

    Example:

    >>> ops.convert_to_numpy(NonNeg()([-1.0, 2.0])).tolist()
    [0.0, 2.0]
    """

    def __call__(self, w: Any) -> Any:
        """The projection of `w`."""
        return ops.relu(w)


@export("keras.constraints.UnitNorm", "keras.constraints.unit_norm")
class UnitNorm(Constraint):
    """Scales weights to norm 1 along `axis`.

    Args:
        axis: axis (or axes) of the norm, as in `MaxNorm`.

    Example:

    >>> round(float(UnitNorm()([[3.0], [4.0]])[0][0]), 4)
    0.6
    """

    def __init__(self, axis: int | list[int] = 0) -> None:
        self.axis = axis

    def __call__(self, w: Any) -> Any:
        """The projection of `w`."""
        w = ops.convert_to_tensor(w)
        return w / (kops_config.epsilon() + _norm(w, self.axis))

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        return {"axis": self.axis}


@export("keras.constraints.MinMaxNorm", "keras.constraints.min_max_norm")
class MinMaxNorm(Constraint):
    """Moves the norm along `axis` towards the interval `[min_value, max_value]`.

    Args:
        min_value: least norm.
        max_value: greatest norm.
        rate: 1 enforces the interval at once; less moves a part of the way.
        axis: axis (or axes) of the norm, as in `MaxNorm`.

    Example:

    >>> round(float(MinMaxNorm(0.0, 1.0)([[3.0], [4.0]])[0][0]), 4)
    0.6
    """

    def __init__(
        self,
        min_value: float = 0.0,
        max_value: float = 1.0,
        rate: float = 1.0,
        axis: int | list[int] = 0,
    ) -> None:
        self.min_value = min_value
        self.max_value = max_value
        self.rate = rate
        self.axis = axis

    def __call__(self, w: Any) -> Any:
        """The projection of `w`."""
        w = ops.convert_to_tensor(w)
        norm = _norm(w, self.axis)
        bounded = ops.clip(norm, self.min_value, self.max_value)
        wanted = self.rate * bounded + (1 - self.rate) * norm
        return w * (wanted / (kops_config.epsilon() + norm))

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        return {
            "min_value": self.min_value,
            "max_value": self.max_value,
            "rate": self.rate,
            "axis": self.axis,
        }


def _norm(w: Any, axis: int | list[int]) -> Any:
    axis = tuple(axis) if isinstance(axis, list) else axis
    return ops.sqrt(ops.sum(ops.square(w), axis=axis, keepdims=True))


_CLASSES = (MaxNorm, MinMaxNorm, NonNeg, UnitNorm)
_BY_NAME: dict[str, type[Constraint]] = {
    **{c.__name__: c for c in _CLASSES},
    **{to_snake_case(c.__name__): c for c in _CLASSES},
}


@export("keras.constraints.serialize")
def serialize(constraint: Constraint) -> dict[str, Any]:
    """The config dict that saved files hold for `constraint`.

    Example:

    >>> serialize(UnitNorm(axis=1))["config"]
    {'axis': 1}
    """
    return serialize_keras_object(constraint)


@export("keras.constraints.deserialize")
def deserialize(config: dict[str, Any], custom_objects: dict[str, Any] | None = None) -> Any:
    """The constraint that `serialize` wrote `config` for.

    Example:

    >>> deserialize(serialize(UnitNorm(axis=1))).axis
    1
    """
    return resolve("constraint", config, _BY_NAME, custom_objects)


@export("keras.constraints.get")
def get(identifier: Any) -> Callable[[Any], Any] | None:
    """The constraint that `identifier` names.

    Args:
        identifier: a name such as `"non_neg"`, a config dict, a class, a callable
            (returned as it is) or None.

    Raises:
        ValueError: `identifier` is none of these, or the name is unknown.

    Example:

    >>> type(get("non_neg")).__name__
    'NonNeg'
    """
    return resolve("constraint", identifier, _BY_NAME)
