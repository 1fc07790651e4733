"""Models: subclassing, structure, summary, prediction, copies, families."""

from __future__ import annotations

import copy
import io
import json
import pickle
from contextlib import redirect_stdout

import numpy as np
import pytest

import klayers
from klayers import Functional, Input, Layer, Model, Sequential, clone_model, hooks, layers
from klayers.summary import summary_text
from kops import ops

X = np.arange(12, dtype="float32").reshape(3, 4)


def array(x):
    return ops.convert_to_numpy(x)


class Net(Model):
    def __init__(self, units=2, **kwargs):
        super().__init__(**kwargs)
        self.blocks = [layers.Dense(5, activation="relu"), [layers.Dense(units)]]
        self.drop = layers.Dropout(0.5)

    def call(self, x, training=None):
        return self.drop(self.blocks[1][0](self.blocks[0](x)), training=training)


def test_subclassed_model():
    model = Net(units=3, name="net")
    assert tuple(model(X).shape) == (3, 3)
    assert [v.path for v in model.weights][0].startswith("net/")
    assert model.count_params() == 4 * 5 + 5 + 5 * 3 + 3
    assert len(model.layers) == 3
    config = model.get_config()
    assert config["units"] == 3 and config["name"] == "net"
    assert tuple(Net.from_config(config)(X).shape) == (3, 3)


def test_build_by_shape():
    model = Net()
    model.build((None, 4))
    assert model.built and len(model.weights) == 4


def test_get_layer():
    model = Net()
    model(X)
    assert model.get_layer(index=0) is model.blocks[0]
    assert model.get_layer(model.drop.name) is model.drop
    with pytest.raises(ValueError, match="No layer of model"):
        model.get_layer("nope")
    with pytest.raises(ValueError, match="3 layers"):
        model.get_layer(index=7)
    with pytest.raises(ValueError, match="either"):
        model.get_layer()


def test_copies_of_a_subclassed_model():
    model = Net()
    y = model.predict(X)
    for made in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        np.testing.assert_allclose(made.predict(X), y, rtol=1e-6)
        made.blocks[0].kernel.assign(made.blocks[0].kernel * 0)
        np.testing.assert_allclose(model.predict(X), y, rtol=1e-6)
    assert isinstance(clone_model(model), Net)


# -- prediction ------------------------------------------------------------------------------


def test_predict_in_batches_equals_the_call():
    model = Net()
    x = np.random.default_rng(0).normal(size=(70, 4)).astype("float32")
    y = model.predict(x, batch_size=32)
    assert isinstance(y, np.ndarray) and y.shape == (70, 2)
    np.testing.assert_allclose(y, array(model(x)), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(model.predict_on_batch(x), y, rtol=1e-4, atol=1e-5)
    assert model.predict(x, batch_size=32, steps=1).shape == (32, 2)
    assert model.predict(x[:0]).shape == (0, 2)


def test_predict_sees_changed_weights():
    x = Input((4,))
    model = Model(x, layers.Dense(2)(x))
    model.predict(X)
    model.set_weights([w * 0 + 1 for w in model.get_weights()])
    np.testing.assert_allclose(model.predict(X), (X.sum(-1, keepdims=True) + 1).repeat(2, -1))


def test_predict_nested():
    a, b = Input((4,), name="a"), Input((4,), name="b")
    model = Model({"a": a, "b": b}, {"sum": a + b, "both": [a, b]})
    y = model.predict({"a": X, "b": X}, batch_size=2)
    assert y["sum"].shape == (3, 4) and len(y["both"]) == 2
    with pytest.raises(ValueError, match="same number of samples"):
        model.predict({"a": X, "b": X[:2]})


def test_predict_lists_of_numbers_is_refused_or_understood():
    x = Input((4,))
    model = Model(x, x * 2.0)
    np.testing.assert_allclose(model.predict(ops.convert_to_tensor(X)), X * 2)


# -- summary ---------------------------------------------------------------------------------


def test_summary_of_a_chain():
    model = Sequential([Input((4,)), layers.Dense(3, name="first"), layers.Dropout(0.1)], name="s")
    text = summary_text(model)
    assert 'Model: "s"' in text and "first (Dense)" in text and "(None, 3)" in text
    assert "Total params: 15 (60.00 B)" in text and "Connected to" not in text
    out = io.StringIO()
    with redirect_stdout(out):
        model.summary()
    assert "Trainable params: 15" in out.getvalue()


def test_summary_of_branches_and_nesting():
    inner = Sequential([Input((4,)), layers.Dense(4, name="inside")], name="inner")
    a, b = Input((4,), name="a"), Input((4,), name="b")
    model = Model([a, b], layers.Add(name="plus")([inner(a), b]))
    text = summary_text(model, expand_nested=True, show_trainable=True, line_length=100)
    assert "Connected to" in text and "inner[0][0]" in text and "└ inside (Dense)" in text
    assert "Trainable" in text
    assert max(map(len, text.splitlines())) <= 100


def test_summary_of_an_unbuilt_model_and_a_range():
    assert "0 (unbuilt)" in summary_text(Sequential([layers.Dense(3)]))
    model = Sequential([Input((4,))] + [layers.Dense(2, name=f"d{i}") for i in range(4)])
    text = summary_text(model, layer_range=["d1", "d2"])
    assert "d1" in text and "d2" in text and "d3" not in text
    with pytest.raises(ValueError, match="matches none"):
        summary_text(model, layer_range=["d1", "zzz"])


def test_summary_of_a_subclassed_model_infers_shapes():
    model = Net()
    model(X)
    text = summary_text(model)
    assert "(3, 5)" in text and "(3, 2)" in text


# -- families --------------------------------------------------------------------------------------


class Extra:
    def hello(self):
        return f"hello from {self.name}"


class MyModel(Extra, klayers.Model):
    pass


class MyFunctional(MyModel, klayers.Functional):
    pass


class MySequential(MyModel, klayers.Sequential):
    pass


class UserNet(MyModel):
    def __init__(self):
        x = Input((4,))
        super().__init__(x, layers.Dense(2)(x))


@pytest.fixture
def family():
    saved = list(hooks._families)
    hooks.set_model_family(MyModel, MyFunctional, MySequential)
    yield
    hooks._families[:] = saved


def test_assembled_classes(family):
    x = Input((4,))
    model = MyModel(x, layers.Dense(2)(x))
    assert type(model) is MyFunctional and model.hello().startswith("hello")
    assert type(klayers.Model(x, layers.Dense(2)(x))) is MyFunctional
    assert type(clone_model(model)) is MyFunctional
    assert type(copy.deepcopy(model)) is MyFunctional
    assert isinstance(model, klayers.Functional) and isinstance(model, klayers.Model)
    stack = MySequential([Input((4,)), layers.Dense(2)])
    assert stack.hello() and type(clone_model(stack)) is MySequential
    user = UserNet()
    assert isinstance(user, MyFunctional) and user.hello() and type(user) is UserNet
    assert tuple(user(X).shape) == (3, 2)
    assert type(MyModel.from_config(model.get_config())) is MyFunctional


def test_family_must_hang_together():
    with pytest.raises(TypeError, match="functional"):
        hooks.set_model_family(MyModel, Functional, MySequential)


def test_missing_packages_are_named():
    with pytest.raises(ImportError, match="keras-meta"):
        hooks.find_hook("no_such_hook")


def test_model_json():
    text = Sequential([Input((4,)), layers.Dense(2)]).to_json(indent=1)
    assert json.loads(text)["class_name"] == "Sequential"
    assert isinstance(klayers.model_from_json(text), Sequential)


def test_layers_is_read_only():
    with pytest.raises(AttributeError, match="read only"):
        Net().layers = []


def test_layer_in_a_model_keeps_names_apart():
    class Pair(Layer):
        def __init__(self):
            super().__init__()
            self.a, self.b = layers.Dense(1), layers.Dense(1)

        def call(self, x):
            return self.a(x) + self.b(x)

    pair = Pair()
    pair(X)
    assert len({v.path for v in pair.weights}) == 4
