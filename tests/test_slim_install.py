"""The built wheels of kops and klayers alone, in a process that sees nothing else but NumPy."""

from __future__ import annotations

import importlib.metadata
import os
import re
import subprocess
import sys
import zipfile
from email import message_from_bytes
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
# What DESIGN promises: distribution -> hard dependencies.
REQUIREMENTS = {
    "kops": {"ml-dtypes", "numpy", "optree"},
    "klayers": {"kops"},
    "ktrain": {"klayers", "rich"},
    "ksaving": {"h5py", "klayers"},
    "kexport": {"klayers"},
    "kquant": {"klayers"},
    "kdistribute": {"kops"},
    "keras-meta": {"kdistribute", "kexport", "klayers", "kops", "kquant", "ksaving", "ktrain"},
}
HEAVY = ("jax", "jaxlib", "torch", "tensorflow", "h5py", "keras", "scipy", "rich")
MODELS = """
import sys
sys.path[:0] = sys.argv[1:]
import klayers, numpy as np
from klayers import layers

def block(x, filters):
    y = layers.Conv2D(filters, 3, padding="same", use_bias=False)(x)
    y = layers.Activation("relu")(layers.BatchNormalization()(y))
    y = layers.BatchNormalization()(layers.Conv2D(filters, 3, padding="same", use_bias=False)(y))
    if x.shape[-1] != filters:
        x = layers.Conv2D(filters, 1)(x)
    return layers.Activation("relu")(layers.Add()([x, y]))

inputs = klayers.Input((16, 16, 3))
x = layers.MaxPooling2D()(block(inputs, 8))
x = layers.GlobalAveragePooling2D()(block(x, 16))
cnn = klayers.Model(inputs, layers.Dense(10, activation="softmax")(x))
out = cnn.predict(np.ones((5, 16, 16, 3), "float32"))
assert out.shape == (5, 10) and np.allclose(out.sum(axis=1), 1, atol=1e-5), out

lstm = klayers.Sequential(
    [
        klayers.Input((None,)),
        layers.Embedding(20, 8, mask_zero=True),
        layers.LSTM(6),
        layers.Dense(1),
    ]
)
assert lstm.predict(np.array([[1, 2, 0], [3, 4, 5]])).shape == (2, 1)
print(*sorted({m.split(".")[0] for m in sys.modules}))
"""


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheels of all packages."""
    folder = tmp_path_factory.mktemp("wheels")
    for name in REQUIREMENTS:
        command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder]
        done = subprocess.run(
            [*command, ROOT / "packages" / name], capture_output=True, text=True, timeout=300
        )
        assert done.returncode == 0, done.stdout + done.stderr
    return folder


def wheel_of(wheels: Path, name: str) -> Path:
    (found,) = wheels.glob(f"{name.replace('-', '_')}-*.whl")
    return found


def metadata_of(wheel: Path):
    with zipfile.ZipFile(wheel) as archive:
        (entry,) = (n for n in archive.namelist() if n.endswith(".dist-info/METADATA"))
        return message_from_bytes(archive.read(entry))


@pytest.mark.parametrize("name", REQUIREMENTS)
def test_wheel_requires_what_the_design_says(wheels: Path, name: str):
    listed = metadata_of(wheel_of(wheels, name)).get_all("Requires-Dist") or []
    hard = {re.split(r"[^\w-]", r)[0] for r in listed if "extra ==" not in r}
    assert hard == REQUIREMENTS[name]


@pytest.mark.parametrize("name", REQUIREMENTS)
def test_wheel_is_typed_small_and_carries_the_licence(wheels: Path, name: str):
    wheel = wheel_of(wheels, name)
    module = name.replace("-", "_")
    with zipfile.ZipFile(wheel) as archive:
        files = archive.namelist()
    assert f"{module}/py.typed" in files
    assert any(f.endswith("licenses/LICENSE") for f in files)
    outside = [f for f in files if not f.startswith((f"{module}/", f"{module}-"))]
    assert not outside
    assert wheel.stat().st_size < 1_000_000


def test_all_own_wheels_are_under_three_megabytes(wheels: Path):
    assert sum(w.stat().st_size for w in wheels.glob("*.whl")) < 3_000_000


@pytest.fixture(scope="module")
def slim_site(wheels: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site folder with kops, klayers and, linked, what they require; nothing else."""
    site = tmp_path_factory.mktemp("site")
    todo: list[str] = []
    for name in ("kops", "klayers"):
        with zipfile.ZipFile(wheel_of(wheels, name)) as archive:
            archive.extractall(site)
        todo += REQUIREMENTS[name] - {"kops"}
    seen: set[str] = set()
    while todo:
        name = todo.pop()
        if name in seen:
            continue
        seen.add(name)
        distribution = importlib.metadata.distribution(name)
        todo += [re.split(r"[^\w-]", r)[0] for r in distribution.requires or [] if ";" not in r]
        for file in distribution.files or []:
            top = file.parts[0]
            if top != ".." and not (site / top).exists():
                (site / top).symlink_to(Path(str(distribution.locate_file(top))))
    return site


def test_kops_and_klayers_alone_build_and_predict(slim_site: Path, tmp_path: Path):
    env = {"KERAS_BACKEND": "numpy", "KERAS_HOME": str(tmp_path), "PATH": os.environ["PATH"]}
    command = [sys.executable, "-I", "-S", "-W", "error", "-c", MODELS, str(slim_site)]
    done = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    loaded = set(done.stdout.split())
    assert not loaded & set(HEAVY)
    assert {"kops", "klayers", "numpy"} <= loaded
