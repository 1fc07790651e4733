"""Functional models: structures, sharing, nesting, inputs in all forms, copies."""

from __future__ import annotations

import copy
import json
import pickle
import warnings

import numpy as np
import pytest

from klayers import Functional, Input, Layer, Model, clone_model, layers, model_from_json
from kops import ops

X = np.arange(12, dtype="float32").reshape(3, 4)


def array(x):
    return ops.convert_to_numpy(x)


def two_inputs():
    a, b = Input((4,), name="a"), Input((2,), name="b")
    joined = layers.Concatenate()([a, b])
    return Model({"a": a, "b": b}, {"joined": joined, "first": [a * 2.0]})


def test_model_of_tensors_is_functional():
    x = Input((4,))
    model = Model(x, layers.Dense(2)(x))
    assert isinstance(model, Functional) and model.built
    assert model.input is x and model.input_shape == (None, 4) and model.output_shape == (None, 2)
    assert [type(v).__name__ for v in model.layers] == ["InputLayer", "Dense"]


def test_nested_structures_in_and_out():
    model = two_inputs()
    y = model({"a": X, "b": X[:, :2]})
    assert list(y) == ["joined", "first"] and isinstance(y["first"], list)
    np.testing.assert_allclose(array(y["first"][0]), X * 2)
    assert tuple(y["joined"].shape) == (3, 6)
    assert model.output_shape == {"joined": (None, 6), "first": [(None, 4)]}


def test_dictionary_inputs_by_name():
    a, b = Input((4,), name="a"), Input((2,), name="b")
    model = Model([a, b], layers.Concatenate()([a, b]))
    expected = np.concatenate([X, X[:, :2]], -1)
    np.testing.assert_allclose(array(model({"b": X[:, :2], "a": X})), expected)
    np.testing.assert_allclose(array(model([X, X[:, :2]])), expected)
    np.testing.assert_allclose(array(model((X, X[:, :2]))), expected)
    np.testing.assert_allclose(array(model({"b": X[:, :2], "a": X, "more": X})), expected)
    with pytest.raises(ValueError, match=r"lacks \['b'\]"):
        model({"a": X})


def test_extra_keys_are_ignored_and_missing_ones_named():
    model = two_inputs()
    model({"a": X, "b": X[:, :2], "c": X})
    with pytest.raises(ValueError, match=r"\['b'\]"):
        model({"a": X})


def test_list_for_a_dictionary_warns_and_goes_by_sorted_keys():
    model = two_inputs()
    with pytest.warns(UserWarning, match="dictionary with the keys"):
        y = model([X, X[:, :2]])
    assert tuple(y["joined"].shape) == (3, 6)


def test_last_axis_of_one_is_added_or_dropped():
    x = Input((1,))
    model = Model(x, x * 2.0)
    assert tuple(model(np.ones(3, "float32")).shape) == (3, 1)
    flat = Input(())
    model = Model(flat, flat * 2.0)
    assert tuple(model(np.ones((3, 1), "float32")).shape) == (3,)


def test_dtype_of_the_input_decides():
    x = Input((4,), dtype="float32")
    model = Model(x, x / 2.0)
    assert array(model(np.full((1, 4), 3, "uint8"))).tolist() == [[1.5] * 4]
    ids = Input((2,), dtype="int32")
    assert "int" in str(array(Model(ids, ids + 1)(np.ones((1, 2), "int64"))).dtype)


def test_shared_layer_has_one_set_of_weights():
    a, b = Input((4,)), Input((4,))
    dense = layers.Dense(2)
    model = Model([a, b], layers.Subtract()([dense(a), dense(b)]))
    assert len(model.weights) == 2
    np.testing.assert_allclose(array(model([X, X])), np.zeros((3, 2)))


def test_explicit_training_in_the_graph_holds():
    seen = []

    class Probe(Layer):
        def call(self, x, training=None):
            seen.append(training)
            return x

    x = Input((4,))
    model = Model(x, Probe()(Probe()(x), training=False))
    seen.clear()
    model(X, training=True)
    model(X)
    assert seen == [True, False, None, False]


def test_frozen_inference_inside_a_trained_model():
    x = Input((4,))
    base = Model(x, layers.BatchNormalization()(x))
    y = Input((4,))
    model = Model(y, base(y, training=False))
    before = model.get_weights()
    model(X, training=True)
    for a, b in zip(before, model.get_weights(), strict=True):
        np.testing.assert_array_equal(a, b)


def test_calls_with_other_symbolic_shapes():
    x = Input((None, 4))
    model = Model(x, layers.Dense(2)(x))
    assert model(Input((7, 4))).shape == (None, 7, 2)
    assert model.compute_output_shape((5, 6, 4)) == (5, 6, 2)


def test_sub_models():
    x = Input((4,))
    h = layers.Dense(3, name="h")(x)
    y = layers.Dense(2, name="y")(h)
    model = Model(x, y)
    features = Model(model.input, model.get_layer("h").output)
    np.testing.assert_allclose(
        array(Model(h, y)(features(X))), array(model(X)), rtol=1e-5, atol=1e-6
    )
    assert features.get_layer("h") is model.get_layer("h")


def test_optional_input():
    class AddsIfThere(Layer):
        def call(self, x, y=None):
            return x if y is None else x + y

    a, b = Input((4,)), Input((4,), optional=True)
    model = Model([a, b], AddsIfThere()(a, b))
    np.testing.assert_allclose(array(model([X, None])), X)
    np.testing.assert_allclose(array(model([X, X])), 2 * X)
    with pytest.raises(ValueError, match="optional"):
        model([None, X])


def test_unknown_sizes_in_ops_of_the_graph():
    x = Input((None, 4))
    n = ops.shape(x)[1]
    model = Model(x, ops.reshape(x, (-1, n * 4)))
    assert tuple(model(np.ones((2, 5, 4), "float32")).shape) == (2, 20)
    assert tuple(model(np.ones((3, 6, 4), "float32")).shape) == (3, 24)


def test_masks_travel_through_nested_models():
    ids = np.array([[1, 2, 0, 0], [1, 2, 3, 4]])
    i = Input((4,), dtype="int32")
    inner = Model(i, layers.Embedding(5, 3, mask_zero=True)(i))
    o = Input((4,), dtype="int32")
    pooled = layers.GlobalAveragePooling1D()(inner(o))
    y = array(Model(o, pooled)(ids))
    vectors = array(inner.layers[-1].embeddings.value)
    np.testing.assert_allclose(y[0], vectors[[1, 2]].mean(0), rtol=1e-4, atol=1e-6)


def test_intermediate_values_are_let_go():
    x = Input((4,))
    h = x
    for _ in range(5):
        h = layers.Activation("relu")(h)
    model = Model(x, h)
    model(X)
    freed = [slot for step in model._schedule._steps for slot in step[-1]]
    assert len(freed) == 5 and len(set(freed)) == 5


def test_deep_graphs():
    x = Input((4,))
    h = x
    for _ in range(1500):
        h = h + 1.0
    model = Model(x, h)
    np.testing.assert_allclose(array(model(X)), X + 1500, rtol=1e-5)
    copied = pickle.loads(pickle.dumps(model))
    np.testing.assert_allclose(array(copied(X)), X + 1500, rtol=1e-5)
    assert len(copy.deepcopy(model).operations) == 1501


@pytest.mark.parametrize("way", ["json", "deepcopy", "pickle", "clone"])
def test_copies(way):
    x = Input((4,), name="x")
    h = layers.Dense(3, activation="relu", name="h")(x)
    model = Model(x, {"y": layers.Dense(2)(h + 1.0), "h": [h]}, name="m")
    if way == "json":
        made = model_from_json(model.to_json())
    elif way == "deepcopy":
        made = copy.deepcopy(model)
    elif way == "pickle":
        made = pickle.loads(pickle.dumps(model))
    else:
        made = clone_model(model)
    assert type(made) is type(model)
    assert json.loads(made.to_json()) == json.loads(model.to_json())
    assert made.get_layer("h") is not model.get_layer("h")
    if way in ("json", "clone"):
        made.set_weights(model.get_weights())
    for a, b in zip(made.predict(X)["y"], model.predict(X)["y"], strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6)


def test_clone_with_functions():
    x = Input((4,))
    model = Model(x, layers.Dense(2, name="d")(layers.Dropout(0.5)(x)))

    def without_dropout(layer):
        return (
            layers.Identity()
            if isinstance(layer, layers.Dropout)
            else type(layer).from_config(layer.get_config())
        )

    made = clone_model(model, clone_function=without_dropout)
    assert [type(v).__name__ for v in made.layers] == ["InputLayer", "Identity", "Dense"]
    called = []

    def call(layer, *args, **kwargs):
        called.append(layer.name)
        return layer(*args, **kwargs)

    clone_model(model, call_function=call)
    assert called[-1] == "d"
    with pytest.raises(ValueError, match="clone_function"):
        clone_model(model, clone_function=lambda layer: 3)


class FromGraph(Model):
    def __init__(self, units=3):
        x = Input((4,))
        super().__init__(x, layers.Dense(units)(x))
        self.units = units
        self.factor = 2.0

    def call(self, inputs, training=None, mask=None):
        return super().call(inputs) * self.factor


def test_subclass_that_hands_a_graph_to_its_parent():
    model = FromGraph(5)
    assert isinstance(model, Functional) and type(model) is FromGraph
    assert model.output_shape == (None, 5) and model.get_config()["units"] == 5
    plain = Model(model.input, model.output)
    np.testing.assert_allclose(array(model(X)), array(plain(X)) * 2, rtol=1e-5)
    assert FromGraph(2).output_shape == (None, 2)
    assert FromGraph.from_config(model.get_config()).output_shape == (None, 5)
    for made in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        np.testing.assert_allclose(array(made(X)), array(model(X)), rtol=1e-6)


def test_operations_are_released_with_the_model():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        x = Input((4,))
        model = Model(inputs=x, outputs=[x, layers.Flatten()(x)])
        y = model(X)
    assert isinstance(y, list) and len(y) == 2


class WithNone(Layer):
    def call(self, x):
        return {"none": None, "twice": [None, 2 * x]}


def test_layers_that_return_none_beside_tensors():
    x = Input((3,))
    twice = WithNone()(x)["twice"]
    assert twice[0] is None and twice[1].shape == (None, 3)
    model = Model(x, layers.Activation("relu")(twice[1]))
    values = np.array([[1.0, -2.0, 3.0]], "float32")
    for m in (model, clone_model(model), copy.deepcopy(model)):
        np.testing.assert_allclose(array(m(values)), [[2.0, 0.0, 6.0]])


def test_layers_that_return_no_tensor():
    class Text(Layer):
        def call(self, x):
            return x, "text"

        def compute_output_spec(self, x):
            return x, "text"

    with pytest.raises(ValueError, match=r"Text.*must return tensors.*'text'"):
        Text()(Input((3,)))
