"""Random numbers: their moments, their seeds, and what is refused."""

import math

import numpy as np
import pytest

import kops
from kops import Variable, ops, random
from kops.random import SeedGenerator, host

N = 40_000
HOST_UNIFORM = [0.3152429461479187, 0.032953083515167236, 0.4594264030456543]
HOST_NORMAL = [-0.5344727635383606, -0.04440538212656975, 0.27616333961486816]


def numpy(x):
    return ops.convert_to_numpy(x).astype("float64")


# name, draw, mean, standard deviation, least, greatest
DISTRIBUTIONS = [
    ("uniform", lambda s, seed, d: random.uniform(s, 1.0, 3.0, d, seed), 2, 2 / 12**0.5, 1, 3),
    ("normal", lambda s, seed, d: random.normal(s, 1.0, 2.0, d, seed), 1, 2, None, None),
    (
        "truncated_normal",
        lambda s, seed, d: random.truncated_normal(s, 1.0, 2.0, d, seed),
        1,
        2 * 0.8796,
        -3,
        5,
    ),
    ("gamma", lambda s, seed, d: random.gamma(s, 2.5, d, seed), 2.5, 2.5**0.5, 0, None),
    ("beta", lambda s, seed, d: random.beta(s, 2.0, 3.0, d, seed), 0.4, 0.2, 0, 1),
    ("binomial", lambda s, seed, d: random.binomial(s, 10, 0.3, d, seed), 3, 2.1**0.5, 0, 10),
]
IDS = [d[0] for d in DISTRIBUTIONS]


@pytest.mark.parametrize("name, draw, mean, std, low, high", DISTRIBUTIONS, ids=IDS)
def test_moments(name, draw, mean, std, low, high):
    x = numpy(draw((N,), 1337, "float32"))
    assert abs(x.mean() - mean) < 5 * std / math.sqrt(N)
    assert abs(x.std() - std) < 0.03 * std
    if low is not None:
        assert x.min() >= low
    if high is not None:
        assert x.max() <= high


@pytest.mark.parametrize("draw", [d[1] for d in DISTRIBUTIONS], ids=IDS)
@pytest.mark.parametrize(
    "shape, dtype",
    # JAX takes seconds to compile some of them for a new shape.
    [((2, 0), "float32"), ((N,), "float16"), ((N,), "bfloat16")],
)
def test_dtypes(draw, shape, dtype):
    x = draw(shape, 3, dtype)
    assert tuple(x.shape) == shape
    assert kops.backend.active().dtype_of(x) == dtype


@pytest.mark.parametrize("draw", [d[1] for d in DISTRIBUTIONS[:3]], ids=IDS[:3])
@pytest.mark.parametrize("shape", [(), (0,), (2, 3), 4, [2, 1], np.int64(2)])
def test_shapes(draw, shape):
    x = draw(shape, 3, "float32")
    assert tuple(x.shape) == np.empty(shape).shape


@pytest.mark.parametrize("draw", [d[1] for d in DISTRIBUTIONS], ids=IDS)
def test_seeds(draw):
    def draws(seed):
        return numpy(draw((N,), seed, "float32"))

    np.testing.assert_array_equal(draws(5), draws(5))
    np.testing.assert_array_equal(draws(5), draws(np.int64(5)))
    assert (draws(5) != draws(6)).any()
    assert (draws(None) != draws(None)).any()
    generator = SeedGenerator(5)
    first, second = draws(generator), draws(generator)
    assert (first != second).any()
    again = SeedGenerator(5)
    np.testing.assert_array_equal(first, draws(again))
    np.testing.assert_array_equal(second, draws(again))


def test_default_dtype_follows_floatx():
    kops.config.set_floatx("float16")
    try:
        assert kops.backend.active().dtype_of(random.normal((2,), seed=1)) == "float16"
    finally:
        kops.config.set_floatx("float32")


def test_tensor_parameters():
    x = numpy(random.uniform((N, 2), ops.convert_to_tensor([0.0, 10.0]), 20.0, seed=1))
    np.testing.assert_allclose(x.min(axis=0), [0, 10], atol=0.1)
    x = numpy(random.gamma((N, 2), np.array([1.0, 4.0], "float32"), seed=1))
    np.testing.assert_allclose(x.mean(axis=0), [1, 4], rtol=0.05)
    x = numpy(random.binomial((N, 2), np.array([4.0, 8.0], "float32"), 0.5, seed=1))
    np.testing.assert_allclose(x.mean(axis=0), [2, 4], rtol=0.05)


def test_randint():
    x = numpy(random.randint((N,), -3, 5, seed=1))
    assert set(np.unique(x)) == set(range(-3, 5))
    assert np.bincount((x + 3).astype("int64")).min() > 0.9 * N / 8
    for dtype in ("uint8", "int16", "int32"):
        y = random.randint((3,), 0, 100, dtype, seed=1)
        assert kops.backend.active().dtype_of(y) == dtype


def test_categorical():
    logits = np.log(np.array([[0.2, 0.3, 0.5], [1.0, 1e-30, 1e-30]], "float32"))
    x = numpy(random.categorical(logits, N, seed=1))
    assert x.shape == (2, N)
    shares = np.bincount(x[0].astype("int64"), minlength=3) / N
    np.testing.assert_allclose(shares, [0.2, 0.3, 0.5], atol=0.02)
    assert (x[1] == 0).all()
    assert tuple(random.categorical(np.zeros((0, 3), "float32"), 2, seed=1).shape) == (0, 2)


def test_dropout():
    x = ops.ones((200, 200))
    y = numpy(random.dropout(x, 0.25, seed=1))
    assert set(np.unique(y)) == {0.0, np.float64(np.float32(1 / 0.75))}
    assert abs((y == 0).mean() - 0.25) < 0.01
    rows = numpy(random.dropout(x, 0.5, noise_shape=(None, 1), seed=1))
    assert (rows == rows[:, :1]).all() and len(np.unique(rows)) == 2
    np.testing.assert_array_equal(numpy(random.dropout(x, 0.0)), numpy(x))
    np.testing.assert_array_equal(numpy(random.dropout(x, 1.0)), 0 * numpy(x))
    assert tuple(random.dropout(ops.zeros((0, 3)), 0.5, seed=1).shape) == (0, 3)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_dropout_keeps_the_dtype(dtype):
    x = ops.cast(ops.ones((4, 4)), dtype)
    assert kops.backend.active().dtype_of(random.dropout(x, 0.5, seed=1)) == dtype


def test_shuffle():
    x = np.arange(12).reshape(3, 4).astype("int32")
    y = numpy(random.shuffle(x, axis=1, seed=3))
    assert sorted(map(tuple, y.T)) == sorted(map(tuple, x.T))
    big = numpy(random.shuffle(np.arange(1000), seed=3))
    assert (np.sort(big) == np.arange(1000)).all() and (big != np.arange(1000)).sum() > 900
    assert tuple(random.shuffle(np.zeros((0, 3)), seed=1).shape) == (0, 3)


def test_symbolic_arguments():
    x = kops.KerasTensor((None, 3))
    for y, shape in [
        (random.dropout(x, 0.5, seed=1), (None, 3)),
        (random.dropout(x, 0.5, noise_shape=(None, 1), seed=1), (None, 3)),
        (random.categorical(x, 5, seed=1), (None, 5)),
        (random.shuffle(x, seed=1), (None, 3)),
        (random.normal((ops.shape(x)[0], 2), seed=1), (None, 2)),
    ]:
        assert isinstance(y, kops.KerasTensor) and y.shape == shape


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: random.uniform((2,), dtype="int32"), "floating point `dtype`"),
        (lambda: random.normal((2,), dtype="int32"), "floating point `dtype`"),
        (lambda: random.gamma((2,), 1.0, dtype="int32"), "floating point `dtype`"),
        (lambda: random.randint((2,), 0, 5, dtype="float32"), "integer `dtype`"),
        (lambda: random.randint((2,), 5, 5), "`maxval` must be greater"),
        (lambda: random.normal((-1,)), "`shape`"),
        (lambda: random.normal((None, 2)), "`shape`"),
        (lambda: random.normal(None), "`shape`"),
        (lambda: random.normal((2,), seed="a"), "`seed`"),
        (lambda: random.normal((2,), seed=1.5), "`seed`"),
        (lambda: random.normal((2,), seed=-1), "`seed`"),
        (lambda: random.normal((2,), seed=2**32), "`seed`"),
        (lambda: random.normal((2,), seed=True), "`seed`"),
        (lambda: random.categorical(np.zeros(3), 2), "2-D"),
        (lambda: random.categorical(np.zeros((1, 2, 3)), 2), "2-D"),
        (lambda: random.dropout(np.ones(3, "float32"), 1.5), "`rate`"),
        (lambda: random.dropout(np.ones((3, 2), "float32"), 0.5, (3,)), "`noise_shape`"),
        (lambda: random.shuffle(np.ones((3, 2)), axis=2), "`axis`"),
        (lambda: random.gamma((2,), -1.0), "`alpha` must be positive"),
        (lambda: random.beta((2,), 1.0, 0.0), "`beta` must be positive"),
        (lambda: random.binomial((2,), -1, 0.5), "`counts`"),
        (lambda: random.binomial((2,), 1, 1.5), "`probabilities`"),
        (lambda: SeedGenerator(1.5), "`seed` must be an integer"),
        (lambda: SeedGenerator(-1), "`seed` must be at least 0"),
        (lambda: SeedGenerator(1, bogus=2), "bogus"),
        (lambda: random.set_random_seed("a"), "`seed` must be an integer"),
    ],
)
def test_bad_arguments(call, message):
    with pytest.raises(ValueError, match=message):
        call()


# --- the state ----------------------------------------------------------------------


def test_seed_generator_state():
    generator = SeedGenerator(3, name="g")
    state = generator.state
    assert (state.name, state.path) == ("seed_generator_state", "g/seed_generator_state")
    assert (state.shape, state.dtype, state.trainable) == ((2,), "uint32", False)
    seeds = [ops.convert_to_numpy(generator.next()).tolist() for _ in range(3)]
    assert seeds == [[3, 0], [3, 1], [3, 2]]
    assert state.numpy().tolist() == [3, 3]
    state.assign([7, 2**32 - 1])
    assert ops.convert_to_numpy(generator.next()).tolist() == [7, 2**32 - 1]
    assert state.numpy().tolist() == [7, 0], "the counter wraps around"


def test_seed_generator_config():
    generator = SeedGenerator(3, name="g")
    assert generator.get_config() == {"seed": 3, "name": "g"}
    copy = SeedGenerator.from_config(generator.get_config())
    assert copy.state.numpy().tolist() == [3, 0]
    assert SeedGenerator().get_config()["seed"] is None


def test_stateless_scope_carries_the_counter():
    generator = SeedGenerator(3)
    start = ops.convert_to_tensor(np.array([9, 4], "uint32"))
    with kops.StatelessScope(state_mapping=[(generator.state, start)]) as scope:
        first = numpy(random.uniform((3,), seed=generator))
        second = numpy(random.uniform((3,), seed=generator))
    assert (first != second).any()
    assert ops.convert_to_numpy(scope.get_current_value(generator.state)).tolist() == [9, 6]
    assert generator.state.numpy().tolist() == [3, 0]


def test_unseeded_inside_a_stateless_scope_is_an_error():
    with kops.StatelessScope(), pytest.raises(ValueError, match="SeedGenerator"):
        random.normal((2,))


def test_inferring_shapes_draws_nothing():
    generator = SeedGenerator(3)
    with kops.SymbolicScope():
        x = random.normal((2, 3), seed=generator)
    assert x.shape == (2, 3)
    assert generator.state.numpy().tolist() == [3, 0]


def test_compiled_with_state():
    """One compiled function, new numbers at every call."""
    generator = SeedGenerator(3)
    engine = kops.backend.active()

    def step(state):
        with kops.StatelessScope(state_mapping=[(generator.state, state)]) as scope:
            x = random.normal((4,), seed=generator)
        return x, scope.get_current_value(generator.state)

    compiled = engine.compile(step)
    state = ops.convert_to_tensor(np.array([3, 0], "uint32"))
    a, state = compiled(state)
    b, state = compiled(state)
    np.testing.assert_allclose(numpy(a), numpy(random.normal((4,), seed=3)), rtol=1e-6)
    assert (numpy(a) != numpy(b)).any()
    assert ops.convert_to_numpy(state).tolist() == [3, 2]


def test_set_random_seed():
    import random as python_random

    def everything():
        random.set_random_seed(12)
        return (
            python_random.random(),
            np.random.rand(),
            numpy(random.normal((3,))).tolist(),
            SeedGenerator().state.numpy().tolist(),
            random.make_default_seed(),
        )

    assert everything() == everything()


# --- on the host --------------------------------------------------------------------


@pytest.mark.parametrize("size", [10, 300_000, 1_500_000])
def test_host_moments(size):
    tolerance = 6 / math.sqrt(size)
    x = host.uniform(1, (size,), -1.0, 1.0)
    assert abs(x.mean()) < tolerance and x.min() >= -1 and x.max() <= 1
    x = host.normal(1, (size,), 1.0, 2.0)
    assert abs(x.mean() - 1) < 2 * tolerance and abs(x.std() - 2) < 2 * tolerance
    x = host.truncated_normal(1, (size,), 1.0, 2.0)
    assert x.min() >= -3 and x.max() <= 5 and abs(x.std() - 1.7593) < 2 * tolerance


def test_host_numbers_do_not_change():
    """Weights of a seed are the same in every version, on every engine and thread count."""
    np.testing.assert_array_equal(host.uniform(42, (3,)), np.array(HOST_UNIFORM, "float32"))
    np.testing.assert_allclose(host.normal(42, (3,)), HOST_NORMAL, rtol=1e-6)
    big = host.uniform(42, (1 << 20,))
    np.testing.assert_array_equal(big[:3], np.array(HOST_UNIFORM, "float32"))


def test_host_blocks_do_not_depend_on_threads(monkeypatch):
    shape = (1_300_000,)
    threaded = host.normal(5, shape)
    monkeypatch.setattr(host, "_THREADED_BLOCKS", 1 << 30)
    np.testing.assert_array_equal(threaded, host.normal(5, shape))
    assert len(np.unique(threaded[: 1 << 18][:1000])) > 990
    assert (threaded[:1000] != threaded[1 << 18 :][:1000]).all(), "blocks differ"


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize("shape", [(), (0, 3), (2, 3)])
def test_host_dtypes_and_shapes(dtype, shape):
    for draw in (host.uniform, host.normal, host.truncated_normal):
        x = draw(3, shape, dtype=dtype)
        assert (x.shape, x.dtype.name) == (shape, dtype)


def test_host_bad_arguments():
    with pytest.raises(ValueError, match="`seed`"):
        host.uniform(-1, (2,))
    with pytest.raises(ValueError, match="`dtype`"):
        host.normal(1, (2,), dtype="int32")
    host.uniform(1 << 64, (2,))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize("shape", [(), (0,), (1,), (3, 5), (2, 0, 3), (7, 1 << 17)])
def test_host_shapes_and_dtypes(dtype, shape):
    for draw in (host.uniform, host.normal, host.truncated_normal):
        x = draw(5, shape, dtype=dtype)
        assert x.shape == shape and x.dtype.name == dtype and x.flags.writeable


def test_a_variable_never_shares_memory_with_the_callers_array():
    """Only arrays of initializers that give new ones are taken over uncopied."""
    stored = host.uniform(1, (256, 256))
    before = stored.copy()
    for initial in (stored, lambda shape, dtype, kept=stored: kept):
        variable = Variable(initial, shape=stored.shape, dtype="float32")
        variable.assign_add(np.ones_like(stored))
        np.testing.assert_array_equal(stored, before)
        stored += 1
        np.testing.assert_allclose(variable.numpy(), before + 1, atol=1e-6)
        stored -= 1
        stored[...] = before
