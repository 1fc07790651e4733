"""`python -m keras_meta` runs scripts that say `import keras`."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from kops import config


def run(*args, cwd=None):
    return subprocess.run(
        [sys.executable, "-m", "keras_meta", *map(str, args)], capture_output=True, text=True,
        cwd=cwd, env=os.environ | {"KERAS_BACKEND": config.backend()},
    )  # fmt: skip


def test_script_gets_this_library(tmp_path):
    script = tmp_path / "script.py"
    (tmp_path / "beside.py").write_text("VALUE = 7\n")
    script.write_text(
        """
import sys
import keras
from keras import layers, ops
import keras.layers
from keras.models import Sequential
import beside
import keras_meta
assert keras is keras_meta and layers is keras_meta.layers
assert keras.layers.Dense is keras_meta.layers.Dense
model = Sequential([keras.Input((2,)), layers.Dense(1)])
assert type(model) is keras_meta.Sequential
print(sys.argv[1:], beside.VALUE, __name__, float(ops.sum(ops.ones((3,)))))
"""
    )
    done = run(script, "a", "--b")
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n")[0] == "['a', '--b'] 7 __main__ 3.0"


def test_the_official_package_is_left_alone():
    pytest.importorskip("keras")
    code = "import keras_meta, keras; print(keras is keras_meta, keras.__name__)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=os.environ
    )
    assert done.stdout.split() == ["False", "keras"], done.stderr


def test_module_option(tmp_path):
    (tmp_path / "mymodule.py").write_text(
        "import sys, keras; print(keras.__name__, sys.argv[1:], __name__)"
    )
    done = run("-m", "mymodule", "x", cwd=tmp_path)
    assert done.stdout.split("\n")[0] == "keras_meta ['x'] __main__", done.stderr


def test_unknown_names_are_explained(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("import keras.nonsense")
    done = run(script)
    assert done.returncode != 0
    assert "keras.nonsense" in done.stderr and "layers" in done.stderr


def test_exit_status_and_errors(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("import sys; sys.exit(3)")
    assert run(script).returncode == 3
    missing = run(tmp_path / "none.py")
    assert missing.returncode == 2 and "none.py" in missing.stderr
    assert run("--frobnicate").returncode == 2
    assert run("--help").returncode == 0
