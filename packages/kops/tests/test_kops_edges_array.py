"""Edge rules of the array ops, the same on every engine: all engines in one process."""

import math

import numpy as np
import pytest

import kops
from kops import config, ops
from kops.backend import engine as load
from kops.op import _on
from kops.testing import installed_engines

ACTIVE = config.backend()
ENGINES = installed_engines() if ACTIVE == "numpy" else [ACTIVE]
TRAINING = [e for e in ENGINES if e != "numpy"]
INF, NAN = math.inf, math.nan


@pytest.fixture(params=ENGINES)
def name(request):
    return request.param


@pytest.fixture
def k(name):
    """The ops on one engine."""
    return kops.on(name)


@pytest.fixture
def tensor(name):
    return load(name).convert


def values(x):
    """A result of any engine as an array that NumPy can compare."""
    x = load(_engine_of(x)).to_numpy(x)
    return x.astype("float32") if x.dtype.name == "bfloat16" else x


def _engine_of(x):
    for e in ENGINES:
        if load(e).is_tensor(x):
            return e
    return "numpy"


def same(got, wanted, dtype=None, **tolerance):
    got = values(got)
    assert got.shape == np.shape(wanted)
    np.testing.assert_allclose(got, wanted, **{"rtol": 1e-6, "atol": 1e-6} | tolerance)
    assert dtype is None or str(got.dtype) == dtype


# -- reductions of nothing ---------------------------------------------------------------


def test_sums_and_products_of_nothing(k):
    x = np.zeros((0, 3), "float32")
    same(k.sum(x, axis=0), [0, 0, 0])
    same(k.prod(x, axis=0), [1, 1, 1])
    same(k.any(x, axis=0), [False] * 3)
    same(k.all(x, axis=0), [True] * 3)
    same(k.sum(x), 0)
    assert np.isnan(values(k.mean(x, axis=0))).all()
    assert np.isnan(values(k.var(x, axis=0))).all()


@pytest.mark.parametrize("op", ["max", "min"])
def test_extremes_of_nothing_need_initial(k, op):
    x = np.zeros((0, 3), "float32")
    same(getattr(k, op)(x, axis=0, initial=-1), [-1, -1, -1])
    same(getattr(k, op)(x, axis=0, keepdims=True, initial=-1), [[-1, -1, -1]])
    assert values(getattr(k, op)(x, axis=1)).shape == (0,)
    for fault in (x, kops.KerasTensor((0, 3))):
        with pytest.raises(ValueError, match="initial"):
            getattr(k, op)(fault, axis=0)


@pytest.mark.parametrize("op", ["argmax", "argmin"])
def test_positions_of_nothing(k, op):
    for fault in (np.zeros((0, 3), "float32"), kops.KerasTensor((0, 3))):
        with pytest.raises(ValueError):
            getattr(k, op)(fault, axis=0)


# -- NaN -----------------------------------------------------------------------------------


# Comparing NaN in bfloat16 makes NumPy warn.
@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_nan(k, tensor, dtype):
    x = tensor(np.asarray([1, NAN, 3, NAN, -INF, INF], "float32"), dtype)
    same(k.argmax(x), 1, "int32")
    same(k.argmin(x), 1, "int32")
    assert np.isnan(values(k.max(x)))
    assert np.isnan(values(k.min(x)))
    same(k.sign(x), [1, NAN, 1, NAN, -1, 1])
    same(k.sort(x), [-INF, 1, 3, INF, NAN, NAN])
    same(k.argsort(x), [4, 0, 2, 5, 1, 3])
    same(k.maximum(x, 2.0), [2, NAN, 3, NAN, 2, INF])
    same(k.isnan(x), [False, True, False, True, False, False])


def test_isclose_of_infinities(k):
    same(k.isclose([INF, -INF, INF], [INF, -INF, -INF]), [True, True, False])
    same(k.isclose([NAN, 1.0], [NAN, 1.0], equal_nan=True), [True, True])


def test_nancumprod_keeps_infinity(k):
    same(k.nancumprod([1.0, NAN, INF, 2.0]), [1, 1, INF, INF])


def test_nan_to_num_takes_the_limits_of_the_dtype(k):
    wanted = [0, np.finfo("float32").max, np.finfo("float32").min]
    same(k.nan_to_num(np.asarray([NAN, INF, -INF], "float32")), wanted)


# -- integers in float ops, dtypes ------------------------------------------------------------

FLOAT_OPS = ["sqrt", "exp", "log1p", "sin", "mean", "var", "logsumexp", "erf", "rsqrt", "floor"]


@pytest.mark.parametrize("op", FLOAT_OPS)
@pytest.mark.parametrize("dtype", ["bool", "uint8", "int8", "int16", "int32"])
def test_integers_become_floatx(k, op, dtype):
    x = np.ones((2, 3), dtype)
    assert values(getattr(k, op)(x)).dtype == "float32"
    assert getattr(ops, op)(kops.KerasTensor((2, 3), dtype)).dtype == "float32"


ALL_DTYPES = "bool uint8 int8 int16 uint16 int32 uint32 int64 float16 bfloat16 float32".split()
KEEP = ["add", "multiply", "maximum", "minimum"]
BINARY = [*KEEP, "subtract", "divide", "floor_divide", "mod", "power", "equal", "less", "matmul"]
UNARY = ["absolute", "sign", "square", "max", "sum", "prod", "argmax", "cumsum", "sort", "argsort"]
UNARY += ["any", "isnan", "round", "trunc", "transpose", "tril", "flip", "nan_to_num", "ones_like"]


@pytest.mark.filterwarnings("ignore:.*:RuntimeWarning")
@pytest.mark.parametrize("dtype", ALL_DTYPES)
@pytest.mark.parametrize("op", BINARY + UNARY)
def test_the_dtype_of_the_spec_is_that_of_the_result(op, dtype):
    # On the engine of the run only: there are many, and each engine has its run.
    if dtype == "bool" and op == "sign":
        return  # NumPy has none
    eng = load(ACTIVE)
    x = eng.convert(np.ones((2, 2), "int32"), dtype)
    arguments = [x, x] if op in BINARY else [x]
    found = eng.dtype_of(getattr(ops, op)(*arguments))
    kind = eng.dtype_of(x)  # JAX has no int64 by default
    assert found == getattr(ops, op)(*[kops.KerasTensor((2, 2), kind)] * len(arguments)).dtype


@pytest.mark.parametrize(
    ("a", "b", "wanted"),
    [
        ("float16", "bfloat16", "float32"),
        ("int32", "float16", "float16"),
        ("int8", "uint8", "int16"),
        ("bool", "int8", "int8"),
        ("int32", "bfloat16", "bfloat16"),
    ],
)
def test_promotion_does_not_depend_on_the_order(name, k, tensor, a, b, wanted):
    x, y = tensor(np.ones(2), a), tensor(np.ones(2), b)
    assert load(name).dtype_of(k.add(x, y)) == wanted
    assert load(name).dtype_of(k.add(y, x)) == wanted


def test_python_numbers_are_weak(name, k, tensor):
    dtype_of = load(name).dtype_of
    for dtype in ("float16", "bfloat16", "float32"):
        assert dtype_of(k.multiply(tensor(np.ones(2), dtype), 0.5)) == dtype
        assert dtype_of(k.add(1, tensor(np.ones(2), dtype))) == dtype
    assert dtype_of(k.add(tensor(np.ones(2), "uint8"), 1)) == "uint8"
    assert dtype_of(k.add(tensor(np.ones(2), "int32"), 0.5)) == "float32"


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_low_precision_accumulates_in_float32(k, tensor, dtype):
    # 4096 ones added up in float16 or bfloat16 themselves stop at 2048 or 256.
    ones = tensor(np.ones((4096, 2), "float32"), dtype)
    same(k.sum(ones, axis=0), [4096, 4096])
    same(k.mean(ones, axis=0), [1, 1])
    same(k.var(ones, axis=0), [0, 0])
    same(k.mean(tensor(np.full(70000, 2, "float32"), dtype)), 2)
    same(k.logsumexp(tensor(np.zeros(4096), dtype)), math.log(4096), rtol=1e-2)


def test_wide_integers(name, k):
    big = np.asarray([2**40 + 1, 2**33], "int64")
    if name == "jax":
        with pytest.raises(OverflowError, match="jax_enable_x64"):
            k.add(big, 1)
        return
    same(k.add(big, 1), big + 1, "int64")
    same(k.equal(big, big), [True, True])
    same(k.max(big), 2**40 + 1, "int64")


# -- axes ----------------------------------------------------------------------------------

WRONG_AXES = [
    ("sum", {"axis": 2}),
    ("sum", {"axis": (0, -2)}),
    ("mean", {"axis": -3}),
    ("prod", {"axis": (1, 1)}),
    ("max", {"axis": 2}),
    ("argmax", {"axis": 2}),
    ("cumsum", {"axis": 2}),
    ("flip", {"axis": 2}),
    ("sort", {"axis": 2}),
    ("argsort", {"axis": -3}),
    ("expand_dims", {"axis": 4}),
    ("squeeze", {"axis": 2}),
    ("transpose", {"axes": (0, 0)}),
    ("transpose", {"axes": (0, 2)}),
    ("moveaxis", {"source": 2, "destination": 0}),
    ("swapaxes", {"axis1": 0, "axis2": 2}),
    ("repeat", {"repeats": 2, "axis": 2}),
    ("roll", {"shift": 1, "axis": 2}),
    ("split", {"indices_or_sections": 1, "axis": 2}),
    ("logsumexp", {"axis": 2}),
    ("take", {"indices": np.int32([0]), "axis": 2}),
]


@pytest.mark.parametrize(("op", "arguments"), WRONG_AXES)
def test_wrong_axes(k, op, arguments):
    for x in (np.ones((2, 3), "float32"), kops.KerasTensor((2, 3)), kops.KerasTensor((None, 3))):
        with pytest.raises(ValueError, match=r"(axis|axes|source).*rank"):
            getattr(k, op)(x, **arguments)


def test_negative_axes_of_symbolic_tensors():
    x = kops.KerasTensor((None, 3, 4))
    assert ops.sum(x, axis=-1).shape == (None, 3)
    assert ops.argmax(x, axis=-1, keepdims=True).shape == (None, 3, 1)
    assert ops.argmin(x, axis=1, keepdims=True).shape == (None, 1, 4)
    assert ops.argmax(x, keepdims=True).shape == (1, 1, 1)


# -- shapes and orders -------------------------------------------------------------------------


def test_symmetric_pad(k):
    wanted = [2, 1, 1, 2, 3, 4, 5, 5, 4, 3]
    same(k.pad([1, 2, 3, 4, 5], (2, 3), mode="symmetric"), wanted)


@pytest.mark.parametrize("mode", ["edge", "reflect", "symmetric", "wrap", "constant"])
@pytest.mark.parametrize("width", [1, 4, 9])
def test_pads_wider_than_the_axis(k, mode, width):
    x = np.arange(6, dtype="float32").reshape(2, 3)
    same(k.pad(x, width, mode=mode), np.pad(x, width, mode))


@pytest.mark.parametrize("turns", [-3, -1, 0, 1, 2, 3, 4])
@pytest.mark.parametrize("axes", [(0, 1), (1, 0), (1, 2), (-1, 0)])
def test_rot90(k, turns, axes):
    x = np.arange(24, dtype="float32").reshape(2, 3, 4)
    same(k.rot90(x, turns, axes), np.rot90(x, turns, axes))


def test_rot90_by_two(k):
    same(k.rot90([[0, 1, 2], [3, 4, 5]], k=2), [[5, 4, 3], [2, 1, 0]])


@pytest.mark.parametrize(
    ("shift", "axis"), [(1, (0, 1)), ((1, 2), (0, 1)), ((1, 2), 1), (5, None), (-7, -1)]
)
def test_roll(k, shift, axis):
    x = np.arange(12, dtype="int32").reshape(3, 4)
    same(k.roll(x, shift, axis), np.roll(x, shift, axis))


def test_reshape_of_an_empty_batch(k):
    same(k.reshape(np.zeros((0, 4), "float32"), (-1, 2)), np.zeros((0, 2)))
    same(k.concatenate([np.zeros((0, 2), "float32"), np.ones((1, 2), "float32")]), [[1, 1]])


# -- positions -----------------------------------------------------------------------------------


@pytest.mark.parametrize("index", [3, -4])
@pytest.mark.parametrize("shape", [(3,), (3, 2), (3, 2, 2)])
@pytest.mark.parametrize("dtype", ["float32", "int32"])
def test_take_out_of_range(k, index, shape, dtype):
    with pytest.raises(IndexError, match=rf"{index}.*size 3"):
        k.take(np.ones(shape, dtype), np.int32([0, index]), axis=0)


def test_take_out_of_range_compiled(name, k, tensor):
    eng = load(name)
    if eng.compile(values) is values:
        pytest.skip("the engine does not compile")
    take = eng.compile(lambda x, i: k.take(x, i, axis=0))
    index = tensor(np.int32([0, 5, -1, -5]))
    same(take(tensor(np.float32([1, 2, 3])), index), [1, NAN, 3, NAN])
    same(take(tensor(np.int32([1, 2, 3])), index), [1, 3, 3, 1])


def test_take_of_negative_positions(k):
    same(k.take(np.arange(6.0, dtype="float32").reshape(3, 2), [-1, 0], axis=0), [[4, 5], [0, 1]])


def test_searchsorted_keeps_the_shape_of_the_values(k):
    same(k.searchsorted([1, 3, 5], [[0, 3, 6]]), [[0, 1, 3]], "int32")


def test_in_top_k_of_a_batch(k):
    found = k.in_top_k(np.int32([[0, 1]]), np.float32([[[0.1, 0.9], [0.2, 0.8]]]), k=1)
    same(found, [[False, True]])


def test_average_with_a_vector_of_weights(k):
    same(k.average(np.float32([[0, 1, 2], [3, 4, 5]]), axis=0, weights=[1, 3]), [2.25, 3.25, 4.25])


def test_bitwise_with_a_python_number(k):
    x = kops.KerasTensor((2,), "int32")
    for op in ("bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift"):
        assert getattr(ops, op)(x, 3).dtype == "int32"
        assert values(getattr(k, op)(np.int32([5, 6]), 3)).dtype == "int32"
    with pytest.raises(TypeError, match="Integers"):
        ops.bitwise_and(x, 1.5)


def test_stable_sorting(k):
    x = np.asarray([2, 1, 2, 1, 2], "int32")
    same(k.argsort(x), [1, 3, 0, 2, 4])
    best, places = k.top_k(x, 4)
    same(best, [2, 2, 2, 1])
    same(places, [0, 2, 4, 1])


# -- gradients ------------------------------------------------------------------------------------


@pytest.fixture(params=TRAINING)
def gradient(request):
    """d sum(f(x)) / dx on one engine."""
    eng = load(request.param)
    on = kops.on(request.param)

    def run(f, *x):
        with _on(eng):
            arrays = [eng.convert(np.asarray(v, "float32")) for v in x]
            total = eng.value_and_grad(
                lambda *v: on.sum(f(on, *v)), tuple(range(len(x))), has_aux=False
            )
            return [values(g) for g in total(*arrays)[1]]

    return run


def test_gradients_at_zero_are_finite(gradient):
    numerator, denominator = gradient(lambda k, a, b: k.divide_no_nan(a, b), [1, 4], [0, 2])
    np.testing.assert_allclose(numerator, [0, 0.5])
    np.testing.assert_allclose(denominator, [0, -1])
    cases = [
        lambda k, x: k.logsumexp(x),
        lambda k, x: k.absolute(x),
        lambda k, x: k.sinc(x),
        lambda k, x: k.clip(x, 0, 1),
        lambda k, x: k.maximum(x, 0.0),
        lambda k, x: k.where(k.greater(x, 0), k.sqrt(k.where(k.greater(x, 0), x, 1.0)), 0.0),
    ]
    for f in cases:
        assert np.isfinite(gradient(f, [0.0, 1.0])[0]).all()


def test_gradient_of_logsumexp_with_infinities(gradient):
    found = gradient(lambda k, x: k.logsumexp(x), [-INF, 0.0, 0.0])[0]
    np.testing.assert_allclose(found, [0, 0.5, 0.5], atol=1e-6)


def test_gradient_of_repeated_positions(gradient):
    found = gradient(lambda k, x: k.take(x, [0, 0, 2], axis=0), np.ones((3, 2)))[0]
    np.testing.assert_allclose(found, [[2, 2], [0, 0], [1, 1]])


# -- einsum ------------------------------------------------------------------------------------


def test_einsum_refuses_what_does_not_fit(k):
    for x in (np.ones((2, 3), "float32"), kops.KerasTensor((2, 3))):
        with pytest.raises(ValueError, match="fit"):
            k.einsum("abc,cd->abd", x, x)
        with pytest.raises(ValueError, match="operands"):
            k.einsum("ab->a", x, x)


# -- in a graph with unknown sizes ----------------------------------------------------------------


def test_unknown_sizes_in_a_tensorflow_graph():
    if "tensorflow" not in ENGINES:
        pytest.skip("the engine of this run is another one")
    eng, k = load("tensorflow"), kops.on("tensorflow")
    tf = pytest.importorskip("tensorflow")

    @tf.function(input_signature=[tf.TensorSpec((None, 3), tf.float32)], autograph=False)
    def run(x):
        n = eng.shape(x)[0]
        flat = k.reshape(x, (n * 3,))
        padded = k.pad(x, ((1, 1), (0, 0)), mode="reflect")
        parts = k.split(k.concatenate([x, x], axis=1), 2, axis=1)
        return flat, padded, parts[0], k.get_item(x, (slice(None, None, -1), 0)), k.argsort(x, 0)

    x = np.arange(12, dtype="float32").reshape(4, 3)
    flat, padded, part, turned, order = run(x)
    same(flat, x.ravel())
    same(padded, np.pad(x, ((1, 1), (0, 0)), mode="reflect"))
    same(part, x)
    same(turned, x[::-1, 0])
    same(order, np.argsort(x, 0))
