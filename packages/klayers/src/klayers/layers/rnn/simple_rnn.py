"""Fully connected recurrence."""

from __future__ import annotations

from typing import Any, ClassVar

from klayers.input_spec import InputSpec
from klayers.layers.rnn.cell import CellProperties
from klayers.layers.rnn.rnn import RNN
from klayers.layers.rnn.simple_rnn_cell import SimpleRNNCell
from kops.registry import export

__all__ = ["SimpleRNN"]


@export("keras.layers.SimpleRNN")
class SimpleRNN(CellProperties, RNN):
    """Fully connected recurrence over a sequence.

    The new state, and output, is `tanh(x @ kernel + h @ recurrent_kernel + bias)`.

    Input shape: `(batch, steps, features)`. Output shape: `(batch, units)`; with
    `return_sequences` `(batch, steps, units)`; with `return_state` a list of the output
    and the final state(s).

    With a mask `(batch, steps)`, a masked step leaves the state as it is and repeats the
    last output.

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

    Call arguments:
        sequences: the input.
        initial_state: list of the state(s) to start from, zeros by default.
        mask: boolean `(batch, steps)`, False at steps to skip.
        training: whether dropout acts.

    Source: Elman, 1990, https://doi.org/10.1207/s15516709cog1402_1.

    Example:

    >>> import numpy as np
    >>> tuple(SimpleRNN(4)(np.ones((2, 5, 3), "float32")).shape)
    (2, 4)
    """

    _config_extra: ClassVar[tuple[str, ...]] = ("zero_output_for_mask",)
    _config_optional: ClassVar[frozenset[str]] = frozenset({"seed"})

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
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        recurrent_constraint: Any = None,
        bias_constraint: Any = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        unroll: bool = False,
        seed: int | None = None,
        **kwargs: Any,
    ) -> None:
        kwargs.pop("implementation", None)  # an argument of Keras 2, without effect
        cell = SimpleRNNCell(
            units,
            activation=activation,
            use_bias=use_bias,
            kernel_initializer=kernel_initializer,
            recurrent_initializer=recurrent_initializer,
            bias_initializer=bias_initializer,
            kernel_regularizer=kernel_regularizer,
            recurrent_regularizer=recurrent_regularizer,
            bias_regularizer=bias_regularizer,
            kernel_constraint=kernel_constraint,
            recurrent_constraint=recurrent_constraint,
            bias_constraint=bias_constraint,
            dropout=dropout,
            recurrent_dropout=recurrent_dropout,
            seed=seed,
            name="simple_rnn_cell",
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
        self.input_spec = [InputSpec(ndim=3)]

    def call(
        self, sequences: Any, initial_state: Any = None, mask: Any = None, training: bool = False
    ) -> Any:
        """The output(s) over the sequence."""
        return super().call(sequences, initial_state=initial_state, mask=mask, training=training)

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> SimpleRNN:
        """The layer that `get_config` described."""
        return cls(**config)
