"""Objects to JSON-ready configs and back, in the form of Keras 3 files.

An object becomes a dictionary that names its class and holds its config:

    {"module": "keras.layers", "class_name": "Dense", "config": {…}, "registered_name": None}

with `build_config` and `compile_config` where the object has them. Values that JSON
lacks have a class name of their own: `__tensor__`, `__numpy__`, `__keras_tensor__`,
`__bytes__`, `__slice__`, `__ellipsis__`, `__lambda__`.

Reading a config imports nothing and runs no code that comes with the config.
"""

from __future__ import annotations

import base64
import builtins
import contextvars
import marshal
import types
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from typing import Any

import ml_dtypes  # noqa: F401 - NumPy knows "bfloat16" by name from then on
import numpy as np

from kops import config as settings
from kops import dtypes
from kops._lookup import DeserializationError, find_class, find_function
from kops.backend import active
from kops.dim import Dim
from kops.keras_tensor import KerasTensor
from kops.op import OpOperation
from kops.registry import (
    canonical_path,
    custom_object_scope,
    export,
    get_registered_name,
    scoped_custom_objects,
)

__all__ = [
    "DeserializationError",
    "deserialize_keras_object",
    "in_safe_mode",
    "lambda_parts",
    "restore_lambda",
    "safe_mode_scope",
    "serialize_keras_object",
    "serialize_with_sharing",
]

_PLAIN = (str, bool, int, float, types.NoneType)

# --- writing ----------------------------------------------------------------------

# Within `serialize_with_sharing`: object id to (object, number).
_sharing: contextvars.ContextVar[dict[int, tuple[Any, int]] | None] = contextvars.ContextVar(
    "kops_sharing", default=None
)


@export("keras.saving.serialize_keras_object", "keras.utils.serialize_keras_object")
def serialize_keras_object(obj: Any) -> Any:
    """The JSON-ready config of an object.

    Args:
        obj: a layer, model, initializer, … (anything with `get_config()`), a function,
            a tensor, an array, a plain value, or lists, tuples and dictionaries of these.

    Returns:
        For an object, a dictionary with `module`, `class_name`, `config`,
        `registered_name` and, where the object has them, `build_config` and
        `compile_config`. Plain values stay as they are. Tuples stay tuples; JSON will
        make lists of them.

    Raises:
        TypeError: `obj`, or something in it, has no config.

    Example:
    ```python
    >>> from kops.serialization import serialize_keras_object
    >>> serialize_keras_object({"where": slice(0, 3)})
    {'where': {'class_name': '__slice__', 'config': {'start': 0, 'stop': 3, 'step': None}}}

    ```
    """
    if isinstance(obj, _PLAIN):
        return obj
    if isinstance(obj, (list, tuple)):
        items = [serialize_keras_object(item) for item in obj]
        return items if isinstance(obj, list) else tuple(items)
    if isinstance(obj, Mapping):
        return {key: serialize_keras_object(value) for key, value in obj.items()}
    value = _special_value(obj)
    if value is not None:
        return value
    if isinstance(obj, np.generic):
        return obj.item()
    if isinstance(obj, np.dtype):
        return obj.name
    if isinstance(obj, Dim):
        return _unknown_size(obj)
    if hasattr(obj, "get_config") and not isinstance(obj, type):
        return _object_config(obj)
    if _is_named_callable(obj):
        return _named_callable(obj)
    raise TypeError(
        f"Cannot serialize the object {obj!r} of type {type(obj)}. A class whose objects are "
        "to be saved needs a `get_config()` method that returns its constructor's arguments."
    )


def _special_value(obj: Any) -> dict[str, Any] | None:
    """Values of the built-in types and tensors; None for anything else."""
    if obj is Ellipsis:
        return _marked("__ellipsis__", {})
    if isinstance(obj, slice):
        parts = {"start": obj.start, "stop": obj.stop, "step": obj.step}
        return _marked("__slice__", serialize_keras_object(parts))
    if isinstance(obj, KerasTensor):
        return _keras_tensor(obj)
    if isinstance(obj, (bytes, bytearray)):
        return _marked("__bytes__", {"value": _text(obj)})
    if active().is_tensor(obj):
        values = active().to_numpy(obj)
        return _marked("__tensor__", _array(values, active().dtype_of(obj)))
    if isinstance(obj, np.ndarray) and obj.ndim:
        return _marked("__numpy__", _array(obj, dtypes.standardize(obj.dtype)))
    if isinstance(obj, np.ndarray):
        return serialize_keras_object(obj[()])
    if isinstance(obj, types.FunctionType) and obj.__name__ == "<lambda>":
        return _lambda(obj)
    return None


def _marked(class_name: str, config: Any) -> dict[str, Any]:
    return {"class_name": class_name, "config": config}


def _array(values: Any, dtype: str) -> dict[str, Any]:
    return {"value": np.asarray(values).tolist(), "dtype": dtype}


def _text(data: bytes | bytearray) -> str:
    try:
        return bytes(data).decode("utf-8")
    except UnicodeDecodeError:
        raise TypeError(
            f"Cannot serialize {bytes(data[:20])!r}…: only bytes that are UTF-8 text can be "
            "written. Use a NumPy array of uint8 for other data."
        ) from None


def _keras_tensor(x: KerasTensor) -> dict[str, Any]:
    history = x._keras_history
    return _marked(
        "__keras_tensor__",
        {
            "shape": x.shape,
            "dtype": x.dtype,
            "keras_history": None
            if history is None
            else [history.operation.name, history.node_index, history.tensor_index],
        },
    )


def _unknown_size(size: Dim) -> None:
    if size.symbol is None:
        raise TypeError(
            f"Cannot serialize the calculated size {size!r}: a file holds sizes as numbers or "
            "as None. Use -1 in `reshape`, or put the calculation in a layer."
        )


def lambda_parts(fn: types.FunctionType) -> tuple[str, Any, Any]:
    """A Python lambda as (code in base64, defaults, closure), the way files hold it.

    Warns that such a file is refused unless it is loaded with `safe_mode=False`.
    """
    warnings.warn(
        f"The object to be serialized holds a lambda ({fn.__code__.co_filename}, line "
        f"{fn.__code__.co_firstlineno}). Its code is written to the file, which then only "
        "loads with `safe_mode=False`. Better use a named function and register it with "
        "`@keras.saving.register_keras_serializable()`.",
        stacklevel=3,
    )
    code = base64.encodebytes(marshal.dumps(fn.__code__)).decode("ascii")
    cells = fn.__closure__
    return code, fn.__defaults__, None if cells is None else tuple(c.cell_contents for c in cells)


def _lambda(fn: types.FunctionType) -> dict[str, Any]:
    return _marked("__lambda__", {"value": lambda_parts(fn)})


def _is_named_callable(obj: Any) -> bool:
    return callable(obj) and isinstance(getattr(obj, "__name__", None), str)


def _named_callable(obj: Any) -> dict[str, Any]:
    if isinstance(obj, type) and hasattr(obj, "get_config"):
        raise TypeError(
            f"Cannot serialize the class {obj.__name__!r} itself; pass an instance, such as "
            f"`{obj.__name__}(…)`."
        )
    kind = type(obj)
    return {
        "module": kind.__module__,
        "class_name": kind.__name__,
        "config": get_registered_name(obj),
        "registered_name": kind.__name__,
    }


def _object_config(obj: Any) -> dict[str, Any]:
    inner = obj.get_config()
    if not isinstance(inner, Mapping):
        raise TypeError(
            f"`get_config()` of {type(obj).__name__!r} must return a dictionary. It returned "
            f"{inner!r}."
        )
    module, class_name, registered_name = _class_names(type(obj))
    config: dict[str, Any] = {
        "module": module,
        "class_name": class_name,
        "config": serialize_keras_object(inner),
        "registered_name": registered_name,
    }
    for key, method in (
        ("build_config", "get_build_config"),
        ("compile_config", "get_compile_config"),
    ):
        value = getattr(obj, method)() if hasattr(obj, method) else None
        if value is not None:
            config[key] = serialize_keras_object(value)
    shared = _sharing.get()
    if shared is not None:
        _, number = shared.setdefault(id(obj), (obj, len(shared) + 1))
        config["shared_object_id"] = number
    return config


def _class_names(cls: type) -> tuple[str | None, str, str | None]:
    """(module, class name, registered name) under which a config names a class."""
    if issubclass(cls, OpOperation) and hasattr(cls, "op"):
        return f"keras.src.ops.{cls.op.family}", cls.__name__, cls.__name__
    path = canonical_path(cls)
    if path is not None:
        module, _, name = path.rpartition(".")
        return module, name, name if module.startswith("keras.src.") else None
    module = None if cls.__module__ in ("__main__", "builtins") else cls.__module__
    return module, cls.__name__, get_registered_name(cls)


def serialize_with_sharing(obj: Any) -> Any:
    """Like `serialize_keras_object`, with a mark where one object occurs more than once.

    Equal numbers under `shared_object_id` stand for one and the same object;
    `deserialize_keras_object` then makes one.

    Example:
    ```python
    >>> from kops.serialization import serialize_with_sharing
    >>> serialize_with_sharing([1, 2])
    [1, 2]

    ```
    """
    token = _sharing.set({})
    try:
        config = serialize_keras_object(obj)
    finally:
        _sharing.reset(token)
    places: dict[int, list[dict[str, Any]]] = {}
    for node in _dictionaries(config):
        if isinstance(node.get("shared_object_id"), int):
            places.setdefault(node["shared_object_id"], []).append(node)
    number = 0
    for nodes in places.values():
        number += len(nodes) > 1
        for node in nodes:
            if len(nodes) > 1:
                node["shared_object_id"] = number
            else:
                del node["shared_object_id"]
    return config


def _dictionaries(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from _dictionaries(item)


# --- reading ----------------------------------------------------------------------


class _Load:
    """What holds for one load from beginning to end, whatever the config says."""

    def __init__(self, safe: bool) -> None:
        self.safe = safe
        self.shared: dict[tuple[Any, ...], Any] = {}


_load: contextvars.ContextVar[_Load | None] = contextvars.ContextVar("kops_load", default=None)


def in_safe_mode() -> bool:
    """Whether code in configs is refused: decided when the load began.

    Example:
    ```python
    >>> from kops.serialization import in_safe_mode, safe_mode_scope
    >>> with safe_mode_scope(False):
    ...     in_safe_mode()
    False

    ```
    """
    load = _load.get()
    return load.safe if load else not settings.is_unsafe_deserialization_enabled()


@contextmanager
def safe_mode_scope(safe_mode: bool | None) -> Iterator[None]:
    """One load: everything deserialized inside has this mode and shares its objects.

    The outermost scope decides; an inner one cannot loosen it. Only `False` turns the
    safe mode off, `None` does not.
    """
    outer = _load.get()
    safe = safe_mode is not False and not settings.is_unsafe_deserialization_enabled()
    if outer is not None and (outer.safe or not safe):
        yield
        return
    token = _load.set(_Load(safe))
    try:
        yield
    finally:
        _load.reset(token)


@export("keras.saving.deserialize_keras_object", "keras.utils.deserialize_keras_object")
def deserialize_keras_object(
    config: Any,
    custom_objects: Mapping[str, Any] | None = None,
    safe_mode: bool = True,
    **kwargs: Any,
) -> Any:
    """The object that a config describes: the inverse of `serialize_keras_object`.

    A config can name only what the installed packages export and what you registered
    with `register_keras_serializable` or pass here. Nothing is imported.

    Args:
        config: what `serialize_keras_object` returned, or JSON made of it.
        custom_objects: names of further classes and functions.
        safe_mode: whether a lambda in the config is refused. What the outermost call
            says holds for all that happen inside it.
        kwargs: `module_objects`, a dictionary of names to look up where the config
            gives no module; `base`, a class (or tuple of classes) that the object must
            be an instance of, checked before it is made.

    Raises:
        ValueError: the config is malformed, names something unknown or not allowed, or
            holds code.

    Example:
    ```python
    >>> from kops.serialization import deserialize_keras_object
    >>> deserialize_keras_object({"class_name": "__slice__",
    ...                           "config": {"start": 0, "stop": 3, "step": None}})
    slice(0, 3, None)

    ```
    """
    module_objects = kwargs.pop("module_objects", None)
    base = kwargs.pop("base", None)
    kwargs.pop("printable_module_name", None)
    if kwargs:
        raise TypeError(
            f"deserialize_keras_object() got unexpected arguments {sorted(kwargs)}. Accepted: "
            "config, custom_objects, safe_mode, module_objects, base."
        )
    # Inside a load, its mode holds: nested objects are read by calls without the argument.
    mode = nullcontext() if _load.get() else safe_mode_scope(safe_mode)
    with mode, custom_object_scope(custom_objects):
        return _deserialize(config, module_objects, base)


def _deserialize(config: Any, module_objects: Mapping[str, Any] | None = None, base: Any = None):
    if isinstance(config, str):
        names = scoped_custom_objects()
        return names[config] if config in names else _by_name(config, module_objects)
    if config is None or isinstance(config, _PLAIN):
        return config
    if isinstance(config, (list, tuple)):
        items = [_deserialize(item) for item in config]
        return items if isinstance(config, list) else tuple(items)
    if not isinstance(config, Mapping):
        raise DeserializationError(
            f"A config is made of dictionaries, lists, strings and numbers. Received: {config!r}"
        )
    if "class_name" not in config or "config" not in config:
        return {key: _deserialize(value) for key, value in config.items()}
    class_name = config["class_name"]
    if not isinstance(class_name, str):
        raise DeserializationError(f"`class_name` must be a string. Received: {class_name!r}")
    special = _SPECIAL.get(class_name)
    if special is not None:
        return _special_object(special, class_name, config["config"])
    if class_name == "function":
        return _function(config)
    return _object(config, class_name, module_objects, base)


def _by_name(name: str, module_objects: Mapping[str, Any] | None) -> Any:
    if not module_objects or name not in module_objects:
        return name
    found = module_objects[name]
    return found() if isinstance(found, type) else found


def _function(config: Mapping[str, Any]) -> Any:
    name = config["config"]
    if not isinstance(name, str):
        raise DeserializationError(f"A function is named by a string. Received: {name!r}")
    return find_function(config.get("module"), name)


def _object(
    config: Mapping[str, Any],
    class_name: str,
    module_objects: Mapping[str, Any] | None,
    base: Any,
) -> Any:
    inner = config["config"]
    if not isinstance(inner, Mapping):
        raise DeserializationError(
            f"The config of {class_name!r} must be a dictionary. It is a {type(inner).__name__}."
        )
    module = config.get("module")
    if module_objects and module is None and class_name in module_objects:
        cls = module_objects[class_name]
    else:
        cls = find_class(module, class_name, config.get("registered_name"))
    if base is not None and not (isinstance(cls, type) and issubclass(cls, base)):
        raise DeserializationError(
            f"The config names {class_name!r}, which is not accepted here: {base} is expected."
        )
    load = _load.get()
    number = config.get("shared_object_id")
    key = (number, cls)
    if load is not None and isinstance(number, int) and key in load.shared:
        return load.shared[key]
    instance = _make(cls, dict(inner), config)
    if load is not None and isinstance(number, int):
        load.shared[key] = instance
    return instance


def _make(cls: Any, inner: dict[str, Any], config: Mapping[str, Any]) -> Any:
    try:
        instance = cls.from_config(inner)
    except DeserializationError:
        raise
    except TypeError as error:
        raise DeserializationError(
            f"{cls.__name__!r} could not be made from its config: {error}. The config's keys "
            f"are {sorted(inner)}. Where `get_config()` returns other objects (layers, …), "
            "`from_config()` has to deserialize them."
        ) from error
    if config.get("build_config") and hasattr(instance, "build_from_config"):
        instance.build_from_config(config["build_config"])
    if config.get("compile_config") and hasattr(instance, "compile_from_config"):
        instance.compile_from_config(config["compile_config"])
    return instance


# --- reading values that JSON lacks --------------------------------------------------


def _special_object(read: Callable[[Any], Any], class_name: str, config: Any) -> Any:
    try:
        return read(config)
    except DeserializationError:
        raise
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise DeserializationError(f"A malformed {class_name} in the config: {error!r}") from error


def _read_array(config: Any) -> np.ndarray:
    name = dtypes.standardize(config["dtype"])
    if name == "string":
        raise TypeError("an array of strings")
    return np.array(config["value"], dtype=np.dtype(name))


def _read_tensor(config: Any) -> Any:
    values = _read_array(config)
    return active().convert(values, dtypes.standardize(config["dtype"]))


def _read_keras_tensor(config: Any) -> KerasTensor:
    return KerasTensor(config["shape"], config["dtype"])


def _read_bytes(config: Any) -> bytes:
    return config["value"].encode("utf-8")


def _read_slice(config: Any) -> slice:
    return slice(*(_deserialize(config.get(part)) for part in ("start", "stop", "step")))


def _read_ellipsis(config: Any) -> Any:
    return Ellipsis


def _read_lambda(config: Any) -> types.FunctionType:
    if in_safe_mode():
        raise DeserializationError(
            "The config holds the code of a Python lambda, which is refused: running it "
            "could do anything. If you trust where the file comes from, load it with "
            "`safe_mode=False`, or call `keras.config.enable_unsafe_deserialization()`."
        )
    parts = config["value"] if "value" in config else config
    return restore_lambda(parts)


def restore_lambda(parts: Any) -> types.FunctionType:
    """A function from what `lambda_parts` made: runs no code itself.

    Raises:
        ValueError: in safe mode.
    """
    if in_safe_mode():
        raise DeserializationError(
            "The code of a Python lambda is only restored with `safe_mode=False`."
        )
    if isinstance(parts, Mapping):
        parts = [parts[key] for key in ("code", "defaults", "closure")]
    code, defaults, closure = parts
    cells = None if closure is None else tuple(types.CellType(value) for value in closure)
    return types.FunctionType(
        marshal.loads(base64.b64decode(code)),
        {"__builtins__": builtins},
        argdefs=None if defaults is None else tuple(defaults),
        closure=cells,
    )


_SPECIAL = {
    "__tensor__": _read_tensor,
    "__numpy__": _read_array,
    "__keras_tensor__": _read_keras_tensor,
    "__bytes__": _read_bytes,
    "__slice__": _read_slice,
    "__ellipsis__": _read_ellipsis,
    "__lambda__": _read_lambda,
}
