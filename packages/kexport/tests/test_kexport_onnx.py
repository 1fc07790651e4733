"""ONNX files give onnxruntime's results equal to the model's own, at any batch size."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import keras_meta as keras

ort = pytest.importorskip("onnxruntime")
L = keras.layers


def run(path, *inputs):
    session = ort.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    names = [i.name for i in session.get_inputs()]
    return session.run(None, dict(zip(names, inputs, strict=True)))


def check(model, tmp_path, *shapes, dtype="float32", high=9, rtol=1e-4, atol=1e-5):
    path = tmp_path / "model.onnx"
    model.export(path, format="onnx")
    rng = np.random.default_rng(0)
    for batch in (1, 3):
        if dtype.startswith("int"):
            inputs = [rng.integers(0, high, (batch, *s)).astype(dtype) for s in shapes]
        else:
            inputs = [rng.normal(size=(batch, *s)).astype(dtype) for s in shapes]
        expected = model.predict(inputs[0] if len(inputs) == 1 else inputs, verbose=0)
        expected = expected if isinstance(expected, (list, tuple)) else [expected]
        for got, want in zip(run(path, *inputs), expected, strict=True):
            np.testing.assert_allclose(got, want, rtol=rtol, atol=atol)
    return path


@pytest.mark.parametrize("padding", ["valid", "same"])
def test_cnn(tmp_path, padding):
    model = keras.Sequential([
        keras.Input((12, 10, 3)),
        L.Conv2D(4, 3, padding=padding, activation="relu"),
        L.BatchNormalization(),
        L.DepthwiseConv2D(3, padding=padding),
        L.MaxPooling2D(2, padding=padding),
        L.Conv2D(6, 3, strides=2, padding="same", groups=2),
        L.AveragePooling2D(2, padding="same"),
        L.GlobalAveragePooling2D(),
        L.Dense(3, activation="softmax"),
    ])  # fmt: skip
    check(model, tmp_path, (12, 10, 3))


def test_free_image_size(tmp_path):
    model = keras.Sequential([
        keras.Input((None, None, 1)),
        L.Conv2D(2, 3, padding="same", activation="relu"),
        L.GlobalMaxPooling2D(),
    ])  # fmt: skip
    path = tmp_path / "model.onnx"
    model.export(path, format="onnx")
    for shape in ((1, 5, 7, 1), (2, 8, 4, 1)):
        x = np.random.default_rng(0).normal(size=shape).astype("float32")
        np.testing.assert_allclose(
            run(path, x)[0], model.predict(x, verbose=0), rtol=1e-4, atol=1e-5
        )


@pytest.mark.parametrize(
    "activation",
    ["relu", "sigmoid", "tanh", "gelu", "silu", "elu", "selu", "softplus", "softsign", "leaky_relu",
     "hard_sigmoid", "hard_silu", "log_softmax", "mish", "exponential", "relu6"],
)  # fmt: skip
def test_activations(tmp_path, activation):
    model = keras.Sequential([keras.Input((7,)), L.Dense(5), L.Activation(activation)])
    check(model, tmp_path, (7,))


def test_lstm_becomes_one_node(tmp_path):
    import onnx

    model = keras.Sequential([
        keras.Input((6, 3)), L.LSTM(4, return_sequences=True), L.LSTM(5), L.Dense(2)
    ])  # fmt: skip
    path = check(model, tmp_path, (6, 3))
    kinds = [n.op_type for n in onnx.load(path).graph.node]
    assert kinds.count("LSTM") == 2


def test_transformer(tmp_path):
    inputs = keras.Input((6, 8))
    x = L.LayerNormalization()(inputs)
    x = L.Add()([inputs, L.MultiHeadAttention(2, 4)(x, x)])
    x = L.Add()([x, L.Dense(8)(L.Dense(16, activation="gelu")(x))])
    model = keras.Model(inputs, L.Dense(2)(L.GlobalAveragePooling1D()(x)))
    check(model, tmp_path, (6, 8))


def test_embedding_and_several_inputs(tmp_path):
    a, b = keras.Input((4,), dtype="int32", name="a"), keras.Input((4,), dtype="int32", name="b")
    table = L.Embedding(9, 3)
    x = L.Concatenate()([L.Flatten()(table(a)), L.Flatten()(table(b))])
    model = keras.Model([a, b], [L.Dense(2)(x), L.Reshape((-1, 2))(x)])
    check(model, tmp_path, (4,), (4,), dtype="int32")


def test_subclassed_model_and_ops(tmp_path):
    class Mine(keras.Model):
        def __init__(self):
            super().__init__()
            self.dense = L.Dense(6)

        def call(self, x):
            x = self.dense(x)
            n = keras.ops.shape(x)[0]
            x = keras.ops.reshape(x, (n * 2, 3))
            x = keras.ops.where(x > 0, x, keras.ops.exp(x) - 1)
            return keras.ops.reshape(x, (n, 6))[:, 1:5]

    model = Mine()
    model(np.zeros((2, 4), "float32"))
    check(model, tmp_path, (4,))


def test_errors(tmp_path):
    model = keras.Sequential([keras.Input((2,)), L.Dense(1)])
    with pytest.raises(ValueError, match="accepted: .*onnx"):
        model.export(tmp_path / "m", format="caffe")
    unbuilt = keras.Sequential([L.Dense(1)])
    with pytest.raises(ValueError, match="not built|inputs are like"):
        unbuilt.export(tmp_path / "m.onnx", format="onnx")


def test_tensorflow_is_not_needed(tmp_path):
    from kops import config

    if config.backend() == "tensorflow":
        pytest.skip("tensorflow is the active engine")
    script = f"""
import sys
sys.modules["tensorflow"] = None
import keras_meta as keras
m = keras.Sequential([keras.Input((4, 4, 1)), keras.layers.Conv2D(2, 3), keras.layers.Flatten()])
m.export({str(tmp_path / "m.onnx")!r}, format="onnx")
"""
    subprocess.run([sys.executable, "-c", script], check=True)
    assert (tmp_path / "m.onnx").stat().st_size
