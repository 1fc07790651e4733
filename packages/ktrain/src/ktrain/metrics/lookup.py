"""Finding a metric by name, and writing one down."""

from __future__ import annotations

from typing import Any

from kops.naming import to_snake_case
from kops.registry import export, get_registered_object
from kops.serialization import deserialize_keras_object, serialize_keras_object
from ktrain.metrics import (
    accuracy,
    auc,
    classification,
    f_score,
    iou,
    margin,
    probabilistic,
    r2_score,
    reduction,
    regression,
)
from ktrain.metrics.metric import Metric

__all__ = ["OBJECTS", "deserialize", "get", "serialize"]

_MODULES = (
    accuracy,
    auc,
    classification,
    f_score,
    iou,
    margin,
    probabilistic,
    r2_score,
    reduction,
    regression,
)

_CLASSES: dict[str, type[Metric]] = {
    name: obj
    for module in _MODULES
    for name in module.__all__
    if isinstance(obj := getattr(module, name), type) and issubclass(obj, Metric)
}
del _CLASSES["FunctionMetric"]

_SHORT = {
    "bce": "BinaryCrossentropy",
    "mae": "MeanAbsoluteError",
    "mape": "MeanAbsolutePercentageError",
    "mse": "MeanSquaredError",
    "msle": "MeanSquaredLogarithmicError",
    "rmse": "RootMeanSquaredError",
}

OBJECTS: dict[str, type[Metric]] = dict(_CLASSES)
"""Class by its name, the name in snake case, or a short name."""
OBJECTS |= {to_snake_case(name): cls for name, cls in _CLASSES.items()}
OBJECTS |= {short: _CLASSES[name] for short, name in _SHORT.items()}
OBJECTS |= {short.upper(): _CLASSES[name] for short, name in _SHORT.items()}


@export("keras.metrics.serialize")
def serialize(metric: Any) -> dict[str, Any]:
    """The metric as plain values that `deserialize` takes.

    Example:
    ```python
    >>> from ktrain import metrics
    >>> metrics.serialize(metrics.Mean())["class_name"]
    'Mean'

    ```
    """
    return serialize_keras_object(metric)


@export("keras.metrics.deserialize")
def deserialize(config: Any, custom_objects: dict[str, Any] | None = None) -> Any:
    """The metric that `serialize` wrote down, or the class or function of this name.

    Args:
        config: a config dictionary, or a name.
        custom_objects: further classes and functions by name.

    Example:
    ```python
    >>> from ktrain import metrics
    >>> metrics.deserialize(metrics.serialize(metrics.AUC(num_thresholds=9))).num_thresholds
    9

    ```
    """
    if isinstance(config, str):
        found = get_registered_object(config, custom_objects, OBJECTS)
        if found is None:
            raise ValueError(
                f"Could not interpret metric identifier: {config!r}. Use the name of a metric "
                "such as 'mse' or 'sparse_categorical_accuracy', a Metric instance, or a "
                "function of (y_true, y_pred)."
            )
        return found
    if isinstance(config, dict) and "module" not in config:
        cls = get_registered_object(config["class_name"], custom_objects, OBJECTS)
        if isinstance(cls, type):
            return cls.from_config(config.get("config", {}))
    return deserialize_keras_object(config, custom_objects=custom_objects)


@export("keras.metrics.get")
def get(identifier: Any) -> Any:
    """A metric from a name, a config, a class, a function or a metric.

    Args:
        identifier: name (`"mse"`, `"AUC"`), config dictionary, `Metric` class or instance,
            function, or None.

    Returns:
        A `Metric` or a function; None for None.

    Raises:
        ValueError: it names no metric.

    Example:
    ```python
    >>> from ktrain import metrics
    >>> metrics.get("mse")
    <MeanSquaredError name=mean_squared_error>

    ```
    """
    if identifier is None:
        return None
    metric = deserialize(identifier) if isinstance(identifier, (str, dict)) else identifier
    if callable(metric):
        return metric() if isinstance(metric, type) else metric
    raise ValueError(
        f"Could not interpret metric identifier: {identifier!r}. Use a name such as 'mse', a "
        "Metric instance, or a function of (y_true, y_pred)."
    )
