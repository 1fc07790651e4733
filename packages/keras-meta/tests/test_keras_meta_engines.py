"""The same script on every engine: equal initial weights, equal training."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys

import numpy as np
import pytest

from kops import config

SCRIPT = """
import hashlib, json, sys
import numpy as np
from sklearn.datasets import load_digits  # before the seed: imports may draw from it
import keras_meta as keras
from keras_meta import layers as L
keras.utils.set_random_seed(7)
model = keras.Sequential([
    keras.Input((8, 8, 1)), L.Conv2D(4, 3, activation="relu"), L.BatchNormalization(),
    L.MaxPooling2D(2), L.Flatten(), L.Dense(12, activation="gelu"), L.Dense(10),
])
inputs = keras.Input((5, 3))
other = keras.Model(inputs, L.LSTM(4)(L.MultiHeadAttention(2, 2)(inputs, inputs)))
table = L.Embedding(7, 3, embeddings_initializer="truncated_normal"); table.build()
digest = hashlib.sha256()
for w in [*model.weights, *other.weights, *table.weights]:
    digest.update(np.ascontiguousarray(w.numpy()).tobytes())
result = {"weights": digest.hexdigest()}
if keras.config.backend() != "numpy":
    x, y = load_digits(return_X_y=True)
    x = (x.reshape(-1, 8, 8, 1) / 16).astype("float32")[:400]
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True),
                  metrics=["accuracy"])
    result["loss"] = model.fit(x, y[:400], batch_size=50, epochs=3, verbose=0).history["loss"]
print(json.dumps(result))
"""


def run(engine):
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True,
        env=os.environ | {"KERAS_BACKEND": engine},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.skipif(config.backend() != "numpy", reason="once is enough: it starts every engine")
def test_engines_agree():
    pytest.importorskip("sklearn")
    names = ["numpy"] + [n for n in ("jax", "torch", "tensorflow") if importlib.util.find_spec(n)]
    results = {name: run(name) for name in names}
    assert len({r["weights"] for r in results.values()}) == 1, results
    losses = [r["loss"] for r in results.values() if "loss" in r]
    for other in losses[1:]:
        np.testing.assert_allclose(other, losses[0], atol=1e-3)
