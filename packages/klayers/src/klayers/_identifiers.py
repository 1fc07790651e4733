"""Turns what a user may pass as `kernel_initializer=` and the like into an object."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from kops.registry import get_registered_object
from kops.serialization import deserialize_keras_object

__all__ = ["resolve"]


def resolve(
    kind: str,
    identifier: Any,
    by_name: Mapping[str, type],
    custom_objects: Mapping[str, Any] | None = None,
) -> Any:
    """The object that `identifier` stands for.

    Args:
        kind: what is asked for ("initializer"), for the error.
        identifier: None, a name, a config dict, a class or a callable.
        by_name: built-in names to classes.
        custom_objects: further names.

    Raises:
        ValueError: `identifier` is none of these, or the name is unknown.
    """
    if identifier is None:
        return None
    if isinstance(identifier, str):
        found = get_registered_object(identifier, custom_objects, by_name)
    elif isinstance(identifier, dict):
        found = _from_dict(identifier, by_name, custom_objects)
    else:
        found = identifier
    if inspect.isclass(found):
        found = found()
    if callable(found):
        return found
    raise ValueError(
        f"Could not interpret {kind} identifier: {identifier!r}. Accepted are a callable, a "
        f"config dict, None, or one of the names {', '.join(sorted(by_name))}. An object of "
        "your own must be registered with `register_keras_serializable` first."
    )


def _from_dict(
    config: dict[str, Any], by_name: Mapping[str, type], custom_objects: Mapping[str, Any] | None
) -> Any:
    # Configs written by hand may hold no more than a class name and its arguments.
    name = config.get("class_name")
    if "module" not in config and isinstance(name, str) and name in by_name:
        return by_name[name].from_config(config.get("config") or {})  # type: ignore[attr-defined]
    return deserialize_keras_object(config, custom_objects=custom_objects)
