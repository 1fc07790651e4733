"""Learning rates that depend on the step."""

from __future__ import annotations

from ktrain.optimizers.schedules.cosine import CosineDecay, CosineDecayRestarts
from ktrain.optimizers.schedules.decay import (
    ExponentialDecay,
    InverseTimeDecay,
    PiecewiseConstantDecay,
    PolynomialDecay,
)
from ktrain.optimizers.schedules.lookup import deserialize, serialize
from ktrain.optimizers.schedules.schedule import LearningRateSchedule

__all__ = [
    "CosineDecay",
    "CosineDecayRestarts",
    "ExponentialDecay",
    "InverseTimeDecay",
    "LearningRateSchedule",
    "PiecewiseConstantDecay",
    "PolynomialDecay",
    "deserialize",
    "serialize",
]
