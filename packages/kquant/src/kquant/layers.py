"""Which layers can be quantized, and the hooks through which klayers reaches them.

A layer type is one `LayerQuantizer` in `QUANTIZERS`: how its variables are made, filled from
the float ones, listed for files, and used.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import klayers
from klayers import dtype_policies
from kops.serialization import deserialize_keras_object
from kquant import dense
from kquant.quantization_config import Int8QuantizationConfig, QuantizationConfig

__all__ = [
    "QUANTIZERS",
    "LayerQuantizer",
    "quantize_layer",
    "quantized_build",
    "quantized_call",
    "quantized_variables",
]


class LayerQuantizer(NamedTuple):
    """How one type of layer is quantized in one mode."""

    build: Callable[..., None]
    """`build(layer, input_shape)` makes the variables of the quantized layer."""
    quantize: Callable[..., None]
    """`quantize(layer, config)` puts quantized variables in place of the float ones."""
    call: Callable[..., Any]
    """`call(layer, inputs, training=None)` computes with them."""
    variables: Callable[..., list[Any]]
    """`variables(layer)` lists them in the order in which files store them."""


QUANTIZERS: dict[tuple[type, str], LayerQuantizer] = {
    (klayers.layers.Dense, "int8"): LayerQuantizer(
        dense.build_int8, dense.quantize_int8, dense.call_int8, dense.variables_int8
    ),
}
_CONFIGS: dict[str, type[QuantizationConfig]] = {"int8": Int8QuantizationConfig}


def can_quantize(layer: Any, mode: str) -> bool:
    """Whether a layer of this type can be quantized in this mode."""
    return (type(layer), mode) in QUANTIZERS


def _find(layer: Any, mode: str) -> LayerQuantizer:
    for cls in type(layer).__mro__:
        found = QUANTIZERS.get((cls, mode))
        if found is not None:
            return found
    accepted = sorted(f"{cls.__name__} ({m})" for cls, m in QUANTIZERS)
    raise NotImplementedError(
        f"Layer {layer.name!r} of type {type(layer).__name__} cannot be quantized in mode "
        f"{mode!r}. Accepted: {', '.join(accepted)}."
    )


def make_config(mode: Any, config: Any) -> QuantizationConfig:
    """The quantization config for the `mode` and `config` arguments of `quantize()`."""
    if config is not None and not isinstance(config, QuantizationConfig):
        raise TypeError(f"`config` must be a QuantizationConfig; got {config!r}.")
    if config is not None:
        if mode not in (None, config.mode):
            raise ValueError(
                f"`mode` is {mode!r}, but `config` is for mode {config.mode!r}; give one of them."
            )
        return config
    if mode not in _CONFIGS:
        raise ValueError(
            f"The quantization mode {mode!r} is not supported; accepted: {sorted(_CONFIGS)}."
        )
    return _CONFIGS[mode]()


# -- hooks (entry points of the group `klayers.hooks`) ------------------------------------------


def quantize_layer(layer: Any, mode: Any, type_check: bool = True, config: Any = None) -> None:
    """Quantizes one built layer in place.

    Args:
        layer: the layer.
        mode: quantization mode.
        type_check: whether a subclass of a layer that can be quantized is refused: its own
            `call` would not be used.
        config: quantization config.
    """
    config = make_config(mode, config)
    found = _find(layer, config.mode)
    if type_check and not can_quantize(layer, config.mode):
        raise NotImplementedError(
            f"{type(layer).__name__} derives from a layer that can be quantized, but has code of "
            "its own that quantization would bypass. Pass type_check=False to quantize it anyway."
        )
    if layer.quantization_mode is not None:
        raise ValueError(
            f"Layer {layer.name!r} is quantized already (mode {layer.quantization_mode!r})."
        )
    if not layer.built:
        raise ValueError(
            f"Layer {layer.name!r} is not built: there are no weights to quantize. Call the model "
            "on data, or build it, first."
        )
    found.quantize(layer, config)
    layer.quantization_config = config
    layer.dtype_policy = dtype_policies.get(f"{config.mode}_from_{layer.dtype_policy.name}")


def quantized_build(layer: Any, input_shape: Any, mode: str) -> None:
    """Makes the variables of a layer whose policy is quantized."""
    if isinstance(layer.quantization_config, Mapping):  # as a saved file has it
        layer.quantization_config = deserialize_keras_object(dict(layer.quantization_config))
    _find(layer, mode).build(layer, input_shape)


def quantized_call(layer: Any, *args: Any, **kwargs: Any) -> Any:
    """Calls a quantized layer."""
    return _find(layer, layer.quantization_mode).call(layer, *args, **kwargs)


def quantized_variables(layer: Any) -> list[Any]:
    """Variables of a quantized layer, in the order in which files store them."""
    return _find(layer, layer.quantization_mode).variables(layer)
