"""torch: cross-entropies."""

from __future__ import annotations

import functools

import torch
import torch.nn.functional as F

from kops import config
from kops.backends.torch.core import has_values
from kops.shapes import refuse_classes

__all__ = ["TABLE"]

_LOW = (torch.float16, torch.bfloat16)


def _wide(x: torch.Tensor) -> torch.Tensor:
    return x.float() if x.dtype in _LOW else x


def _check_same(target, output):
    if target.shape != output.shape:
        raise ValueError("the shapes differ")  # the spec says how


def binary_crossentropy(target, output, from_logits=False):
    _check_same(target, output)
    t, x = _wide(target), _wide(output)
    if from_logits:
        return F.binary_cross_entropy_with_logits(x, t, reduction="none").to(output.dtype)
    eps = config.epsilon()
    p = x.clamp(eps, 1.0 - eps)
    return -(t * p.log() + (1.0 - t) * (1.0 - p).log()).to(output.dtype)


def _log_probabilities(x: torch.Tensor, from_logits: bool, axis: int) -> torch.Tensor:
    if from_logits:
        return torch.log_softmax(x, axis)
    eps = config.epsilon()
    total = x.sum(axis, keepdim=True)
    return (x / torch.where(total == 0, 1.0, total)).clamp(eps, 1.0 - eps).log()


def categorical_crossentropy(target, output, from_logits=False, axis=-1):
    _check_same(target, output)
    log_p = _log_probabilities(_wide(output), from_logits, axis)
    return -(_wide(target) * log_p).sum(axis).to(output.dtype)


def _can_sparse(target, output, from_logits, axis):
    if not 0 < output.ndim or not -output.ndim <= axis < output.ndim:
        return False
    index = axis % output.ndim
    rest = output.shape[:index] + output.shape[index + 1 :]
    return target.shape == rest or target.shape == (
        *output.shape[:index],
        1,
        *output.shape[index + 1 :],
    )


def sparse_categorical_crossentropy(target, output, from_logits=False, axis=-1):
    if not _can_sparse(target, output, from_logits, axis):
        raise ValueError("the shapes do not fit")  # the spec says how
    index = axis % output.ndim
    if not output.shape[index]:
        if target.numel():
            refuse_classes(target.cpu().numpy(), 0)
        return torch.zeros_like(output.sum(index))
    log_p = _log_probabilities(_wide(output), from_logits, index)
    t = target.long()
    if index == output.ndim - 1 and not output.is_cuda:
        picked = _negative_picked(log_p, t, output.shape[:-1])
        if picked is not None:
            return picked if picked.dtype is output.dtype else picked.to(output.dtype)
    if t.ndim < output.ndim:
        t = t.unsqueeze(index)
    classes = output.shape[index]
    known = (t >= 0) & (t < classes)
    if has_values(known) and not known.all():
        refuse_classes(t.numpy(), classes)
    picked = log_p.gather(index, t.clamp(0, classes - 1))
    return torch.where(known, -picked, torch.nan).squeeze(index).to(output.dtype)


# Never a class number: torch's own -100 would make that label's loss 0.
_nll = functools.partial(F.nll_loss, reduction="none", ignore_index=-(2**62))


def _negative_picked(log_p, t, shape):
    """One kernel for what needs seven; None if a class is out of range."""
    try:
        if len(shape) == 1:
            return _nll(log_p, t if t.ndim == 1 else t[:, 0])
        return _nll(log_p.reshape(-1, log_p.shape[-1]), t.reshape(-1)).reshape(shape)
    except IndexError:
        return None


TABLE = {
    "binary_crossentropy": binary_crossentropy,
    "categorical_crossentropy": categorical_crossentropy,
    "sparse_categorical_crossentropy": sparse_categorical_crossentropy,
}
