"""Optimizers against the installed Keras, ten steps each, and their own promises."""

from __future__ import annotations

import keras
import numpy as np
import pytest

from kops import Variable, ops
from kops.config import backend
from kops.scopes import name_scope
from ktrain import optimizers

# The installed Keras raises it when it reads its own variables.
pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")

RNG = np.random.default_rng(0)
SHAPES = {"kernel": (3, 4), "bias": (4,), "filters": (2, 2, 3)}
START = {n: RNG.normal(size=s).astype("float32") for n, s in SHAPES.items()}
GRADS = [{n: RNG.normal(size=s).astype("float32") for n, s in SHAPES.items()} for _ in range(10)]

CASES = [
    ("SGD", {}),
    ("SGD", {"momentum": 0.9}),
    ("SGD", {"momentum": 0.9, "nesterov": True}),
    ("SGD", {"weight_decay": 0.1, "clipnorm": 0.5}),
    ("SGD", {"global_clipnorm": 0.5}),
    ("SGD", {"clipvalue": 0.1}),
    ("SGD", {"loss_scale_factor": 8.0}),
    ("SGD", {"use_ema": True, "ema_momentum": 0.7, "ema_overwrite_frequency": 3}),
    ("SGD", {"gradient_accumulation_steps": 3, "clipvalue": 0.3, "weight_decay": 0.1}),
    ("Adam", {}),
    ("Adam", {"amsgrad": True}),
    ("Adam", {"beta_1": 0.5, "beta_2": 0.8, "epsilon": 0.1}),
    ("Adam", {"use_ema": True, "ema_momentum": 0.7}),
    ("Adam", {"gradient_accumulation_steps": 2}),
    ("Adam", {"global_clipnorm": 1.0, "weight_decay": 0.01}),
    ("AdamW", {"weight_decay": 0.1}),
    ("RMSprop", {}),
    ("RMSprop", {"momentum": 0.5, "centered": True, "rho": 0.8}),
    ("Adagrad", {}),
    ("Adadelta", {}),
    ("Adamax", {}),
    ("Nadam", {}),
    ("Ftrl", {}),
    (
        "Ftrl",
        {
            "l1_regularization_strength": 0.01,
            "l2_regularization_strength": 0.1,
            "l2_shrinkage_regularization_strength": 0.2,
            "beta": 0.5,
        },
    ),
    ("Lion", {}),
    ("Adafactor", {}),
    ("Adafactor", {"relative_step": False, "clip_threshold": 0.5}),
    ("Lamb", {}),
    ("Muon", {}),
    ("Muon", {"nesterov": False, "rms_rate": None, "ns_steps": 3}),
    ("ScheduleFreeAdamW", {}),
    ("ScheduleFreeAdamW", {"warmup_steps": 4, "weight_decay": 0.1}),
]
IDS = [f"{name}-{'-'.join(options)}" for name, options in CASES]


def host(x):
    x = x.value if isinstance(x, (Variable, keras.Variable)) else x
    return np.asarray(ops.convert_to_numpy(x))


def our_variables(number=2):
    with name_scope("layer"):
        return [Variable(v, name=n) for n, v in list(START.items())[:number]]


def their_variables(number=2):
    with keras.name_scope("layer"):
        return [keras.Variable(v, name=n) for n, v in list(START.items())[:number]]


def tensors(grads, number=2):
    return [ops.convert_to_tensor(g) for g in list(grads.values())[:number]]


def run(optimizer, variables, steps=10):
    optimizer.build(variables)
    for grads in GRADS[:steps]:
        optimizer.apply(tensors(grads, len(variables)), variables)
    return [host(v) for v in variables]


@pytest.mark.skipif(backend() == "numpy", reason="Keras does not train on numpy")
@pytest.mark.parametrize(("name", "options"), CASES, ids=IDS)
def test_agrees_with_keras(name, options):
    if name == "ScheduleFreeAdamW" and backend() != "jax":
        pytest.skip("Keras reads a tensor there that it has changed; see the next test")
    ours = getattr(optimizers, name)(learning_rate=0.05, **options)
    theirs = getattr(keras.optimizers, name)(learning_rate=0.05, **options)
    number = 3 if name in ("Adafactor", "Muon") else 2  # those look at the rank
    got, wanted = run(ours, our_variables(number)), run(theirs, their_variables(number))
    for a, b in zip(got, wanted, strict=True):
        np.testing.assert_allclose(a, b, rtol=2e-4, atol=2e-6)
    # The state in the order of files.
    assert len(ours.variables) == len(theirs.variables)
    for a, b in zip(ours.variables, theirs.variables, strict=True):
        assert a.shape == tuple(b.shape)
        np.testing.assert_allclose(host(a), host(b), rtol=2e-4, atol=2e-6)
    if name not in ("Adafactor", "Nadam"):  # Keras calls some of theirs by other names
        assert [v.name for v in ours.variables] == [v.name for v in theirs.variables]


def test_schedule_free_follows_the_paper():
    optimizer, variables = optimizers.ScheduleFreeAdamW(0.05), our_variables()
    got = run(optimizer, variables)[0]
    y = z = START["kernel"].astype("float64")
    square = np.zeros_like(y)
    for t, grads in enumerate(GRADS, start=1):
        g = grads["kernel"].astype("float64")
        square = 0.999 * square + 0.001 * g**2
        change = 0.05 * g / (np.sqrt(square / (1 - 0.999**t)) + 1e-8)
        y = (1 - 1 / t) * y + z / t - change * (1 - 0.9 * (1 - 1 / t))
        z = z - change
    np.testing.assert_allclose(got, y, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize(("name", "options"), CASES, ids=IDS)
def test_stateless_equals_stateful(name, options):
    stateful = getattr(optimizers, name)(learning_rate=0.05, **options)
    wanted = run(stateful, our_variables(), steps=4)
    optimizer, variables = getattr(optimizers, name)(learning_rate=0.05, **options), our_variables()
    optimizer.build(variables)
    values = [v.value for v in variables]
    state = [v.value for v in optimizer.variables]
    for grads in GRADS[:4]:
        values, state = optimizer.stateless_apply(state, tensors(grads), values)
    for a, b in zip(values, wanted, strict=True):
        np.testing.assert_allclose(host(a), b, rtol=1e-4, atol=2e-6)
    for a, b in zip(state, stateful.variables, strict=True):
        np.testing.assert_allclose(host(a), host(b), rtol=1e-4, atol=2e-6)
    np.testing.assert_array_equal(host(variables[0]), START["kernel"])  # untouched


@pytest.mark.parametrize(("name", "options"), CASES, ids=IDS)
def test_config_round_trip(name, options):
    ours = getattr(optimizers, name)(**options)
    config = optimizers.serialize(ours)
    assert (config["module"], config["class_name"]) == ("keras.optimizers", name)
    assert optimizers.deserialize(config).get_config() == ours.get_config()
    theirs = getattr(keras.optimizers, name)(**options)
    their_config = theirs.get_config()
    assert {**ours.get_config(), "name": None} == {**their_config, "name": None}
    # Keras on torch names a module of its own in the config.
    assert type(optimizers.deserialize(keras.optimizers.serialize(theirs))) is type(ours)


def test_state_goes_to_and_from_keras():
    if backend() == "numpy":
        pytest.skip("Keras does not train on numpy")
    ours, theirs = optimizers.Adam(0.1), keras.optimizers.Adam(0.5)
    run(ours, our_variables(), steps=3)
    theirs.build(their_variables())
    store = {}
    ours.save_own_variables(store)
    assert list(store) == [str(i) for i in range(6)]
    theirs.load_own_variables(store)
    assert [host(v).tolist() for v in theirs.variables] == [
        host(v).tolist() for v in ours.variables
    ]


def test_loading_other_state_warns():
    optimizer = optimizers.SGD()
    optimizer.build(our_variables())
    with pytest.warns(UserWarning, match="has 2 variables whereas the saved optimizer has 1"):
        optimizer.load_own_variables({"0": np.zeros(())})


@pytest.mark.parametrize("name", ["SGD", "Adam"])
def test_learning_rate_forms(name):
    make = getattr(optimizers, name)
    schedule = optimizers.schedules.ExponentialDecay(0.1, 2, 0.5)
    by_schedule = run(make(schedule), our_variables(), 4)
    by_hand, variables = make(0.0), our_variables()
    by_hand.build(variables)
    for step, grads in enumerate(GRADS[:4]):
        by_hand.learning_rate = 0.1 * 0.5 ** (step / 2)
        by_hand.apply(tensors(grads))
    for a, b in zip(by_schedule, variables, strict=True):
        np.testing.assert_allclose(a, host(b), rtol=1e-5, atol=1e-7)
    by_function = run(make(lambda: 0.1), our_variables(), 4)
    for a, b in zip(by_function, run(make(0.1), our_variables(), 4), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-7)


def test_learning_rate_is_settable_only_if_a_number():
    optimizer = optimizers.Adam(0.1)
    optimizer.learning_rate = 0.5
    assert float(host(optimizer.learning_rate)) == 0.5
    assert optimizer.get_config()["learning_rate"] == 0.5
    scheduled = optimizers.Adam(optimizers.schedules.CosineDecay(0.1, 10))
    assert [v.name for v in scheduled.variables] == ["iteration"]
    with pytest.raises(TypeError, match="not settable"):
        scheduled.learning_rate = 0.5
    again = optimizers.deserialize(optimizers.serialize(scheduled))
    assert again.get_config() == scheduled.get_config()


def test_iterations_count_updates():
    optimizer = optimizers.SGD(gradient_accumulation_steps=2)
    run(optimizer, our_variables(), 5)
    assert int(host(optimizer.iterations)) == 2
    optimizer = optimizers.SGD()
    run(optimizer, our_variables(), 5)
    assert int(host(optimizer.iterations)) == 5


@pytest.mark.parametrize("name", ["SGD", "Adam", "RMSprop"])
def test_memory_layout_of_gradients_does_not_matter(name):
    results = []
    for transpose in (False, True):
        optimizer, weight = getattr(optimizers, name)(0.1), Variable(START["kernel"], name="w")
        optimizer.build([weight])
        for grads in GRADS[:3]:
            gradient = ops.convert_to_tensor(grads["kernel"])
            if transpose:  # on some engines a view with other strides
                gradient = ops.transpose(ops.copy(ops.transpose(gradient)))
            optimizer.apply([gradient])
        results.append(host(weight))
    np.testing.assert_allclose(*results, rtol=1e-5, atol=1e-7)


def test_restored_step_count_is_used():
    first, variables = optimizers.Adam(0.1), our_variables()
    run(first, variables, 3)
    second, others = optimizers.Adam(0.1), our_variables()
    run(second, others, 1)  # so that anything remembered is wrong
    for mine, kept in zip(second.variables, first.variables, strict=True):
        mine.assign(kept.value)
    for mine, kept in zip(others, variables, strict=True):
        mine.assign(kept.value)
    first.apply(tensors(GRADS[3]), variables)
    second.apply(tensors(GRADS[3]), others)
    for a, b in zip(variables, others, strict=True):
        np.testing.assert_array_equal(host(a), host(b))


def test_exclude_from_weight_decay():
    optimizer = optimizers.AdamW(learning_rate=1.0, weight_decay=0.1)
    kernel, bias, gamma = (Variable(np.ones(3, "float32"), name=n) for n in ("kernel", "b", "g"))
    optimizer.exclude_from_weight_decay(var_list=[gamma], var_names=["^b$"])
    zeros = [ops.zeros((3,))] * 3
    optimizer.build([kernel, bias, gamma])
    optimizer.apply(zeros)
    np.testing.assert_allclose(host(kernel), 0.9, rtol=1e-6)
    assert host(bias).tolist() == host(gamma).tolist() == [1.0] * 3


def test_averages_with_accumulation_once_per_update():
    optimizer = optimizers.SGD(1.0, use_ema=True, ema_momentum=0.5, gradient_accumulation_steps=2)
    weight = Variable(np.zeros(1, "float32"), name="w")
    optimizer.build([weight])
    for _ in range(6):  # after the updates the weight is -1, -2, -3
        optimizer.apply([ops.ones((1,))])
    average = 0.5 * (0.5 * -1 + 0.5 * -2) + 0.5 * -3
    optimizer.finalize_variable_values([weight])
    np.testing.assert_allclose(host(weight), average)


def test_constraint_and_overwriting():
    bounded = Variable(np.ones(3, "float32"), name="w")
    bounded.constraint = lambda w: ops.clip(w, 0.0, 1.5)
    scale = Variable(np.ones(3, "float32"), name="scale")
    scale.overwrite_with_gradient = True
    optimizer = optimizers.Adam(10.0)
    optimizer.build([bounded, scale])
    assert len(optimizer.variables) == 4  # no slots for the scale
    gradient = ops.convert_to_tensor(np.array([1.0, -1.0, 1.0], "float32"))
    optimizer.apply([gradient, gradient])
    assert host(bounded).tolist() == [0.0, 1.5, 0.0]
    assert host(scale).tolist() == [1.0, -1.0, 1.0]


def test_missing_gradients():
    optimizer = optimizers.SGD(1.0)
    a, b = (Variable(np.ones(2, "float32"), name=n) for n in "ab")
    with pytest.warns(UserWarning, match="Gradients do not exist for variables \\['a'\\]"):
        optimizer.apply([None, ops.ones((2,))], [a, b])
    assert (host(a).tolist(), host(b).tolist()) == ([1.0, 1.0], [0.0, 0.0])
    with pytest.raises(ValueError, match="No gradients provided for any variable"):
        optimizer.apply([None, None])
    optimizer.apply([], [])  # nothing to do


def test_errors():
    with pytest.raises(ValueError, match="Only one of `clipnorm`, `clipvalue` and"):
        optimizers.SGD(clipnorm=1.0, global_clipnorm=1.0)
    with pytest.raises(ValueError, match="`ema_momentum` of SGD must be"):
        optimizers.SGD(use_ema=True, ema_momentum=2.0)
    with pytest.raises(
        ValueError, match="`gradient_accumulation_steps` of SGD must be an integer of at least 2"
    ):
        optimizers.SGD(gradient_accumulation_steps=1)
    with pytest.raises(ValueError, match="`learning_rate` of SGD must be a number of at least 0"):
        optimizers.SGD("fast")
    with pytest.raises(ValueError, match="not recognized: {'foo': 1}"):
        optimizers.SGD(foo=1)
    with pytest.raises(ValueError, match="must already be built"):
        optimizers.SGD().apply([ops.ones((2,))])
    optimizer = optimizers.SGD()
    run(optimizer, our_variables(), 1)
    with pytest.raises(ValueError, match="Unknown variable"):
        optimizer.apply(tensors(GRADS[0]), our_variables())
    with pytest.raises(ValueError, match="1 gradients for 2 variables"):
        optimizer.apply([ops.ones((2,))])
    with pytest.raises(ValueError, match="must be built"):
        optimizers.SGD().stateless_apply([], [], [])
    with pytest.raises(NotImplementedError, match="must override `update_step"):
        optimizers.Optimizer(0.1).apply(tensors(GRADS[0]), our_variables())
    with pytest.raises(ValueError, match="Could not interpret optimizer identifier: 'bad'.*'adam'"):
        optimizers.get("bad")


def test_get():
    assert type(optimizers.get("ADAM")) is optimizers.Adam
    assert type(optimizers.get("rmsprop")) is optimizers.RMSprop
    assert type(optimizers.get({"class_name": "adam", "config": {}})) is optimizers.Adam
    assert optimizers.get(None) is None
    optimizer = optimizers.SGD()
    assert optimizers.get(optimizer) is optimizer


def test_own_rule_with_own_slots():
    class Momentum(optimizers.Optimizer):
        def build(self, variables):
            super().build(variables)
            self.slots, self.ones = self.add_optimizer_variables(
                variables, ("speed", "one"), initializer=["zeros", "ones"]
            )

        def update_step(self, gradient, variable, learning_rate):
            slot = self.slots[self._get_variable_index(variable)]
            self.assign(slot, slot + gradient)
            self.assign_sub(variable, slot * learning_rate)

    class Half(optimizers.Adam):
        def update_step(self, gradient, variable, learning_rate):
            self.assign(variable, variable * 0.5)

    weight = Variable(np.zeros(1, "float32"), name="w")
    optimizer = Momentum(1.0)
    for _ in range(2):
        optimizer.apply([ops.ones((1,))], [weight])
    assert host(weight).tolist() == [-3.0]
    assert [v.name for v in optimizer.variables][2:] == ["w_speed", "w_one"]
    other = Variable(np.ones(1, "float32"), name="w")
    Half().apply([ops.ones((1,))], [other])  # not the engine's Adam
    assert host(other).tolist() == [0.5]


class TestLossScale:
    def make(self, **options):
        optimizer = optimizers.LossScaleOptimizer(
            optimizers.SGD(1.0), initial_scale=8.0, dynamic_growth_steps=2, **options
        )
        weight = Variable(np.zeros(3, "float32"), name="w")
        optimizer.build([weight])
        return optimizer, weight

    def test_scale_follows_overflow(self):
        optimizer, weight = self.make()
        seen = []
        for size in (8.0, 8.0, 16.0, 16.0, np.inf, 32.0, np.nan, 8.0, 8.0):
            optimizer.apply([ops.convert_to_tensor(np.full(3, size, "float32"))])
            seen.append((float(host(weight)[0]), float(host(optimizer.dynamic_scale))))
        assert seen == [
            (-1, 8), (-2, 16), (-3, 16), (-4, 32), (-4, 16), (-6, 16), (-6, 8), (-7, 8), (-8, 16)
        ]  # fmt: skip
        assert int(host(optimizer.iterations)) == 7
        assert float(host(optimizer.scale_loss(ops.convert_to_tensor(2.0)))) == 32.0

    def test_stateless(self):
        optimizer, weight = self.make()
        values, state = [weight.value], [v.value for v in optimizer.variables]
        for size in (8.0, np.inf):
            grads = [ops.convert_to_tensor(np.full(3, size, "float32"))]
            values, state = optimizer.stateless_apply(state, grads, values)
        assert host(values[0]).tolist() == [-1.0] * 3
        assert float(host(state[3])) == 4.0

    def test_overwritten_variables_take_the_gradient_as_it_is(self):
        scale = Variable(np.ones(3, "float32"), name="scale")
        scale.overwrite_with_gradient = True
        weight = Variable(np.zeros(3, "float32"), name="w")
        optimizer = optimizers.LossScaleOptimizer(optimizers.SGD(1.0), initial_scale=8.0)
        optimizer.apply([ops.ones((3,)) * 2.0, ops.ones((3,)) * 8.0], [scale, weight])
        assert host(scale).tolist() == [2.0] * 3
        assert host(weight).tolist() == [-1.0] * 3

    def test_config(self):
        optimizer, _ = self.make(name="scaled")
        again = optimizers.deserialize(optimizers.serialize(optimizer))
        assert again.get_config() == optimizer.get_config()
        theirs = keras.optimizers.LossScaleOptimizer(keras.optimizers.SGD(0.1))
        ours = optimizers.deserialize(keras.optimizers.serialize(theirs))
        assert isinstance(ours.inner_optimizer, optimizers.SGD)
        optimizer.learning_rate = 0.25
        assert float(host(optimizer.inner_optimizer.learning_rate)) == 0.25
        with pytest.raises(ValueError, match="set `weight_decay` on the `inner_optimizer`"):
            optimizers.LossScaleOptimizer(optimizers.SGD(), weight_decay=0.1)


@pytest.mark.skipif(backend() == "numpy", reason="numpy compiles nothing")
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"gradient_accumulation_steps": 2},
        {"use_ema": True, "ema_overwrite_frequency": 2},
        {"clipnorm": 0.5, "weight_decay": 0.1},
    ],
    ids=str,
)
def test_compiled_equals_eager(options):
    from kops import backend as backends

    wanted = run(optimizers.Adam(0.05, **options), our_variables(), 5)
    optimizer, variables = optimizers.Adam(0.05, **options), our_variables()
    optimizer.build(variables)
    step = backends.active().compile(optimizer.stateless_apply)
    values, state = [v.value for v in variables], [v.value for v in optimizer.variables]
    values, state = [ops.copy(v) for v in values], [ops.copy(v) for v in state]
    for grads in GRADS[:5]:
        values, state = step(state, tensors(grads), values)
    for a, b in zip(values, wanted, strict=True):
        np.testing.assert_allclose(host(a), b, rtol=1e-4, atol=2e-6)
