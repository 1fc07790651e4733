"""Attention layers against Keras."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import klayers
import kops
from klayers import layers

RNG = np.random.default_rng(9)
MASK = np.array([[True, True, True, False], [True, True, False, False]])
QUERY_MASK = np.array([[True, True, False], [True, False, False]])


def floats(*shape):
    return RNG.normal(size=shape).astype("float32")


def numpy_of(x):
    return kops.ops.convert_to_numpy(x)


@pytest.mark.parametrize(
    "kwargs",
    [
        {},
        {"value_dim": 5},
        {"use_bias": False},
        {"output_shape": 7},
        {"output_shape": (2, 3)},
        {"sliding_window": 2},
        {"use_gate": True},
        {"dropout": 0.3, "seed": 1},
        {"kernel_regularizer": "l2", "bias_initializer": "ones"},
    ],
)
@pytest.mark.parametrize("scores", [False, True])
def test_multi_head(oracle, kwargs, scores):
    oracle.check(
        "MultiHeadAttention",
        {"num_heads": 2, "key_dim": 3, **kwargs},
        floats(2, 3, 5),
        floats(2, 4, 6),
        call={"return_attention_scores": scores},
    )


@pytest.mark.parametrize(
    "call",
    [
        {"use_causal_mask": True},
        {"value_mask": MASK},
        {"key_mask": MASK, "query_mask": QUERY_MASK},
        {"attention_mask": RNG.random((2, 3, 4)) > 0.3},
        {"attention_mask": RNG.random((3, 4)) > 0.3, "value_mask": MASK, "use_causal_mask": True},
        {"use_causal_mask": True, "return_attention_scores": True, "value_mask": MASK},
    ],
)
def test_multi_head_masks(oracle, call):
    oracle.check(
        "MultiHeadAttention",
        {"num_heads": 2, "key_dim": 3},
        floats(2, 3, 5),
        floats(2, 4, 5),
        call=call,
    )


def test_multi_head_with_its_own_key(oracle):
    kwargs = {"num_heads": 2, "key_dim": 3}
    oracle.check("MultiHeadAttention", kwargs, floats(2, 3, 5), floats(2, 4, 6), floats(2, 4, 7))


@pytest.mark.parametrize("axes", [None, (1,), (2,), (1, 2), (-2,)])
@pytest.mark.parametrize("scores", [False, True])
def test_multi_head_attention_axes(oracle, axes, scores):
    oracle.check(
        "MultiHeadAttention",
        {"num_heads": 2, "key_dim": 3, "attention_axes": axes},
        floats(2, 3, 4, 5),
        floats(2, 3, 4, 5),
        call={"return_attention_scores": scores},
    )


@pytest.mark.parametrize(
    "kwargs", [{}, {"sliding_window": 2}, {"use_gate": True}, {"use_bias": False}]
)
@pytest.mark.parametrize(
    "call", [{}, {"return_attention_scores": True}, {"use_causal_mask": True}, {"value_mask": MASK}]
)
def test_grouped_query(oracle, kwargs, call):
    kwargs = {"head_dim": 3, "num_query_heads": 4, "num_key_value_heads": 2, **kwargs}
    oracle.check("GroupQueryAttention", kwargs, floats(2, 3, 5), floats(2, 4, 5), call=call)


@pytest.mark.parametrize(
    ("name", "kwargs"),
    [
        ("Attention", {}),
        ("Attention", {"use_scale": True}),
        ("Attention", {"use_scale": True, "score_mode": "concat"}),
        ("Attention", {"score_mode": "concat", "dropout": 0.2, "seed": 1}),
        ("AdditiveAttention", {}),
        ("AdditiveAttention", {"use_scale": False}),
    ],
)
@pytest.mark.parametrize(
    "call",
    [
        {},
        {"return_attention_scores": True},
        {"use_causal_mask": True},
        {"mask": [QUERY_MASK, MASK]},
        {"mask": [None, MASK]},
    ],
)
def test_single_head(oracle, name, kwargs, call):
    oracle.check(name, kwargs, floats(2, 3, 5), floats(2, 4, 5), as_list=True, call=call)


def test_single_head_with_its_own_key(oracle):
    inputs = floats(2, 3, 5), floats(2, 4, 6), floats(2, 4, 5)
    oracle.check("Attention", {"use_scale": True}, *inputs, as_list=True)
    oracle.check("AdditiveAttention", {}, *inputs, as_list=True, call={"mask": [None, MASK]})


def test_masks_of_the_inputs_are_used():
    layer = layers.MultiHeadAttention(2, 3)
    embed = layers.Embedding(9, 5, mask_zero=True)
    ids = np.array([[1, 2, 0, 0], [3, 4, 5, 0]])
    x = embed(ids)
    with_mask = numpy_of(layer(x, x))
    explicit = numpy_of(layer(numpy_of(x), numpy_of(x), value_mask=ids != 0))
    np.testing.assert_allclose(with_mask, explicit, atol=1e-6)
    assert numpy_of(kops.masks.get_mask(layer(x, x))).tolist() == (ids != 0).tolist()


def test_an_argument_named_like_a_mask_is_not_filled():
    class Custom(klayers.Layer):
        def call(self, inputs, attn_mask=None):
            assert attn_mask is None
            return inputs

    x = layers.Masking()(np.zeros((2, 3, 4), "float32"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that the mask ends here is said elsewhere
        Custom()(x)


def test_scores_add_up_to_one():
    x = floats(2, 4, 6)
    _, scores = layers.MultiHeadAttention(2, 3)(x, x, return_attention_scores=True)
    np.testing.assert_allclose(numpy_of(scores).sum(-1), 1.0, atol=1e-5)


def test_dropout_acts_while_training_only():
    layer = layers.MultiHeadAttention(2, 3, dropout=0.5, seed=1)
    x = floats(2, 4, 6)
    plain = numpy_of(layer(x, x))
    np.testing.assert_allclose(plain, numpy_of(layer(x, x, training=False)), atol=1e-6)
    assert np.abs(plain - numpy_of(layer(x, x, training=True))).max() > 1e-3


def test_equal_projections_do_not_start_equal():
    layer = layers.MultiHeadAttention(2, 3)
    layer.build((None, 4, 6), (None, 4, 6))
    query, key = layer.query_dense.kernel.numpy(), layer.key_dense.kernel.numpy()
    assert query.shape == key.shape
    assert not np.array_equal(query, key)


def test_errors():
    x = floats(2, 4, 6)
    with pytest.raises(ValueError, match="num_heads"):
        layers.MultiHeadAttention(0, 3)
    with pytest.raises(ValueError, match="sliding_window"):
        layers.MultiHeadAttention(2, 3, sliding_window=0)
    with pytest.raises(ValueError, match="dropout"):
        layers.MultiHeadAttention(2, 3, flash_attention=True, dropout=0.1)
    with pytest.raises(ValueError, match="scores"):
        layers.MultiHeadAttention(2, 3, flash_attention=True)(x, x, return_attention_scores=True)
    with pytest.raises(ValueError, match="num_key_value_heads"):
        layers.GroupQueryAttention(3, 4, 3)
    with pytest.raises(ValueError, match="value"):
        layers.MultiHeadAttention(2, 3)(x, x, key=x[:, :2])
    with pytest.raises(ValueError, match="score_mode"):
        layers.Attention(score_mode="product")
    with pytest.raises(ValueError, match=r"query, value"):
        layers.Attention()(x)
    with pytest.raises(ValueError, match="mask"):
        layers.Attention()([x, x], mask=[MASK])


def test_empty_batch():
    x = floats(0, 4, 6)
    assert tuple(layers.MultiHeadAttention(2, 3)(x, x).shape) == (0, 4, 6)
    assert tuple(layers.Attention()([x, x]).shape) == (0, 4, 6)
