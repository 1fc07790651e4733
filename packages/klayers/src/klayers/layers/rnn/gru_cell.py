"""The cell of GRU."""

from __future__ import annotations

from typing import Any

from klayers import activations
from klayers.layers.rnn.cell import Cell
from kops import ops
from kops.registry import export

__all__ = ["GRUCell"]


@export("keras.layers.GRUCell")
class GRUCell(Cell):
    """One step of GRU, for `RNN` or a loop of your own.

    With the gates `z` (update) and `r` (reset), the new state is
    `h = z * h + (1 - z) * tanh(x @ W + r * (h @ U))`.

    Args:
        units: size of the state and of the output.
        activation: activation function of the candidate.
        recurrent_activation: activation function of the gates.
        use_bias: whether to add a bias.
        kernel_initializer: first value of the kernel, `(features, 3 * units)`.
        recurrent_initializer: first value of the recurrent kernel, `(units, 3 * units)`.
        bias_initializer: first value of the bias.
        kernel_regularizer: penalty of the kernel.
        recurrent_regularizer: penalty of the recurrent kernel.
        bias_regularizer: penalty of the bias.
        kernel_constraint: projection of the kernel after each update.
        recurrent_constraint: projection of the recurrent kernel after each update.
        bias_constraint: projection of the bias after each update.
        dropout: fraction of the inputs to drop while training.
        recurrent_dropout: fraction of the state to drop while training.
        reset_after: whether the reset gate acts after the product with the recurrent
            kernel (as in cuDNN) or before it.
        seed: an integer, for the same dropout in every run.

    Source: Cho et al., 2014, https://arxiv.org/abs/1406.1078.

    Example:

    >>> import numpy as np
    >>> cell = GRUCell(4)
    >>> output, states = cell(np.ones((2, 3), "float32"), cell.get_initial_state(2))
    >>> tuple(output.shape), len(states)
    ((2, 4), 1)
    """

    _gates = 3

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        recurrent_activation: Any = "sigmoid",
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
        reset_after: bool = True,
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
        self.reset_after = reset_after

    def build(self, input_shape: Any) -> None:
        """Creates the kernels and the bias."""
        self._build_kernels(input_shape[-1])
        # With the reset after the product, inputs and state have biases of their own.
        shape = (2, 3 * self.units) if self.reset_after else (3 * self.units,)
        self._build_bias(shape, self.bias_initializer)

    def call(self, inputs: Any, states: Any, training: bool = False) -> Any:
        """The output and the new state `[h]`."""
        h = states[0] if isinstance(states, (list, tuple)) else states
        inputs, dropped = self._drop(inputs, h, training)
        input_bias, recurrent_bias = self._biases()
        x = ops.matmul(inputs, self.kernel)
        if input_bias is not None:
            x = ops.add(x, input_bias)
        x_z, x_r, x_h = ops.split(x, 3, axis=-1)
        if self.reset_after:
            r_z, r_r, r_h = self._recurrent_after(dropped, recurrent_bias)
        else:
            width = 2 * self.units
            both = ops.matmul(dropped, self.recurrent_kernel[:, :width])
            r_z, r_r = ops.split(both, 2, axis=-1)
        z = self.recurrent_activation(ops.add(x_z, r_z))
        r = self.recurrent_activation(ops.add(x_r, r_r))
        if self.reset_after:
            candidate = ops.multiply(r, r_h)
        else:
            candidate = ops.matmul(ops.multiply(r, dropped), self.recurrent_kernel[:, width:])
        candidate = self.activation(ops.add(x_h, candidate))
        h = ops.add(ops.multiply(z, h), ops.multiply(1 - z, candidate))
        return h, [h]

    def _biases(self) -> tuple[Any, Any]:
        if self.bias is None:
            return None, None
        if self.reset_after:
            return self.bias[0], self.bias[1]
        return self.bias, None

    def _recurrent_after(self, h: Any, bias: Any) -> list[Any]:
        """What the state adds to the gates, before the reset."""
        z = ops.matmul(h, self.recurrent_kernel)
        if bias is not None:
            z = ops.add(z, bias)
        return ops.split(z, 3, axis=-1)
