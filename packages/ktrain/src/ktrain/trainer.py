"""Training as functions of a model: they take any `klayers.Model`."""

from ktrain.compiling import compile_from_config, compile_model, get_compile_config
from ktrain.evaluation import evaluate, predict
from ktrain.fitting import fit
from ktrain.on_batch import predict_on_batch, test_on_batch, train_on_batch
from ktrain.steps import compute_loss, compute_metrics, stateless_compute_loss

__all__ = [
    "compile_from_config",
    "compile_model",
    "compute_loss",
    "compute_metrics",
    "evaluate",
    "fit",
    "get_compile_config",
    "predict",
    "predict_on_batch",
    "stateless_compute_loss",
    "test_on_batch",
    "train_on_batch",
]
