"""The names of `keras.quantizers`. Written by tools/namespace.py."""

from kquant.quantization_config import Int8QuantizationConfig as Int8QuantizationConfig
from kquant.quantization_config import QuantizationConfig as QuantizationConfig
from kquant.quantizers import AbsMaxQuantizer as AbsMaxQuantizer
from kquant.quantizers import Quantizer as Quantizer
from kquant.quantizers import abs_max_quantize as abs_max_quantize
from kquant.quantizers import deserialize as deserialize
from kquant.quantizers import get as get
from kquant.quantizers import serialize as serialize

__all__ = [
    "AbsMaxQuantizer",
    "Int8QuantizationConfig",
    "QuantizationConfig",
    "Quantizer",
    "abs_max_quantize",
    "deserialize",
    "get",
    "serialize",
]
