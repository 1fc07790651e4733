"""The names of `keras.callbacks`. Written by tools/namespace.py."""

from ktrain.callbacks.backup import BackupAndRestore as BackupAndRestore
from ktrain.callbacks.backup import SwapEMAWeights as SwapEMAWeights
from ktrain.callbacks.callback import Callback as Callback
from ktrain.callbacks.callback_list import CallbackList as CallbackList
from ktrain.callbacks.early_stopping import EarlyStopping as EarlyStopping
from ktrain.callbacks.history import History as History
from ktrain.callbacks.learning_rate import LearningRateScheduler as LearningRateScheduler
from ktrain.callbacks.learning_rate import ReduceLROnPlateau as ReduceLROnPlateau
from ktrain.callbacks.loggers import CSVLogger as CSVLogger
from ktrain.callbacks.loggers import LambdaCallback as LambdaCallback
from ktrain.callbacks.loggers import TerminateOnNaN as TerminateOnNaN
from ktrain.callbacks.model_checkpoint import ModelCheckpoint as ModelCheckpoint
from ktrain.callbacks.progbar import ProgbarLogger as ProgbarLogger

__all__ = [
    "BackupAndRestore",
    "CSVLogger",
    "Callback",
    "CallbackList",
    "EarlyStopping",
    "History",
    "LambdaCallback",
    "LearningRateScheduler",
    "ModelCheckpoint",
    "ProgbarLogger",
    "ReduceLROnPlateau",
    "SwapEMAWeights",
    "TerminateOnNaN",
]
