"""Layers that move, repeat, cut or add values, against Keras."""

from __future__ import annotations

import numpy as np
import pytest

import klayers
import kops
from klayers import layers

RNG = np.random.default_rng(4)
SHAPES = {1: (2, 7, 3), 2: (2, 6, 7, 3), 3: (1, 5, 6, 7, 2)}


def floats(*shape):
    return RNG.normal(size=shape).astype("float32")


@pytest.mark.parametrize("data_format", ["channels_last", "channels_first"])
@pytest.mark.parametrize("shape", [(2, 3), (2, 3, 4), (2, 3, 4, 5), (3,)])
def test_flatten(oracle, data_format, shape):
    oracle.check("Flatten", {"data_format": data_format}, floats(*shape), gradients=len(shape) > 1)


@pytest.mark.parametrize("target", [(12,), (3, 4), (-1, 2), (2, -1, 3), (4, -1)])
def test_reshape(oracle, target):
    oracle.check("Reshape", {"target_shape": target}, floats(2, 3, 4))


def test_reshape_keeps_its_unknown_size_open():
    layer = layers.Reshape((-1, 2))
    assert tuple(layer(floats(3, 4)).shape) == (3, 2, 2)
    assert tuple(layer(floats(3, 6)).shape) == (3, 3, 2)
    x = klayers.Input((None, 4))
    assert layer(x).shape == (None, None, 2)


def test_reshape_names_the_shapes():
    with pytest.raises(ValueError, match="target_shape"):
        layers.Reshape((3, 3))(floats(2, 8))
    with pytest.raises(ValueError, match="target_shape"):
        layers.Reshape((-1, -1))


def test_permute(oracle):
    oracle.check("Permute", {"dims": (2, 1)}, floats(2, 3, 4))
    oracle.check("Permute", {"dims": (3, 1, 2)}, floats(2, 3, 4, 5))
    for dims in [(2, 2), (0, 1), (1, 3)]:
        with pytest.raises(ValueError, match="dims"):
            layers.Permute(dims)


def test_repeat_vector(oracle):
    oracle.check("RepeatVector", {"n": 3}, floats(2, 4))
    with pytest.raises(ValueError, match="`n`"):
        layers.RepeatVector(1.5)


@pytest.mark.parametrize(
    ("rank", "cropping"),
    [
        (1, 1),
        (1, (1, 2)),
        (1, (0, 3)),
        (2, 1),
        (2, (1, 2)),
        (2, ((1, 0), (2, 1))),
        (3, 1),
        (3, (1, 2, 0)),
        (3, ((1, 0), (0, 1), (2, 2))),
    ],
)
def test_cropping(oracle, rank, cropping):
    oracle.check(f"Cropping{rank}D", {"cropping": cropping}, floats(*SHAPES[rank]))


@pytest.mark.parametrize(
    ("rank", "padding"),
    [
        (1, 1),
        (1, (1, 2)),
        (2, 1),
        (2, (1, 2)),
        (2, ((1, 0), (2, 1))),
        (3, 1),
        (3, (1, 2, 0)),
        (3, ((1, 0), (0, 1), (2, 2))),
    ],
)
def test_zero_padding(oracle, rank, padding):
    oracle.check(f"ZeroPadding{rank}D", {"padding": padding}, floats(*SHAPES[rank]))


@pytest.mark.parametrize(
    "name", ["Cropping2D", "Cropping3D", "ZeroPadding1D", "ZeroPadding2D", "ZeroPadding3D"]
)
def test_borders_with_channels_first(oracle, name):
    argument = "cropping" if name.startswith("C") else "padding"
    shape = SHAPES[int(name[-2])]
    oracle.check(
        name, {argument: 1, "data_format": "channels_first"}, floats(shape[0], 3, *shape[1:-1])
    )


@pytest.mark.parametrize("value", [-1, (1, 2, 3, 4), ((1, 2), (3,)), 1.5])
def test_borders_are_checked(value):
    with pytest.raises(ValueError, match="cropping"):
        layers.Cropping2D(value)
    with pytest.raises(ValueError, match="padding"):
        layers.ZeroPadding2D(value)


def test_cropping_everything_is_refused():
    with pytest.raises(ValueError, match="leaves nothing"):
        layers.Cropping1D(2)(floats(1, 4, 2))


@pytest.mark.parametrize(
    ("name", "kwargs", "shape"),
    [
        ("UpSampling1D", {"size": 3}, (2, 4, 3)),
        ("UpSampling2D", {}, (1, 3, 4, 2)),
        ("UpSampling2D", {"size": (1, 3), "data_format": "channels_first"}, (1, 2, 3, 4)),
        ("UpSampling3D", {"size": (1, 2, 3)}, (1, 2, 3, 2, 2)),
    ],
)
def test_up_sampling(oracle, name, kwargs, shape):
    oracle.check(name, kwargs, floats(*shape))


@pytest.mark.skipif(not hasattr(kops.ops, "image"), reason="needs ops.image.resize")
def test_up_sampling_bilinear(oracle):
    oracle.check(
        "UpSampling2D", {"size": 2, "interpolation": "bilinear"}, floats(1, 3, 4, 2), atol=1e-4
    )


def test_empty_batch():
    assert tuple(layers.Flatten()(floats(0, 3, 4)).shape) == (0, 12)
    assert tuple(layers.Reshape((-1, 2))(floats(0, 8)).shape) == (0, 4, 2)
    assert tuple(layers.RepeatVector(3)(floats(0, 8)).shape) == (0, 3, 8)
    assert tuple(layers.ZeroPadding2D(1)(floats(0, 2, 2, 1)).shape) == (0, 4, 4, 1)
    assert tuple(layers.UpSampling1D(2)(floats(0, 2, 1)).shape) == (0, 4, 1)
