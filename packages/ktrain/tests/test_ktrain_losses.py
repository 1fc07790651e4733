"""Losses against the installed Keras, and against their definitions where Keras errs."""

from __future__ import annotations

import keras
import numpy as np
import pytest

from kops import masks, ops
from kops.config import backend
from ktrain import losses

RNG = np.random.default_rng(0)
CLASSES = RNG.integers(0, 4, 6)
ONE_HOT = np.eye(4, dtype="float32")[CLASSES]
PROBS = RNG.dirichlet(np.ones(4), 6).astype("float32")
LOGITS = RNG.normal(size=(6, 4)).astype("float32")
REAL = RNG.normal(size=(6, 4)).astype("float32")
OTHER = RNG.normal(size=(6, 4)).astype("float32")
BITS = RNG.integers(0, 2, (6, 4)).astype("float32")
UNIT = RNG.uniform(0.05, 0.95, (6, 4)).astype("float32")
IDS = np.array([0, 0, 1, 1, 2, 2])
DIRECTIONS = REAL / np.linalg.norm(REAL, axis=1, keepdims=True)

REDUCTIONS = ["sum_over_batch_size", "sum", "mean", "mean_with_sample_weight", "none"]
CASES = [
    ("MeanSquaredError", {}, REAL, OTHER),
    ("MeanAbsoluteError", {}, REAL, OTHER),
    ("MeanAbsolutePercentageError", {}, REAL, OTHER),
    ("MeanSquaredLogarithmicError", {}, np.abs(REAL), np.abs(OTHER)),
    ("CosineSimilarity", {}, REAL, OTHER),
    ("CosineSimilarity", {"axis": 0}, REAL, OTHER),
    ("Huber", {}, REAL, OTHER),
    ("Huber", {"delta": 0.3}, REAL, OTHER),
    ("LogCosh", {}, REAL, 30 * OTHER),
    ("Hinge", {}, BITS, OTHER),
    ("Hinge", {}, 2 * BITS - 1, OTHER),
    ("SquaredHinge", {}, BITS, OTHER),
    ("CategoricalHinge", {}, ONE_HOT, OTHER),
    ("KLDivergence", {}, PROBS, UNIT),
    ("Poisson", {}, np.abs(REAL), UNIT),
    ("BinaryCrossentropy", {}, BITS, UNIT),
    ("BinaryCrossentropy", {"label_smoothing": 0.2}, BITS, UNIT),
    ("BinaryCrossentropy", {"from_logits": True}, BITS, LOGITS),
    ("BinaryCrossentropy", {"axis": 0}, BITS, UNIT),
    ("CategoricalCrossentropy", {}, ONE_HOT, PROBS),
    ("CategoricalCrossentropy", {"label_smoothing": 0.1}, ONE_HOT, UNIT),
    ("CategoricalCrossentropy", {"from_logits": True}, ONE_HOT, LOGITS),
    ("SparseCategoricalCrossentropy", {}, CLASSES, PROBS),
    ("SparseCategoricalCrossentropy", {"from_logits": True}, CLASSES[:, None], LOGITS),
    ("SparseCategoricalCrossentropy", {"ignore_class": 1}, CLASSES, PROBS),
    ("BinaryFocalCrossentropy", {}, BITS, UNIT),
    ("BinaryFocalCrossentropy", {"apply_class_balancing": True, "gamma": 3.0}, BITS, UNIT),
    ("BinaryFocalCrossentropy", {"from_logits": True}, BITS, LOGITS),
    ("CategoricalFocalCrossentropy", {}, ONE_HOT, UNIT),
    ("CategoricalFocalCrossentropy", {"from_logits": True, "alpha": 0.5}, ONE_HOT, LOGITS),
    ("CategoricalGeneralizedCrossEntropy", {"q": 0.7}, CLASSES, PROBS),
    ("Dice", {}, BITS, UNIT),
    ("Dice", {"axis": (1,)}, BITS, UNIT),
    ("Tversky", {"alpha": 0.3, "beta": 0.7}, BITS, UNIT),
    ("Circle", {}, IDS, DIRECTIONS),
    ("Circle", {"gamma": 5.0, "margin": 0.2, "remove_diagonal": False}, IDS, DIRECTIONS),
]
NAMES = [f"{name}-{'-'.join(map(str, options.values()))}" for name, options, *_ in CASES]


def host(x):
    return np.asarray(ops.convert_to_numpy(x))


@pytest.mark.filterwarnings("ignore::RuntimeWarning:keras")
@pytest.mark.parametrize("reduction", ["sum_over_batch_size", "none"])
@pytest.mark.parametrize(("name", "options", "y_true", "y_pred"), CASES, ids=NAMES)
def test_agrees_with_keras(name, options, y_true, y_pred, reduction):
    if backend() == "numpy" and name == "CosineSimilarity" and options:
        pytest.skip("Keras fails there for an axis other than the last")
    ours = getattr(losses, name)(**options, reduction=reduction)
    theirs = getattr(keras.losses, name)(**options, reduction=reduction)
    got, wanted = host(ours(y_true, y_pred)), host(theirs(y_true, y_pred))
    assert got.shape == wanted.shape
    assert got.dtype == np.float32
    np.testing.assert_allclose(got, wanted, rtol=2e-5, atol=1e-6)


def test_cosine_similarity_along_the_first_axis():
    a, b = (x / np.linalg.norm(x, axis=0) for x in (REAL, OTHER))
    got = losses.cosine_similarity(REAL, OTHER, axis=0)
    np.testing.assert_allclose(host(got), -np.sum(a * b, axis=0), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("shape", [(), (2,), (2, 1), (2, 3), (2, 3, 1)], ids=str)
def test_sample_weights(reduction, shape):
    y_true, y_pred = RNG.normal(size=(2, 2, 3, 4)).astype("float32")
    weight = RNG.uniform(0.5, 2, shape).astype("float32")
    if shape == (2,):
        # One weight per sample: Keras lines the axis up with the last one, and fails.
        wanted = keras.losses.MeanSquaredError(reduction="none")(y_true, y_pred, weight[:, None])
        if reduction == "none":
            got = losses.MeanSquaredError(reduction="none")(y_true, y_pred, weight)
            np.testing.assert_allclose(host(got), host(wanted), rtol=1e-5)
        return
    got = losses.MeanSquaredError(reduction=reduction)(y_true, y_pred, weight)
    wanted = keras.losses.MeanSquaredError(reduction=reduction)(y_true, y_pred, weight)
    np.testing.assert_allclose(host(got), host(wanted), rtol=1e-5)


@pytest.mark.parametrize("weighted", [False, True])
def test_mask_counts_only_what_is_valid(weighted):
    y_true, y_pred = RNG.normal(size=(2, 2, 3, 4)).astype("float32")
    mask = np.array([[True, True, False], [True, False, False]])
    y_pred[~mask] = np.nan  # what is masked may be anything
    weight = np.array([[2.0], [3.0]], "float32")
    predictions = ops.convert_to_tensor(y_pred)
    masks.set_mask(predictions, ops.convert_to_tensor(mask))
    got = losses.MeanSquaredError()(y_true, predictions, weight if weighted else None)
    values = np.mean((y_true - y_pred) ** 2, -1)
    factors = np.broadcast_to(weight if weighted else 1.0, mask.shape)
    wanted = np.sum((values * factors)[mask]) / mask.sum()
    np.testing.assert_allclose(host(got), wanted, rtol=1e-5)


def test_weights_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="`sample_weight`.*shape \\(6,\\).*\\(5,\\)"):
        losses.MeanSquaredError()(REAL, OTHER, np.ones(5, "float32"))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
@pytest.mark.parametrize(
    ("function", "y_true"),
    [
        (losses.binary_crossentropy, [[0.0, 1.0]]),
        (losses.categorical_crossentropy, [[0.0, 1.0]]),
        (losses.sparse_categorical_crossentropy, [1]),
        (losses.binary_focal_crossentropy, [[0.0, 1.0]]),
        (losses.categorical_focal_crossentropy, [[0.0, 1.0]]),
        (losses.kl_divergence, [[0.0, 1.0]]),
        (losses.poisson, [[0.0, 1.0]]),
    ],
)
def test_finite_when_certain_and_wrong(function, y_true, dtype):
    y_pred = ops.cast(ops.convert_to_tensor([[1.0, 0.0]]), dtype)
    value = function(y_true, y_pred)
    assert dtype in str(value.dtype)
    assert np.isfinite(host(ops.cast(value, "float32"))).all()


def test_short_floats_are_summed_in_float32():
    y_pred = ops.cast(ops.convert_to_tensor(np.full((1, 4096), 8.0)), "float16")
    y_true = ops.cast(ops.convert_to_tensor(np.zeros((1, 4096))), "float16")
    assert float(host(losses.mean_squared_error(y_true, y_pred))[0]) == 64.0


def test_class_ids_above_two_to_the_24():
    # As float32 the id would be another one, out of range here.
    loss = losses.SparseCategoricalCrossentropy(ignore_class=2**24 + 1, reduction="none")
    values = host(loss(np.array([2**24 + 1, 0]), np.array([[0.5, 0.5], [0.5, 0.5]], "float32")))
    np.testing.assert_allclose(values, [0.0, np.log(2)], rtol=1e-5)


def test_empty_batch_has_no_loss():
    empty = np.zeros((0, 3), "float32")
    assert float(host(losses.MeanSquaredError()(empty, empty))) == 0.0


@pytest.mark.parametrize(
    ("name", "options"), [(name, options) for name, options, *_ in CASES], ids=NAMES
)
def test_config_round_trip_is_exact(name, options):
    loss = getattr(losses, name)(**options, reduction="sum")
    config = losses.serialize(loss)
    assert config["module"] == "keras.losses"
    assert config["class_name"] == name
    again = losses.deserialize(config)
    assert again.get_config() == loss.get_config()
    for option, value in options.items():
        assert getattr(again, option) == value
    # Keras reads what we write ...
    theirs = keras.losses.deserialize(config)
    # ... and we read what Keras writes.
    if isinstance(theirs, keras.Loss):  # for one class it returns the class
        assert type(losses.deserialize(keras.losses.serialize(theirs))) is type(loss)


def test_get():
    assert losses.get("mse") is losses.mean_squared_error
    assert losses.get("KLD") is losses.kl_divergence
    assert isinstance(losses.get("MeanSquaredError"), losses.MeanSquaredError)
    assert losses.get(None) is None
    assert losses.get({"class_name": "Huber", "config": {"delta": 3.0}}).delta == 3.0
    assert losses.deserialize(losses.serialize(losses.huber)) is losses.huber
    with pytest.raises(ValueError, match="Could not interpret loss identifier: 'bad'"):
        losses.get("bad")
    with pytest.raises(ValueError, match="Could not interpret loss identifier: 3"):
        losses.get(3)


def test_own_loss():
    class Squares(losses.Loss):
        def call(self, y_true, y_pred):
            return ops.mean(ops.square(y_true - y_pred), axis=-1)

    assert Squares().name == "squares"
    assert float(host(Squares()([1.0, 2.0], [[2.0], [4.0]]))) > 0
    with pytest.raises(NotImplementedError, match="must override `call"):
        losses.Loss()(REAL, OTHER)


def test_bad_reduction():
    with pytest.raises(ValueError, match="`reduction`.*'sum_over_batch_size'.*reduction='bad'"):
        losses.MeanSquaredError(reduction="bad")


@pytest.mark.skipif(backend() == "numpy", reason="numpy has no gradients")
@pytest.mark.parametrize(("name", "options", "y_true", "y_pred"), CASES, ids=NAMES)
def test_gradient_is_finite(name, options, y_true, y_pred):
    import kops

    loss = getattr(losses, name)(**options)
    gradient = kops.grad(lambda p: ops.sum(loss(y_true, p)))(ops.convert_to_tensor(y_pred))
    assert np.isfinite(host(gradient)).all()


@pytest.mark.skipif(backend() == "numpy", reason="numpy has no gradients")
def test_gradient_at_zero_vectors_is_finite():
    import kops

    zeros = ops.convert_to_tensor(np.zeros((2, 3), "float32"))
    gradient = kops.grad(lambda p: losses.CosineSimilarity()(REAL[:2, :3], p))(zeros)
    assert np.isfinite(host(gradient)).all()


@pytest.mark.parametrize(
    "name", ["mean_squared_error", "mean_absolute_error", "huber", "log_cosh", "cosine_similarity"]
)
@pytest.mark.parametrize("shape", [(2, 4), (3, 3), (5, 2, 3, 4)])
def test_targets_of_another_shape(name, shape):
    with pytest.raises(ValueError, match=r"`y_true` of shape .* does not fit `y_pred` of shape"):
        getattr(losses, name)(np.ones((2, 3), "float32"), np.ones(shape, "float32"))
