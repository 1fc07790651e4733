"""Dtype policies: names, configs, autocast of inputs and variables."""

from __future__ import annotations

import numpy as np
import pytest

import kops
from klayers import DTypePolicy, Input, Layer, Model, dtype_policies, layers
from kops import ops
from kops.serialization import deserialize_keras_object, serialize_keras_object

X = np.arange(12, dtype="float32").reshape(3, 4)


def dtype_of(x):
    return kops.active().dtype_of(x)


@pytest.mark.parametrize(
    ("name", "cls", "mode", "compute", "variable"),
    [
        ("float32", "DTypePolicy", None, "float32", "float32"),
        ("bfloat16", "DTypePolicy", None, "bfloat16", "bfloat16"),
        ("mixed_float16", "DTypePolicy", None, "float16", "float32"),
        ("int8_from_mixed_bfloat16", "QuantizedDTypePolicy", "int8", "bfloat16", "float32"),
        ("int4_from_mixed_float16", "QuantizedDTypePolicy", "int4", "float16", "float32"),
        ("int4/64_from_float32", "Int4DTypePolicy", "int4", "float32", "float32"),
        ("float8_from_float32", "QuantizedFloat8DTypePolicy", "float8", "float32", "float32"),
        ("gptq/4/128_from_float32", "GPTQDTypePolicy", "gptq", "float32", "float32"),
        ("awq/4/-1_from_float32", "AWQDTypePolicy", "awq", "float32", "float32"),
    ],
)
def test_names(name, cls, mode, compute, variable):
    policy = dtype_policies.get(name)
    assert type(policy).__name__ == cls and policy.name == name
    assert (policy.quantization_mode, policy.compute_dtype, policy.variable_dtype) == (
        mode,
        compute,
        variable,
    )
    config = serialize_keras_object(policy)
    assert config["class_name"] == cls
    assert deserialize_keras_object(config) == policy == dtype_policies.get(config)


@pytest.mark.parametrize(
    "name", ["bogus", "mixed_bogus", "int8", "gptq_from_float32", "int3_from_float32", 3]
)
def test_wrong_names(name):
    with pytest.raises(ValueError):
        dtype_policies.get(name)
    with pytest.raises(ValueError):
        layers.Dense(2, dtype=name)


def test_plain_class_refuses_quantized_names():
    with pytest.raises(ValueError, match="dtype policy"):
        DTypePolicy("int8_from_float32")


def test_global_policy():
    assert dtype_policies.dtype_policy().name == kops.config.floatx()
    dtype_policies.set_dtype_policy("mixed_bfloat16")
    try:
        layer = layers.Dense(2)
        assert layer.compute_dtype == "bfloat16" and layer.dtype == "float32"
        assert DTypePolicy().name == "mixed_bfloat16"
    finally:
        dtype_policies.set_dtype_policy("float32")
    with pytest.raises(ValueError, match="policy"):
        dtype_policies.set_dtype_policy(3)


def test_map():
    policies = dtype_policies.DTypePolicyMap()
    policies["a/b"] = DTypePolicy("mixed_bfloat16")
    policies["e/.*"] = "bfloat16"
    assert policies["a/b"].name == "mixed_bfloat16" and policies["zz"].name == "float32"
    assert policies["e/f/g"].name == "bfloat16" and len(policies) == 2
    with pytest.raises(ValueError, match="already"):
        policies["a/b"] = "float32"
    made = deserialize_keras_object(serialize_keras_object(policies))
    assert dict(made) == dict(policies)


def test_map_picks_by_path():
    policies = dtype_policies.DTypePolicyMap()
    policies["outer/special"] = "mixed_bfloat16"

    class Outer(Layer):
        def __init__(self):
            super().__init__(name="outer")
            self.special = layers.Dense(2, name="special", dtype=policies)
            self.other = layers.Dense(2, name="other", dtype=policies)

        def call(self, x):
            return self.special(x), self.other(x)

    a, b = Outer()(X)
    assert dtype_of(a) == "bfloat16" and dtype_of(b) == "float32"


def test_mixed_precision():
    class Notes(Layer):
        def build(self, input_shape):
            self.w = self.add_weight(shape=(4,), name="w")
            self.exact = self.add_weight(shape=(4,), name="exact", autocast=False)

        def call(self, x, other):
            self.seen = [dtype_of(v) for v in (x, other, self.w.value, self.exact.value)]
            return x

    layer = Notes(dtype="mixed_bfloat16")
    layer(X, np.arange(3, dtype="int32"))
    assert layer.seen == ["bfloat16", "int32", "bfloat16", "float32"]
    assert layer.w.dtype == "float32" and dtype_of(layer.w.value) == "float32"


def test_float32_layer_inside_a_mixed_one():
    class Outer(Layer):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.exact = layers.Dense(2, dtype="float32")

        def call(self, x):
            return self.exact(x)

    layer = Outer(dtype="mixed_bfloat16")
    for _ in range(3):
        assert dtype_of(layer(X)) == "float32"


def test_autocast_off():
    layer = layers.Activation("relu", dtype="mixed_bfloat16", autocast=False)
    assert dtype_of(layer(X)) == "float32"


def test_mixed_precision_in_a_graph_adds_no_ops():
    x = Input((4,))
    model = Model(x, layers.Dense(2, dtype="mixed_bfloat16")(x))
    assert len(model.operations) == 2 and model.outputs[0].dtype == "bfloat16"
    assert dtype_of(model(X)) == "bfloat16"


def test_float64_arrays_become_the_compute_dtype_and_ints_stay():
    class Same(Layer):
        def call(self, x):
            return x

    assert dtype_of(Same()(X.astype("float64"))) == "float32"
    assert dtype_of(Same()(np.arange(3, dtype="int32"))) == "int32"
    assert dtype_of(Same(dtype="float16")(ops.convert_to_tensor(X))) == "float16"
