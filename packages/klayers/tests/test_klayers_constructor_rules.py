"""Impossible numbers are refused where they are given."""

import inspect

import pytest

from klayers import constraints, initializers, layers, regularizers
from klayers.constructor_rules import CONSTRAINTS, INITIALIZERS, LAYERS, REGULARIZERS

NAN = float("nan")
NEEDED = {"units": 3, "n": 2, "rate": 0.5, "stddev": 0.5, "target_shape": (2,), "input_dim": 3}
NEEDED |= {"output_dim": 2, "num_heads": 2, "key_dim": 2, "head_dim": 2, "num_query_heads": 2}
NEEDED |= {"num_key_value_heads": 1, "equation": "ab,bc->ac", "output_shape": 3, "filters": 2}
NEEDED |= {"kernel_size": 1, "dims": (1,)}
CASES = [
    (module, name, argument, value)
    for module, table in (
        (layers, LAYERS),
        (initializers, INITIALIZERS),
        (regularizers, REGULARIZERS),
        (constraints, CONSTRAINTS),
    )
    for name, cls in sorted(vars(module).items())
    if inspect.isclass(cls)
    for argument in inspect.signature(cls.__init__).parameters
    if argument in table
    for value in ("no number", NAN, -3.5)
    if not table[argument].accepts(value)
]


def test_there_are_cases():
    assert {c[2] for c in CASES} >= {*LAYERS, *INITIALIZERS, *REGULARIZERS, *CONSTRAINTS}


@pytest.mark.parametrize(("module", "name", "argument", "value"), CASES)
def test_impossible_arguments(module, name, argument, value):
    cls = getattr(module, name)
    parameters = inspect.signature(cls.__init__).parameters.values()
    needed = {
        p.name: NEEDED[p.name]
        for p in parameters
        if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD and p.name in NEEDED
    }
    with pytest.raises(ValueError, match=f"`{argument}` of {cls.__name__} must be"):
        cls(**{**needed, argument: value})
