"""What is known while a layer is being called, and how `call` wants its arguments."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from kops import dtypes, tree
from kops.backend import current
from kops.keras_tensor import KerasTensor, any_symbolic

if TYPE_CHECKING:
    from klayers.layer import Layer

__all__ = ["CallSignature", "Frame", "calls", "holds_tensor", "is_tensor", "signature_of"]


class Frame:
    """One call in progress: the layer, and the `training` that it hands down."""

    __slots__ = ("layer", "training")

    def __init__(self, layer: Layer, training: Any):
        self.layer = layer
        self.training = training


class _Calls(threading.local):
    frame: Frame | None = None


calls = _Calls()


def is_tensor(x: Any) -> bool:
    """Whether `x` is a tensor of the engine that runs, or a symbolic one."""
    return isinstance(x, KerasTensor) or current().is_tensor(x)


def holds_tensor(value: Any) -> bool:
    """Whether a nested value holds a tensor (symbolic, of the engine, or a NumPy array)."""
    if isinstance(value, (list, tuple)):
        return any(map(holds_tensor, value))
    if isinstance(value, dict):
        return any(map(holds_tensor, value.values()))
    return is_tensor(value) or hasattr(value, "__array__")


class CallSignature:
    """Parameters of a `call` method, looked at once per class."""

    def __init__(self, fn: Callable[..., Any]):
        self.signature = inspect.signature(fn)
        params = list(self.signature.parameters.values())
        if params and params[0].name == "self":
            params = params[1:]
        self.signature = self.signature.replace(parameters=params)
        kinds = inspect.Parameter
        self.names: tuple[str, ...] = tuple(
            p.name for p in params if p.kind not in (kinds.VAR_POSITIONAL, kinds.VAR_KEYWORD)
        )
        self.positional: tuple[str, ...] = tuple(
            p.name for p in params if p.kind in (kinds.POSITIONAL_ONLY, kinds.POSITIONAL_OR_KEYWORD)
        )
        self.var_positional = next((p.name for p in params if p.kind is kinds.VAR_POSITIONAL), None)
        self.var_keyword = any(p.kind is kinds.VAR_KEYWORD for p in params)
        self.required = frozenset(
            p.name
            for p in params
            if p.default is kinds.empty and p.kind not in (kinds.VAR_POSITIONAL, kinds.VAR_KEYWORD)
        )
        self.has_training = "training" in self.names
        default = self.signature.parameters.get("training")
        self.training_default = (
            None if default is None or default.default is kinds.empty else default.default
        )
        self.has_mask = "mask" in self.names
        self.mask_names = frozenset(n for n in self.names if n == "mask" or n.endswith("_mask"))

    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """The given arguments by parameter name (surplus positional ones under `*args`).

        Raises:
            TypeError: the arguments do not fit `call`.
        """
        n = len(args)
        if n <= len(self.positional):
            bound = dict(zip(self.positional, args, strict=False))
            if not (kwargs.keys() & bound.keys()) and (
                self.var_keyword or all(k in self.names for k in kwargs)
            ):
                bound.update(kwargs)
                if self.required <= bound.keys():
                    return bound
        elif self.var_positional is not None:
            bound = dict(self.signature.bind(*args, **kwargs).arguments)
            return bound
        self.signature.bind(*args, **kwargs)  # raises, saying what is wrong
        raise TypeError(f"the arguments do not fit the signature {self.signature}")

    def inputs(self, bound: dict[str, Any]) -> dict[str, Any]:
        """Those of the bound arguments that are inputs: hold tensors and are no masks."""
        return {
            k: v
            for k, v in bound.items()
            if v is not None
            and v is not True
            and v is not False
            and not (k in self.mask_names or k == "mask" or k.endswith("_mask"))
            and holds_tensor(v)
        }


_signatures: dict[Any, CallSignature] = {}


def signature_of(cls: type) -> CallSignature:
    """The signature of `cls.call`."""
    found = cls.__dict__.get("_call_signature_cache")
    if found is None or found[0] is not cls.call:  # type: ignore[attr-defined]
        found = (cls.call, CallSignature(cls.call))  # type: ignore[attr-defined]
        cls._call_signature_cache = found  # type: ignore[attr-defined]
    return found[1]


def shape_structure(value: Any) -> Any:
    """Shapes of the tensors in a nested value: None for unknown sizes."""
    if isinstance(value, KerasTensor):
        return value.shape
    if isinstance(value, (list, tuple, dict)):
        return tree.map_structure(shape_structure, value)
    if value is None:
        return None
    engine = current()
    if engine.is_tensor(value):
        return tuple(engine.shape_of(value))
    return tuple(value.shape) if hasattr(value, "shape") else None


def dtype_of(value: Any) -> str:
    """Dtype name of a tensor, symbolic tensor or NumPy array."""
    if isinstance(value, KerasTensor):
        return value.dtype
    engine = current()
    return engine.dtype_of(value) if engine.is_tensor(value) else dtypes.standardize(value.dtype)


def describe(value: Any) -> str:
    """A short text for an argument in an error: tensors by shape and dtype."""
    if hasattr(value, "shape") and hasattr(value, "dtype"):
        dtype = str(value.dtype).rsplit(".", 1)[-1].strip("<>'")
        return f"{type(value).__name__}(shape={tuple(value.shape)}, dtype={dtype})"
    if isinstance(value, (list, tuple)):
        inside = ", ".join(map(describe, value[:5])) + (", …" if len(value) > 5 else "")
        return f"[{inside}]" if isinstance(value, list) else f"({inside})"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k!r}: {describe(v)}" for k, v in value.items()) + "}"
    text = repr(value)
    return text if len(text) < 80 else text[:77] + "…"


def is_symbolic_call(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether a symbolic tensor is among the arguments."""
    return any_symbolic(args) or bool(kwargs and any_symbolic(kwargs))
