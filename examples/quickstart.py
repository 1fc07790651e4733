"""Trains a small CNN on handwritten digits, then saves, reloads and exports it.

    KERAS_BACKEND=jax python examples/quickstart.py --out quickstart-out

jax, torch and tensorflow all run it; nothing below names an engine. The folder then holds
`digits.keras`, `digits.onnx`, `training.png`, `history.json` and `predictions.npz`, and
`predict_numpy.py` beside this file checks the saved model on plain NumPy.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import matplotlib
import numpy as np
import onnxruntime
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

import keras_meta as keras

matplotlib.use("Agg")  # draws to a file; needs no screen
import matplotlib.pyplot as plt


def load_data() -> tuple[np.ndarray, ...]:
    """Returns training and test images of shape (n, 8, 8, 1) in [0, 1], and their labels."""
    images, labels = load_digits(return_X_y=True)
    images = images.reshape(-1, 8, 8, 1).astype("float32") / 16
    parts = train_test_split(
        images, labels.astype("int32"), test_size=0.2, stratify=labels, random_state=0
    )
    x_train, x_test, y_train, y_test = map(np.asarray, parts)
    return x_train, y_train, x_test, y_test


def make_model() -> keras.Model:
    """A CNN of 53,130 parameters; without dropout, so that all engines train it alike."""
    return keras.Sequential(
        [
            keras.Input((8, 8, 1)),
            keras.layers.Conv2D(32, 3, padding="same", activation="relu"),
            keras.layers.BatchNormalization(momentum=0.9),
            keras.layers.MaxPooling2D(),
            keras.layers.Conv2D(64, 3, padding="same", activation="relu"),
            keras.layers.MaxPooling2D(),
            keras.layers.Flatten(),
            keras.layers.Dense(128, activation="relu"),
            keras.layers.Dense(10, activation="softmax"),
        ],
        name="digits",
    )


def draw(history: dict[str, list[float]], path: Path) -> None:
    """Draws loss and accuracy per epoch."""
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.5), layout="constrained")
    for axis, name in zip(axes, ["loss", "accuracy"], strict=True):
        epochs = range(1, len(history[name]) + 1)
        axis.plot(epochs, history[name], label="training")
        axis.plot(epochs, history[f"val_{name}"], label="validation")
        axis.set(title=name, xlabel="epoch")
        axis.grid(alpha=0.3)
        axis.legend()
    figure.savefig(path, dpi=120)
    plt.close(figure)


def main() -> None:
    parser = argparse.ArgumentParser(description="Trains a small CNN on handwritten digits.")
    parser.add_argument("--out", type=Path, default=Path("quickstart-out"))
    parser.add_argument("--epochs", type=int, default=12)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)

    keras.utils.set_random_seed(1)
    x_train, y_train, x_test, y_test = load_data()
    model = make_model()
    model.summary()
    model.compile(
        optimizer=keras.optimizers.Adam(1e-3),
        loss="sparse_categorical_crossentropy",
        metrics=["accuracy"],
    )
    print(f"Training on {keras.backend.backend()}")
    history = model.fit(
        x_train, y_train, batch_size=32, epochs=options.epochs, validation_split=0.1
    ).history
    (options.out / "history.json").write_text(json.dumps(history, indent=1))
    draw(history, options.out / "training.png")

    model.save(options.out / "digits.keras")
    reloaded = keras.models.load_model(options.out / "digits.keras")
    predictions = model.predict(x_test, verbose=0)
    np.testing.assert_allclose(reloaded.predict(x_test, verbose=0), predictions, atol=1e-6)
    np.savez(options.out / "predictions.npz", x=x_test, y=y_test, predictions=predictions)
    print(f"Saved {options.out / 'digits.keras'}: the reloaded model predicts the same")

    model.export(options.out / "digits.onnx", format="onnx")
    session = onnxruntime.InferenceSession(options.out / "digits.onnx")
    (onnx_predictions,) = session.run(None, {session.get_inputs()[0].name: x_test})
    np.testing.assert_allclose(np.asarray(onnx_predictions), predictions, atol=1e-5)
    print(f"Exported {options.out / 'digits.onnx'}: onnxruntime predicts the same")

    _, accuracy = reloaded.evaluate(x_test, y_test, verbose=0)
    print(f"test accuracy {accuracy:.4f}")


if __name__ == "__main__":
    main()
