"""Edges of the neural-network ops: what every engine must do alike.

With NumPy active, all installed engines run in this one process; with another one active, only
that one.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import kops
from kops.backend import active, engine
from kops.keras_tensor import KerasTensor
from kops.testing.conformance import installed_engines

ENGINES = installed_engines() if active().NAME == "numpy" else [active().NAME]
GRADIENT_ENGINES = [e for e in ENGINES if e != "numpy"]
RNG = np.random.default_rng(0)


def normal(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape).astype("float32")


def run(name, op, *args, **kwargs):
    """The op's results on an engine, as NumPy arrays (16-bit floats as float32)."""
    result = getattr(kops.on(name), op)(*args, **kwargs)
    results = result if isinstance(result, (tuple, list)) else [result]
    arrays = [engine(name).to_numpy(x) for x in results]
    arrays = [x.astype("float32") if x.dtype.itemsize == 2 else x for x in arrays]
    return arrays if isinstance(result, (tuple, list)) else arrays[0]


def tensor(name, x, dtype=None):
    return engine(name).convert(np.asarray(x), dtype or np.asarray(x).dtype.name)


def gradient(name, op, x, *args, **kwargs):
    """Gradient of the sum of an op's result with respect to its first argument."""
    ops = kops.on(name)

    def total(v):
        return ops.sum(getattr(ops, op)(v, *args, **kwargs))

    _, grad = engine(name).value_and_grad(total, 0, False)(tensor(name, x))
    return engine(name).to_numpy(grad)


def symbolic(*args):
    return [KerasTensor(a.shape, a.dtype.name) if isinstance(a, np.ndarray) else a for a in args]


# -- precision ----------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("name", ENGINES)
def test_low_precision_sums_are_made_in_float32(name, dtype):
    # In 16 bits a sum of ones stops growing at 2048 (256), and 300**2 overflows float16.
    ones = tensor(name, np.ones((1, 20000), "float32"), dtype)
    mean, variance = run(name, "moments", ones, -1)
    assert mean == 1 and variance == 0
    assert abs(run(name, "softmax", ones).sum() - 1) < 0.01
    assert abs(run(name, "log_softmax", ones)[0, 0] + np.log(20000)) < 0.05
    wide = tensor(name, np.array([[300.0, -300.0, 600.0, -600.0]]), dtype)
    wanted = np.array([[300, -300, 600, -600]]) / np.sqrt(225000)
    for op in ("layer_normalization", "rms_normalization"):
        assert np.allclose(run(name, op, wide), wanted, atol=0.02)
    assert np.allclose(run(name, "normalize", wide), wanted / 2, atol=0.02)
    assert np.allclose(
        run(name, "average_pool", tensor(name, np.full((1, 4, 1), 6e4), "float16"), 4), 6e4
    )


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("name", ENGINES)
def test_results_have_the_dtype_of_the_input(name, dtype):
    x = tensor(name, normal(2, 6, 6, 4), dtype)
    kernel = tensor(name, normal(3, 3, 4, 4), dtype)
    vector = tensor(name, np.ones(4, "float32"))  # variables often stay in float32
    ops, of = kops.on(name), engine(name).dtype_of
    assert of(ops.conv(x, kernel)) == dtype
    assert of(ops.batch_normalization(x, vector, vector, -1, vector, vector)) == dtype
    assert of(ops.layer_normalization(x, vector, vector)) == dtype
    assert of(ops.rms_normalization(x, vector)) == dtype
    y, mean, _ = ops.batch_norm_train(x, vector, vector, -1)
    assert (of(y), of(mean)) == (dtype, "float32")
    for op in ("softmax", "gelu", "silu", "elu", "normalize", "softplus"):
        assert of(getattr(ops, op)(x)) == dtype, op


@pytest.mark.parametrize("name", ENGINES)
def test_integers_become_floats(name):
    ops, of = kops.on(name), engine(name).dtype_of
    x = tensor(name, np.array([[1, 2], [3, 4]], "int32"))
    for op in (
        "softmax",
        "log_softmax",
        "sigmoid",
        "gelu",
        "layer_normalization",
        "normalize",
        "norm",
        "inv",
    ):
        assert of(getattr(ops, op)(x)) == "float32", op
    for op in ("relu", "hard_tanh"):
        assert of(getattr(ops, op)(x)) == "int32", op


# -- losses ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("name", ENGINES)
def test_losses_are_finite_at_certain_and_wrong(name, dtype):
    y = tensor(name, np.array([[0.0, 1.0]]), dtype)
    p = tensor(name, np.array([[1.0, 0.0]]), dtype)
    big = tensor(name, np.array([[1e4, -1e4]]), dtype)
    for op in ("binary_crossentropy", "categorical_crossentropy"):
        loss = run(name, op, y, p)
        assert np.isfinite(loss).all() and (loss > 10).all()
        assert np.isfinite(run(name, op, y, big, from_logits=True)).all()
    classes = tensor(name, np.array([1], "int32"))
    assert np.isfinite(run(name, "sparse_categorical_crossentropy", classes, p)).all()


@pytest.mark.parametrize("name", GRADIENT_ENGINES)
def test_gradients_of_losses_are_finite(name):
    y = tensor(name, np.array([[0.0, 1.0]], "float32"))
    classes = tensor(name, np.array([1], "int32"))
    ops = kops.on(name)
    for p in ([[1.0, 0.0]], [[0.0, 0.0]], [[0.5, 0.5]]):
        p = np.array(p, "float32")
        for from_logits in (False, True):

            def total(v, from_logits=from_logits):
                losses = (
                    ops.binary_crossentropy(y, v, from_logits),
                    ops.categorical_crossentropy(y, v, from_logits),
                    ops.sparse_categorical_crossentropy(classes, v, from_logits),
                )
                return sum(ops.sum(loss) for loss in losses)

            _, grad = engine(name).value_and_grad(total, 0, False)(tensor(name, p))
            assert np.isfinite(engine(name).to_numpy(grad)).all()


@pytest.mark.parametrize("name", GRADIENT_ENGINES)
def test_gradient_of_binary_crossentropy_at_logit_zero(name):
    ops = kops.on(name)
    zero, one = (tensor(name, np.array([v], "float32")) for v in (0.0, 1.0))
    _, grad = engine(name).value_and_grad(
        lambda x: ops.sum(ops.binary_crossentropy(one, x, True)), 0, False
    )(zero)
    assert np.allclose(engine(name).to_numpy(grad), -0.5)


@pytest.mark.parametrize("name", ENGINES)
def test_classes_outside_the_axis(name):
    hits = run(name, "one_hot", np.array([-1, 0, 3, 7]), 3)
    assert hits.tolist() == [[0, 0, 0], [1, 0, 0], [0, 0, 0], [0, 0, 0]]


# -- gradients at kinks ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", GRADIENT_ENGINES)
def test_gradients_at_zero_are_finite(name):
    zeros = np.zeros((2, 3), "float32")
    for op, kwargs in [
        ("normalize", {}),
        ("normalize", {"order": 1}),
        ("normalize", {"order": 3}),
        ("norm", {}),
        ("norm", {"axis": 1}),
        ("norm", {"axis": 1, "ord": 3}),
        ("rms_normalization", {}),
        ("layer_normalization", {}),
        ("relu", {}),
        ("elu", {}),
        ("selu", {}),
        ("leaky_relu", {}),
        ("softsign", {}),
        ("squareplus", {}),
        ("softmax", {}),
        ("sparsemax", {}),
        ("soft_shrink", {}),
    ]:
        grad = gradient(name, op, zeros, **kwargs)
        assert np.isfinite(grad).all(), (op, kwargs, grad)
    assert (gradient(name, "relu", zeros) == 0).all()
    assert (gradient(name, "norm", zeros) == 0).all()


@pytest.mark.parametrize("name", GRADIENT_ENGINES)
def test_gradients_at_extremes_are_finite(name):
    x = np.array([-1e4, -90.0, 90.0, 1e4], "float32")
    for op in (
        "sigmoid",
        "softplus",
        "log_sigmoid",
        "silu",
        "gelu",
        "elu",
        "celu",
        "selu",
        "log_softmax",
    ):
        assert np.isfinite(gradient(name, op, x)).all(), op


# -- empty batches --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ENGINES)
def test_empty_batches(name):
    image, rows = np.zeros((0, 6, 6, 4), "float32"), np.zeros((0, 4), "float32")
    v = np.ones(4, "float32")
    kernel = normal(3, 3, 4, 4)
    sequence, state = np.zeros((0, 5, 4), "float32"), np.zeros((0, 2), "float32")
    cases = [
        ("conv", (image, kernel), (0, 4, 4, 4)),
        ("conv_transpose", (image, kernel, 2), (0, 13, 13, 4)),
        ("depthwise_conv", (image, kernel), (0, 4, 4, 16)),
        ("separable_conv", (image, kernel, normal(1, 1, 16, 3)), (0, 4, 4, 3)),
        ("max_pool", (image, 2), (0, 3, 3, 4)),
        ("average_pool", (image, 2, 1, "same"), (0, 6, 6, 4)),
        ("batch_normalization", (image, v, v, -1), (0, 6, 6, 4)),
        ("layer_normalization", (rows, v, v), (0, 4)),
        ("softmax", (rows,), (0, 4)),
        ("one_hot", (np.zeros((0, 2), "int32"), 5), (0, 2, 5)),
        ("dot_product_attention", (image, image, image), (0, 6, 6, 4)),
        ("categorical_crossentropy", (rows, rows), (0,)),
        ("sparse_categorical_crossentropy", (np.zeros(0, "int32"), rows, True), (0,)),
        ("lstm", (sequence, state, state, normal(4, 8), normal(2, 8)), (0, 5, 2)),
    ]
    for op, args, shape in cases:
        result = run(name, op, *args)
        result = result[0] if isinstance(result, list) else result
        assert result.shape == shape, op


# -- arguments that do not fit --------------------------------------------------------------------

X, K = np.ones((1, 6, 6, 4), "float32"), np.ones((3, 3, 4, 6), "float32")
BAD = [
    ("conv", (X[0], K), {}, "rank"),
    ("conv", (X, K[0]), {}, "kernel"),
    ("conv", (X[..., :3], K), {}, "channels"),
    ("conv", (X, np.ones((1, 1, 2, 3), "float32")), {}, "groups"),
    ("conv", (X, K), {"padding": "causal"}, "padding.*causal"),
    ("conv", (X, K), {"data_format": "NHWC"}, "data_format.*NHWC"),
    ("conv", (X, K), {"strides": (1, 0)}, "strides"),
    ("conv", (X, np.ones((7, 7, 4, 1), "float32")), {}, "does not fit"),
    (
        "separable_conv",
        (np.ones((1, 10, 2), "f"), np.ones((5, 2, 1), "f"), np.ones((1, 2, 1), "f")),
        {"dilation_rate": 3},
        "does not fit",
    ),
    (
        "conv_transpose",
        (X, np.ones((3, 3, 6, 4), "float32")),
        {"strides": 2, "output_padding": 2},
        "output_padding",
    ),
    ("max_pool", (X, 7), {}, "does not fit"),
    ("max_pool", (X, 2), {"padding": "full"}, "padding.*full"),
    ("softmax", (X,), {"axis": 4}, "axis"),
    ("glu", (np.ones((2, 3), "float32"),), {}, "even"),
    ("one_hot", (np.ones(2, "int32"), -1), {}, "num_classes"),
    ("layer_normalization", (X, np.ones(3, "float32")), {}, "gamma"),
    ("batch_normalization", (X, np.ones(3, "float32"), np.ones(4, "float32"), -1), {}, "mean"),
    ("binary_crossentropy", (np.ones(3, "float32"), np.ones(4, "float32")), {}, "same shape"),
    (
        "sparse_categorical_crossentropy",
        (np.ones(3, "int32"), np.ones((2, 4), "float32")),
        {},
        "target",
    ),
    ("dot_product_attention", (X, X, X[0]), {}, "value"),
    ("inv", (X[0, :, :, :3],), {}, "square"),
]


@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize(
    ("op", "args", "kwargs", "match"), BAD, ids=[f"{b[0]}-{b[3]}" for b in BAD]
)
def test_bad_arguments_fail_alike(name, op, args, kwargs, match):
    with pytest.raises(ValueError, match=match) as eager:
        run(
            name, op, *(tensor(name, a) if isinstance(a, np.ndarray) else a for a in args), **kwargs
        )
    with pytest.raises(ValueError, match=match) as traced:
        getattr(kops.ops, op)(*symbolic(*args), **kwargs)
    assert str(eager.value) == str(traced.value)


# -- convolution and pooling across engines -------------------------------------------------------

SIZES = {1: (9,), 2: (8, 7), 3: (5, 6, 4)}
GRID = [
    (rank, strides, dilation, padding, groups, data_format)
    for rank, strides, dilation, padding, groups, data_format in product(
        (1, 2, 3), (1, 2, 3), (1, 2), ("valid", "same"), (1, 2), ("channels_last", "channels_first")
    )
    # A sixth of the grid, spread over all values.
    if (rank + 2 * strides + 3 * dilation + len(padding) + 4 * groups + len(data_format)) % 6 == 0
]


def _oracle(x, kernel, strides, dilation, padding, groups, data_format):
    """torch's convolution in float64, with explicit padding."""
    torch = pytest.importorskip("torch")
    rank = kernel.ndim - 2
    x = np.moveaxis(x, -1, 1) if data_format == "channels_last" else x
    low_high = []
    for n, k in zip(x.shape[2:], kernel.shape, strict=False):
        span = dilation * (k - 1) + 1
        total = max((-(-n // strides) - 1) * strides + span - n, 0) if padding == "same" else 0
        low_high.append((total // 2, total - total // 2))
    x = np.pad(x.astype("float64"), [(0, 0), (0, 0), *low_high])
    w = np.moveaxis(kernel.astype("float64"), (-1, -2), (0, 1))
    conv = (torch.nn.functional.conv1d, torch.nn.functional.conv2d, torch.nn.functional.conv3d)[
        rank - 1
    ]
    y = conv(
        torch.tensor(x), torch.tensor(np.ascontiguousarray(w)), None, strides, 0, dilation, groups
    ).numpy()
    return np.moveaxis(y, 1, -1) if data_format == "channels_last" else y


@pytest.mark.parametrize("name", ENGINES)
def test_convolution_grid(name):
    for rank, strides, dilation, padding, groups, data_format in GRID:
        sizes = SIZES[rank]
        x = normal(2, *sizes, 4) if data_format == "channels_last" else normal(2, 4, *sizes)
        kernel = normal(*(3, 2, 1)[:rank], 4 // groups, 6)
        wanted = _oracle(x, kernel, strides, dilation, padding, groups, data_format)
        got = run(name, "conv", x, kernel, strides, padding, data_format, dilation)
        where = (rank, strides, dilation, padding, groups, data_format)
        np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-4, err_msg=str(where))
        traced = kops.ops.conv(*symbolic(x, kernel), strides, padding, data_format, dilation)
        assert traced.shape == wanted.shape, where


@pytest.mark.parametrize("name", GRADIENT_ENGINES)
def test_convolution_gradients_with_stride_dilation_and_groups(name):
    ops = kops.on(name)
    x, kernel, weights = normal(2, 9, 9, 4), normal(3, 3, 2, 6), None
    for strides, dilation, groups in ((2, 2, 1), (1, 1, 2), (2, 1, 2), (1, 2, 2)):
        k = normal(3, 3, 4, 6) if groups == 1 else kernel
        weights = normal(*run("numpy", "conv", x, k, strides, "same", None, dilation).shape)

        def total(w, strides=strides, dilation=dilation, weights=weights):
            return ops.sum(ops.conv(x, w, strides, "same", None, dilation) * tensor(name, weights))

        value, grad = engine(name).value_and_grad(total, 0, False)(tensor(name, k))
        # The op is linear in its kernel: the gradient reproduces the value.
        assert np.isclose(
            float((engine(name).to_numpy(grad) * k).sum()), float(value), rtol=1e-3, atol=1e-2
        )


@pytest.mark.parametrize("name", ENGINES)
def test_max_pool_padding_never_wins(name):
    x = -np.ones((1, 3, 3, 1), "float32")
    assert (run(name, "max_pool", x, 2, padding="same") == -1).all()
    big = np.array([2**24 + 1, 2**24], "int32").reshape(1, 2, 1)
    assert run(name, "max_pool", big, 2).item() == 2**24 + 1


@pytest.mark.parametrize("name", ENGINES)
def test_average_pool_does_not_count_padding(name):
    x = np.ones((1, 5, 4, 2), "float32")
    assert np.allclose(run(name, "average_pool", x, 3, strides=2, padding="same"), 1)


@pytest.mark.skipif("tensorflow" not in ENGINES, reason="a TensorFlow graph")
def test_unknown_sizes_in_a_graph():
    tf = pytest.importorskip("tensorflow")
    ops = kops.on("tensorflow")
    x, kernel = normal(2, 9, 8, 4), normal(3, 3, 4, 4)
    calls = {
        "conv": lambda v: ops.conv(v, kernel, 2, "same"),
        "dilated": lambda v: ops.conv(v, kernel, 2, "same", None, 2),
        "grouped": lambda v: ops.conv(v, kernel[:, :, :2], 2, "same"),
        "depthwise": lambda v: ops.depthwise_conv(v, kernel, (2, 1), "same"),
        "transpose": lambda v: ops.conv_transpose(v, kernel, 2, "same", 1),
        "max_pool": lambda v: ops.max_pool(v, 3, 2, "same"),
        "average_pool": lambda v: ops.average_pool(v, 3, 2, "same"),
        "batch_norm": lambda v: ops.batch_norm_train(v, None, None, -1)[0],
        "layer_norm": lambda v: ops.layer_normalization(v),
        "softmax": lambda v: ops.softmax(v, 1),
    }
    for name, call in calls.items():
        graph = tf.function(call, input_signature=[tf.TensorSpec((None, None, None, 4))])
        np.testing.assert_allclose(
            graph(x), call(tf.constant(x)), rtol=1e-4, atol=1e-4, err_msg=name
        )


@pytest.mark.skipif(active().NAME != "torch", reason="about torch's memory layout")
def test_torch_keeps_kernels_in_the_layout_of_its_convolution():
    torch = pytest.importorskip("torch")
    value = normal(3, 3, 4, 8)
    kernel = kops.Variable(value)
    native = kernel.value
    assert native.permute(3, 2, 0, 1).is_contiguous(memory_format=torch.channels_last)
    assert np.array_equal(kernel.numpy(), value)
    kernel.assign(value * 2)
    assert kernel.value.permute(3, 2, 0, 1).is_contiguous(memory_format=torch.channels_last)
    assert np.array_equal(kernel.numpy(), value * 2)


# -- normalization, attention, recurrence ---------------------------------------------------------


@pytest.mark.parametrize("name", ENGINES)
def test_normalize_scales_columns_by_their_own_norm(name):
    got = run(name, "normalize", np.array([[3.0, 1.0], [4.0, 1.0]], "float32"), axis=0)
    assert np.allclose(got, [[0.6, 0.707], [0.8, 0.707]], atol=1e-3)


@pytest.mark.parametrize("name", ENGINES)
def test_axes_may_come_in_any_order(name):
    x, gamma = normal(2, 3, 4), normal(3, 4)
    straight = run(name, "layer_normalization", x, gamma, axis=(1, 2))
    assert np.allclose(run(name, "layer_normalization", x, gamma, axis=[2, 1]), straight, atol=1e-5)


@pytest.mark.parametrize("name", ENGINES)
def test_attention_without_any_key_is_uniform(name):
    q = normal(1, 2, 1, 4)
    mask = np.array([[[[False, False], [True, False]]]])
    for dtype in ("float32", "float16"):
        got = run(name, "dot_product_attention", *(tensor(name, q, dtype),) * 3, mask=mask)
        assert np.allclose(got[0, 0, 0], q.mean(1)[0, 0], atol=1e-2)
        assert np.allclose(got[0, 1, 0], q[0, 0, 0], atol=1e-2)


@pytest.mark.parametrize("name", GRADIENT_ENGINES)
def test_batch_norm_train_differentiates_through_its_statistics(name):
    ops, x = kops.on(name), normal(5, 3)
    weights = tensor(name, normal(5, 3))

    def total(v):
        return ops.sum(ops.batch_norm_train(v, None, None, -1)[0] * weights)

    _, grad = engine(name).value_and_grad(total, 0, False)(tensor(name, x))
    # Adding a constant to a feature changes nothing.
    assert np.allclose(engine(name).to_numpy(grad).sum(0), 0, atol=1e-4)


@pytest.mark.parametrize("name", ENGINES)
def test_lstm_with_all_steps_masked_keeps_its_state(name):
    h, c = normal(2, 4), normal(2, 4)
    y, last_h, last_c = run(
        name,
        "lstm",
        normal(2, 3, 5),
        h,
        c,
        normal(5, 16),
        normal(4, 16),
        mask=np.zeros((2, 3), bool),
    )
    assert (y == 0).all() and np.array_equal(last_h, h) and np.array_equal(last_c, c)


@pytest.mark.parametrize("name", ENGINES)
def test_lstm_backwards_is_the_lstm_of_the_reversed_sequence(name):
    x, h, c, kernel, recurrent = (
        normal(2, 3, 5),
        normal(2, 4),
        normal(2, 4),
        normal(5, 16),
        normal(4, 16),
    )
    backwards = run(name, "lstm", x, h, c, kernel, recurrent, go_backwards=True)
    reversed_ = run(name, "lstm", x[:, ::-1].copy(), h, c, kernel, recurrent)
    for a, b in zip(backwards, reversed_, strict=True):
        assert np.allclose(a, b, atol=1e-5)
