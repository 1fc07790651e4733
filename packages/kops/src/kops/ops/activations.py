"""Activation functions, each of one tensor, element by element or along an axis."""

from __future__ import annotations

import math

from kops import ops
from kops.op import Tensor, op_family
from kops.ops._precision import narrow, widen
from kops.specs import accumulate, axes_of, axis_of, float_result, promote

__all__ = [
    "celu",
    "elu",
    "gelu",
    "glu",
    "hard_shrink",
    "hard_sigmoid",
    "hard_silu",
    "hard_swish",
    "hard_tanh",
    "leaky_relu",
    "log_sigmoid",
    "log_softmax",
    "relu",
    "relu6",
    "selu",
    "sigmoid",
    "silu",
    "soft_shrink",
    "softmax",
    "softplus",
    "softsign",
    "sparse_plus",
    "sparse_sigmoid",
    "sparsemax",
    "squareplus",
    "swish",
    "tanh_shrink",
    "threshold",
]

op = op_family("nn")

_SELU_ALPHA = 1.6732632423543772848170429916717
_SELU_SCALE = 1.0507009873554804934193349852946


@op(dtype=accumulate)
def relu(x: Tensor) -> Tensor:
    """Rectified linear unit, `max(x, 0)`. The gradient at 0 is 0.

    Example:

    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.relu([-1.0, 0.0, 2.0])).tolist()
    [0.0, 0.0, 2.0]
    """
    return ops.maximum(x, 0)


@op(dtype=float_result)
def relu6(x: Tensor) -> Tensor:
    """`min(max(x, 0), 6)`.

    Example:

    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.relu6([-1.0, 3.0, 9.0])).tolist()
    [0.0, 3.0, 6.0]
    """
    return ops.clip(x, 0, 6)


@op(dtype=float_result)
def sigmoid(x: Tensor) -> Tensor:
    """Logistic function `1 / (1 + exp(-x))`.

    Example:

    >>> from kops import ops
    >>> float(ops.sigmoid(0.0))
    0.5
    """
    return narrow(ops.tanh(x * 0.5) * 0.5 + 0.5, x)


@op(dtype=float_result)
def softplus(x: Tensor) -> Tensor:
    """`log(1 + exp(x))`, without overflow.

    Example:

    >>> from kops import ops
    >>> round(float(ops.softplus(0.0)), 4)
    0.6931
    """
    return ops.logaddexp(x, 0.0)


@op(dtype=float_result)
def softsign(x: Tensor) -> Tensor:
    """`x / (1 + |x|)`.

    Example:

    >>> from kops import ops
    >>> float(ops.softsign(1.0))
    0.5
    """
    return narrow(x / (ops.absolute(x) + 1.0), x)


@op(dtype=float_result)
def silu(x: Tensor) -> Tensor:
    """Sigmoid linear unit `x * sigmoid(x)`, also called swish (arXiv:1710.05941).

    Example:

    >>> from kops import ops
    >>> float(ops.silu(0.0))
    0.0
    """
    return x * sigmoid(x)


@op(dtype=float_result)
def log_sigmoid(x: Tensor) -> Tensor:
    """`log(sigmoid(x))`, accurate for large negative `x`.

    Example:

    >>> from kops import ops
    >>> float(ops.log_sigmoid(-200.0))
    -200.0
    """
    return -softplus(-x)


@op(dtype=float_result)
def leaky_relu(x: Tensor, negative_slope: float = 0.2) -> Tensor:
    """`x` where positive, `negative_slope * x` elsewhere.

    Example:

    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.leaky_relu([-2.0, 2.0], 0.5)).tolist()
    [-1.0, 2.0]
    """
    return ops.where(x > 0, x, narrow(x * negative_slope, x))


@op(dtype=float_result)
def hard_sigmoid(x: Tensor) -> Tensor:
    """Piecewise linear sigmoid `relu6(x + 3) / 6`.

    Example:

    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.hard_sigmoid([-3.0, 0.0, 3.0])).tolist()
    [0.0, 0.5, 1.0]
    """
    return narrow(relu6(x + 3.0) / 6.0, x)


@op(dtype=float_result)
def hard_silu(x: Tensor) -> Tensor:
    """`x * hard_sigmoid(x)`, also called hard swish (Howard et al., 2019, arXiv:1905.02244).

    Example:

    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.hard_silu([0.0, 3.0, 6.0])).tolist()
    [0.0, 3.0, 6.0]
    """
    return x * hard_sigmoid(x)


@op(dtype=promote)
def hard_tanh(x: Tensor) -> Tensor:
    """`x` limited to [-1, 1].

    Example:

    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.hard_tanh([-3.0, 0.5, 3.0])).tolist()
    [-1.0, 0.5, 1.0]
    """
    return ops.clip(x, -1, 1)


@op(dtype=float_result)
def elu(x: Tensor, alpha: float = 1.0) -> Tensor:
    """`x` where positive, `alpha * (exp(x) - 1)` elsewhere (arXiv:1511.07289).

    Example:

    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.elu([0.0, 2.0])).tolist()
    [0.0, 2.0]
    """
    # The unused branch sees 0, so that it neither overflows nor spoils the gradient.
    below = ops.expm1(ops.where(x > 0, ops.zeros_like(x), x)) * alpha
    return ops.where(x > 0, x, narrow(below, x))


@op(dtype=float_result)
def selu(x: Tensor) -> Tensor:
    """Scaled ELU with the self-normalizing constants (Klambauer et al., 2017, arXiv:1706.02515).

    Example:

    >>> from kops import ops
    >>> round(float(ops.selu(1.0)), 4)
    1.0507
    """
    return narrow(elu(x, _SELU_ALPHA) * _SELU_SCALE, x)


@op(dtype=float_result)
def celu(x: Tensor, alpha: float = 1.0) -> Tensor:
    """`x` where positive, `alpha * (exp(x / alpha) - 1)` elsewhere (arXiv:1704.07483).

    Example:

    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.celu([0.0, 2.0])).tolist()
    [0.0, 2.0]
    """
    below = ops.expm1(ops.where(x > 0, ops.zeros_like(x), x) / alpha) * alpha
    return ops.where(x > 0, x, narrow(below, x))


@op(dtype=float_result)
def gelu(x: Tensor, approximate: bool = True) -> Tensor:
    """Gaussian error linear unit, `x * P(X <= x)` for normal X (arXiv:1606.08415).

    Args:
        x: a tensor.
        approximate: whether to use the tanh formula in place of the error function.

    Example:

    >>> from kops import ops
    >>> round(float(ops.gelu(1.0, approximate=False)), 4)
    0.8413
    """
    if approximate:
        bend = ops.tanh((x + x * x * x * 0.044715) * math.sqrt(2 / math.pi))
    else:
        bend = ops.erf(x * math.sqrt(0.5))
    return narrow(x * 0.5 * (bend + 1.0), x)


@op(dtype=float_result)
def glu(x: Tensor, axis: int = -1) -> Tensor:
    """Gated linear unit: one half of `axis` times the sigmoid of the other (arXiv:1612.08083).

    Raises:
        ValueError: if the axis is out of range or its size odd.

    Example:

    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.glu([2.0, 0.0])).tolist()
    [1.0]
    """
    index = axis_of(axis, len(x.shape))
    size = x.shape[index]
    if size is not None and size % 2:
        raise ValueError(
            f"`axis` {axis} of `x` must have an even size to be halved, got shape {tuple(x.shape)}."
        )
    value, gate = ops.split(x, 2, axis=axis)
    return value * sigmoid(gate)


@op(dtype=float_result)
def tanh_shrink(x: Tensor) -> Tensor:
    """`x - tanh(x)`.

    Example:

    >>> from kops import ops
    >>> float(ops.tanh_shrink(0.0))
    0.0
    """
    return x - ops.tanh(x)


@op(dtype=float_result)
def hard_shrink(x: Tensor, threshold: float = 0.5) -> Tensor:
    """`x` where `|x| > threshold`, 0 elsewhere.

    Example:

    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.hard_shrink([-1.0, 0.2, 1.0])).tolist()
    [-1.0, 0.0, 1.0]
    """
    return ops.where(ops.absolute(x) > threshold, x, ops.zeros_like(x))


@op(dtype=float_result)
def soft_shrink(x: Tensor, threshold: float = 0.5) -> Tensor:
    """`x` moved towards 0 by `threshold`, at most to 0.

    Example:

    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.soft_shrink([-1.0, 0.2, 1.0])).tolist()
    [-0.5, 0.0, 0.5]
    """
    return x - ops.clip(x, -threshold, threshold)


@op(dtype=promote)
def threshold(x: Tensor, threshold: float, default_value: float) -> Tensor:
    """`x` where greater than `threshold`, `default_value` elsewhere.

    Example:

    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.threshold([1.0, 3.0], 2.0, 0.0)).tolist()
    [0.0, 3.0]
    """
    return ops.where(ops.greater(x, threshold), x, ops.full_like(x, default_value))


@op(dtype=float_result)
def squareplus(x: Tensor, b: float = 4) -> Tensor:
    """Smooth rectifier `(x + sqrt(x**2 + b)) / 2` (Barron, 2021, arXiv:2112.11687).

    Example:

    >>> from kops import ops
    >>> float(ops.squareplus(0.0))
    1.0
    """
    return narrow((x + ops.sqrt(x * x + b)) * 0.5, x)


@op(dtype=float_result)
def sparse_plus(x: Tensor) -> Tensor:
    """0 up to -1, `(x + 1)**2 / 4` up to 1, `x` beyond (arXiv:1602.02068).

    Example:

    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.sparse_plus([-2.0, 1.0, 3.0])).tolist()
    [0.0, 1.0, 3.0]
    """
    inner = ops.clip(x, -1, 1) + 1.0
    return narrow(inner * inner * 0.25 + ops.maximum(x - 1.0, 0.0), x)


@op(dtype=float_result)
def sparse_sigmoid(x: Tensor) -> Tensor:
    """0 up to -1, `(x + 1) / 2` up to 1, 1 beyond: the derivative of `sparse_plus`.

    Example:

    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.sparse_sigmoid([-2.0, 0.0, 3.0])).tolist()
    [0.0, 0.5, 1.0]
    """
    return narrow((ops.clip(x, -1, 1) + 1.0) * 0.5, x)


@op(dtype=float_result)
def softmax(x: Tensor, axis: int | tuple[int, ...] | None = -1) -> Tensor:
    """`exp(x)` divided by its sum along `axis`: positive numbers that add up to 1.

    Args:
        x: scores.
        axis: axis or axes of the sum; None for all.

    Raises:
        ValueError: for an axis out of range.

    Example:

    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.softmax([0.0, 0.0])).tolist()
    [0.5, 0.5]
    """
    axes = axes_of(axis, len(x.shape))
    scores = widen(x)
    exps = ops.exp(scores - ops.stop_gradient(_peak(scores, axes)))
    return narrow(exps / ops.sum(exps, axis=axes, keepdims=True), x)


@op(dtype=float_result)
def log_softmax(x: Tensor, axis: int | tuple[int, ...] | None = -1) -> Tensor:
    """Logarithm of `softmax`, accurate where that is close to 0.

    Raises:
        ValueError: for an axis out of range.

    Example:

    >>> from kops import ops
    >>> round(float(ops.log_softmax([0.0, 0.0])[0]), 4)
    -0.6931
    """
    axes = axes_of(axis, len(x.shape))
    scores = widen(x)
    shifted = scores - ops.stop_gradient(_peak(scores, axes))
    return narrow(shifted - ops.log(ops.sum(ops.exp(shifted), axis=axes, keepdims=True)), x)


def _peak(x: Tensor, axes: tuple[int, ...]) -> Tensor:
    # The start value gives an empty axis a maximum; it is below all that exp can tell from -inf.
    return ops.max(x, axis=axes, keepdims=True, initial=-3e38)


@op(dtype=float_result)
def sparsemax(x: Tensor, axis: int = -1) -> Tensor:
    """Euclidean projection of the scores along `axis` on the simplex (arXiv:1602.02068).

    Unlike softmax it gives exact zeros.

    Raises:
        ValueError: for an axis out of range.

    Example:

    >>> from kops import ops
    >>> ops.convert_to_numpy(ops.sparsemax([2.0, 0.0])).tolist()
    [1.0, 0.0]
    """
    index = axis_of(axis, len(x.shape))
    scores = widen(ops.moveaxis(x, index, -1))
    ordered = ops.flip(ops.sort(scores, axis=-1), axis=-1)
    ranks = ops.cumsum(ops.ones_like(ordered), axis=-1)
    sums = ops.cumsum(ordered, axis=-1) - 1.0
    # The support is the largest prefix whose last score is above the prefix's threshold.
    thresholds = sums / ranks
    support = ops.sum(ops.cast(ordered > thresholds, "int32"), axis=-1, keepdims=True)
    cut = ops.take_along_axis(thresholds, ops.maximum(support - 1, 0), axis=-1)
    return narrow(ops.moveaxis(ops.maximum(scores - cut, 0.0), -1, index), x)


swish = silu
hard_swish = hard_silu
