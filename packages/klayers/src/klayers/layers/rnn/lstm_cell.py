"""The cell of LSTM."""

from __future__ import annotations

from typing import Any

import numpy as np

from klayers import activations
from klayers.layers.rnn.cell import Cell
from kops import ops
from kops.registry import export

__all__ = ["LSTMCell"]


@export("keras.layers.LSTMCell")
class LSTMCell(Cell):
    """One step of LSTM, for `RNN` or a loop of your own.

    With the gates `i`, `f`, `g`, `o` from `x @ kernel + h @ recurrent_kernel + bias`, the
    new states are `c = sigmoid(f) * c + sigmoid(i) * tanh(g)` and `h = sigmoid(o) * tanh(c)`.

    Args:
        units: size of the state and of the output.
        activation: activation function of candidate and output.
        recurrent_activation: activation function of the gates.
        use_bias: whether to add a bias.
        kernel_initializer: first value of the kernel, `(features, 4 * units)`.
        recurrent_initializer: first value of the recurrent kernel, `(units, 4 * units)`.
        bias_initializer: first value of the bias.
        unit_forget_bias: whether the bias of the forget gate starts at 1.
        kernel_regularizer: penalty of the kernel.
        recurrent_regularizer: penalty of the recurrent kernel.
        bias_regularizer: penalty of the bias.
        kernel_constraint: projection of the kernel after each update.
        recurrent_constraint: projection of the recurrent kernel after each update.
        bias_constraint: projection of the bias after each update.
        dropout: fraction of the inputs to drop while training.
        recurrent_dropout: fraction of the state to drop while training.
        seed: an integer, for the same dropout in every run.

    Source: Hochreiter and Schmidhuber, 1997, https://doi.org/10.1162/neco.1997.9.8.1735.

    Example:

    >>> import numpy as np
    >>> cell = LSTMCell(4)
    >>> output, states = cell(np.ones((2, 3), "float32"), cell.get_initial_state(2))
    >>> tuple(output.shape), len(states)
    ((2, 4), 2)
    """

    _gates = 4

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        recurrent_activation: Any = "sigmoid",
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        unit_forget_bias: bool = True,
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
        self.recurrent_activation = activations.get(recurrent_activation)
        self.unit_forget_bias = unit_forget_bias
        self.state_size = [self.units, self.units]

    def build(self, input_shape: Any) -> None:
        """Creates the kernels and the bias."""
        self._build_kernels(input_shape[-1])
        initializer = self.bias_initializer
        if self.unit_forget_bias and self.use_bias:
            initializer = _forget_gate_open(self.units, initializer)
        self._build_bias((4 * self.units,), initializer)

    def call(self, inputs: Any, states: Any, training: bool = False) -> Any:
        """The output and the new states `[h, c]`."""
        h, c = states
        inputs, h = self._drop(inputs, h, training)
        z = ops.add(ops.matmul(inputs, self.kernel), ops.matmul(h, self.recurrent_kernel))
        if self.bias is not None:
            z = ops.add(z, self.bias)
        i, f, g, o = ops.split(z, 4, axis=-1)
        gate = self.recurrent_activation
        c = ops.add(ops.multiply(gate(f), c), ops.multiply(gate(i), self.activation(g)))
        h = ops.multiply(gate(o), self.activation(c))
        return h, [h, c]

    def get_initial_state(self, batch_size: Any = None) -> list[Any]:
        """The states to start from: zeros."""
        return [zero for _ in "hc" for zero in super(LSTMCell, self).get_initial_state(batch_size)]


def _forget_gate_open(units: int, initializer: Any) -> Any:
    """The bias initializer, but 1 for the forget gate: the state is kept at first."""

    def bias(shape: Any, dtype: Any = None) -> Any:
        parts = [
            initializer((units,), dtype),
            np.ones((units,), dtype),
            initializer((2 * units,), dtype),
        ]
        return np.concatenate([ops.convert_to_numpy(p) for p in parts])

    return bias
