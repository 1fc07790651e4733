"""What goes wrong early, and what the message says."""

import numpy as np
import pytest

import klayers
import ktrain
from klayers import layers
from kops import config

TRAINS = config.backend() in ("jax", "torch", "tensorflow")
needs_training = pytest.mark.skipif(not TRAINS, reason="the engine does not train")


class Sequential(ktrain.TrainerMixin, klayers.Sequential):
    pass


class Functional(ktrain.TrainerMixin, klayers.Functional):
    pass


X = np.ones((10, 3), "float32")
Y = np.ones((10, 2), "float32")
IDS = np.arange(10) % 2


def model_of(loss="mse", units=2, **kwargs):
    model = Sequential([klayers.Input((3,)), layers.Dense(units, name="head")])
    model.compile("sgd", loss=loss, **kwargs)
    return model


def refused(call, *words, kind=ValueError):
    with pytest.raises(kind) as e:
        call()
    text = str(e.value)
    for word in words:
        assert word in text, f"{word!r} is missing in: {text}"


@pytest.mark.parametrize("method", ["fit", "evaluate", "train_on_batch", "test_on_batch"])
def test_not_compiled(method):
    model = Sequential([klayers.Input((3,)), layers.Dense(2)])
    refused(lambda: getattr(model, method)(X, Y), method, "compile(")


@pytest.mark.skipif(TRAINS, reason="the engine trains")
@pytest.mark.parametrize("method", ["fit", "train_on_batch"])
def test_engine_without_training_names_those_that_train(method):
    refused(
        lambda: getattr(model_of(), method)(X, Y),
        config.backend(),
        "jax",
        "torch",
        "tensorflow",
        "KERAS_BACKEND",
        kind=NotImplementedError,
    )


def test_unknown_names_are_refused_by_compile():
    refused(lambda: model_of(loss="msse"), "msse")
    refused(lambda: model_of(metrics=["foo"]), "foo")
    refused(lambda: model_of(weighted_metrics=[3]), "weighted_metrics", "3")
    model = Sequential([layers.Dense(2)])
    refused(lambda: model.compile("adm"), "adm")
    refused(lambda: model.compile(steps_per_execution=0), "steps_per_execution", "0")
    refused(lambda: model.compile(jit_compile="yes"), "jit_compile", "yes")
    refused(lambda: model.compile(loss="mse", loss_weights=["x"]), "loss_weights", "x")


def test_unequal_lengths_are_listed():
    refused(lambda: model_of().evaluate(X, Y[:7]), "`x` has 10", "`y` has 7")
    refused(lambda: model_of().evaluate(X, Y, sample_weight=np.ones(3)), "`sample_weight` has 3")


def test_empty_data():
    refused(lambda: model_of().evaluate(X[:0], Y[:0]), "no samples")
    refused(lambda: model_of().evaluate(iter(())), "no batches")


@needs_training
def test_empty_data_in_fit():
    refused(lambda: model_of().fit(X[:0], Y[:0]), "no samples")
    refused(lambda: model_of().fit(iter(())), "no batches")


@pytest.mark.parametrize("x", [None, "abc", 3, [[1.0, 2.0, 3.0]]])
def test_unknown_data(x):
    refused(lambda: model_of().evaluate(x, Y), "Cannot read data", "generator")
    refused(lambda: model_of().predict(x), "Cannot read data")


def test_arguments_that_do_not_go_with_the_data():
    batches = lambda: iter([(X, Y)])  # noqa: E731
    refused(lambda: model_of().evaluate(batches(), Y), "`y`", "(x, y)")
    refused(lambda: model_of().evaluate(X, Y, batch_size=0), "batch_size", "0")
    refused(lambda: model_of().evaluate(X, Y, verbose=7), "verbose", "7")
    refused(lambda: model_of().evaluate(X, Y, foo=1), "foo", kind=TypeError)
    refused(lambda: model_of().evaluate(X), "targets")
    refused(lambda: model_of().evaluate(np.float32(3), Y), "scalar")


def test_rows_of_unequal_length():
    ragged = np.array([[1, 2], [3]], dtype=object)
    refused(lambda: model_of().predict(ragged, verbose=0), "unequal length", "asarray")


@pytest.mark.parametrize(
    "loss, y, words",
    [
        ("sparse_categorical_crossentropy", Y, ("one-hot", "categorical_crossentropy")),
        ("categorical_crossentropy", IDS, ("sparse_categorical_crossentropy",)),
        ("mse", np.ones((10, 3)), ("`y`", "(batch, 3)", "(batch, 2)", "3 units")),
        ("mse", np.ones(10), ("`y`", "(batch,)", "(batch, 2)")),
        ("sparse_categorical_crossentropy", IDS + 1, ("1 to 2", "2 classes")),
        ("sparse_categorical_crossentropy", IDS - 1, ("-1 to 0", "2 classes")),
    ],
)
def test_targets_that_do_not_fit(loss, y, words):
    refused(lambda: model_of(loss).evaluate(X, y, verbose=0), *words)


@pytest.mark.parametrize("y", [IDS, IDS[:, None], IDS.astype("float32")])
def test_targets_that_fit(y):
    assert model_of("sparse_categorical_crossentropy").evaluate(X, y, verbose=0) >= 0


def test_losses_and_metrics_that_fit_no_output():
    x = klayers.Input((3,))
    model = Functional(x, [layers.Dense(1, name="p")(x), layers.Dense(2, name="q")(x)])
    y = [Y[:, :1], Y]

    def run(**kwargs):
        model.compile("sgd", **kwargs)
        return lambda: model.evaluate(X, y, verbose=0)

    refused(run(loss={"r": "mse"}), "'r'", "[p, q]")
    refused(run(loss=["mse"]), "1 entries", "2 outputs")
    refused(run(loss="mse", metrics=["mae"]), "1 entries", "[p, q]")
    refused(run(loss="mse", metrics={"r": ["mae"]}), "'r'", "[p, q]")
    refused(run(loss="mse", loss_weights=0.5), "loss_weights", "2 losses")
    model.compile("sgd", loss="mse")
    refused(lambda: model.evaluate(X, Y, verbose=0), "`y` holds 1 arrays", "[p, q]")


@needs_training
def test_class_weight():
    model = model_of("sparse_categorical_crossentropy")
    fit = lambda **kw: lambda: model.fit(X, IDS, verbose=0, **kw)  # noqa: E731
    refused(fit(class_weight={0: 1.0, 5: 2.0}), "[5]", "0 to 1")
    refused(fit(class_weight={"cat": 1.0}), "'cat'")
    refused(fit(class_weight={0: "x"}), "'x'")
    refused(fit(class_weight=[1.0, 2.0]), "dictionary")
    refused(fit(class_weight={0: 1.0}, sample_weight=np.ones(10)), "together")
    refused(lambda: model.fit(X, class_weight={0: 1.0}, verbose=0), "targets")


@needs_training
def test_arguments_of_fit():
    model = model_of()
    fit = lambda **kw: lambda: model.fit(X, Y, verbose=0, **kw)  # noqa: E731
    refused(fit(validation_split=1.5), "validation_split", "1.5")
    refused(fit(validation_split=0.95), "10 samples", "empty")
    refused(fit(validation_data=X), "validation_data", "(x_val, y_val)")
    refused(fit(validation_data=(X,)), "validation_data", "1 items")
    refused(fit(validation_data=(X, Y), validation_freq=0), "validation_freq", "0")
    refused(fit(epochs=1.5), "epochs", "1.5")
    refused(lambda: model.fit(iter([(X, Y)]), validation_split=0.2), "validation_split")


@needs_training
def test_no_optimizer_or_loss():
    model = Sequential([klayers.Input((3,)), layers.Dense(2)])
    model.compile(None, loss="mse")
    refused(lambda: model.fit(X, Y, verbose=0), "optimizer")
    model.compile("sgd")
    refused(lambda: model.fit(X, Y, verbose=0), "loss")


@needs_training
def test_nan_in_the_data_is_named():
    bad = X.copy()
    bad[4, 1] = np.nan
    refused(lambda: model_of().fit(bad, Y, verbose=0), "NaN", "`x`", "first: 4")
    bad = Y.copy()
    bad[2] = np.nan
    refused(lambda: model_of().fit(X, bad, verbose=0), "NaN", "`y`", "first: 2")


def test_a_batch_of_too_many_items():
    refused(lambda: model_of().evaluate(iter([(X, Y, Y, Y)])), "4 items")
