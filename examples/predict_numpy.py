"""Predicts with the quickstart's saved model on plain NumPy: no engine is installed or imported.

    python examples/predict_numpy.py --out quickstart-out

Compares with the predictions that the quickstart stored, whichever engine it trained on.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

os.environ["KERAS_BACKEND"] = "numpy"

import numpy as np

import keras_meta as keras


def main() -> None:
    parser = argparse.ArgumentParser(description="Predicts with a saved model on NumPy.")
    parser.add_argument("--out", type=Path, default=Path("quickstart-out"))
    options = parser.parse_args()

    model = keras.models.load_model(options.out / "digits.keras")
    stored = np.load(options.out / "predictions.npz")
    predictions = model.predict(stored["x"], verbose=0)
    np.testing.assert_allclose(predictions, stored["predictions"], atol=1e-5)
    difference = np.abs(predictions - stored["predictions"]).max()
    accuracy = (predictions.argmax(axis=1) == stored["y"]).mean()
    print(f"largest difference {difference:.1e}")
    print(f"test accuracy {accuracy:.4f}")


if __name__ == "__main__":
    main()
