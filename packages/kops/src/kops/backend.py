"""Engines: loading them, and which one runs.

An engine is a module (or object) with the attributes of `Engine`; a third party registers
one in the entry point group `kops.backends`. The active engine is chosen once, at import.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any, Protocol

from kops import config
from kops.registry import export
from kops.scopes import state

__all__ = ["Engine", "active", "current", "device", "engine", "has_values"]


class Engine(Protocol):
    """What an engine offers besides its table of ops."""

    NAME: str
    Tensor: type
    """The class of eager tensors: its instances take the short way through an op."""
    TABLE: Mapping[str, Any]
    """`{op: function}` or `{op: [(function, when), …, function]}` on native tensors."""
    SCALAR_OPS: frozenset[str]
    """Binary ops whose function takes a Python number as second argument as it is."""

    def native_dtype(self, dtype: str) -> Any:
        """The engine's dtype object; raises TypeError if it has none."""
        ...

    def is_tensor(self, x: Any) -> bool:
        """Whether `x` is a tensor of this engine, traced ones included."""
        ...

    def has_values(self, x: Any) -> bool:
        """Whether values can be looked at now: not while tracing, nor by waiting for a device."""
        ...

    def convert(self, x: Any, dtype: str | None = None) -> Any:
        """A tensor from an array-like, of `dtype` or of the dtype that `x` implies."""
        ...

    def to_numpy(self, x: Any) -> Any:
        """A NumPy array with the values of a tensor."""
        ...

    def cast(self, x: Any, dtype: str) -> Any:
        """The tensor in another dtype."""
        ...

    def dtype_of(self, x: Any) -> str:
        """Dtype name of a tensor."""
        ...

    def shape_of(self, x: Any) -> tuple[int | None, ...]:
        """Static shape; None where a traced tensor's size is unknown."""
        ...

    def shape(self, x: Any) -> tuple[Any, ...]:
        """Shape to calculate with: scalar tensors where a traced tensor's size is unknown."""
        ...

    def new_state(self, value: Any, dtype: str, trainable: bool, name: str) -> Any:
        """Storage of a variable with an initial value; it may keep a host array as its own."""
        ...

    def read_state(self, holder: Any) -> Any:
        """Value of a variable's storage."""
        ...

    def write_state(self, holder: Any, value: Any) -> Any:
        """Stores a value; returns the storage to keep."""
        ...

    def set_trainable(self, holder: Any, trainable: bool) -> None:
        """Tells the storage whether gradients are wanted."""
        ...

    def compile(self, fn: Callable[..., Any], **options: Any) -> Callable[..., Any]:
        """A compiled function of tensors."""
        ...

    def value_and_grad(
        self, fn: Callable[..., Any], argnums: int | tuple[int, ...], has_aux: bool
    ) -> Callable[..., Any]:
        """Function that returns `fn`'s value and its gradients."""
        ...

    def jvp(self, fn: Any, primals: Any, tangents: Any, has_aux: bool) -> Any:
        """`(value, derivative along the tangents)`, and what else `fn` returns with `has_aux`."""
        ...

    def vjp(self, fn: Any, primals: Any, has_aux: bool) -> Any:
        """`(value, function from cotangents to gradients)`, and what else `fn` returns."""
        ...

    def custom_gradient(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        """`fn`, which returns (value, gradient function), with that gradient."""
        ...

    def abstract_eval(self, fn: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """(shape, dtype) structure that `fn` returns for symbolic arguments of known sizes."""
        ...

    def device_scope(self, name: str) -> AbstractContextManager[Any]:
        """Scope in which new tensors are put on the named device."""
        ...


_loaded: dict[str, Any] = {}


def engine(name: str) -> Any:
    """The engine called `name`, imported at first use.

    Raises:
        ValueError: if there is no such engine.
        ImportError: if the framework under it is not installed.
    """
    found = _loaded.get(name)
    if found is None:
        found = _loaded[name] = _load(name)
    return found


def _load(name: str) -> Any:
    if name in config.ENGINES:
        try:
            return importlib.import_module(f"kops.backends.{name}")
        except ModuleNotFoundError as e:
            if e.name is None or e.name.split(".")[0] != name:
                raise
            raise ImportError(config.missing_engine_message(name)) from e
    plugins = config.plugin_backends()
    if name in plugins:
        return plugins[name].load()
    raise ValueError(
        f"There is no engine {name!r}. Built in: {list(config.ENGINES)}; installed plug-ins: "
        f"{sorted(plugins)}."
    )


def _find_active() -> Any:
    return engine(config.backend())


_active = _find_active()


def active() -> Any:
    """The engine chosen for this process."""
    return _active


def current() -> Any:
    """The engine that runs in this thread at the moment: inside `kops.on(…)` another one."""
    return state.engine or _active


def has_values(x: Any) -> bool:
    """Whether `x` is a tensor whose values can be looked at now: see `Engine.has_values`."""
    eng = current()
    return eng.is_tensor(x) and eng.has_values(x)


@export("keras.device")
def device(device_name: str) -> AbstractContextManager[Any]:
    """Scope in which new tensors are put on a device, such as "cpu:0" or "gpu:1".

    Raises:
        ValueError: if the name is no string or the engine has no such device.
    """
    if not isinstance(device_name, str):
        raise ValueError(f"`device_name` must be a string such as 'cpu:0'; got {device_name!r}.")
    return current().device_scope(device_name)
