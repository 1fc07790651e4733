"""The names of `keras.optimizers`. Written by tools/namespace.py."""

from keras_meta.optimizers import schedules as schedules
from ktrain.optimizers.adafactor import Adafactor as Adafactor
from ktrain.optimizers.adagrad import Adadelta as Adadelta
from ktrain.optimizers.adagrad import Adagrad as Adagrad
from ktrain.optimizers.adam import Adam as Adam
from ktrain.optimizers.adamax import Adamax as Adamax
from ktrain.optimizers.adamw import AdamW as AdamW
from ktrain.optimizers.ftrl import Ftrl as Ftrl
from ktrain.optimizers.lamb import Lamb as Lamb
from ktrain.optimizers.lion import Lion as Lion
from ktrain.optimizers.lookup import deserialize as deserialize
from ktrain.optimizers.lookup import get as get
from ktrain.optimizers.lookup import serialize as serialize
from ktrain.optimizers.loss_scale_optimizer import LossScaleOptimizer as LossScaleOptimizer
from ktrain.optimizers.muon import Muon as Muon
from ktrain.optimizers.nadam import Nadam as Nadam
from ktrain.optimizers.optimizer import Optimizer as Optimizer
from ktrain.optimizers.rmsprop import RMSprop as RMSprop
from ktrain.optimizers.schedule_free_adamw import ScheduleFreeAdamW as ScheduleFreeAdamW
from ktrain.optimizers.sgd import SGD as SGD

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
