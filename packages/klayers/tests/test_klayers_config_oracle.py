"""Configs against the installed Keras, run as a black box: it reads ours, we read its."""

from __future__ import annotations

import json
import warnings
from types import SimpleNamespace

import numpy as np
import pytest

import klayers
import kops
from kops import ops

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    keras = pytest.importorskip("keras")

if not keras.__version__.startswith("3.") or keras.backend.backend() != kops.config.backend():
    pytest.skip("needs Keras 3 on the same engine", allow_module_level=True)

OURS = SimpleNamespace(
    Input=klayers.Input,
    Model=klayers.Model,
    Sequential=klayers.Sequential,
    layers=klayers.layers,
    ops=ops,
    Layer=klayers.Layer,
    from_json=klayers.model_from_json,
    serialize=kops.serialization.serialize_keras_object,
)
THEIRS = SimpleNamespace(
    Input=keras.Input,
    Model=keras.Model,
    Sequential=keras.Sequential,
    layers=keras.layers,
    ops=keras.ops,
    Layer=keras.Layer,
    from_json=keras.models.model_from_json,
    serialize=keras.saving.serialize_keras_object,
)

pytestmark = pytest.mark.filterwarnings("ignore")


def chain(K):
    x = K.Input((4,))
    h = K.layers.Dense(3, activation="relu")(x)
    h = K.layers.Dropout(0.5)(h)
    return K.Model(x, K.layers.Dense(2, kernel_regularizer="l2")(h))


def shared(K):
    a, b = K.Input((4,), name="a"), K.Input((4,), name="b")
    dense = K.layers.Dense(3, name="shared")
    return K.Model([a, b], K.layers.Add()([dense(a), dense(b)]))


def nested_structures(K):
    a, b = K.Input((4,), name="a"), K.Input((4,), name="b")
    d = K.layers.Dense(3, name="d")
    x, y = d(a), d(b)
    return K.Model({"a": a, "b": b}, {"o": x * 2.0, "p": [x, (y,)]})


def operators(K):
    x = K.Input((4,))
    y = (x + 1.0) * x - 0.5
    y = K.ops.concatenate([y, -x], axis=-1)
    return K.Model(x, K.ops.relu(y)[:, 1:])


def nested_models(K):
    x = K.Input((3,))
    inner = K.Model(x, K.layers.Dense(2)(x), name="inner")
    stack = K.Sequential([K.Input((2,)), K.layers.Dense(3)], name="stack")
    y = K.Input((3,))
    return K.Model(y, stack(inner(y)), name="outer")


def explicit_training(K):
    # What is explicit in a graph holds in every run of it here; in Keras a run's own
    # `training` overrides it. So only False is compared by value.
    x = K.Input((4,))
    return K.Model(x, K.layers.Dropout(0.5)(x, training=False))


def masked(K):
    x = K.Input((5,), dtype="int32")
    h = K.layers.Embedding(10, 4, mask_zero=True)(x)
    h = K.layers.LSTM(3, return_sequences=True)(h)
    return K.Model(x, K.layers.LSTM(2)(h))


def branches(K):
    x = K.Input((8, 8, 3))
    a = K.layers.Conv2D(4, 3, padding="same")(x)
    b = K.layers.Conv2D(4, 1)(x)
    b = K.layers.BatchNormalization()(b)
    c = K.layers.Concatenate()([a, b])
    c = K.layers.MaxPooling2D()(c)
    d = K.layers.Add()([K.layers.Conv2D(8, 1)(c), c])
    e = K.layers.GlobalAveragePooling2D()(d)
    return K.Model(x, [K.layers.Dense(2, name="late")(e), K.layers.Flatten()(a)])


def unused_input(K):
    a, b = K.Input((4,), name="a"), K.Input((2,), name="b")
    return K.Model([a, b], K.layers.Dense(2)(a))


def mixed_precision(K):
    x = K.Input((4,))
    h = K.layers.Dense(3, dtype="mixed_bfloat16")(x)
    return K.Model(x, K.layers.Dense(2, dtype="float32")(h))


MODELS = [
    chain,
    shared,
    nested_structures,
    operators,
    nested_models,
    explicit_training,
    masked,
    branches,
    unused_input,
    mixed_precision,
]


def make(fn, K):
    keras.utils.clear_session()
    kops.clear_session()
    return fn(K)


def as_json(value):
    return json.loads(json.dumps(value))


def without_training_extras(config):
    """Parts of a config that come with a package above klayers."""
    if isinstance(config, dict):
        return {k: without_training_extras(v) for k, v in config.items() if k != "compile_config"}
    if isinstance(config, list):
        return [without_training_extras(v) for v in config]
    return config


def inputs_for(model):
    rng = np.random.default_rng(0)

    def one(t):
        shape = tuple(3 if s is None else s for s in t.shape)
        if "int" in t.dtype:
            return rng.integers(0, 4, shape).astype(t.dtype)
        return rng.normal(size=shape).astype(t.dtype)

    return keras.tree.map_structure(one, model.inputs[0] if hasattr(model, "pop") else model.input)


def assert_same_outputs(ours, theirs):
    x = inputs_for(theirs)
    a, b = ours.predict(x), theirs.predict(x, verbose=0)
    for p, q in zip(keras.tree.flatten(a), keras.tree.flatten(b), strict=True):
        np.testing.assert_allclose(
            np.asarray(p, "float32"),
            np.asarray(q, "float32"),
            rtol=1e-4,
            atol=2e-2 if p.dtype.itemsize == 2 else 1e-5,
        )


@pytest.mark.parametrize("fn", MODELS, ids=lambda f: f.__name__)
def test_config_is_what_keras_writes(fn):
    ours = as_json(make(fn, OURS).get_config())
    theirs = as_json(make(fn, THEIRS).get_config())
    assert without_training_extras(ours) == without_training_extras(theirs)


@pytest.mark.parametrize("fn", MODELS, ids=lambda f: f.__name__)
def test_keras_reads_our_json(fn):
    ours = make(fn, OURS)
    theirs = THEIRS.from_json(ours.to_json())
    assert [x.name for x in theirs.layers] == [x.name for x in ours.layers]
    assert [w.shape for w in theirs.weights] == [w.shape for w in ours.weights]
    theirs.set_weights(ours.get_weights())
    assert_same_outputs(ours, theirs)


@pytest.mark.parametrize("fn", MODELS, ids=lambda f: f.__name__)
def test_we_read_keras_json(fn):
    theirs = make(fn, THEIRS)
    ours = OURS.from_json(theirs.to_json())
    assert [x.name for x in theirs.layers] == [x.name for x in ours.layers]
    ours.set_weights(theirs.get_weights())
    assert_same_outputs(ours, theirs)
    again = as_json(ours.get_config())
    assert without_training_extras(again) == without_training_extras(as_json(theirs.get_config()))


def sequential_deferred(K):
    model = K.Sequential([K.layers.Dense(3), K.layers.Dense(2)])
    model.build((None, 4))
    return model


def sequential_unbuilt(K):
    return K.Sequential([K.layers.Dense(3), K.layers.Dense(2)], name="s")


def sequential_with_input(K):
    return K.Sequential([K.Input((4,)), K.layers.Dense(3, use_bias=False), K.layers.Dropout(0.1)])


@pytest.mark.parametrize(
    "fn", [sequential_deferred, sequential_unbuilt, sequential_with_input], ids=lambda f: f.__name__
)
def test_sequential_json_both_ways(fn):
    ours, theirs = make(fn, OURS), make(fn, THEIRS)
    written = without_training_extras(json.loads(theirs.to_json()))
    assert json.loads(ours.to_json()) == written
    assert THEIRS.from_json(ours.to_json()).built == theirs.built
    loaded = OURS.from_json(theirs.to_json())
    assert loaded.built == ours.built
    reloaded = THEIRS.from_json(theirs.to_json())
    assert [w.path for w in loaded.weights] == [w.path for w in reloaded.weights]
    if theirs.built:
        loaded.set_weights(theirs.get_weights())
        assert_same_outputs(loaded, theirs)


@pytest.mark.parametrize("seed", range(12))
def test_order_of_layers_in_random_graphs(seed):
    """The order decides the order of weights and the names in weight files."""

    def build(K):
        rng = np.random.default_rng(seed)
        tensors = [K.Input((4,), name=f"in{i}") for i in range(int(rng.integers(1, 4)))]
        inputs = list(tensors)
        dense = [K.layers.Dense(4, name=f"d{i}") for i in range(8)]
        for _ in range(int(rng.integers(4, 14))):
            kind = rng.integers(0, 3)
            a, b = (tensors[int(i)] for i in rng.integers(0, len(tensors), 2))
            if kind == 0:
                tensors.append(dense[int(rng.integers(0, 8))](a))
            elif kind == 1:
                tensors.append(K.layers.Add()([a, b]))
            else:
                tensors.append(a + b)
        n = int(rng.integers(1, 4))
        picked = [tensors[int(i)] for i in rng.integers(len(inputs), len(tensors), n)]
        unique = list({id(t): t for t in picked}.values())
        return K.Model(inputs, unique)

    try:
        theirs = make(build, THEIRS)
    except ValueError:
        with pytest.raises(ValueError):
            make(build, OURS)
        return
    ours = make(build, OURS)
    assert [x.name for x in ours.layers] == [x.name for x in theirs.layers]
    assert as_json(ours.get_config()) == without_training_extras(as_json(theirs.get_config()))


@pytest.mark.parametrize("names", [("two",), ("outer",)])
def test_paths_of_variables(names):
    def two(K):
        class Two(K.Layer):
            def __init__(self):
                super().__init__()
                self.first = K.layers.Dense(2)
                self.second = K.layers.Dense(3)

            def call(self, x):
                return self.second(self.first(x))

        return Two()

    def outer(K):
        class Outer(K.Model):
            def __init__(self):
                super().__init__()
                self.blocks = [two(K), [K.Sequential([K.layers.Dense(7)])]]

            def call(self, x):
                return self.blocks[1][0](self.blocks[0](x))

        return Outer()

    fn = {"two": two, "outer": outer}[names[0]]
    paths = []
    for K in (OURS, THEIRS):
        model = make(fn, K)
        model(np.ones((2, 4), "float32"))
        paths.append([v.path for v in model.weights])
    assert paths[0] == paths[1]
