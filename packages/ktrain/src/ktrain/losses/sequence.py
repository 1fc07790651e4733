"""Connectionist temporal classification."""

from __future__ import annotations

from typing import Any

from kops import ops
from kops.registry import export
from ktrain.losses.loss import FunctionLoss

__all__ = ["CTC", "ctc"]


@export("keras.losses.ctc")
def ctc(y_true: Any, y_pred: Any) -> Any:
    """CTC loss of label sequences against longer sequences of class scores.

    Args:
        y_true: class ids, shape `(batch, max_length)`; 0 is the blank.
        y_pred: logits, shape `(batch, steps, classes)`.

    Returns:
        Tensor of shape `(batch,)`.

    Raises:
        ValueError: `y_true` has not two axes or `y_pred` not three.

    Source: A. Graves et al., "Connectionist Temporal Classification", ICML 2006.
    """
    y_true, y_pred = ops.convert_to_tensor(y_true), ops.convert_to_tensor(y_pred)
    if len(y_true.shape) != 2 or len(y_pred.shape) != 3:
        raise ValueError(
            "`ctc` needs y_true of shape (batch, max_length) and y_pred of shape "
            f"(batch, steps, classes). Received: y_true.shape={tuple(y_true.shape)}, "
            f"y_pred.shape={tuple(y_pred.shape)}"
        )
    if not hasattr(ops, "ctc_loss"):
        raise NotImplementedError("This version of kops has no `ops.ctc_loss`; upgrade kops.")
    batch, labels = ops.shape(y_true)[0], ops.shape(y_true)[1]
    ones = ops.ones((batch,), dtype="int32")
    return ops.ctc_loss(  # type: ignore[attr-defined]
        ops.cast(y_true, "int32"), y_pred, ones * labels, ones * ops.shape(y_pred)[1], mask_index=0
    )


@export("keras.losses.CTC")
class CTC(FunctionLoss):
    """CTC loss, see `ctc`.

    Args:
        reduction: see `Loss`.
        name: the loss's name.
        dtype: dtype of the computation.
    """

    _function = ctc
    _targets_dtype = None

    def __init__(
        self,
        reduction: str | None = "sum_over_batch_size",
        name: str = "ctc",
        dtype: Any = None,
    ) -> None:
        super().__init__(name=name, reduction=reduction, dtype=dtype)
