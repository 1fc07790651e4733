"""ONNX files from any model on any engine."""

from __future__ import annotations

from kexport.onnx.export import export_onnx

__all__ = ["export_onnx"]
