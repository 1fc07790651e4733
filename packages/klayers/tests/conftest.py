"""The oracle of the layer tests: the installed Keras on the same engine, as a black box."""

from __future__ import annotations

import json
import warnings
import zlib
from types import SimpleNamespace

import numpy as np
import pytest

import klayers
import kops
from kops import tree

BACKEND = kops.config.backend()
CAN_DIFFERENTIATE = BACKEND != "numpy"


@pytest.fixture(scope="session")
def keras():
    """The installed Keras, on the active engine."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = pytest.importorskip("keras")
        # What it imports late (and warns about) is imported here.
        found.layers.Dense(1)(np.zeros((1, 1), "float32"))
    if found.backend.backend() != BACKEND:
        pytest.skip("the installed Keras runs on another engine")
    return found


@pytest.fixture(scope="session")
def oracle(keras):
    """`oracle.check(...)`: a layer of ours against Keras's, see `_check`."""
    return SimpleNamespace(
        keras=keras,
        check=lambda *args, **kwargs: _check(keras, *args, **kwargs),
        quiet=_quiet,
        values=lambda layer: [_quiet(keras.ops.convert_to_numpy, w) for w in layer.weights],
        config=lambda layer: _plain(layer.get_config()),
    )


def numpy_of(x):
    """A tensor of the active engine as a NumPy array."""
    return kops.ops.convert_to_numpy(x)


def _check(
    keras,
    name,
    kwargs,
    *inputs,
    call=None,
    inner=None,
    as_list=False,
    gradients=True,
    atol=1e-5,
    config=True,
    seed=0,
):
    """Compares outputs, states, gradients and configs of `layers.<name>(**kwargs)`.

    `inputs` are arrays (one positional argument each, one list with `as_list`), `call`
    holds further arguments of the call, and `inner` makes the wrapped layer.
    """
    call = call or {}
    rng = np.random.default_rng(seed)
    pair = []
    for layers in (keras.layers, klayers.layers):
        arguments = dict(kwargs)
        if inner is not None:
            arguments.update(inner(layers))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            pair.append(getattr(layers, name)(**arguments))
    theirs, ours = pair
    initializers = _start_from_zeros(keras, theirs)
    args = [list(inputs)] if as_list else list(inputs)
    _quiet(theirs, *args, **call)
    for layer, attribute, value in initializers:
        setattr(layer, attribute, value)
    ours(*args, **call)
    weights = _quiet(theirs.get_weights)
    assert [w.name for w in ours.weights] == [w.name for w in theirs.weights]
    assert [tuple(w.shape) for w in ours.weights] == [w.shape for w in weights]
    weights = [_other(rng, w, v.name) for w, v in zip(weights, theirs.weights, strict=True)]
    _quiet(theirs.set_weights, weights)
    ours.set_weights(weights)
    _same(_quiet(theirs, *args, **call), ours(*args, **call), atol)
    _same([w.value for w in theirs.weights], [w.value for w in ours.weights], atol)
    _same_shapes(theirs, ours, args, call)
    if config:
        _same_config(theirs, ours)
    if gradients and CAN_DIFFERENTIATE and _chosen(name, kwargs, call):
        _quiet(theirs.set_weights, weights)  # moving statistics have gone on
        ours.set_weights(weights)
        _same_gradients(theirs, ours, args, call, rng, atol)
    return theirs, ours


def _start_from_zeros(keras, layer):
    """Spares Keras the compilation of its initializers: the weights are replaced anyway."""
    found = []
    for part in layer._flatten_layers():
        for attribute, value in list(vars(part).items()):
            if attribute.endswith("_initializer") and hasattr(value, "seed"):
                found.append((part, attribute, value))
                setattr(part, attribute, keras.initializers.Zeros())
    return found


def _chosen(name, kwargs, call):
    """Compiling a gradient takes JAX about a second: every third case has to do there."""
    case = f"{name} {sorted(kwargs)} {kwargs} {sorted(call)}"
    return BACKEND != "jax" or zlib.crc32(case.encode()) % 3 == 0


# What Keras itself refuses on an engine, where ours has a result.
KERAS_CANNOT = [
    ("tensorflow", "dilation rates larger than 1"),
    ("jax", "cannot reshape array"),
    ("tensorflow", "'tuple' object has no attribute 'as_list'"),
]


def _quiet(fn, *args, **kwargs):
    """What Keras returns, without its warnings and without its source in a failure."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return fn(*args, **kwargs)
        except Exception as error:
            message = f"Keras failed: {type(error).__name__}: {str(error)[:300]}"
    if any(engine == BACKEND and text in message for engine, text in KERAS_CANNOT):
        pytest.skip(f"the installed Keras has no result to compare with: {message[:120]}")
    pytest.fail(message, pytrace=False)


def _other(rng, w, name):
    if w.dtype.kind != "f":
        return w
    value = rng.normal(0.0, 0.4, w.shape).astype(w.dtype)
    positive = any(part in name for part in ("variance", "stddev", "gamma"))
    return np.abs(value) + 0.5 if positive else value


def _flat(x):
    return [x] if not isinstance(x, (list, tuple, dict)) else tree.flatten(x)


def _same(theirs, ours, atol):
    theirs, ours = _flat(theirs), _flat(ours)
    assert len(theirs) == len(ours)
    for a, b in zip(theirs, ours, strict=True):
        a, b = numpy_of(a), numpy_of(b)
        assert a.shape == b.shape
        assert a.dtype == b.dtype
        np.testing.assert_allclose(b, a, atol=atol, rtol=1e-4 if atol < 1e-3 else atol)


def _same_shapes(theirs, ours, args, call):
    """The symbolic output has the shape of the eager one, the batch left open."""

    def spec(x):
        return klayers.Input(x.shape[1:], dtype=str(x.dtype))

    symbolic = tree.map_structure(spec, args)
    plain = {k: v for k, v in call.items() if isinstance(v, (bool, int)) and k != "training"}
    eager = _flat(ours(*args, **plain))
    for a, b in zip(_flat(ours(*symbolic, **plain)), eager, strict=True):
        assert tuple(a.shape[1:]) == tuple(b.shape[1:])
        assert a.shape[0] in (None, b.shape[0])


def _plain(config):
    """A config as JSON has it, without the names that depend on how many layers there are."""

    def strip(x):
        if isinstance(x, dict):
            return {k: strip(v) for k, v in x.items() if k != "name" or not isinstance(v, str)}
        if isinstance(x, list):
            return [strip(v) for v in x]
        return x

    return strip(json.loads(json.dumps(config)))


def _same_config(theirs, ours):
    assert _plain(ours.get_config()) == _plain(theirs.get_config())
    assert _plain(ours.get_build_config()) == _plain(theirs.get_build_config())
    again = type(ours).from_config(json.loads(json.dumps(theirs.get_config())))
    assert _plain(again.get_config()) == _plain(ours.get_config())
    theirs_again = _quiet(type(theirs).from_config, json.loads(json.dumps(ours.get_config())))
    assert _plain(theirs_again.get_config()) == _plain(theirs.get_config())


def _same_gradients(theirs, ours, args, call, rng, atol):
    floats = [i for i, a in enumerate(args) if not isinstance(a, list) and a.dtype.kind == "f"]
    if not floats and not theirs.trainable_variables:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        plain = {k: v for k, v in call.items() if k != "training"}
        shapes = [tuple(o.shape) for o in _flat(ours(*args, **plain))]
        factors = [rng.normal(size=s).astype("float32") for s in shapes]
        a = GRADIENTS[BACKEND](theirs, args, call, factors)
        b = GRADIENTS[BACKEND](ours, args, call, factors)
    assert len(a) == len(b)
    for x, y in zip(a, b, strict=True):
        np.testing.assert_allclose(y, x, atol=10 * atol, rtol=1e-3)


def _jax_gradients(layer, args, call, factors):
    import jax

    state = [v.value for v in layer.non_trainable_variables]

    def loss(trainable, args):
        outputs, _ = layer.stateless_call(trainable, state, *args, **call)
        return sum((o * f).sum() for o, f in zip(_flat(outputs), factors, strict=True))

    trainable = [v.value for v in layer.trainable_variables]
    floats = all(a.dtype.kind == "f" for a in tree.flatten(args))
    grad = jax.jit(jax.grad(loss, argnums=(0, 1) if floats else 0))
    grads = grad(trainable, args)
    return [np.asarray(g) for g in tree.flatten(grads)]


def _torch_gradients(layer, args, call, factors):
    import torch

    tensors = tree.map_structure(lambda a: torch.tensor(a, requires_grad=a.dtype.kind == "f"), args)
    variables = [v.value for v in layer.trainable_variables]
    outputs = _flat(layer(*tensors, **call))
    loss = sum((o * torch.tensor(f)).sum() for o, f in zip(outputs, factors, strict=True))
    wanted = variables + [t for t in tree.flatten(tensors) if t.requires_grad]
    grads = torch.autograd.grad(loss, wanted, allow_unused=True)
    return [
        np.zeros(t.shape) if g is None else g.numpy() for g, t in zip(grads, wanted, strict=True)
    ]


def _tensorflow_gradients(layer, args, call, factors):
    import tensorflow as tf

    tensors = tree.map_structure(tf.constant, args)
    variables = [v.value for v in layer.trainable_variables]
    wanted = variables + [t for t in tree.flatten(tensors) if t.dtype.is_floating]
    with tf.GradientTape() as tape:
        tape.watch(wanted)
        outputs = _flat(layer(*tensors, **call))
        loss = sum(tf.reduce_sum(o * f) for o, f in zip(outputs, factors, strict=True))
    grads = tape.gradient(loss, wanted)
    return [
        np.zeros(t.shape) if g is None else tf.convert_to_tensor(g).numpy()
        for g, t in zip(grads, wanted, strict=True)
    ]


GRADIENTS = {
    "jax": _jax_gradients,
    "torch": _torch_gradients,
    "tensorflow": _tensorflow_gradients,
}
