"""int8 for Dense: the values, the files, and what is refused."""

from __future__ import annotations

import json
import os

import numpy as np
import pytest

import keras_meta as ours
import kquant

theirs = pytest.importorskip("keras")
# The official package warns of its own: of layers that it does not quantize, and of NumPy.
pytestmark = pytest.mark.filterwarnings("ignore")


def make(K, units=3):
    return K.Sequential([
        K.Input((8,)), K.layers.Dense(16, activation="relu"), K.layers.Dense(units)
    ])  # fmt: skip


@pytest.fixture
def x():
    return np.random.default_rng(0).normal(size=(5, 8)).astype("float32")


def test_abs_max_quantize(x):
    integers, scale = kquant.abs_max_quantize(x, axis=-1)
    integers, scale = (np.asarray(ours.ops.convert_to_numpy(v)) for v in (integers, scale))
    assert integers.dtype == np.int8 and scale.shape == (5, 1)
    assert np.abs(integers).max(axis=-1).tolist() == [127] * 5
    np.testing.assert_allclose(integers / scale, x, atol=np.abs(x).max() / 127)


def test_zeros_stay_finite():
    integers, scale = kquant.abs_max_quantize(np.zeros((2, 3), "float32"), axis=0)
    assert np.isfinite(np.asarray(ours.ops.convert_to_numpy(scale))).all()
    assert not np.asarray(ours.ops.convert_to_numpy(integers)).any()


def test_output_is_close_and_weights_are_int8(x):
    model = make(ours)
    before = model.predict(x, verbose=0)
    model.quantize("int8")
    kernel = model.layers[0].kernel
    assert kernel.dtype == "int8" and not kernel.trainable
    assert model.layers[0].quantization_mode == "int8"
    np.testing.assert_allclose(model.predict(x, verbose=0), before, atol=0.05)
    assert np.abs(model.predict(x, verbose=0) - before).max() > 0  # it is not the float model


def test_round_trip(x, tmp_path):
    model = make(ours)
    model.quantize("int8")
    model.save(tmp_path / "q.keras")
    again = ours.models.load_model(tmp_path / "q.keras")
    np.testing.assert_allclose(
        again.predict(x, verbose=0), model.predict(x, verbose=0), rtol=1e-6, atol=1e-6
    )


@pytest.mark.parametrize("first, second", [(ours, theirs), (theirs, ours)], ids=["out", "in"])
def test_exchange(x, tmp_path, first, second):
    model = make(first)
    model.quantize("int8")
    path = os.fspath(tmp_path / "q.keras")
    model.save(path)
    again = second.models.load_model(path)
    np.testing.assert_allclose(
        again.predict(x, verbose=0), model.predict(x, verbose=0), rtol=1e-4, atol=1e-4
    )


def test_config_is_what_keras_writes():
    configs = []
    for K in (ours, theirs):
        model = make(K)
        model.quantize("int8")
        configs.append(json.loads(json.dumps(model.layers[0].get_config())))
    for config in configs:
        config.pop("name")
    assert configs[0] == configs[1]


def test_filters():
    model = make(ours)
    model.quantize("int8", filters=model.layers[1].name + "$")
    assert [layer.quantization_mode for layer in model.layers] == [None, "int8"]


def test_errors():
    model = make(ours)
    with pytest.raises(ValueError, match="int8"):
        model.quantize("int3")
    with pytest.raises(ValueError, match="no layer"):
        ours.Sequential([ours.Input((2,)), ours.layers.Flatten()]).quantize("int8")
    with pytest.raises(NotImplementedError, match="Flatten"):
        layer = ours.layers.Flatten()
        layer.build((None, 2))
        layer.quantize("int8")
    model.quantize("int8")
    with pytest.raises(ValueError):
        model.layers[0].quantize("int8")
    with pytest.raises(ValueError, match="quantizer"):
        kquant.quantizers.get("nonsense")
