"""Masks in a layer call: found on the inputs, handed to `call`, put on the outputs."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from klayers.calls import CallSignature
from kops import tree
from kops.masks import get_mask, set_mask

if TYPE_CHECKING:
    from klayers.layer import Layer

__all__ = ["fill_masks", "mask_of", "set_output_masks"]


def mask_of(value: Any) -> Any:
    """Masks of a nested value, nested likewise; None if nothing in it has one."""
    if isinstance(value, (list, tuple)):
        masks = [mask_of(v) for v in value]
        return masks if any(m is not None for m in masks) else None
    if isinstance(value, dict):
        named = {k: mask_of(v) for k, v in value.items()}
        return named if any(m is not None for m in named.values()) else None
    return get_mask(value)


def fill_masks(
    signature: CallSignature,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    bound: dict[str, Any],
    inputs: dict[str, Any],
    symbolic: bool,
) -> Any:
    """Puts the masks of the inputs into `kwargs` where `call` takes them.

    `mask` is the mask of the first input, `<name>_mask` that of the input `<name>`;
    arguments of other names are the layer's own. Returns the first input's mask.
    """
    by_position = signature.positional[: len(args)]
    first = next(iter(inputs.values()), None)
    previous = bound.get("mask") if signature.has_mask else None
    if previous is None:
        previous = mask_of(first)
    if not signature.mask_names:
        return previous
    for name, value in inputs.items():
        mask_name = f"{name}_mask"
        if (
            mask_name in signature.mask_names
            and bound.get(mask_name) is None
            and mask_name not in by_position
        ):
            mask = mask_of(value)
            if mask is not None:
                kwargs[mask_name] = bound[mask_name] = mask
    if signature.has_mask and "mask" not in by_position and bound.get("mask") is None:
        # A graph's config names the mask of a single input even where there is none.
        if previous is not None or (symbolic and len(inputs) == 1):
            kwargs["mask"] = bound["mask"] = previous
    return previous


def set_output_masks(
    layer: Layer,
    signature: CallSignature,
    inputs: dict[str, Any],
    previous: Any,
    outputs: Any,
) -> None:
    """Computes the masks of the outputs and attaches them."""
    if layer._computes_mask:
        masks = layer.compute_mask(next(iter(inputs.values()), None), previous)
    elif previous is None:
        return
    elif layer.supports_masking:
        masks = layer.compute_mask(next(iter(inputs.values()), None), previous)
    else:
        if not signature.mask_names:
            warnings.warn(
                f"Layer {layer.name!r} (of type {type(layer).__name__}) got an input with a mask, "
                "but it neither takes a `mask` in `call()` nor says `supports_masking = True`: the "
                "layers after it will not see the mask.",
                stacklevel=4,
            )
        return
    if masks is None:
        return
    flat_outputs = (
        [outputs] if not isinstance(outputs, (list, tuple, dict)) else tree.flatten(outputs)
    )
    flat_masks = tree.flatten(masks) if isinstance(masks, (list, tuple, dict)) else [masks]
    for tensor, mask in zip(flat_outputs, flat_masks, strict=False):
        if mask is not None and tensor is not None and get_mask(tensor) is None:
            set_mask(tensor, mask)
