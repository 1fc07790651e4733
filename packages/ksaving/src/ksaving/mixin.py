"""The saving methods of an assembled `Model`."""

from __future__ import annotations

import io
import os
from typing import Any

from ksaving.model_files import save_model
from ksaving.weights import load_weights, save_weights

__all__ = ["SavingMixin"]


class SavingMixin:
    """`save`, `save_weights` and `load_weights`, for classes that derive from `klayers.Model`."""

    def save(
        self,
        filepath: str | os.PathLike[str] | io.IOBase,
        overwrite: bool = True,
        zipped: bool | None = None,
        **kwargs: Any,
    ) -> None:
        """Writes the model to a `.keras` file; see `ksaving.save_model`."""
        save_model(self, filepath, overwrite=overwrite, zipped=zipped, **kwargs)

    def save_weights(
        self,
        filepath: str | os.PathLike[str],
        overwrite: bool = True,
        max_shard_size: float | None = None,
    ) -> None:
        """Writes the variables to a `.weights.h5` file; see `ksaving.save_weights`."""
        save_weights(self, filepath, overwrite=overwrite, max_shard_size=max_shard_size)

    def load_weights(
        self, filepath: str | os.PathLike[str], skip_mismatch: bool = False, **kwargs: Any
    ) -> None:
        """Reads the variables from a `.weights.h5` or `.keras` file; see `ksaving.load_weights`."""
        load_weights(self, filepath, skip_mismatch=skip_mismatch, **kwargs)
