"""torch: normalization, attention, losses and recurrence through the fused kernels."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F

from kops import config
from kops.callables import is_op
from kops.operators import OPS

__all__ = ["TABLE"]

_LOW = (torch.float16, torch.bfloat16)


def _features_first(x: torch.Tensor, axis: int) -> torch.Tensor:
    """View of `x` with `axis` second; channels-last data is torch's own memory format."""
    index = axis % x.ndim
    return x if index == 1 else x.movedim(index, 1)


def _features_back(y: torch.Tensor, axis: int) -> torch.Tensor:
    index = axis % y.ndim
    return y if index == 1 else y.movedim(1, index)


def _constant(*values: torch.Tensor) -> bool:
    """Whether no gradient is wanted with respect to the values."""
    return not torch.is_grad_enabled() or not any(v.requires_grad for v in values)


def _vectors(x: torch.Tensor, axis: int, *values: torch.Tensor | None) -> bool:
    return (
        x.ndim > 1
        and -x.ndim <= axis < x.ndim
        and all(v is None or v.shape == (x.shape[axis],) for v in values)
    )


def _can_batch_normalize(x, mean, variance, axis, offset, scale, epsilon):
    # The kernel takes the statistics for constants.
    return (
        _constant(mean, variance)
        and x.numel() > 0
        and _vectors(x, axis, mean, variance, offset, scale)
    )


_LARGE = 1 << 15


def batch_normalization(x, mean, variance, axis, offset=None, scale=None, epsilon=1e-3):
    dtype = torch.float32 if x.dtype in _LOW else x.dtype
    if (
        x.dtype is dtype
        and x.numel() >= _LARGE
        and axis in (-1, x.ndim - 1)
        and not torch.is_grad_enabled()
    ):
        # One pass over large channels-last data; torch's kernel is slower there.
        factor = torch.rsqrt(variance + epsilon)
        factor = factor if scale is None else factor * scale
        shift = -mean * factor if offset is None else offset - mean * factor
        return torch.addcmul(shift, x, factor)
    vectors = [None if v is None else v.to(dtype) for v in (mean, variance, scale, offset)]
    y = F.batch_norm(_features_first(x, axis), *vectors, False, 0.0, epsilon)
    return _features_back(y, axis)


def _can_train(x, scale, offset, axis, epsilon):
    return x.numel() > 0 and _vectors(x, axis, scale, offset)


def batch_norm_train(x, scale, offset, axis, epsilon=1e-3):
    dtype = torch.float32 if x.dtype in _LOW else x.dtype
    scale, offset = (None if v is None else v.to(dtype) for v in (scale, offset))
    y, mean, inverse = torch.native_batch_norm(
        _features_first(x, axis), scale, offset, None, None, True, 0.0, epsilon
    )
    variance = inverse.detach().pow(-2).sub_(epsilon).clamp_(min=0)
    return _features_back(y, axis), mean.detach(), variance


def _last_axes(x: torch.Tensor, axis: Any) -> tuple[int, ...] | None:
    """The sizes of `axis` if those are the last axes of `x`, in order."""
    if axis == -1:
        return x.shape[-1:]
    axes = sorted(a % x.ndim for a in (axis if isinstance(axis, (tuple, list)) else (axis,)))
    return tuple(x.shape[axes[0] :]) if axes == list(range(x.ndim - len(axes), x.ndim)) else None


def layer_normalization(x, gamma=None, beta=None, axis=-1, epsilon=None, **kwargs):
    sizes = _last_axes(x, axis) if not kwargs and x.ndim else None
    if (
        sizes is None
        or (gamma is not None and gamma.shape != sizes)
        or (beta is not None and beta.shape != sizes)
    ):
        return OPS["layer_normalization"].body(x, gamma, beta, axis, epsilon, **kwargs)
    if gamma is not None and gamma.dtype is not x.dtype:
        gamma = gamma.to(x.dtype)
    if beta is not None and beta.dtype is not x.dtype:
        beta = beta.to(x.dtype)
    return torch.layer_norm(x, sizes, gamma, beta, config.epsilon() if epsilon is None else epsilon)


def rms_normalization(x, scale=None, axis=-1, epsilon=None):
    sizes = _last_axes(x, axis) if x.ndim else None
    if sizes is None or (scale is not None and scale.shape != sizes):
        return OPS["rms_normalization"].body(x, scale, axis, epsilon)
    scale = None if scale is None else scale.to(x.dtype)
    return F.rms_norm(x, sizes, scale, config.epsilon() if epsilon is None else epsilon)


def _can_attend(
    query, key, value, bias, mask, scale, is_causal, flash_attention, attn_logits_soft_cap
):
    return attn_logits_soft_cap is None and query.ndim == key.ndim == value.ndim == 4


def dot_product_attention(
    query,
    key,
    value,
    bias=None,
    mask=None,
    scale=None,
    is_causal=False,
    flash_attention=None,
    attn_logits_soft_cap=None,
):
    q, k, v = (t.transpose(1, 2) for t in (query, key, value))
    extra = None
    if mask is not None and q.dtype is torch.float16:
        return _attend_float16(q, k, v, bias, mask, scale, is_causal).transpose(1, 2)
    if bias is not None or mask is not None:
        extra = _additive(bias, mask, is_causal, q, k)
        is_causal = False
    y = F.scaled_dot_product_attention(
        q, k, v, extra, 0.0, is_causal, scale=scale, enable_gqa=q.shape[1] != k.shape[1]
    )
    return y.transpose(1, 2)


def _attend_float16(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    bias: Any,
    mask: Any,
    scale: Any,
    is_causal: bool,
) -> torch.Tensor:
    """Rows without a key get the mean of the values: no float16 takes out every score."""
    seen = mask.bool()
    if is_causal:
        seen = seen & torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool, device=q.device).tril()
    empty = ~seen.any(-1, keepdim=True)
    seen = seen | empty
    extra = seen if bias is None else torch.where(seen, bias.to(q.dtype), float("-inf"))
    y = F.scaled_dot_product_attention(
        q, k, v, extra, scale=scale, enable_gqa=q.shape[1] != k.shape[1]
    )
    mean = v.mean(-2, keepdim=True).repeat_interleave(q.shape[1] // k.shape[1], 1)
    return torch.where(empty, mean, y)


def _additive(
    bias: Any, mask: Any, is_causal: bool, q: torch.Tensor, k: torch.Tensor
) -> torch.Tensor:
    """Bias and masks as one finite term of the scores: a row without a key gives no NaN."""
    if is_causal:
        causal = torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool, device=q.device).tril()
        mask = causal if mask is None else mask.bool() & causal
    extra = torch.zeros((), dtype=q.dtype, device=q.device) if bias is None else bias.to(q.dtype)
    if mask is not None:
        extra = torch.where(mask.bool(), extra, torch.finfo(q.dtype).min / 2)
    return extra.reshape((1,) * (4 - extra.ndim) + extra.shape).expand(
        -1, -1, q.shape[-2], k.shape[-2]
    )


def _can_fuse_lstm(
    x,
    initial_h,
    initial_c,
    kernel,
    recurrent_kernel,
    bias,
    mask,
    activation,
    recurrent_activation,
    go_backwards,
    return_sequences,
    zero_output_for_mask,
    unroll,
):
    return (
        mask is None
        and is_op(activation, "tanh")
        and is_op(recurrent_activation, "sigmoid")
        and x.ndim == 3
        and x.numel() > 0
        and _sizes_fit(x, initial_h, initial_c, kernel, recurrent_kernel, bias)
    )


def _sizes_fit(x, initial_h, initial_c, kernel, recurrent_kernel, bias):
    # The kernel does not look: with wrong sizes it reads memory that is not its own.
    units = recurrent_kernel.shape[0]
    return (
        recurrent_kernel.shape == (units, 4 * units)
        and kernel.shape == (x.shape[2], 4 * units)
        and initial_h.shape == initial_c.shape == (x.shape[0], units)
        and (bias is None or bias.shape == (4 * units,))
    )


def lstm(
    x,
    initial_h,
    initial_c,
    kernel,
    recurrent_kernel,
    bias=None,
    mask=None,
    activation="tanh",
    recurrent_activation="sigmoid",
    go_backwards=False,
    return_sequences=True,
    zero_output_for_mask=False,
    unroll=False,
):
    weights = [kernel.t(), recurrent_kernel.t()]
    if bias is not None:
        weights += [
            bias,
            torch.zeros_like(bias),
        ]  # torch adds a second bias to the recurrent product
    outputs, h, c = torch._VF.lstm(
        x.flip(1) if go_backwards else x,
        (initial_h[None], initial_c[None]),
        weights,
        bias is not None,
        1,
        0.0,
        False,
        False,
        True,
    )
    return (outputs if return_sequences else outputs[:, -1]), h[0], c[0]


TABLE = {
    "batch_normalization": [(batch_normalization, _can_batch_normalize)],
    "batch_norm_train": [(batch_norm_train, _can_train)],
    "layer_normalization": layer_normalization,
    "rms_normalization": rms_normalization,
    "dot_product_attention": [(dot_product_attention, _can_attend)],
    "lstm": [(lstm, _can_fuse_lstm)],
}
