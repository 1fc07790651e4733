"""Files go to the official Keras and come back: same predictions, and training continues."""

from __future__ import annotations

import os

import numpy as np
import pytest

import keras_meta as ours
from kops import config

theirs = pytest.importorskip("keras")
# The official package warns of its own on some engines.
pytestmark = pytest.mark.filterwarnings("ignore:.*:DeprecationWarning", "ignore::UserWarning:keras")
TRAINS = config.backend() in ("jax", "torch", "tensorflow")


def cnn(K):
    return K.Sequential([
        K.Input((8, 8, 1)),
        K.layers.Conv2D(4, 3, padding="same", activation="relu"),
        K.layers.BatchNormalization(),
        K.layers.MaxPooling2D(2),
        K.layers.Flatten(),
        K.layers.Dropout(0.2),
        K.layers.Dense(3, activation="softmax"),
    ])  # fmt: skip


def lstm(K):
    inputs = K.Input((5,), dtype="int32")
    x = K.layers.Embedding(11, 4, mask_zero=True)(inputs)
    x = K.layers.LSTM(6, return_sequences=True)(x)
    x = K.layers.LSTM(5)(x)
    return K.Model(inputs, K.layers.Dense(3, activation="softmax")(x))


def attention(K):
    inputs = K.Input((6, 4))
    x = K.layers.LayerNormalization()(inputs)
    x = K.layers.Add()([inputs, K.layers.MultiHeadAttention(2, 2)(x, x)])
    x = K.layers.GlobalAveragePooling1D()(x)
    return K.Model(inputs, K.layers.Dense(3, activation="softmax")(x))


def branches(K):
    a, b = K.Input((4,), name="a"), K.Input((4,), name="b")
    shared = K.layers.Dense(5, activation="tanh")
    inner = K.Sequential([K.Input((5,)), K.layers.Dense(5)])
    x = K.layers.Concatenate()([shared(a), inner(shared(b))])
    x = K.layers.Reshape((2, 5))(x)
    x = K.layers.Conv1D(3, 1)(x)
    x = K.layers.GlobalMaxPooling1D()(x)
    return K.Model([a, b], K.layers.Activation("softmax")(x))


DATA = {
    cnn: lambda r: r.normal(size=(12, 8, 8, 1)).astype("float32"),
    lstm: lambda r: r.integers(0, 11, (12, 5)).astype("int32"),
    attention: lambda r: r.normal(size=(12, 6, 4)).astype("float32"),
    branches: lambda r: [r.normal(size=(12, 4)).astype("float32") for _ in "ab"],
}


@pytest.mark.parametrize("first, second", [(ours, theirs), (theirs, ours)], ids=["out", "in"])
@pytest.mark.parametrize("make", DATA, ids=lambda f: f.__name__)
def test_exchange(tmp_path, make, first, second):
    rng = np.random.default_rng(0)
    x, y = DATA[make](rng), rng.integers(0, 3, 12)
    model = make(first)
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    if TRAINS:
        model.fit(x, y, batch_size=4, epochs=1, verbose=0, shuffle=False)
    path = os.fspath(tmp_path / "m.keras")
    model.save(path)
    again = second.models.load_model(path)
    expected = model.predict(x, verbose=0)
    np.testing.assert_allclose(again.predict(x, verbose=0), expected, rtol=1e-5, atol=1e-5)

    weights = os.fspath(tmp_path / "m.weights.h5")
    model.save_weights(weights)
    fresh = make(second)
    fresh.compile("adam", "sparse_categorical_crossentropy")
    fresh.load_weights(weights)
    np.testing.assert_allclose(fresh.predict(x, verbose=0), expected, rtol=1e-5, atol=1e-5)

    if TRAINS and make is not cnn:  # its dropout draws differ between the two libraries
        for m in (model, again):
            m.fit(x, y, batch_size=4, epochs=2, verbose=0, shuffle=False)
        after = model.predict(x, verbose=0)
        assert np.abs(after - expected).max() > 1e-4  # it did train
        np.testing.assert_allclose(again.predict(x, verbose=0), after, rtol=2e-3, atol=2e-4)
        for a, b in zip(model.optimizer.variables, again.optimizer.variables, strict=True):
            np.testing.assert_allclose(
                np.asarray(first.ops.convert_to_numpy(a)),
                np.asarray(second.ops.convert_to_numpy(b)),
                rtol=2e-3,
                atol=2e-4,
            )


@pytest.mark.skipif(not TRAINS, reason="the optimizer's state comes from training")
def test_optimizer_state_is_restored(tmp_path):
    rng = np.random.default_rng(1)
    x, y = DATA[branches](rng), rng.integers(0, 3, 12)
    model = branches(ours)
    model.compile("adam", "sparse_categorical_crossentropy")
    model.fit(x, y, epochs=2, verbose=0)
    model.save(tmp_path / "m.keras")
    again = ours.models.load_model(tmp_path / "m.keras")
    assert int(again.optimizer.iterations.numpy()) == 2
    for a, b in zip(model.optimizer.variables, again.optimizer.variables, strict=True):
        np.testing.assert_array_equal(a.numpy(), b.numpy())
