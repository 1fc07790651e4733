"""Files as such: complete or absent, and refused when they are not what they say."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import tracemalloc
import zipfile

import h5py
import numpy as np
import pytest

import keras_meta as keras
from ksaving import UnsafeFileError, load_model, load_weights, save_model, save_weights


def make_model() -> keras.Model:
    inputs = keras.Input((6,), name="x")
    hidden = keras.layers.Dense(5, activation="relu", name="hidden")(inputs)
    return keras.Model(inputs, keras.layers.Dense(2, name="out")(hidden))


@pytest.fixture
def model():
    return make_model()


@pytest.fixture
def x():
    return np.random.default_rng(0).normal(size=(3, 6)).astype("float32")


def test_round_trip(model, x, tmp_path):
    model.save(tmp_path / "m.keras")
    again = load_model(tmp_path / "m.keras")
    assert type(again) is type(model)
    np.testing.assert_array_equal(model.predict(x, verbose=0), again.predict(x, verbose=0))


def test_round_trip_through_file_objects(model, x):
    file = io.BytesIO()
    save_model(model, file)
    file.seek(0)
    again = load_model(file)
    np.testing.assert_array_equal(model.predict(x, verbose=0), again.predict(x, verbose=0))


def test_weights_round_trip(model, x, tmp_path):
    path = tmp_path / "m.weights.h5"
    save_weights(model, path)
    other = make_model()
    load_weights(other, path)
    np.testing.assert_array_equal(model.predict(x, verbose=0), other.predict(x, verbose=0))


def test_weights_from_a_keras_file(model, x, tmp_path):
    model.save(tmp_path / "m.keras")
    other = make_model()
    other.load_weights(tmp_path / "m.keras")
    np.testing.assert_array_equal(model.predict(x, verbose=0), other.predict(x, verbose=0))


def test_lists_of_lists_of_layers_are_saved(tmp_path):
    class Nested(keras.Model):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.rows = [[keras.layers.Dense(3), keras.layers.Dense(3)], [keras.layers.Dense(2)]]

        def call(self, x):
            for row in self.rows:
                for layer in row:
                    x = layer(x)
            return x

    one, two = Nested(), Nested()
    data = np.ones((2, 4), "float32")
    one(data), two(data)
    one.save_weights(tmp_path / "n.weights.h5")
    two.load_weights(tmp_path / "n.weights.h5")
    for a, b in zip(one.get_weights(), two.get_weights(), strict=True):
        np.testing.assert_array_equal(a, b)


# -- wrong use --------------------------------------------------------------------------


def test_extension_is_checked(model, tmp_path):
    with pytest.raises(ValueError, match=r"must end in '\.keras'"):
        model.save(tmp_path / "m.foo")
    with pytest.raises(ValueError, match=r"must end in '\.weights\.h5'"):
        model.save_weights(tmp_path / "m.h5")


def test_overwrite_false_keeps_the_file(model, tmp_path):
    path = tmp_path / "m.keras"
    path.write_bytes(b"precious")
    with pytest.raises(FileExistsError, match="overwrite"):
        model.save(path, overwrite=False)
    assert path.read_bytes() == b"precious"


def test_unbuilt_model_is_refused(tmp_path):
    model = keras.Sequential([keras.layers.Dense(1)])
    with pytest.raises(ValueError, match="not built"):
        model.save(tmp_path / "m.keras")


def test_missing_file_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"none\.keras"):
        load_model(tmp_path / "none.keras")


def test_mismatch_names_path_and_shapes(model, tmp_path):
    model.save_weights(tmp_path / "m.weights.h5")
    inputs = keras.Input((6,))
    hidden = keras.layers.Dense(7)(inputs)
    other = keras.Model(inputs, keras.layers.Dense(2)(hidden))
    before = other.get_weights()
    with pytest.raises(ValueError, match=r"layers/dense.*\(6, 7\).*\(6, 5\)"):
        other.load_weights(tmp_path / "m.weights.h5")
    with pytest.warns(UserWarning, match="layers/dense"):
        other.load_weights(tmp_path / "m.weights.h5", skip_mismatch=True)
    for a, b in zip(before[:2], other.get_weights()[:2], strict=True):
        np.testing.assert_array_equal(a, b)


def test_unregistered_class_is_named_with_the_fix(tmp_path):
    class Strange(keras.layers.Layer):
        def call(self, x):
            return x

    model = keras.Sequential([keras.Input((2,)), Strange()])
    model.save(tmp_path / "s.keras")
    with pytest.raises(ValueError, match=r"Strange[\s\S]*register_keras_serializable"):
        load_model(tmp_path / "s.keras")
    again = load_model(tmp_path / "s.keras", custom_objects={"Strange": Strange})
    assert isinstance(again.layers[0], Strange)


@pytest.mark.parametrize("keep", [0, 10, 200, 0.5, 0.98])
def test_truncated_files_are_refused(model, tmp_path, keep):
    whole = tmp_path / "m.keras"
    model.save(whole)
    data = whole.read_bytes()
    cut = tmp_path / "cut.keras"
    cut.write_bytes(data[: int(keep * len(data)) if isinstance(keep, float) else keep])
    with pytest.raises(ValueError, match=r"not a complete \.keras file"):
        load_model(cut)
    weights = tmp_path / "m.weights.h5"
    model.save_weights(weights)
    data = weights.read_bytes()
    weights.write_bytes(data[: int(keep * len(data)) if isinstance(keep, float) else keep])
    with pytest.raises(ValueError, match="truncated|damaged|no weights|HDF5"):
        model.load_weights(weights)


# -- crashes ----------------------------------------------------------------------------


def test_failure_while_saving_leaves_the_old_file(model, tmp_path, monkeypatch):
    path = tmp_path / "m.keras"
    model.save(path)
    before = path.read_bytes()

    def fail(store):
        raise RuntimeError("disk full")

    monkeypatch.setattr(model.layers[-1], "save_own_variables", fail)
    with pytest.raises(RuntimeError, match="disk full"):
        model.save(path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["m.keras"]


def test_kill_while_saving_leaves_the_old_file(tmp_path):
    path = tmp_path / "m.keras"
    make_model().save(path)
    before = path.read_bytes()
    script = f"""
import os, signal
import keras_meta as keras
model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3)])
def die(store):
    store["0"] = model.weights[0].numpy()
    os.kill(os.getpid(), signal.SIGKILL)
model.layers[-1].save_own_variables = die
model.save({str(path)!r})
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True)
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()
    assert path.read_bytes() == before


# -- strangers' files -------------------------------------------------------------------


def rewrite(source, target, **changes):
    """Copies a `.keras` file with some members replaced (None: left out)."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            data = changes.pop(name.replace(".", "_"), old.read(name))
            if data is not None:
                new.writestr(name, data)
        for name, data in changes.items():
            new.writestr(name, data)


@pytest.mark.parametrize("name", ["../evil", "/evil", "assets/../../evil", "assets\\evil", "x.py"])
def test_foreign_members_are_refused(model, tmp_path, name):
    model.save(tmp_path / "m.keras")
    rewrite(tmp_path / "m.keras", tmp_path / "bad.keras", **{name: b"x"})
    with pytest.raises(UnsafeFileError, match="no .keras file has"):
        load_model(tmp_path / "bad.keras")


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_duplicate_members_are_refused(model, tmp_path):
    model.save(tmp_path / "m.keras")
    with zipfile.ZipFile(tmp_path / "m.keras", "a") as archive:
        archive.writestr("config.json", "{}")
    with pytest.raises(UnsafeFileError, match="same name"):
        load_model(tmp_path / "m.keras")


def test_missing_member_is_named(model, tmp_path):
    model.save(tmp_path / "m.keras")
    rewrite(tmp_path / "m.keras", tmp_path / "bad.keras", config_json=None)
    with pytest.raises(ValueError, match=r"config\.json"):
        load_model(tmp_path / "bad.keras")


def test_deep_json_is_refused(model, tmp_path):
    model.save(tmp_path / "m.keras")
    deep = "[" * 100_000 + "]" * 100_000
    rewrite(tmp_path / "m.keras", tmp_path / "bad.keras", config_json='{"a": ' + deep + "}")
    with pytest.raises(UnsafeFileError, match="nested too deeply"):
        load_model(tmp_path / "bad.keras")


def test_config_imports_nothing(model, tmp_path, monkeypatch):
    module = tmp_path / "canary_module.py"
    module.write_text("raise RuntimeError('imported')\nclass Evil: pass\n")
    monkeypatch.syspath_prepend(tmp_path)
    model.save(tmp_path / "m.keras")
    for named in ("canary_module", "keras.canary_module", "os", "keras_evil"):
        config = {"module": named, "class_name": "Evil", "config": {}, "registered_name": "Evil"}
        rewrite(tmp_path / "m.keras", tmp_path / "bad.keras", config_json=json.dumps(config))
        with pytest.raises(ValueError):
            load_model(tmp_path / "bad.keras")
    assert "canary_module" not in sys.modules


def test_lambda_is_refused_in_safe_mode(tmp_path, x):
    model = keras.Sequential([keras.Input((6,)), keras.layers.Lambda(lambda t: t * 2)])
    with pytest.warns(UserWarning, match="safe_mode"):
        model.save(tmp_path / "l.keras")
    with pytest.raises(ValueError, match="safe_mode"):
        load_model(tmp_path / "l.keras")
    again = load_model(tmp_path / "l.keras", safe_mode=False)
    np.testing.assert_allclose(again.predict(x, verbose=0), x * 2, rtol=1e-6)


def links(kind, outside):
    return {
        "soft": h5py.SoftLink("/elsewhere"),
        "external": h5py.ExternalLink(str(outside), "/data"),
    }[kind]


@pytest.mark.parametrize("kind", ["soft", "external"])
@pytest.mark.parametrize(
    "where", ["layers", "layers/dense", "layers/dense/vars", "layers/dense/vars/0"]
)
def test_links_are_refused(model, tmp_path, kind, where):
    outside = tmp_path / "outside.h5"
    with h5py.File(outside, "w") as f:
        f["data"] = np.ones((6, 5), "float32")
    path = tmp_path / "m.weights.h5"
    model.save_weights(path)
    with h5py.File(path, "a") as f:
        del f[where]
        f[where] = links(kind, outside)
    with pytest.raises(UnsafeFileError, match="link|Link"):
        model.load_weights(path)


def test_external_storage_and_virtual_arrays_are_refused(model, tmp_path):
    raw = tmp_path / "raw.bin"
    raw.write_bytes(b"\0" * 120)
    path = tmp_path / "m.weights.h5"
    model.save_weights(path)
    with h5py.File(path, "a") as f:
        del f["layers/dense/vars/0"]
        f["layers/dense/vars"].create_dataset("0", (6, 5), "float32", external=[(str(raw), 0, 120)])
    with pytest.raises(UnsafeFileError, match="another file"):
        model.load_weights(path)
    layout = h5py.VirtualLayout((6, 5), "float32")
    layout[:] = h5py.VirtualSource(str(tmp_path / "o.h5"), "data", shape=(6, 5))
    with h5py.File(path, "a") as f:
        del f["layers/dense/vars/0"]
        f["layers/dense/vars"].create_virtual_dataset("0", layout)
    with pytest.raises(UnsafeFileError, match="another file"):
        model.load_weights(path)


@pytest.mark.parametrize("values", [np.ones((6, 5), "complex64"), np.full((6, 5), b"x")])
def test_arrays_of_other_kinds_are_refused(model, tmp_path, values):
    path = tmp_path / "m.weights.h5"
    model.save_weights(path)
    with h5py.File(path, "a") as f:
        del f["layers/dense/vars/0"]
        f["layers/dense/vars"]["0"] = values
    with pytest.raises(UnsafeFileError, match="no variable has"):
        model.load_weights(path)


def test_claimed_sizes_are_checked_against_stored_bytes(model, tmp_path):
    path = tmp_path / "m.weights.h5"
    model.save_weights(path)
    with h5py.File(path, "a") as f:
        del f["layers/dense/vars/0"]
        f["layers/dense/vars"].create_dataset(
            "0", (2**20, 2**20), "float32", chunks=(1024, 1024), compression="gzip"
        )
    with pytest.raises(ValueError, match="claims|shape"):
        model.load_weights(path)


def test_files_have_the_usual_rights(model, tmp_path):
    path = tmp_path / "m.keras"
    model.save(path)
    mask = os.umask(0)
    os.umask(mask)
    assert path.stat().st_mode & 0o777 == 0o666 & ~mask


@pytest.mark.parametrize("units", [2**28, 2**40])
def test_claimed_sizes_of_layers_are_checked_before_memory_is_taken(model, tmp_path, units):
    save_model(model, tmp_path / "m.keras")
    with zipfile.ZipFile(tmp_path / "m.keras") as archive:
        config = json.loads(archive.read("config.json"))
    config["config"]["layers"][1]["config"]["units"] = units
    rewrite(tmp_path / "m.keras", tmp_path / "big.keras", config_json=json.dumps(config))
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match=f"/kernel' of shape .*{units}.* more memory than"):
            load_model(tmp_path / "big.keras")
        assert tracemalloc.get_traced_memory()[1] < 100 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("call", [load_model, save_model, load_weights, save_weights])
def test_what_is_no_path_is_refused(model, call):
    first = [] if call is load_model else [model]
    for wrong in (None, 3, ["m.keras"], b"m.keras"):
        with pytest.raises(TypeError, match=r"`filepath` must be a path"):
            call(*first, wrong)
    with pytest.raises(ValueError, match="`filepath` is empty"):
        call(*first, "")
