"""Activation functions and layers against Keras."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import kops
from klayers import activations, layers

RNG = np.random.default_rng(5)
# Keras's sparsemax does not add up to 1 on every engine: it has a test of its own.
SKIPPED = ("get", "serialize", "deserialize", "threshold", "sparsemax")
NAMES = [n for n in activations.__all__ if n not in SKIPPED]


def floats(*shape):
    return RNG.normal(size=shape).astype("float32") * 2


def both(keras, call):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = kops.ops.convert_to_numpy(call(keras.activations))
    return theirs, kops.ops.convert_to_numpy(call(activations))


@pytest.mark.parametrize("name", NAMES)
def test_function(keras, name):
    x = floats(3, 6)
    theirs, ours = both(keras, lambda a: getattr(a, name)(kops.ops.convert_to_tensor(x)))
    np.testing.assert_allclose(ours, theirs, atol=1e-5)
    assert keras.activations.serialize(getattr(keras.activations, name)) == activations.serialize(
        activations.get(name)
    )


@pytest.mark.parametrize(
    ("name", "kwargs"),
    [
        ("relu", {"negative_slope": 0.1, "max_value": 1.0, "threshold": 0.5}),
        ("relu", {"max_value": 6.0}),
        ("relu", {"negative_slope": 0.2}),
        ("relu", {"threshold": 0.5}),
        ("relu", {"threshold": 0.5, "negative_slope": 0.3}),
        ("relu", {"negative_slope": 0.2, "max_value": 1.5}),
        ("leaky_relu", {"negative_slope": 0.5}),
        ("elu", {"alpha": 0.5}),
        ("celu", {"alpha": 2.0}),
        ("gelu", {"approximate": True}),
        ("glu", {"axis": 0}),
        ("softmax", {"axis": 0}),
        ("softmax", {"axis": (0, 1)}),
        ("log_softmax", {"axis": 0}),
        ("hard_shrink", {"threshold": 1.0}),
        ("soft_shrink", {"threshold": 1.0}),
        ("threshold", {"threshold": 0.5, "default_value": -1.0}),
        ("squareplus", {"b": 2}),
    ],
)
def test_arguments(keras, name, kwargs):
    x = floats(4, 6)
    theirs, ours = both(keras, lambda a: getattr(a, name)(kops.ops.convert_to_tensor(x), **kwargs))
    np.testing.assert_allclose(ours, theirs, atol=1e-5)


def test_sparsemax_projects_on_the_simplex():
    x = floats(5, 6)
    y = kops.ops.convert_to_numpy(activations.sparsemax(x))
    np.testing.assert_allclose(y.sum(-1), 1.0, atol=1e-5)
    # The support is shifted by one threshold per row.
    for row, result in zip(x, y, strict=True):
        kept = result > 0
        assert np.ptp(row[kept] - result[kept]) < 1e-5


def test_get_and_serialize():
    assert activations.get(None) is activations.linear
    assert activations.get("swish") is activations.silu
    assert activations.serialize(activations.get("hard_swish")) == "hard_silu"
    assert activations.get(kops.ops.relu) is kops.ops.relu
    assert activations.serialize(kops.ops.relu) == "relu"
    layer = layers.LeakyReLU()
    assert activations.get(layer) is layer
    for wrong in ("nope", 3, [1]):
        with pytest.raises(ValueError, match=r"activation|nope"):
            activations.get(wrong)


@pytest.mark.parametrize(
    ("name", "kwargs"),
    [
        ("Activation", {"activation": "tanh"}),
        ("Activation", {"activation": "softmax"}),
        ("ReLU", {}),
        ("ReLU", {"max_value": 1.0, "negative_slope": 0.2, "threshold": 0.3}),
        ("LeakyReLU", {}),
        ("LeakyReLU", {"negative_slope": 0.1}),
        ("ELU", {"alpha": 0.7}),
        ("PReLU", {}),
        ("PReLU", {"shared_axes": [1]}),
        ("PReLU", {"alpha_initializer": "ones", "alpha_regularizer": "l2", "shared_axes": 2}),
        ("Softmax", {}),
        ("Softmax", {"axis": (1, 2)}),
        ("Softmax", {"axis": 1}),
    ],
)
def test_layer(oracle, name, kwargs):
    oracle.check(name, kwargs, floats(2, 3, 4))


def test_softmax_mask(oracle):
    mask = np.array([[[True, False, True, True]] * 3, [[False] * 4] * 3])
    oracle.check("Softmax", {}, floats(2, 3, 4), call={"mask": mask})


@pytest.mark.parametrize(
    ("name", "kwargs"),
    [
        ("ReLU", {"max_value": -1.0}),
        ("ReLU", {"negative_slope": -1.0}),
        ("LeakyReLU", {"negative_slope": None}),
    ],
)
def test_arguments_are_checked(name, kwargs):
    with pytest.raises(ValueError, match=next(iter(kwargs))):
        getattr(layers, name)(**kwargs)
