"""The Keras 3 API on jax, torch, tensorflow and numpy: `import keras_meta as keras`."""

from __future__ import annotations

# First, so that models made by any module below are the assembled ones.
from keras_meta import models as models

# A generated module lists the names one by one; `__all__` is what it declares.
from keras_meta._namespace import *  # noqa: F403
from keras_meta._namespace import __all__ as __all__

__version__ = "0.1.0"
