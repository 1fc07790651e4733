"""Long short-term memory."""

from __future__ import annotations

from typing import Any, ClassVar

from klayers import activations
from klayers.input_spec import InputSpec
from klayers.layers.rnn.cell import CellProperties, of_cell
from klayers.layers.rnn.lstm_cell import LSTMCell
from klayers.layers.rnn.rnn import RNN
from kops.ops.recurrent import lstm
from kops.registry import export

__all__ = ["LSTM"]


@export("keras.layers.LSTM")
class LSTM(CellProperties, RNN):
    """Long short-term memory over a sequence.

    With the gates `i`, `f`, `g`, `o` from `x @ kernel + h @ recurrent_kernel + bias`, the
    new states are `c = sigmoid(f) * c + sigmoid(i) * tanh(g)` and `h = sigmoid(o) * tanh(c)`.

    Input shape: `(batch, steps, features)`. Output shape: `(batch, units)`; with
    `return_sequences` `(batch, steps, units)`; with `return_state` a list of the output
    and the final state(s).

    With a mask `(batch, steps)`, a masked step leaves the state as it is and repeats the
    last output.

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
        activity_regularizer: penalty of the output.
        kernel_constraint: projection of the kernel after each update.
        recurrent_constraint: projection of the recurrent kernel after each update.
        bias_constraint: projection of the bias after each update.
        dropout: fraction of the inputs to drop while training.
        recurrent_dropout: fraction of the state to drop while training.
        seed: an integer, for the same dropout in every run.
        return_sequences: whether to return the outputs of all steps.
        return_state: whether to return the final state(s) too.
        go_backwards: whether to go from the last step to the first.
        stateful: whether each call starts with the final states of the call before.
        unroll: whether compiled engines unroll the loop.
        use_cudnn: kept for compatibility: each engine picks its fastest kernel.

    Call arguments:
        sequences: the input.
        initial_state: list of the state(s) to start from, zeros by default.
        mask: boolean `(batch, steps)`, False at steps to skip.
        training: whether dropout acts.

    Source: Hochreiter and Schmidhuber, 1997, https://doi.org/10.1162/neco.1997.9.8.1735.

    Example:

    >>> import numpy as np
    >>> tuple(LSTM(4)(np.ones((2, 5, 3), "float32")).shape)
    (2, 4)
    """

    _config_extra: ClassVar[tuple[str, ...]] = ("zero_output_for_mask",)
    _config_optional: ClassVar[frozenset[str]] = frozenset()
    _config_omitted: ClassVar[frozenset[str]] = frozenset({"use_cudnn"})
    recurrent_activation = of_cell("recurrent_activation")
    unit_forget_bias = of_cell("unit_forget_bias")

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
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        recurrent_constraint: Any = None,
        bias_constraint: Any = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        seed: int | None = None,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        unroll: bool = False,
        use_cudnn: str | bool = "auto",
        **kwargs: Any,
    ) -> None:
        kwargs.pop("implementation", None)  # an argument of Keras 2, without effect
        cell = LSTMCell(
            units,
            activation=activation,
            recurrent_activation=recurrent_activation,
            use_bias=use_bias,
            kernel_initializer=kernel_initializer,
            recurrent_initializer=recurrent_initializer,
            bias_initializer=bias_initializer,
            unit_forget_bias=unit_forget_bias,
            kernel_regularizer=kernel_regularizer,
            recurrent_regularizer=recurrent_regularizer,
            bias_regularizer=bias_regularizer,
            kernel_constraint=kernel_constraint,
            recurrent_constraint=recurrent_constraint,
            bias_constraint=bias_constraint,
            dropout=dropout,
            recurrent_dropout=recurrent_dropout,
            seed=seed,
            name="lstm_cell",
            dtype=kwargs.get("dtype"),
            trainable=kwargs.get("trainable", True),
        )
        super().__init__(
            cell,
            return_sequences=return_sequences,
            return_state=return_state,
            go_backwards=go_backwards,
            stateful=stateful,
            unroll=unroll,
            activity_regularizer=activity_regularizer,
            **kwargs,
        )
        self.input_spec = InputSpec(ndim=3)

    def inner_loop(
        self, sequences: Any, initial_state: Any, mask: Any, training: bool = False
    ) -> tuple[Any, Any, Any]:
        """The whole sequence in one op; step by step where dropout changes the steps."""
        cell = self.cell
        if type(cell) is not LSTMCell or (training and (cell.dropout or cell.recurrent_dropout)):
            return super().inner_loop(sequences, initial_state, mask, training)
        h, c = initial_state
        y, h, c = lstm(
            sequences,
            h,
            c,
            cell.kernel,
            cell.recurrent_kernel,
            cell.bias,
            mask[0] if isinstance(mask, (list, tuple)) else mask,
            activation=_op_of(cell.activation),
            recurrent_activation=_op_of(cell.recurrent_activation),
            go_backwards=self.go_backwards,
            return_sequences=self.return_sequences,
            zero_output_for_mask=self.zero_output_for_mask,
            unroll=self.unroll,
        )
        return (y, y, [h, c]) if self.return_sequences else (y, None, [h, c])

    def call(
        self, sequences: Any, initial_state: Any = None, mask: Any = None, training: bool = False
    ) -> Any:
        """The output(s) over the sequence."""
        return super().call(sequences, initial_state=initial_state, mask=mask, training=training)

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> LSTM:
        """The layer that `get_config` described."""
        return cls(**config)


def _op_of(activation: Any) -> Any:
    """The name of the op behind a built-in activation, by which engines know a fused kernel."""
    if activation is activations.tanh:
        return "tanh"
    return "sigmoid" if activation is activations.sigmoid else activation
