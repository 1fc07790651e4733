"""Settings: where they come from, what is refused, and which engine is chosen."""

import json
import os
import subprocess
import sys

import pytest

from kops import config

VARIABLES = (
    "KERAS_BACKEND",
    "KERAS_FLOATX",
    "KERAS_EPSILON",
    "KERAS_IMAGE_DATA_FORMAT",
    "KERAS_MAX_EPOCHS",
    "KERAS_MAX_STEPS_PER_EPOCH",
)


def run(code, home, path=None, **environment):
    """Runs code in a new Python whose settings are only those given."""
    env = {k: v for k, v in os.environ.items() if k not in VARIABLES}
    env |= {"KERAS_HOME": str(home), "TF_CPP_MIN_LOG_LEVEL": "3"} | environment
    if path is not None:
        env["PYTHONPATH"] = str(path)
    return subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, timeout=120
    )


def output(*args, **kwargs):
    result = run(*args, **kwargs)
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


def error(*args, **kwargs):
    result = run(*args, **kwargs)
    assert result.returncode != 0
    return result.stderr.strip().splitlines()[-1]


# `kops.config` itself imports `kops`, which loads the engine; the module that chooses one
# can be run alone.
CHOOSE = (
    "import sys, types; package = types.ModuleType('kops');"
    "import importlib.util as u;"
    "package.__path__ = u.find_spec('kops').submodule_search_locations;"
    "sys.modules['kops'] = package;"
    "from kops import config;"
)


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


def write(home, content):
    home.mkdir(exist_ok=True)
    text = content if isinstance(content, str) else json.dumps(content)
    (home / "keras.json").write_text(text)
    return home / "keras.json"


def test_defaults(home):
    code = CHOOSE + (
        "print(config.floatx(), config.epsilon(), config.image_data_format(),"
        "config.max_epochs(), config.max_steps_per_epoch())"
    )
    assert output(code, home) == "float32 1e-07 channels_last None None"
    assert not home.exists(), "nothing may be written"


def test_file_is_read_and_the_environment_wins(home):
    write(
        home,
        {
            "backend": "numpy",
            "floatx": "float16",
            "epsilon": 1e-3,
            "image_data_format": "channels_first",
            "max_epochs": 3,
            "unknown": 1,
        },
    )
    code = CHOOSE + (
        "print(config.backend(), config.floatx(), config.epsilon(),"
        "config.image_data_format(), config.max_epochs())"
    )
    assert output(code, home) == "numpy float16 0.001 channels_first 3"
    got = output(code, home, KERAS_FLOATX="float64", KERAS_EPSILON="0.5", KERAS_MAX_EPOCHS="7")
    assert got == "numpy float64 0.5 channels_first 7"


@pytest.mark.parametrize(
    "variable, value, accepted",
    [
        ("KERAS_FLOATX", "float31", "'float32'"),
        ("KERAS_EPSILON", "tiny", "positive number"),
        ("KERAS_EPSILON", "-1", "positive number"),
        ("KERAS_IMAGE_DATA_FORMAT", "nhwc", "'channels_last'"),
        ("KERAS_MAX_EPOCHS", "1.5", "whole number"),
        ("KERAS_MAX_STEPS_PER_EPOCH", "-2", "whole number"),
    ],
)
def test_bad_variable_is_named(home, variable, value, accepted):
    text = error(CHOOSE, home, **{variable: value})
    assert text.startswith("ValueError")
    assert variable in text and repr(value) in text and accepted in text


@pytest.mark.parametrize("content", ["{", "[1]", '{"floatx": "float31"}', '{"epsilon": "x"}'])
def test_bad_file_is_named(home, content):
    path = write(home, content)
    text = error(CHOOSE, home)
    assert text.startswith("ValueError") and str(path) in text


def test_file_that_is_not_text_is_named(home):
    path = write(home, "")
    path.write_bytes(b"\xff\xfe\x00")
    assert str(path) in error(CHOOSE, home)


def test_wrong_backend_names_value_source_and_choices(home):
    text = error(CHOOSE + "config.backend()", home, KERAS_BACKEND="tensorflw")
    assert "ValueError" in text and "'tensorflw'" in text and "KERAS_BACKEND" in text
    assert all(repr(name) in text for name in ("jax", "torch", "tensorflow", "numpy"))
    path = write(home, {"backend": "theano"})
    text = error(CHOOSE + "config.backend()", home)
    assert "'theano'" in text and str(path) in text
    assert "KERAS_BACKEND" not in text


def test_wrong_backend_stops_the_import_of_kops(home):
    text = error("import kops", home, KERAS_BACKEND="nope")
    assert "'nope'" in text and "KERAS_BACKEND" in text


def test_missing_engine_names_the_extra(home):
    hide = (
        "import importlib.util, sys; find = importlib.util.find_spec;"
        "importlib.util.find_spec = lambda name, *a: None if name in HIDDEN else find(name, *a);"
    )
    code = CHOOSE + hide.replace("HIDDEN", "('jax',)") + "config.backend()"
    text = error(code, home, KERAS_BACKEND="jax")
    assert text.startswith("ImportError")
    assert 'pip install "keras-meta[jax]"' in text and "KERAS_BACKEND" in text


@pytest.mark.parametrize(
    "hidden, wanted",
    [
        ((), "tensorflow"),
        (("tensorflow",), "jax"),
        (("tensorflow", "jax"), "torch"),
        (("tensorflow", "jax", "torch"), "numpy"),
    ],
)
def test_first_installed_engine_in_order_and_none_is_imported(home, hidden, wanted):
    fake = (
        "import importlib.util, types, sys; find = importlib.util.find_spec;"
        f"hidden = {hidden!r};"
        "importlib.util.find_spec = lambda name, *a: None if name in hidden else"
        " types.SimpleNamespace(origin='x') if name in ('tensorflow', 'jax', 'torch')"
        " else find(name, *a);"
        "print(config.backend(), [m for m in ('tensorflow', 'jax', 'torch') if m in sys.modules])"
    )
    assert output(CHOOSE + fake, home) == f"{wanted} []"


def test_a_folder_that_has_an_engines_name_is_no_engine(home, tmp_path):
    (tmp_path / "path" / "jax").mkdir(parents=True)
    code = CHOOSE + (
        "import importlib.util, importlib.machinery;"
        "find = importlib.util.find_spec;"
        "finder = importlib.machinery.PathFinder;"
        f"folder = {str(tmp_path / 'path')!r};"
        "importlib.util.find_spec = lambda name: finder.find_spec(name, [folder]);"
        "print(config.is_installed('jax'))"
    )
    assert output(code, home) == "False"


def test_set_backend():
    config.set_backend(config.backend())
    other = "numpy" if config.backend() != "numpy" else "torch"
    if config.is_installed(other):
        with pytest.raises(RuntimeError, match="KERAS_BACKEND"):
            config.set_backend(other)
    with pytest.raises(ValueError, match="'nope'"):
        config.set_backend("nope")


@pytest.mark.parametrize(
    "set_value, get_value, good, bad",
    [
        (config.set_floatx, config.floatx, "float16", "float31"),
        (config.set_epsilon, config.epsilon, 1e-3, 0),
        (config.set_epsilon, config.epsilon, 1, "x"),
        (config.set_epsilon, config.epsilon, 1e-3, float("nan")),
        (config.set_image_data_format, config.image_data_format, "channels_first", "nchw"),
        (config.set_max_epochs, config.max_epochs, 2, -1),
        (config.set_max_steps_per_epoch, config.max_steps_per_epoch, 0, 1.5),
        (config.set_max_epochs, config.max_epochs, 2, True),
    ],
)
def test_setters_check(set_value, get_value, good, bad):
    before = get_value()
    try:
        set_value(good)
        assert get_value() == good
        with pytest.raises(ValueError, match="must be"):
            set_value(bad)
        assert get_value() == good, "a refused value must change nothing"
    finally:
        set_value(before)


def test_switches():
    assert config.is_flash_attention_enabled() is None
    assert config.is_nnx_enabled() is False
    for name in ("interactive_logging", "traceback_filtering"):
        is_on = getattr(config, f"is_{name}_enabled")
        assert is_on()
        getattr(config, f"disable_{name}")()
        assert not is_on()
        getattr(config, f"enable_{name}")()
        assert is_on()


def test_home(monkeypatch, tmp_path):
    monkeypatch.setenv("KERAS_HOME", str(tmp_path))
    assert config.home() == tmp_path
    monkeypatch.delenv("KERAS_HOME")
    assert config.home().name == ".keras"
