"""Several cells, one on top of the other."""

from __future__ import annotations

from typing import Any

from klayers.layer import Layer
from kops import ops
from kops.registry import export
from kops.serialization import deserialize_keras_object, serialize_keras_object

__all__ = ["StackedRNNCells", "zero_states"]


@export("keras.layers.StackedRNNCells")
class StackedRNNCells(Layer):
    """Makes a stack of cells behave like one cell.

    Args:
        cells: list of cells; each takes the output of the one before.

    Raises:
        ValueError: a cell has no `call` or no `state_size`.

    Example:

    >>> import numpy as np
    >>> from klayers import layers
    >>> rnn = layers.RNN(StackedRNNCells([layers.LSTMCell(4), layers.LSTMCell(2)]))
    >>> tuple(rnn(np.ones((2, 5, 3), "float32")).shape)
    (2, 2)
    """

    _allow_non_tensor_positional_args = True

    def __init__(self, cells: list[Any], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        for cell in cells:
            for needed in ("call", "state_size"):
                if not hasattr(cell, needed):
                    raise ValueError(
                        f"Each of `cells` must have `call` and `state_size`. {cell!r} has no "
                        f"`{needed}`."
                    )
        self.cells = list(cells)

    @property
    def state_size(self) -> list[Any]:
        """Sizes of the states of each cell."""
        return [c.state_size for c in self.cells]

    @property
    def output_size(self) -> Any:
        """Size of the output: that of the last cell."""
        last = self.cells[-1]
        size = getattr(last, "output_size", None)
        if size is not None:
            return size
        size = last.state_size
        return size[0] if isinstance(size, (list, tuple)) else size

    def get_initial_state(self, batch_size: Any = None) -> list[Any]:
        """The states to start from, one entry for each cell."""
        states = []
        for cell in self.cells:
            own = getattr(cell, "get_initial_state", None)
            if own is not None:
                states.append(own(batch_size=batch_size))
            else:
                states.append(zero_states(cell.state_size, batch_size, self.compute_dtype))
        return states

    def build(self, input_shape: Any) -> None:
        """Builds the cells, each for the output of the one before."""
        batch = input_shape[0]
        for cell in self.cells:
            if isinstance(cell, Layer) and not cell.built:
                cell.build(input_shape)
            size = getattr(cell, "output_size", None)
            if size is None:
                size = cell.state_size
                size = size[0] if isinstance(size, (list, tuple)) else size
            input_shape = (batch, size) if isinstance(size, int) else (batch, *size)

    def call(self, inputs: Any, states: Any, training: bool = False, **kwargs: Any) -> Any:
        """The output of the last cell, and the new states of all cells."""
        new_states = []
        for cell, state in zip(self.cells, states, strict=True):
            is_nested = isinstance(state, (list, tuple))
            extra = dict(kwargs)
            if isinstance(cell, Layer) and cell._call_signature.has_training:
                extra["training"] = training
            inputs, new_state = cell(inputs, state if is_nested else [state], **extra)
            if not is_nested and isinstance(new_state, (list, tuple)) and len(new_state) == 1:
                new_state = new_state[0]
            new_states.append(new_state)
        return inputs, new_states

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        return {**super().get_config(), "cells": [serialize_keras_object(c) for c in self.cells]}

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> StackedRNNCells:
        """The cells that `get_config` described."""
        config = dict(config)
        cells = [
            deserialize_keras_object(c, custom_objects=custom_objects) for c in config.pop("cells")
        ]
        return cls(cells, **config)


def zero_states(state_size: Any, batch_size: Any, dtype: str) -> Any:
    """Zeros in the shape of a cell's states."""
    if isinstance(state_size, (list, tuple)):
        return [zero_states(size, batch_size, dtype) for size in state_size]
    return ops.zeros((batch_size, state_size), dtype=dtype)
