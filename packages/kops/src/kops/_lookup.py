"""From the names in a saved config to an object, without importing anything.

What a config may name: what the installed packages exported, the classes of ops,
and what the user registered or passed. Everything else is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from kops.operators import OPS
from kops.registry import (
    PUBLIC,
    UNLISTED,
    get_custom_objects,
    scoped_custom_objects,
)

__all__ = ["DeserializationError", "find_class", "find_function", "unknown"]

_OPS_PREFIX = "keras.src.ops."
# Where a bare function name is looked for, in this order. Functions of other modules
# (downloads, file access, switches) have no place in a model.
_FUNCTION_MODULES = ("keras.activations", "keras.losses", "keras.metrics")
_CALLABLE_MODULES = (*_FUNCTION_MODULES, "keras.ops")


class DeserializationError(ValueError, TypeError):
    """A config that cannot, or must not, be turned into an object."""


def unknown(kind: str, name: Any, module: Any = None) -> DeserializationError:
    """The error for a name that nothing here has."""
    where = f" of the module {module!r}" if module and module != "builtins" else ""
    keyword = "class" if kind == "class" else "def"
    return DeserializationError(
        f"Could not find the {kind} {name!r}{where}. Nothing is imported while loading: "
        f"a {kind} of your own must be imported, and registered, before. Write "
        f"`@keras.saving.register_keras_serializable()` above `{keyword} {name}`, or pass "
        f"`custom_objects={{{name!r}: {name}}}`."
    )


def _registered(name: Any) -> Any:
    """What the caller passed, or somebody registered, under a name."""
    for table in (scoped_custom_objects(), get_custom_objects()):
        if isinstance(name, str) and name in table:
            return table[name]
    return None


def find_class(module: Any, class_name: str, registered_name: Any) -> type:
    """The class that a config names.

    Raises:
        DeserializationError: there is none, or it is not one that configs may name.
    """
    if _is_keras(module):
        # A custom object takes the place of a built-in one only where the caller of the
        # load passed it, and only under a name that the file calls a registered one.
        found = scoped_custom_objects().get(registered_name)
        if found is None:
            found = _builtin_class(module, class_name)
    else:
        names = (registered_name, class_name, f"Custom>{class_name}")
        found = next((f for f in map(_registered, names) if f is not None), None)
    if found is None:
        raise unknown("class", class_name, module)
    return _as_class(found, class_name)


def _as_class(found: Any, name: str) -> type:
    if not isinstance(found, type):
        raise DeserializationError(
            f"{name!r} names a class in the config, but {found!r} is registered under it."
        )
    if not hasattr(found, "from_config"):
        raise DeserializationError(
            f"The class {name!r} cannot be made from a config: it has no `from_config()`. "
            "Add a classmethod `from_config(cls, config)` that returns `cls(**config)`."
        )
    return found


def _is_keras(module: Any) -> bool:
    if not isinstance(module, str) or not all(map(str.isidentifier, module.split("."))):
        return False
    return f"{module}.".startswith(("keras.", "tf_keras.", "tensorflow.keras."))


def _builtin_class(module: str, class_name: str) -> type | None:
    if module.startswith(_OPS_PREFIX):
        return _op_class(module[len(_OPS_PREFIX) :], class_name)
    for path in _paths(module, class_name):
        found = PUBLIC.get(path, UNLISTED.get(path))
        # Only what has a config can come from one: not every public class is meant for it.
        if isinstance(found, type) and hasattr(found, "get_config"):
            return found
    return None


def _paths(module: str, class_name: str) -> Iterator[str]:
    """Where a class may be: as written, then by the layouts of other versions."""
    if "." in class_name:
        return
    yield f"{module}.{class_name}"
    parts = module.split(".")
    if parts[0] != "keras":
        parts = parts[parts.index("keras") :] if "keras" in parts else ["keras", *parts[1:]]
        yield ".".join([*parts, class_name])
    if parts[1:2] == ["src"]:
        parts.pop(1)
    if parts[1:2] == ["backend"] and len(parts) > 3:
        # keras.backend.torch.optimizers.torch_adam: an engine's own version of a class
        parts = ["keras", *parts[3:]]
    # keras.layers.core.dense.Dense -> keras.layers.core.Dense -> keras.layers.Dense
    while len(parts) > 1:
        yield ".".join([*parts, class_name])
        parts.pop()
    if len(module.split(".")) > 2:
        yield f"keras.{class_name}"


_op_classes: dict[tuple[str, str], Any] = {}


def _op_class(family: str, class_name: str) -> type | None:
    if len(_op_classes) < len(OPS):
        for op in OPS.values():
            _op_classes.setdefault((op.family, op.class_name), op)
    op = _op_classes.get((family, class_name))
    return None if op is None else op.operation_class


def find_function(module: Any, name: str) -> Callable[..., Any]:
    """The function that a config names.

    Raises:
        DeserializationError: there is none, or configs may not name it.
    """
    found = _registered(name)
    if found is None and _is_keras(module):
        found = _public_function(module, name)
    if found is None and module in (None, "builtins"):
        candidates = (PUBLIC.get(f"{place}.{name}") for place in _FUNCTION_MODULES)
        found = next((f for f in candidates if f is not None and not isinstance(f, type)), None)
        found = found or _registered(f"Custom>{name}")
    if found is None:
        raise unknown("function", name, module)
    if not callable(found):
        raise DeserializationError(
            f"{name!r} names a function in the config, but {found!r} is registered under it."
        )
    return found


def _public_function(module: str, name: str) -> Any:
    found = PUBLIC.get(f"{module}.{name}")
    if found is None or isinstance(found, type):
        return None
    if not any(module == m or module.startswith(m + ".") for m in _CALLABLE_MODULES):
        raise DeserializationError(
            f"`{module}.{name}` is not a function that a model is made of, so a config may "
            "not name it. Accepted are activations, losses, metrics, ops, and functions "
            "that you register."
        )
    return found
