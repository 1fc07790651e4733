"""Optimizers: how gradients change the weights."""

from __future__ import annotations

from ktrain.optimizers import schedules
from ktrain.optimizers.adafactor import Adafactor
from ktrain.optimizers.adagrad import Adadelta, Adagrad
from ktrain.optimizers.adam import Adam
from ktrain.optimizers.adamax import Adamax
from ktrain.optimizers.adamw import AdamW
from ktrain.optimizers.ftrl import Ftrl
from ktrain.optimizers.lamb import Lamb
from ktrain.optimizers.lion import Lion
from ktrain.optimizers.lookup import deserialize, get, serialize
from ktrain.optimizers.loss_scale_optimizer import LossScaleOptimizer
from ktrain.optimizers.muon import Muon
from ktrain.optimizers.nadam import Nadam
from ktrain.optimizers.optimizer import Optimizer
from ktrain.optimizers.rmsprop import RMSprop
from ktrain.optimizers.schedule_free_adamw import ScheduleFreeAdamW
from ktrain.optimizers.sgd import SGD

__all__ = [
    "SGD",
    "Adadelta",
    "Adafactor",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "Ftrl",
    "Lamb",
    "Lion",
    "LossScaleOptimizer",
    "Muon",
    "Nadam",
    "Optimizer",
    "RMSprop",
    "ScheduleFreeAdamW",
    "deserialize",
    "get",
    "schedules",
    "serialize",
]
