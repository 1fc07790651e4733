"""Finding an optimizer by name, and writing one down."""

from __future__ import annotations

from typing import Any

from kops.registry import export, get_registered_object
from kops.serialization import deserialize_keras_object, serialize_keras_object
from ktrain.optimizers.adafactor import Adafactor
from ktrain.optimizers.adagrad import Adadelta, Adagrad
from ktrain.optimizers.adam import Adam
from ktrain.optimizers.adamax import Adamax
from ktrain.optimizers.adamw import AdamW
from ktrain.optimizers.ftrl import Ftrl
from ktrain.optimizers.lamb import Lamb
from ktrain.optimizers.lion import Lion
from ktrain.optimizers.loss_scale_optimizer import LossScaleOptimizer
from ktrain.optimizers.muon import Muon
from ktrain.optimizers.nadam import Nadam
from ktrain.optimizers.optimizer import Optimizer
from ktrain.optimizers.rmsprop import RMSprop
from ktrain.optimizers.schedule_free_adamw import ScheduleFreeAdamW
from ktrain.optimizers.sgd import SGD

__all__ = ["OBJECTS", "deserialize", "get", "serialize"]

_CLASSES = (
    SGD,
    Adadelta,
    Adafactor,
    Adagrad,
    Adam,
    AdamW,
    Adamax,
    Ftrl,
    Lamb,
    Lion,
    LossScaleOptimizer,
    Muon,
    Nadam,
    RMSprop,
    ScheduleFreeAdamW,
)

OBJECTS: dict[str, type[Any]] = {cls.__name__.lower(): cls for cls in _CLASSES}
"""Class by its name in lower case."""

# The module that Keras names for its optimizers when its backend is PyTorch.
_TORCH_MODULE = "keras.src.backend.torch.optimizers."


@export("keras.optimizers.serialize")
def serialize(optimizer: Optimizer) -> dict[str, Any]:
    """The optimizer as plain values that `deserialize` takes (its state is not in it).

    Example:
    ```python
    >>> from ktrain import optimizers
    >>> optimizers.serialize(optimizers.Adam())["class_name"]
    'Adam'

    ```
    """
    return serialize_keras_object(optimizer)


@export("keras.optimizers.deserialize")
def deserialize(config: dict[str, Any], custom_objects: dict[str, Any] | None = None) -> Any:
    """The optimizer that `serialize` wrote down.

    Args:
        config: what `serialize` returned; class names may be in any case.
        custom_objects: further classes by name.

    Example:
    ```python
    >>> from ktrain import optimizers
    >>> config = optimizers.serialize(optimizers.SGD(momentum=0.5))
    >>> optimizers.deserialize(config).momentum
    0.5

    ```
    """
    name = config.get("class_name")
    module = config.get("module") or ""
    known = OBJECTS.get(name.lower()) if isinstance(name, str) else None
    own = not module or module.startswith(_TORCH_MODULE)
    if own and get_registered_object(str(name), custom_objects) is None and known is not None:
        return known.from_config(config.get("config") or {}, custom_objects=custom_objects)
    return deserialize_keras_object(config, custom_objects=custom_objects)


@export("keras.optimizers.get")
def get(identifier: Any) -> Any:
    """An optimizer from a name, a config or an optimizer.

    Args:
        identifier: name (`"adam"`, in any case), config dictionary, optimizer, or None.

    Returns:
        An `Optimizer`; None for None.

    Raises:
        ValueError: it names no optimizer.

    Example:
    ```python
    >>> from ktrain import optimizers
    >>> type(optimizers.get("adam")).__name__
    'Adam'

    ```
    """
    if identifier is None or isinstance(identifier, Optimizer):
        return identifier
    if isinstance(identifier, dict):
        return deserialize(identifier)
    if isinstance(identifier, str):
        cls = get_registered_object(identifier) or OBJECTS.get(identifier.lower())
        if isinstance(cls, type):
            return cls()
    accepted = ", ".join(repr(name) for name in sorted(OBJECTS))
    raise ValueError(
        f"Could not interpret optimizer identifier: {identifier!r}. Use an optimizer such as "
        f"`Adam()`, its config, or one of the names {accepted}."
    )
