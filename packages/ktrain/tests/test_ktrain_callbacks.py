"""Callbacks: each on its own, and in `fit` on the engines that train."""

from __future__ import annotations

import csv
import io
import os
import subprocess
import sys

import numpy as np
import pytest

import ktrain
from klayers import Input, Sequential
from klayers.layers import Dense
from kops.config import backend
from ktrain import callbacks, optimizers
from ktrain.logs import LazyLogs

trains = pytest.mark.skipif(backend() == "numpy", reason="numpy does not train")
RNG = np.random.default_rng(0)
X = RNG.normal(size=(32, 3)).astype("float32")
Y = X[:, :1] * 2.0


class FakeModel:
    """What callbacks touch of a model."""

    def __init__(self):
        self.weights = [np.zeros(2)]
        self.optimizer = optimizers.SGD(0.1)
        self.stop_training = False
        self.metrics = []
        self.saved = []

    def get_weights(self):
        return [w.copy() for w in self.weights]

    def set_weights(self, weights):
        self.weights = [w.copy() for w in weights]

    def save(self, path, overwrite=True):
        self.saved.append(str(path))

    def save_weights(self, path, overwrite=True):
        self.saved.append(str(path))
        with open(path, "wb") as file:
            np.save(file, self.weights[0])

    def load_weights(self, path):
        with open(path, "rb") as file:
            self.weights = [np.load(file)]


def play(callback_or_list, values, model=None, name="val_loss", start=0):
    """Plays epochs whose metric takes the values; returns the model."""
    model = model or FakeModel()
    group = callbacks.CallbackList(callback_or_list, model=model)
    group.on_train_begin()
    logs = {}
    for epoch, value in enumerate(values, start=start):
        group.on_epoch_begin(epoch)
        model.weights = [np.full(2, float(epoch + 1))]
        logs = {name: value}
        group.on_epoch_end(epoch, logs)
        if model.stop_training:
            break
    group.on_train_end(logs)
    return model


def new_model(optimizer="sgd", **options):
    model = Sequential([Input((3,)), Dense(1)])
    ktrain.compile_model(model, optimizer=optimizer, loss="mse", **options)
    return model


class TestCallbackList:
    def test_calls_all_in_order_with_their_model(self):
        seen = []

        class Note(callbacks.Callback):
            def __init__(self, name):
                super().__init__()
                self.name = name

            def on_epoch_end(self, epoch, logs=None):
                seen.append((self.name, epoch, logs))

            def on_batch_end(self, batch, logs=None):
                seen.append((self.name, batch))

        model = FakeModel()
        group = callbacks.CallbackList([Note("a"), [Note("b")]], model=model, epochs=3)
        group.on_epoch_end(1, {"loss": 2.0})
        group.on_train_batch_end(4, {})
        assert seen == [("a", 1, {"loss": 2.0}), ("b", 1, {"loss": 2.0}), ("a", 4), ("b", 4)]
        assert all(c.model is model and c.params == {"epochs": 3} for c in group.callbacks)

    def test_adds_history_and_progress_once(self):
        group = callbacks.CallbackList(None, add_history=True, add_progbar=True, model=FakeModel())
        kinds = [type(c).__name__ for c in group.callbacks]
        assert kinds == ["History", "ProgbarLogger"]
        again = callbacks.CallbackList(group.callbacks, add_history=True, add_progbar=True)
        assert len(again.callbacks) == 2

    def test_refuses_what_is_no_callback(self):
        with pytest.raises(TypeError, match="`callbacks` must be Callback instances"):
            callbacks.CallbackList([print])

    def test_batches_are_not_read_unless_needed(self):
        reads = []
        logs = LazyLogs(lambda: reads.append(1) or {"loss": 1.0})
        group = callbacks.CallbackList(
            [callbacks.History(), callbacks.EarlyStopping()], model=FakeModel()
        )
        group.on_train_batch_end(0, logs)
        assert not reads


class TestHistory:
    def test_records_and_resumes(self):
        history = callbacks.History()
        play(history, [3.0, 2.0])
        assert history.history == {"val_loss": [3.0, 2.0]}
        assert history.epoch == [0, 1]

    def test_plot(self, tmp_path):
        pytest.importorskip("matplotlib")
        history = callbacks.History()
        history.on_train_begin()
        for epoch in range(3):
            history.on_epoch_end(epoch, {"loss": 1.0, "val_loss": 2.0, "acc": 0.5})
        figure = history.plot(path=tmp_path / "curve.png")
        assert [a.get_title() for a in figure.axes] == ["loss", "acc"]
        assert len(figure.axes[0].lines) == 2
        assert (tmp_path / "curve.png").read_bytes()[:4] == b"\x89PNG"
        with pytest.raises(ValueError, match="\\['nope'\\]. Recorded: \\['loss'"):
            history.plot("nope")


class TestEarlyStopping:
    def test_patience(self):
        stopper = callbacks.EarlyStopping(patience=2)
        model = play(stopper, [3.0, 2.0, 2.5, 2.5, 1.0])
        assert stopper.stopped_epoch == 3
        assert model.stop_training
        assert model.weights[0][0] == 4.0

    def test_best_weights_and_verbosity(self, capsys):
        stopper = callbacks.EarlyStopping(patience=1, restore_best_weights=True, verbose=1)
        model = play(stopper, [3.0, 2.0, 2.5, 2.5])
        assert model.weights[0][0] == 2.0
        out = capsys.readouterr().out
        assert "Epoch 3: early stopping" in out
        assert "best epoch: 2." in out

    @pytest.mark.parametrize(
        ("name", "rising"),
        [
            ("val_accuracy", True),
            ("acc", True),
            ("auc", True),
            ("mae", False),
            ("val_out_loss", False),
            ("root_mean_squared_error", False),
            ("binary_io_u", True),
        ],
    )
    def test_direction_by_name(self, name, rising):
        for values, stops in (([1.0, 2.0], not rising), ([2.0, 1.0], rising)):
            model = play(callbacks.EarlyStopping(name), values, name=name)
            assert model.stop_training is stops

    def test_direction_by_class(self):
        model = FakeModel()
        model.metrics = [ktrain.metrics.AUC(name="mine")]
        assert not play(callbacks.EarlyStopping("mine"), [1.0, 2.0], model, "mine").stop_training

    def test_unknown_direction(self):
        with pytest.raises(ValueError, match="monitor=foo.*Pass `mode='max'`"):
            play(callbacks.EarlyStopping("foo"), [1.0], name="foo")

    def test_missing_metric_warns(self):
        with pytest.warns(UserWarning, match="`val_loss` which is not available.*are: loss"):
            play(callbacks.EarlyStopping(), [1.0], name="loss")

    def test_min_delta_baseline_start(self):
        assert play(callbacks.EarlyStopping(min_delta=0.5), [3.0, 2.8]).stop_training
        assert play(callbacks.EarlyStopping(baseline=1.0), [3.0, 2.0]).stop_training is False
        late = callbacks.EarlyStopping(start_from_epoch=2)
        assert not play(late, [1.0, 2.0, 3.0]).stop_training

    def test_unknown_mode(self):
        with pytest.warns(UserWarning, match="mode 'up' is unknown"):
            callbacks.EarlyStopping(mode="up")


class TestModelCheckpoint:
    def test_every_epoch(self, tmp_path):
        path = tmp_path / "new" / "{epoch:02d}-{val_loss:.1f}.keras"
        model = play(callbacks.ModelCheckpoint(path), [3.0, 2.0])
        assert [p.rsplit("/", 1)[1] for p in model.saved] == ["01-3.0.keras", "02-2.0.keras"]

    def test_best_only(self, tmp_path, capsys):
        saver = callbacks.ModelCheckpoint(tmp_path / "b.keras", save_best_only=True, verbose=1)
        assert len(play(saver, [3.0, 4.0, 2.0, 2.5]).saved) == 2
        assert "Epoch 3: val_loss improved from 3.0 to 2.0" in capsys.readouterr().out
        with pytest.warns(UserWarning, match="Can save best model only with val_loss"):
            assert not play(saver, [1.0], name="loss").saved

    def test_by_batches(self, tmp_path):
        saver = callbacks.ModelCheckpoint(
            tmp_path / "{epoch}-{batch}.weights.h5", save_weights_only=True, save_freq=3
        )
        model = FakeModel()
        group = callbacks.CallbackList(saver, model=model)
        for epoch in range(2):
            group.on_epoch_begin(epoch)
            for batch in range(4):
                group.on_train_batch_end(batch, {})
        assert [p.rsplit("/", 1)[1] for p in model.saved] == ["1-3.weights.h5", "2-2.weights.h5"]

    def test_errors(self, tmp_path):
        with pytest.raises(ValueError, match="must end in `.keras`"):
            callbacks.ModelCheckpoint("a.txt")
        with pytest.raises(ValueError, match="must end in `.weights.h5`"):
            callbacks.ModelCheckpoint("a.keras", save_weights_only=True)
        with pytest.raises(ValueError, match="`save_freq` of ModelCheckpoint must be"):
            callbacks.ModelCheckpoint("a.keras", save_freq="often")
        with pytest.raises(KeyError, match="there is no 'nope' in"):
            play(callbacks.ModelCheckpoint(tmp_path / "{nope}.keras"), [1.0])


class TestLearningRate:
    def test_scheduler(self, capsys):
        history = callbacks.History()
        halving = callbacks.LearningRateScheduler(lambda epoch, rate: rate * 0.5, verbose=1)
        play([halving, history], [1.0, 1.0])
        np.testing.assert_allclose(history.history["learning_rate"], [0.05, 0.025], rtol=1e-6)
        assert "Epoch 2: LearningRateScheduler" in capsys.readouterr().out
        model = play(callbacks.LearningRateScheduler(lambda epoch: 0.3), [1.0])
        assert float(model.optimizer.learning_rate.numpy()) == pytest.approx(0.3)
        with pytest.raises(ValueError, match="should be a float. Got: fast"):
            play(callbacks.LearningRateScheduler(lambda epoch: "fast"), [1.0])

    def test_plateau(self, capsys):
        plateau = callbacks.ReduceLROnPlateau(factor=0.5, patience=2, min_lr=0.03, verbose=1)
        history = callbacks.History()
        play([plateau, history], [1.0] * 7)
        np.testing.assert_allclose(
            history.history["learning_rate"], [0.1, 0.1, 0.1, 0.05, 0.05, 0.03, 0.03], rtol=1e-6
        )
        assert "Epoch 3: ReduceLROnPlateau reducing learning rate to 0.05" in (
            capsys.readouterr().out
        )

    def test_cooldown(self):
        plateau = callbacks.ReduceLROnPlateau(factor=0.5, patience=1, cooldown=2)
        history = callbacks.History()
        play([plateau, history], [1.0] * 6)
        rates = np.round(history.history["learning_rate"], 6)
        assert rates.tolist() == [0.1, 0.1, 0.05, 0.05, 0.025, 0.025]

    def test_errors(self):
        with pytest.raises(ValueError, match="`factor` of ReduceLROnPlateau must be"):
            callbacks.ReduceLROnPlateau(factor=1.5)
        with pytest.warns(UserWarning, match="conditioned on metric `val_loss`"):
            play(callbacks.ReduceLROnPlateau(), [1.0], name="loss")


class TestSmall:
    def test_lambda(self):
        seen = []
        callback = callbacks.LambdaCallback(
            on_epoch_end=lambda epoch, logs: seen.append((epoch, logs["val_loss"])),
            on_train_begin=lambda logs: seen.append("begin"),
            on_test_end=lambda logs: seen.append("tested"),
        )
        play(callback, [1.0])
        callback.on_test_end({})
        assert seen == ["begin", (0, 1.0), "tested"]

    def test_nan(self, capsys):
        model = FakeModel()
        group = callbacks.CallbackList(callbacks.TerminateOnNaN(), model=model)
        group.on_train_batch_end(0, {"loss": 1.0})
        assert not model.stop_training
        group.on_train_batch_end(1, {"loss": float("nan")})
        assert model.stop_training
        assert "Batch 1: Invalid loss" in capsys.readouterr().out
        with pytest.raises(RuntimeError, match="at batch 2. Loss value: inf"):
            callbacks.TerminateOnNaN(raise_error=True).on_batch_end(2, {"loss": float("inf")})

    def test_csv(self, tmp_path):
        path = tmp_path / "log.csv"
        play(callbacks.CSVLogger(path), [1.0, 0.5])
        play(callbacks.CSVLogger(path, append=True), [0.25], start=2)
        rows = list(csv.DictReader(path.read_text().splitlines()))
        assert [(r["epoch"], r["val_loss"]) for r in rows] == [
            ("0", "1.0"),
            ("1", "0.5"),
            ("2", "0.25"),
        ]


class TestBackup:
    def test_state_of_other_callbacks_survives(self, tmp_path):
        best, folder = tmp_path / "best.keras", tmp_path / "backup"

        class Crash(callbacks.Callback):
            def on_epoch_begin(self, epoch, logs=None):
                if epoch == 2:
                    raise KeyboardInterrupt

        def group(*more):
            saver = callbacks.ModelCheckpoint(best, save_best_only=True)
            return [callbacks.BackupAndRestore(folder), saver, callbacks.History(), *more]

        with pytest.raises(KeyboardInterrupt):
            play(group(Crash()), [1.0, 0.5, 0.4])
        # Run again, with a worse epoch: the best file must stay.
        model, again = FakeModel(), group()
        play(again, [0.9], model, start=2)
        assert model._initial_epoch == 2
        assert model.saved == [p for p in model.saved if "best" not in p]
        assert again[2].history == {"val_loss": [1.0, 0.5, 0.9]}
        assert not folder.exists()  # training has ended

    def test_errors(self):
        with pytest.raises(ValueError, match="Empty `backup_dir`"):
            callbacks.BackupAndRestore("")
        with pytest.raises(ValueError, match="`save_freq` of BackupAndRestore must be"):
            callbacks.BackupAndRestore("x", save_freq="often")


class TestProgress:
    def play(self, verbose, steps=3, **logs):
        group = callbacks.CallbackList(
            callbacks.ProgbarLogger(), model=FakeModel(), verbose=verbose, epochs=2, steps=steps
        )
        group.on_train_begin()
        for epoch in range(2):
            group.on_epoch_begin(epoch)
            for batch in range(3):
                group.on_train_batch_end(batch, logs)
            group.on_epoch_end(epoch, logs)
        group.on_train_end(logs)

    @pytest.mark.parametrize("verbose", [1, 2])
    def test_one_line_per_epoch_without_terminal(self, capsys, verbose):
        self.play(verbose, loss=0.5, acc=1e-5)
        lines = capsys.readouterr().out.splitlines()
        assert len(lines) == 2
        assert lines[0].startswith("Epoch 1/2 - 3 steps - ")
        assert lines[1].endswith("loss: 0.5000 - acc: 1.0000e-05")

    def test_silent(self, capsys):
        self.play(0, loss=0.5)
        assert capsys.readouterr().out == ""

    def test_bar_on_a_terminal(self, monkeypatch):
        class Terminal(io.StringIO):
            def isatty(self):
                return True

        monkeypatch.setattr(sys, "stdout", Terminal())
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.setenv("COLUMNS", "120")
        self.play(1, steps=None, loss=0.5)
        text = sys.stdout.getvalue()
        assert "Epoch 2/2" in text
        assert "3/3" in text
        assert "loss: 0.5000" in text

    def test_reads_at_most_ten_times_a_second(self, monkeypatch):
        class Terminal(io.StringIO):
            def isatty(self):
                return True

        monkeypatch.setattr(sys, "stdout", Terminal())
        reads = []
        group = callbacks.CallbackList(
            callbacks.ProgbarLogger(), model=FakeModel(), verbose=1, epochs=1, steps=1000
        )
        group.on_train_begin()
        group.on_epoch_begin(0)
        for batch in range(1000):
            group.on_train_batch_end(batch, LazyLogs(lambda: reads.append(1) or {"loss": 1.0}))
        group.on_train_end({})
        assert 1 <= len(reads) < 100


@trains
class TestInFit:
    def test_early_stopping_and_history(self):
        model = new_model()
        stopper = callbacks.EarlyStopping("loss", min_delta=100, restore_best_weights=True)
        history = ktrain.fit(model, X, Y, epochs=9, verbose=0, callbacks=[stopper])
        assert history.epoch == [0, 1]
        assert len(history.history["loss"]) == 2

    def test_learning_rate_reaches_the_step(self):
        model = new_model(optimizers.SGD(0.1))
        frozen = callbacks.LearningRateScheduler(lambda epoch: 0.0)
        before = [np.array(w) for w in model.get_weights()]
        ktrain.fit(model, X, Y, epochs=2, verbose=0, callbacks=[frozen])
        for a, b in zip(before, model.get_weights(), strict=True):
            np.testing.assert_array_equal(a, b)

    def test_swapped_averages(self):
        model = new_model(optimizers.SGD(0.1, use_ema=True, ema_momentum=0.9))
        swap = callbacks.SwapEMAWeights()
        plain = ktrain.fit(model, X, Y, epochs=1, verbose=0, shuffle=False).history["loss"]
        assert plain
        kernel = model.trainable_variables[0]
        average = model.optimizer._averages[0].numpy()
        seen = []
        watch = callbacks.LambdaCallback(on_test_begin=lambda logs: seen.append(kernel.numpy()))
        ktrain.evaluate(model, X, Y, verbose=0, callbacks=[swap, watch])
        np.testing.assert_allclose(seen[0], average)

    def test_line_per_epoch_shows_the_history(self, capsys):
        model = new_model()
        history = ktrain.fit(model, X, Y, epochs=2, validation_data=(X, Y), verbose=2)
        lines = capsys.readouterr().out.splitlines()
        for i, line in enumerate(lines):
            assert f"loss: {history.history['loss'][i]:.4f}" in line
            assert f"val_loss: {history.history['val_loss'][i]:.4f}" in line


def test_nothing_here_needs_rich_or_matplotlib_to_import():
    code = "import sys, ktrain.callbacks; print('rich' in sys.modules, 'matplotlib' in sys.modules)"
    # On numpy: TensorFlow itself imports rich.
    env = {**os.environ, "KERAS_BACKEND": "numpy"}
    command = [sys.executable, "-c", code]
    out = subprocess.run(command, capture_output=True, text=True, check=True, env=env)
    assert out.stdout.split() == ["False", "False"]
