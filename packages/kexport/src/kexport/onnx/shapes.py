"""ONNX forms of ops that move, pick, join and make elements."""

from __future__ import annotations

import string
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from kexport.onnx.graph import Graph, Value
from kops import dtypes
from kops.dim import Dim, Size
from kops.specs import axes_of, axis_of

__all__ = ["EMITTERS", "reshape_to", "transpose_to"]

_END = np.iinfo(np.int64).max


def reshape_to(g: Graph, x: Value, dims: Sequence[Size]) -> Value:
    """`x` in another shape; one unknown size is left to ONNX to find."""
    unknown = [i for i, d in enumerate(dims) if isinstance(d, Dim)]
    known_zero = any(isinstance(d, int) and d == 0 for d in dims)
    if len(unknown) == 1 and not known_zero:
        shape = g.ints([-1 if isinstance(d, Dim) else d for d in dims])
    else:
        shape = g.shape(dims)
    return g.op("Reshape", x, shape, dims=dims, allowzero=1 if known_zero else None)


def transpose_to(g: Graph, x: Value, axes: Sequence[int]) -> Value:
    """`x` with its axes in another order; a constant is transposed at once."""
    axes = list(axes)
    if axes == list(range(x.ndim)):
        return x
    if x.array is not None:
        return g.constant(np.transpose(x.array, axes), name=x.name)
    return g.op("Transpose", x, dims=[x.dims[a] for a in axes], perm=axes)


def _reshape(g: Graph, x: Value, newshape: Any) -> Value:
    return reshape_to(g, x, g.out.dims)


def _transpose(g: Graph, x: Value, axes: Any = None) -> Value:
    order = list(range(x.ndim))[::-1] if axes is None else [axis_of(a, x.ndim) for a in axes]
    return transpose_to(g, x, order)


def _broadcast_to(g: Graph, x: Value, shape: Any) -> Value:
    return g.op("Expand", x, g.shape(g.out.dims), dims=g.out.dims)


def _tile(g: Graph, x: Value, repeats: Any) -> Value:
    repeats = [repeats] if isinstance(repeats, (int, Dim)) else list(repeats)
    repeats = [1] * (x.ndim - len(repeats)) + repeats
    if len(repeats) > x.ndim:
        x = reshape_to(g, x, [1] * (len(repeats) - x.ndim) + list(x.dims))
    return g.op("Tile", x, g.shape(repeats), dims=g.out.dims)


def _repeat(g: Graph, x: Value, repeats: Any, axis: int | None = None) -> Value:
    if not isinstance(repeats, int):
        raise NotImplementedError("`repeat` with a number for each element has no ONNX form.")
    if axis is None:
        x, axis = g.op("Reshape", x, g.ints([-1]), dims=(_count(x),)), 0
    axis = axis_of(axis, x.ndim)
    wide = [*x.dims[: axis + 1], 1, *x.dims[axis + 1 :]]
    x = reshape_to(g, x, wide)
    wide[axis + 1] = repeats
    x = g.op("Expand", x, g.shape(wide), dims=wide)
    return reshape_to(g, x, g.out.dims)


def _count(x: Value) -> Size:
    total: Size = 1
    for d in x.dims:
        total = total * d
    return total


def _flip(g: Graph, x: Value, axis: Any = None) -> Value:
    axes = axes_of(axis, x.ndim)
    n = len(axes)
    return g.op("Slice", x, g.ints([_END] * n), g.ints([-_END] * n), g.ints(axes), g.ints([-1] * n))


def _roll(g: Graph, x: Value, shift: Any, axis: Any = None) -> Value:
    dims = x.dims
    if axis is None:
        x, axis = g.op("Reshape", x, g.ints([-1]), dims=(_count(x),)), 0
    axes = [axis] if isinstance(axis, int) else list(axis)
    shifts = [shift] * len(axes) if isinstance(shift, int) else list(shift)
    for s, a in zip(shifts, axes, strict=True):
        a = axis_of(a, x.ndim)
        size = x.dims[a]
        if isinstance(size, Dim):
            raise NotImplementedError("`roll` along an axis of unknown size has no ONNX form.")
        s = s % size if size else 0
        if s:
            tail = _cut(g, x, a, size - s, size)
            x = g.op("Concat", tail, _cut(g, x, a, 0, size - s), dims=x.dims, axis=a)
    return reshape_to(g, x, dims)


def _cut(g: Graph, x: Value, axis: int, start: int, stop: int) -> Value:
    dims = list(x.dims)
    dims[axis] = stop - start
    return g.op("Slice", x, g.ints([start]), g.ints([stop]), g.ints([axis]), dims=dims)


_PAD_MODES = {"constant": "constant", "reflect": "reflect", "edge": "edge", "wrap": "wrap"}


def _pad(g: Graph, x: Value, pad_width: Any, mode: str = "constant", constant_values: Any = None):
    if mode not in _PAD_MODES:
        raise NotImplementedError(f"`pad` in mode {mode!r} has no ONNX form.")
    width = np.asarray(pad_width)
    width = np.broadcast_to(width, (x.ndim, 2))
    value = None
    if mode == "constant":
        value = g.tensor(0 if constant_values is None else constant_values, x.dtype)
    pads = g.ints([*width[:, 0].tolist(), *width[:, 1].tolist()])
    return g.op("Pad", x, pads, value, dims=g.out.dims, mode=_PAD_MODES[mode])


def _concatenate(g: Graph, xs: Sequence[Value], axis: int = -1) -> Value:
    return g.op("Concat", *xs, dims=g.out.dims, axis=axis_of(axis, xs[0].ndim))


def _stack(g: Graph, xs: Sequence[Value], axis: int = 0) -> Value:
    axis = axis_of(axis, xs[0].ndim + 1)
    wide = [*xs[0].dims[:axis], 1, *xs[0].dims[axis:]]
    parts = [g.op("Unsqueeze", x, g.ints([axis]), dims=wide) for x in xs]
    return g.op("Concat", *parts, dims=g.out.dims, axis=axis)


def _split(g: Graph, x: Value, indices_or_sections: Any, axis: int = 0) -> list[Value]:
    outs = g.out
    axis = axis_of(axis, x.ndim)
    sizes = g.shape([o.dims[axis] for o in outs])
    return g.ops("Split", x, sizes, outputs=[(x.dtype, o.dims) for o in outs], axis=axis)


def _get_item(g: Graph, x: Value, key: Any) -> Value:
    keys = list(key) if isinstance(key, tuple) else [key]
    given = sum(k is not None and k is not Ellipsis for k in keys)
    if Ellipsis not in [k if k is Ellipsis else None for k in keys]:
        keys.append(Ellipsis)
    at = next(i for i, k in enumerate(keys) if k is Ellipsis)
    keys[at : at + 1] = [slice(None)] * (x.ndim - given)
    starts, stops, steps, axes, dropped, new = [], [], [], [], [], []
    axis = out_axis = 0
    for k in keys:
        if k is None:
            new.append(out_axis)
            out_axis += 1
            continue
        if isinstance(k, slice):
            step = 1 if k.step is None else k.step
            if (k.start, k.stop, step) != (None, None, 1):
                begin = (0 if step > 0 else _END) if k.start is None else k.start
                end = (_END if step > 0 else -_END) if k.stop is None else k.stop
                for items, item in ((starts, begin), (stops, end), (steps, step), (axes, axis)):
                    items.append(item)
            out_axis += 1
        elif isinstance(k, (int, np.integer, Dim)) and not isinstance(k, bool):
            for items, item in ((starts, k), (steps, 1), (axes, axis)):
                items.append(item)
            stops.append(_END if k == -1 else k + 1)
            dropped.append(axis)
        else:
            return _gather(g, x, keys)
        axis += 1
    dims: Any = g.out.dims
    if axes:
        wide = list(x.dims)
        x = g.op(
            "Slice", x, g.shape(starts), g.shape(stops), g.ints(axes), g.ints(steps), dims=wide
        )
    if dropped:
        x = g.op("Squeeze", x, g.ints(dropped), dims=[0] * (x.ndim - len(dropped)))
    if new:
        x = g.op("Unsqueeze", x, g.ints(new), dims=dims)
    return x._replace(dims=tuple(dims))


def _gather(g: Graph, x: Value, keys: Sequence[Any]) -> Value:
    """One tensor of positions among full slices."""
    picked = [(i, k) for i, k in enumerate(keys) if not (isinstance(k, slice) and k == slice(None))]
    if len(picked) != 1 or picked[0][1] is None:
        raise NotImplementedError("Indexing by several tensors has no ONNX form.")
    axis, indices = picked[0]
    return g.op("Gather", x, g.tensor(indices, "int64"), dims=g.out.dims, axis=axis)


def _take(g: Graph, x: Value, indices: Value, axis: int | None = None) -> Value:
    if axis is None:
        x, axis = g.op("Reshape", x, g.ints([-1]), dims=(_count(x),)), 0
    indices = g.cast(indices, "int64")
    return g.op("Gather", x, indices, dims=g.out.dims, axis=axis_of(axis, x.ndim))


def _slice(g: Graph, x: Value, start_indices: Value, shape: Any) -> Value:
    starts = g.cast(start_indices, "int64")
    stops = g.op("Add", starts, g.shape(g.out.dims))
    return g.op("Slice", x, starts, stops, dims=g.out.dims)


def _squeeze(g: Graph, x: Value, axis: Any = None) -> Value:
    if axis is None:
        axes = tuple(i for i, d in enumerate(x.dims) if d == 1)
    else:
        axes = axes_of(axis, x.ndim)
    return g.op("Squeeze", x, g.ints(axes), dims=g.out.dims)


def _expand_dims(g: Graph, x: Value, axis: Any) -> Value:
    axes = [axis] if isinstance(axis, int) else list(axis)
    n = x.ndim + len(axes)
    return g.op("Unsqueeze", x, g.ints([axis_of(a, n) for a in axes]), dims=g.out.dims)


def _filled(value: Any) -> Callable[..., Value]:
    def emit(g: Graph, *_: Any) -> Value:
        return _full(g, None, value)

    return emit


def _full(g: Graph, shape: Any, fill_value: Any, dtype: Any = None) -> Value:
    out = g.out
    return g.op("Expand", g.tensor(fill_value, out.dtype), g.shape(out.dims), dims=out.dims)


def _arange(g: Graph, start: Any, stop: Any = None, step: Any = None, dtype: Any = None) -> Value:
    if stop is None:
        start, stop = 0, start
    out = g.out.dtype

    def scalar(v: Any) -> Value:
        value = g.size(v) if isinstance(v, Dim) else g.tensor(v, out)
        value = g.cast(value, out)
        return g.op("Squeeze", value, dims=()) if value.ndim else value

    return g.op("Range", scalar(start), scalar(stop), scalar(step or 1), dims=g.out.dims)


def _triangle(upper: int) -> Callable[..., Value]:
    def emit(g: Graph, x: Value, k: int = 0) -> Value:
        return g.op("Trilu", x, g.ints(k), upper=upper)

    return emit


def _cast(g: Graph, x: Value, dtype: Any = None, *_: Any) -> Value:
    return g.cast(x, x.dtype if dtype is None else dtypes.standardize(dtype))


def _matmul(g: Graph, a: Value, b: Value) -> Value:
    return g.op("MatMul", a, b, dims=g.out.dims)


def _einsum(g: Graph, subscripts: str, *operands: Value, **kwargs: Any) -> Value:
    return g.op("Einsum", *operands, dims=g.out.dims, equation=subscripts)


def _tensordot(g: Graph, a: Value, b: Value, axes: Any = 2) -> Value:
    if isinstance(axes, int):
        axes = (list(range(a.ndim - axes, a.ndim)), list(range(axes)))
    first, second = ([s] if isinstance(s, int) else list(s) for s in axes)
    left = list(string.ascii_lowercase[: a.ndim])
    right = list(string.ascii_uppercase[: b.ndim])
    for p, q in zip(first, second, strict=True):
        right[q] = left[p]
    drop = {left[p] for p in first}
    result = [c for c in left + right if c not in drop]
    equation = f"{''.join(left)},{''.join(right)}->{''.join(result)}"
    return g.op("Einsum", a, b, dims=g.out.dims, equation=equation)


def _top_k(g: Graph, x: Value, k: int, sorted: bool = True) -> tuple[Value, ...]:
    values, indices = g.out
    made = g.ops(
        "TopK",
        x,
        g.ints([k]),
        outputs=[(x.dtype, values.dims), ("int64", indices.dims)],
        axis=-1,
        sorted=int(sorted),
    )
    return made[0], g.cast(made[1], indices.dtype)


def _take_along_axis(g: Graph, x: Value, indices: Value, axis: int | None = None) -> Value:
    if axis is None:
        raise NotImplementedError("`take_along_axis` without an axis has no ONNX form.")
    indices = g.cast(indices, "int64")
    axis = axis_of(axis, x.ndim)
    return g.op("GatherElements", x, indices, dims=g.out.dims, axis=axis)


EMITTERS: dict[str, Callable[..., Any]] = {
    "reshape": _reshape,
    "transpose": _transpose,
    "broadcast_to": _broadcast_to,
    "tile": _tile,
    "repeat": _repeat,
    "flip": _flip,
    "roll": _roll,
    "pad": _pad,
    "concatenate": _concatenate,
    "stack": _stack,
    "split": _split,
    "get_item": _get_item,
    "take": _take,
    "take_along_axis": _take_along_axis,
    "slice": _slice,
    "squeeze": _squeeze,
    "expand_dims": _expand_dims,
    "zeros": _filled(0),
    "ones": _filled(1),
    "zeros_like": _filled(0),
    "ones_like": _filled(1),
    "full": _full,
    "arange": _arange,
    "tril": _triangle(0),
    "triu": _triangle(1),
    "cast": _cast,
    "_convert_to_tensor": _cast,
    "matmul": _matmul,
    "einsum": _einsum,
    "tensordot": _tensordot,
    "top_k": _top_k,
}
