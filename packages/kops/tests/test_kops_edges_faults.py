"""Wrong arguments that engines let pass: one clear error, or one right value, on all of them."""

import numpy as np
import pytest

from kops import KerasTensor, ops
from kops.backend import active


def numpy(x):
    return ops.convert_to_numpy(x)


def compiled(fn):
    return active().compile(fn)


# --- class numbers ------------------------------------------------------------------


@pytest.mark.parametrize("from_logits", [True, False])
@pytest.mark.parametrize("label", [3, 7, -1, -100])
@pytest.mark.parametrize("axis", [-1, 1])
def test_class_numbers_outside_the_axis(label, from_logits, axis):
    output = np.full((2, 3, 3), 1 / 3, "float32")
    target = np.array([[0, 1, 2], [label, 0, 1]])
    with pytest.raises(ValueError, match=rf"`target`.*0 to 2.*got {label}\."):
        ops.sparse_categorical_crossentropy(target, output, from_logits, axis)


@pytest.mark.parametrize("from_logits", [True, False])
def test_class_numbers_outside_the_axis_are_nan_when_compiled(from_logits):
    if active().NAME not in ("jax", "tensorflow"):
        pytest.skip("this engine does not trace")

    @compiled
    def loss(target, output):
        return ops.sparse_categorical_crossentropy(target, output, from_logits)

    output = ops.convert_to_tensor(np.full((3, 3), 1 / 3, "float32"))
    result = numpy(loss(ops.convert_to_tensor([0, 3, -1]), output))
    np.testing.assert_allclose(result, [np.log(3), np.nan, np.nan], rtol=1e-5)


def test_no_samples_and_no_classes():
    none = np.zeros((0, 3), "float32")
    assert numpy(ops.sparse_categorical_crossentropy(np.zeros(0, int), none)).shape == (0,)
    empty = np.zeros((0, 0), "float32")
    assert numpy(ops.sparse_categorical_crossentropy(np.zeros(0, int), empty)).shape == (0,)
    with pytest.raises(ValueError, match="0 classes"):
        ops.sparse_categorical_crossentropy([0, 0], np.zeros((2, 0), "float32"))


# --- quantiles of nothing -----------------------------------------------------------

QUANTILES = [("median", ()), ("nanmedian", ()), ("quantile", (0.5,)), ("nanquantile", (0.5,))]
QUANTILES += [("percentile", (50.0,)), ("nanpercentile", (50.0,))]


@pytest.mark.parametrize(("name", "args"), QUANTILES)
def test_quantiles_of_nothing(name, args):
    op = getattr(ops, name)
    with pytest.raises(ValueError, match=r"`axis` 0 covers an axis of size zero.*\(0, 3\)"):
        op(np.ones((0, 3), "float32"), *args, axis=0)
    with pytest.raises(ValueError, match="size zero"):
        op(KerasTensor((0, 3)), *args, axis=0)
    assert numpy(op(np.ones((3, 0), "float32"), *args, axis=0)).shape == (0,)


# --- positions and sizes ------------------------------------------------------------


POSITIONS = {
    "take": lambda x, i: ops.take(x, i),
    "take_along_axis": lambda x, i: ops.take_along_axis(x, i),
    "segment_sum": lambda x, i: ops.segment_sum(x, i),
    "scatter": lambda x, i: ops.scatter(ops.expand_dims(i, -1), x, (4,)),
}


@pytest.mark.parametrize("name", POSITIONS)
def test_positions_must_be_integers(name):
    x = np.ones(3, "float32")
    for indices in (np.array([0.0, 1.0, 1.5], "float32"), KerasTensor((3,), "float32")):
        with pytest.raises(ValueError, match=rf"`\w+` of {name}\(\): must hold integers.*float32"):
            POSITIONS[name](x, indices)


@pytest.mark.parametrize("newshape", [(-2, 3), (-1, -1), (2.0, 3), ("a",), (None, 3), -2, (7,)])
def test_new_shapes_that_are_none(newshape):
    for x in (np.ones((2, 3), "float32"), KerasTensor((2, 3))):
        with pytest.raises(ValueError, match="newshape|cannot be reshaped"):
            ops.reshape(x, newshape)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int16", "uint16", "int32", "float16"])
def test_running_sums_are_as_wide_as_sums(dtype):
    x = np.ones((300,), dtype)
    total = ops.sum(x)
    running = ops.cumsum(x)
    assert running.dtype == total.dtype
    if dtype != "float16":
        assert int(numpy(running)[-1]) == 300
    assert ops.cumprod(x).dtype == ops.prod(x).dtype
    assert ops.cumsum(KerasTensor((300,), dtype)).dtype == ops.sum(KerasTensor((300,), dtype)).dtype


# --- what is no tensor --------------------------------------------------------------


@pytest.mark.parametrize("value", [None, "a", object(), [[1, 2], [3]], {"a": 1}])
def test_what_is_no_tensor(value):
    with pytest.raises((ValueError, TypeError), match=r"`x` of exp\(\)"):
        ops.exp(value)
    with pytest.raises((ValueError, TypeError), match=r"`x2` of add\(\)"):
        ops.add(np.ones(2, "float32"), value)
    with pytest.raises((ValueError, TypeError), match=r"`x` of sum\(\)"):
        ops.sum(value, axis=0)


@pytest.mark.parametrize("axis", [1.0, "a", 2, -3, (0, 0)])
@pytest.mark.parametrize("name", ["sum", "max", "argmax", "softmax", "median", "flip", "cumsum"])
def test_axes_that_are_none(name, axis):
    if name in ("argmax", "cumsum") and axis == (0, 0):
        return
    for x in (np.ones((2, 3), "float32"), KerasTensor((2, 3))):
        with pytest.raises(ValueError, match="axis"):
            getattr(ops, name)(x, axis=axis)


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("shape", [(2, 5, 3), (0, 5, 3), (2, 0, 0)])
def test_taking_nothing(axis, shape):
    x, indices = np.zeros(shape, "float32"), np.zeros((0, 4), "int32")
    expected = np.take(x, indices, axis).shape
    assert numpy(ops.take(x, indices, axis)).shape == expected
    assert ops.take(KerasTensor(shape), KerasTensor((0, 4), "int32"), axis).shape == expected
