"""The assembled classes are what users hold, wherever a model comes from."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import keras_meta as keras
import klayers
from kops import config

TRAINS = config.backend() in ("jax", "torch", "tensorflow")
L = keras.layers


class Custom(keras.Model):
    """Module level, so that it can be pickled."""

    def __init__(self, units=3, **kwargs):
        super().__init__(**kwargs)
        self.units = units
        self.dense = L.Dense(units)

    def call(self, x, training=False):
        return self.dense(x)


def functional():
    inputs = keras.Input((4,))
    return keras.Model(inputs, L.Dense(2)(inputs))


def sequential():
    return keras.Sequential([keras.Input((4,)), L.Dense(2)])


def subclassed():
    model = Custom()
    model(np.zeros((1, 4), "float32"))
    return model


MAKERS = [functional, sequential, subclassed]


@pytest.mark.parametrize("make", MAKERS)
def test_every_model_has_every_method(make):
    model = make()
    assert isinstance(model, keras.Model) and isinstance(model, klayers.Model)
    for method in ("fit", "evaluate", "predict", "save", "export", "quantize", "compile"):
        assert callable(getattr(model, method))


def test_models_made_by_klayers_are_assembled():
    model = functional()
    inner = klayers.Model(model.inputs, model.layers[-1].output)
    copies = [
        keras.models.clone_model(model),
        type(model).from_config(model.get_config()),
        keras.models.model_from_json(model.to_json()),
    ]
    for made in [inner, *copies]:
        assert isinstance(made, keras.Model), type(made)


def test_subclass_that_becomes_functional():
    class Mine(keras.Model):
        def __init__(self):
            inputs = keras.Input((4,))
            super().__init__(inputs, L.Dense(2)(inputs))

        def extra(self):
            return "extra"

    model = Mine()
    assert model.extra() == "extra" and len(model.layers) == 2
    assert isinstance(model, klayers.Functional) and hasattr(model, "fit")


@pytest.mark.parametrize("make", MAKERS)
def test_pickle_and_deepcopy(make):
    model = make()
    x = np.random.default_rng(0).normal(size=(3, 4)).astype("float32")
    expected = model.predict(x, verbose=0)
    for again in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert type(again) is type(model)
        np.testing.assert_array_equal(again.predict(x, verbose=0), expected)
        again.set_weights([w + 1 for w in again.get_weights()])
        np.testing.assert_array_equal(model.predict(x, verbose=0), expected)


@pytest.mark.skipif(not TRAINS, reason="numpy does not train")
def test_super_train_step():
    calls = []

    class Mine(Custom):
        def train_step(self, *args, **kwargs):
            calls.append(1)
            return super().train_step(*args, **kwargs)

    model = Mine()
    model.compile("sgd", "mse")
    history = model.fit(np.ones((8, 4), "float32"), np.ones((8, 3), "float32"), batch_size=4,
                        epochs=2, verbose=0)  # fmt: skip
    assert calls and history.history["loss"][1] < history.history["loss"][0]


def test_version_and_namespaces():
    assert keras.__version__
    for name in ("layers", "losses", "metrics", "optimizers", "callbacks", "ops", "random",
                 "initializers", "regularizers", "constraints", "activations", "saving", "utils",
                 "config", "backend", "distribution", "quantizers", "models", "tree"):  # fmt: skip
        assert hasattr(keras, name), name
