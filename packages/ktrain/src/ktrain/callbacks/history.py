"""`History`: the metrics of every epoch."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kops.registry import export
from ktrain.callbacks.callback import Callback

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["History"]


@export("keras.callbacks.History")
class History(Callback):
    """Records metrics epoch by epoch; `fit` adds one and returns it.

    Attributes:
        history: metric name to a list with one value per epoch.
        epoch: the epochs' numbers.

    Example:
    ```python
    >>> from ktrain.callbacks import History
    >>> history = History()
    >>> history.on_train_begin()
    >>> history.on_epoch_end(0, {"loss": 0.5})
    >>> history.history
    {'loss': [0.5]}

    ```
    """

    def __init__(self) -> None:
        super().__init__()
        self.history: dict[str, list[Any]] = {}
        self.epoch: list[int] = []

    def on_train_begin(self, logs: Any = None) -> None:
        """Starts the list of epochs anew."""
        self.epoch = []

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Records the epoch."""
        self.epoch.append(epoch)
        for name, value in (logs or {}).items():
            self.history.setdefault(name, []).append(value)
        if self.model is not None:
            self.model.history = self

    def get_state(self) -> dict[str, Any]:
        """The metrics and epochs so far."""
        return {"history": self.history, "epoch": self.epoch}

    def set_state(self, state: dict[str, Any]) -> None:
        """Goes on from a recorded state."""
        self.history = {name: list(values) for name, values in state["history"].items()}
        self.epoch = list(state["epoch"])

    def plot(
        self, metrics: Iterable[str] | str | None = None, path: str | Path | None = None
    ) -> Figure:
        """Draws the training curves, one panel per metric, validation beside training.

        Args:
            metrics: names without `val_`; all by default.
            path: where to save the picture, if anywhere.

        Returns:
            A matplotlib figure.

        Raises:
            ImportError: matplotlib is not installed.
            ValueError: a metric was not recorded.
        """
        try:
            from matplotlib.figure import Figure
        except ImportError as error:
            raise ImportError(
                "`History.plot()` needs matplotlib, which is not installed. Install it with "
                "`pip install matplotlib`."
            ) from error
        names = self._panels(metrics)
        figure = Figure(figsize=(5.0 * len(names), 3.5), layout="constrained")
        for panel, name in zip(
            figure.subplots(1, len(names), squeeze=False)[0], names, strict=True
        ):
            for key, label in ((name, "training"), (f"val_{name}", "validation")):
                values = self.history.get(key)
                if values:
                    first = self.epoch[-1] - len(values) + 2 if self.epoch else 1
                    panel.plot(range(first, first + len(values)), values, marker=".", label=label)
            panel.set_xlabel("epoch")
            panel.set_title(name)
            panel.xaxis.get_major_locator().set_params(integer=True)
            panel.grid(alpha=0.3)
            panel.legend()
        if path is not None:
            figure.savefig(path, dpi=120)
        return figure

    def _panels(self, metrics: Iterable[str] | str | None) -> list[str]:
        if metrics is None:
            names = [n for n in self.history if not n.startswith("val_")]
        else:
            names = [metrics] if isinstance(metrics, str) else list(metrics)
        missing = [n for n in names if n not in self.history]
        if missing or not names:
            raise ValueError(
                f"Nothing was recorded for the metrics {missing}. Recorded: {list(self.history)}"
            )
        return names
