"""ktrain: losses, metrics, optimizers, callbacks, and the training of klayers models."""

from ktrain import callbacks, losses, metrics, optimizers
from ktrain.constructor_rules import guard_constructors
from ktrain.data import PyDataset, pack_x_y_sample_weight, unpack_x_y_sample_weight
from ktrain.mixin import TrainerMixin
from ktrain.trainer import (
    compile_from_config,
    compile_model,
    compute_loss,
    compute_metrics,
    evaluate,
    fit,
    get_compile_config,
    predict,
    predict_on_batch,
    stateless_compute_loss,
    test_on_batch,
    train_on_batch,
)

__version__ = "0.1.0"

guard_constructors()

__all__ = [
    "PyDataset",
    "TrainerMixin",
    "callbacks",
    "compile_from_config",
    "compile_model",
    "compute_loss",
    "compute_metrics",
    "evaluate",
    "fit",
    "get_compile_config",
    "losses",
    "metrics",
    "optimizers",
    "pack_x_y_sample_weight",
    "predict",
    "predict_on_batch",
    "stateless_compute_loss",
    "test_on_batch",
    "train_on_batch",
    "unpack_x_y_sample_weight",
]
