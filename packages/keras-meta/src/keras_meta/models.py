"""The assembled model classes: what each package adds, in one place.

Every package offers its methods as a mixin over functions that take any `klayers.Model`;
this module is the only one that puts them together.
"""

from __future__ import annotations

import klayers
from kexport import ExportMixin
from klayers import clone_model, model_from_json
from klayers.hooks import set_model_family
from kops.registry import export
from kquant import QuantMixin
from ksaving import SavingMixin, load_model, save_model
from ktrain import TrainerMixin

__all__ = [
    "Functional",
    "Model",
    "Sequential",
    "clone_model",
    "load_model",
    "model_from_json",
    "save_model",
]


@export("keras.Model", "keras.models.Model")
class Model(TrainerMixin, SavingMixin, ExportMixin, QuantMixin, klayers.Model):
    """A model that trains, saves, exports and quantizes itself.

    Made from symbolic inputs and outputs, or subclassed with a `call` method; see
    `klayers.Model`.

    Example:
    ```python
    inputs = keras.Input((4,))
    model = keras.Model(inputs, keras.layers.Dense(1)(inputs))
    model.compile("adam", "mse")
    model.fit(x, y)
    model.save("model.keras")
    ```
    """


@export("keras.src.models.functional.Functional")
class Functional(Model, klayers.Functional):
    """A model made from symbolic inputs and outputs; see `klayers.Functional`."""


@export("keras.Sequential", "keras.models.Sequential")
class Sequential(Model, klayers.Sequential):
    """A stack of layers, each called on what the one before returned; see `klayers.Sequential`.

    Example:
    ```python
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
    ```
    """


set_model_family(Model, Functional, Sequential)
