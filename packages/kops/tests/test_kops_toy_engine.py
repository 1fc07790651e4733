"""A new engine is a package with an entry point: here one of a few primitives.

The package is made in a temporary folder, as an installed distribution is, and a new
Python with `KERAS_BACKEND=toy` runs composites and a layer on it.
"""

import importlib.util
import os
import subprocess
import sys
import textwrap

import pytest

ENGINE = '''
"""An engine whose tensors wrap NumPy arrays: primitives only, no composites."""

import contextlib

import numpy as np
from kops.operators import Operators

NAME = "toy"
SCALAR_OPS = frozenset()
_DTYPES = {d: np.dtype(d) for d in ("bool", "uint32", "int32", "int64", "float32", "float64")}


class Tensor(Operators):
    def __init__(self, array):
        self.array = np.asarray(array)
        self.shape, self.dtype = self.array.shape, self.array.dtype

    def __repr__(self):
        return f"toy({self.array.tolist()})"


def native_dtype(dtype):
    if dtype not in _DTYPES:
        raise TypeError(f"toy has no dtype {dtype!r}.")
    return _DTYPES[dtype]


def is_tensor(x):
    return isinstance(x, Tensor)


def has_values(x):
    return True


def convert(x, dtype=None):
    array = to_numpy(x)
    if dtype is None and not hasattr(x, "dtype"):
        dtype = {"f": "float32", "i": "int32"}.get(array.dtype.kind)
    return Tensor(array if dtype is None else array.astype(native_dtype(dtype)))


def to_numpy(x):
    return x.array if isinstance(x, Tensor) else np.asarray(x)


def cast(x, dtype):
    return convert(x, dtype)


def dtype_of(x):
    return x.dtype.name


def shape_of(x):
    return x.shape


shape = shape_of


def new_state(value, dtype, trainable, name):
    return convert(value, dtype)


def read_state(holder):
    return holder


def write_state(holder, value):
    return value


def set_trainable(holder, trainable):
    pass


def stop_gradient(x):
    return x


def compile(fn, **options):
    return fn


def value_and_grad(fn, argnums, has_aux):
    raise NotImplementedError("toy computes no gradients")


def abstract_eval(fn, args, kwargs):
    raise NotImplementedError("toy evaluates nothing in the abstract")


def device_scope(name):
    return contextlib.nullcontext()


def on_arrays(fn):
    def call(*args, **kwargs):
        return Tensor(fn(*map(unwrap, args), **{k: unwrap(v) for k, v in kwargs.items()}))

    return call


def unwrap(x):
    return x.array if isinstance(x, Tensor) else x


TABLE = {
    "add": on_arrays(np.add),
    "subtract": on_arrays(np.subtract),
    "multiply": on_arrays(np.multiply),
    "divide": on_arrays(np.divide),
    "negative": on_arrays(np.negative),
    "maximum": on_arrays(np.maximum),
    "minimum": on_arrays(np.minimum),
    "clip": on_arrays(np.clip),
    "greater": on_arrays(np.greater),
    "greater_equal": on_arrays(np.greater_equal),
    "less": on_arrays(np.less),
    "where": on_arrays(np.where),
    "exp": on_arrays(np.exp),
    "log1p": on_arrays(np.log1p),
    "tanh": on_arrays(np.tanh),
    "absolute": on_arrays(np.absolute),
    "matmul": on_arrays(np.matmul),
    "cast": on_arrays(lambda x, dtype: x.astype(dtype)),
    "sum": on_arrays(lambda x, axis=None, keepdims=False: x.sum(axis, keepdims=keepdims)),
    "max": on_arrays(
        lambda x, axis=None, keepdims=False, initial=None: x.max(axis, keepdims=keepdims)
    ),
    "stop_gradient": on_arrays(lambda x: x),
}
'''

PRELUDE = """
import sys
import numpy as np
import kops
from kops import ops
from kops.backend import active

assert kops.config.backend() == active().NAME == "toy"
x = np.array([[-1.0, 0.5], [2.0, 0.0]], "float32")
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A folder as `pip install toy-engine` leaves one."""
    folder = tmp_path_factory.mktemp("site")
    (folder / "toy_engine.py").write_text(textwrap.dedent(ENGINE))
    info = folder / "toy_engine-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: toy-engine\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[kops.backends]\ntoy = toy_engine\n")
    return folder


@pytest.fixture
def run(site, tmp_path):
    def run(code, backend="toy"):
        env = os.environ | {
            "KERAS_BACKEND": backend,
            "KERAS_HOME": str(tmp_path),
            "PYTHONPATH": str(site),
        }
        return subprocess.run(
            [sys.executable, "-W", "error", "-c", PRELUDE + code if backend == "toy" else code],
            env=env,
            capture_output=True,
            text=True,
            timeout=120,
        )

    return run


def check(result):
    assert result.returncode == 0, result.stderr


def test_composites_run_on_the_primitives(run):
    check(
        run(
            """
y = ops.silu(x)
assert type(y) is active().Tensor and y.dtype == np.float32
np.testing.assert_allclose(y.array, x / (1 + np.exp(-x)), rtol=1e-6)
e = np.exp(x - x.max(-1, keepdims=True))
np.testing.assert_allclose(ops.softmax(x).array, e / e.sum(-1, keepdims=True), rtol=1e-6)
np.testing.assert_allclose(ops.relu6(x * 10).array, np.clip(x * 10, 0, 6))
assert ops.add(1, 2).dtype == np.int32
assert kops.Variable(x).assign_add(1).array.tolist() == (x + 1).tolist()
assert not {"jax", "torch", "tensorflow"} & sys.modules.keys()
"""
        )
    )


def test_shapes_are_inferred_without_the_engine(run):
    check(run("assert ops.softmax(kops.KerasTensor((None, 3))).shape == (None, 3)"))


@pytest.mark.skipif(importlib.util.find_spec("klayers") is None, reason="klayers is not installed")
def test_a_layer_runs(run):
    check(
        run(
            """
import klayers
layer = klayers.layers.Dense(3, activation="silu")
y = layer(x)
z = x @ layer.kernel.numpy() + layer.bias.numpy()
np.testing.assert_allclose(y.array, z / (1 + np.exp(-z)), rtol=1e-5)
inputs = klayers.Input((2,))
model = klayers.Model(inputs, layer(inputs))
np.testing.assert_array_equal(model(x).array, y.array)
"""
        )
    )


def test_a_missing_primitive_is_named(run):
    result = run("ops.cholesky(x)")
    text = result.stderr.strip().splitlines()[-1]
    assert result.returncode and "'toy'" in text and "'cholesky'" in text


def test_the_published_suite_tells_what_is_missing(run):
    check(
        run(
            """
from kops.testing import check_engine
report = check_engine("toy", ops=["add", "silu", "relu6", "softmax"])
assert not report.failures, str(report)
assert report.passed >= 12
assert "cholesky" in report.missing and "add" not in report.missing
assert not report.complete and "missing primitives" in str(report)
"""
        )
    )


def test_beside_another_engine(run):
    check(
        run(
            """
import numpy as np, kops
y = kops.on("toy").silu(np.ones(2, "float32"))
assert type(y).__module__ == "toy_engine", type(y)
assert isinstance(kops.ops.silu(np.ones(2, "float32")), np.ndarray)
""",
            backend="numpy",
        )
    )


def test_a_wrong_name_lists_the_plug_in(run):
    result = run("import kops", backend="tyo")
    text = result.stderr.strip().splitlines()[-1]
    assert result.returncode and "'tyo'" in text and "'toy'" in text
