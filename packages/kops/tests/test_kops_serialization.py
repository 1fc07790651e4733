"""Configs: the form that Keras writes, and what reading one refuses."""

import importlib.util
import json
import os
import subprocess
import sys
import threading

import ml_dtypes
import numpy as np
import pytest

import kops
from kops import config as settings
from kops import ops, serialization
from kops.registry import (
    PUBLIC,
    custom_object_scope,
    export,
    get_custom_objects,
    register_keras_serializable,
)
from kops.serialization import (
    DeserializationError,
    deserialize_keras_object,
    in_safe_mode,
    lambda_parts,
    restore_lambda,
    safe_mode_scope,
    serialize_keras_object,
    serialize_with_sharing,
)


class Holder:
    """Something with a config; holds anything."""

    def __init__(self, value=None):
        self.value = value

    def get_config(self):
        return {"value": self.value}

    @classmethod
    def from_config(cls, config):
        return cls(deserialize_keras_object(config["value"]))


@register_keras_serializable("kops_test")
class Registered(Holder):
    pass


@register_keras_serializable("kops_test")
def registered_function(x):
    return x


def unregistered_function(x):
    return x


def through_json(obj):
    return json.loads(json.dumps(serialize_keras_object(obj)))


def round_trip(obj, **kwargs):
    return deserialize_keras_object(through_json(obj), **kwargs)


# --- what is written: literals are what Keras 3.15 writes -----------------------------


@pytest.mark.parametrize("value", [None, 3, True, 1.5, "x", [1, [2]], {"a": {"b": 1}}, []])
def test_plain_values_stay(value):
    assert serialize_keras_object(value) == value
    assert round_trip(value) == value


@pytest.mark.parametrize(
    "value, written",
    [
        ((1, (2, "a")), (1, (2, "a"))),
        ({"a": (1,)}, {"a": (1,)}),
        (slice(1, None, 2), ("__slice__", {"start": 1, "stop": None, "step": 2})),
        (..., ("__ellipsis__", {})),
        (b"ab", ("__bytes__", {"value": "ab"})),
        (np.dtype("float16"), "float16"),
        (np.str_("a"), "a"),
        (
            kops.KerasTensor((None, 3), "int32"),
            (
                "__keras_tensor__",
                {"shape": (None, 3), "dtype": "int32", "keras_history": None},
            ),
        ),
    ],
)
def test_special_values(value, written):
    if isinstance(written, tuple) and str(written[0]).startswith("__"):
        written = {"class_name": written[0], "config": written[1]}
    assert serialize_keras_object(value) == written


def test_special_values_return():
    assert round_trip(slice(1, None, 2)) == slice(1, None, 2)
    assert round_trip(...) is ...
    assert round_trip(b"ab") == b"ab"
    assert round_trip((1, 2)) == [1, 2], "JSON has no tuples"
    x = round_trip(kops.KerasTensor((None, 3), "int32"))
    assert (x.shape, x.dtype) == ((None, 3), "int32")


@pytest.mark.parametrize("dtype", ["float32", "int8", "bool", "bfloat16"])
def test_tensors(dtype):
    x = ops.cast(ops.convert_to_tensor([[0, 1], [1, 1]]), dtype)
    config = through_json(x)
    assert config["class_name"] == "__tensor__"
    assert config["config"] == {"value": [[0, 1], [1, 1]], "dtype": dtype}
    back = round_trip(x)
    assert ops.is_tensor(back)
    assert kops.backend.active().dtype_of(back) == dtype
    np.testing.assert_array_equal(ops.convert_to_numpy(back), ops.convert_to_numpy(x))


def test_numpy_arrays():
    x = np.arange(4, dtype="int64").reshape(2, 2)
    marker = "__tensor__" if ops.is_tensor(x) else "__numpy__"
    assert through_json(x) == {
        "class_name": marker,
        "config": {"value": [[0, 1], [2, 3]], "dtype": "int64"},
    }
    np.testing.assert_array_equal(ops.convert_to_numpy(round_trip(x)), x)
    config = {"class_name": "__numpy__", "config": {"value": [1, 2], "dtype": "bfloat16"}}
    back = deserialize_keras_object(config)
    assert isinstance(back, np.ndarray) and back.dtype == ml_dtypes.bfloat16


def test_numpy_scalars_keep_their_value():
    for scalar in (np.float32(1.5), np.int64(3), np.bool_(True), np.array(2)):
        assert np.asarray(ops.convert_to_numpy(round_trip(scalar))) == scalar


def test_symbolic_tensors_name_their_operation():
    x = kops.KerasTensor((2, 3))
    y = ops.add(x, 1.0)
    history = serialize_keras_object(y)["config"]["keras_history"]
    assert history == [y._keras_history.operation.name, 0, 0]


def test_objects():
    assert serialize_keras_object(Holder(2)) == {
        "module": Holder.__module__,
        "class_name": "Holder",
        "config": {"value": 2},
        "registered_name": "Holder",
    }
    config = serialize_keras_object(Registered((1, slice(0, 2))))
    assert config["registered_name"] == "kops_test>Registered"
    assert config["config"]["value"][1]["class_name"] == "__slice__"
    assert round_trip(Registered([1, slice(0, 2)])).value == [1, slice(0, 2)]
    assert round_trip(Registered(Registered(3))).value.value == 3


def test_public_objects():
    generator = kops.random.SeedGenerator(3, name="g")
    assert serialize_keras_object(generator) == {
        "module": "keras.random",
        "class_name": "SeedGenerator",
        "config": {"seed": 3, "name": "g"},
        "registered_name": None,
    }
    assert round_trip(generator).get_config() == {"seed": 3, "name": "g"}


def test_operations_are_named_as_keras_names_them():
    x = kops.KerasTensor((None, 4))
    operation = ops.reshape(x, (-1, 2))._keras_history.operation
    config = through_json(operation)
    assert config == {
        "module": "keras.src.ops.numpy",
        "class_name": "Reshape",
        "config": {"name": operation.name, "newshape": [-1, 2]},
        "registered_name": "Reshape",
    }
    assert type(deserialize_keras_object(config)) is type(operation)


def test_functions():
    assert serialize_keras_object(registered_function) == {
        "module": "builtins",
        "class_name": "function",
        "config": "kops_test>registered_function",
        "registered_name": "function",
    }
    assert serialize_keras_object(unregistered_function)["config"] == "unregistered_function"
    assert round_trip(registered_function) is registered_function
    written = {"module": "builtins", "class_name": "type", "config": "int"}
    assert serialize_keras_object(int) == {**written, "registered_name": "type"}


def test_build_and_compile_configs():
    calls = []

    class Built(Holder):
        def get_build_config(self):
            return {"input_shape": (None, 3)}

        def build_from_config(self, config):
            calls.append(("build", config))

        def get_compile_config(self):
            return {"loss": registered_function}

        def compile_from_config(self, config):
            calls.append(("compile", config["loss"]["config"]))

    config = serialize_keras_object(Built())
    assert list(config)[4:] == ["build_config", "compile_config"]
    assert config["build_config"] == {"input_shape": (None, 3)}
    deserialize_keras_object(json.loads(json.dumps(config)), custom_objects={"Built": Built})
    assert calls == [
        ("build", {"input_shape": [None, 3]}),
        ("compile", "kops_test>registered_function"),
    ]


@pytest.mark.parametrize("value", [object(), {1, 2}, 1j, range(3), Holder, b"\xff\xfe"])
def test_what_has_no_config(value):
    with pytest.raises(TypeError, match="[Cc]annot serialize"):
        serialize_keras_object(value)


def test_config_must_be_a_dictionary():
    class Odd(Holder):
        def get_config(self):
            return [1]

    with pytest.raises(TypeError, match="'Odd' must return a dictionary"):
        serialize_keras_object(Odd())


def test_calculated_sizes_cannot_be_written():
    n = kops.KerasTensor((None,)).dims[0]
    assert serialize_keras_object((n, 2)) == (None, 2)
    with pytest.raises(TypeError, match="calculated size"):
        serialize_keras_object((n * 2, 2))


def test_shared_objects():
    one, two = Registered(1), Registered(2)
    config = json.loads(json.dumps(serialize_with_sharing([one, two, Registered(one), one])))
    assert [c.get("shared_object_id") for c in config] == [1, None, None, 1]
    assert config[2]["config"]["value"]["shared_object_id"] == 1
    a, b, c, d = deserialize_keras_object(config)
    assert a is c.value is d and b is not a
    assert "shared_object_id" not in json.dumps(serialize_keras_object([one, one]))


# --- names of other versions ------------------------------------------------------------


@pytest.fixture
def probe():
    """A public class, and the tables put back afterwards."""
    from kops import registry

    before = dict(registry._PUBLIC), dict(registry._PATHS)

    @export("keras.layers.Probe")
    class Probe(Holder):
        pass

    yield Probe
    for table, content in zip((registry._PUBLIC, registry._PATHS), before, strict=True):
        table.clear()
        table.update(content)


@pytest.mark.parametrize(
    "module",
    [
        "keras.layers",
        "keras.src.layers.core.probe",
        "keras.src.layers.core",
        "keras.layers.core.probe",
        "tensorflow.keras.layers",
        "tf_keras.src.layers.core.probe",
    ],
)
def test_modules_of_other_versions(probe, module):
    config = {
        "module": module,
        "class_name": "Probe",
        "config": {"value": 1},
        "registered_name": "Probe",
    }
    assert type(deserialize_keras_object(config)) is probe


@pytest.mark.parametrize(
    "module",
    [
        "keras_evil",
        "kerasx.layers",
        "keras.layers.",
        ".keras.layers",
        "keras..layers",
        "kеras.layers",  # a Cyrillic letter
        "",
        "os",
        "subprocess",
        "keras.utils",
        3,
        ["keras.layers"],
    ],
)
def test_other_modules_have_no_built_in_classes(probe, module):
    config = {"module": module, "class_name": "Probe", "config": {}, "registered_name": None}
    with pytest.raises(DeserializationError, match="Probe"):
        deserialize_keras_object(config)


def test_classes_are_not_reached_through_attributes(probe):
    for name in ("Probe.from_config", "__class__", "Probe.__init__", "core.Probe"):
        config = {"module": "keras.layers", "class_name": name, "config": {}}
        with pytest.raises(DeserializationError):
            deserialize_keras_object(config)


def test_a_custom_object_does_not_shadow_a_built_in_one(probe):
    config = serialize_keras_object(probe(1))
    assert type(deserialize_keras_object(config, custom_objects={"Probe": Holder})) is probe
    get_custom_objects()["Probe"] = Holder
    try:
        assert type(deserialize_keras_object(config)) is probe
    finally:
        del get_custom_objects()["Probe"]


# --- reading is safe --------------------------------------------------------------------


def test_an_unknown_class_is_an_error_that_says_what_to_write():
    config = through_json(Holder(1))
    with pytest.raises(ValueError) as error:
        deserialize_keras_object(config)
    text = str(error.value)
    assert "'Holder'" in text
    assert "`@keras.saving.register_keras_serializable()` above `class Holder`" in text
    assert "custom_objects={'Holder': Holder}" in text
    with pytest.raises(TypeError):  # what Keras raises
        deserialize_keras_object(config)
    assert round_trip(Holder(1), custom_objects={"Holder": Holder}).value == 1
    with custom_object_scope({"Holder": Holder}):
        assert round_trip(Holder(1)).value == 1


def test_an_unknown_function_is_an_error():
    with pytest.raises(DeserializationError, match="above `def unregistered_function`"):
        round_trip(unregistered_function)
    names = {"unregistered_function": unregistered_function}
    assert round_trip(unregistered_function, custom_objects=names) is unregistered_function


def test_nothing_is_imported(tmp_path, monkeypatch):
    (tmp_path / "canary_module.py").write_text(
        "raise SystemExit('imported')\nclass Canary:\n    pass\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    for name, inner in (("Canary", {}), ("function", "Canary"), ("type", "Canary")):
        config = {
            "module": "canary_module",
            "class_name": name,
            "config": inner,
            "registered_name": name,
        }
        with pytest.raises(DeserializationError):
            deserialize_keras_object(config)
    assert "canary_module" not in sys.modules


@pytest.mark.parametrize(
    "module, name",
    [
        ("os", "system"),
        ("builtins", "eval"),
        ("builtins", "system"),
        ("keras.config", "enable_unsafe_deserialization"),
        ("keras.saving", "deserialize_keras_object"),
        ("keras.utils", "set_random_seed"),
        ("keras.saving", "get_custom_objects"),
        ("keras.random", "SeedGenerator"),
        ("kops.config", "set_backend"),
    ],
)
def test_only_functions_of_models_are_reached(module, name):
    config = {
        "module": module,
        "class_name": "function",
        "config": name,
        "registered_name": "function",
    }
    with pytest.raises(DeserializationError):
        deserialize_keras_object(config)
    assert not settings.is_unsafe_deserialization_enabled()


def test_every_public_function_but_the_modelling_ones_is_refused():
    allowed = ("keras.activations.", "keras.losses.", "keras.metrics.", "keras.ops.")
    for path, obj in PUBLIC.items():
        if isinstance(obj, type) or not callable(obj) or path.startswith(allowed):
            continue
        module, _, name = path.rpartition(".")
        config = {"module": module, "class_name": "function", "config": name}
        with pytest.raises(DeserializationError):
            deserialize_keras_object(config)


def test_a_slot_takes_its_own_kind_only(probe):
    config = through_json(Registered(1))
    assert isinstance(deserialize_keras_object(config, base=Registered), Registered)
    with pytest.raises(DeserializationError, match="not accepted here"):
        deserialize_keras_object(config, base=probe)


@pytest.mark.parametrize(
    "config",
    [
        {"class_name": "Dense", "config": "x"},
        {"class_name": 3, "config": {}},
        {"class_name": "function", "config": {}},
        {"class_name": "__tensor__", "config": {"value": [1], "dtype": "object"}},
        {"class_name": "__tensor__", "config": {"value": ["a"], "dtype": "float32"}},
        {"class_name": "__numpy__", "config": {"value": [[1], [2, 3]], "dtype": "float32"}},
        {"class_name": "__numpy__", "config": {}},
        {"class_name": "__numpy__", "config": None},
        {"class_name": "__bytes__", "config": {}},
        {"class_name": "__bytes__", "config": {"value": 3}},
        {"class_name": "__slice__", "config": [1]},
        {"class_name": "__keras_tensor__", "config": {"shape": "x", "dtype": "float32"}},
        {"class_name": "__keras_tensor__", "config": {}},
        object(),
        {"module": "keras", "class_name": "Nothing", "config": {}},
    ],
)
def test_malformed_configs(config):
    with pytest.raises(ValueError):
        deserialize_keras_object(config)


def test_wrong_keys_name_the_class():
    config = {**through_json(Registered(1)), "config": {"other": 1}}

    @register_keras_serializable("kops_test")
    class Strict(Holder):
        @classmethod
        def from_config(cls, config):
            return cls(**config)

    config = {**through_json(Strict(1)), "config": {"other": 1}}
    with pytest.raises(DeserializationError, match=r"'Strict'.*other"):
        deserialize_keras_object(config)


def test_unknown_arguments():
    with pytest.raises(TypeError, match="'bogus'"):
        deserialize_keras_object({}, bogus=1)


# --- lambdas and the safe mode ----------------------------------------------------------


def make_lambda_config():
    offset = 7
    fn = lambda x, y=1: x + y + offset  # noqa: E731
    with pytest.warns(UserWarning, match="safe_mode=False"):
        return json.loads(json.dumps(serialize_keras_object(fn)))


def test_lambdas_are_refused_unless_allowed():
    config = make_lambda_config()
    assert config["class_name"] == "__lambda__"
    for kwargs in ({}, {"safe_mode": True}, {"safe_mode": None}, {"safe_mode": 0}):
        with pytest.raises(ValueError, match="safe_mode=False"):
            deserialize_keras_object(config, **kwargs)
    assert deserialize_keras_object(config, safe_mode=False)(1) == 9
    assert deserialize_keras_object([{"a": config}], safe_mode=False)[0]["a"](1) == 9


def test_the_other_form_of_lambdas():
    with pytest.warns(UserWarning, match="lambda"):
        code, defaults, closure = lambda_parts(lambda x: x + 1)
    parts = {"code": code, "defaults": defaults, "closure": closure}
    with pytest.raises(ValueError, match="safe_mode=False"):
        restore_lambda(parts)
    config = {"class_name": "__lambda__", "config": parts}
    assert deserialize_keras_object(config, safe_mode=False)(1) == 2


def test_an_inner_call_cannot_loosen_the_mode():
    config = make_lambda_config()
    seen = []

    @register_keras_serializable("kops_test")
    class Loosening(Holder):
        @classmethod
        def from_config(cls, inner):
            seen.append(in_safe_mode())
            return cls(deserialize_keras_object(config, safe_mode=False))

    outer = {**through_json(Registered(1)), "config": {"value": through_json(Loosening())}}
    with pytest.raises(ValueError, match="safe_mode=False"):
        deserialize_keras_object(outer)
    deserialize_keras_object(outer, safe_mode=False)
    assert seen == [True, False]
    assert in_safe_mode(), "the mode ends with the call"


def test_the_mode_is_decided_at_the_beginning(monkeypatch):
    config = make_lambda_config()

    @register_keras_serializable("kops_test")
    class Flipping(Holder):
        @classmethod
        def from_config(cls, inner):
            monkeypatch.setattr(settings.STATE, "unsafe_deserialization", True)
            return cls()

    with pytest.raises(ValueError, match="safe_mode=False"):
        deserialize_keras_object([through_json(Flipping()), config])
    assert deserialize_keras_object(config)(1) == 9, "the next load sees the switch"


def test_safe_mode_scopes():
    with safe_mode_scope(False):
        assert not in_safe_mode()
        with safe_mode_scope(True):
            assert in_safe_mode()
            with safe_mode_scope(False):
                assert in_safe_mode()
        assert not in_safe_mode()
        seen = []
        thread = threading.Thread(target=lambda: seen.append(in_safe_mode()))
        thread.start()
        thread.join()
        assert seen == [True]
    for value in (True, None, 0):
        with safe_mode_scope(value):
            assert in_safe_mode()


# --- the other side -----------------------------------------------------------------------

ORACLE = """
import json, sys
import numpy as np
import keras

ours = json.load(open(sys.argv[1]))
read = {}
for name, config in ours.items():
    obj = keras.saving.deserialize_keras_object(config, safe_mode=False)
    read[name] = json.loads(json.dumps(keras.saving.serialize_keras_object(obj)))
x = keras.Input((4,))
written = {
    "seed": keras.random.SeedGenerator(3, name="g"),
    "reshape": keras.ops.reshape(x, (-1, 2))._keras_history.operation,
    "slice": (slice(1, None, 2), ...),
    "array": np.arange(3.0),
    "tensor": keras.ops.ones((2,)),
    "policy": None,
}
written = {k: keras.saving.serialize_keras_object(v) for k, v in written.items()}
json.dump({"read": read, "written": written}, open(sys.argv[2], "w"))
"""


@pytest.mark.slow
def test_exchange_with_keras(tmp_path):
    if importlib.util.find_spec("keras") is None:
        pytest.skip("keras is not installed")
    x = kops.KerasTensor((None, 4))
    objects = {
        "seed": kops.random.SeedGenerator(3, name="g"),
        "reshape": ops.reshape(x, (-1, 2))._keras_history.operation,
        "nested": {"a": [slice(0, 2), ..., b"ab"], "b": {"c": None}},
        "array": np.arange(3.0),
        "tensor": ops.ones((2,)),
        "concatenate": ops.concatenate([x, x], axis=1)._keras_history.operation,
    }
    configs = {name: through_json(obj) for name, obj in objects.items()}
    (tmp_path / "ours.json").write_text(json.dumps(configs))
    result = subprocess.run(
        [sys.executable, "-c", ORACLE, tmp_path / "ours.json", tmp_path / "theirs.json"],
        env=os.environ | {"KERAS_BACKEND": settings.backend(), "TF_CPP_MIN_LOG_LEVEL": "3"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert result.returncode == 0, result.stderr
    theirs = json.loads((tmp_path / "theirs.json").read_text())
    assert theirs["read"] == configs
    for name, config in theirs["written"].items():
        obj = serialization.deserialize_keras_object(config)
        assert through_json(obj) == config, name
