"""`predict` and `predict_on_batch`."""

import numpy as np
import pytest

import klayers
import ktrain
from klayers import layers
from kops import config, ops


class Model(ktrain.TrainerMixin, klayers.Model):
    pass


class Sequential(ktrain.TrainerMixin, klayers.Sequential):
    pass


class Functional(ktrain.TrainerMixin, klayers.Functional):
    pass


X = np.random.default_rng(0).random((70, 3)).astype("float32")


def small():
    return Sequential([klayers.Input((3,)), layers.Dense(2)])


def expected(model, x=X):
    kernel, bias = model.get_weights()
    return x @ kernel + bias


@pytest.mark.parametrize("batch_size", [None, 7, 70, 100])
def test_all_rows_in_order(batch_size):
    model = small()
    out = model.predict(X, batch_size=batch_size, verbose=0)
    assert type(out) is np.ndarray and out.dtype == np.float32
    np.testing.assert_allclose(out, expected(model), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("rows", [1, 5])
def test_small_input_takes_the_short_way_to_the_same_result(rows):
    model = small()
    for out in (model.predict(X[:rows], verbose=0), model.predict_on_batch(X[:rows])):
        np.testing.assert_allclose(out, expected(model, X[:rows]), rtol=1e-5, atol=1e-6)
    seen = []

    class Watch(ktrain.callbacks.Callback):
        def on_predict_batch_end(self, batch, logs=None):
            seen.append((batch, ops.convert_to_numpy(logs["outputs"]).shape))

    out = model.predict(X[:rows], verbose=0, callbacks=[Watch()])
    np.testing.assert_allclose(out, expected(model, X[:rows]), rtol=1e-5, atol=1e-6)
    assert seen == [(0, (rows, 2))]


def test_new_weights_are_used_at_once():
    model = small()
    model.predict(X[:1], verbose=0)
    model.set_weights([np.zeros((3, 2)), np.array([1.0, 2.0])])
    assert model.predict(X[:1], verbose=0).tolist() == [[1.0, 2.0]]


def test_dropout_is_off():
    model = Sequential([klayers.Input((3,)), layers.Dropout(0.5)])
    np.testing.assert_array_equal(model.predict(X, verbose=0), X)


def test_no_rows():
    assert small().predict(X[:0], verbose=0).shape == (0, 2)


def test_unbuilt_model():
    model = Sequential([layers.Dense(2)])
    assert model.predict(X, verbose=0).shape == (70, 2)
    assert model.built


def test_float64_and_ints():
    model = small()
    np.testing.assert_allclose(
        model.predict(X.astype("float64"), verbose=0), expected(model), rtol=1e-5, atol=1e-6
    )
    ids = Sequential([klayers.Input((2,), dtype="int32"), layers.Embedding(5, 3)])
    assert ids.predict(np.array([[1, 2]]), verbose=0).shape == (1, 2, 3)


def test_several_inputs_and_outputs():
    a, b = klayers.Input((3,), name="a"), klayers.Input((3,), name="b")
    model = Functional([a, b], {"sum": layers.Add()([a, b]), "b": layers.Activation("relu")(b)})
    for x in ([X, 2 * X], {"a": X, "b": 2 * X}):
        out = model.predict(x, verbose=0)
        np.testing.assert_allclose(out["sum"], 3 * X, rtol=1e-5)
        np.testing.assert_allclose(out["b"], 2 * X, rtol=1e-5)


def test_tuple_of_outputs():
    class Pair(Model):
        def call(self, x):
            return x, -x

    out = Pair().predict(X, verbose=0)
    assert isinstance(out, tuple)
    np.testing.assert_array_equal(out[1], -X)


def test_steps_and_generators():
    model = small()
    out = model.predict(X, batch_size=8, steps=2, verbose=0)
    np.testing.assert_allclose(out, expected(model, X[:16]), rtol=1e-5, atol=1e-6)
    out = model.predict(((X[i : i + 10], None) for i in (0, 10)), verbose=0)
    np.testing.assert_allclose(out, expected(model, X[:20]), rtol=1e-5, atol=1e-6)


def test_own_predict_step():
    jax = config.backend() == "jax"

    class Doubled(Sequential):
        def predict_step(self, *args):
            out = super().predict_step(*args)
            return (out[0] * 2, out[1]) if jax else out * 2

    model = Doubled([klayers.Input((3,)), layers.Dense(2)])
    np.testing.assert_allclose(
        model.predict(X, verbose=0), 2 * expected(model), rtol=1e-5, atol=1e-6
    )
    np.testing.assert_allclose(
        model.predict(X[:1], verbose=0), 2 * expected(model, X[:1]), rtol=1e-5, atol=1e-6
    )


def test_stateful_layers_keep_what_they_change():
    class Counter(layers.Layer):
        def __init__(self):
            super().__init__()
            self.n = self.add_weight(shape=(), initializer="zeros", trainable=False)

        def call(self, x):
            self.n.assign_add(1.0)
            return x

    model = Sequential([klayers.Input((3,)), Counter()])
    before = float(model.layers[-1].n.numpy())
    model.predict(X, batch_size=35, verbose=0)
    assert float(model.layers[-1].n.numpy()) == before + 2
