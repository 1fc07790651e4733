"""The cell of SimpleRNN."""

from __future__ import annotations

from typing import Any

from klayers.layers.rnn.cell import Cell
from kops import ops
from kops.registry import export

__all__ = ["SimpleRNNCell"]


@export("keras.layers.SimpleRNNCell")
class SimpleRNNCell(Cell):
    """One step of SimpleRNN, for `RNN` or a loop of your own.

    The new state, and output, is `tanh(x @ kernel + h @ recurrent_kernel + bias)`.

    Args:
        units: size of the state and of the output.
        activation: activation function.
        use_bias: whether to add a bias.
        kernel_initializer: first value of the kernel, `(features, units)`.
        recurrent_initializer: first value of the recurrent kernel, `(units, units)`.
        bias_initializer: first value of the bias.
        kernel_regularizer: penalty of the kernel.
        recurrent_regularizer: penalty of the recurrent kernel.
        bias_regularizer: penalty of the bias.
        kernel_constraint: projection of the kernel after each update.
        recurrent_constraint: projection of the recurrent kernel after each update.
        bias_constraint: projection of the bias after each update.
        dropout: fraction of the inputs to drop while training.
        recurrent_dropout: fraction of the state to drop while training.
        seed: an integer, for the same dropout in every run.

    Source: Elman, 1990, https://doi.org/10.1207/s15516709cog1402_1.

    Example:

    >>> import numpy as np
    >>> cell = SimpleRNNCell(4)
    >>> output, states = cell(np.ones((2, 3), "float32"), cell.get_initial_state(2))
    >>> tuple(output.shape), len(states)
    ((2, 4), 1)
    """

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None,
        bias_regularizer: Any = None,
        kernel_constraint: Any = None,
        recurrent_constraint: Any = None,
        bias_constraint: Any = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        seed: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._set(
            units,
            activation,
            use_bias,
            kernel_initializer,
            recurrent_initializer,
            bias_initializer,
            kernel_regularizer,
            recurrent_regularizer,
            bias_regularizer,
            kernel_constraint,
            recurrent_constraint,
            bias_constraint,
            dropout,
            recurrent_dropout,
            seed,
        )

    def build(self, input_shape: Any) -> None:
        """Creates the kernels and the bias."""
        self._build_kernels(input_shape[-1])
        self._build_bias((self.units,), self.bias_initializer)

    def call(self, sequence: Any, states: Any, training: bool = False) -> Any:
        """The output and the new state `[h]`."""
        h = states[0] if isinstance(states, (list, tuple)) else states
        sequence, h = self._drop(sequence, h, training)
        x = ops.matmul(sequence, self.kernel)
        if self.bias is not None:
            x = ops.add(x, self.bias)
        h = self.activation(ops.add(x, ops.matmul(h, self.recurrent_kernel)))
        return h, [h]
