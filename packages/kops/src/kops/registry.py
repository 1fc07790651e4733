"""The public names of the Keras API, and the objects that saved files may name.

Two tables, both closed: nothing is ever imported because a string asks for it.

- `PUBLIC` maps a public path (`"keras.layers.Dense"`) to our object. `export`
  fills it while the packages are imported.
- The custom objects are what a user registered with
  `register_keras_serializable`, or passed through `custom_object_scope`.
"""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Self, TypeVar

__all__ = [
    "PUBLIC",
    "UNLISTED",
    "CustomObjectScope",
    "canonical_path",
    "custom_object_scope",
    "export",
    "get_custom_objects",
    "get_registered_name",
    "get_registered_object",
    "public_paths",
    "register_keras_serializable",
    "scoped_custom_objects",
]

T = TypeVar("T")

_LOCK = threading.RLock()
_PUBLIC: dict[str, Any] = {}
_UNLISTED: dict[str, Any] = {}
# By id, as constants may be unhashable; the object is held so that its id stays its own.
_PATHS: dict[int, tuple[Any, tuple[str, ...]]] = {}

PUBLIC: Mapping[str, Any] = MappingProxyType(_PUBLIC)
"""Public path to object; read-only, filled by `export`."""

UNLISTED: Mapping[str, Any] = MappingProxyType(_UNLISTED)
"""Paths `keras.src.…` that saved files use for classes without a public path."""


def export(canonical: str, *others: str) -> Callable[[T], T]:
    """Declares the public path(s) of a class, function or constant.

    A subclass may take over the path of its base: that is how a package above adds
    methods to a class of the package below.

    Args:
        canonical: the first path of the name in the Keras API, such as
            `"keras.layers.Dense"`. Saved configs name the object by it. A path
            `keras.src.…` is for a class that has no public one and stands in
            saved configs all the same.
        others: further paths of the same object.

    Returns:
        A decorator that registers its argument and returns it unchanged.

    Raises:
        ValueError: a path is not of the form `keras.<...>.<Name>`, or another
            object has it already.

    Example:
    ```python
    >>> from kops.registry import PUBLIC, export
    >>> @export("keras.utils.doc_example")
    ... def doc_example():
    ...     return 1
    >>> PUBLIC["keras.utils.doc_example"] is doc_example
    True

    ```
    """
    paths = (canonical, *others)
    for path in paths:
        if not isinstance(path, str) or not path.startswith("keras."):
            raise ValueError(
                "A public path is a string that starts with 'keras.', such as "
                f"'keras.layers.Dense'. Received: {path!r}"
            )

    def declare(obj: T) -> T:
        with _LOCK:
            for path in paths:
                _claim(path, obj)
            _, known = _PATHS.get(id(obj), (obj, ()))
            _PATHS[id(obj)] = obj, known + tuple(p for p in paths if p not in known)
        return obj

    return declare


def _claim(path: str, obj: Any) -> None:
    table = _UNLISTED if path.startswith("keras.src.") else _PUBLIC
    held = table.get(path)
    if held is None or held is obj or _may_replace(held, obj):
        table[path] = obj
        return
    raise ValueError(
        f"The public path {path!r} belongs to {held!r} already; it cannot be given to {obj!r} too."
    )


def _may_replace(held: Any, obj: Any) -> bool:
    if isinstance(held, type) and isinstance(obj, type) and issubclass(obj, held):
        return True  # a package above adds to the class
    return _is_redefinition(held, obj)


def _is_redefinition(old: Any, new: Any) -> bool:
    """The same definition run again (a reloaded module)."""
    name = (getattr(old, "__module__", None), getattr(old, "__qualname__", None))
    return None not in name and name == (
        getattr(new, "__module__", None),
        getattr(new, "__qualname__", None),
    )


def public_paths(obj: Any) -> tuple[str, ...]:
    """All public paths of `obj`, the canonical one first; empty when it has none."""
    return _PATHS.get(id(obj), (None, ()))[1]


def canonical_path(obj: Any) -> str | None:
    """The path by which config files name `obj`, or None when it is not public."""
    paths = public_paths(obj)
    return paths[0] if paths else None


# --- objects registered by users ------------------------------------------------

_CUSTOM_OBJECTS: dict[str, Any] = {}
_CUSTOM_NAMES: dict[Any, str] = {}
_SCOPED: contextvars.ContextVar[Mapping[str, Any]] = contextvars.ContextVar(
    "kops_custom_objects", default=MappingProxyType({})
)


@export("keras.saving.get_custom_objects", "keras.utils.get_custom_objects")
def get_custom_objects() -> dict[str, Any]:
    """The global dictionary of registered objects, name to object.

    Changing it changes what can be loaded everywhere in the process;
    `custom_object_scope` is the local way.

    Example:
    ```python
    >>> from kops.registry import get_custom_objects
    >>> def twice(x):
    ...     return 2 * x
    >>> get_custom_objects()["twice"] = twice
    >>> del get_custom_objects()["twice"]

    ```
    """
    return _CUSTOM_OBJECTS


def scoped_custom_objects() -> Mapping[str, Any]:
    """What the active `custom_object_scope`s of this thread hold."""
    return _SCOPED.get()


@export(
    "keras.saving.CustomObjectScope",
    "keras.utils.CustomObjectScope",
    "keras.saving.custom_object_scope",
    "keras.utils.custom_object_scope",
)
class CustomObjectScope:
    """Lets loading find custom objects by name inside a `with` block.

    The scope belongs to the thread (or asyncio task) that entered it.
    Scopes nest: the inner one wins.

    Args:
        custom_objects: dictionary of name to class or function.

    Example:
    ```python
    >>> from kops.registry import custom_object_scope, get_registered_object
    >>> class Mine:
    ...     pass
    >>> with custom_object_scope({"Mine": Mine}):
    ...     get_registered_object("Mine") is Mine
    True
    >>> get_registered_object("Mine") is None
    True

    ```
    """

    def __init__(self, custom_objects: Mapping[str, Any] | None) -> None:
        if custom_objects is not None and not isinstance(custom_objects, Mapping):
            raise TypeError(
                "`custom_objects` must be a dictionary of name to class or "
                f"function. Received: {custom_objects!r}"
            )
        self.custom_objects = dict(custom_objects or {})
        self._tokens: list[contextvars.Token[Mapping[str, Any]]] = []

    def __enter__(self) -> Self:
        self._tokens.append(_SCOPED.set({**_SCOPED.get(), **self.custom_objects}))
        return self

    def __exit__(self, *exc: object) -> None:
        _SCOPED.reset(self._tokens.pop())


custom_object_scope = CustomObjectScope


@export(
    "keras.saving.register_keras_serializable",
    "keras.utils.register_keras_serializable",
)
def register_keras_serializable(
    package: str = "Custom", name: str | None = None
) -> Callable[[T], T]:
    """Registers a custom class or function so that files holding it load again.

    Args:
        package: a prefix that keeps your names apart from other people's.
        name: the name inside `package`; by default the object's own name.

    Returns:
        A decorator. It registers its argument as `package>name` and returns it
        unchanged.

    Raises:
        ValueError: a class without `get_config`.

    Example:
    ```python
    >>> from kops.registry import get_registered_name, register_keras_serializable
    >>> @register_keras_serializable(package="shop")
    ... def clip_price(x):
    ...     return min(x, 100.0)
    >>> get_registered_name(clip_price)
    'shop>clip_price'

    ```
    """

    def register(obj: T) -> T:
        own_name = name if name is not None else obj.__name__  # type: ignore[attr-defined]
        registered = f"{package}>{own_name}"
        if isinstance(obj, type) and not hasattr(obj, "get_config"):
            raise ValueError(
                f"The class {obj.__name__!r} cannot be registered: it has no "
                "`get_config()` method. Add one that returns the constructor's "
                "arguments as a dictionary."
            )
        with _LOCK:
            _CUSTOM_OBJECTS[registered] = obj
            _CUSTOM_NAMES[obj] = registered
        return obj

    return register


@export("keras.saving.get_registered_name", "keras.utils.get_registered_name")
def get_registered_name(obj: Any) -> str:
    """The name under which `obj` is registered, else its own `__name__`.

    Example:
    ```python
    >>> from kops.registry import get_registered_name
    >>> get_registered_name(dict)
    'dict'

    ```
    """
    try:
        registered = _CUSTOM_NAMES.get(obj)
    except TypeError:  # unhashable
        registered = None
    return registered if registered is not None else obj.__name__


@export("keras.saving.get_registered_object", "keras.utils.get_registered_object")
def get_registered_object(
    name: str,
    custom_objects: Mapping[str, Any] | None = None,
    module_objects: Mapping[str, Any] | None = None,
) -> Any:
    """The object registered under `name`, or None.

    Looked up in this order: the active `custom_object_scope`s, the objects
    registered with `register_keras_serializable`, then the two arguments.

    Args:
        name: a registered name such as `"Custom>MyLayer"`.
        custom_objects: further names to search.
        module_objects: names of last resort.

    Example:
    ```python
    >>> from kops.registry import get_registered_object
    >>> get_registered_object("twice", {"twice": abs}) is abs
    True

    ```
    """
    for names in (_SCOPED.get(), _CUSTOM_OBJECTS, custom_objects, module_objects):
        if names and name in names:
            return names[name]
    return None
