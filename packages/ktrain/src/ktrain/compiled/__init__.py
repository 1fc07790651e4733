"""Losses and metrics, as passed to `compile`, matched to a model's outputs."""

from ktrain.compiled.losses import CompileLoss
from ktrain.compiled.metrics import CompileMetrics

__all__ = ["CompileLoss", "CompileMetrics"]
