"""How a layer is quantized: which quantizer for its weights and which for its inputs."""

from __future__ import annotations

from typing import Any

from kops.registry import export
from kops.serialization import serialize_keras_object
from kquant import quantizers
from kquant.quantizers import AbsMaxQuantizer

__all__ = ["Int8QuantizationConfig", "QuantizationConfig"]


@export("keras.quantizers.QuantizationConfig")
class QuantizationConfig:
    """Base class of quantization configs.

    Args:
        weight_quantizer: quantizer of the weights; the layer's default if None.
        activation_quantizer: quantizer of the inputs; None to leave them in floats.
    """

    def __init__(self, weight_quantizer: Any = None, activation_quantizer: Any = None):
        self.weight_quantizer = quantizers.get(weight_quantizer)
        self.activation_quantizer = quantizers.get(activation_quantizer)

    @property
    def mode(self) -> str:
        """Name of the kind of quantization; defined by the subclass."""
        raise NotImplementedError(f"{type(self).__name__} defines no `mode`.")

    @staticmethod
    def weight_quantizer_or_default(config: QuantizationConfig | None, default: Any) -> Any:
        """The config's weight quantizer if it has one, else `default`."""
        if config is not None and config.weight_quantizer is not None:
            return config.weight_quantizer
        return default

    @staticmethod
    def activation_quantizer_or_default(config: QuantizationConfig | None, default: Any) -> Any:
        """The config's activation quantizer (which may be None); `default` without a config."""
        return default if config is None else config.activation_quantizer

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> QuantizationConfig:
        """The object that `get_config` described."""
        return cls(**config)

    def get_config(self) -> dict[str, Any]:
        """Constructor arguments."""
        return {
            "weight_quantizer": serialize_keras_object(self.weight_quantizer),
            "activation_quantizer": serialize_keras_object(self.activation_quantizer),
        }


@export("keras.quantizers.Int8QuantizationConfig")
class Int8QuantizationConfig(QuantizationConfig):
    """8-bit weights, one scale per output, and by default 8-bit inputs, one scale per row.

    Args:
        weight_quantizer: quantizer of the weights; absolute maximum if None.
        activation_quantizer: quantizer of the inputs; "default" for absolute maximum,
            None to leave the inputs in floats.
    """

    def __init__(self, weight_quantizer: Any = None, activation_quantizer: Any = "default"):
        if activation_quantizer == "default":
            activation_quantizer = AbsMaxQuantizer()
        super().__init__(weight_quantizer, activation_quantizer)

    @property
    def mode(self) -> str:
        return "int8"
