"""NumPy, and backends without a training engine: evaluation and prediction, eagerly."""

from __future__ import annotations

from typing import Any

from klayers import Model
from kops import config
from ktrain.engines.base import Engine, Program

__all__ = ["ENGINE"]


class NumpyEngine(Engine):
    """Runs test and prediction steps; says which engines train."""

    @property
    def NAME(self) -> str:  # type: ignore[override]
        """The active backend."""
        return config.backend()

    def _refuse(self) -> NotImplementedError:
        return NotImplementedError(
            f"The {self.NAME} engine has no gradients, so it cannot train (`evaluate` and "
            "`predict` work). Engines that train: jax, torch, tensorflow. Choose one before "
            "importing keras: set the environment variable KERAS_BACKEND, for example "
            '`KERAS_BACKEND=jax python script.py`, or put {"backend": "jax"} into keras.json. '
            "A model saved there predicts here."
        )

    def train_step(self, model: Model, *args: Any) -> Any:
        """Refuses.

        Raises:
            NotImplementedError: always; the message says which engines train.
        """
        raise self._refuse()

    def make_program(self, model: Model, kind: str) -> Program:
        """Makes a program, but none that trains."""
        if kind == "train":
            raise self._refuse()
        return super().make_program(model, kind)


ENGINE = NumpyEngine()
