"""Scaled dot-product attention."""

from __future__ import annotations

import math

from kops import ops
from kops.op import Argument, Tensor, op_family
from kops.ops._precision import narrow, widen
from kops.specs import float_result, keep

__all__ = ["dot_product_attention"]

op = op_family("nn")

# Takes a score out of the softmax, yet a row without any allowed key stays finite (and uniform).
_MASKED = -0.7 * 3.4028234663852886e38


@op(dtype={"query key value bias": float_result, "mask": keep})
def dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    bias: Tensor | None = None,
    mask: Tensor | None = None,
    scale: Argument = None,
    is_causal: bool = False,
    flash_attention: bool | None = None,
    attn_logits_soft_cap: float | None = None,
) -> Tensor:
    """`softmax(query @ key.T * scale + bias) @ value` for several heads (arXiv:1706.03762).

    Args:
        query: shape (batch, targets, heads, size).
        key: shape (batch, sources, key heads, size); the key heads divide the heads (grouped
            queries).
        value: shape (batch, sources, key heads, size of the result).
        bias: added to the scores; broadcasts to (batch, heads, targets, sources).
        mask: True where a target may look at a source; broadcasts to (batch, heads, targets,
            sources).
        scale: factor of the scores; `1 / sqrt(size)` if None.
        is_causal: whether target i sees only the sources up to i.
        flash_attention: kept for Keras; each engine picks its own fastest kernel.
        attn_logits_soft_cap: `cap * tanh(scores / cap)` limits the scores to that size.

    Returns:
        Shape (batch, targets, heads, size of the result).

    Raises:
        ValueError: for ranks or heads that do not fit.

    Example:

    >>> import numpy as np
    >>> from kops import ops
    >>> x = np.ones((1, 3, 2, 4), "float32")
    >>> tuple(ops.dot_product_attention(x, x, x, is_causal=True).shape)
    (1, 3, 2, 4)
    """
    groups = _groups(query, key, value)
    if groups > 1:
        key, value = ops.repeat(key, groups, axis=2), ops.repeat(value, groups, axis=2)
    factor = 1.0 / math.sqrt(int(ops.shape(query)[-1])) if scale is None else scale
    scores = ops.einsum("btnh,bsnh->bnts", widen(query), widen(key)) * factor
    if attn_logits_soft_cap is not None:
        scores = ops.tanh(scores / attn_logits_soft_cap) * attn_logits_soft_cap
    if bias is not None:
        scores = scores + widen(bias)
    if mask is not None:
        scores = ops.where(ops.cast(mask, "bool"), scores, _MASKED)
    if is_causal:
        shape = ops.shape(scores)
        targets, sources = ops.arange(shape[-2]), ops.arange(shape[-1])
        scores = ops.where(
            ops.expand_dims(targets, 1) >= ops.expand_dims(sources, 0), scores, _MASKED
        )
    weights = ops.softmax(scores, axis=-1)
    return narrow(ops.einsum("bnts,bsnh->btnh", weights, widen(value)), query)


def _groups(query: Tensor, key: Tensor, value: Tensor) -> int:
    """How many query heads share a key head; checks ranks and sizes."""
    for name, x in (("query", query), ("key", key), ("value", value)):
        if len(x.shape) != 4:
            raise ValueError(
                f"`{name}` must have rank 4 (batch, length, heads, size), got shape "
                f"{tuple(x.shape)}."
            )
    heads, shared = query.shape[2], key.shape[2]
    if heads is None or shared is None:
        return 1
    if value.shape[2] not in (None, shared) or not shared or heads % shared:
        raise ValueError(
            "`key` and `value` must have the same number of heads, a divisor of that of "
            "`query`; got "
            f"{shared} and {value.shape[2]} for {heads}."
        )
    sizes = query.shape[3], key.shape[3]
    if None not in sizes and sizes[0] != sizes[1]:
        raise ValueError(
            f"`query` and `key` must have the same size per head, got {sizes[0]} and {sizes[1]}."
        )
    return heads // shared
