"""Where batches come from: arrays, frames, generators, loaders, `PyDataset`."""

import warnings

import numpy as np
import pytest

import klayers
import ktrain
from klayers import layers
from kops import config, ops, random
from ktrain.data import Feed, make_source
from ktrain.data.class_weights import ClassWeights
from ktrain.engines import engine

TRAINS = config.backend() in ("jax", "torch", "tensorflow")
needs_training = pytest.mark.skipif(not TRAINS, reason="the engine does not train")


class Sequential(ktrain.TrainerMixin, klayers.Sequential):
    pass


X = np.arange(30, dtype="float32").reshape(10, 3)
Y = np.arange(10, dtype="float32")[:, None]


def model_of(loss="mse", units=1):
    model = Sequential([klayers.Input((3,)), layers.Dense(units)])
    model.compile("sgd", loss=loss)
    return model


def batches_of(*args, steps=None, epochs=1, **kwargs):
    feed = Feed(make_source(engine(), *args, **kwargs), steps)
    result = []
    for _ in range(epochs):
        feed.start_epoch()
        epoch = []
        while feed.has_next():
            epoch.append(next(feed))
        feed.end_epoch()
        result.append(epoch)
    return result[0] if epochs == 1 else result


def host(x):
    return ops.convert_to_numpy(x)


def test_packing():
    unpack, pack = ktrain.unpack_x_y_sample_weight, ktrain.pack_x_y_sample_weight
    assert [unpack(d) for d in (1, (1,), (1, 2), (1, 2, 3), [1, 2])] == [
        (1, None, None),
        (1, None, None),
        (1, 2, None),
        (1, 2, 3),
        (1, 2, None),
    ]
    assert pack(1) == 1 and pack([1]) == ([1],) and pack(1, 2) == (1, 2)
    assert pack(1, 2, 3) == (1, 2, 3)


def test_slices_in_order():
    batches = batches_of(X, Y, batch_size=4)
    assert [host(x).shape[0] for x, _ in batches] == [4, 4, 2]
    np.testing.assert_array_equal(np.concatenate([host(x) for x, _ in batches]), X)
    np.testing.assert_array_equal(np.concatenate([host(y) for _, y in batches]), Y)


@pytest.mark.parametrize("shuffle", [True, "batch"])
def test_shuffled_rows_stay_together(shuffle):
    random.set_random_seed(3)
    epochs = batches_of(X, Y, batch_size=4, shuffle=shuffle, epochs=2)
    orders = []
    for batches in epochs:
        x = np.concatenate([host(x) for x, _ in batches])
        y = np.concatenate([host(y) for _, y in batches])
        np.testing.assert_array_equal(x[:, 0], y[:, 0] * 3)
        assert sorted(y[:, 0]) == sorted(Y[:, 0])
        orders.append(y[:, 0].tolist())
    assert orders[0] != orders[1] or shuffle == "batch"
    random.set_random_seed(3)
    again = batches_of(X, Y, batch_size=4, shuffle=shuffle)
    assert np.concatenate([host(y) for _, y in again])[:, 0].tolist() == orders[0]


def test_order_is_the_same_on_every_engine():
    random.set_random_seed(7)
    batches = batches_of(X, Y, batch_size=5, shuffle=True)
    expected = [int(v) for _, y in batches for v in host(y)[:, 0]]
    random.set_random_seed(7)
    from ktrain.data.seeds import shuffle_generator

    assert expected == shuffle_generator().permutation(10).tolist()


def test_nested_structures_and_missing_parts():
    (batch,) = batches_of({"a": X, "b": [X, None]}, Y, batch_size=10)
    assert set(batch[0]) == {"a", "b"} and batch[0]["b"][1] is None
    (batch,) = batches_of([X, X], batch_size=10)
    assert isinstance(batch, tuple) and len(batch) == 1 and len(batch[0]) == 2


def test_dtypes():
    (batch,) = batches_of(X.astype("float64"), np.arange(10), batch_size=10)
    assert host(batch[0]).dtype == np.float32
    assert host(batch[1]).dtype.kind == "i"


def test_steps_go_on_in_the_next_epoch():
    first, second = batches_of(X, Y, batch_size=2, steps=3, epochs=2)
    assert [host(y)[0, 0] for _, y in first] == [0, 2, 4]
    assert [host(y)[0, 0] for _, y in second] == [6, 8, 0]


def test_read_only_and_reversed_arrays():
    fixed = X.copy()
    fixed.flags.writeable = False
    for x in (fixed, X[::-1]):
        (batch,) = batches_of(x, Y, batch_size=10)
        np.testing.assert_array_equal(host(batch[0]), x)


def test_pandas():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=list("abc"))
    (batch,) = batches_of(frame, pandas.Series(Y[:, 0]), batch_size=10)
    np.testing.assert_array_equal(host(batch[0]), X)
    assert host(batch[1]).shape == (10,)
    assert model_of().evaluate(frame, pandas.Series(Y[:, 0]), verbose=0) >= 0


def test_tensors_of_the_engine():
    x, y = ops.convert_to_tensor(X), ops.convert_to_tensor(Y)
    batches = batches_of(x, y, batch_size=4, shuffle=True)
    assert sum(host(a).shape[0] for a, _ in batches) == 10
    assert model_of().evaluate(x, y, verbose=0) >= 0


def gen(count=4, rows=5):
    for i in range(count):
        yield X[i : i + rows], Y[i : i + rows]


def test_generator():
    assert len(batches_of(gen())) == 4
    assert model_of().evaluate(gen(), verbose=0) > 0
    assert model_of().evaluate(gen(), steps=2, verbose=0) > 0


@needs_training
def test_generator_over_epochs():
    history = model_of().fit(gen(6), epochs=3, steps_per_epoch=2, verbose=0)
    assert len(history.history["loss"]) == 3
    with pytest.warns(UserWarning, match="ran out after 1 of 3 epochs"):
        history = model_of().fit(gen(), epochs=3, verbose=0)
    assert len(history.history["loss"]) == 1
    with pytest.warns(UserWarning, match="ran out"):
        model_of().fit(gen(3), epochs=2, steps_per_epoch=2, verbose=0)


class Squares(ktrain.PyDataset):
    def __init__(self, count=5, **kwargs):
        super().__init__(**kwargs)
        self.count = count
        self.log = []

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        return np.full((2, 3), index, "float32"), np.full((2, 1), index, "float32")

    def on_epoch_begin(self):
        self.log.append("begin")

    def on_epoch_end(self):
        self.log.append("end")


@pytest.mark.parametrize("workers", [0, 1, 3])
def test_pydataset(workers):
    data = Squares(workers=workers, max_queue_size=2)
    epochs = batches_of(data, epochs=2)
    assert [[host(y)[0, 0] for _, y in epoch] for epoch in epochs] == [[0, 1, 2, 3, 4]] * 2
    assert data.log == ["begin", "end"] * 2
    shuffled = batches_of(data, shuffle=True)
    assert sorted(host(y)[0, 0] for _, y in shuffled) == [0, 1, 2, 3, 4]
    assert model_of().evaluate(data, verbose=0) > 0


def test_pydataset_without_end():
    class Endless(Squares):
        __len__ = None

        @property
        def num_batches(self):
            return None

    for workers in (1, 2):
        assert len(batches_of(Endless(workers=workers), steps=7)) == 7


def test_errors_of_workers_come_through():
    class Broken(Squares):
        def __getitem__(self, index):
            raise RuntimeError("no such file")

    with pytest.raises(RuntimeError, match="no such file"):
        batches_of(Broken(workers=2))


def test_class_weights():
    weights = ClassWeights({0: 2.0, 2: 3.0})
    assert weights(np.array([0, 1, 2, 7, -1])).tolist() == [2, 1, 3, 1, 1]
    assert weights(np.array([[2], [1]])).tolist() == [3, 1]
    assert weights(np.eye(3)[[2, 0, 1]]).tolist() == [3, 2, 1]
    (batch,) = batches_of(X, np.arange(10) % 3, batch_size=10, class_weight=weights)
    assert host(batch[2]).tolist() == [2, 1, 3, 2, 1, 3, 2, 1, 3, 2]
    (batch,) = batches_of(iter([(X[:3], np.array([0, 1, 2]))]), class_weight=weights)
    assert host(batch[2]).tolist() == [2, 1, 3]


@needs_training
def test_class_weight_is_the_same_for_arrays_and_batches():
    ids = np.arange(10) % 3
    losses = []
    for batched in (False, True):
        random.set_random_seed(0)
        model = model_of("sparse_categorical_crossentropy", 3)
        model.set_weights([w * 0.1 for w in model.get_weights()])
        data = (iter([(X, ids)]),) if batched else (X, ids)
        history = model.fit(
            *data, batch_size=None if batched else 10, class_weight={0: 1.0, 1: 4.0}, verbose=0
        )
        losses.append(history.history["loss"][0])
    assert losses[0] == pytest.approx(losses[1], rel=1e-5)


def test_torch_loader():
    utils = pytest.importorskip("torch.utils.data")
    import torch

    x, y = torch.from_numpy(X), torch.from_numpy(Y)
    loader = utils.DataLoader(utils.TensorDataset(x, y), batch_size=4)
    assert [host(b[0]).shape for b in batches_of(loader)] == [(4, 3), (4, 3), (2, 3)]
    assert model_of().evaluate(loader, verbose=0) >= 0
    bare = utils.DataLoader(X, batch_size=4)  # yields tensors
    assert model_of().predict(bare, verbose=0).shape == (10, 1)


def test_tf_data():
    if config.backend() != "tensorflow":
        pytest.skip("importing TensorFlow beside another engine takes seconds")
    import tensorflow as tf

    data = tf.data.Dataset.from_tensor_slices((X, Y)).batch(4)
    assert len(batches_of(data)) == 3
    assert make_source(engine(), data).num_batches == 3
    assert model_of().evaluate(data, verbose=0) >= 0
    unknown = data.filter(lambda x, y: True)
    assert make_source(engine(), unknown).num_batches is None
    assert len(batches_of(unknown, epochs=2)[1]) == 3
    assert len(batches_of(data.repeat(), steps=5)) == 5
    ids = tf.data.Dataset.from_tensor_slices((X, np.array([0, 1, 2, 2] * 2 + [0, 1]))).batch(5)
    model = model_of("sparse_categorical_crossentropy", 3)
    model.fit(ids, class_weight={0: 1.0, 1: 2.0}, verbose=0)


def test_no_other_framework_is_imported():
    import subprocess
    import sys

    code = (
        "import sys, numpy as np, klayers, ktrain\n"
        "m = klayers.Sequential([klayers.Input((3,)), klayers.layers.Dense(1)])\n"
        "ktrain.compile_model(m, 'sgd', loss='mse')\n"
        "ktrain.evaluate(m, np.ones((4, 3)), np.ones((4, 1)), verbose=0)\n"
        "found = {'jax', 'torch', 'tensorflow', 'keras', 'h5py', 'pandas'} & set(sys.modules)\n"
        f"extra = found - {{{config.backend()!r}}}\n"
        "assert not extra, extra\n"
    )
    if config.backend() == "tensorflow":
        pytest.skip("TensorFlow imports keras itself")
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


def test_one_epoch_warns_of_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model_of().evaluate(X, Y, batch_size=3, verbose=0)
