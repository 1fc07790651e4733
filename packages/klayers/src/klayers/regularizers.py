"""Weight and activity penalties."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from klayers._identifiers import resolve
from kops import ops
from kops.naming import to_snake_case
from kops.registry import export
from kops.serialization import serialize_keras_object

__all__ = [
    "L1",
    "L1L2",
    "L2",
    "OrthogonalRegularizer",
    "Regularizer",
    "deserialize",
    "get",
    "serialize",
]


@export("keras.Regularizer", "keras.regularizers.Regularizer")
class Regularizer:
    """Base of penalties: a callable from a tensor to a scalar.

    A subclass defines `__call__` and, to be saved, `get_config`.

    Example:

    >>> class Mean(Regularizer):
    ...     def __call__(self, x):
    ...         return ops.mean(ops.abs(x))
    >>> float(Mean()([1.0, 3.0]))
    2.0
    """

    def __call__(self, x: Any) -> Any:
        """The penalty of `x`, a scalar."""
        return 0.0

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Regularizer:
        """The regularizer with the arguments in `config`."""
        return cls(**config)

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        raise NotImplementedError(
            f"{type(self).__name__} does not define `get_config()`, so it cannot be saved. "
            "Return the constructor's arguments as a dict."
        )


@export("keras.regularizers.L1L2", "keras.regularizers.l1_l2")
class L1L2(Regularizer):
    """`l1 * sum(|x|) + l2 * sum(x**2)`.

    Args:
        l1: factor of the absolute values.
        l2: factor of the squares.

    Example:

    >>> round(float(L1L2(l1=0.1, l2=0.1)([1.0, 2.0])), 4)
    0.8
    """

    def __init__(self, l1: float = 0.0, l2: float = 0.0) -> None:
        l1 = 0.0 if l1 is None else l1
        l2 = 0.0 if l2 is None else l2
        self.l1 = _factor("l1", l1)
        self.l2 = _factor("l2", l2)

    def __call__(self, x: Any) -> Any:
        """The penalty of `x`, a scalar."""
        penalty: Any = 0.0
        if self.l1:
            penalty = penalty + self.l1 * ops.sum(ops.abs(x))
        if self.l2:
            penalty = penalty + self.l2 * ops.sum(ops.square(x))
        return penalty

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        return {"l1": float(self.l1), "l2": float(self.l2)}


@export("keras.regularizers.L1", "keras.regularizers.l1")
class L1(Regularizer):
    """`l1 * sum(|x|)`.

    Args:
        l1: factor of the absolute values.

    Example:

    >>> round(float(L1(0.1)([1.0, -2.0])), 4)
    0.3
    """

    def __init__(self, l1: float = 0.01) -> None:
        # Saved files hold the factor rounded to float32.
        self.l1 = float(np.float32(_factor("l1", 0.01 if l1 is None else l1)))

    def __call__(self, x: Any) -> Any:
        """The penalty of `x`, a scalar."""
        return self.l1 * ops.sum(ops.abs(x))

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        return {"l1": self.l1}


@export("keras.regularizers.L2", "keras.regularizers.l2")
class L2(Regularizer):
    """`l2 * sum(x**2)`.

    Args:
        l2: factor of the squares.

    Example:

    >>> round(float(L2(0.1)([1.0, 2.0])), 4)
    0.5
    """

    def __init__(self, l2: float = 0.01) -> None:
        self.l2 = _factor("l2", 0.01 if l2 is None else l2)

    def __call__(self, x: Any) -> Any:
        """The penalty of `x`, a scalar."""
        return self.l2 * ops.sum(ops.square(x))

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        return {"l2": float(self.l2)}


@export("keras.regularizers.OrthogonalRegularizer", "keras.regularizers.orthogonal_regularizer")
class OrthogonalRegularizer(Regularizer):
    """Pushes the rows (or columns) of a matrix to be orthogonal to each other.

    The penalty is `factor` times the mean absolute cosine of all pairs of rows.

    Args:
        factor: strength of the penalty.
        mode: `"rows"` or `"columns"`.

    Raises:
        ValueError: another `mode`, or an input that is no matrix.

    Example:

    >>> float(OrthogonalRegularizer(0.1)([[1.0, 0.0], [0.0, 1.0]]))
    0.0
    """

    def __init__(self, factor: float = 0.01, mode: str = "rows") -> None:
        if mode not in ("rows", "columns"):
            raise ValueError(f"`mode` must be 'rows' or 'columns'. Received: mode={mode!r}")
        self.factor = float(np.float32(_factor("factor", factor)))
        self.mode = mode

    def __call__(self, inputs: Any) -> Any:
        """The penalty of the matrix `inputs`, a scalar."""
        x = ops.convert_to_tensor(inputs)
        if len(x.shape) != 2:
            raise ValueError(
                "OrthogonalRegularizer accepts matrices (rank 2). "
                f"Received an input of shape {tuple(x.shape)}"
            )
        if self.mode == "columns":
            x = ops.transpose(x)
        rows = ops.normalize(x, axis=1)
        size = x.shape[0]
        cosines = ops.matmul(rows, ops.transpose(rows)) * (1.0 - ops.eye(size, dtype=x.dtype))
        pairs = size * (size - 1) / 2
        return self.factor * 0.5 * ops.sum(ops.abs(cosines)) / max(pairs, 1.0)

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        return {"factor": self.factor, "mode": self.mode}


def _factor(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)):
        raise ValueError(f"`{name}` must be a finite number. Received: {name}={value!r}")
    if not math.isfinite(value):
        raise ValueError(f"`{name}` must be a finite number. Received: {name}={value!r}")
    return value  # type: ignore[return-value]


_CLASSES = (L1L2, L1, L2, OrthogonalRegularizer)
_BY_NAME: dict[str, type[Regularizer]] = {
    **{c.__name__: c for c in _CLASSES},
    **{to_snake_case(c.__name__): c for c in _CLASSES},
    "l1_l2": L1L2,
}


@export("keras.regularizers.serialize")
def serialize(regularizer: Regularizer) -> dict[str, Any]:
    """The config dict that saved files hold for `regularizer`.

    Example:

    >>> serialize(L2(0.5))["config"]
    {'l2': 0.5}
    """
    return serialize_keras_object(regularizer)


@export("keras.regularizers.deserialize")
def deserialize(config: dict[str, Any], custom_objects: dict[str, Any] | None = None) -> Any:
    """The regularizer that `serialize` wrote `config` for.

    Example:

    >>> deserialize(serialize(L2(0.5))).l2
    0.5
    """
    return resolve("regularizer", config, _BY_NAME, custom_objects)


@export("keras.regularizers.get")
def get(identifier: Any) -> Callable[[Any], Any] | None:
    """The regularizer that `identifier` names.

    Args:
        identifier: a name such as `"l2"`, a config dict, a class, a callable (returned
            as it is) or None.

    Raises:
        ValueError: `identifier` is none of these, or the name is unknown.

    Example:

    >>> type(get("l2")).__name__
    'L2'
    """
    return resolve("regularizer", identifier, _BY_NAME)
