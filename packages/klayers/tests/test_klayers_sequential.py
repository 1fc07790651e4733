"""Sequential: deferred building, adding and taking off layers, configs."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from klayers import Input, Layer, Sequential, clone_model, layers
from kops import ops

X = np.arange(12, dtype="float32").reshape(3, 4)


def array(x):
    return ops.convert_to_numpy(x)


def test_deferred_build():
    model = Sequential([layers.Dense(3), layers.Dense(2)])
    assert not model.built and model.weights == []
    with pytest.raises(AttributeError, match="not built"):
        _ = model.inputs
    assert tuple(model(X).shape) == (3, 2)
    assert model.built and [v.path.split("/")[0] for v in model.weights] == [model.name] * 4
    assert model.input_shape == (3, 4)
    assert tuple(model(X[:1]).shape) == (1, 2)


def test_build_by_shape_and_by_input():
    a = Sequential([layers.Dense(2)])
    a.build((None, 4))
    b = Sequential([Input((4,)), layers.Dense(2)])
    assert a.output_shape == b.output_shape == (None, 2)
    assert [type(v).__name__ for v in a.layers] == ["Dense"]


def test_legacy_input_shape():
    model = Sequential([layers.Dense(2, input_shape=(4,))])
    assert model.built and model.input_shape == (None, 4)


def test_add_and_pop():
    model = Sequential([Input((4,))])
    model.add(layers.Dense(3))
    assert model.built and model.output_shape == (None, 3)
    top = layers.Dense(2)
    model.add(top)
    assert tuple(model(X).shape) == (3, 2) and len(model.weights) == 4
    assert model.pop() is top
    assert tuple(model(X).shape) == (3, 3) and len(model.weights) == 2
    with pytest.raises(IndexError, match="no layer"):
        Sequential().pop()


def test_integers_stay_integers():
    model = Sequential([layers.Embedding(5, 2), layers.Flatten()])
    assert tuple(model(np.array([[1, 2]], "int32")).shape) == (1, 4)
    assert "int" in model.inputs[0].dtype


def test_training_and_masks_go_through():
    seen = []

    class Probe(Layer):
        def call(self, x, training=None, mask=None):
            seen.append((training, mask is not None))
            return x

    model = Sequential([layers.Embedding(5, 2, mask_zero=True), Probe()])
    model(np.array([[1, 0]]))
    seen.clear()
    model(np.array([[1, 0]]), training=True)
    assert seen == [(True, True)]


def test_inside_another_model():
    inner = Sequential([layers.Dense(3), layers.Dense(2)], name="inner")
    x = Input((4,))
    outer = Sequential([x, inner, layers.Dense(1)], name="outer")
    assert outer.output_shape == (None, 1)
    assert tuple(outer(X).shape) == (3, 1) and len(outer.weights) == 6


def test_layer_whose_output_cannot_be_foreseen():
    class Opaque(Layer):
        def call(self, x):
            return ops.convert_to_tensor(array(x) * 2)

        def compute_output_spec(self, *args, **kwargs):
            raise NotImplementedError

    model = Sequential([Opaque(), layers.Flatten()])
    np.testing.assert_allclose(array(model(X)), X * 2)


@pytest.mark.parametrize("way", ["config", "deepcopy", "pickle", "clone"])
def test_copies(way):
    model = Sequential([Input((4,)), layers.Dense(3, name="a"), layers.BatchNormalization()])
    if way == "config":
        made = Sequential.from_config(model.get_config())
    elif way == "deepcopy":
        made = copy.deepcopy(model)
    elif way == "pickle":
        made = pickle.loads(pickle.dumps(model))
    else:
        made = clone_model(model)
    assert made.get_config() == model.get_config()
    if way in ("config", "clone"):
        made.set_weights(model.get_weights())
    np.testing.assert_allclose(made.predict(X), model.predict(X), rtol=1e-6)
    made.layers[0].kernel.assign(made.layers[0].kernel * 0)
    assert np.abs(model.predict(X)).sum() > 0


def test_refusals():
    with pytest.raises(ValueError, match="must be a keras Layer"):
        Sequential([lambda x: x])
    with pytest.raises(ValueError, match="named 'k' already"):
        Sequential([layers.Dense(1, name="k"), layers.Dense(1, name="k")])
    with pytest.raises(ValueError, match="only be the first"):
        Sequential([layers.Dense(1), Input((3,))])
    with pytest.raises(ValueError, match="no layers"):
        Sequential()(X)
    with pytest.raises(ValueError, match="input shape"):
        Sequential([layers.Dense(1)]).build()
    model = Sequential([Input((4,)), layers.Dense(1)])
    with pytest.raises(ValueError, match="incompatible"):
        model(X[:, :3])
