"""Strided views and BLAS for NumPy's convolution and pooling.

Everything here is channels last. A convolution is one or few large matrix products over windows
that are
copied block by block, so that a block is still in the cache when it is multiplied.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
from numpy.lib.stride_tricks import as_strided

__all__ = ["depthwise", "grouped", "pad", "positions", "scatter_windows", "window_view"]

_BLOCK_BYTES = 1 << 21  # about one core's share of the second-level cache


def pad(x: np.ndarray, pads: tuple[tuple[int, int], ...], value: float = 0.0) -> np.ndarray:
    """`x` with its spatial axes padded; `x` itself where there is nothing to pad."""
    if not any(low or high for low, high in pads):
        return x
    shape = [n + low + high for n, (low, high) in zip(x.shape[1:-1], pads, strict=True)]
    out = np.full((x.shape[0], *shape, x.shape[-1]), value, x.dtype)
    inner = tuple(slice(low, low + n) for n, (low, _) in zip(x.shape[1:-1], pads, strict=True))
    out[(slice(None), *inner)] = x
    return out


def window_view(
    x: np.ndarray, window: tuple[int, ...], strides: tuple[int, ...], dilation: tuple[int, ...]
) -> np.ndarray:
    """View of shape (batch, *out, *window, channels) on `x`."""
    steps = x.strides
    sizes = x.shape[1:-1]
    out = _out(sizes, window, strides, dilation)
    moves = tuple(n * s for n, s in zip(steps[1:-1], strides, strict=True))
    inner = tuple(n * d for n, d in zip(steps[1:-1], dilation, strict=True))
    return as_strided(
        x,
        (x.shape[0], *out, *window, x.shape[-1]),
        (steps[0], *moves, *inner, steps[-1]),
        writeable=False,
    )


def positions(
    x: np.ndarray, window: tuple[int, ...], strides: tuple[int, ...], dilation: tuple[int, ...]
) -> Iterator[tuple[tuple[int, ...], np.ndarray]]:
    """(index, view of the elements that it meets) for every place of the window."""
    out = _out(x.shape[1:-1], window, strides, dilation)
    for index in product(*map(range, window)):
        yield index, x[_reach(index, out, strides, dilation)]


def grouped(
    x: np.ndarray,
    kernel: np.ndarray,
    strides: tuple[int, ...],
    dilation: tuple[int, ...],
    groups: int,
) -> np.ndarray:
    """Convolution of padded `x` with an (..., in / groups, out) `kernel`."""
    window = kernel.shape[:-2]
    if all(k == 1 for k in window):
        steps = tuple(slice(None, None, s) for s in strides)
        return _matmul(x[(slice(None), *steps)], kernel.reshape(kernel.shape[-2:]), groups)
    if groups == 1 and kernel.ndim == 4 and strides == (1, 1) and window[0] > 1:
        return _by_rows(x, kernel, dilation)
    return _by_windows(window_view(x, window, strides, dilation), kernel, groups)


def depthwise(
    x: np.ndarray, kernel: np.ndarray, strides: tuple[int, ...], dilation: tuple[int, ...]
) -> np.ndarray:
    """Depthwise convolution of padded `x` with an (..., in, multiplier) `kernel`."""
    window, (channels, multiplier) = kernel.shape[:-2], kernel.shape[-2:]
    out = _out(x.shape[1:-1], window, strides, dilation)
    total = np.zeros((x.shape[0], *out, channels, multiplier), x.dtype)
    if not total.size:
        return total.reshape(x.shape[0], *out, channels * multiplier)
    # One first-axis block at a time keeps the running total in the cache.
    rows = max(1, _BLOCK_BYTES // max(1, total[0, :1].nbytes * 2))
    term = np.empty((min(rows, out[0]), *total.shape[2:]), x.dtype)
    for n, first in product(range(x.shape[0]), range(0, out[0], rows)):
        count = min(rows, out[0] - first)
        part, buffer = total[n, first : first + count], term[:count]
        for index in product(*map(range, window)):
            reach = _reach(index, (count, *out[1:]), strides, dilation, first * strides[0])[1:]
            np.multiply(x[n][reach][..., None], kernel[index], out=buffer)
            np.add(part, buffer, out=part)
    return total.reshape(x.shape[0], *out, channels * multiplier)


def scatter_windows(
    columns: np.ndarray,
    window: tuple[int, ...],
    strides: tuple[int, ...],
    dilation: tuple[int, ...],
    full: tuple[int, ...],
) -> np.ndarray:
    """Add up overlapping windows: (batch, *sizes, *window, c) to (batch, *full, c)."""
    rank = len(window)
    sizes = columns.shape[1 : 1 + rank]
    total = np.zeros((columns.shape[0], *full, columns.shape[-1]), columns.dtype)
    for index in product(*map(range, window)):
        total[_reach(index, sizes, strides, dilation)] += columns[
            (slice(None),) * (1 + rank) + index
        ]
    return total


def _out(
    sizes: tuple[int, ...],
    window: tuple[int, ...],
    strides: tuple[int, ...],
    dilation: tuple[int, ...],
) -> tuple[int, ...]:
    return tuple(
        (n - d * (k - 1) - 1) // s + 1
        for n, k, s, d in zip(sizes, window, strides, dilation, strict=True)
    )


def _reach(
    index: tuple[int, ...],
    out: tuple[int, ...],
    strides: tuple[int, ...],
    dilation: tuple[int, ...],
    offset: int = 0,
) -> tuple[slice, ...]:
    """Slices of what window place `index` meets; `offset` is for the first spatial axis."""
    starts = [i * d for i, d in zip(index, dilation, strict=True)]
    starts[0] += offset
    return (
        slice(None),
        *(
            slice(a, a + (n - 1) * s + 1 if n else a, s)
            for a, n, s in zip(starts, out, strides, strict=True)
        ),
    )


def _matmul(x: np.ndarray, kernel: np.ndarray, groups: int) -> np.ndarray:
    """(..., in) times (in / groups, out): one product, or one for each group."""
    rows = x.reshape(-1, x.shape[-1])
    if groups == 1:
        return (rows @ kernel).reshape(*x.shape[:-1], kernel.shape[-1])
    inner, outer = kernel.shape[-2], kernel.shape[-1] // groups
    left = rows.reshape(-1, groups, inner).transpose(1, 0, 2)
    right = kernel.reshape(inner, groups, outer).transpose(1, 0, 2)
    return np.matmul(left, right).transpose(1, 0, 2).reshape(*x.shape[:-1], groups * outer)


def _by_rows(x: np.ndarray, kernel: np.ndarray, dilation: tuple[int, ...]) -> np.ndarray:
    """Two spatial axes, stride 1: only the windows along the second axis are copied.

    The windows of one image then lie row after row, so the rows that kernel row `j` meets are
    one slab of
    memory: a product for every kernel row, and a third of the copying for a 3x3 kernel.
    """
    rows, columns, inner, outer = kernel.shape
    (high, wide) = _out(x.shape[1:-1], (rows, columns), (1, 1), dilation)
    out = np.empty((x.shape[0], high * wide, outer), x.dtype)
    if not out.size:
        return out.reshape(x.shape[0], high, wide, outer)
    steps = x.strides
    view = as_strided(
        x,
        (x.shape[0], x.shape[1], wide, columns, inner),
        (steps[0], steps[1], steps[2], steps[2] * dilation[1], steps[3]),
        writeable=False,
    )
    flat = kernel.reshape(rows, columns * inner, outer)
    copy = np.empty(view.shape[1:], x.dtype)
    slab = copy.reshape(-1, columns * inner)
    term = np.empty((high * wide, outer), x.dtype)
    for n in range(x.shape[0]):
        np.copyto(copy, view[n])
        for j in range(rows):
            first = j * dilation[0] * wide
            np.matmul(slab[first : first + high * wide], flat[j], out=term if j else out[n])
            if j:
                out[n] += term
    return out.reshape(x.shape[0], high, wide, outer)


def _by_windows(view: np.ndarray, kernel: np.ndarray, groups: int) -> np.ndarray:
    """Product of every window of `view` (batch, *out, *window, channels) with `kernel`."""
    rank = kernel.ndim - 2
    channels, outer = view.shape[-1], kernel.shape[-1]
    sizes = view.shape[: 1 + rank]
    if groups == 1:
        width = int(np.prod(view.shape[1 + rank :]))
        matrix = kernel.reshape(width, outer)
    else:  # channels of a group together, the group in front
        view = view.reshape(*view.shape[:-1], groups, channels // groups)
        view = np.moveaxis(view, -2, 1 + rank)
        matrix = np.moveaxis(kernel.reshape(-1, groups, outer // groups), 1, 0)
        width = matrix.shape[1]
    out = np.empty((int(np.prod(sizes)), outer), kernel.dtype)
    for first, last, block in _blocks(view, rank):
        rows = block.reshape(last - first, groups, width)
        if groups == 1:
            np.matmul(rows[:, 0], matrix, out=out[first:last])
        else:
            part = np.matmul(rows.transpose(1, 0, 2), matrix)
            out[first:last] = part.transpose(1, 0, 2).reshape(last - first, outer)
    return out.reshape(*sizes, outer)


def _blocks(view: np.ndarray, rank: int) -> Iterator[tuple[int, int, np.ndarray]]:
    """(first row, last row, contiguous copy) of blocks of `view`, cut along its first two axes."""
    per_row = int(np.prod(view.shape[2 : 1 + rank]))
    per_sample = view.shape[1] * per_row
    if not view.size:
        return
    row_bytes = max(1, view[0, 0].nbytes if view.ndim > 2 else view.itemsize)
    rows = max(1, _BLOCK_BYTES // row_bytes)
    if rows >= view.shape[1]:
        samples = max(1, rows // view.shape[1])
        buffer = np.empty((min(samples, view.shape[0]), *view.shape[1:]), view.dtype)
        for n in range(0, view.shape[0], samples):
            count = min(samples, view.shape[0] - n)
            np.copyto(buffer[:count], view[n : n + count])
            yield n * per_sample, (n + count) * per_sample, buffer[:count]
        return
    buffer = np.empty((rows, *view.shape[2:]), view.dtype)
    for n, first in product(range(view.shape[0]), range(0, view.shape[1], rows)):
        count = min(rows, view.shape[1] - first)
        np.copyto(buffer[:count], view[n, first : first + count])
        start = n * per_sample + first * per_row
        yield start, start + count * per_row, buffer[:count]
