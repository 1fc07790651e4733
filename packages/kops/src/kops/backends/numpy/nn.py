"""NumPy: normalization and recurrence."""

from __future__ import annotations

from typing import Any

import numpy as np

from kops.backends.numpy.activations import sigmoid
from kops.callables import activation_function, is_op

__all__ = ["TABLE"]


def _wide(x: np.ndarray) -> np.ndarray:
    return x.astype(np.float32) if x.dtype.itemsize == 2 else x


def _along(v: np.ndarray, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    return v.reshape(shape).astype(dtype, copy=False)


def _vectors(x, mean, variance, axis, offset, scale, epsilon):
    """Whether the arguments fit; the body says what is wrong with them if not."""
    fits = -x.ndim <= axis < x.ndim
    return fits and all(
        v is None or v.shape == (x.shape[axis],) for v in (mean, variance, offset, scale)
    )


def batch_normalization(x, mean, variance, axis, offset=None, scale=None, epsilon=1e-3):
    shape = [1] * x.ndim
    shape[axis] = -1
    wide = _wide(x)
    # One multiplication and one addition over the data; the rest is on vectors.
    factor = 1 / np.sqrt(variance.astype(wide.dtype, copy=False) + epsilon)
    if scale is not None:
        factor = factor * scale
    shift = -mean * factor if offset is None else offset - mean * factor
    out = np.asarray(wide * _along(factor, shape, wide.dtype))
    out += _along(shift, shape, wide.dtype)
    return out.astype(x.dtype, copy=False)


def _run(step: Any, inputs: np.ndarray, state: Any, mask: Any, zero: bool, keep_all: bool) -> Any:
    h, c = state
    y = np.zeros_like(h)
    outputs = np.empty((*inputs.shape[:2], h.shape[-1]), h.dtype) if keep_all else None
    for t in range(inputs.shape[1]):
        new_h, new_c = step(inputs[:, t], h, c)
        if mask is None:
            h, c, y = new_h, new_c, new_h
        else:
            counts = mask[:, t, None]
            y = np.where(counts, new_h, 0 if zero else y)
            h, c = np.where(counts, new_h, h), np.where(counts, new_c, c)
        if outputs is not None:
            outputs[:, t] = y
    return (y if outputs is None else outputs), h, c


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
    units = recurrent_kernel.shape[0]
    inner = np.tanh if is_op(activation, "tanh") else activation_function(activation)
    gate = (
        sigmoid
        if is_op(recurrent_activation, "sigmoid")
        else activation_function(recurrent_activation)
    )
    inputs = (x.reshape(-1, x.shape[-1]) @ kernel).reshape(*x.shape[:2], kernel.shape[-1])
    if bias is not None:
        inputs += bias
    if go_backwards:
        inputs = inputs[:, ::-1]
        mask = None if mask is None else mask[:, ::-1]
    mask = None if mask is None else mask.astype(bool, copy=False)

    def step(now: np.ndarray, h: np.ndarray, c: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        z = h @ recurrent_kernel
        z += now
        both = gate(z[:, : 2 * units])
        new_c = both[:, units:] * c
        new_c += both[:, :units] * inner(z[:, 2 * units : 3 * units])
        return gate(z[:, 3 * units :]) * inner(new_c), new_c

    return _run(step, inputs, (initial_h, initial_c), mask, zero_output_for_mask, return_sequences)


TABLE = {"batch_normalization": [(batch_normalization, _vectors)], "lstm": lstm}
