"""What the cells of LSTM, GRU and SimpleRNN share: weights and dropout."""

from __future__ import annotations

from typing import Any

from klayers import activations, constraints, initializers, regularizers
from klayers.layer import Layer
from klayers.layers._base import check_positive_int
from kops import ops, random

__all__ = ["Cell", "CellProperties", "of_cell"]


class Cell(Layer):
    """Base of the built-in cells. A subclass sets `_gates` and defines `call`."""

    _gates = 1
    _allow_non_tensor_positional_args = True

    def _set(
        self,
        units: int,
        activation: Any,
        use_bias: bool,
        kernel_initializer: Any,
        recurrent_initializer: Any,
        bias_initializer: Any,
        kernel_regularizer: Any,
        recurrent_regularizer: Any,
        bias_regularizer: Any,
        kernel_constraint: Any,
        recurrent_constraint: Any,
        bias_constraint: Any,
        dropout: float,
        recurrent_dropout: float,
        seed: int | None,
    ) -> None:
        self.units = check_positive_int(units, "units")
        self.activation = activations.get(activation)
        self.use_bias = use_bias
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.recurrent_initializer = initializers.get(recurrent_initializer)
        self.bias_initializer = initializers.get(bias_initializer)
        self.kernel_regularizer = regularizers.get(kernel_regularizer)
        self.recurrent_regularizer = regularizers.get(recurrent_regularizer)
        self.bias_regularizer = regularizers.get(bias_regularizer)
        self.kernel_constraint = constraints.get(kernel_constraint)
        self.recurrent_constraint = constraints.get(recurrent_constraint)
        self.bias_constraint = constraints.get(bias_constraint)
        self.dropout = min(1.0, max(0.0, dropout))
        self.recurrent_dropout = min(1.0, max(0.0, recurrent_dropout))
        self.seed = seed
        self.seed_generator = random.SeedGenerator(seed)
        self.bias = None
        self._masks: dict[str, Any] = {}
        self.state_size: Any = self.units
        self.output_size = self.units

    _untracked = Layer._untracked | {"_masks"}

    def _build_kernels(self, features: int | None) -> None:
        if features is None:
            raise ValueError(
                f"The last axis of the inputs of {type(self).__name__} must be known, because it "
                "sizes the kernel."
            )
        width = self._gates * self.units
        self.kernel = self.add_weight(
            name="kernel",
            shape=(features, width),
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
        )
        self.recurrent_kernel = self.add_weight(
            name="recurrent_kernel",
            shape=(self.units, width),
            initializer=self.recurrent_initializer,
            regularizer=self.recurrent_regularizer,
            constraint=self.recurrent_constraint,
        )

    def _build_bias(self, shape: tuple[int, ...], initializer: Any) -> None:
        if self.use_bias:
            self.bias = self.add_weight(
                name="bias",
                shape=shape,
                initializer=initializer,
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
            )

    def get_initial_state(self, batch_size: Any = None) -> list[Any]:
        """The states to start from: zeros."""
        return [ops.zeros((batch_size, self.units), dtype=self.compute_dtype)]

    # -- dropout: one pattern for all steps of a sequence -------------------------------------

    def get_dropout_mask(self, step_input: Any) -> Any:
        """Factors of the inputs, 0 where dropped; the same until `reset_dropout_mask`."""
        return self._mask("inputs", step_input, self.dropout)

    def get_recurrent_dropout_mask(self, step_input: Any) -> Any:
        """Factors of the state; the same until `reset_recurrent_dropout_mask`."""
        return self._mask("state", step_input, self.recurrent_dropout)

    def reset_dropout_mask(self) -> None:
        """Forgets the factors of the inputs: the next ones are drawn anew."""
        self._masks.pop("inputs", None)

    def reset_recurrent_dropout_mask(self) -> None:
        """Forgets the factors of the state."""
        self._masks.pop("state", None)

    def _mask(self, key: str, like: Any, rate: float) -> Any:
        if not rate:
            return None
        if key not in self._masks:
            ones = ops.ones_like(like)
            self._masks[key] = random.dropout(ones, rate, seed=self.seed_generator)
        return self._masks[key]

    def _drop(self, inputs: Any, state: Any, training: bool) -> tuple[Any, Any]:
        """Inputs and state with dropout if `training`."""
        if training:
            if self.dropout:
                inputs = ops.multiply(inputs, self.get_dropout_mask(inputs))
            if self.recurrent_dropout:
                state = ops.multiply(state, self.get_recurrent_dropout_mask(state))
        return inputs, state


def of_cell(name: str) -> Any:
    """A property that reads the attribute `name` of the layer's cell."""
    return property(lambda self: getattr(self.cell, name), doc=f"`{name}` of the cell.")


class CellProperties:
    """Mixin of LSTM, GRU and SimpleRNN: the cell's arguments as attributes of the layer."""

    units = of_cell("units")
    activation = of_cell("activation")
    use_bias = of_cell("use_bias")
    kernel_initializer = of_cell("kernel_initializer")
    recurrent_initializer = of_cell("recurrent_initializer")
    bias_initializer = of_cell("bias_initializer")
    kernel_regularizer = of_cell("kernel_regularizer")
    recurrent_regularizer = of_cell("recurrent_regularizer")
    bias_regularizer = of_cell("bias_regularizer")
    kernel_constraint = of_cell("kernel_constraint")
    recurrent_constraint = of_cell("recurrent_constraint")
    bias_constraint = of_cell("bias_constraint")
    dropout = of_cell("dropout")
    recurrent_dropout = of_cell("recurrent_dropout")
    seed = of_cell("seed")
