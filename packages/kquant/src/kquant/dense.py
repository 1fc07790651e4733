"""`Dense` in 8-bit integers.

The kernel is stored as int8 with one scale per output column. Inputs are quantized per row
at each call; the product of integers is exact in int32 and divided by both scales.
"""

from __future__ import annotations

from typing import Any

from klayers.activations import linear
from klayers.input_spec import InputSpec
from kops import ops
from kquant.quantization_config import QuantizationConfig
from kquant.quantizers import AbsMaxQuantizer

__all__ = ["build_int8", "call_int8", "quantize_int8", "variables_int8"]

_DEFAULT = AbsMaxQuantizer()


def build_int8(layer: Any, input_shape: Any) -> None:
    """Makes int8 kernel, float scale and bias of a Dense layer."""
    features = input_shape[-1]
    if features is None:
        raise ValueError(
            f"Layer {layer.name!r} needs a known size of its inputs' last axis; got {input_shape}."
        )
    _add_kernel(layer, (features, layer.units))
    if layer.use_bias:
        layer.bias = layer.add_weight(
            name="bias",
            shape=(layer.units,),
            initializer=layer.bias_initializer,
            regularizer=layer.bias_regularizer,
            constraint=layer.bias_constraint,
        )
    layer.input_spec = InputSpec(min_ndim=2, axes={-1: features})


def _add_kernel(layer: Any, shape: tuple[int, int]) -> None:
    layer._kernel = layer.add_weight(
        name="kernel", shape=shape, initializer="zeros", dtype="int8", trainable=False
    )
    layer.kernel_scale = layer.add_weight(
        name="kernel_scale",
        shape=(shape[1],),
        initializer="ones",
        trainable=False,
        autocast=False,
    )


def quantize_int8(layer: Any, config: QuantizationConfig) -> None:
    """Puts an int8 kernel and its scale in place of a Dense layer's float kernel."""
    quantizer = config.weight_quantizer_or_default(config, _DEFAULT)
    integers, scale = quantizer(layer._kernel, axis=0, to_numpy=True)
    shape = tuple(layer._kernel.shape)
    with layer._replacing_variables():
        layer._untrack_variable(layer._kernel)
        _add_kernel(layer, shape)  # type: ignore[arg-type]
    layer._kernel.assign(integers)
    layer.kernel_scale.assign(ops.squeeze(scale, 0))


def variables_int8(layer: Any) -> list[Any]:
    """Kernel, bias if any, scale."""
    return [v for v in (layer._kernel, layer.bias, layer.kernel_scale) if v is not None]


def call_int8(layer: Any, inputs: Any, training: bool | None = None) -> Any:
    """`activation(inputs @ kernel + bias)` with the product taken in integers."""
    config = layer.quantization_config
    quantizer = QuantizationConfig.activation_quantizer_or_default(config, _DEFAULT)
    scale = ops.cast(layer.kernel_scale, layer.compute_dtype)
    if quantizer is None:
        x = ops.matmul(inputs, ops.cast(layer._kernel, layer.compute_dtype))
    else:
        integers, input_scale = quantizer(inputs, axis=-1)
        x = ops.cast(
            ops.matmul(ops.cast(integers, "int32"), ops.cast(layer._kernel, "int32")),
            layer.compute_dtype,
        )
        scale = ops.multiply(scale, input_scale)
    x = ops.divide(x, scale)
    if layer.bias is not None:
        x = ops.add(x, layer.bias)
    return x if layer.activation is linear else layer.activation(x)
