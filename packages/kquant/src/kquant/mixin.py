"""Quantizing all layers of a model."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from kquant.layers import can_quantize, make_config

__all__ = ["QuantMixin", "quantize_model"]

Filters = str | Callable[[Any], bool] | Iterable[str] | None


def quantize_model(
    model: Any, mode: str | None = None, config: Any = None, filters: Filters = None
) -> None:
    """Quantizes, in place, every layer of a model that can be quantized.

    Args:
        model: built model.
        mode: "int8".
        config: quantization config, in place of `mode`.
        filters: which layers: a regular expression (or several) that their names match,
            or a function of the layer; all if None.

    Raises:
        ValueError: for an unsupported mode, an unbuilt model, or if no layer was quantized.

    Example:
    ```python
    model.quantize("int8")
    model.save("small.keras")
    ```
    """
    config = make_config(mode, config)
    if not model.built:
        raise ValueError(
            f"The model {model.name!r} is not built: there are no weights to quantize. Call it on "
            "data, or build it, first."
        )
    wanted = _as_predicate(filters)
    chosen = [
        layer
        for layer in model._flatten_layers()
        if can_quantize(layer, config.mode) and layer.quantization_mode is None and wanted(layer)
    ]
    if not chosen:
        raise ValueError(
            f"The model {model.name!r} has no layer that can be quantized in mode "
            f"{config.mode!r} (and that `filters` selects)."
        )
    for layer in chosen:
        layer.quantize(config.mode, config=config)


def _as_predicate(filters: Filters) -> Callable[[Any], bool]:
    if filters is None:
        return lambda layer: True
    if callable(filters):
        return filters
    patterns = [re.compile(p) for p in ([filters] if isinstance(filters, str) else filters)]
    return lambda layer: any(p.search(layer.name) for p in patterns)


class QuantMixin:
    """`quantize`, for classes that derive from `klayers.Model`."""

    def quantize(
        self, mode: Any = None, config: Any = None, filters: Filters = None, **kwargs: Any
    ) -> None:
        """Quantizes the model's layers in place; see `kquant.quantize_model`."""
        if kwargs.keys() - {"type_check"}:
            raise TypeError(f"quantize() got unexpected arguments {sorted(kwargs)}.")
        quantize_model(self, mode, config=config, filters=filters)
        reset = getattr(self, "_reset_functions", None)
        if reset is not None:
            reset()
