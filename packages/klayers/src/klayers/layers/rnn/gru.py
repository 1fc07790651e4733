"""Gated recurrent unit."""

from __future__ import annotations

from typing import Any, ClassVar

from klayers.input_spec import InputSpec
from klayers.layers.rnn.cell import CellProperties, of_cell
from klayers.layers.rnn.gru_cell import GRUCell
from klayers.layers.rnn.rnn import RNN
from kops.registry import export

__all__ = ["GRU"]


@export("keras.layers.GRU")
class GRU(CellProperties, RNN):
    """Gated recurrent unit over a sequence.

    With the gates `z` (update) and `r` (reset), the new state is
    `h = z * h + (1 - z) * tanh(x @ W + r * (h @ U))`.

    Input shape: `(batch, steps, features)`. Output shape: `(batch, units)`; with
    `return_sequences` `(batch, steps, units)`; with `return_state` a list of the output
    and the final state(s).

    With a mask `(batch, steps)`, a masked step leaves the state as it is and repeats the
    last output.

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
        reset_after: whether the reset gate acts after the product with the recurrent
            kernel (as in cuDNN) or before it.
        use_cudnn: kept for compatibility: each engine picks its fastest kernel.

    Call arguments:
        sequences: the input.
        initial_state: list of the state(s) to start from, zeros by default.
        mask: boolean `(batch, steps)`, False at steps to skip.
        training: whether dropout acts.

    Source: Cho et al., 2014, https://arxiv.org/abs/1406.1078.

    Example:

    >>> import numpy as np
    >>> tuple(GRU(4)(np.ones((2, 5, 3), "float32")).shape)
    (2, 4)
    """

    _config_extra: ClassVar[tuple[str, ...]] = ("zero_output_for_mask",)
    _config_optional: ClassVar[frozenset[str]] = frozenset()
    _config_omitted: ClassVar[frozenset[str]] = frozenset({"use_cudnn"})
    recurrent_activation = of_cell("recurrent_activation")
    reset_after = of_cell("reset_after")

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
        reset_after: bool = True,
        use_cudnn: str | bool = "auto",
        **kwargs: Any,
    ) -> None:
        kwargs.pop("implementation", None)  # an argument of Keras 2, without effect
        cell = GRUCell(
            units,
            activation=activation,
            recurrent_activation=recurrent_activation,
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
            reset_after=reset_after,
            seed=seed,
            name="gru_cell",
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
        """Runs the cell over all steps."""
        return super().inner_loop(sequences, initial_state, mask, training)

    def call(
        self, sequences: Any, initial_state: Any = None, mask: Any = None, training: bool = False
    ) -> Any:
        """The output(s) over the sequence."""
        return super().call(sequences, initial_state=initial_state, mask=mask, training=training)

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> GRU:
        """The layer that `get_config` described."""
        return cls(**config)
