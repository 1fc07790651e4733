"""Normalization layers against Keras, and their rules at the edges."""

from __future__ import annotations

import numpy as np
import pytest

import klayers
import kops
from klayers import layers

RNG = np.random.default_rng(7)


def floats(*shape):
    return (RNG.normal(size=shape) * 2 + 0.5).astype("float32")


def numpy_of(x):
    return kops.ops.convert_to_numpy(x)


@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize(
    ("kwargs", "shape"),
    [
        ({}, (6, 4)),
        ({"axis": 1}, (3, 4, 5, 2)),
        ({"axis": -1, "momentum": 0.7, "epsilon": 1e-2}, (3, 4, 5, 2)),
        ({"scale": False}, (3, 4, 5)),
        ({"center": False, "gamma_regularizer": "l2"}, (3, 4, 5)),
        ({"center": False, "scale": False}, (3, 4, 5)),
    ],
)
def test_batch_normalization(oracle, kwargs, shape, training):
    oracle.check(
        "BatchNormalization", kwargs, floats(*shape), call={"training": training}, atol=2e-5
    )


@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("clipping", [None, {"rmin": 0.9, "rmax": 1.1, "dmax": 0.2}, {"rmax": 1.5}])
def test_batch_renormalization(oracle, clipping, training):
    kwargs = {"renorm": True, "renorm_clipping": clipping, "renorm_momentum": 0.8, "momentum": 0.7}
    oracle.check("BatchNormalization", kwargs, floats(6, 4), call={"training": training}, atol=5e-5)


def test_batch_normalization_leaves_masked_steps_out(oracle):
    mask = np.array([[True, True, False, False], [True, True, True, False], [True] * 4])
    call = {"mask": mask, "training": True}
    oracle.check("BatchNormalization", {"momentum": 0.5}, floats(3, 4, 5), call=call, atol=5e-5)


def test_frozen_batch_normalization_uses_its_moving_statistics():
    layer = layers.BatchNormalization()
    x = floats(8, 3)
    layer.build(x.shape)
    layer.trainable = False
    before = [v.numpy() for v in layer.non_trainable_variables]
    y = numpy_of(layer(x, training=True))
    np.testing.assert_allclose(y, x / np.sqrt(1 + 1e-3), atol=1e-5)
    for a, b in zip(before, layer.non_trainable_variables, strict=True):
        np.testing.assert_array_equal(a, b.numpy())


@pytest.mark.parametrize(
    ("kwargs", "shape"),
    [
        ({}, (6, 4)),
        ({"axis": [1, 2]}, (3, 4, 5)),
        ({"axis": [2, 1]}, (3, 4, 5)),
        ({"axis": [-1, -2], "center": False}, (2, 3, 4, 5)),
        ({"scale": False, "epsilon": 0.1}, (3, 4, 5)),
        ({"rms_scaling": True}, (3, 4, 5)),
    ],
)
def test_layer_normalization(oracle, kwargs, shape):
    oracle.check("LayerNormalization", kwargs, floats(*shape), atol=2e-5)


def test_layer_normalization_over_a_middle_axis():
    x = floats(2, 3, 4)
    y = numpy_of(layers.LayerNormalization(axis=1, epsilon=0.0)(x))
    expected = (x - x.mean(1, keepdims=True)) / x.std(1, keepdims=True)
    np.testing.assert_allclose(y, expected, atol=1e-5)


@pytest.mark.parametrize(
    ("kwargs", "shape"),
    [
        ({"groups": 2}, (3, 4)),
        ({"groups": 2}, (2, 3, 5, 4)),
        ({"groups": 1}, (2, 3, 4)),
        ({"groups": -1}, (2, 3, 4)),
        ({"groups": 2, "axis": 1, "scale": False}, (2, 4, 3, 3)),
    ],
)
def test_group_normalization(oracle, kwargs, shape):
    oracle.check("GroupNormalization", kwargs, floats(*shape), atol=2e-5)


@pytest.mark.parametrize(("kwargs", "shape"), [({}, (3, 4)), ({"axis": [1, 2]}, (2, 3, 4))])
def test_rms_normalization(oracle, kwargs, shape):
    oracle.check("RMSNormalization", kwargs, floats(*shape))


def test_rms_normalization_over_a_middle_axis():
    x = floats(2, 3, 4)
    y = numpy_of(layers.RMSNormalization(axis=1, epsilon=0.0)(x))
    np.testing.assert_allclose(y, x / np.sqrt((x**2).mean(1, keepdims=True)), atol=1e-5)


@pytest.mark.parametrize(
    ("kwargs", "shape"), [({}, (3, 4)), ({"axis": [1, 2]}, (2, 3, 4)), ({"axis": 1}, (2, 3, 4))]
)
def test_unit_normalization(oracle, kwargs, shape):
    oracle.check("UnitNormalization", kwargs, floats(*shape))


@pytest.mark.parametrize("name", ["LayerNormalization", "RMSNormalization"])
@pytest.mark.parametrize("axis", [7, [1, 1], -4])
def test_axes_are_checked_eagerly_and_symbolically(name, axis):
    with pytest.raises(ValueError, match="axis"):
        getattr(layers, name)(axis=axis)(floats(2, 3, 4))
    with pytest.raises(ValueError, match="axis"):
        getattr(layers, name)(axis=axis)(klayers.Input((3, 4)))


def test_groups_must_divide_the_channels():
    with pytest.raises(ValueError, match="groups"):
        layers.GroupNormalization(groups=3)(floats(2, 4))


@pytest.mark.parametrize(
    "make",
    [
        lambda: layers.LayerNormalization(dtype="mixed_float16"),
        lambda: layers.GroupNormalization(groups=1, dtype="mixed_float16"),
        lambda: layers.BatchNormalization(dtype="mixed_float16"),
        lambda: layers.RMSNormalization(dtype="mixed_float16"),
    ],
)
@pytest.mark.parametrize("training", [False, True])
def test_float16_statistics_do_not_overflow(make, training):
    x = np.full((2, 64), 300.0, "float32")
    x[:, ::2] = -300.0
    layer = make()
    call = {"training": training} if isinstance(layer, layers.BatchNormalization) else {}
    y = numpy_of(layer(x, **call))
    assert y.dtype == np.float16
    assert np.isfinite(y).all()
    if not isinstance(layer, layers.BatchNormalization):
        np.testing.assert_allclose(np.abs(y.astype("float32")), 1.0, atol=1e-2)
    assert all(w.dtype == "float32" for w in layer.weights)


@pytest.mark.parametrize(
    "make",
    [
        lambda: layers.LayerNormalization(),
        lambda: layers.GroupNormalization(groups=1),
        lambda: layers.BatchNormalization(),
        lambda: layers.RMSNormalization(),
        lambda: layers.UnitNormalization(),
    ],
)
def test_empty_batch(make):
    assert tuple(make()(floats(0, 3, 4)).shape) == (0, 3, 4)


# -- the preprocessing layer Normalization ----------------------------------------------------


@pytest.mark.parametrize("axis", [-1, None, (1, 2), 1])
@pytest.mark.parametrize("invert", [False, True])
def test_normalization_adapts(keras, axis, invert):
    x = floats(10, 3, 4)
    ours = layers.Normalization(axis=axis, invert=invert)
    theirs = keras.layers.Normalization(axis=axis, invert=invert)
    ours.adapt(x)
    theirs.adapt(x)
    np.testing.assert_allclose(numpy_of(ours(x)), numpy_of(theirs(x)), atol=1e-4)
    assert [tuple(w.shape) for w in ours.weights] == [tuple(w.shape) for w in theirs.weights]


def test_normalization_of_batches_is_that_of_the_whole():
    x = floats(10, 4)
    whole, batches = layers.Normalization(), layers.Normalization()
    whole.adapt(x)
    batches.adapt(iter([x[:3], x[3:4], x[4:]]))
    np.testing.assert_allclose(numpy_of(whole(x)), numpy_of(batches(x)), atol=1e-5)
    np.testing.assert_allclose(numpy_of(whole(x)).mean(0), 0.0, atol=1e-5)
    np.testing.assert_allclose(numpy_of(whole(x)).std(0), 1.0, atol=1e-5)


def test_normalization_given_statistics_follow_the_axis():
    x = floats(5, 3, 2)
    variance = np.array([1.0, 4.0, 9.0])
    layer = layers.Normalization(axis=1, mean=2.0, variance=variance)
    expected = (x - 2.0) / np.sqrt(variance)[:, None]
    np.testing.assert_allclose(numpy_of(layer(x)), expected, atol=1e-5)
    both = layers.Normalization(axis=(2, 1), mean=0.0, variance=np.full((3, 2), 4.0))
    np.testing.assert_allclose(numpy_of(both(x)), x / 2, atol=1e-5)


def test_normalization_errors():
    with pytest.raises(ValueError, match="variance"):
        layers.Normalization(mean=1.0)
    with pytest.raises(ValueError, match="adapt"):
        layers.Normalization(mean=1.0, variance=1.0).adapt(floats(3, 2))
    with pytest.raises(ValueError, match="sizes"):
        layers.Normalization().build((None, None))


@pytest.mark.parametrize(
    "kwargs",
    [
        {"scale": 1 / 255},
        {"scale": 2.0, "offset": -1.0},
        {"scale": [1.0, 2.0, 3.0], "offset": [0.0, 1.0, 2.0]},
    ],
)
def test_rescaling(oracle, kwargs):
    oracle.check("Rescaling", kwargs, floats(2, 4, 3))
    oracle.check("Rescaling", kwargs, RNG.integers(0, 255, (2, 4, 3)).astype("uint8"))


@pytest.mark.parametrize("mask", [None, np.ones((0,), bool)])
def test_an_empty_batch_leaves_the_moving_statistics(mask):
    layer = klayers.layers.BatchNormalization()
    layer.build((None, 3))
    y = layer(np.zeros((0, 3), "float32"), training=True, mask=mask)
    assert tuple(y.shape) == (0, 3)
    np.testing.assert_array_equal(layer.moving_mean.numpy(), np.zeros(3))
    np.testing.assert_array_equal(layer.moving_variance.numpy(), np.ones(3))
