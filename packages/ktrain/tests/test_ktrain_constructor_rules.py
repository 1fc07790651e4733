"""Impossible numbers are refused where they are given."""

import inspect

import pytest

from ktrain import callbacks, losses, metrics, optimizers
from ktrain.constructor_rules import CALLBACKS, LOSSES, METRICS, OPTIMIZERS
from ktrain.optimizers import schedules

NEEDED = {"learning_rate": 0.1, "initial_learning_rate": 0.1, "decay_steps": 9, "decay_rate": 0.9}
NEEDED |= {"first_decay_steps": 9, "num_classes": 3, "target_class_ids": [0], "filepath": "a.keras"}
NEEDED |= {"specificity": 0.5, "sensitivity": 0.5, "recall": 0.5, "precision": 0.5}
NEEDED |= {"backup_dir": "a", "inner_optimizer": optimizers.SGD()}
CASES = [
    (module, name, argument, value)
    for module, table in (
        (optimizers, OPTIMIZERS),
        (schedules, OPTIMIZERS),
        (losses, LOSSES),
        (metrics, METRICS),
        (callbacks, CALLBACKS),
    )
    for name, cls in sorted(vars(module).items())
    if inspect.isclass(cls)
    for argument in inspect.signature(cls.__init__).parameters
    if argument in table
    for value in ("no number", float("nan"), -3.5, 3)
    if not table[argument].accepts(value)
]


def test_there_are_cases():
    tables = {*OPTIMIZERS, *LOSSES, *METRICS, *CALLBACKS}
    assert {c[2] for c in CASES} >= tables


@pytest.mark.parametrize(("module", "name", "argument", "value"), CASES)
def test_impossible_arguments(module, name, argument, value):
    cls = getattr(module, name)
    needed = {
        p.name: NEEDED[p.name]
        for p in inspect.signature(cls.__init__).parameters.values()
        if p.default is p.empty and p.name in NEEDED
    }
    with pytest.raises(ValueError, match=f"`{argument}` of {cls.__name__} must be"):
        cls(**{**needed, argument: value})


@pytest.mark.parametrize("value", [0, 0.5, lambda: 0.1, schedules.ExponentialDecay(0.1, 2, 0.5)])
def test_learning_rates(value):
    optimizers.SGD(value)


def test_what_switches_off():
    optimizers.SGD(gradient_accumulation_steps=0, weight_decay=0, use_ema=True, clipnorm=None)
