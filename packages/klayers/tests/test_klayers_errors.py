"""Messages a new user sees: each names the thing, what it was, and the fix."""

from __future__ import annotations

import numpy as np
import pytest

from klayers import Input, InputSpec, Layer, Model, Sequential, layers

X = np.arange(12, dtype="float32").reshape(3, 4)


def raises(error, *parts):
    return pytest.raises(error, match="(?s)" + ".*".join(parts))


def test_shape_mismatch_into_dense():
    layer = layers.Dense(2, name="head")
    layer(X)
    with raises(ValueError, "'head'", "axis -1", "size 4", r"\(3, 5\)"):
        layer(np.ones((3, 5), "float32"))
    with raises(ValueError, "min_ndim=2", r"\(3,\)"):
        layers.Dense(2)(np.ones(3, "float32"))


def test_wrong_rank():
    with raises(ValueError, "ndim=4", r"\(3, 4\)"):
        layers.Conv2D(2, 3)(X)


def test_constructor_arguments():
    with raises(ValueError, "Dense", r"\['foo'\]", "name"):
        layers.Dense(2, foo=3)
    with raises(ValueError, "`name`", "3"):
        layers.Dense(2, name=3)
    with raises(ValueError, "`name`", "a/b"):
        layers.Dense(2, name="a/b")
    with raises(ValueError, "bogus"):
        layers.Dense(2, dtype="bogus")


def test_arguments_of_a_call():
    with raises(TypeError, "inputs"):
        layers.Dense(2)()
    with raises(ValueError, "by position", "1", "int"):
        layers.Dense(2)([1, 2])
    with raises(ValueError, "by position", "'a'"):
        layers.Dense(2)("a")
    with raises(TypeError, "bogus"):
        layers.Flatten()(X, bogus=1)


def test_forgotten_super():
    class Forgot(Layer):
        def __init__(self):
            self.x = 3

        def call(self, x):
            return x

    with raises(RuntimeError, "Forgot", r"super\(\).__init__"):
        Forgot()(X)


def test_no_call():
    with raises(NotImplementedError, "Empty", r"`call\(\)`"):
        type("Empty", (Layer,), {})()(X)


def test_error_inside_call_keeps_its_type_and_gets_a_note():
    class Fails(Layer):
        def call(self, x):
            raise RuntimeError("boom")

    with pytest.raises(RuntimeError, match="boom") as caught:
        Fails(name="f")(X)
    assert "'f'" in caught.value.__notes__[0] and "(3, 4)" in caught.value.__notes__[0]
    assert len(caught.value.__notes__) == 1
    with pytest.raises(RuntimeError, match="boom"):
        Fails()(Input((4,)))


def test_inputs_of_a_model():
    x = Input((4,), name="x")
    model = Model(x, layers.Dense(2)(x), name="m")
    with raises(ValueError, "'m'", r"\(None, 4\)", r"\(3, 3\)"):
        model(X[:, :3])
    with raises(ValueError, "'m'", "1 input", "2"):
        model([X, X])
    with raises(ValueError, "'m'", "'x'"):
        model({"y": X})


def test_graphs():
    a, b = Input((4,), name="a"), Input((4,), name="b")
    with raises(ValueError, "disconnected", "b"):
        Model(a, b * 2.0)
    with raises(ValueError, "`inputs`", "Input"):
        Model(X, b)
    with raises(ValueError, "`outputs`"):
        Model(a, X)
    with raises(ValueError, "two layers named 'k'"):
        Model(a, layers.Dense(1, name="k")(layers.Dense(1, name="k")(a)))
    with raises(TypeError, "positional"):
        Model(a)


def test_input():
    with raises(ValueError, "`shape`"):
        Input()
    with raises(ValueError, "not both"):
        Input((2,), batch_shape=(2, 3))
    with raises(ValueError, "`shape`", "3.5"):
        Input((3.5,))


def test_input_spec():
    with raises(TypeError, "`axes`"):
        InputSpec(axes={"a": 1})
    with raises(ValueError, "`axes`", "3"):
        InputSpec(ndim=2, axes={3: 1})


def test_weights():
    layer = layers.Dense(2, name="d")
    with raises(ValueError, "'d'", "not built"):
        layer.count_params()
    layer(X)
    with raises(ValueError, "`weights`", "2", "1"):
        layer.set_weights([np.ones((4, 2))])
    with raises(ValueError, "d/kernel", r"\(4, 2\)", r"\(4, 3\)"):
        layer.set_weights([np.ones((4, 3)), np.ones(2)])


def test_quantize():
    with raises(ValueError, "`mode`", "int3"):
        layers.Dense(2).quantize("int3")


def test_build_arguments():
    class Odd(Layer):
        def build(self, q, v_shape):
            pass

        def call(self, q, v):
            return q

    with raises(ValueError, "'q'", "_shape"):
        Odd()(X, X)


def test_add_metric():
    with raises(NotImplementedError, "update_state"):
        layers.Dense(2).add_metric()


def test_unlabelled_sequential():
    with raises(ValueError, "one tensor"):
        Sequential([layers.Dense(2)])([X, X])
