"""Slots that packages above klayers fill: the model family and the capabilities of layers.

klayers imports nothing from above itself. What those packages add comes in two ways:

- `set_model_family` says which `Model`, `Functional` and `Sequential` classes to make when
  a model comes out of another one (`Model(inputs, outputs)`, `clone_model`, `from_config`).
- The entry point group `klayers.hooks` names functions such as `quantize_layer` and
  `enable_lora`, looked up at their first use.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

__all__ = [
    "GROUP",
    "ModelFamily",
    "families",
    "find_hook",
    "functional_class_of",
    "model_family",
    "set_model_family",
]

GROUP = "klayers.hooks"

_PROVIDERS = {
    "quantize_layer": "kquant",
    "quantized_build": "kquant",
    "quantized_call": "kquant",
    "quantized_variables": "kquant",
    "enable_lora": "kquant",
}


class ModelFamily(NamedTuple):
    """Three classes that belong together."""

    model: type
    functional: type
    sequential: type


_families: list[ModelFamily] = []
_hooks: dict[str, Callable[..., Any]] = {}


def set_model_family(model: type, functional: type, sequential: type) -> None:
    """Makes these the classes of models that klayers creates on its own.

    The last family set is the one in use; earlier ones keep working for code that names
    their classes.

    Args:
        model: the class for subclassing.
        functional: the class of `model(inputs, outputs)`; a subclass of `model`.
        sequential: the class of stacks of layers; a subclass of `model`.
    """
    for what, cls in (("functional", functional), ("sequential", sequential)):
        if not issubclass(cls, model):
            raise TypeError(f"`{what}` must be a subclass of {model!r}; got {cls!r}.")
    family = ModelFamily(model, functional, sequential)
    if family not in _families:
        _families.append(family)


def model_family() -> ModelFamily:
    """The classes of models that klayers creates."""
    return _families[-1]


def families() -> tuple[ModelFamily, ...]:
    """All families set so far."""
    return tuple(_families)


def functional_class_of(cls: type) -> type | None:
    """The Functional class for a `Model` class of any family; None for other classes."""
    for family in _families:
        if cls is family.model:
            # The lowest class stands for whatever is assembled on top of it.
            return model_family().functional if family is _families[0] else family.functional
    return None


def find_hook(name: str) -> Callable[..., Any]:
    """The function registered as `name` in the entry point group `klayers.hooks`.

    Raises:
        ImportError: no installed package offers it; names the package that does.
    """
    found = _hooks.get(name)
    if found is None:
        from importlib.metadata import entry_points  # a tenth of the import time of klayers

        for entry in entry_points(group=GROUP, name=name):
            found = _hooks[name] = entry.load()
            break
        else:
            package = _PROVIDERS.get(name, "keras-meta")
            raise ImportError(
                f"`{name}` is offered by the package {package!r}, which is not installed. "
                f"Install it with: pip install {package}"
            )
    return found
