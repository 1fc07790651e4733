"""`CompileLoss`: the losses passed to `compile`, one per output, added up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from kops import ops, tree
from ktrain import losses as losses_module
from ktrain.compiled.checks import check_targets
from ktrain.compiled.outputs import Outputs
from ktrain.losses import Loss
from ktrain.losses.shapes import align_rank
from ktrain.metrics import Mean

__all__ = ["CompileLoss"]


class _Entry(NamedTuple):
    output: int
    loss: Loss
    weight: float | None
    name: str


class CompileLoss:
    """Adds up one loss per output.

    Args:
        loss: a loss (its name, a function or a `Loss`) for all outputs, or a list or
            dict of losses by output; None for an output without one.
        loss_weights: a factor per loss, in the same form.

    Example:
    ```python
    >>> import numpy as np
    >>> from ktrain.compiled import CompileLoss
    >>> loss = CompileLoss({"a": "mse", "b": "mse"}, {"b": 2.0})
    >>> y = {"a": np.zeros((2, 1)), "b": np.zeros((2, 1))}
    >>> p = {"a": np.ones((2, 1)), "b": np.ones((2, 1))}
    >>> float(loss(y, p))
    3.0

    ```
    """

    def __init__(self, loss: Any, loss_weights: Any = None):
        self._given = loss
        self._weights = loss_weights
        self._losses = _map_items(loss, _resolve)
        _check_weights(loss_weights)
        self._entries: list[_Entry] = []
        self._outputs: Outputs | None = None
        self._trackers: list[Mean] = []

    @property
    def metrics(self) -> list[Mean]:
        """The mean of each loss; empty if there is only one."""
        return self._trackers

    @property
    def single_loss(self) -> Loss | None:
        """The loss of a model with one output, None with several."""
        single = self._outputs is not None and self._outputs.single
        return self._entries[0].loss if single else None

    @property
    def built(self) -> bool:
        """Whether the losses are matched to the outputs."""
        return self._outputs is not None

    def build(self, y_true: Any, y_pred: Any, output_names: Sequence[str] | None = None) -> None:
        """Matches losses and outputs.

        Raises:
            ValueError: they do not fit, or the targets' shapes do not fit the outputs'.
        """
        outputs = Outputs(y_pred, output_names)
        per_output = outputs.match("loss", self._losses, _is_loss)
        wanted = [i for i, loss in enumerate(per_output) if loss is not None]
        if not wanted:
            raise ValueError(
                f"`loss` names no loss for any output. Outputs: {outputs.describe()}; "
                f"received: loss={self._given!r}"
            )
        names = _loss_names(outputs, wanted, per_output)
        weights = self._match_weights(outputs, wanted)
        self._entries = [
            _Entry(i, per_output[i], weights[k], names[k]) for k, i in enumerate(wanted)
        ]
        if len(wanted) > 1:
            self._trackers = [Mean(name=name) for name in names]
        if y_true is not None:
            targets = outputs.pick("y", y_true, wanted)
            predictions = tree.flatten(y_pred)
            for entry, target in zip(self._entries, targets, strict=True):
                label = "y" if outputs.single else f"y (for output {entry.name!r})"
                check_targets(label, entry.loss, target, predictions[entry.output])
        self._outputs = outputs

    def _match_weights(self, outputs: Outputs, wanted: list[int]) -> list[float | None]:
        given = self._weights
        if given is None:
            return [None] * len(wanted)
        if isinstance(given, (int, float)):
            if len(wanted) > 1:
                raise ValueError(
                    f"`loss_weights` is one number, but there are {len(wanted)} losses. Give one "
                    f"per output: {outputs.describe()}."
                )
            return [float(given)]
        if isinstance(given, (list, tuple)) and len(given) == len(wanted) != len(outputs):
            return [None if w is None else float(w) for w in given]
        matched = outputs.match("loss_weights", given, lambda v: isinstance(v, (int, float)))
        return [None if matched[i] is None else float(matched[i]) for i in wanted]

    def __call__(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        """The weighted sum of the losses, a scalar."""
        return self.call_each(y_true, y_pred, sample_weight)[0]

    def call_each(
        self, y_true: Any, y_pred: Any, sample_weight: Any = None
    ) -> tuple[Any, list[Any]]:
        """The weighted sum of the losses, and each of them (empty if there is only one)."""
        if self._outputs is None:
            self.build(y_true, y_pred)
        outputs, entries = self._outputs, self._entries
        assert outputs is not None
        if outputs.single and not tree.is_nested(y_true):
            entry = entries[0]
            value = entry.loss(y_true, y_pred, sample_weight)
            return (value if entry.weight is None else value * entry.weight), []
        wanted = [e.output for e in entries]
        targets = outputs.pick("y", y_true, wanted)
        predictions = tree.flatten(y_pred)
        weights = [sample_weight] * len(entries)
        if tree.is_nested(sample_weight):
            weights = outputs.pick("sample_weight", sample_weight, wanted)
        values = [
            e.loss(target, predictions[e.output], weight)
            for e, target, weight in zip(entries, targets, weights, strict=True)
        ]
        total = None
        for entry, value in zip(entries, values, strict=True):
            part = value if entry.weight is None else value * entry.weight
            total = part if total is None else total + part
        return total, (values if self._trackers else [])

    def track(self, values: list[Any], batch_size: Any) -> None:
        """Adds each loss of a batch to its mean."""
        for tracker, value in zip(self._trackers, values, strict=False):
            tracker.update_state(ops.stop_gradient(value), sample_weight=batch_size)


def _is_loss(value: Any) -> bool:
    return isinstance(value, Loss)


def _map_items(value: Any, fn: Any) -> Any:
    if isinstance(value, Mapping) and "class_name" not in value:
        return {key: _map_items(item, fn) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_map_items(item, fn) for item in value]
    return None if value is None else fn(value)


def _resolve(identifier: Any) -> Loss:
    if isinstance(identifier, Loss):
        return identifier
    loss = losses_module.get(identifier)
    if isinstance(loss, type):
        loss = loss()
    if isinstance(loss, Loss):
        return loss
    if not callable(loss):
        raise ValueError(
            f"`loss` must be the name of a loss, a function `(y_true, y_pred)` or a "
            f"`keras.losses.Loss`; got {identifier!r}."
        )
    name = identifier if isinstance(identifier, str) else getattr(loss, "__name__", "loss")
    known = _class_of(loss)
    return _Function(loss, name) if known is None else known(name=name)


class _Function(Loss):
    """A user's function `(y_true, y_pred)` as a loss."""

    def __init__(self, fn: Any, name: str):
        super().__init__(name=name)
        self._fn = fn

    def call(self, y_true: Any, y_pred: Any) -> Any:
        if not (tree.is_nested(y_true) or tree.is_nested(y_pred)):
            y_true, y_pred = align_rank(y_true, y_pred)
        return self._fn(y_true, y_pred)


def _class_of(fn: Any) -> Any:
    """The loss class made from one of the library's functions."""
    for name in losses_module.__all__:
        found = getattr(losses_module, name)
        if isinstance(found, type) and getattr(found, "_function", None) is fn:
            return found
    return None


def _check_weights(weights: Any) -> None:
    def check(weight: Any) -> None:
        if isinstance(weight, bool) or not isinstance(weight, (int, float)):
            raise ValueError(f"`loss_weights` must hold numbers; got {weight!r}.")

    _map_items(weights, check)


def _loss_names(outputs: Outputs, wanted: list[int], per_output: list[Any]) -> list[str]:
    names: list[str] = []
    for i in wanted:
        path = outputs.paths[i]
        base = outputs.names[i] or ""
        if not base or (path and not isinstance(path[-1], str) and base == _prefix(path)):
            own = per_output[i].name
            base = f"{base}/{own}" if base else own
        name, k = f"{base}_loss", 1
        while name in names:
            name, k = f"{base}_{k}_loss", k + 1
        names.append(name)
    return names


def _prefix(path: tuple[Any, ...]) -> str:
    return "/".join(key for key in path if isinstance(key, str))
