"""Layers under an engine's own machinery: compiled, differentiated, stateless."""

from __future__ import annotations

import numpy as np
import pytest

import kops
from klayers import Input, Layer, Model, Sequential, layers
from kops import ops

X = np.random.default_rng(0).normal(size=(6, 4)).astype("float32")
ENGINE = kops.active()


def make():
    x = Input((4,))
    h = layers.Dense(5, activation="tanh", kernel_regularizer="l2")(x)
    h = layers.BatchNormalization()(h)
    return Model(x, layers.Dense(1)(layers.Dropout(0.5)(h)))


def values(model):
    return (
        [v.value for v in model.trainable_variables],
        [v.value for v in model.non_trainable_variables],
    )


def test_compiled_stateless_call_equals_the_eager_call():
    model = make()
    trainable, rest = values(model)

    def step(trainable, rest, x):
        return model.stateless_call(trainable, rest, x, training=False)[0]

    compiled = ENGINE.compile(step)
    x = ops.convert_to_tensor(X)
    np.testing.assert_allclose(
        ops.convert_to_numpy(compiled(trainable, rest, x)),
        ops.convert_to_numpy(model(x, training=False)),
        rtol=1e-4,
        atol=1e-5,
    )


def test_compiled_training_call_returns_new_state():
    model = make()
    trainable, rest = values(model)
    before = [v.numpy() for v in model.non_trainable_variables]

    def step(trainable, rest, x):
        return model.stateless_call(trainable, rest, x, training=True, return_losses=True)

    y, after, losses = ENGINE.compile(step)(trainable, rest, ops.convert_to_tensor(X))
    assert tuple(y.shape) == (6, 1) and len(losses) == 1
    changed = [
        not np.array_equal(ops.convert_to_numpy(a), b) for a, b in zip(after, before, strict=True)
    ]
    assert all(changed)
    for v, b in zip(model.non_trainable_variables, before, strict=True):
        np.testing.assert_array_equal(v.numpy(), b)


def test_gradients_flow_to_every_trainable_variable():
    if ENGINE.NAME == "numpy":
        pytest.skip("numpy has no gradients")
    model = make()
    trainable, rest = values(model)

    def loss(trainable):
        y, _, losses = model.stateless_call(trainable, rest, X, training=False, return_losses=True)
        return ops.sum(y * y) + sum(losses)

    value, gradients = kops.value_and_grad(loss)(trainable)
    assert float(ops.convert_to_numpy(value)) > 0 and len(gradients) == len(trainable)
    assert all(np.isfinite(ops.convert_to_numpy(g)).all() for g in gradients)
    assert any(np.abs(ops.convert_to_numpy(g)).sum() > 0 for g in gradients)


def test_a_layer_made_of_the_engines_own_functions():
    if ENGINE.NAME == "numpy":
        pytest.skip("numpy functions run on NumPy arrays only")

    class Native(Layer):
        def call(self, x):
            return type(x).__add__(x, x) if ENGINE.is_tensor(x) else x + x

    x = Input((4,))
    np.testing.assert_allclose(ops.convert_to_numpy(Model(x, Native()(x))(X)), X * 2)


def test_building_inside_a_compiled_function():
    model = Sequential([layers.Dense(3), layers.Dense(2)])
    model.build((None, 4))
    x = ops.convert_to_tensor(X)
    run = ENGINE.compile(lambda x: model(x))
    np.testing.assert_allclose(
        ops.convert_to_numpy(run(x)), ops.convert_to_numpy(model(x)), rtol=1e-5, atol=1e-6
    )


def test_variables_assigned_in_call_outside_scopes():
    class Counts(Layer):
        def build(self, input_shape):
            self.n = self.add_weight(shape=(), initializer="zeros", trainable=False, name="n")

        def call(self, x):
            self.n.assign_add(1.0)
            return x

    layer = Counts()
    for _ in range(3):
        layer(X)
    assert float(layer.n.numpy()) == 3.0
    layer(Input((4,)))
    assert float(layer.n.numpy()) == 3.0


def test_ops_only_trace_goes_through_layers():
    model = make()
    x = kops.KerasTensor((None, 4))
    with kops.SymbolicScope(ops_only=True):
        y = model(x, training=False)
    function = kops.Function(x, y)
    assert not any(isinstance(op, Layer) for op in function.operations)
    np.testing.assert_allclose(
        ops.convert_to_numpy(function(ops.convert_to_tensor(X))),
        ops.convert_to_numpy(model(X, training=False)),
        rtol=1e-4,
        atol=1e-5,
    )


def test_threads_do_not_share_calls():
    import threading

    seen = {}

    class Slow(Layer):
        def __init__(self):
            super().__init__()
            self.inner = layers.Dropout(0.5)

        def call(self, x, training=None):
            barrier.wait()
            seen[threading.current_thread().name] = training
            return self.inner(x)

    layer = Slow()
    barrier = threading.Barrier(1)
    layer(X)
    barrier = threading.Barrier(2)
    threads = [
        threading.Thread(target=layer, args=(X,), kwargs={"training": t}, name=str(t))
        for t in (True, False)
    ]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert seen["True"] is True and seen["False"] is False
