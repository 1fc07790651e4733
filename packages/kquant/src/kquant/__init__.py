"""kquant: layers and models in small integers."""

from __future__ import annotations

from kquant.mixin import QuantMixin, quantize_model
from kquant.quantization_config import Int8QuantizationConfig, QuantizationConfig
from kquant.quantizers import AbsMaxQuantizer, Quantizer, abs_max_quantize

__version__ = "0.1.0"

__all__ = [
    "AbsMaxQuantizer",
    "Int8QuantizationConfig",
    "QuantMixin",
    "QuantizationConfig",
    "Quantizer",
    "abs_max_quantize",
    "quantize_model",
]
