"""Any function as a layer."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from klayers.layer import Layer
from kops.registry import export
from kops.serialization import (
    deserialize_keras_object,
    in_safe_mode,
    lambda_parts,
    restore_lambda,
    safe_mode_scope,
    serialize_keras_object,
)

__all__ = ["Lambda"]


@export("keras.layers.Lambda")
class Lambda(Layer):
    """Applies a function.

    For quick experiments. A saved model holds a named function by its name, so it must be
    registered to be found again; the code of a lambda expression is saved with the model
    and loaded only where that is allowed explicitly (`safe_mode=False`), because loading
    it runs foreign code. A subclass of `Layer` is the better choice for anything kept.

    Args:
        function: callable; the inputs are its first argument. It may take `mask` and
            `training` too.
        output_shape: shape of the output without the batch, or a callable from the input
            shape to that of the output. Not needed where the shape can be inferred.
        mask: the mask of the output, or a callable `(inputs, mask)` that returns it.
        arguments: further keyword arguments of the function.

    Example:

    >>> import numpy as np

    >>> from kops import ops
    >>> ops.convert_to_numpy(Lambda(lambda x: x * 2)(np.array([1.0, 2.0]))).tolist()
    [2.0, 4.0]
    """

    def __init__(
        self,
        function: Callable[..., Any],
        output_shape: Any = None,
        mask: Any = None,
        arguments: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        if not callable(function):
            raise TypeError(f"`function` must be callable. Received: function={function!r}")
        super().__init__(**kwargs)
        self.arguments = dict(arguments or {})
        self.function = function
        if mask is not None:
            self.supports_masking = True
        self.mask = mask
        self._output_shape = output_shape
        names = inspect.signature(function).parameters if _has_signature(function) else {}
        self._takes_mask = "mask" in names
        self._takes_training = "training" in names

    def call(self, inputs: Any, mask: Any = None, training: bool | None = None) -> Any:
        """`function(inputs, **arguments)`."""
        keywords = dict(self.arguments)
        if self._takes_mask:
            keywords["mask"] = mask
        if self._takes_training:
            keywords["training"] = training
        return self.function(inputs, **keywords)

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """The mask given to the constructor, or what it computes."""
        return self.mask(inputs, mask) if callable(self.mask) else self.mask

    def compute_output_shape(self, input_shape: Sequence[Any]) -> Any:
        """Shape of the output for an input of shape `input_shape`."""
        if self._output_shape is None:
            return super().compute_output_shape(input_shape)
        if callable(self._output_shape):
            return self._output_shape(input_shape)
        return (input_shape[0], *self._output_shape)

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        # Not the automatic config: a function has no JSON form but the one made here.
        return {
            **self._base_config(),
            "function": _serialize(self.function),
            **({} if self._output_shape is None else {"output_shape": _shape(self._output_shape)}),
            **({} if self.mask is None else {"mask": _serialize(self.mask)}),
            "arguments": serialize_keras_object(self.arguments),
        }

    @classmethod
    def from_config(
        cls, config: dict[str, Any], custom_objects: Any = None, safe_mode: bool | None = None
    ) -> Lambda:
        """The layer that `get_config` described.

        Raises:
            ValueError: the function is the code of a lambda expression, and safe mode is on.
        """
        config = dict(config)
        safe = in_safe_mode() if safe_mode is None else safe_mode
        name = config.get("name", "lambda")
        for key in ("function", "output_shape", "mask"):
            if isinstance(config.get(key), dict):
                config[key] = _deserialize(config[key], key, name, custom_objects, safe)
        if isinstance(config.get("output_shape"), list):
            config["output_shape"] = tuple(config["output_shape"])
        return cls(**config)


def _has_signature(function: Callable[..., Any]) -> bool:
    try:
        inspect.signature(function)
    except (TypeError, ValueError):
        return False
    return True


def _serialize(value: Any) -> Any:
    if isinstance(value, types.LambdaType) and value.__name__ == "<lambda>":
        code, defaults, closure = lambda_parts(value)
        parts = {"code": code, "defaults": defaults, "closure": closure}
        return {"class_name": "__lambda__", "config": parts}
    return serialize_keras_object(value)


def _shape(value: Any) -> Any:
    return _serialize(value) if callable(value) else value


def _deserialize(
    config: dict[str, Any], key: str, name: str, custom_objects: Any, safe: bool
) -> Any:
    if config.get("class_name") != "__lambda__":
        return deserialize_keras_object(config, custom_objects=custom_objects, safe_mode=safe)
    if safe:
        raise ValueError(
            f"The Lambda layer {name!r} holds Python code (its `{key}` is a lambda expression), "
            "which safe mode does not run. If you trust where the file comes from, load it with "
            "`safe_mode=False`; better, make it a subclass of `Layer`."
        )
    with safe_mode_scope(False):
        return restore_lambda(config["config"])
