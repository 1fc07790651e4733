"""DataParallel on eight virtual devices trains like one device."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

import kdistribute
from kops import config

SCRIPT = """
import json, sys
import numpy as np
import keras_meta as keras

parallel = sys.argv[1] == "parallel"
devices = keras.distribution.list_devices("cpu")
if parallel:
    keras.distribution.set_distribution(keras.distribution.DataParallel(devices=devices))
keras.utils.set_random_seed(0)
rng = np.random.default_rng(0)
x, y = rng.normal(size=(80, 4)).astype("float32"), rng.integers(0, 3, 80)
model = keras.Sequential([
    keras.Input((4,)), keras.layers.Dense(8, activation="relu"), keras.layers.BatchNormalization(),
    keras.layers.Dense(3, activation="softmax"),
])
model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
history = model.fit(x, y, batch_size=32, epochs=3, verbose=0)  # 80 = 32 + 32 + 16
kernel = model.layers[0].kernel.value
print(json.dumps({
    "devices": len(devices),
    "used": len(kernel.sharding.device_set),
    "loss": history.history["loss"],
    "accuracy": history.history["accuracy"],
    "prediction": model.predict(x[:5], verbose=0).tolist(),
    "evaluate": model.evaluate(x, y, verbose=0),
}))
"""


def train(mode):
    env = os.environ | {
        "KERAS_BACKEND": "jax",
        "XLA_FLAGS": "--xla_force_host_platform_device_count=8",
    }
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, mode], env=env, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.skipif(config.backend() != "jax", reason="devices are distributed over by jax")
def test_eight_devices_equal_one():
    one, eight = train("single"), train("parallel")
    assert one["devices"] == eight["devices"] == 8
    assert (one["used"], eight["used"]) == (1, 8)
    for key in ("loss", "accuracy", "evaluate"):
        assert eight[key] == pytest.approx(one[key], rel=1e-5, abs=1e-6)
    for a, b in zip(one["prediction"], eight["prediction"], strict=True):
        assert b == pytest.approx(a, abs=1e-5)


@pytest.mark.skipif(config.backend() == "jax", reason="jax does distribute")
def test_other_engines_say_what_to_use():
    with pytest.raises(NotImplementedError, match="jax"):
        kdistribute.list_devices()


@pytest.mark.skipif(config.backend() != "jax", reason="needs jax's devices")
class TestLayouts:
    def test_mesh_is_checked(self):
        with pytest.raises(ValueError, match="one name for each axis"):
            kdistribute.DeviceMesh((1, 1), ["batch"], ["cpu:0"])
        with pytest.raises(ValueError, match="devices"):
            kdistribute.DeviceMesh((2,), ["batch"], ["cpu:0"])

    def test_layout_map(self):
        mesh = kdistribute.DeviceMesh((1, 1), ["batch", "model"], ["cpu:0"])
        layouts = kdistribute.LayoutMap(mesh)
        layouts["dense.*kernel"] = (None, "model")
        assert layouts["model/dense_1/kernel"].axes == (None, "model")
        assert layouts["model/dense_1/bias"] is None
        with pytest.raises(ValueError, match="already"):
            layouts["dense.*kernel"] = (None, None)
        with pytest.raises(ValueError, match="nope"):
            layouts["x"] = ("nope",)

    def test_unknown_device_is_named(self):
        with pytest.raises(ValueError, match="tpu"):
            kdistribute.list_devices("tpu")
