"""The config of a layer, made from the arguments that its constructor was given."""

from __future__ import annotations

import inspect
from functools import cache
from types import FunctionType
from typing import Any

import numpy as np

from kops.keras_tensor import KerasTensor
from kops.registry import canonical_path
from kops.serialization import deserialize_keras_object, serialize_keras_object

__all__ = ["automatic_config", "constructor_parameters", "from_automatic_config"]

BASE_KEYS = ("name", "trainable", "dtype")
# Constructor arguments of this name give initial values; the attribute is the state itself.
_STATE = frozenset({"weights"})


@cache
def constructor_parameters(init: Any) -> dict[str, inspect.Parameter]:
    """Parameters of an `__init__`, without self."""
    params = dict(inspect.signature(init).parameters)
    params.pop(next(iter(params), ""), None)
    return params


def is_built_in(cls: type) -> bool:
    """Whether `cls` is one of this project's own public classes."""
    return canonical_path(cls) is not None or cls.__module__.startswith("klayers.")


@cache
def _init_owner(cls: type) -> type:
    return next(c for c in cls.__mro__ if "__init__" in c.__dict__)


@cache
def config_class(cls: type, root: type) -> type | None:
    """The class whose constructor a config from `root.get_config` describes.

    It is `cls` if no class below `root` overrides `get_config`. Otherwise `root.get_config`
    is reached through `super()`: a built-in class that overrides it still gets its own
    arguments from here, a user's class those of the built-in class above it, or only the
    base keys (None).
    """
    mro = cls.__mro__
    above = mro[: mro.index(root)]
    overriding = [c for c in above if "get_config" in c.__dict__]
    if not overriding:
        return cls
    following = above[above.index(overriding[-1]) :]
    owners = (_init_owner(c) for c in following if is_built_in(c))
    return next((c for c in owners if c is not root and is_built_in(c)), None)


def automatic_config(obj: Any, cls: type, base: dict[str, Any]) -> dict[str, Any]:
    """`base` and the constructor arguments of `cls`.

    A built-in class keeps every argument in an attribute of its name, in standard form
    (`kernel_size=3` as `(3, 3)`); that is what Keras writes. A user's class may do what
    it likes with its arguments, so for it the recorded ones count.
    """
    owner = _init_owner(cls)
    params = constructor_parameters(owner.__init__)
    if is_built_in(owner):
        values = {
            n: getattr(obj, n)
            for n, p in params.items()
            if n not in base and n not in _STATE and hasattr(obj, n) and p.kind is not p.VAR_KEYWORD
        }
        # What comes in through `**kwargs` and is kept, and what is taken without being kept.
        values.update({n: getattr(obj, n) for n in obj._config_extra if n not in base})
        optional, omitted = obj._config_optional, obj._config_omitted
        values = {
            n: v
            for n, v in values.items()
            if n not in omitted and (v is not None or n not in optional)
        }
    else:
        values = _recorded_values(obj, owner, params)
        base = {k: v for k, v in base.items() if k not in values or k in BASE_KEYS}
    config = dict(base)
    for name, value in values.items():
        if name not in config:
            config[name] = _serialize(value, name, obj)
    return config


def _recorded_values(obj: Any, owner: type, params: dict[str, inspect.Parameter]) -> dict[str, Any]:
    args, kwargs = obj._recorded
    for p in params.values():
        if p.kind is p.POSITIONAL_ONLY or (p.kind is p.VAR_POSITIONAL and len(args) > 0):
            raise NotImplementedError(
                f"The config of {type(obj).__name__} cannot be made automatically: its "
                f"constructor takes `{'*' if p.kind is p.VAR_POSITIONAL else ''}{p.name}`, which "
                "cannot be passed by name. Define `get_config()`."
            )
    bound = inspect.signature(owner.__init__).bind(obj, *args, **kwargs)
    bound.apply_defaults()
    values = dict(bound.arguments)
    values.pop(next(iter(values)), None)
    for p in params.values():
        if p.kind is p.VAR_POSITIONAL:
            values.pop(p.name, None)
        if p.kind is p.VAR_KEYWORD:
            values.update(values.pop(p.name, {}))
    return values


def _serialize(value: Any, name: str, obj: Any) -> Any:
    """The JSON form of an argument."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, tuple):
        return tuple(_serialize(v, name, obj) for v in value)
    if isinstance(value, list):
        return [_serialize(v, name, obj) for v in value]
    if isinstance(value, dict):
        if all(isinstance(k, str) for k in value):
            return {k: _serialize(v, name, obj) for k, v in value.items()}
    elif isinstance(value, np.generic):
        return value.item()
    elif isinstance(value, FunctionType) and value.__name__ == "<lambda>":
        pass
    elif isinstance(value, FunctionType) and (canonical_path(value) or "").startswith(
        "keras.activations."
    ):
        return value.__name__
    elif isinstance(value, (np.ndarray, FunctionType, KerasTensor, type)) or hasattr(
        value, "get_config"
    ):
        try:
            return serialize_keras_object(value)
        except (TypeError, ValueError, NotImplementedError) as e:
            raise _unserializable(value, name, obj) from e
    raise _unserializable(value, name, obj)


def _unserializable(value: Any, name: str, obj: Any) -> NotImplementedError:
    return NotImplementedError(
        f"The config of {type(obj).__name__} {getattr(obj, 'name', '')!r} cannot be made: the "
        f"constructor argument `{name}` is {value!r} (of type {type(value).__name__}), which has "
        "no JSON form. Define `get_config()` and `from_config()` in the class, or pass a number, "
        "a string, a list, a dictionary, a registered function, or an object with `get_config()`."
    )


def from_automatic_config(cls: type, config: dict[str, Any]) -> Any:
    """An object from a config, whatever of the base keys its constructor takes.

    Raises:
        TypeError: the constructor does not take the config; lists what it accepts.
    """
    config = dict(config)
    init = _init_owner(cls).__init__
    params = constructor_parameters(init)
    takes_all = any(p.kind is p.VAR_KEYWORD for p in params.values())
    late = (
        {}
        if takes_all
        else {k: config.pop(k) for k in BASE_KEYS if k in config and k not in params}
    )
    policy = config.get("dtype")
    if isinstance(policy, dict):
        policy = config["dtype"] = deserialize_keras_object(policy)
        if type(policy).__name__ == "DTypePolicy":
            config["dtype"] = policy.name
    if not is_built_in(_init_owner(cls)) and not _overrides_get_config(cls):
        config = {k: _deserialize(v) for k, v in config.items()}
    try:
        obj = cls(**config)
    except TypeError as e:
        accepted = [n for n, p in params.items() if p.kind is not p.VAR_KEYWORD]
        raise TypeError(
            f"Cannot make {cls.__name__} from its config {config}: {e}. The constructor accepts "
            f"{accepted}; adapt it, or define `get_config()` and `from_config()`."
        ) from e
    if "name" in late:
        obj.name = late["name"]
    if late.get("trainable") is False:
        obj.trainable = False
    if "dtype" in late and hasattr(obj, "dtype_policy"):
        obj.dtype_policy = late["dtype"]
    return obj


def _overrides_get_config(cls: type) -> bool:
    owner = next((c for c in cls.__mro__ if "get_config" in c.__dict__), None)
    return owner is not None and not is_built_in(owner)


def _deserialize(value: Any) -> Any:
    if isinstance(value, dict):
        if "class_name" in value and "config" in value:
            return deserialize_keras_object(value)
        return {k: _deserialize(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_deserialize(v) for v in value)
    return value
