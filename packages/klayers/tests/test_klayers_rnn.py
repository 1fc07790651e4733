"""Recurrent layers against Keras."""

from __future__ import annotations

import numpy as np
import pytest

import klayers
import kops
from klayers import layers

RNG = np.random.default_rng(10)
KINDS = ["LSTM", "GRU", "SimpleRNN"]
MASK = np.array([[True, True, True, False, False], [False, True, False, True, True]])


def floats(*shape):
    return RNG.normal(size=shape).astype("float32")


def numpy_of(x):
    return kops.ops.convert_to_numpy(x)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "kwargs",
    [
        {},
        {"return_sequences": True},
        {"return_sequences": True, "return_state": True, "go_backwards": True},
        {"use_bias": False, "activation": "relu", "return_state": True},
        {"unroll": True, "return_sequences": True},
        {"dropout": 0.2, "recurrent_dropout": 0.3, "kernel_regularizer": "l2"},
    ],
)
@pytest.mark.parametrize("mask", [False, True])
def test_layer(oracle, kind, kwargs, mask):
    call = {"mask": MASK} if mask else {}
    oracle.check(kind, {"units": 3, **kwargs}, floats(2, 5, 4), call=call)


@pytest.mark.parametrize(
    ("kind", "kwargs"),
    [
        ("LSTM", {"unit_forget_bias": False, "recurrent_activation": "hard_sigmoid"}),
        ("LSTM", {"activation": "linear", "zero_output_for_mask": True, "return_sequences": True}),
        ("GRU", {"reset_after": False}),
        ("GRU", {"reset_after": False, "use_bias": False, "return_sequences": True}),
        (
            "GRU",
            {
                "recurrent_activation": "tanh",
                "zero_output_for_mask": True,
                "return_sequences": True,
            },
        ),
        ("SimpleRNN", {"activation": "linear"}),
    ],
)
def test_arguments(oracle, kind, kwargs):
    oracle.check(kind, {"units": 3, **kwargs}, floats(2, 5, 4), call={"mask": MASK})


@pytest.mark.parametrize("kind", KINDS)
def test_initial_state(oracle, kind):
    states = [floats(2, 3) for _ in range(2 if kind == "LSTM" else 1)]
    oracle.check(
        kind, {"units": 3, "return_state": True}, floats(2, 5, 4), call={"initial_state": states}
    )


@pytest.mark.parametrize("kind", KINDS)
def test_stateful(oracle, kind):
    theirs = getattr(oracle.keras.layers, kind)(3, stateful=True)
    ours = getattr(layers, kind)(3, stateful=True)
    x = floats(2, 5, 4)
    theirs.build(x.shape)
    ours.build(x.shape)
    ours.set_weights(oracle.values(theirs))
    for _ in range(3):
        np.testing.assert_allclose(numpy_of(ours(x)), numpy_of(theirs(x)), atol=1e-5)
    ours.reset_state()
    theirs.reset_state()
    np.testing.assert_allclose(numpy_of(ours(x)), numpy_of(theirs(x)), atol=1e-5)
    # The kept states are variables, but no weights.
    assert len(ours.weights) == 3
    assert len(ours.variables) > len(ours.weights)


def test_stateful_needs_a_batch_size():
    with pytest.raises(ValueError, match="batch size"):
        layers.LSTM(3, stateful=True)(klayers.Input((5, 4)))
    y = layers.LSTM(3, stateful=True)(klayers.Input(batch_shape=(2, 5, 4)))
    assert y.shape == (2, 3)


@pytest.mark.parametrize("kind", KINDS)
def test_cell(oracle, kind):
    states = [floats(2, 3) for _ in range(2 if kind == "LSTM" else 1)]
    cell = getattr(layers, f"{kind}Cell")(3)
    theirs = getattr(oracle.keras.layers, f"{kind}Cell")(3)
    x = floats(2, 4)
    cell(x, states)
    theirs(x, states)
    weights = [w + 0.1 for w in oracle.values(theirs)]
    cell.set_weights(weights)
    theirs.set_weights(weights)
    (a, sa), (b, sb) = cell(x, states), theirs(x, states)
    for ours, expected in zip([a, *sa], [b, *sb], strict=True):
        np.testing.assert_allclose(numpy_of(ours), numpy_of(expected), atol=1e-5)
    assert oracle.config(cell) == oracle.config(theirs)


@pytest.mark.parametrize("mask", [False, True])
def test_stack_of_cells(oracle, mask):
    oracle.check(
        "RNN",
        {"return_sequences": True, "return_state": False},
        floats(2, 5, 4),
        inner=lambda L: {"cell": [L.LSTMCell(3), L.GRUCell(2), L.SimpleRNNCell(4)]},
        call={"mask": MASK} if mask else {},
    )


def test_cell_of_ones_own():
    class Minimal(klayers.Layer):
        def __init__(self, units, **kwargs):
            super().__init__(**kwargs)
            self.units = units
            self.state_size = units

        def build(self, input_shape):
            self.kernel = self.add_weight(shape=(input_shape[-1], self.units), name="kernel")

        def call(self, inputs, states):
            h = kops.ops.matmul(inputs, self.kernel) + 0.5 * states[0]
            return h, [h]

    rnn = layers.RNN(Minimal(3), return_sequences=True, return_state=True)
    x = floats(2, 5, 4)
    y, state = (numpy_of(v) for v in rnn(x))
    expected, h = [], 0
    for t in range(5):
        h = x[:, t] @ numpy_of(rnn.cell.kernel) + 0.5 * h
        expected.append(h)
    np.testing.assert_allclose(y, np.stack(expected, 1), atol=1e-5)
    np.testing.assert_allclose(state, h, atol=1e-5)
    assert rnn(klayers.Input((None, 4)))[0].shape == (None, None, 3)


STATES = {"return_state": True, "return_sequences": True}


@pytest.mark.parametrize(
    ("merge_mode", "kind", "kwargs"),
    [
        ("concat", "LSTM", {}),
        ("concat", "GRU", STATES),
        ("sum", "LSTM", {"return_sequences": True}),
        ("mul", "GRU", {}),
        ("ave", "SimpleRNN", {"return_sequences": True}),
        (None, "LSTM", STATES),
        (None, "GRU", {}),
    ],
)
def test_bidirectional(oracle, merge_mode, kind, kwargs):
    oracle.check(
        "Bidirectional",
        {"merge_mode": merge_mode},
        floats(2, 5, 4),
        inner=lambda L: {"layer": getattr(L, kind)(3, **kwargs)},
        call={"mask": MASK},
    )


def test_bidirectional_with_its_own_backward_layer(oracle):
    oracle.check(
        "Bidirectional",
        {},
        floats(2, 5, 4),
        inner=lambda L: {
            "layer": L.LSTM(3, return_sequences=True),
            "backward_layer": L.GRU(2, return_sequences=True, go_backwards=True),
        },
    )


def test_bidirectional_errors():
    with pytest.raises(ValueError, match="merge_mode"):
        layers.Bidirectional(layers.LSTM(3), merge_mode="x")
    with pytest.raises(ValueError, match="recurrent"):
        layers.Bidirectional(layers.Dense(3))
    with pytest.raises(ValueError, match="go_backwards"):
        layers.Bidirectional(layers.LSTM(3), backward_layer=layers.LSTM(3))
    with pytest.raises(ValueError, match="state_size"):
        layers.RNN(layers.Dense(3))
    with pytest.raises(ValueError, match="initial_state"):
        layers.LSTM(3)(floats(2, 5, 4), initial_state=[floats(2, 3)])
    with pytest.raises(ValueError, match="units"):
        layers.GRU(0)


@pytest.mark.parametrize(
    ("make", "shape"),
    [
        (lambda L: L.Dense(3, activation="relu"), (2, 5, 4)),
        (lambda L: L.Conv2D(3, 2), (2, 3, 5, 5, 2)),
        (lambda L: L.LayerNormalization(), (2, 3, 4)),
        (lambda L: L.LSTM(3), (2, 3, 4, 2)),
        (lambda L: L.Dropout(0.3), (2, 3, 4)),
    ],
)
def test_time_distributed(oracle, make, shape):
    oracle.check("TimeDistributed", {}, floats(*shape), inner=lambda L: {"layer": make(L)})


def test_time_distributed_needs_steps():
    with pytest.raises(ValueError, match="rank 3"):
        layers.TimeDistributed(layers.Dense(3))(floats(2, 5))


@pytest.mark.parametrize("kind", KINDS)
def test_dropout_is_one_pattern_for_all_steps(kind):
    layer = getattr(layers, kind)(3, dropout=0.5, recurrent_dropout=0.5, seed=1)
    x = floats(2, 5, 4)
    plain = numpy_of(layer(x))
    first, second = (numpy_of(layer(x, training=True)) for _ in range(2))
    assert np.abs(plain - first).max() > 1e-4
    assert np.abs(first - second).max() > 1e-4
    assert not layer.cell._masks
    np.testing.assert_allclose(plain, numpy_of(layer(x, training=False)), atol=1e-6)


def test_the_embedding_mask_reaches_the_lstm_and_goes_on():
    ids = np.array([[1, 2, 0], [3, 0, 0]])
    x = layers.Embedding(5, 4, mask_zero=True)(ids)
    lstm = layers.LSTM(3, return_sequences=True)
    y = lstm(x)
    assert numpy_of(kops.masks.get_mask(y)).tolist() == (ids != 0).tolist()
    last = layers.LSTM(3)
    last(x)
    assert kops.masks.get_mask(last(x)) is None
    np.testing.assert_allclose(numpy_of(y), numpy_of(lstm(numpy_of(x), mask=ids != 0)), atol=1e-6)


def test_empty_batch():
    for kind in KINDS:
        layer = getattr(layers, kind)(3, return_sequences=True)
        assert tuple(layer(floats(0, 5, 4)).shape) == (0, 5, 3)
        assert tuple(getattr(layers, kind)(3)(floats(0, 5, 4)).shape) == (0, 3)


def test_symbolic_lengths_stay_open():
    x = klayers.Input((None, 4))
    y, h, c = layers.LSTM(3, return_sequences=True, return_state=True)(x)
    assert (y.shape, h.shape, c.shape) == ((None, None, 3), (None, 3), (None, 3))
    assert layers.Bidirectional(layers.GRU(3))(x).shape == (None, 6)
    assert layers.TimeDistributed(layers.Dense(2))(x).shape == (None, None, 2)
