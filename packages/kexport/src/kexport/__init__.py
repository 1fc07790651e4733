"""kexport: models for other runtimes, from the graph of their ops."""

from __future__ import annotations

from kexport.mixin import ExportMixin, export
from kexport.tracing import trace

__version__ = "0.1.0"

__all__ = ["ExportMixin", "export", "trace"]
