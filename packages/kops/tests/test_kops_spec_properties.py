"""Shape and dtype rules against NumPy on random shapes, known and unknown."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from kops import KerasTensor, config, dtypes, ops
from kops.dim import Dim, evaluate

pytestmark = pytest.mark.skipif(
    config.backend() != "numpy", reason="shape rules do not depend on the engine: once is enough"
)

SETTINGS = settings(max_examples=40, deadline=None, derandomize=True)
DTYPES = ["bool", "uint8", "int32", "int64", "float16", "float32", "float64"]
SIZES = st.integers(0, 4)
SHAPES = st.lists(SIZES, max_size=5).map(tuple)

UNARY_FLOAT = {"exp": np.exp, "sqrt": np.sqrt, "sin": np.sin, "tanh": np.tanh}
UNARY_SAME = {"abs": np.abs, "square": np.square, "negative": np.negative}
UNARY_BOOL = {"isnan": np.isnan, "isfinite": np.isfinite}
BINARY = {"add": np.add, "multiply": np.multiply, "maximum": np.maximum, "subtract": np.subtract}
COMPARE = {"equal": np.equal, "less": np.less, "greater_equal": np.greater_equal}
REDUCE = {"sum": np.sum, "mean": np.mean, "all": np.all, "prod": np.prod}
REDUCE_NOT_EMPTY = {"max": np.max, "min": np.min}
ARG = {"argmax": np.argmax, "argmin": np.argmin}


@st.composite
def unknowns(draw, shape):
    """Sizes of which some are unknown, and what the unknown ones stand for."""
    dims, known = [], {}
    for size in shape:
        if draw(st.booleans()):
            dim = Dim()
            known[dim.symbol] = size
            dims.append(dim)
        else:
            dims.append(size)
    return dims, known


def assert_fits(spec, shape, known):
    """The inferred sizes are the right ones once the unknown ones are known."""
    assert len(spec.dims) == len(shape)
    for inferred, size in zip(spec.dims, shape, strict=True):
        if isinstance(inferred, Dim) and inferred.symbols() <= known.keys():
            inferred = evaluate(inferred, known)
        if not isinstance(inferred, Dim):
            assert inferred == size


@pytest.mark.parametrize("name", [*UNARY_FLOAT, *UNARY_SAME, *UNARY_BOOL])
@SETTINGS
@given(data=st.data(), shape=SHAPES, dtype=st.sampled_from(DTYPES))
def test_unary(name, data, shape, dtype):
    dims, known = data.draw(unknowns(shape))
    if name == "negative" and dtype == "bool":
        return  # NumPy has none
    y = getattr(ops, name)(KerasTensor(dims, dtype))
    assert_fits(y, shape, known)
    if name in UNARY_BOOL:
        assert y.dtype == "bool"
    elif name in UNARY_FLOAT:
        assert y.dtype == (dtype if dtypes.is_float(dtype) else "float32")
    elif dtype != "bool":
        assert y.dtype == dtype


@pytest.mark.parametrize("name", [*BINARY, *COMPARE])
@SETTINGS
@given(
    data=st.data(),
    shapes=hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=5, min_side=0, max_side=4),
    a=st.sampled_from(DTYPES),
    b=st.sampled_from(DTYPES),
)
def test_binary(name, data, shapes, a, b):
    if name == "subtract" and a == b == "bool":
        return  # NumPy has none
    (first, first_known), (second, second_known) = (
        data.draw(unknowns(shape)) for shape in shapes.input_shapes
    )
    y = getattr(ops, name)(KerasTensor(first, a), KerasTensor(second, b))
    assert_fits(y, shapes.result_shape, first_known | second_known)
    assert y.dtype == ("bool" if name in COMPARE else dtypes.result_type(a, b))


@SETTINGS
@given(
    a=st.lists(st.integers(2, 4), min_size=1, max_size=4).map(tuple),
    b=st.lists(st.integers(2, 4), min_size=1, max_size=4).map(tuple),
)
def test_binary_refuses_what_numpy_refuses(a, b):
    try:
        wanted = np.broadcast_shapes(a, b)
    except ValueError:
        with pytest.raises(ValueError):
            ops.add(KerasTensor(a), KerasTensor(b))
    else:
        assert ops.add(KerasTensor(a), KerasTensor(b)).shape == wanted


@st.composite
def axes_of(draw, rank):
    """None, one axis, or several, counted from either end."""
    if rank == 0:
        return None
    one = st.integers(-rank, rank - 1)
    axes = draw(st.one_of(st.none(), one, st.lists(one, unique_by=lambda a: a % rank)))
    return tuple(axes) if isinstance(axes, list) and axes else None if axes == [] else axes


@pytest.mark.parametrize("name", [*REDUCE, *REDUCE_NOT_EMPTY])
@SETTINGS
@given(data=st.data(), shape=SHAPES, keepdims=st.booleans())
def test_reductions(name, data, shape, keepdims):
    reduce = {**REDUCE, **REDUCE_NOT_EMPTY}[name]
    axis = data.draw(axes_of(len(shape)))
    dims, known = data.draw(unknowns(shape))
    if name in REDUCE_NOT_EMPTY and math.prod(shape) == 0:
        dims, known = [max(size, 1) for size in shape], {}
        shape = tuple(dims)
    y = getattr(ops, name)(KerasTensor(dims), axis=axis, keepdims=keepdims)
    with np.errstate(all="ignore"):
        # What NumPy says of the mean of nothing is a warning, and its shape is right.
        wanted = (np.sum if name == "mean" else reduce)(
            np.ones(shape), axis=axis, keepdims=keepdims
        ).shape
    assert_fits(y, wanted, known)


@pytest.mark.parametrize("name", [*ARG])
@SETTINGS
@given(data=st.data(), keepdims=st.booleans())
def test_arg_reductions(name, data, keepdims):
    shape = data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=5).map(tuple))
    axis = data.draw(st.one_of(st.none(), st.integers(-len(shape), len(shape) - 1)))
    dims, known = data.draw(unknowns(shape))
    y = getattr(ops, name)(KerasTensor(dims), axis=axis, keepdims=keepdims)
    assert_fits(y, ARG[name](np.ones(shape), axis=axis, keepdims=keepdims).shape, known)
    assert y.dtype == "int32"


@pytest.mark.parametrize("name", [*REDUCE, *REDUCE_NOT_EMPTY])
@SETTINGS
@given(data=st.data(), rank=st.integers(0, 4))
def test_reductions_refuse_wrong_axes(name, data, rank):
    axis = data.draw(st.integers(rank, rank + 3) | st.integers(-rank - 4, -rank - 1))
    with pytest.raises(ValueError, match="axis"):
        getattr(ops, name)(KerasTensor((2,) * rank), axis=axis)
    if rank:
        with pytest.raises(ValueError, match="axis|axes"):
            getattr(ops, name)(KerasTensor((2,) * rank), axis=(0, -rank))


@SETTINGS
@given(data=st.data(), shape=SHAPES)
def test_transpose(data, shape):
    order = data.draw(st.permutations(range(len(shape))))
    dims, known = data.draw(unknowns(shape))
    wanted = np.ones(shape).transpose(order).shape
    assert_fits(ops.transpose(KerasTensor(dims), tuple(order)), wanted, known)


@SETTINGS
@given(data=st.data(), shape=SHAPES)
def test_expand_and_squeeze(data, shape):
    axis = data.draw(st.integers(-len(shape) - 1, len(shape)))
    dims, known = data.draw(unknowns(shape))
    y = ops.expand_dims(KerasTensor(dims), axis)
    assert_fits(y, np.expand_dims(np.ones(shape), axis).shape, known)
    assert_fits(ops.squeeze(y, axis), shape, known)


@SETTINGS
@given(data=st.data(), shape=st.lists(st.integers(1, 4), max_size=5).map(tuple))
def test_reshape(data, shape):
    """Any regrouping of the factors, one of them perhaps left to be found out."""
    order = data.draw(st.permutations(shape))
    target = list(order)
    if target and data.draw(st.booleans()):
        target[data.draw(st.integers(0, len(target) - 1))] = -1
    y = ops.reshape(KerasTensor(shape), tuple(target))
    assert y.shape == np.ones(shape).reshape(target).shape


@SETTINGS
@given(data=st.data(), shape=st.lists(SIZES, min_size=1, max_size=4).map(tuple))
def test_concatenate_and_stack(data, shape):
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    other = list(shape)
    other[axis] = data.draw(SIZES)
    first, known = data.draw(unknowns(shape))
    y = ops.concatenate([KerasTensor(first), KerasTensor(other)], axis=axis)
    wanted = np.concatenate([np.ones(shape), np.ones(other)], axis=axis).shape
    assert_fits(y, wanted, known)
    at = data.draw(st.integers(-len(shape) - 1, len(shape)))
    y = ops.stack([KerasTensor(first), KerasTensor(first)], axis=at)
    assert_fits(y, np.stack([np.ones(shape)] * 2, axis=at).shape, known)


@SETTINGS
@given(data=st.data())
def test_matmul(data):
    m, k, n = (data.draw(st.integers(0, 4)) for _ in range(3))
    batch = data.draw(hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=2, max_side=3))
    a, b = (*batch.input_shapes[0], m, k), (*batch.input_shapes[1], k, n)
    (first, first_known), (second, second_known) = data.draw(unknowns(a)), data.draw(unknowns(b))
    y = ops.matmul(KerasTensor(first), KerasTensor(second))
    assert_fits(y, np.matmul(np.ones(a), np.ones(b)).shape, first_known | second_known)


@SETTINGS
@given(data=st.data(), shape=SHAPES, repeats=st.integers(1, 3))
def test_broadcast_to_and_tile(data, shape, repeats):
    dims, known = data.draw(unknowns(shape))
    y = ops.broadcast_to(KerasTensor(shape), (2, *shape))
    assert y.shape == (2, *shape)
    reps = (repeats,) * len(shape)
    if shape:
        assert_fits(ops.tile(KerasTensor(dims), reps), np.tile(np.ones(shape), reps).shape, known)


@SETTINGS
@given(data=st.data(), shape=st.lists(st.integers(0, 5), min_size=1, max_size=3).map(tuple))
def test_indexing(data, shape):
    index = data.draw(hnp.basic_indices(shape, allow_newaxis=True, allow_ellipsis=True))
    wanted = np.ones(shape)[index].shape
    assert KerasTensor(shape)[index].shape == wanted
    dims, known = data.draw(unknowns(shape))
    parts = index if isinstance(index, tuple) else (index,)
    if all(isinstance(part, slice) and part == slice(None) or part is None for part in parts):
        assert_fits(KerasTensor(dims)[index], wanted, known)
