"""Quantizers: functions and objects that turn float tensors into integers and a scale."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from kops import dtypes, ops
from kops.registry import export
from kops.serialization import deserialize_keras_object, serialize_keras_object

__all__ = ["AbsMaxQuantizer", "Quantizer", "abs_max_quantize", "deserialize", "get", "serialize"]


@export("keras.quantizers.abs_max_quantize")
def abs_max_quantize(
    inputs: Any,
    axis: int | Sequence[int] | None,
    value_range: tuple[int, int] = (-127, 127),
    dtype: str = "int8",
    epsilon: float = 1e-7,
    to_numpy: bool = False,
) -> tuple[Any, Any]:
    """Symmetric quantization: the largest magnitude along `axis` becomes the largest integer.

    `scale = value_range[1] / (max |inputs| + epsilon)`, and the integers are
    `round(inputs * scale)`; `integers / scale` restores the values.

    Args:
        inputs: float tensor.
        axis: axes that share a scale; None for one scale in all.
        value_range: smallest and largest integer.
        dtype: integer dtype of the result.
        epsilon: keeps the scale finite for zeros.
        to_numpy: whether to compute on the host with NumPy, which saves device memory.

    Returns:
        `(integers, scale)`; the scale keeps the reduced axes with size 1.

    Example:

    >>> import numpy as np
    >>> from kops import ops
    >>> q, scale = abs_max_quantize(np.array([[1.0, -2.0]], "float32"), axis=-1, to_numpy=True)
    >>> ops.convert_to_numpy(q).tolist(), tuple(scale.shape)
    ([[64, -127]], (1, 1))
    """
    low, high = value_range
    if isinstance(axis, list):
        axis = tuple(axis)
    if to_numpy:
        x = np.asarray(ops.convert_to_numpy(inputs))
        wide = x.astype(np.float32)
        scale = (high / (np.max(np.abs(wide), axis=axis, keepdims=True) + epsilon)).astype(x.dtype)
        rounded = np.clip(np.round(wide * scale), low, high).astype(dtypes.standardize(dtype))
        return ops.convert_to_tensor(rounded), ops.convert_to_tensor(scale)
    x = ops.convert_to_tensor(inputs)
    wide = ops.cast(x, "float32")
    largest = ops.max(ops.abs(wide), axis=axis, keepdims=True)
    scale = ops.divide(float(high), ops.add(largest, epsilon))
    rounded = ops.clip(ops.round(ops.multiply(wide, scale)), low, high)
    return ops.cast(rounded, dtype), ops.cast(scale, x.dtype)


@export("keras.Quantizer", "keras.quantizers.Quantizer")
class Quantizer:
    """Base class of quantizers.

    Args:
        output_dtype: dtype of the integers.
    """

    def __init__(self, output_dtype: str = "int8"):
        self.output_dtype = dtypes.standardize(output_dtype)

    def __call__(self, x: Any) -> tuple[Any, Any]:
        """`(integers, scale)` of a tensor; defined by the subclass."""
        raise NotImplementedError(f"{type(self).__name__} defines no `__call__`.")

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Quantizer:
        """The quantizer that `get_config` described."""
        return cls(**config)

    def get_config(self) -> dict[str, Any]:
        """Constructor arguments; defined by the subclass."""
        raise NotImplementedError(f"{type(self).__name__} defines no `get_config`.")


@export("keras.quantizers.AbsMaxQuantizer")
class AbsMaxQuantizer(Quantizer):
    """`abs_max_quantize` with its arguments fixed.

    Args:
        axis: axes that share a scale, for calls that do not say.
        value_range: smallest and largest integer.
        epsilon: keeps the scale finite for zeros.
        output_dtype: dtype of the integers.
    """

    def __init__(
        self,
        axis: int | Sequence[int] | None = None,
        value_range: tuple[int, int] = (-127, 127),
        epsilon: float = 1e-7,
        output_dtype: str = "int8",
    ):
        super().__init__(output_dtype=output_dtype)
        self.axis = None if axis is None else (axis,) if isinstance(axis, int) else tuple(axis)
        self.value_range = tuple(value_range)
        self.epsilon = epsilon
        if output_dtype == "int8" and (self.value_range[0] < -128 or self.value_range[1] > 127):
            raise ValueError(
                f"`value_range` must lie within (-128, 127) for int8; got {value_range}."
            )

    def __call__(self, x: Any, axis: Any = None, to_numpy: bool = False) -> tuple[Any, Any]:
        """`(integers, scale)` of a tensor."""
        return abs_max_quantize(
            x,
            self.axis if axis is None else axis,
            self.value_range,
            self.output_dtype,
            self.epsilon,
            to_numpy,
        )

    def get_config(self) -> dict[str, Any]:
        config = {
            "value_range": self.value_range,
            "epsilon": self.epsilon,
            "output_dtype": self.output_dtype,
        }
        return config if self.axis is None else {"axis": self.axis, **config}


_NAMES = {"abs_max_quantizer": AbsMaxQuantizer, "AbsMaxQuantizer": AbsMaxQuantizer}


@export("keras.quantizers.serialize")
def serialize(initializer: Quantizer) -> Any:
    """The config of a quantizer."""
    return serialize_keras_object(initializer)


@export("keras.quantizers.deserialize")
def deserialize(config: Any, custom_objects: dict[str, Any] | None = None) -> Any:
    """The quantizer that a config describes."""
    return deserialize_keras_object(
        config, custom_objects=custom_objects, module_objects=dict(_NAMES)
    )


@export("keras.quantizers.get")
def get(identifier: Any, **kwargs: Any) -> Any:
    """A quantizer from a name, config, class or object.

    Raises:
        ValueError: for anything else.

    Example:

    >>> get("abs_max_quantizer", axis=-1).axis
    (-1,)
    """
    if identifier is None:
        return None
    if isinstance(identifier, str):
        if identifier not in _NAMES:
            raise ValueError(f"There is no quantizer {identifier!r}; accepted: {sorted(_NAMES)}.")
        return _NAMES[identifier](**kwargs)
    if isinstance(identifier, dict):
        return deserialize(identifier)
    if isinstance(identifier, type) and issubclass(identifier, Quantizer):
        return identifier(**kwargs)
    if callable(identifier):
        return identifier
    raise ValueError(
        f"`identifier` must be a quantizer, its name, class or config; got {identifier!r}."
    )
