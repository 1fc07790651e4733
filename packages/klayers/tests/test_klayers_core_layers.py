"""Dense, EinsumDense, Embedding, Masking, Identity and the like, against Keras."""

from __future__ import annotations

import numpy as np
import pytest

import kops
from klayers import layers

RNG = np.random.default_rng(1)


def floats(*shape):
    return RNG.normal(size=shape).astype("float32")


@pytest.mark.parametrize(
    ("kwargs", "shape"),
    [
        ({"units": 3}, (2, 4)),
        ({"units": 3, "activation": "relu"}, (2, 4)),
        ({"units": 3, "use_bias": False, "activation": "softmax"}, (2, 5, 4)),
        ({"units": 1, "kernel_regularizer": "l2", "bias_constraint": "non_neg"}, (2, 3, 5, 4)),
        ({"units": 3, "kernel_initializer": "he_normal", "activity_regularizer": "l1"}, (2, 4)),
    ],
)
def test_dense(oracle, kwargs, shape):
    oracle.check("Dense", kwargs, floats(*shape))


@pytest.mark.parametrize(
    ("equation", "output_shape", "bias_axes", "shape"),
    [
        ("ab,bc->ac", 4, "c", (2, 3)),
        ("abc,cd->abd", (None, 4), "d", (2, 5, 3)),
        ("abc,cde->abde", (None, 3, 4), "de", (2, 5, 4)),
        ("abc,cde->abde", (None, 3, 4), "d", (2, 5, 4)),
        ("abc,bcd->abd", (8, 2), "bd", (2, 8, 4)),
        ("...x,xy->...y", 4, "y", (2, 5, 3)),
        ("ab...,bc->ac...", (4,), "c", (2, 5, 3, 2)),
        ("abcd,cde->abe", (None, 7), "e", (2, 5, 3, 4)),
    ],
)
def test_einsum_dense(oracle, equation, output_shape, bias_axes, shape):
    kwargs = {"equation": equation, "output_shape": output_shape, "bias_axes": bias_axes}
    oracle.check("EinsumDense", kwargs, floats(*shape))
    oracle.check("EinsumDense", {**kwargs, "bias_axes": None, "activation": "tanh"}, floats(*shape))


def test_einsum_dense_refuses_a_contradicting_output_shape():
    layer = layers.EinsumDense("abc,cd->abd", output_shape=(2, 5, 4))
    with pytest.raises(ValueError, match="output_shape"):
        layer.build((2, 5, 3))
    with pytest.raises(ValueError, match="output_shape"):
        layers.EinsumDense("abc,cd->abd", output_shape=(2, 5, 4)).compute_output_shape((2, 5, 3))


@pytest.mark.parametrize("kwargs", [{}, {"mask_zero": True}, {"embeddings_regularizer": "l2"}])
@pytest.mark.parametrize("dtype", ["int32", "int64", "uint8"])
def test_embedding(oracle, kwargs, dtype):
    ids = np.array([[1, 2, 0], [3, 4, 1]], dtype)
    oracle.check("Embedding", {"input_dim": 5, "output_dim": 4, **kwargs}, ids)


def test_embedding_mask_and_weights():
    table = floats(5, 3)
    layer = layers.Embedding(5, 3, mask_zero=True, weights=table)
    ids = np.array([[1, 0], [2, 3]])
    y = layer(ids)
    np.testing.assert_allclose(kops.ops.convert_to_numpy(y), table[ids])
    mask = kops.ops.convert_to_numpy(kops.masks.get_mask(y))
    assert mask.tolist() == [[True, False], [True, True]]


def test_embedding_names_the_id_out_of_range():
    with pytest.raises(IndexError, match="7"):
        layers.Embedding(5, 3)(np.array([[1, 7]]))


def test_masking(oracle):
    x = floats(2, 4, 3)
    x[0, 1] = 0.0
    x[1, 3] = 0.0
    _, ours = oracle.check("Masking", {"mask_value": 0.0}, x)
    mask = kops.ops.convert_to_numpy(ours.compute_mask(x))
    assert mask.tolist() == [[True, False, True, True], [True, True, True, False]]


@pytest.mark.parametrize("units", [0, -1, 1.5, "3", True])
def test_dense_refuses_units(units):
    with pytest.raises(ValueError, match="units"):
        layers.Dense(units)


def test_dense_shape_errors_name_the_layer_and_the_sizes():
    layer = layers.Dense(3, name="head")
    with pytest.raises(ValueError, match="head"):
        layer(np.ones(3, "float32"))
    layer(np.ones((2, 4), "float32"))
    with pytest.raises(ValueError, match="head.*4"):
        layer(np.ones((2, 5), "float32"))


@pytest.mark.parametrize("batch", [0, 1])
def test_empty_batch(batch):
    assert tuple(layers.Dense(3)(np.ones((batch, 4), "float32")).shape) == (batch, 3)
    assert tuple(layers.Embedding(3, 2)(np.ones((batch, 4), "int32")).shape) == (batch, 4, 2)
    assert tuple(layers.Masking()(np.ones((batch, 4, 1), "float32")).shape) == (batch, 4, 1)


def test_float16_policy():
    layer = layers.Dense(3, dtype="mixed_float16")
    y = layer(np.ones((2, 4), "float32"))
    assert kops.dtypes.standardize(y.dtype) == "float16"
    assert layer.kernel.dtype == "float32"
