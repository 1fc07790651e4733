"""Initializers, regularizers and constraints: distributions, configs, names, against Keras."""

from __future__ import annotations

import json
import random
import zlib

import numpy as np
import pytest

import kops
from klayers import constraints, initializers, layers, regularizers

RNG = np.random.default_rng(11)
RANDOM = [
    ("GlorotUniform", {}),
    ("GlorotNormal", {}),
    ("LecunUniform", {}),
    ("LecunNormal", {}),
    ("HeUniform", {}),
    ("HeNormal", {}),
    ("RandomUniform", {"minval": -0.1, "maxval": 0.3}),
    ("RandomNormal", {"mean": 0.1, "stddev": 0.2}),
    ("TruncatedNormal", {"mean": 0.1, "stddev": 0.2}),
    ("VarianceScaling", {"scale": 2.0, "mode": "fan_out", "distribution": "uniform"}),
    ("VarianceScaling", {"mode": "fan_avg", "distribution": "untruncated_normal"}),
    ("VarianceScaling", {"input_axes": [0], "output_axes": [1, 2]}),
    ("Orthogonal", {"gain": 2.0}),
]
FIXED = [("Zeros", {}), ("Ones", {}), ("Constant", {"value": 3.0}), ("Identity", {})]


def numpy_of(x):
    return kops.ops.convert_to_numpy(x)


@pytest.mark.parametrize(("name", "kwargs"), RANDOM)
def test_random_ones_have_the_distribution_of_keras(oracle, name, kwargs):
    ours = getattr(initializers, name)(seed=1, **kwargs)
    theirs = getattr(oracle.keras.initializers, name)(seed=1, **kwargs)
    shape = (20, 30, 50)
    a = np.asarray(ours(shape))
    b = oracle.quiet(oracle.keras.ops.convert_to_numpy, theirs(shape))
    assert a.shape == b.shape
    assert a.dtype == b.dtype == np.float32
    spread = b.std()
    assert abs(a.mean() - b.mean()) < 0.03 * spread
    assert abs(a.std() / spread - 1) < 0.02
    assert abs(np.abs(a - a.mean()).max() / np.abs(b - b.mean()).max() - 1) < 0.35


@pytest.mark.parametrize(("name", "kwargs"), RANDOM + FIXED)
def test_configs(oracle, name, kwargs):
    ours = getattr(initializers, name)(**kwargs)
    theirs = getattr(oracle.keras.initializers, name)(**kwargs)
    config = json.loads(json.dumps(initializers.serialize(ours)))
    assert config == json.loads(json.dumps(oracle.keras.initializers.serialize(theirs)))
    assert initializers.serialize(initializers.deserialize(config)) == initializers.serialize(ours)
    oracle.quiet(oracle.keras.initializers.deserialize, config)


@pytest.mark.parametrize(("name", "kwargs"), FIXED)
def test_fixed_ones(oracle, name, kwargs):
    ours = np.asarray(getattr(initializers, name)(**kwargs)((4, 3), "float16"))
    theirs = getattr(oracle.keras.initializers, name)(**kwargs)((4, 3), "float16")
    theirs = oracle.quiet(oracle.keras.ops.convert_to_numpy, theirs)
    np.testing.assert_array_equal(ours, theirs)
    assert ours.dtype == theirs.dtype


def test_the_identity_keeps_its_gain():
    twice = initializers.Identity(gain=2.0)
    assert np.asarray(twice.clone()((2, 2))).tolist() == [[2.0, 0.0], [0.0, 2.0]]


@pytest.mark.parametrize("side", ["real", "imag"])
@pytest.mark.parametrize("scaling", ["density", "spectrum", None])
@pytest.mark.parametrize("periodic", [False, True])
def test_stft(oracle, side, scaling, periodic):
    kwargs = {"side": side, "scaling": scaling, "periodic": periodic}
    ours = np.asarray(initializers.STFT(**kwargs)((8, 1, 5)))
    theirs = oracle.keras.initializers.STFT(**kwargs)((8, 1, 5))
    theirs = oracle.quiet(oracle.keras.ops.convert_to_numpy, theirs)
    np.testing.assert_allclose(ours, theirs, atol=1e-5)


# Checksums of the first bytes: the same on every engine, because the host draws.
SAME_EVERYWHERE = {
    "GlorotUniform": 1943025870,
    "HeNormal": 2439651454,
    "RandomNormal": 3531943625,
    "RandomUniform": 3417392531,
    "TruncatedNormal": 2159952471,
}


@pytest.mark.parametrize("name", SAME_EVERYWHERE)
def test_one_seed_one_value_on_every_engine(name):
    value = np.asarray(getattr(initializers, name)(seed=7)((5, 4), "float32"))
    assert zlib.crc32(value.tobytes()) == SAME_EVERYWHERE[name]
    again = np.asarray(getattr(initializers, name)(seed=7)((5, 4), "float32"))
    np.testing.assert_array_equal(value, again)


def test_seeds():
    one = initializers.GlorotUniform(seed=3)
    np.testing.assert_array_equal(one((3, 3)), one((3, 3)))
    unseeded = initializers.GlorotUniform()
    np.testing.assert_array_equal(unseeded((3, 3)), unseeded((3, 3)))
    assert not np.array_equal(unseeded((3, 3)), unseeded.clone()((3, 3)))
    generator = initializers.GlorotUniform(seed=kops.random.SeedGenerator(3))
    assert not np.array_equal(generator((3, 3)), generator((3, 3)))
    with pytest.raises(ValueError, match="seed"):
        initializers.GlorotUniform(seed="a")


def test_set_random_seed_decides_the_weights():
    def kernels():
        kops.random.set_random_seed(5)
        built = [layers.Dense(3), layers.Dense(3), layers.LSTM(2)]
        for layer, shape in zip(built, [(1, 4), (1, 4), (1, 2, 4)], strict=True):
            layer.build(shape)
        return [w.numpy() for layer in built for w in layer.weights]

    state = random.getstate()
    try:
        first, second = kernels(), kernels()
    finally:
        random.setstate(state)
    for a, b in zip(first, second, strict=True):
        np.testing.assert_array_equal(a, b)
    assert not np.array_equal(first[0], first[2])


def test_orthogonal_is_orthogonal():
    for shape in [(6, 4), (4, 6), (3, 2, 5)]:
        w = np.asarray(initializers.Orthogonal(seed=1)(shape)).reshape(-1, shape[-1])
        gram = w.T @ w if w.shape[0] >= w.shape[1] else w @ w.T
        np.testing.assert_allclose(gram, np.eye(len(gram)), atol=1e-5)


def test_names_and_values():
    for name in (
        "uniform",
        "normal",
        "zeros",
        "one",
        "glorot_uniform",
        "HeNormal",
        "identity",
        "STFT",
    ):
        assert isinstance(initializers.get(name), initializers.Initializer)
    assert initializers.get(None) is None
    assert isinstance(initializers.get(initializers.Zeros), initializers.Zeros)
    layer = layers.Dense(2, kernel_initializer=np.ones((3, 2), "float32"))
    layer.build((None, 3))
    np.testing.assert_array_equal(layer.kernel.numpy(), np.ones((3, 2)))
    layer = layers.Dense(2, kernel_initializer=lambda shape, dtype=None: np.full(shape, 4.0, dtype))
    layer.build((None, 3))
    assert float(layer.kernel.numpy()[0, 0]) == 4.0


@pytest.mark.parametrize("get", [initializers.get, regularizers.get, constraints.get])
@pytest.mark.parametrize("wrong", ["nope", 3, [1]])
def test_unknown_identifiers_are_named(get, wrong):
    with pytest.raises(ValueError, match="identifier"):
        get(wrong)


@pytest.mark.parametrize(
    ("name", "kwargs", "message"),
    [
        ("VarianceScaling", {"scale": 0.0}, "scale"),
        ("VarianceScaling", {"mode": "x"}, "mode"),
        ("VarianceScaling", {"distribution": "x"}, "distribution"),
        ("STFT", {"side": "x"}, "side"),
    ],
)
def test_arguments_are_checked(name, kwargs, message):
    with pytest.raises(ValueError, match=message):
        getattr(initializers, name)(**kwargs)


@pytest.mark.parametrize(
    ("name", "kwargs"),
    [
        ("L1", {}),
        ("L1", {"l1": 0.3}),
        ("L2", {"l2": 0.3}),
        ("L1L2", {"l1": 0.1, "l2": 0.2}),
        ("OrthogonalRegularizer", {}),
        ("OrthogonalRegularizer", {"factor": 0.1}),
    ],
)
def test_regularizers(oracle, name, kwargs):
    x = RNG.normal(size=(4, 4)).astype("float32")
    ours, theirs = (
        getattr(regularizers, name)(**kwargs),
        getattr(oracle.keras.regularizers, name)(**kwargs),
    )
    expected = float(
        oracle.quiet(oracle.keras.ops.convert_to_numpy, theirs(kops.ops.convert_to_tensor(x)))
    )
    np.testing.assert_allclose(float(numpy_of(ours(x))), expected, rtol=1e-5)
    assert regularizers.serialize(ours) == oracle.keras.regularizers.serialize(theirs)
    again = regularizers.deserialize(
        json.loads(json.dumps(oracle.keras.regularizers.serialize(theirs)))
    )
    assert regularizers.serialize(again) == regularizers.serialize(ours)


def test_orthogonal_regularizer_of_columns_and_of_wide_matrices():
    x = RNG.normal(size=(3, 5)).astype("float32")
    rows = x / np.linalg.norm(x, axis=1, keepdims=True)
    pairs = [abs(rows[i] @ rows[j]) for i in range(3) for j in range(i)]
    by_rows = regularizers.OrthogonalRegularizer(1.0)
    by_columns = regularizers.OrthogonalRegularizer(1.0, mode="columns")
    np.testing.assert_allclose(float(numpy_of(by_rows(x))), np.mean(pairs), rtol=1e-5)
    np.testing.assert_allclose(float(numpy_of(by_columns(x.T.copy()))), np.mean(pairs), rtol=1e-5)
    with pytest.raises(ValueError, match="rank 2"):
        by_rows(x[0])
    with pytest.raises(ValueError, match="mode"):
        regularizers.OrthogonalRegularizer(mode="x")
    with pytest.raises(ValueError, match="l1"):
        regularizers.L1(float("nan"))


@pytest.mark.parametrize(
    ("name", "kwargs"),
    [
        ("MaxNorm", {"max_value": 1.0}),
        ("MaxNorm", {"axis": [0, 1]}),
        ("NonNeg", {}),
        ("UnitNorm", {"axis": 1}),
        ("MinMaxNorm", {"min_value": 0.5, "max_value": 1.0, "rate": 0.5}),
        ("MinMaxNorm", {}),
    ],
)
def test_constraints(oracle, name, kwargs):
    w = RNG.normal(size=(4, 3)).astype("float32")
    ours, theirs = (
        getattr(constraints, name)(**kwargs),
        getattr(oracle.keras.constraints, name)(**kwargs),
    )
    expected = oracle.quiet(
        oracle.keras.ops.convert_to_numpy, theirs(kops.ops.convert_to_tensor(w))
    )
    np.testing.assert_allclose(numpy_of(ours(w)), expected, atol=1e-6)
    assert constraints.serialize(ours) == oracle.keras.constraints.serialize(theirs)
    again = constraints.deserialize(oracle.keras.constraints.serialize(theirs))
    assert constraints.serialize(again) == constraints.serialize(ours)


def test_a_weight_of_zeros_has_a_finite_constraint():
    for constraint in (constraints.UnitNorm(), constraints.MaxNorm(), constraints.MinMaxNorm()):
        assert np.isfinite(numpy_of(constraint(np.zeros((3, 2), "float32")))).all()
