"""Merging layers against Keras."""

from __future__ import annotations

import numpy as np
import pytest

import klayers
import kops
from klayers import layers

RNG = np.random.default_rng(6)
ELEMENTWISE = ["Add", "Subtract", "Multiply", "Average", "Maximum", "Minimum"]


def floats(*shape):
    return RNG.normal(size=shape).astype("float32")


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_elementwise(oracle, name):
    oracle.check(name, {}, floats(2, 3), floats(2, 3), as_list=True)
    oracle.check(name, {}, floats(2, 5, 3), floats(2, 1, 3), as_list=True)


@pytest.mark.parametrize("name", [n for n in ELEMENTWISE if n != "Subtract"])
def test_three_inputs(oracle, name):
    oracle.check(name, {}, floats(2, 3), floats(2, 3), floats(2, 3), as_list=True)


def test_lower_ranks_get_axes_behind_the_batch():
    y = layers.Add()([floats(2, 3), np.ones((2, 5, 3), "float32")])
    assert tuple(y.shape) == (2, 5, 3)
    x = layers.Add()([klayers.Input((3,)), klayers.Input((5, 3))])
    assert x.shape == (None, 5, 3)


@pytest.mark.parametrize("axis", [-1, 1, 2])
def test_concatenate(oracle, axis):
    shapes = [(2, 3, 4), (2, 3, 4), (2, 3, 4)]
    oracle.check("Concatenate", {"axis": axis}, *(floats(*s) for s in shapes), as_list=True)


@pytest.mark.parametrize(
    ("axes", "a", "b"),
    [
        (1, (2, 3), (2, 3)),
        (1, (2, 3, 4), (2, 3, 5)),
        (2, (2, 3, 4), (2, 5, 4)),
        ((2, 1), (2, 3, 4), (2, 4, 5)),
        ((-1, -2), (2, 3, 4), (2, 4, 5)),
        ((1, 2), (2, 3), (2, 4, 3)),
    ],
)
@pytest.mark.parametrize("normalize", [True, False])
def test_dot(oracle, axes, a, b, normalize):
    oracle.check(
        "Dot", {"axes": axes, "normalize": normalize}, floats(*a), floats(*b), as_list=True
    )


@pytest.mark.parametrize("name", [*ELEMENTWISE, "Concatenate"])
def test_functions(name):
    a, b = floats(2, 3), floats(2, 3)
    function = getattr(layers, name.lower())
    ours = kops.ops.convert_to_numpy(function([a, b]))
    np.testing.assert_array_equal(ours, kops.ops.convert_to_numpy(getattr(layers, name)()([a, b])))
    assert tuple(layers.dot([a, b], axes=-1).shape) == (2, 1)


def test_errors():
    a, b = floats(2, 3), floats(2, 4)
    for layer, inputs in [
        (layers.Add(), a),
        (layers.Add(), [a, b]),
        (layers.Add(), [a, floats(3, 3)]),
        (layers.Subtract(), [a, a, a]),
        (layers.Concatenate(axis=0), [a, b]),
        (layers.Concatenate(axis=2), [a, a]),
        (layers.Dot(1), [a, b]),
        (layers.Dot(1), [a, a, a]),
    ]:
        with pytest.raises(ValueError, match=r"(?i)received|shapes|inputs"):
            layer(inputs)
    with pytest.raises(TypeError, match="axes"):
        layers.Dot("1")


def test_masks_are_joined():
    x = np.ones((2, 3, 4), "float32")
    x[0, 1] = 0.0
    y = np.ones((2, 3, 4), "float32")
    y[1, 2] = 0.0
    a, b = layers.Masking()(x), layers.Masking()(y)

    def mask(t):
        m = kops.masks.get_mask(t)
        return None if m is None else kops.ops.convert_to_numpy(m).tolist()

    assert mask(layers.Add()([a, b])) == [[True, False, True], [True, True, False]]
    assert mask(layers.Add()([a, y])) == [[True, False, True], [True, True, True]]
    assert mask(layers.Add()([x, y])) is None
    joined = layers.Concatenate(axis=1)([a, b])
    assert mask(joined) == [
        [True, False, True, True, True, True],
        [True, True, True, True, True, False],
    ]
    assert mask(layers.Concatenate(axis=1)([a, y])) == [
        [True, False, True, True, True, True],
        [True] * 6,
    ]


def test_empty_batch():
    assert tuple(layers.Add()([floats(0, 3), floats(0, 3)]).shape) == (0, 3)
    assert tuple(layers.Concatenate()([floats(0, 3), floats(0, 3)]).shape) == (0, 6)
    assert tuple(layers.Dot(1)([floats(0, 3, 4), floats(0, 3, 4)]).shape) == (0, 4, 4)
