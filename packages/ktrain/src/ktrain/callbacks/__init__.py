"""Callbacks: what happens during training besides training."""

from __future__ import annotations

from ktrain.callbacks.backup import BackupAndRestore, SwapEMAWeights
from ktrain.callbacks.callback import Callback
from ktrain.callbacks.callback_list import CallbackList
from ktrain.callbacks.early_stopping import EarlyStopping
from ktrain.callbacks.history import History
from ktrain.callbacks.learning_rate import LearningRateScheduler, ReduceLROnPlateau
from ktrain.callbacks.loggers import CSVLogger, LambdaCallback, TerminateOnNaN
from ktrain.callbacks.model_checkpoint import ModelCheckpoint
from ktrain.callbacks.progbar import ProgbarLogger

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
