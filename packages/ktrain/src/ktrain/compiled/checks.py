"""Early checks of the targets' shapes against the outputs."""

from __future__ import annotations

from typing import Any

from ktrain import losses
from ktrain.data.host import host_array

__all__ = ["check_labels", "check_targets"]

_SPARSE = (losses.SparseCategoricalCrossentropy,)
_CATEGORICAL = (losses.CategoricalCrossentropy,)
_ELEMENTWISE = (
    losses.MeanSquaredError,
    losses.MeanAbsoluteError,
    losses.BinaryCrossentropy,
)


def check_targets(label: str, loss: Any, y_true: Any, y_pred: Any) -> None:
    """Refuses targets whose shape cannot go with the output under a built-in loss.

    Args:
        label: what the targets are called in messages.
        loss: the loss.
        y_true: targets: anything with a `shape`.
        y_pred: prediction: likewise.

    Raises:
        ValueError: the shapes do not go together; the message says what would.
    """
    true, pred = _shape(y_true), _shape(y_pred)
    if true is None or pred is None or not pred:
        return
    facts = f"`{label}` has shape {_show(true)} and the model's output {_show(pred)}"
    if loss.name == "sparse_categorical_crossentropy" or isinstance(loss, _SPARSE):
        if getattr(loss, "axis", -1) == -1 and not _is_sparse_target(true, pred):
            hint = (
                "The targets look one-hot: use `categorical_crossentropy`"
                if len(true) == len(pred)
                else "Check the last layer and the targets"
            )
            raise ValueError(
                f"{facts}, but `sparse_categorical_crossentropy` needs one class id per "
                f"prediction: shape {_show(pred[:-1])}. {hint}."
            )
        return
    if loss.name == "categorical_crossentropy" or isinstance(loss, _CATEGORICAL):
        if not _compatible(true, pred):
            hint = (
                "The targets look like class ids: use `sparse_categorical_crossentropy`, or "
                "`keras.utils.to_categorical(y)`"
                if len(true) < len(pred) or true[-1] == 1
                else "The last layer needs one unit per class"
            )
            raise ValueError(f"{facts}, but `categorical_crossentropy` needs equal shapes. {hint}.")
        return
    if isinstance(loss, _ELEMENTWISE) or loss.name in _ELEMENTWISE_NAMES:
        if not (_compatible(true, pred, broadcast=True) or _rank_differs_by_one(true, pred)):
            raise ValueError(
                f"{facts}; `{loss.name}` compares them element by element. Give the last layer "
                f"{true[-1] if len(true) > 1 else 1} units, or reshape the targets."
            )


def check_labels(loss: Any, y: Any, num_classes: int | None) -> None:
    """Refuses class ids that the model has no output for.

    Args:
        loss: the loss; only a sparse crossentropy has class ids.
        y: targets, an array.
        num_classes: size of the last axis of the output, None if unknown.

    Raises:
        ValueError: a class id is negative, or `num_classes` or more.
    """
    if not isinstance(loss, _SPARSE) or num_classes is None or loss.ignore_class is not None:
        return
    labels = host_array(y)
    if getattr(labels.dtype, "kind", "") not in "iuf" or not labels.size:
        return
    low, high = labels.min(), labels.max()
    if low < 0 or high >= num_classes:
        raise ValueError(
            f"`y` has class ids from {low} to {high}, but the model's output has {num_classes} "
            f"classes: ids must be 0 to {num_classes - 1}. Give the last layer more units, or "
            "renumber the classes from 0."
        )


_ELEMENTWISE_NAMES = {
    "mse",
    "mae",
    "mean_squared_error",
    "mean_absolute_error",
    "binary_crossentropy",
}


def _shape(x: Any) -> tuple[int | None, ...] | None:
    shape = getattr(x, "shape", None)
    if shape is None:
        return None
    try:
        return tuple(s if s is None else int(s) for s in shape)
    except (TypeError, ValueError):
        return None  # an unknown rank


def _show(shape: tuple[int | None, ...]) -> str:
    # The batch size is not what is wrong.
    rest = "".join(f", {s}" for s in shape[1:])
    return f"(batch{rest})" if rest else "(batch,)"


def _compatible(
    a: tuple[int | None, ...], b: tuple[int | None, ...], broadcast: bool = False
) -> bool:
    return len(a) == len(b) and all(
        x is None or y is None or x == y or (broadcast and 1 in (x, y))
        for x, y in zip(a[1:], b[1:], strict=True)
    )


def _is_sparse_target(true: tuple[int | None, ...], pred: tuple[int | None, ...]) -> bool:
    if len(true) == len(pred) and true[-1] in (1, None):
        true = true[:-1]
    return _compatible(true, pred[:-1])


def _rank_differs_by_one(true: tuple[int | None, ...], pred: tuple[int | None, ...]) -> bool:
    """Whether a trailing axis of size 1 makes the difference."""
    longer, shorter = (true, pred) if len(true) > len(pred) else (pred, true)
    if len(longer) != len(shorter) + 1 or longer[-1] not in (1, None):
        return False
    return _compatible(longer[:-1], shorter)
