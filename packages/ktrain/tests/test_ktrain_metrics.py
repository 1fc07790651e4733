"""Metrics against the installed Keras, and against their definitions where Keras errs."""

from __future__ import annotations

import keras
import numpy as np
import pytest

from kops import masks, ops
from ktrain import losses, metrics

# The installed Keras raises them on some engines.
pytestmark = [
    pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::RuntimeWarning:keras"),
]

RNG = np.random.default_rng(0)
N = 12


def batches(make):
    return [make(), make()]


def real():
    return RNG.normal(size=(N, 4)).astype("float32"), RNG.normal(size=(N, 4)).astype("float32")


def positive():
    a, b = real()
    return np.abs(a), np.abs(b)


def binary():
    return (
        RNG.integers(0, 2, (N, 4)).astype("float32"),
        RNG.uniform(0.02, 0.98, (N, 4)).astype("float32"),
    )


def column():
    y_true, y_pred = binary()
    return y_true[:, 0], y_pred[:, :1]


def one_hot():
    probs = RNG.dirichlet(np.ones(4), N).astype("float32")
    return np.eye(4, dtype="float32")[RNG.integers(0, 4, N)], probs


def sparse():
    y_true, y_pred = one_hot()
    return np.argmax(y_true, -1), y_pred


def ids():
    return RNG.integers(0, 3, N), RNG.integers(0, 3, N)


def logits():
    return RNG.integers(0, 2, (N, 4)).astype("float32"), RNG.normal(size=(N, 4)).astype("float32")


CASES = [
    ("MeanSquaredError", {}, real),
    ("MeanAbsoluteError", {}, real),
    ("MeanAbsolutePercentageError", {}, real),
    ("MeanSquaredLogarithmicError", {}, positive),
    ("RootMeanSquaredError", {}, real),
    ("LogCoshError", {}, real),
    ("CosineSimilarity", {}, real),
    ("PearsonCorrelation", {}, real),
    ("ConcordanceCorrelation", {}, real),
    ("R2Score", {}, real),
    ("R2Score", {"class_aggregation": None}, real),
    ("R2Score", {"class_aggregation": "variance_weighted_average"}, real),
    ("Hinge", {}, binary),
    ("SquaredHinge", {}, binary),
    ("CategoricalHinge", {}, one_hot),
    ("KLDivergence", {}, one_hot),
    ("Poisson", {}, positive),
    ("BinaryCrossentropy", {"label_smoothing": 0.1}, binary),
    ("BinaryCrossentropy", {"from_logits": True}, logits),
    ("CategoricalCrossentropy", {}, one_hot),
    ("SparseCategoricalCrossentropy", {}, sparse),
    ("Accuracy", {}, ids),
    ("BinaryAccuracy", {}, column),
    ("BinaryAccuracy", {"threshold": 0.3}, binary),
    ("CategoricalAccuracy", {}, one_hot),
    ("SparseCategoricalAccuracy", {}, sparse),
    ("TopKCategoricalAccuracy", {"k": 2}, one_hot),
    ("SparseTopKCategoricalAccuracy", {"k": 2}, sparse),
    ("FalsePositives", {}, binary),
    ("FalseNegatives", {"thresholds": [0.2, 0.7]}, binary),
    ("TruePositives", {}, column),
    ("TrueNegatives", {"thresholds": 0.4}, binary),
    ("Precision", {}, binary),
    ("Precision", {"thresholds": [0.2, 0.6]}, binary),
    ("Precision", {"top_k": 2}, one_hot),
    ("Precision", {"class_id": 1}, binary),
    ("Recall", {"top_k": 2, "class_id": 2}, one_hot),
    ("Recall", {}, column),
    ("AUC", {}, column),
    ("AUC", {"curve": "PR", "num_thresholds": 21}, binary),
    ("AUC", {"curve": "PR", "summation_method": "minoring"}, binary),
    ("AUC", {"summation_method": "majoring", "thresholds": [0.3, 0.6, 0.9]}, binary),
    ("AUC", {"multi_label": True}, binary),
    ("AUC", {"multi_label": True, "label_weights": [1.0, 2.0, 0.0, 1.0]}, binary),
    ("AUC", {"multi_label": True, "num_labels": 4, "curve": "PR"}, binary),
    ("AUC", {"from_logits": True}, logits),
    ("SensitivityAtSpecificity", {"specificity": 0.6}, binary),
    ("SpecificityAtSensitivity", {"sensitivity": 0.6, "num_thresholds": 11}, binary),
    ("PrecisionAtRecall", {"recall": 0.5}, binary),
    ("RecallAtPrecision", {"precision": 0.4}, binary),
    ("F1Score", {}, one_hot),
    ("F1Score", {"average": "macro", "threshold": 0.4}, binary),
    ("FBetaScore", {"average": "micro", "beta": 2.0}, one_hot),
    ("FBetaScore", {"average": "weighted", "beta": 0.5, "threshold": 0.5}, binary),
    ("IoU", {"num_classes": 3, "target_class_ids": [0, 2]}, ids),
    ("MeanIoU", {"num_classes": 3}, ids),
    ("MeanIoU", {"num_classes": 3, "ignore_class": 1}, ids),
    ("BinaryIoU", {"threshold": 0.4}, binary),
    ("OneHotIoU", {"num_classes": 4, "target_class_ids": [1, 3]}, one_hot),
    ("OneHotMeanIoU", {"num_classes": 4}, one_hot),
]
IDS = [f"{name}-{i}" for i, (name, *_) in enumerate(CASES)]
UNWEIGHTED = {"PearsonCorrelation", "ConcordanceCorrelation"}


def host(x):
    return np.asarray(ops.convert_to_numpy(x))


def make(module, name, options):
    return getattr(module, name)(**options)


@pytest.mark.parametrize(("name", "options", "data"), CASES, ids=IDS)
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.filterwarnings("ignore:Explicitly requested dtype:UserWarning")  # Keras on jax
def test_agrees_with_keras(name, options, data, weighted):
    ours, theirs = make(metrics, name, options), make(keras.metrics, name, options)
    for y_true, y_pred in batches(data):
        weight = RNG.uniform(0.2, 2.0, N).astype("float32") if weighted else None
        if name.endswith("IoU") and weighted:
            weight = RNG.integers(1, 4, N)  # counts are integers
            if name == "BinaryIoU":
                weight = np.repeat(weight[:, None], 4, 1)
        ours.update_state(y_true, y_pred, sample_weight=weight)
        theirs.update_state(y_true, y_pred, sample_weight=weight)
    np.testing.assert_allclose(host(ours.result()), host(theirs.result()), rtol=5e-5, atol=1e-6)
    ours.reset_state()
    assert all((host(v.value) == 0).all() for v in ours.variables)


@pytest.mark.parametrize(("name", "options", "data"), CASES, ids=IDS)
def test_stateless_equals_stateful(name, options, data):
    metric, other = make(metrics, name, options), make(metrics, name, options)
    state = [v.value for v in other.variables]
    for y_true, y_pred in batches(data):
        metric.update_state(y_true, y_pred)
        state = other.stateless_update_state(state, y_true, y_pred)
    np.testing.assert_allclose(
        host(other.stateless_result(state)), host(metric.result()), rtol=1e-5, atol=1e-7
    )
    assert all((host(v.value) == 0).all() for v in other.variables)
    assert all((host(v) == 0).all() for v in metric.stateless_reset_state())


@pytest.mark.parametrize(("name", "options", "data"), CASES, ids=IDS)
def test_config_round_trip(name, options, data):
    metric, theirs = make(metrics, name, options), make(keras.metrics, name, options)
    config = metrics.serialize(metric)
    assert (config["module"], config["class_name"]) == ("keras.metrics", name)
    assert metrics.deserialize(config).get_config() == metric.get_config()
    # Nothing that Keras writes is missing or different (the name may have a counter).
    written = {**metric.get_config(), "name": None}
    wanted = {**theirs.get_config(), "name": None}
    if name.endswith("IoU"):  # int64 with Keras on TensorFlow, int32 elsewhere
        wanted["dtype"] = "int32"
    if "label_weights" in options:  # Keras writes a tensor, which JSON cannot hold
        wanted["label_weights"] = options["label_weights"]
    assert {k: written[k] for k in wanted} == wanted
    assert [v.name for v in metric.variables] == [v.name for v in theirs.variables]
    assert metrics.deserialize(keras.metrics.serialize(theirs)).get_config().keys() == (
        metric.get_config().keys()
    )


class TestMean:
    def test_forms_of_weights(self):
        values = np.array([[1.0, 2.0], [3.0, 4.0]], "float32")
        for weight in (None, 2.0, [1.0, 0.0], [[1.0], [0.0]], [[1.0, 0.0], [2.0, 2.0]]):
            weight = None if weight is None else np.asarray(weight, "float32")
            ours, theirs = metrics.Mean(), keras.metrics.Mean()
            for metric in (ours, theirs):
                metric.update_state(values, sample_weight=weight)
                metric.update_state(values[:1] * 3)
            for a, b in zip(ours.variables, theirs.variables, strict=True):
                np.testing.assert_allclose(host(a.value), host(b.value), rtol=1e-6)

    def test_scalars_and_nothing(self):
        metric = metrics.Mean()
        assert float(host(metric.result())) == 0.0
        assert float(host(metric(5))) == 5.0
        assert float(host(metric([1, 2]))) == pytest.approx(8 / 3)
        total = metrics.Sum()
        total.update_state(np.ones((2, 2)), sample_weight=np.array([1.0, 0.0]))
        assert float(host(total.result())) == 1.0

    def test_mask_of_the_predictions(self):
        y_true, y_pred = RNG.normal(size=(2, 2, 3, 4)).astype("float32")
        mask = np.array([[True, True, False], [True, False, False]])
        predictions = ops.convert_to_tensor(y_pred)
        masks.set_mask(predictions, ops.convert_to_tensor(mask))
        metric = metrics.MeanSquaredError()
        metric.update_state(y_true, predictions)
        wanted = np.mean((y_true - y_pred) ** 2, -1)[mask].mean()
        np.testing.assert_allclose(host(metric.result()), wanted, rtol=1e-5)
        weighted = metrics.MeanSquaredError()
        weighted.update_state(y_true, predictions, sample_weight=np.array([1.0, 3.0], "float32"))
        values = np.mean((y_true - y_pred) ** 2, -1)
        wanted = (values[0, :2].sum() + 3 * values[1, 0]) / 5
        np.testing.assert_allclose(host(weighted.result()), wanted, rtol=1e-5)

    def test_counts_beyond_what_float16_can(self):
        metric = metrics.Mean(dtype="float16")
        metric.update_state(np.full((4096,), 100.0))
        metric.update_state(np.full((4096,), 100.0))
        assert float(host(metric.result())) == 100.0
        assert "float16" in str(metric.result().dtype)

    def test_wrapper(self):
        metric = metrics.MeanMetricWrapper(losses.huber, name="h", delta=2.0)
        config = metrics.serialize(metric)
        assert config["config"] == {
            "name": "h",
            "dtype": "float32",
            "fn": {
                "module": "builtins",
                "class_name": "function",
                "config": "huber",
                "registered_name": "function",
            },
            "delta": 2.0,
        }
        assert float(host(metrics.deserialize(config)([[0.0]], [[3.0]]))) == 4.0


def test_r2_score_adjusts_by_samples_not_elements():
    y_true = np.arange(20, dtype="float32").reshape(10, 2)
    y_pred = y_true + np.tile([[1.0, -1.0], [-1.5, 1.0]], (5, 1)).astype("float32")
    plain = float(host(metrics.R2Score()(y_true, y_pred)))
    adjusted = float(host(metrics.R2Score(num_regressors=2)(y_true, y_pred)))
    assert adjusted == pytest.approx(1 - (1 - plain) * 9 / 7, rel=1e-6)


def test_mean_iou_leaves_out_ids_out_of_range():
    metric = metrics.MeanIoU(num_classes=2)
    metric.update_state([0, 1, 5, 1, -1], [0, 1, 1, 0, 0])
    # class 0: 1 of 2, class 1: 1 of 2
    assert float(host(metric.result())) == 0.5
    metric.update_state([0, 1], [0, 7])
    assert float(host(metric.result())) == pytest.approx((2 / 3 + 1 / 2) / 2)


def test_get():
    assert isinstance(metrics.get("mse"), metrics.MeanSquaredError)
    assert isinstance(metrics.get("sparse_categorical_accuracy"), metrics.SparseCategoricalAccuracy)
    assert isinstance(metrics.get("AUC"), metrics.AUC)
    assert isinstance(metrics.get(metrics.Mean), metrics.Mean)
    assert metrics.get(None) is None
    assert metrics.get(losses.huber) is losses.huber
    with pytest.raises(ValueError, match="Could not interpret metric identifier: 'bad'"):
        metrics.get("bad")
    with pytest.raises(ValueError, match="Could not interpret metric identifier: 3"):
        metrics.get(3)


def test_own_metric_and_nested_metrics():
    class Both(metrics.Metric):
        def __init__(self, name="both"):
            super().__init__(name=name)
            self.mean = metrics.Mean()
            self.calls = self.add_weight(name="calls")

        def update_state(self, values, sample_weight=None):
            self.mean.update_state(values)
            self.calls.assign_add(1.0)

        def result(self):
            return self.mean.result() * self.calls.value

    metric = Both()
    assert [v.name for v in metric.variables] == ["calls", "total", "count"]
    metric([2.0])
    assert float(host(metric([4.0]))) == 6.0
    metric.reset_state()
    assert float(host(metric.result())) == 0.0
    with pytest.raises(NotImplementedError, match="must override `update_state`"):
        metrics.Metric().update_state(1)


def test_errors():
    with pytest.raises(ValueError, match="Threshold values must be in"):
        metrics.Precision(thresholds=[0.5, 2.0])
    with pytest.raises(ValueError, match="`curve`.*'roc'.*curve='X'"):
        metrics.AUC(curve="X")
    with pytest.raises(ValueError, match="`num_thresholds` must be an integer > 1"):
        metrics.AUC(num_thresholds=1)
    with pytest.raises(ValueError, match="`recall` of PrecisionAtRecall must be"):
        metrics.PrecisionAtRecall(1.5)
    with pytest.raises(ValueError, match="`average`"):
        metrics.F1Score(average="all")
    with pytest.raises(ValueError, match="Target class id 3 is out of range"):
        metrics.IoU(3, [3])
    with pytest.raises(ValueError, match="y_true.shape=\\(2, 3\\), y_pred.shape=\\(2, 4\\)"):
        metrics.Precision().update_state(np.ones((2, 3)), np.ones((2, 4)))
    with pytest.raises(ValueError, match="2 variables of metric 'mean'. Received 1"):
        metrics.Mean().stateless_update_state([0.0], [1.0])


def test_r2_score_of_targets_that_do_not_vary():
    for predictions, score in (([[1.0]], np.nan), ([[2.0]], 0.0)):
        metric = metrics.R2Score()
        metric.update_state(np.ones((1, 1), "float32"), np.array(predictions, "float32"))
        np.testing.assert_array_equal(ops.convert_to_numpy(metric.result()), score)
