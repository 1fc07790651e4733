"""Initial values of weights, and how configs and names refer to them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from klayers._identifiers import resolve
from klayers.initializers.base import Initializer
from klayers.initializers.constant import STFT, Constant, Identity, Ones, Zeros
from klayers.initializers.random import (
    GlorotNormal,
    GlorotUniform,
    HeNormal,
    HeUniform,
    LecunNormal,
    LecunUniform,
    Orthogonal,
    RandomInitializer,
    RandomNormal,
    RandomUniform,
    TruncatedNormal,
    VarianceScaling,
)
from kops import ops
from kops.naming import to_snake_case
from kops.registry import export
from kops.serialization import serialize_keras_object

__all__ = [
    "STFT",
    "Constant",
    "GlorotNormal",
    "GlorotUniform",
    "HeNormal",
    "HeUniform",
    "Identity",
    "Initializer",
    "LecunNormal",
    "LecunUniform",
    "Ones",
    "Orthogonal",
    "RandomInitializer",
    "RandomNormal",
    "RandomUniform",
    "TruncatedNormal",
    "VarianceScaling",
    "Zeros",
    "deserialize",
    "get",
    "serialize",
]

_CLASSES: tuple[type[Initializer], ...] = (
    Constant,
    GlorotNormal,
    GlorotUniform,
    HeNormal,
    HeUniform,
    Identity,
    LecunNormal,
    LecunUniform,
    Ones,
    Orthogonal,
    RandomNormal,
    RandomUniform,
    STFT,
    TruncatedNormal,
    VarianceScaling,
    Zeros,
)
_BY_NAME: dict[str, type[Initializer]] = {
    **{c.__name__: c for c in _CLASSES},
    **{to_snake_case(c.__name__): c for c in _CLASSES},
    "IdentityInitializer": Identity,
    "OrthogonalInitializer": Orthogonal,
    "STFTInitializer": STFT,
    "normal": RandomNormal,
    "one": Ones,
    "uniform": RandomUniform,
    "zero": Zeros,
}


@export("keras.initializers.serialize")
def serialize(initializer: Initializer) -> dict[str, Any]:
    """The config dict that saved files hold for `initializer`.

    Example:

    >>> serialize(Zeros())["class_name"]
    'Zeros'
    """
    return serialize_keras_object(initializer)


@export("keras.initializers.deserialize")
def deserialize(config: dict[str, Any], custom_objects: dict[str, Any] | None = None) -> Any:
    """The initializer that `serialize` wrote `config` for.

    Example:

    >>> type(deserialize(serialize(Zeros()))).__name__
    'Zeros'
    """
    return resolve("initializer", config, _BY_NAME, custom_objects)


@export("keras.initializers.get")
def get(identifier: Any) -> Callable[..., Any] | None:
    """The initializer that `identifier` names.

    Args:
        identifier: a name such as `"glorot_uniform"`, a config dict, a class, a callable
            `(shape, dtype) -> value` (returned as it is), a tensor or array (the value
            itself) or None.

    Raises:
        ValueError: `identifier` is none of these, or the name is unknown.

    Example:

    >>> type(get("he_normal")).__name__
    'HeNormal'
    """
    if not callable(identifier) and hasattr(identifier, "shape"):
        return _FromValue(identifier)
    return resolve("initializer", identifier, _BY_NAME)


class _FromValue(Initializer):
    """A weight that starts from a given tensor or array."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        """The value, in `dtype`."""
        if tuple(shape) != tuple(self.value.shape):
            raise ValueError(
                f"The initial value has shape {tuple(self.value.shape)}, but the weight has "
                f"shape {tuple(shape)}."
            )
        return ops.convert_to_tensor(self.value, dtype=dtype)
