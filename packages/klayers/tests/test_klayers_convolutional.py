"""Convolution layers against Keras."""

from __future__ import annotations

import numpy as np
import pytest

import kops
from klayers import layers

RNG = np.random.default_rng(2)


def floats(*shape):
    return RNG.normal(size=shape).astype("float32")


def first(x):
    """Channels moved behind the batch."""
    return np.ascontiguousarray(np.moveaxis(x, -1, 1))


CONV1D = [
    {"filters": 4, "kernel_size": 3},
    {"filters": 4, "kernel_size": 3, "padding": "same", "strides": 2, "activation": "relu"},
    {"filters": 4, "kernel_size": 3, "padding": "causal", "dilation_rate": 2},
    {"filters": 4, "kernel_size": 2, "padding": "causal", "strides": 2},
    {"filters": 4, "kernel_size": 3, "groups": 2, "use_bias": False},
    {"filters": 4, "kernel_size": 2, "dilation_rate": 3, "padding": "same"},
]
CONV2D = [
    {"filters": 4, "kernel_size": 3},
    {"filters": 4, "kernel_size": (2, 3), "strides": (2, 1), "padding": "same"},
    {"filters": 4, "kernel_size": 3, "dilation_rate": (1, 2), "activation": "tanh"},
    {"filters": 4, "kernel_size": 3, "groups": 2, "padding": "same", "strides": 2},
    {"filters": 4, "kernel_size": 1, "kernel_regularizer": "l2", "activity_regularizer": "l2"},
]
CONV3D = [
    {"filters": 2, "kernel_size": 2, "strides": (1, 2, 1), "padding": "same"},
    {"filters": 2, "kernel_size": 2, "dilation_rate": 2},
]


@pytest.mark.parametrize("kwargs", CONV1D)
def test_conv1d(oracle, kwargs):
    oracle.check("Conv1D", kwargs, floats(2, 9, 4))


@pytest.mark.parametrize("kwargs", CONV2D)
def test_conv2d(oracle, kwargs):
    oracle.check("Conv2D", kwargs, floats(2, 7, 8, 4))


@pytest.mark.parametrize("kwargs", CONV3D)
def test_conv3d(oracle, kwargs):
    oracle.check("Conv3D", kwargs, floats(1, 5, 6, 4, 2))


@pytest.mark.parametrize(
    ("name", "kwargs", "shape"),
    [("Conv1D", k, (2, 9, 4)) for k in CONV1D]
    + [("Conv2D", k, (2, 7, 8, 4)) for k in CONV2D]
    + [("DepthwiseConv2D", {"kernel_size": 2, "depth_multiplier": 2}, (2, 7, 8, 4))]
    + [("SeparableConv2D", {"filters": 3, "kernel_size": 2}, (2, 7, 8, 4))]
    + [("Conv2DTranspose", {"filters": 3, "kernel_size": 2, "strides": 2}, (2, 5, 4, 4))],
)
def test_channels_first_is_channels_last_moved(name, kwargs, shape):
    x = floats(*shape)
    last = getattr(layers, name)(**kwargs, data_format="channels_last")
    moved = getattr(layers, name)(**kwargs, data_format="channels_first")
    y = last(x)
    moved(first(x))
    weights = [RNG.normal(size=w.shape) for w in last.weights]
    last.set_weights(weights)
    moved.set_weights(weights)
    a, b = last(x), moved(first(x))
    a, b = (kops.ops.convert_to_numpy(v) for v in (a, b))
    np.testing.assert_allclose(first(a), b, atol=1e-5)
    assert moved.compute_output_shape(first(x).shape) == b.shape
    assert last.compute_output_shape(x.shape) == tuple(y.shape)


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("Conv1DTranspose", (2, 5, 3)),
        ("Conv2DTranspose", (2, 4, 5, 3)),
        ("Conv3DTranspose", (1, 3, 2, 3, 2)),
    ],
)
@pytest.mark.parametrize(
    "kwargs",
    [
        {"kernel_size": 3},
        {"kernel_size": 3, "strides": 2},
        {"kernel_size": 3, "strides": 2, "padding": "same"},
        {"kernel_size": 2, "strides": 3, "padding": "same"},
        {"kernel_size": 3, "strides": 2, "padding": "same", "output_padding": 1},
        {"kernel_size": 2, "dilation_rate": 2, "use_bias": False, "activation": "relu"},
    ],
)
def test_transposed(oracle, name, shape, kwargs):
    if kops.config.backend() == "tensorflow" and kwargs.get("dilation_rate", 1) > 1:
        pytest.skip("Keras refuses it there; see the next test")
    oracle.check(name, {"filters": 4, **kwargs}, floats(*shape))


def test_transposed_dilation_spreads_the_kernel():
    x = floats(2, 4, 5, 3)
    dilated, spread = layers.Conv2DTranspose(4, 2, dilation_rate=2), layers.Conv2DTranspose(4, 3)
    y = dilated(x)
    spread(x)
    kernel = np.zeros((3, 3, 4, 3), "float32")
    kernel[::2, ::2] = dilated.kernel.numpy()
    spread.set_weights([kernel, dilated.bias.numpy()])
    expected = kops.ops.convert_to_numpy(spread(x))
    np.testing.assert_allclose(kops.ops.convert_to_numpy(y), expected, atol=1e-5)


@pytest.mark.parametrize(
    "kwargs",
    [
        {},
        {"strides": 2, "padding": "same"},
        {"dilation_rate": 2, "activation": "relu"},
        {"depth_multiplier": 3, "use_bias": False},
    ],
)
@pytest.mark.parametrize(("rank", "shape"), [(1, (2, 9, 4)), (2, (2, 7, 8, 4))])
def test_depthwise_and_separable(oracle, rank, shape, kwargs):
    oracle.check(f"DepthwiseConv{rank}D", {"kernel_size": 3, **kwargs}, floats(*shape))
    oracle.check(
        f"SeparableConv{rank}D", {"filters": 5, "kernel_size": 3, **kwargs}, floats(*shape)
    )


def test_strides_and_dilation_together():
    """Every second position of the dilated convolution with stride 1."""
    x = floats(2, 9, 9, 3)
    both = layers.Conv2D(4, 3, strides=2, dilation_rate=2)
    one = layers.Conv2D(4, 3, strides=1, dilation_rate=2)
    y = both(x)
    one(x)
    one.set_weights(both.get_weights())
    expected = kops.ops.convert_to_numpy(one(x))[:, ::2, ::2]
    np.testing.assert_allclose(kops.ops.convert_to_numpy(y), expected, atol=1e-5)


def test_window_that_does_not_fit_is_refused_at_build():
    layer = layers.SeparableConv1D(1, 5, dilation_rate=3)
    with pytest.raises(ValueError, match="does not fit"):
        layer.build((None, 10, 2))
    with pytest.raises(ValueError, match="does not fit"):
        layers.SeparableConv1D(1, 5, dilation_rate=3)(floats(1, 10, 2))
    with pytest.raises(ValueError, match="does not fit"):
        layers.Conv2D(3, 9)(floats(1, 8, 8, 2))


@pytest.mark.parametrize(
    ("name", "kwargs", "message"),
    [
        ("Conv2D", {"filters": 0, "kernel_size": 2}, "filters"),
        ("Conv2D", {"filters": 3, "kernel_size": (1, 2, 3)}, "kernel_size"),
        ("Conv2D", {"filters": 3, "kernel_size": 0}, "kernel_size"),
        ("Conv2D", {"filters": 3, "kernel_size": 2, "strides": -1}, "strides"),
        ("Conv2D", {"filters": 3, "kernel_size": 2, "padding": "causal"}, "padding"),
        ("Conv2D", {"filters": 3, "kernel_size": 2, "groups": 2}, "groups"),
        ("Conv2D", {"filters": 3, "kernel_size": 2, "data_format": "x"}, "data_format"),
        ("Conv2D", {"filters": 3, "kernel_size": 2, "activation": "nope"}, "nope"),
    ],
)
def test_arguments_are_checked(name, kwargs, message):
    with pytest.raises(ValueError, match=message):
        getattr(layers, name)(**kwargs)


def test_channels_must_be_a_multiple_of_groups():
    with pytest.raises(ValueError, match="groups"):
        layers.Conv2D(4, 2, groups=2).build((None, 8, 8, 3))


def test_empty_batch():
    for layer, shape, expected in [
        (layers.Conv2D(3, 2), (0, 4, 4, 2), (0, 3, 3, 3)),
        (layers.DepthwiseConv2D(2), (0, 4, 4, 2), (0, 3, 3, 2)),
        (layers.SeparableConv1D(3, 2), (0, 4, 2), (0, 3, 3)),
        (layers.Conv2DTranspose(3, 2, strides=2), (0, 4, 4, 2), (0, 8, 8, 3)),
    ]:
        assert tuple(layer(floats(*shape)).shape) == expected


def test_separable_conv1d_causal_sees_no_later_step():
    layer = layers.SeparableConv1D(3, 3, padding="causal", dilation_rate=2)
    x = floats(2, 9, 4)
    before = kops.ops.convert_to_numpy(layer(x))
    x[:, 6:] = 0.0
    after = kops.ops.convert_to_numpy(layer(x))
    np.testing.assert_allclose(before[:, :6], after[:, :6], atol=1e-6)
    assert before.shape == (2, 9, 3)
