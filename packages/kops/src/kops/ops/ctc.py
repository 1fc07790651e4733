"""Connectionist temporal classification: the likelihood of labels without an alignment."""

from __future__ import annotations

from typing import Any

from kops import ops
from kops.op import Tensor, op_family
from kops.ops._precision import narrow, widen
from kops.specs import float_result, keep

__all__ = ["ctc_loss"]

op = op_family("nn")

# Stands for log 0: sums of a few of them stay finite, and so do gradients.
_NEVER = -1e30


@op(
    dtype={"target": keep, "output": float_result, "target_length": keep, "output_length": keep},
    name="CTCLoss",
)
def ctc_loss(
    target: Tensor,
    output: Tensor,
    target_length: Tensor,
    output_length: Tensor,
    mask_index: int = 0,
) -> Tensor:
    """Minus the log of the probability that a sequence of scores spells its labels.

    All alignments count: each step puts out a label or the blank, repeated labels are one,
    and blanks separate.

    Args:
        target: class numbers of the labels, shape (batch, labels). What lies beyond
            `target_length` is ignored.
        output: logits, shape (batch, steps, classes).
        target_length: number of labels of each sample, shape (batch,).
        output_length: number of steps of each sample, shape (batch,).
        mask_index: class number of the blank.

    Returns:
        Shape (batch,). Labels that do not fit into the steps have an infinite loss, and the
        gradient 0.

    Raises:
        ValueError: for ranks or sizes that do not fit, or a blank that is no class.

    Source: Graves et al., "Connectionist Temporal Classification", ICML 2006, equations 6-8.

    Example:

    >>> import numpy as np
    >>> from kops import ops
    >>> scores = np.zeros((1, 2, 2), "float32")  # four equally likely paths, three spell "1"
    >>> loss = ops.ctc_loss(np.array([[1]]), scores, np.array([1]), np.array([2]))
    >>> round(float(np.exp(-ops.convert_to_numpy(loss)[0])), 4)
    0.75
    """
    _check(target, output, target_length, output_length, mask_index)
    log_p = ops.log_softmax(widen(output), -1)
    batch, labels = ops.shape(target)
    target_length = ops.expand_dims(ops.cast(target_length, "int32"), 1)
    steps = ops.expand_dims(ops.cast(output_length, "int32"), 1)

    # Blanks around every label: 2 * labels + 1 states.
    position = ops.expand_dims(ops.arange(labels, dtype="int32"), 0)
    target = ops.where(ops.less(position, target_length), ops.cast(target, "int32"), mask_index)
    blanks = ops.full_like(target, mask_index)
    states = ops.reshape(ops.stack([blanks, target], axis=2), (batch, 2 * labels))
    states = ops.concatenate([states, ops.full_like(steps, mask_index)], 1)
    # A blank may be left out between different labels.
    before = ops.pad(states, ((0, 0), (2, 0)), constant_values=mask_index)[:, :-2]
    skips = ops.logical_and(ops.not_equal(states, mask_index), ops.not_equal(states, before))

    scores = ops.swapaxes(log_p, 0, 1)
    n = ops.shape(scores)[0]
    never = ops.full_like(ops.cast(states, scores.dtype), _NEVER)
    index = ops.arange(2 * labels + 1, dtype="int32")
    # As if a blank stood before the first step.
    start = ops.where(ops.equal(index, 0), ops.zeros_like(never), never)

    def step(alpha: Any, now: Any) -> Any:
        score, t = now
        here = ops.take_along_axis(score, states, axis=1)
        one = ops.pad(alpha, ((0, 0), (1, 0)), constant_values=_NEVER)[:, :-1]
        two = ops.pad(alpha, ((0, 0), (2, 0)), constant_values=_NEVER)[:, :-2]
        two = ops.where(skips, two, never)
        total = ops.logsumexp(ops.stack([alpha, one, two], axis=0), axis=0)
        new = ops.maximum(total + here, _NEVER)
        return ops.where(ops.less(t, steps), new, alpha), None

    times = ops.reshape(ops.arange(n, dtype="int32"), (n, 1, 1))
    alpha, _ = ops.scan(step, start, (scores, times))
    # The last label or the blank after it.
    last = ops.expand_dims(index, 0)
    ends = ops.logical_or(
        ops.equal(last, 2 * target_length), ops.equal(last, 2 * target_length - 1)
    )
    total = ops.logsumexp(ops.where(ends, alpha, never), axis=1)
    impossible = ops.less(total, _NEVER / 2)
    loss = ops.where(impossible, float("inf"), -ops.where(impossible, ops.zeros_like(total), total))
    return narrow(loss, output)


def _check(target: Any, output: Any, target_length: Any, output_length: Any, blank: Any) -> None:
    shapes = {
        "target": (target, 2, "(batch, labels)"),
        "output": (output, 3, "(batch, steps, classes)"),
        "target_length": (target_length, 1, "(batch,)"),
        "output_length": (output_length, 1, "(batch,)"),
    }
    for name, (value, rank, meaning) in shapes.items():
        if len(value.shape) != rank:
            raise ValueError(f"`{name}` must have the shape {meaning}, got {tuple(value.shape)}.")
    sizes = {name: value.shape[0] for name, (value, *_) in shapes.items()}
    if len({size for size in sizes.values() if size is not None}) > 1:
        raise ValueError(f"The batch sizes differ: {sizes}.")
    classes = output.shape[2]
    fits = isinstance(blank, int) and blank >= 0 and (classes is None or blank < classes)
    if not fits:
        raise ValueError(
            f"`mask_index` must be the number of one of {classes} classes; got {blank!r}."
        )
