"""The wheels of kops and klayers alone, in a clean environment with NumPy, run models."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from kops import config

ROOT = Path(__file__).resolve().parents[3]
SCRIPT = """
import sys
import numpy as np
import klayers
from klayers import layers as L

def block(x, filters):
    y = L.Conv2D(filters, 3, padding="same", use_bias=False)(x)
    y = L.Activation("relu")(L.BatchNormalization()(y))
    y = L.BatchNormalization()(L.Conv2D(filters, 3, padding="same", use_bias=False)(y))
    return L.Activation("relu")(L.Add()([x, y]))

inputs = klayers.Input((16, 16, 3))
x = L.Conv2D(8, 3, padding="same")(inputs)
x = block(block(x, 8), 8)
x = L.GlobalAveragePooling2D()(L.MaxPooling2D(2)(x))
cnn = klayers.Model(inputs, L.Dense(4, activation="softmax")(x))
out = cnn.predict(np.random.default_rng(0).normal(size=(5, 16, 16, 3)).astype("float32"))
assert out.shape == (5, 4) and np.allclose(out.sum(1), 1, atol=1e-5)

lstm = klayers.Sequential([klayers.Input((7, 3)), L.LSTM(6, return_sequences=True), L.LSTM(2)])
assert lstm.predict(np.ones((3, 7, 3), "float32")).shape == (3, 2)

heavy = {"jax", "torch", "tensorflow", "h5py", "keras", "scipy", "rich"} & set(sys.modules)
assert not heavy, heavy
print("ok")
"""


@pytest.mark.skipif(config.backend() != "numpy", reason="once is enough")
def test_clean_environment(tmp_path):
    wheels = tmp_path / "wheels"
    for name in ("kops", "klayers"):
        subprocess.run(
            [sys.executable, "-m", "build", "--wheel", "--no-isolation", "-o", str(wheels),
             str(ROOT / "packages" / name)],
            check=True, capture_output=True,
        )  # fmt: skip
    built = sorted(wheels.glob("*.whl"))
    assert len(built) == 2 and sum(w.stat().st_size for w in built) < 3_000_000
    venv.create(tmp_path / "env", with_pip=True)
    python = tmp_path / "env" / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "-q", *built], check=True)
    env = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "KERAS_BACKEND")}
    done = subprocess.run(
        [python, "-I", "-c", SCRIPT], env=env, cwd=tmp_path, capture_output=True, text=True
    )
    assert done.stdout.strip() == "ok", done.stderr
    installed = subprocess.run(
        [python, "-m", "pip", "list", "--format=freeze"], capture_output=True, text=True, check=True
    ).stdout.lower()
    for name in ("jax", "torch", "tensorflow", "h5py", "scipy"):
        assert f"\n{name}==" not in installed
