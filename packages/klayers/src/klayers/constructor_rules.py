"""What the constructor arguments of layers, initializers and their like may be, by name."""

from __future__ import annotations

from kops.arguments import Rule, any_of, count, guard, number, whole, wholes

__all__ = ["guard_constructors"]

_AT_LEAST_0 = number(0)
_FRACTION = number(0, 1)
_AXES = any_of(wholes(), lambda x: x is None, "None")

LAYERS: dict[str, Rule] = {
    "alpha": number(),
    "axis": _AXES,
    "dropout": _FRACTION,
    "epsilon": _AT_LEAST_0,
    "l1": _AT_LEAST_0,
    "l2": _AT_LEAST_0,
    "lora_rank": count(),
    "mask_value": number(),
    "max_value": _AT_LEAST_0,
    "momentum": _FRACTION,
    "n": count(),
    "negative_slope": _AT_LEAST_0,
    "recurrent_dropout": _FRACTION,
    "renorm_momentum": _FRACTION,
    "seed": any_of(whole(0), lambda x: hasattr(x, "next"), "a SeedGenerator"),
    "stddev": _FRACTION,
    "target_shape": wholes(-1),
    "threshold": _AT_LEAST_0,
}

INITIALIZERS: dict[str, Rule] = {
    "gain": number(),
    "maxval": number(),
    "mean": number(),
    "minval": number(),
    "scale": number(0, above=True),
    "stddev": _AT_LEAST_0,
}

REGULARIZERS: dict[str, Rule] = {
    "factor": _AT_LEAST_0,
    "l1": _AT_LEAST_0,
    "l2": _AT_LEAST_0,
}

CONSTRAINTS: dict[str, Rule] = {
    "axis": _AXES,
    "max_value": _AT_LEAST_0,
    "min_value": _AT_LEAST_0,
    "rate": _FRACTION,
}


def guard_constructors() -> None:
    """Makes the constructors of this package check their arguments."""
    guard("klayers", "layers", LAYERS)
    guard("klayers", "initializers", INITIALIZERS)
    guard("klayers", "regularizers", REGULARIZERS)
    guard("klayers", "constraints", CONSTRAINTS)
