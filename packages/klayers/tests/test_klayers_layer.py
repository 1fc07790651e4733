"""The base layer: building, tracking, training, masks, losses, configs, plans."""

from __future__ import annotations

import copy
import json
import pickle

import numpy as np
import pytest

import kops
from klayers import Input, Layer, Model, layers
from klayers.testing import check_layer
from kops import ops
from kops.masks import get_mask, set_mask

X = np.arange(12, dtype="float32").reshape(3, 4)


def tensor(x):
    return ops.convert_to_tensor(x)


def array(x):
    return ops.convert_to_numpy(x)


class Scale(Layer):
    def __init__(self, factor=2.0, **kwargs):
        super().__init__(**kwargs)
        self.factor = factor

    def build(self, input_shape):
        self.scale = self.add_weight(shape=input_shape[-1:], initializer="ones", name="scale")

    def call(self, inputs):
        return ops.multiply(inputs * self.scale, self.factor)


class Probe(Layer):
    """Notes the `training` it is called with."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.seen = []

    def call(self, inputs, training=None):
        self.seen.append(training)
        return inputs


def test_lazy_build_and_paths():
    layer = Scale(name="mine")
    assert not layer.built and layer.weights == []
    y = layer(X)
    assert layer.built
    np.testing.assert_allclose(array(y), X * 2)
    assert [v.path for v in layer.weights] == ["mine/scale"]
    assert layer.get_build_config() == {"input_shape": (3, 4)}
    assert layer.count_params() == 4


def test_check_layer_on_a_custom_layer():
    check_layer(
        Scale, {"factor": 3.0}, input_shape=(2, 5), expected_output_shape=(2, 5), expected_weights=1
    )


def test_check_layer_finds_a_wrong_shape():
    class Wrong(Layer):
        def call(self, x):
            return x

        def compute_output_shape(self, input_shape):
            return (*input_shape, 7)

    with pytest.raises(AssertionError, match="symbolic shape"):
        check_layer(Wrong, {}, input_shape=(2, 5))


def test_check_layer_finds_a_config_that_loses_something():
    class Lossy(Layer):
        def __init__(self, n, **kwargs):
            super().__init__(**kwargs)
            self.n = n

        def call(self, x):
            return x

        def get_config(self):
            return {**super().get_config(), "n": self.n + 1}

    with pytest.raises(AssertionError, match="round trip"):
        check_layer(Lossy, {"n": 1}, input_shape=(2, 5))


def test_build_by_argument_names():
    class Two(Layer):
        def build(self, query_shape, value_shape):
            self.shapes = (query_shape, value_shape)

        def call(self, query, value):
            return query

    layer = Two()
    layer(X, value=X[:, :2])
    assert layer.shapes == ((3, 4), (3, 2))
    assert layer.get_build_config() == {
        "shapes_dict": {"query_shape": (3, 4), "value_shape": (3, 2)}
    }
    fresh = Two()
    fresh.build_from_config(json.loads(json.dumps(layer.get_build_config())))
    assert fresh.built and fresh.shapes == ((3, 4), (3, 2))


def test_build_with_one_parameter_gets_the_first_shape():
    class Two(Layer):
        def build(self, input_shape):
            self.got = input_shape

        def call(self, a, b):
            return a

    layer = Two()
    layer(X, X[:, :2])
    assert layer.got == (3, 4)


def test_build_of_a_list_of_inputs():
    class Many(Layer):
        def build(self, input_shape):
            self.got = input_shape

        def call(self, inputs):
            return inputs[0]

    layer = Many()
    layer([X, X[:, :2]])
    assert layer.got == [(3, 4), (3, 2)]


def test_layer_without_build_builds_its_parts():
    class Outer(Layer):
        def __init__(self):
            super().__init__()
            self.a = layers.Dense(3)
            self.b = layers.Dense(2)

        def call(self, x):
            return self.b(self.a(x))

    layer = Outer()
    symbolic = layer(Input((4,)))
    assert symbolic.shape == (None, 2)
    assert [v.path for v in layer.weights] == [
        "outer/dense/kernel",
        "outer/dense/bias",
        "outer/dense_1/kernel",
        "outer/dense_1/bias",
    ] or layer.weights[0].path.startswith("outer")
    other = Outer()
    other.build((None, 4))
    assert len(other.weights) == 4


@pytest.mark.parametrize("where", ["list", "nested", "dict", "tuple", "append"])
def test_tracking_of_containers(where):
    class Holder(Layer):
        def __init__(self):
            super().__init__()
            d = layers.Dense(2)
            if where == "list":
                self.held = [d]
            elif where == "nested":
                self.held = [[1, [d]]]
            elif where == "dict":
                self.held = {"a": {"b": d}}
            elif where == "tuple":
                self.held = (d, 3)
            else:
                self.held = []
                self.held.append(d)
            self.d = d

        def call(self, x):
            return self.d(x)

    layer = Holder()
    layer(X)
    assert len(layer.weights) == 2 and len(layer._layers) == 1
    copied = copy.deepcopy(layer)
    assert len(copied.weights) == 2
    np.testing.assert_allclose(array(copied(X)), array(layer(X)), rtol=1e-6)


def test_replaced_and_deleted_layers_are_let_go():
    layer = Layer()
    layer.a = layers.Dense(2)
    layer.b = layer.a
    layer.a = layers.Dense(3)
    assert len(layer._layers) == 2
    layer.b = None
    assert layer._layers == [layer.a]
    del layer.a
    assert layer._layers == []


def test_state_is_locked_after_build():
    layer = Scale()
    layer(X)
    with pytest.raises(ValueError, match="already built"):
        layer.extra = layers.Dense(2)
    with pytest.raises(ValueError, match="already built"):
        layer.add_weight(shape=(1,))
    layer.number = 3  # what is no state may be set


def test_order_of_weights():
    class Mixed(Layer):
        def __init__(self):
            super().__init__()
            self.sub = layers.Dense(2, name="sub")

        def build(self, input_shape):
            self.frozen = self.add_weight(shape=(1,), trainable=False, name="frozen")
            self.free = self.add_weight(shape=(1,), name="free")
            self.sub.build(input_shape)

        def call(self, x):
            return self.sub(x)

    layer = Mixed()
    layer(X)
    assert [v.name for v in layer.weights] == ["free", "frozen", "kernel", "bias"]
    assert [v.name for v in layer.trainable_weights] == ["free", "kernel", "bias"]
    assert [v.name for v in layer.non_trainable_weights] == ["frozen"]
    layer.trainable = False
    assert layer.trainable_weights == [] and not layer.sub.trainable
    layer.trainable = True
    assert len(layer.trainable_weights) == 3 or not layer.frozen.trainable


def test_seed_generators_count_as_variables_not_as_weights():
    layer = layers.Dropout(0.5)
    assert layer.weights == []
    assert [v.dtype for v in layer.variables] == ["uint32"]


def test_trainable_false_from_the_start():
    layer = layers.Dense(2, trainable=False)
    layer(X)
    assert layer.trainable_weights == [] and len(layer.non_trainable_weights) == 2


# -- training -----------------------------------------------------------------------------


def test_explicit_training_wins_then_the_call_around():
    class Outer(Layer):
        def __init__(self):
            super().__init__()
            self.plain = Probe()
            self.fixed = Probe()

        def call(self, x):
            return self.fixed(self.plain(x), training=True)

    layer = Outer()
    layer(X)
    for probe in (layer.plain, layer.fixed):
        probe.seen.clear()
    layer(X, training=False)
    layer(X)
    assert layer.plain.seen == [False, None]
    assert layer.fixed.seen == [True, True]


def test_a_default_of_true_stays_local():
    class Eager(Layer):
        def __init__(self):
            super().__init__()
            self.inside = Probe()

        def call(self, x, training=True):
            self.mine = training
            return self.inside(x)

    x = Input((4,))
    eager, probe = Eager(), Probe()
    model = Model(x, probe(eager(x)))
    probe.seen.clear(), eager.inside.seen.clear()
    model(X)
    assert eager.mine is True
    assert probe.seen == [None] and eager.inside.seen == [None]
    model(X, training=False)
    assert eager.mine is False and probe.seen[-1] is False


def test_training_reaches_layers_whose_parents_do_not_take_it():
    class Outer(Layer):
        def __init__(self):
            super().__init__()
            self.probe = Probe()

        def call(self, x):
            return self.probe(x)

    layer = Outer()
    layer(X)
    layer(X, training=True)
    assert layer.probe.seen[-1] is True


# -- masks --------------------------------------------------------------------------------


class TakesMask(Layer):
    def call(self, inputs, mask=None):
        self.got = mask
        return inputs


def masked(x, value=True):
    x = tensor(np.array(x))
    set_mask(x, tensor(np.full(x.shape[:1], value)))
    return x


def test_mask_is_handed_over():
    layer = TakesMask()
    layer(masked(X))
    assert layer.got is not None
    layer(tensor(X + 1))
    assert layer.got is None


def test_masks_of_several_inputs_and_own_arguments():
    class Two(Layer):
        supports = True

        def call(self, query, value, query_mask=None, value_mask=None, attn_mask=None):
            self.got = (query_mask, value_mask, attn_mask)
            return query

    layer = Two()
    layer(masked(X), tensor(X))
    query, value, own = layer.got
    assert query is not None and value is None and own is None


def test_supported_mask_is_passed_on():
    class Passes(Layer):
        def __init__(self):
            super().__init__()
            self.supports_masking = True

        def call(self, x):
            return x * 2

    assert get_mask(Passes()(masked(X))) is not None


def test_dropping_a_mask_warns():
    with pytest.warns(UserWarning, match="will not see the mask"):
        Scale()(masked(X))


def test_mask_in_the_plan_of_a_built_layer():
    layer = TakesMask()
    x = tensor(X.copy())
    layer(x)
    layer(x)
    set_mask(x, tensor(np.array([True, False, True])))
    layer(x)
    assert layer.got is not None


# -- losses -------------------------------------------------------------------------------


class AddsLoss(Layer):
    def call(self, x):
        self.add_loss(ops.sum(x))
        return x


def test_losses_are_those_of_the_last_call():
    layer = AddsLoss()
    layer(X)
    layer(X)
    assert [float(array(v)) for v in layer.losses] == [66.0]


def test_losses_of_regularizers_and_inner_layers():
    class Outer(Layer):
        def __init__(self):
            super().__init__()
            self.a = AddsLoss()
            self.d = layers.Dense(2, kernel_regularizer="l2", activity_regularizer="l1")

        def call(self, x):
            return self.d(self.a(self.a(x)))

    layer = Outer()
    layer(X)
    assert len(layer.losses) == 4
    layer(X)
    assert len(layer.losses) == 4


def test_add_loss_takes_tensors_only():
    class Bad(Layer):
        def call(self, x):
            self.add_loss("big")
            return x

    with pytest.raises(ValueError, match="add_loss"):
        Bad()(X)


def test_stateless_call():
    layer = layers.BatchNormalization()
    layer(X)
    trainable = [v.value for v in layer.trainable_variables]
    rest = [v.value for v in layer.non_trainable_variables]
    before = [v.numpy() for v in layer.weights]
    y, after, losses = layer.stateless_call(trainable, rest, X, training=True, return_losses=True)
    assert losses == [] and len(after) == len(rest) and tuple(y.shape) == X.shape
    assert not np.allclose(array(after[0]), before[2])
    for v, b in zip(layer.weights, before, strict=True):
        np.testing.assert_array_equal(v.numpy(), b)
    with pytest.raises(ValueError, match="trainable_variables"):
        layer.stateless_call([], rest, X)
    with pytest.raises(ValueError, match="must be built"):
        layers.Dense(2).stateless_call([], [], X)


def test_stateless_call_collects_losses():
    layer = AddsLoss()
    layer(X)
    _, _, losses = layer.stateless_call([], [], X, return_losses=True)
    assert [float(array(v)) for v in losses] == [66.0]


# -- configs ------------------------------------------------------------------------------


class Configured(Layer):
    def __init__(self, a, b=3, *, c=None, **kwargs):
        super().__init__(**kwargs)

    def call(self, x):
        return x


def test_automatic_config():
    layer = Configured(1, c={"z": (1, 2)}, name="hey", dtype="mixed_bfloat16", trainable=False)
    config = layer.get_config()
    assert config["a"] == 1 and config["b"] == 3 and config["c"] == {"z": (1, 2)}
    assert config["name"] == "hey" and config["trainable"] is False
    assert config["dtype"]["config"] == {"name": "mixed_bfloat16"}
    made = Configured.from_config(config)
    assert made.get_config() == config and made.compute_dtype == "bfloat16"


def test_automatic_config_of_objects():
    layer = Configured(layers.Dense(2, name="inside"), c="relu")
    made = Configured.from_config(json.loads(json.dumps(layer.get_config())))
    assert made.get_config()["a"]["config"]["name"] == "inside"


def test_constructor_without_base_arguments():
    class Short(Layer):
        def __init__(self, n):
            super().__init__(name="fixed")
            self.n = n

        def call(self, x):
            return x

    layer = Short(3)
    layer.trainable = False
    made = Short.from_config(layer.get_config())
    assert made.n == 3 and made.name == "fixed" and made.trainable is False


@pytest.mark.parametrize("value", [object(), lambda x: x, {1: 2}, np.random.RandomState(0)])
def test_arguments_without_a_json_form(value):
    with pytest.raises(NotImplementedError, match="`c`"):
        Configured(1, c=value).get_config()


def test_positional_only_arguments_are_refused():
    class Star(Layer):
        def __init__(self, *sizes):
            super().__init__()

    with pytest.raises(NotImplementedError, match=r"\*sizes"):
        Star(1, 2).get_config()


def test_subclass_of_a_built_in_layer():
    class Sub(layers.Dense):
        def __init__(self, foo, **kwargs):
            super().__init__(4, **kwargs)
            self.foo = foo

        def get_config(self):
            config = super().get_config()
            del config["units"]
            return config | {"foo": self.foo}

    layer = Sub(3)
    config = layer.get_config()
    assert config["foo"] == 3 and config["activation"] == "linear" and "units" not in config


def test_copies_and_pickles():
    layer = layers.Dense(2, activation="relu")
    y = array(layer(X))
    for made in (copy.deepcopy(layer), pickle.loads(pickle.dumps(layer))):
        np.testing.assert_array_equal(array(made(X)), y)
        made.kernel.assign(made.kernel * 0)
        np.testing.assert_array_equal(array(layer(X)), y)


def test_own_variables_in_a_store():
    layer, store = layers.Dense(2), {}
    layer(X)
    layer.save_own_variables(store)
    other = layers.Dense(2)
    other.build((None, 4))
    other.load_own_variables(store)
    np.testing.assert_array_equal(array(layer(X)), array(other(X)))
    with pytest.raises(ValueError, match="variables"):
        other.load_own_variables({})
    with pytest.raises(ValueError, match="not built"):
        layers.Dense(2).load_own_variables(store)


# -- shapes -------------------------------------------------------------------------------


def test_user_defined_output_shape_is_honoured():
    class Opaque(Layer):
        def call(self, x):
            return tensor(array(x).sum(-1))

        def compute_output_shape(self, input_shape):
            return input_shape[:-1]

    assert Opaque()(Input((4,))).shape == (None,)


def test_identity_does_not_disturb_the_graph():
    x = Input((4,))
    y = Probe()(x)
    assert y is not x and x._keras_history.operation is not y._keras_history.operation
    np.testing.assert_array_equal(array(Model(x, y)(X)), X)


def test_compute_output_shape():
    dense = layers.Dense(3)
    assert dense.compute_output_shape((None, 4)) == (None, 3)
    assert not dense.built

    class Outer(Layer):
        def __init__(self):
            super().__init__()
            self.d = layers.Dense(2)

        def call(self, x):
            return {"a": self.d(x), "b": x}

    assert Outer().compute_output_shape((5, 4)) == {"a": (5, 2), "b": (5, 4)}


def test_sizes_needed_as_ints():
    class Halves(Layer):
        def call(self, x):
            return ops.reshape(x, (-1, int(x.shape[1]) // 2))

    assert Halves()(Input((4,))).shape == (None, 2)


# -- the plan -----------------------------------------------------------------------------


def test_new_shapes_and_dtypes_are_checked_on_a_built_layer():
    layer = layers.Dense(2)
    x = tensor(X)
    layer(x)
    layer(x)
    with pytest.raises(ValueError, match="axis -1"):
        layer(tensor(X[:, :3]))
    y = layer(X.astype("float64"))
    assert kops.active().dtype_of(y) == "float32"
    np.testing.assert_allclose(array(layer(x)), array(y), rtol=1e-5)


def test_changes_on_a_built_layer_take_effect():
    layer = layers.Dense(2)
    x = tensor(X)
    layer(x)
    layer(x)
    layer.dtype_policy = "mixed_bfloat16"
    assert kops.active().dtype_of(layer(x)) == "bfloat16"
    layer.dtype_policy = "float32"
    assert kops.active().dtype_of(layer(x)) == "float32"
    layer.activity_regularizer = "l2"
    layer(x)
    assert len(layer.losses) == 1


def test_empty_batch():
    layer = layers.Dense(2)
    assert tuple(layer(X[:0]).shape) == (0, 2)


def test_wraps_arguments_by_keyword():
    class Keyword(Layer):
        def call(self, x, *, scale=1.0):
            return x * scale

    np.testing.assert_allclose(array(Keyword()(X, scale=3.0)), X * 3)
    np.testing.assert_allclose(array(Keyword()(x=X)), X)
