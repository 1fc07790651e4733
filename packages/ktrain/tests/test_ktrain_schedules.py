"""Learning rate schedules against the installed Keras."""

from __future__ import annotations

import keras
import numpy as np
import pytest

from kops import ops
from ktrain.optimizers import schedules

CASES = [
    ("ExponentialDecay", (0.1, 7, 0.5), {}),
    ("ExponentialDecay", (0.1, 7, 0.5), {"staircase": True}),
    ("InverseTimeDecay", (0.1, 7, 0.5), {}),
    ("InverseTimeDecay", (0.1, 7, 0.5), {"staircase": True}),
    ("PolynomialDecay", (0.1, 11), {"power": 2.0}),
    ("PolynomialDecay", (0.1, 11, 0.01), {"power": 0.5, "cycle": True}),
    ("PiecewiseConstantDecay", ([3, 10], [0.1, 0.05, 0.01]), {}),
    ("CosineDecay", (0.1, 20), {"alpha": 0.1}),
    ("CosineDecay", (0.0, 20), {"warmup_target": 0.1, "warmup_steps": 5}),
    ("CosineDecayRestarts", (0.1, 5), {"t_mul": 2.0, "m_mul": 0.7, "alpha": 0.05}),
    ("CosineDecayRestarts", (0.1, 5), {"t_mul": 1.0, "m_mul": 0.9}),
]
IDS = [f"{name}-{i}" for i, (name, *_) in enumerate(CASES)]


def host(x):
    return np.asarray(ops.convert_to_numpy(x))


@pytest.mark.parametrize(("name", "args", "options"), CASES, ids=IDS)
def test_agrees_with_keras(name, args, options):
    ours = getattr(schedules, name)(*args, **options)
    theirs = getattr(keras.optimizers.schedules, name)(*args, **options)
    steps = range(0, 40, 3)
    got = [float(host(ours(ops.convert_to_tensor(s)))) for s in steps]
    np.testing.assert_allclose(got, [float(theirs(s)) for s in steps], rtol=2e-5, atol=1e-7)
    assert float(host(ours(5))) == pytest.approx(float(theirs(5)), rel=2e-5)  # a plain int


@pytest.mark.parametrize(("name", "args", "options"), CASES, ids=IDS)
def test_config(name, args, options):
    schedule = getattr(schedules, name)(*args, **options)
    config = schedules.serialize(schedule)
    theirs = keras.optimizers.schedules.serialize(
        getattr(keras.optimizers.schedules, name)(*args, **options)
    )
    assert config == theirs
    assert schedules.deserialize(theirs).get_config() == schedule.get_config()


def test_errors():
    with pytest.raises(ValueError, match="`decay_steps` of CosineDecay must be a number above 0"):
        schedules.CosineDecay(0.1, 0)
    with pytest.raises(
        ValueError, match="`first_decay_steps` of CosineDecayRestarts must be a number above 0"
    ):
        schedules.CosineDecayRestarts(0.1, -1)
    with pytest.raises(ValueError, match="length of boundaries should be 1 less"):
        schedules.PiecewiseConstantDecay([1, 2], [0.1, 0.2])
    with pytest.raises(NotImplementedError, match="must override `__call__"):
        schedules.LearningRateSchedule()(1)
    with pytest.raises(NotImplementedError, match="must override `get_config"):
        schedules.LearningRateSchedule().get_config()
