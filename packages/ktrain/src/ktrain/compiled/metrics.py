"""`CompileMetrics`: the metrics passed to `compile`, one list per output, as one metric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from kops import masks, ops, tree
from ktrain import metrics as metrics_module
from ktrain.compiled.outputs import Outputs
from ktrain.metrics import Metric

__all__ = ["CompileMetrics"]

_ACCURACY = ("accuracy", "acc")


class _Entry(NamedTuple):
    output: int
    metric: Metric
    key: str
    weighted: bool


class CompileMetrics(Metric):
    """Updates the metrics of every output; the result is a dict.

    Args:
        metrics: a list of metrics (names, functions or `Metric`s) for a single output, or
            a list or dict with a metric or list of metrics per output.
        weighted_metrics: the same; these see the sample weights.
        name: name.

    Example:
    ```python
    >>> import numpy as np
    >>> from ktrain.compiled import CompileMetrics
    >>> metrics = CompileMetrics(["mae"])
    >>> metrics.update_state(np.zeros((2, 1)), np.full((2, 1), 0.5))
    >>> {k: float(v) for k, v in metrics.result().items()}
    {'mae': 0.5}

    ```
    """

    def __init__(self, metrics: Any, weighted_metrics: Any = None, name: str = "compile_metrics"):
        super().__init__(name=name)
        for argument, value in (("metrics", metrics), ("weighted_metrics", weighted_metrics)):
            _check(argument, value)
        self._given = (metrics, weighted_metrics)
        self._entries: list[_Entry] = []
        self._outputs: Outputs | None = None

    @property
    def built(self) -> bool:
        """Whether the metrics are matched to the outputs."""
        return self._outputs is not None

    @property
    def metrics(self) -> list[Metric]:
        """The metrics; empty before they are matched to the outputs."""
        return [entry.metric for entry in self._entries]

    @property
    def keys(self) -> list[str]:
        """Names of the results, in the order of `compile`; with several outputs, none.

        (Then the results are listed by name.)
        """
        single = self._outputs is not None and self._outputs.single
        return [entry.key for entry in self._entries] if single else []

    @property
    def variables(self) -> list[Any]:
        """The state of all metrics."""
        return [v for entry in self._entries for v in entry.metric.variables]

    def build(self, y_true: Any, y_pred: Any, output_names: Sequence[str] | None = None) -> None:
        """Matches metrics and outputs, and makes the metrics that depend on shapes.

        Raises:
            ValueError: they do not fit.
        """
        outputs = Outputs(y_pred, output_names)
        targets = tree.flatten(y_true)
        if len(targets) != len(outputs):
            targets = self._named_targets(outputs, y_true)
        predictions = tree.flatten(y_pred)
        self._entries = []
        for argument, given, weighted in (
            ("metrics", self._given[0], False),
            ("weighted_metrics", self._given[1], True),
        ):
            for i, wanted in enumerate(_per_output(argument, given, outputs)):
                for identifier in wanted:
                    metric, key = _resolve(identifier, targets[i], predictions[i])
                    key = self._unique_key(outputs.names[i], key, outputs.single, weighted)
                    self._entries.append(_Entry(i, metric, key, weighted))
                    build = getattr(metric, "build", None)
                    if build is not None and targets[i] is not None:
                        build(targets[i].shape, predictions[i].shape)
        self._outputs = outputs

    def _named_targets(self, outputs: Outputs, y_true: Any) -> list[Any]:
        """Targets by output; None for outputs that have none."""
        result: list[Any] = [None] * len(outputs)
        if isinstance(y_true, Mapping):
            for key, leaf in y_true.items():
                at = outputs.index(key)
                if at is not None:
                    result[at] = leaf
        return result

    def _unique_key(self, output: str | None, key: str, single: bool, weighted: bool) -> str:
        prefix = "" if single or output is None else f"{output}_"
        taken = {entry.key for entry in self._entries}
        candidate, k = prefix + key, 1
        if candidate in taken and weighted:
            candidate = f"{prefix}weighted_{key}"
        base = candidate
        while candidate in taken:
            candidate, k = f"{base}_{k}", k + 1
        return candidate

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Adds a batch to every metric.

        The mask attached to an output weighs its values, for unweighted metrics too.
        """
        if self._outputs is None:
            self.build(y_true, y_pred)
        outputs = self._outputs
        assert outputs is not None
        if outputs.single and not tree.is_nested(y_true):
            targets, predictions, weights = [y_true], [y_pred], [sample_weight]
        else:
            wanted = sorted({entry.output for entry in self._entries})
            picked = outputs.pick("y", y_true, wanted)
            targets = dict(zip(wanted, picked, strict=True))
            predictions = tree.flatten(y_pred)
            weights = [sample_weight] * len(outputs)
            if tree.is_nested(sample_weight):
                picked = outputs.pick("sample_weight", sample_weight, wanted)
                weights = dict(zip(wanted, picked, strict=True))
        for entry in self._entries:
            i = entry.output
            weight = weights[i] if entry.weighted else None
            prediction = predictions[i]
            mask = masks.get_mask(prediction)
            if mask is not None:
                weight = _masked_weight(weight, mask)
            entry.metric.update_state(targets[i], prediction, sample_weight=weight)

    def result(self) -> dict[str, Any]:
        """The metrics' results by name; a metric with several adds each of them."""
        if self._outputs is None:
            return {}
        results: dict[str, Any] = {}
        for entry in self._entries:
            value = entry.metric.result()
            results.update(value if isinstance(value, Mapping) else {entry.key: value})
        return results

    def reset_state(self) -> None:
        """Starts all metrics anew."""
        for entry in self._entries:
            entry.metric.reset_state()

    def get_config(self) -> dict[str, Any]:
        raise NotImplementedError("`model.get_compile_config()` writes the metrics down.")


def _masked_weight(weight: Any, mask: Any) -> Any:
    mask = ops.cast(mask, "float32")
    if weight is None:
        return mask
    weight = ops.convert_to_tensor(weight)
    while len(weight.shape) > len(mask.shape) and weight.shape[-1] == 1:
        weight = ops.squeeze(weight, axis=-1)
    while len(weight.shape) < len(mask.shape):
        weight = ops.expand_dims(weight, axis=-1)
    return ops.cast(weight, "float32") * mask


def _is_item(value: Any) -> bool:
    return not isinstance(value, (list, tuple, Mapping))


def _is_group(value: Any) -> bool:
    """Whether `value` is what one output is given: a metric or a flat list of them."""
    return _is_item(value) or (isinstance(value, (list, tuple)) and all(map(_is_item, value)))


def _check(argument: str, value: Any) -> None:
    """Refuses at once what can never become metrics, misspelt names above all."""
    if value is None:
        return
    if _is_item(value):
        if isinstance(value, str):
            if value not in _ACCURACY:
                metrics_module.get(value)
        elif not isinstance(value, Metric) and not callable(value):
            raise ValueError(
                f"`{argument}` must hold names of metrics, functions `(y_true, y_pred)` or "
                f"`keras.metrics.Metric` objects; got {value!r}."
            )
        return
    for item in value.values() if isinstance(value, Mapping) else value:
        _check(argument, item)


def _per_output(argument: str, given: Any, outputs: Outputs) -> list[list[Any]]:
    """The list of metrics of each output."""
    if given is None or (not _is_item(given) and len(given) == 0):
        return [[] for _ in range(len(outputs))]
    if _is_item(given):
        given = [given]
    if outputs.single and not isinstance(given, Mapping):
        if len(given) == 1 and isinstance(given[0], (list, tuple)):
            given = given[0]
        if not all(map(_is_item, given)):
            raise ValueError(
                f"The model has one output, so `{argument}` must be a flat list; got {given!r}."
            )
        return [list(given)]
    if isinstance(given, (list, tuple)) and len(given) != len(outputs):
        raise ValueError(
            f"`{argument}` has {len(given)} entries, but the model has {len(outputs)} outputs: "
            f"{outputs.describe()}. Give a list with one (list of) metrics per output, or a dict "
            f"by output name. Received: {argument}={given!r}"
        )
    if isinstance(given, (list, tuple)):
        matched = list(given)
    else:
        matched = outputs.match(argument, given, _is_group)
    return [[] if m is None else [m] if _is_item(m) else list(m) for m in matched]


def _resolve(identifier: Any, y_true: Any, y_pred: Any) -> tuple[Metric, str]:
    if isinstance(identifier, Metric):
        return identifier, identifier.name
    if isinstance(identifier, str) and identifier in _ACCURACY:
        return _accuracy(identifier, y_true, y_pred), identifier
    metric = metrics_module.get(identifier)
    if isinstance(metric, type):
        metric = metric()
    name = identifier if isinstance(identifier, str) else None
    if isinstance(metric, Metric):
        return metric, name or metric.name
    fn_name = getattr(metric, "__name__", "metric").strip("<>")
    return metrics_module.MeanMetricWrapper(metric, name=name or fn_name), name or fn_name


def _accuracy(name: str, y_true: Any, y_pred: Any) -> Metric:
    """The accuracy that goes with the shapes of targets and predictions."""
    if y_true is None:
        raise ValueError(
            f"The metric {name!r} needs targets: pass `y`, or use a metric class such as "
            "`keras.metrics.CategoricalAccuracy`."
        )
    true, pred = tuple(y_true.shape), tuple(y_pred.shape)
    if pred and pred[-1] == 1 or not pred:
        return metrics_module.BinaryAccuracy(name=name)
    if len(true) < len(pred) or (true and true[-1] == 1):
        return metrics_module.SparseCategoricalAccuracy(name=name)
    return metrics_module.CategoricalAccuracy(name=name)
