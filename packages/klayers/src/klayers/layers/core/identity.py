"""The layer that does nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from klayers.layer import Layer
from kops import tree
from kops.registry import export

__all__ = ["Identity"]


@export("keras.layers.Identity")
class Identity(Layer):
    """Passes its inputs on unchanged, whatever their structure.

    Example:

    >>> import numpy as np

    >>> from kops import ops
    >>> ops.convert_to_numpy(Identity()(np.array([1.0]))).tolist()
    [1.0]
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True
        self.built = True

    def call(self, inputs: Any) -> Any:
        """The inputs."""
        return inputs

    def compute_output_shape(self, input_shape: Sequence[Any]) -> Any:
        """Shape of the output: that of the input."""
        return input_shape

    def compute_output_spec(self, inputs: Any) -> Any:
        """Symbolic output for symbolic inputs."""
        return tree.map_structure(lambda x: type(x).of(x.dims, x.dtype), inputs)
