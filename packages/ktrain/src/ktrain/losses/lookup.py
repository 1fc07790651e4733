"""Finding a loss by name, and writing one down."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kops.registry import export, get_registered_object
from kops.serialization import deserialize_keras_object, serialize_keras_object
from ktrain.losses import (
    crossentropy,
    focal,
    margin,
    metric_learning,
    overlap,
    regression,
    sequence,
)
from ktrain.losses.loss import Loss

__all__ = ["OBJECTS", "deserialize", "get", "serialize"]

_MODULES = (crossentropy, focal, margin, metric_learning, overlap, regression, sequence)

OBJECTS: dict[str, Any] = {
    name: getattr(module, name) for module in _MODULES for name in module.__all__
}
"""Class or function by its name."""

_SHORT = {
    "bce": "binary_crossentropy",
    "bfce": "binary_focal_crossentropy",
    "kld": "kl_divergence",
    "mae": "mean_absolute_error",
    "mape": "mean_absolute_percentage_error",
    "mse": "mean_squared_error",
    "msle": "mean_squared_logarithmic_error",
}
OBJECTS |= {short: OBJECTS[name] for short, name in _SHORT.items()}
OBJECTS |= {short.upper(): OBJECTS[name] for short, name in _SHORT.items()}


@export("keras.losses.serialize")
def serialize(loss: Loss | Callable[..., Any]) -> dict[str, Any]:
    """The loss as plain values that `deserialize` takes.

    Example:
    ```python
    >>> from ktrain import losses
    >>> losses.serialize(losses.MeanSquaredError())["class_name"]
    'MeanSquaredError'

    ```
    """
    return serialize_keras_object(loss)


@export("keras.losses.deserialize")
def deserialize(name: Any, custom_objects: dict[str, Any] | None = None) -> Any:
    """The loss that `serialize` wrote down, or that has this name.

    Args:
        name: a config dictionary, or the name of a loss function or class.
        custom_objects: further classes and functions by name.

    Returns:
        A `Loss`, or a function `(y_true, y_pred)`.

    Example:
    ```python
    >>> from ktrain import losses
    >>> losses.deserialize(losses.serialize(losses.Huber(delta=7.0))).delta
    7.0

    ```
    """
    if isinstance(name, str):
        found = get_registered_object(name, custom_objects, OBJECTS)
        if found is None:
            raise ValueError(
                f"Could not interpret loss identifier: {name!r}. Use the name of a loss such as "
                "'mse' or 'sparse_categorical_crossentropy', a Loss instance, or a function of "
                "(y_true, y_pred)."
            )
        return found
    if isinstance(name, dict) and "module" not in name:
        cls = get_registered_object(name["class_name"], custom_objects, OBJECTS)
        if isinstance(cls, type):
            return cls(**name.get("config", {}))
    return deserialize_keras_object(name, custom_objects=custom_objects)


@export("keras.losses.get")
def get(identifier: Any) -> Any:
    """A loss from a name, a config, a class, a function or a loss.

    Args:
        identifier: name (`"mse"`, `"MeanSquaredError"`), config dictionary, `Loss`
            class or instance, function, or None.

    Returns:
        A `Loss` or a function; None for None.

    Raises:
        ValueError: it names no loss.

    Example:
    ```python
    >>> from ktrain import losses
    >>> losses.get("mse") is losses.mean_squared_error
    True

    ```
    """
    if identifier is None:
        return None
    loss = deserialize(identifier) if isinstance(identifier, (str, dict)) else identifier
    if callable(loss):
        return loss() if isinstance(loss, type) else loss
    raise ValueError(
        f"Could not interpret loss identifier: {identifier!r}. Use a name such as 'mse', a Loss "
        "instance, or a function of (y_true, y_pred)."
    )
