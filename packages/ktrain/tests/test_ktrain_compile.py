"""`compile`: losses and metrics matched to outputs, configs."""

import numpy as np
import pytest

import klayers
import ktrain
from klayers import layers
from kops import ops
from ktrain import losses, metrics, optimizers


class Model(ktrain.TrainerMixin, klayers.Model):
    pass


class Sequential(ktrain.TrainerMixin, klayers.Sequential):
    pass


class Functional(ktrain.TrainerMixin, klayers.Functional):
    pass


X = np.random.default_rng(0).random((10, 3)).astype("float32")
Y = np.random.default_rng(1).random((10, 2)).astype("float32")


def single():
    return Sequential([klayers.Input((3,)), layers.Dense(2, name="head")])


def two_outputs(kind="list"):
    x = klayers.Input((3,))
    p, q = layers.Dense(1, name="p")(x), layers.Dense(2, name="q")(x)
    return Functional(x, {"list": [p, q], "tuple": (p, q), "dict": {"p": p, "q": q}}[kind])


def targets(kind):
    p, q = Y[:, :1], Y
    return {"list": [p, q], "tuple": (p, q), "dict": {"p": p, "q": q}}[kind]


def logs_of(model, y, **kwargs):
    return model.evaluate(X, y, verbose=0, return_dict=True, **kwargs)


def test_defaults_and_attributes():
    model = single()
    assert not model.compiled and model.get_compile_config() == {} and model.metrics == []
    model.compile()
    assert model.compiled
    assert isinstance(model.optimizer, optimizers.RMSprop)
    assert model.loss is None and model.steps_per_execution == 1 and not model.run_eagerly


def test_metrics_and_their_names():
    model = single()
    model.compile("sgd", loss="mse", metrics=["mae"], weighted_metrics=["mse"])
    assert model.metrics_names == ["loss", "compile_metrics"]
    assert list(logs_of(model, Y)) == ["loss", "mae", "mse"]
    assert len(model.metrics_variables) == 6


def test_values_are_the_losses():
    model = single()
    model.compile("sgd", loss="mse", metrics=["mae", losses.mean_squared_error])
    logs = logs_of(model, Y, batch_size=4)
    error = model.predict(X, verbose=0) - Y
    assert logs["loss"] == pytest.approx((error**2).mean(), rel=1e-5)
    assert logs["mae"] == pytest.approx(abs(error).mean(), rel=1e-5)
    assert logs["mean_squared_error"] == pytest.approx((error**2).mean(), rel=1e-5)


def test_evaluate_lists_in_the_order_of_compile():
    model = single()
    model.compile("sgd", loss="mae", metrics=["mse", "mae"])
    values, named = model.evaluate(X, Y, verbose=0), logs_of(model, Y)
    assert values == [named["loss"], named["mse"], named["mae"]]
    model.compile("sgd", loss="mae")
    assert isinstance(model.evaluate(X, Y, verbose=0), float)


@pytest.mark.parametrize("kind", ["list", "tuple", "dict"])
@pytest.mark.parametrize(
    "loss, weights",
    [
        ({"p": "mse", "q": "mae"}, {"p": 0.5, "q": 2.0}),
        (["mse", losses.MeanAbsoluteError()], [0.5, 2.0]),
    ],
)
def test_losses_by_output(kind, loss, weights):
    model = two_outputs(kind)
    model.compile("sgd", loss=loss, loss_weights=weights)
    logs = logs_of(model, targets(kind))
    assert list(logs) == ["loss", "p_loss", "q_loss"]
    assert logs["loss"] == pytest.approx(0.5 * logs["p_loss"] + 2 * logs["q_loss"], rel=1e-5)
    out = model.predict(X, verbose=0)
    p, q = (out["p"], out["q"]) if kind == "dict" else out
    assert logs["p_loss"] == pytest.approx(((p - Y[:, :1]) ** 2).mean(), rel=1e-5)
    assert logs["q_loss"] == pytest.approx(abs(q - Y).mean(), rel=1e-5)


def test_targets_by_output_name():
    model = two_outputs("list")
    model.compile("sgd", loss="mse")
    by_name = logs_of(model, {"q": Y, "p": Y[:, :1]})
    assert by_name == logs_of(model, targets("list"))


def test_one_of_two_outputs_has_a_loss():
    model = two_outputs("dict")
    model.compile("sgd", loss={"q": "mae"})
    logs = logs_of(model, {"q": Y, "p": Y[:, :1]})
    assert list(logs) == ["loss"]
    assert logs["loss"] == pytest.approx(abs(model.predict(X, verbose=0)["q"] - Y).mean(), rel=1e-5)


def test_metrics_by_output():
    model = two_outputs("list")
    model.compile(
        "sgd",
        loss="mse",
        metrics={"p": "mae", "q": ["mse", "mae"]},
        weighted_metrics={"p": ["mse"]},
    )
    logs = logs_of(model, targets("list"))
    assert list(logs) == ["loss", "p_loss", "p_mae", "p_mse", "q_loss", "q_mae", "q_mse"]
    values = model.evaluate(X, targets("list"), verbose=0)
    order = ["loss", "p_loss", "q_loss", "p_mae", "p_mse", "q_mae", "q_mse"]
    assert values == [logs[name] for name in order]


def test_subclassed_model_with_nested_outputs():
    class Nested(Model):
        def __init__(self):
            super().__init__()
            self.a, self.b = layers.Dense(1), layers.Dense(2)

        def call(self, x):
            return {"n": {"p": self.a(x)}, "q": [self.b(x)]}

    model = Nested()
    model.compile("sgd", loss="mse")
    logs = logs_of(model, {"n": {"p": Y[:, :1]}, "q": [Y]})
    assert list(logs) == ["loss", "n/p_loss", "q/mse_loss"]


def test_accuracy_follows_the_shapes():
    model = Sequential([klayers.Input((3,)), layers.Dense(2, activation="softmax")])
    ids = np.arange(10) % 2
    for y, loss, kind in (
        (ids, "sparse_categorical_crossentropy", metrics.SparseCategoricalAccuracy),
        (np.eye(2, dtype="float32")[ids], "categorical_crossentropy", metrics.CategoricalAccuracy),
    ):
        model.compile("sgd", loss=loss, metrics=["accuracy", "acc"], weighted_metrics=["accuracy"])
        logs = logs_of(model, y)
        assert list(logs) == ["acc", "accuracy", "loss", "weighted_accuracy"]
        assert logs["accuracy"] == pytest.approx(
            (model.predict(X, verbose=0).argmax(-1) == ids).mean()
        )
        assert type(model.metrics[1].metrics[0]) is kind


def test_functions_as_loss_and_metric():
    def my_loss(y_true, y_pred):
        return ops.mean(ops.abs(y_true - y_pred), axis=-1) * 3.0

    model = single()
    model.compile("sgd", loss=my_loss, metrics=[my_loss, "mae"])
    logs = logs_of(model, Y)
    assert list(logs) == ["loss", "mae", "my_loss"]
    assert logs["loss"] == pytest.approx(3 * logs["mae"], rel=1e-5)
    assert logs["my_loss"] == pytest.approx(logs["loss"], rel=1e-5)


def test_same_metric_twice_gets_a_number():
    model = single()
    model.compile("sgd", loss="mse", metrics=["mae", metrics.MeanAbsoluteError(), "mae"])
    assert list(logs_of(model, Y)) == ["loss", "mae", "mae_1", "mean_absolute_error"]


def test_sample_weight_reaches_loss_and_weighted_metrics_only():
    model = single()
    model.compile("sgd", loss="mae", metrics=["mae"], weighted_metrics=["mse"])
    weight = np.linspace(0, 1, 10).astype("float32")
    logs = logs_of(model, Y, sample_weight=weight)
    error = model.predict(X, verbose=0) - Y
    assert logs["loss"] == pytest.approx((abs(error).mean(1) * weight).mean(), rel=1e-4)
    assert logs["mae"] == pytest.approx(abs(error).mean(), rel=1e-4)
    weighted = ((error**2).mean(1) * weight).sum() / weight.sum()
    assert logs["mse"] == pytest.approx(weighted, rel=1e-4)


def test_mask_reaches_loss_and_metrics():
    model = Sequential(
        [klayers.Input((3,)), layers.Embedding(5, 4, mask_zero=True), layers.Dense(1)]
    )
    model.compile("sgd", loss="mae", metrics=["mae"])
    ids = np.array([[1, 2, 0], [3, 0, 0]])
    y = np.ones((2, 3, 1), "float32")
    logs = logs_of_ids(model, ids, y)
    error = abs(model.predict(ids, verbose=0) - y)[..., 0]
    kept = ids != 0
    assert logs["loss"] == pytest.approx(error[kept].mean(), rel=1e-4)
    assert logs["mae"] == pytest.approx(error[kept].mean(), rel=1e-4)


def logs_of_ids(model, ids, y):
    return model.evaluate(ids, y, verbose=0, return_dict=True)


def test_regularizers_and_add_loss_count():
    class Extra(layers.Layer):
        def call(self, x):
            self.add_loss(0.25 * ops.sum(ops.ones((2, 2))))
            return x

    model = Sequential([klayers.Input((3,)), layers.Dense(2, kernel_regularizer="l2"), Extra()])
    model.compile("sgd", loss="mae")
    kernel = model.layers[0].get_weights()[0]
    expected = abs(model.predict(X, verbose=0) - Y).mean() + 0.01 * (kernel**2).sum() + 1.0
    assert model.evaluate(X, Y, verbose=0) == pytest.approx(expected, rel=1e-4)


def test_model_keeps_its_own_metrics():
    class WithMean(Model):
        def __init__(self):
            super().__init__()
            self.dense = layers.Dense(2)
            self.size = metrics.Mean(name="size")

        def call(self, x):
            y = self.dense(x)
            self.size.update_state(ops.max(ops.ones_like(y)))
            return y

    model = WithMean()
    model.compile("sgd", loss="mse")
    assert logs_of(model, Y)["size"] == pytest.approx(1.0)


def test_config_round_trip():
    model = single()
    model.compile(
        optimizers.Adam(0.02),
        loss={"head": "mse"},
        metrics=[metrics.MeanAbsoluteError(name="m")],
        weighted_metrics=["mse"],
        loss_weights={"head": 2.0},
        steps_per_execution=3,
    )
    config = model.get_compile_config()
    assert list(config) == [
        "optimizer",
        "loss",
        "loss_weights",
        "metrics",
        "weighted_metrics",
        "run_eagerly",
        "steps_per_execution",
        "jit_compile",
    ]
    assert config["loss"] == {"head": "mse"}
    assert config["optimizer"]["class_name"] == "Adam"
    other = single()
    other.compile_from_config(config)
    assert other.get_compile_config() == config
    assert other.optimizer.built
    assert list(logs_of(other, Y)) == ["loss", "m", "mse"]


@pytest.mark.parametrize("written", ["auto", True, False])
def test_jit_compile_of_a_file_is_that_of_the_engine(written):
    model = single()
    model.compile("sgd", loss="mse")
    chosen, config = model.jit_compile, model.get_compile_config()
    assert config["jit_compile"] == "auto"
    other = single()
    other.compile_from_config({**config, "jit_compile": written})
    assert other.jit_compile == chosen
    other.compile_from_config({**config, "jit_compile": written, "run_eagerly": True})
    assert not other.jit_compile


def test_compiling_again_forgets_the_first():
    model = single()
    model.compile("sgd", loss="mse", metrics=["mae"])
    logs_of(model, Y)
    model.compile("sgd", loss="mae")
    assert list(logs_of(model, Y)) == ["loss"]


def test_functions_take_a_plain_model():
    model = klayers.Sequential([klayers.Input((3,)), layers.Dense(2)])
    ktrain.compile_model(model, "sgd", loss="mse", metrics=["mae"])
    assert list(ktrain.evaluate(model, X, Y, verbose=0, return_dict=True)) == ["loss", "mae"]
    assert ktrain.predict(model, X, verbose=0).shape == (10, 2)
    assert set(ktrain.get_compile_config(model)) >= {"optimizer", "loss"}


def test_compute_loss_and_metrics():
    model = single()
    model.compile("sgd", loss="mse", metrics=["mae"])
    logs_of(model, Y)
    model.reset_metrics()
    y_pred = model(X)
    loss = model.compute_loss(x=X, y=Y, y_pred=y_pred)
    results = model.compute_metrics(X, Y, y_pred)
    loss = float(ops.convert_to_numpy(loss))
    assert loss == pytest.approx(((model.predict(X, verbose=0) - Y) ** 2).mean(), rel=1e-4)
    assert float(results["mae"]) == pytest.approx(
        abs(model.predict(X, verbose=0) - Y).mean(), rel=1e-4
    )
    values = [
        [v.value for v in vs]
        for vs in (
            model.trainable_variables,
            model.non_trainable_variables,
            model.metrics_variables,
        )
    ]
    stateless, after = model.stateless_compute_loss(*values, x=X, y=Y, y_pred=y_pred)
    assert float(ops.convert_to_numpy(stateless)) == pytest.approx(loss, rel=1e-5)
    assert [len(a) for a in after] == [len(v) for v in values]
