"""Shape rules of the array ops: functions from specs and attributes to sizes.

Sizes are ints or `Dim`s. Comparisons only ever ask for equality, which a `Dim` answers;
what needs more raises `DimError`, and the caller retries with made-up sizes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from kops.dim import Dim, Size, broadcast
from kops.keras_tensor import KerasTensor
from kops.specs import axes_of, axis_of, broadcast_dims, reduced, size_product

__all__ = [
    "PAD_MODES",
    "arange_limits",
    "broadcast_to_dims",
    "check_pad",
    "check_segments",
    "concatenate_dims",
    "einsum_dims",
    "expand_key",
    "item_dims",
    "matmul_dims",
    "pad_pairs",
    "reduced_or_empty",
    "refuse_classes",
    "reshape_dims",
    "sliced",
    "split_dims",
    "take_dims",
    "tensordot_axes",
    "tensordot_dims",
    "transpose_axes",
]

Dims = tuple[Size, ...]
Axis = int | Sequence[int] | None


# -- element-wise and reductions -----------------------------------------------------------


def reduced_or_empty(dims: Dims, axis: Axis, keepdims: bool, initial: Any) -> Dims:
    """`reduced` for reductions that have no value for zero elements."""
    if initial is None and any(dims[a] == 0 for a in axes_of(axis, len(dims))):
        raise ValueError(
            f"`axis` {axis} covers an axis of size zero in the shape {tuple(dims)}; "
            "the maximum or minimum of nothing needs `initial`."
        )
    return reduced(dims, axis, keepdims)


# -- reshaping -----------------------------------------------------------------------------


def reshape_dims(dims: Dims, newshape: Any) -> Dims:
    """`newshape` with its -1 filled in.

    Raises:
        ValueError: if the numbers of elements differ.
    """
    target = tuple(newshape) if isinstance(newshape, (tuple, list)) else (newshape,)
    if not all(_is_size(d) for d in target):
        raise ValueError(f"`newshape` must hold sizes (ints) and at most one -1; got {target}.")
    unknown = [i for i, d in enumerate(target) if not isinstance(d, Dim) and int(d) == -1]
    total = size_product(dims)
    shown = KerasTensor.of(tuple(dims), "bool").shape
    if len(unknown) > 1:
        raise ValueError(f"`newshape` may hold one -1; got {target}.")
    if not unknown:
        wanted = size_product(target)
        if isinstance(total, int) and isinstance(wanted, int) and total != wanted:
            raise ValueError(
                f"A tensor of shape {shown} ({total} elements) cannot be reshaped "
                f"to {target} ({wanted} elements)."
            )
        return target
    rest = size_product([d for i, d in enumerate(target) if i != unknown[0]])
    if isinstance(rest, int) and isinstance(total, int) and (rest == 0 or total % rest):
        raise ValueError(
            f"A tensor of shape {shown} ({total} elements) cannot be reshaped to {target}: "
            f"{total} is no multiple of {rest}."
        )
    return (*target[: unknown[0]], total // rest, *target[unknown[0] + 1 :])


def _is_size(d: Any) -> bool:
    if isinstance(d, (Dim, KerasTensor)) or hasattr(d, "dtype"):
        return True  # known when a graph runs
    return isinstance(d, int) and d >= -1


def transpose_axes(ndim: int, axes: Any) -> tuple[int, ...]:
    """`axes` of a transposition as non-negative ints."""
    if axes is None:
        return tuple(reversed(range(ndim)))
    found = axes_of(tuple(axes), ndim, "axes")
    if len(found) != ndim:
        raise ValueError(f"`axes` must name all {ndim} axes of the tensor; got {axes}.")
    return found


def broadcast_to_dims(dims: Dims, shape: Sequence[Any]) -> Dims:
    """`shape`, if `dims` broadcast to it."""
    target = tuple(shape)
    fits = len(target) >= len(dims) and all(
        d == 1 or d == t or isinstance(d, Dim) or isinstance(t, Dim)
        for d, t in zip(reversed(dims), reversed(target), strict=False)
    )
    if not fits:
        shown = KerasTensor.of(tuple(dims), "bool").shape
        raise ValueError(f"A tensor of shape {shown} does not broadcast to `shape` {target}.")
    return target


def pad_pairs(pad_width: Any, ndim: int) -> tuple[tuple[Any, Any], ...]:
    """`pad_width` as one (before, after) pair per axis.

    Raises:
        ValueError: if it fits the rank in none of NumPy's forms.
    """
    if not isinstance(pad_width, (tuple, list)):
        return ((pad_width, pad_width),) * ndim
    rows = tuple(pad_width)
    if len(rows) == 2 and not isinstance(rows[0], (tuple, list)):
        return ((rows[0], rows[1]),) * ndim
    pairs = tuple(
        (r[0], r[-1]) if isinstance(r, (tuple, list)) and 0 < len(r) < 3 else (r, r) for r in rows
    )
    if len(pairs) == 1:
        return pairs * ndim
    if len(pairs) != ndim or any(isinstance(p[0], (tuple, list)) for p in pairs):
        raise ValueError(
            f"`pad_width` must be an int, a pair, or one pair for each of the {ndim} axes; "
            f"got {pad_width!r}."
        )
    return pairs


PAD_MODES = ("constant", "edge", "reflect", "symmetric", "wrap")


def check_pad(pairs: Any, dims: Any, mode: str, constant_values: Any) -> None:
    """Raises ValueError for what no engine can pad (or would do differently)."""
    if mode not in PAD_MODES:
        raise ValueError(f"`mode` must be one of {PAD_MODES}; got {mode!r}.")
    if constant_values is not None and mode != "constant":
        raise ValueError(f"`constant_values` is for mode 'constant' only; `mode` is {mode!r}.")
    for pair, size in zip(pairs, dims, strict=True):
        if any(isinstance(n, int) and n < 0 for n in pair):
            raise ValueError(f"`pad_width` must not be negative; got {pair}.")
        if isinstance(size, int) and size == 0 and mode != "constant" and pair != (0, 0):
            raise ValueError("An axis of size zero can be padded with mode 'constant' only.")


# -- joining and taking apart ----------------------------------------------------------------


def concatenate_dims(shapes: Sequence[Dims], axis: int) -> Dims:
    """Shape of the shapes joined along `axis`."""
    if not shapes:
        raise ValueError("`xs` is empty: at least one tensor is needed.")
    first = tuple(shapes[0])
    axis = axis_of(axis, len(first))
    result = list(first)
    for dims in shapes[1:]:
        shown = [KerasTensor.of(tuple(s), "bool").shape for s in shapes]
        if len(dims) != len(first):
            raise ValueError(f"Tensors of different ranks cannot be joined; got shapes {shown}.")
        for i, (a, b) in enumerate(zip(result, dims, strict=True)):
            if i == axis:
                result[i] = a + b
            elif isinstance(a, Dim):
                result[i] = b
            elif not isinstance(b, Dim) and a != b:
                raise ValueError(
                    f"Along `axis` {axis} only tensors of equal sizes on the other axes can "
                    f"be joined; got shapes {shown}, which differ on axis {i}."
                )
    return tuple(result)


def split_dims(dims: Dims, sections: Any, axis: int) -> list[Dims]:
    """Shapes of the pieces."""
    axis = axis_of(axis, len(dims))
    size = dims[axis]
    if isinstance(sections, int):
        if sections < 1:
            raise ValueError(f"`indices_or_sections` must be at least 1; got {sections}.")
        if not isinstance(size, Dim) and size % sections:
            raise ValueError(
                f"Axis {axis} of size {size} cannot be split into {sections} equal parts; give "
                "the positions to cut at as a list."
            )
        sizes = [size // sections] * sections
    elif isinstance(size, Dim):
        cuts = [0, *(int(c) for c in sections)]
        sizes = [b - a for a, b in zip(cuts, cuts[1:], strict=False)] + [size - cuts[-1]]
    else:
        clipped = [min(max(int(c) + size if int(c) < 0 else int(c), 0), size) for c in sections]
        cuts = [0, *clipped, size]
        sizes = [max(b - a, 0) for a, b in zip(cuts, cuts[1:], strict=False)]
    return [(*dims[:axis], s, *dims[axis + 1 :]) for s in sizes]


def take_dims(dims: Dims, indices: Dims, axis: int | None) -> Dims:
    """Shape of `take`."""
    if axis is None:
        return tuple(indices)
    axis = axis_of(axis, len(dims))
    return (*dims[:axis], *indices, *dims[axis + 1 :])


# -- products ------------------------------------------------------------------------------


def _need_equal(a: Size, b: Size, x1: Dims, x2: Dims, what: str) -> None:
    if a != b and not isinstance(a, Dim) and not isinstance(b, Dim):
        s1, s2 = (KerasTensor.of(tuple(s), "bool").shape for s in (x1, x2))
        raise ValueError(f"{what} of shapes {s1} and {s2} is not defined: {a} is not {b}.")


def matmul_dims(x1: Dims, x2: Dims) -> Dims:
    """Shape of a matrix product, NumPy's rules for vectors and batches."""
    if not x1 or not x2:
        raise ValueError(
            "`matmul` needs tensors of rank 1 or more; got a scalar. Use `multiply` for scaling."
        )
    a = (1, *x1) if len(x1) == 1 else x1
    b = (*x2, 1) if len(x2) == 1 else x2
    _need_equal(a[-1], b[-2], x1, x2, "The matrix product")
    batch = broadcast_dims(a[:-2], b[:-2])
    rows = () if len(x1) == 1 else (a[-2],)
    columns = () if len(x2) == 1 else (b[-1],)
    return (*batch, *rows, *columns)


def einsum_dims(subscripts: str, shapes: Sequence[Dims]) -> Dims:
    """Shape of `einsum`.

    Raises:
        ValueError: if the subscripts do not fit the operands.
    """
    inputs, arrow, output = subscripts.replace(" ", "").partition("->")
    terms = inputs.split(",")
    if len(terms) != len(shapes):
        raise ValueError(f"{subscripts!r} names {len(terms)} operands; got {len(shapes)}.")
    sizes: dict[str, Size] = {}
    dots: Dims = ()
    for term, dims in zip(terms, shapes, strict=True):
        head, ellipsis, tail = term.partition("...")
        named = len(head) + len(tail)
        if named > len(dims) or (not ellipsis and named != len(dims)):
            shown = KerasTensor.of(tuple(dims), "bool").shape
            raise ValueError(f"The term {term!r} of {subscripts!r} does not fit shape {shown}.")
        end = len(dims) - len(tail)
        dots = broadcast_dims(dots, tuple(dims[len(head) : end]))
        for label, size in zip(head + tail, (*dims[: len(head)], *dims[end:]), strict=True):
            known = sizes.get(label, 1)
            try:
                sizes[label] = broadcast(known, size)
            except ValueError:
                raise ValueError(
                    f"The index {label!r} of {subscripts!r} stands for both {known} and {size}."
                ) from None
    if not arrow:
        letters = inputs.replace("...", "").replace(",", "")
        once = sorted(c for c in set(letters) if letters.count(c) == 1)
        output = ("..." if "..." in inputs else "") + "".join(once)
    head, ellipsis, tail = output.partition("...")
    missing = [c for c in head + tail if c not in sizes]
    if missing:
        raise ValueError(f"The output of {subscripts!r} names {missing}, which no operand has.")
    middle = dots if ellipsis else ()
    return (*(sizes[c] for c in head), *middle, *(sizes[c] for c in tail))


def tensordot_axes(n1: int, n2: int, axes: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The axes of each operand that a tensordot contracts."""
    if isinstance(axes, int):
        if axes > min(n1, n2) or axes < 0:
            raise ValueError(f"`axes` {axes} is more than the ranks {n1} and {n2} allow.")
        return tuple(range(n1 - axes, n1)), tuple(range(axes))
    a, b = axes
    return axes_of(a, n1, "axes"), axes_of(b, n2, "axes")


def tensordot_dims(x1: Dims, x2: Dims, axes: Any) -> Dims:
    """Shape of `tensordot`."""
    a, b = tensordot_axes(len(x1), len(x2), axes)
    if len(a) != len(b):
        raise ValueError(f"`axes` must name as many axes of x1 as of x2; got {axes!r}.")
    for i, j in zip(a, b, strict=True):
        _need_equal(x1[i], x2[j], x1, x2, "The tensordot")
    return (
        *(d for i, d in enumerate(x1) if i not in a),
        *(d for j, d in enumerate(x2) if j not in b),
    )


def sliced(size: Size, key: slice) -> Size:
    """Length of `range(size)[key]`."""
    if not isinstance(size, Dim):
        return len(range(*key.indices(size)))
    step = 1 if key.step is None else key.step
    start, stop = key.start, key.stop
    if start is None and stop is None:
        # Rounded up, which floor division of the negative does.
        return -(-size // abs(step))
    if step == 1 and isinstance(stop, int) and stop < 0 and not isinstance(start, Dim):
        if start is None or start >= 0:
            return size + stop - (start or 0)
    if step == 1 and stop is None and isinstance(start, int):
        return size - start if start >= 0 else Dim()
    if step == 1 and isinstance(stop, Dim) and not isinstance(start, Dim):
        if start is None or start >= 0:
            return stop - (start or 0)
    return Dim()


def arange_limits(start: Any, stop: Any, step: Any) -> tuple[Any, Any, Any]:
    """The arguments of `arange` with the missing ones filled in.

    Raises:
        ValueError: if `step` is 0.
    """
    if stop is None:
        start, stop = 0, start
    if step is None:
        step = 1
    elif isinstance(step, (int, float)) and step == 0:
        raise ValueError("`step` must not be 0.")
    return start, stop, step


def check_segments(data_ndim: int, ids_ndim: int) -> None:
    """Raises ValueError unless the segment numbers are a vector and the data has rows."""
    if ids_ndim != 1 or data_ndim == 0:
        raise ValueError("`segment_ids` must be a vector with a number for each row of `data`.")


# -- indexing ------------------------------------------------------------------------------


def rank_of(item: Any) -> int | None:
    """Number of axes of an index array; None for an int, slice, None or `...`."""
    if item is None or item is Ellipsis or isinstance(item, (int, slice, Dim)):
        return None
    if isinstance(item, (list, tuple)):
        return np.ndim(item)
    shape = getattr(item, "shape", None)
    return None if shape is None else len(shape)


def is_mask(item: Any) -> bool:
    """Whether an index is an array of bools."""
    if isinstance(item, bool):
        return True
    if isinstance(item, (list, tuple)):
        return np.asarray(item).dtype == np.bool_
    return str(getattr(item, "dtype", "")).rsplit(".", 1)[-1].startswith(("bool", "<dtype: 'bool"))


def expand_key(key: Any, ndim: int) -> list[Any]:
    """The items of an index, `...` and what is missing at the end written out.

    Raises:
        IndexError: if there are more indices than axes.
    """
    items = list(key) if isinstance(key, tuple) else [key]
    if sum(1 for k in items if k is Ellipsis) > 1:
        raise IndexError("An index may hold `...` once.")
    used = sum(
        (rank_of(k) or 1) if is_mask(k) else 1 for k in items if k is not None and k is not Ellipsis
    )
    if used > ndim:
        raise IndexError(f"Too many indices: {used} for a tensor of rank {ndim}.")
    rest = [slice(None)] * (ndim - used)
    at = next((i for i, k in enumerate(items) if k is Ellipsis), None)
    return items + rest if at is None else items[:at] + rest + items[at + 1 :]


def check_item(index: Any, size: Size, axis: int) -> None:
    """Raises IndexError for an int that is out of range of a known size."""
    if isinstance(index, int) and isinstance(size, int) and not -size <= index < size:
        raise IndexError(f"Index {index} is out of range for axis {axis} of size {size}.")


def item_dims(dims: Dims, key: Any) -> Dims:
    """Shape of `x[key]`."""
    items = expand_key(key, len(dims))
    arrays: list[Dims] = []
    places: list[int] = []
    result: list[Size] = []
    advanced = any((rank_of(k) or 0) > 0 for k in items)
    axis = 0
    for k in items:
        if k is None:
            result.append(1)
            continue
        if isinstance(k, slice):
            result.append(sliced(dims[axis], k))
            axis += 1
            continue
        rank = rank_of(k)
        if rank is None or rank == 0:
            check_item(k, dims[axis], axis)
            shape: Dims = ()
        elif is_mask(k):
            shape = (Dim(),)
            axis += rank - 1
        else:
            shape = k.dims if isinstance(k, KerasTensor) else tuple(np.shape(k))
        axis += 1
        if advanced:
            arrays.append(shape)
            places.append(len(result))
            result.append(-1)
    if not arrays:
        return tuple(result)
    picked = broadcast_dims(*arrays)
    adjacent = places == list(range(places[0], places[0] + len(places)))
    first = places[0] if adjacent else 0
    rest = [d for i, d in enumerate(result) if i not in places]
    return (*rest[:first], *picked, *rest[first:])


def refuse_classes(target: np.ndarray, classes: int) -> NoReturn:
    """Raises for the first class number outside of [0, classes)."""
    wrong = target[(target < 0) | (target >= classes)].flat[0]
    raise ValueError(
        f"`target` must hold class numbers from 0 to {classes - 1}, for the {classes} classes of "
        f"`output`; got {wrong}. Leave samples out with `ignore_class` or a sample weight of 0 "
        "on a class of that range."
    )
