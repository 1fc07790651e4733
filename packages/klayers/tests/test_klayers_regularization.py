"""Dropout, noise and penalties."""

from __future__ import annotations

import numpy as np
import pytest

import kops
from klayers import layers

RNG = np.random.default_rng(8)
RANDOM = [
    ("Dropout", {"rate": 0.4}, (200, 50)),
    ("Dropout", {"rate": 0.4, "noise_shape": (None, 1, None)}, (50, 4, 50)),
    ("SpatialDropout1D", {"rate": 0.4}, (50, 4, 50)),
    ("SpatialDropout2D", {"rate": 0.4}, (50, 2, 2, 50)),
    ("SpatialDropout3D", {"rate": 0.4}, (50, 2, 2, 2, 50)),
    ("GaussianDropout", {"rate": 0.4}, (200, 50)),
    ("GaussianNoise", {"stddev": 0.4}, (200, 50)),
    ("AlphaDropout", {"rate": 0.4}, (200, 50)),
]


def floats(*shape):
    return RNG.normal(size=shape).astype("float32")


def numpy_of(x):
    return kops.ops.convert_to_numpy(x)


@pytest.mark.parametrize(("name", "kwargs", "shape"), RANDOM)
def test_passes_through_at_inference(oracle, name, kwargs, shape):
    x = floats(*(min(n, 4) for n in shape))
    oracle.check(name, {**kwargs, "seed": 3}, x)
    oracle.check(name, kwargs, x, call={"training": False})


@pytest.mark.parametrize(("name", "kwargs", "shape"), RANDOM)
def test_keeps_the_mean_and_draws_anew(name, kwargs, shape):
    layer = getattr(layers, name)(**kwargs, seed=3)
    x = np.ones(shape, "float32")
    first, second = (numpy_of(layer(x, training=True)) for _ in range(2))
    assert first.dtype == np.float32
    assert not np.array_equal(first, second)
    again = numpy_of(getattr(layers, name)(**kwargs, seed=3)(x, training=True))
    np.testing.assert_array_equal(first, again)
    if name != "AlphaDropout":
        assert abs(first.mean() - 1) < 0.1


def test_dropout_scales_what_it_keeps():
    y = numpy_of(layers.Dropout(0.25, seed=1)(np.ones((100, 100), "float32"), training=True))
    assert set(np.unique(y.round(4))) == {0.0, np.float32(1.3333)}
    assert abs((y == 0).mean() - 0.25) < 0.02


def test_spatial_dropout_drops_whole_channels():
    y = numpy_of(layers.SpatialDropout1D(0.5, seed=1)(np.ones((4, 7, 9), "float32"), training=True))
    assert (y == y[:, :1]).all()
    first = layers.SpatialDropout2D(0.5, data_format="channels_first", seed=1)
    y = numpy_of(first(np.ones((4, 9, 3, 3), "float32"), training=True))
    assert (y == y[:, :, :1, :1]).all()


def test_alpha_dropout_keeps_mean_and_variance():
    x = RNG.normal(size=(500, 200)).astype("float32")
    y = numpy_of(layers.AlphaDropout(0.3, seed=1)(x, training=True))
    assert abs(y.mean()) < 0.02
    assert abs(y.std() - 1) < 0.03


@pytest.mark.parametrize("rate", [0.0, 1.0])
def test_dropout_at_the_ends(rate):
    layer = layers.Dropout(rate)
    y = numpy_of(layer(np.ones((3, 4), "float32"), training=True))
    np.testing.assert_array_equal(y, np.full((3, 4), 1.0 - rate))


@pytest.mark.parametrize("rate", [-0.1, 1.1, "0.5", None])
@pytest.mark.parametrize("name", ["Dropout", "SpatialDropout2D", "GaussianDropout", "AlphaDropout"])
def test_rates_are_checked(name, rate):
    with pytest.raises(ValueError, match="rate"):
        getattr(layers, name)(rate)


def test_noise_shape_is_checked():
    with pytest.raises(ValueError, match="noise_shape"):
        layers.Dropout(0.5, noise_shape=(0, 1))
    with pytest.raises(ValueError, match="noise_shape"):
        layers.Dropout(0.5, noise_shape=(None, 1, 1))(np.ones((2, 2), "float32"), training=True)


def test_activity_regularization(oracle):
    x = floats(3, 4)
    theirs, ours = oracle.check("ActivityRegularization", {"l1": 0.1, "l2": 0.2}, x)
    theirs(x)
    ours(x)
    expected = 0.1 * np.abs(x).sum() + 0.2 * (x**2).sum()
    np.testing.assert_allclose(float(numpy_of(ours.losses[0])), expected, rtol=1e-5)


def test_masks_pass():
    x = layers.Masking()(np.zeros((2, 3, 4), "float32"))
    for name, kwargs, _ in RANDOM:
        if name in (
            "Dropout",
            "GaussianDropout",
            "GaussianNoise",
            "AlphaDropout",
            "SpatialDropout1D",
        ):
            kwargs = {k: v for k, v in kwargs.items() if k != "noise_shape"}
            y = getattr(layers, name)(**kwargs)(x, training=True)
            assert kops.masks.get_mask(y) is not None


def test_training_default_of_one_layer_stays_its_own():
    """A layer with `training=True` by default switches nothing on in the layers after it."""
    from klayers import Input, Layer, Model

    class AlwaysOn(Layer):
        def call(self, inputs, training=True):
            return inputs * (2.0 if training else 1.0)

    x = Input((8,))
    model = Model(x, layers.Dropout(0.9)(AlwaysOn()(x)))
    y = numpy_of(model(np.ones((4, 8), "float32")))
    np.testing.assert_array_equal(y, np.full((4, 8), 2.0))


def test_empty_batch():
    for name, kwargs, shape in RANDOM:
        layer = getattr(layers, name)(**kwargs)
        assert tuple(layer(floats(0, *shape[1:]), training=True).shape) == (0, *shape[1:])
