"""The names of `keras.optimizers.schedules`. Written by tools/namespace.py."""

from ktrain.optimizers.schedules.cosine import CosineDecay as CosineDecay
from ktrain.optimizers.schedules.cosine import CosineDecayRestarts as CosineDecayRestarts
from ktrain.optimizers.schedules.decay import ExponentialDecay as ExponentialDecay
from ktrain.optimizers.schedules.decay import InverseTimeDecay as InverseTimeDecay
from ktrain.optimizers.schedules.decay import PiecewiseConstantDecay as PiecewiseConstantDecay
from ktrain.optimizers.schedules.decay import PolynomialDecay as PolynomialDecay
from ktrain.optimizers.schedules.lookup import deserialize as deserialize
from ktrain.optimizers.schedules.lookup import serialize as serialize
from ktrain.optimizers.schedules.schedule import LearningRateSchedule as LearningRateSchedule

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
