"""Exporting a model to the formats of other runtimes."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from typing import Any

__all__ = ["ExportMixin", "export"]


def _onnx(model: Any, filepath: Any, input_signature: Any) -> None:
    try:
        importlib.import_module("onnx")
    except ImportError as e:
        raise ImportError(
            "Exporting to ONNX needs the package 'onnx', which is not installed. Install it with: "
            'pip install "keras-meta[onnx]"'
        ) from e
    # Imported here: `onnx` is an optional dependency.
    importlib.import_module("kexport.onnx").export_onnx(model, filepath, input_signature)


FORMATS: dict[str, Callable[..., None]] = {"onnx": _onnx}
_LATER = ("tf_saved_model", "openvino", "litert", "torch")


def export(
    model: Any,
    filepath: str | os.PathLike[str],
    format: str = "tf_saved_model",
    verbose: bool | None = None,
    input_signature: Any = None,
    **kwargs: Any,
) -> None:
    """Writes a model for another runtime.

    Args:
        model: built model.
        filepath: where to write.
        format: "onnx".
        verbose: whether to print a line when done; False by default.
        input_signature: what the inputs are like, such as `[keras.InputSpec(shape=(None, 8))]`;
            from the model itself if None.

    Raises:
        ValueError: for a format that is not supported.
        ImportError: if the format's package is missing; names the extra to install.

    Example:
    ```python
    model.export("model.onnx", format="onnx")
    ```
    """
    if kwargs:
        raise TypeError(f"export() got unexpected arguments {sorted(kwargs)}.")
    if format not in FORMATS:
        reason = "is not supported yet" if format in _LATER else "is unknown"
        raise ValueError(f"The format {format!r} {reason}; accepted: {sorted(FORMATS)}.")
    FORMATS[format](model, filepath, input_signature)
    if verbose:
        print(f"Exported {model.name!r} to {os.fspath(filepath)!r} as {format}.")


class ExportMixin:
    """`export`, for classes that derive from `klayers.Model`."""

    def export(
        self,
        filepath: str | os.PathLike[str],
        format: str = "tf_saved_model",
        verbose: bool | None = None,
        input_signature: Any = None,
        **kwargs: Any,
    ) -> None:
        """Writes the model for another runtime; see `kexport.export`."""
        export(self, filepath, format, verbose, input_signature, **kwargs)
