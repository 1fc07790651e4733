"""Overridden steps, in each engine's native style."""

import numpy as np
import pytest

import klayers
import ktrain
from klayers import layers
from kops import config, ops
from ktrain import metrics, optimizers

ENGINE = config.backend()
pytestmark = pytest.mark.skipif(
    ENGINE not in ("jax", "torch", "tensorflow"), reason="the engine does not train"
)


class Sequential(ktrain.TrainerMixin, klayers.Sequential):
    pass


X = np.random.default_rng(0).random((40, 3)).astype("float32")
Y = np.random.default_rng(1).random((40, 2)).astype("float32")


def build(cls, **kwargs):
    model = cls([klayers.Input((3,)), layers.Dense(2)])
    model.compile(optimizers.SGD(0.1), loss="mse", **kwargs)
    return model


def reference(epochs=2):
    """Losses and weights of a model that trains with the default step."""
    model = build(Sequential)
    model.set_weights([np.full((3, 2), 0.1), np.zeros(2)])
    history = model.fit(X, Y, epochs=epochs, batch_size=10, shuffle=False, verbose=0)
    return history.history, model.get_weights()


class JaxNative(Sequential):
    """Gradients by jax itself; mean of the loss kept in a metric of the model's own."""

    def compute_loss_and_updates(self, trainable, non_trainable, x, y):
        y_pred, non_trainable = self.stateless_call(trainable, non_trainable, x, training=True)
        return self.compute_loss(x, y, y_pred), (y_pred, non_trainable)

    def train_step(self, state, data):
        import jax

        trainable, non_trainable, optimizer, metric_values = state
        x, y = data
        grad_fn = jax.value_and_grad(self.compute_loss_and_updates, has_aux=True)
        (loss, (_, non_trainable)), grads = grad_fn(trainable, non_trainable, x, y)
        trainable, optimizer = self.optimizer.stateless_apply(optimizer, grads, trainable)
        (mean,) = self.metrics
        metric_values = mean.stateless_update_state(metric_values, loss)
        logs = {mean.name: mean.stateless_result(metric_values)}
        return logs, (trainable, non_trainable, optimizer, metric_values)


class TorchNative(Sequential):
    def train_step(self, data):
        import torch

        x, y = data
        self.zero_grad()
        loss = self.compute_loss(x, y, self(x, training=True))
        loss.backward()
        weights = list(self.trainable_weights)
        with torch.no_grad():
            self.optimizer.apply([v.value.grad for v in weights], weights)
        (mean,) = self.metrics
        mean.update_state(loss)
        return {mean.name: mean.result()}


class TensorFlowNative(Sequential):
    def train_step(self, data):
        import tensorflow as tf

        x, y = data
        with tf.GradientTape() as tape:
            loss = self.compute_loss(x, y, self(x, training=True))
        weights = self.trainable_variables
        self.optimizer.apply(tape.gradient(loss, weights), weights)
        (mean,) = self.metrics
        mean.update_state(loss)
        return {mean.name: mean.result()}


NATIVE = {"jax": JaxNative, "torch": TorchNative, "tensorflow": TensorFlowNative}.get(ENGINE)


@pytest.mark.parametrize("steps", [1, 3])
def test_own_train_step_in_native_style(steps):
    history, weights = reference()
    model = build(NATIVE, steps_per_execution=steps)
    model.set_weights([np.full((3, 2), 0.1), np.zeros(2)])
    own = model.fit(X, Y, epochs=2, batch_size=10, shuffle=False, verbose=0).history
    np.testing.assert_allclose(own["loss"], history["loss"], rtol=1e-4)
    for v, w in zip(model.get_weights(), weights, strict=True):
        np.testing.assert_allclose(v, w, atol=1e-5)


def test_super_train_step_works():
    calls = []

    class Counted(Sequential):
        def train_step(self, *args):
            calls.append("train")
            return super().train_step(*args)

        def test_step(self, *args):
            calls.append("test")
            return super().test_step(*args)

    history, weights = reference()
    model = build(Counted)
    model.set_weights([np.full((3, 2), 0.1), np.zeros(2)])
    own = model.fit(
        X, Y, epochs=2, batch_size=10, shuffle=False, verbose=0, validation_data=(X, Y)
    ).history
    np.testing.assert_allclose(own["loss"], history["loss"], rtol=1e-5)
    assert "val_loss" in own and set(calls) == {"train", "test"}
    for v, w in zip(model.get_weights(), weights, strict=True):
        np.testing.assert_allclose(v, w, atol=1e-6)


def test_logs_of_an_own_step_are_what_it_returns():
    class Extra(Sequential):
        def train_step(self, *args):
            result = super().train_step(*args)
            logs = result[0] if ENGINE == "jax" else result
            logs = {**logs, "seven": ops.convert_to_tensor(7.0)}
            return (logs, result[1]) if ENGINE == "jax" else logs

    history = build(Extra).fit(X, Y, verbose=0).history
    assert history["seven"] == [7.0] and "loss" in history


def test_own_compute_loss_and_metrics():
    class Own(Sequential):
        def compute_loss(self, x=None, y=None, y_pred=None, sample_weight=None, training=True):
            return 2.0 * super().compute_loss(x, y, y_pred, sample_weight, training)

        def compute_metrics(self, x, y, y_pred, sample_weight=None):
            return {**super().compute_metrics(x, y, y_pred, sample_weight)}

        def get_metrics_result(self):
            results = super().get_metrics_result()
            return {**results, "double": results["loss"] * 2}

    model = build(Own, metrics=["mae"])
    logs = model.evaluate(X, Y, verbose=0, return_dict=True)
    error = model.predict(X, verbose=0) - Y
    assert logs["loss"] == pytest.approx(2 * (error**2).mean(), rel=1e-4)
    assert logs["double"] == pytest.approx(2 * logs["loss"], rel=1e-5)
    assert set(model.fit(X, Y, verbose=0).history) == {"loss", "mae", "double"}


def test_own_metrics_property():
    class Own(Sequential):
        def __init__(self, *args, **kwargs):
            super().__init__(*args, **kwargs)
            self.__dict__["mean"] = metrics.Mean(name="mean_size")

        @property
        def metrics(self):
            return [self.mean]

        def compute_metrics(self, x, y, y_pred, sample_weight=None):
            self.mean.update_state(ops.mean(ops.abs(y_pred)))
            return self.get_metrics_result()

    model = build(Own)
    history = model.fit(X, Y, epochs=2, verbose=0).history
    assert "mean_size" in history and len(history["mean_size"]) == 2


def test_own_train_function():
    made = []

    class Own(Sequential):
        def make_train_function(self, force=False):
            function = super().make_train_function(force)
            made.append(function)

            def train_function(*args):
                return function(*args)

            self.train_function = train_function

    model = build(Own)
    history, _ = reference(1)
    model.set_weights([np.full((3, 2), 0.1), np.zeros(2)])
    own = model.fit(X, Y, batch_size=10, shuffle=False, verbose=0).history
    assert made and own["loss"] == pytest.approx(history["loss"], rel=1e-5)


@pytest.mark.skipif(ENGINE == "jax", reason="JAX steps take the state")
def test_two_optimizers_in_one_step():
    class Pair(ktrain.TrainerMixin, klayers.Model):
        def __init__(self):
            super().__init__()
            self.a, self.b = layers.Dense(1), layers.Dense(1)
            self.a.build((None, 3))
            self.b.build((None, 3))

        def compile(self, a_optimizer, b_optimizer):
            super().compile()
            self.a_optimizer, self.b_optimizer = a_optimizer, b_optimizer

        def train_step(self, data):
            logs = {}
            for name, layer, optimizer in (
                ("a", self.a, self.a_optimizer),
                ("b", self.b, self.b_optimizer),
            ):
                weights = layer.trainable_weights
                if ENGINE == "torch":
                    loss = ops.mean(ops.square(layer(data[0]) - 1.0))
                    loss.backward()
                    grads = [v.value.grad for v in weights]
                else:
                    import tensorflow as tf

                    with tf.GradientTape() as tape:
                        loss = ops.mean(ops.square(layer(data[0]) - 1.0))
                    grads = tape.gradient(loss, weights)
                optimizer.apply(grads, weights)
                if ENGINE == "torch":
                    self.zero_grad()
                logs[name] = loss
            return logs

    model = Pair()
    model.compile(optimizers.SGD(0.1), optimizers.Adam(0.1))
    history = model.fit(X, Y, epochs=4, verbose=0).history
    assert history["a"][-1] < history["a"][0] and history["b"][-1] < history["b"][0]
