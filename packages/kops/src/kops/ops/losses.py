"""Cross-entropies, element by element or along one axis.

Probabilities are kept `config.epsilon()` away from 0 and 1, in float32 for 16-bit floats, so
that every loss
and gradient is finite.
"""

from __future__ import annotations

import math

from kops import config, ops
from kops.backend import has_values
from kops.op import Tensor, op_family
from kops.ops._precision import dtype_name, narrow, widen
from kops.shapes import refuse_classes
from kops.specs import axis_of, float_result, keep

__all__ = [
    "binary_crossentropy",
    "categorical_crossentropy",
    "psnr",
    "sparse_categorical_crossentropy",
]

op = op_family("nn")


def _same_shape(x1: Tensor, x2: Tensor, names: tuple[str, str] = ("target", "output")) -> None:
    a, b = tuple(x1.shape), tuple(x2.shape)
    if len(a) != len(b) or any(
        m is not None and n is not None and m != n for m, n in zip(a, b, strict=True)
    ):
        raise ValueError(
            f"`{names[0]}` and `{names[1]}` must have the same shape, got {a} and {b}."
        )


@op(dtype=float_result)
def binary_crossentropy(target: Tensor, output: Tensor, from_logits: bool = False) -> Tensor:
    """`-(target * log(p) + (1 - target) * log(1 - p))`, element-wise.

    Args:
        target: probabilities or 0/1, of the shape of `output`.
        output: probabilities, or logits with `from_logits=True`.
        from_logits: whether `p = sigmoid(output)`.

    Raises:
        ValueError: if the shapes differ.

    Example:

    >>> from kops import ops
    >>> round(float(ops.binary_crossentropy([1.0], [0.5])[0]), 4)
    0.6931
    """
    _same_shape(target, output)
    t, x = widen(target), widen(output)
    if from_logits:
        return narrow((1.0 - t) * x + ops.softplus(-x), output)
    eps = config.epsilon()
    p = ops.clip(x, eps, 1.0 - eps)
    return narrow(-(t * ops.log(p) + (1.0 - t) * ops.log(1.0 - p)), output)


@op(dtype=float_result)
def categorical_crossentropy(
    target: Tensor, output: Tensor, from_logits: bool = False, axis: int = -1
) -> Tensor:
    """`-sum(target * log(p))` along `axis`.

    Args:
        target: probabilities of the classes, of the shape of `output`.
        output: probabilities (scaled to add up to 1), or logits with `from_logits=True`.
        from_logits: whether `p = softmax(output)`.
        axis: the axis of the classes.

    Raises:
        ValueError: if the shapes differ, or the axis is out of range.

    Example:

    >>> from kops import ops
    >>> round(float(ops.categorical_crossentropy([0.0, 1.0], [0.5, 0.5])), 4)
    0.6931
    """
    _has_axis(output)
    _same_shape(target, output)
    axis = axis_of(axis, len(output.shape))
    t = widen(target)
    return narrow(-ops.sum(t * _log_probabilities(output, from_logits, axis), axis=axis), output)


@op(dtype={"target": keep, "output": float_result}, name="SparseCategoricalCrossentropy")
def sparse_categorical_crossentropy(
    target: Tensor, output: Tensor, from_logits: bool = False, axis: int = -1
) -> Tensor:
    """`-log(p[target])` along `axis`, for classes given by number.

    Args:
        target: class numbers, of the shape of `output` without `axis` (or with size 1 there).
        output: probabilities (scaled to add up to 1), or logits with `from_logits=True`.
        from_logits: whether `p = softmax(output)`.
        axis: the axis of the classes.

    Raises:
        ValueError: if the shapes do not fit, the axis is out of range, or a class number is not
            one of the axis. A compiled call cannot raise for a class number, nor does a call on
            an accelerator wait to see it: the loss is NaN there.

    Example:

    >>> from kops import ops
    >>> round(float(ops.sparse_categorical_crossentropy(1, [0.5, 0.5])), 4)
    0.6931
    """
    _has_axis(output)
    axis = axis_of(axis, len(output.shape))
    target = class_numbers(target, output, axis)
    log_p = _log_probabilities(output, from_logits, axis)
    classes = ops.shape(output)[axis]
    known = ops.logical_and(ops.greater_equal(target, 0), ops.less(target, classes))
    if has_values(known) and not ops.convert_to_numpy(known).all():
        refuse_classes(ops.convert_to_numpy(target), classes)
    hits = ops.one_hot(target, classes, axis=axis, dtype=dtype_name(log_p))
    loss = -ops.sum(hits * log_p, axis=axis)
    return narrow(ops.where(known, loss, float("nan")), output)


def class_numbers(target: Tensor, output: Tensor, axis: int) -> Tensor:
    """`target` as int32, without the axis of the classes; checks the shapes."""
    a, b = tuple(target.shape), tuple(output.shape)
    if len(a) == len(b) and a[axis] == 1:
        target = ops.squeeze(target, axis)
        a = a[:axis] + a[axis + 1 :]
    rest = b[:axis] + b[axis + 1 :]
    if len(a) != len(rest) or any(
        m is not None and n is not None and m != n for m, n in zip(a, rest, strict=True)
    ):
        raise ValueError(
            f"`target` must have the shape of `output` without the axis of the classes, {rest}; "
            f"got {a} for "
            f"`output` of shape {b} and axis {axis}."
        )
    name = dtype_name(target)
    return target if name in ("int32", "int64") else ops.cast(target, "int32")


def _has_axis(output: Tensor) -> None:
    if not len(output.shape):
        raise ValueError("`output` must have an axis of classes, got a scalar.")


def _log_probabilities(output: Tensor, from_logits: bool, axis: int) -> Tensor:
    wide = widen(output)
    if from_logits:
        return ops.log_softmax(wide, axis)
    eps = config.epsilon()
    total = ops.sum(wide, axis=axis, keepdims=True)
    # All-zero rows keep a finite loss and gradient.
    wide = wide / ops.where(total == 0, ops.ones_like(total), total)
    return ops.log(ops.clip(wide, eps, 1.0 - eps))


@op(dtype=float_result, name="PSNR")
def psnr(x1: Tensor, x2: Tensor, max_val: float) -> Tensor:
    """Peak signal-to-noise ratio in decibel: `10 log10(max_val**2 / mean((x1 - x2)**2))`.

    Equal images have an infinite one.

    Args:
        x1: images.
        x2: images of the same shape.
        max_val: the largest value that a pixel may have.

    Returns:
        A scalar.

    Raises:
        ValueError: if the shapes differ or `max_val` is not positive.

    Example:

    >>> from kops import ops
    >>> round(float(ops.psnr([0.0, 1.0], [0.0, 0.5], 1.0)), 3)
    9.031
    """
    _same_shape(x1, x2, ("x1", "x2"))
    if not isinstance(max_val, (int, float)) or not max_val > 0:
        raise ValueError(f"`max_val` must be a positive number; got {max_val!r}.")
    error = ops.mean(ops.square(widen(x1) - widen(x2)))
    return narrow(20.0 * math.log10(max_val) - 10.0 * ops.log10(error), x1)
