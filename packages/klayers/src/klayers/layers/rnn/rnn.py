"""The base of recurrent layers: runs a cell over the steps of a sequence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from klayers.layer import Layer
from klayers.layers.rnn.stacked import StackedRNNCells, zero_states
from kops import dtypes, ops, tree
from kops.keras_tensor import KerasTensor
from kops.registry import export
from kops.serialization import deserialize_keras_object
from kops.variable import Variable

__all__ = ["RNN"]


class _Carried:
    """A state that a stateful layer keeps: a variable that is no weight, like a random state."""

    def __init__(self, variable: Variable) -> None:
        self.state = variable


@export("keras.layers.RNN")
class RNN(Layer):
    """Runs a cell step by step over a sequence.

    Input shape: `(batch, steps, ...)`. Output shape: `(batch, ...)`, the output of the
    last step; with `return_sequences` `(batch, steps, ...)`; with `return_state` a list of
    it and the final states.

    With a mask `(batch, steps)`, a masked step leaves the states as they are and repeats
    the last output.

    Args:
        cell: a cell, or a list of cells to stack. A cell is a layer with an attribute
            `state_size` (an int or a list of them) and a method
            `call(inputs_at_t, states_at_t) -> (output_at_t, states_at_t_plus_1)`. It may
            have `output_size` and `get_initial_state(batch_size)`.
        return_sequences: whether to return the outputs of all steps.
        return_state: whether to return the final states too.
        go_backwards: whether to go from the last step to the first; the outputs come in
            that order.
        stateful: whether each call starts with the final states of the call before. It
            needs a known batch size; `reset_state()` starts anew.
        unroll: whether compiled engines unroll the loop, which is faster for short
            sequences and takes more memory.
        zero_output_for_mask: whether masked steps output zeros.

    Call arguments:
        sequences: the input.
        initial_state: list of states to start from, zeros by default.
        mask: boolean `(batch, steps)`, False at steps to skip.
        training: handed to the cell, for dropout.

    Raises:
        ValueError: `cell` has no `call` or no `state_size`.

    Example:

    >>> import numpy as np
    >>> from klayers import layers
    >>> rnn = RNN(layers.LSTMCell(4), return_sequences=True)
    >>> tuple(rnn(np.ones((2, 5, 3), "float32")).shape)
    (2, 5, 4)
    """

    _untracked: ClassVar[frozenset[str]] = Layer._untracked | {"states"}

    def __init__(
        self,
        cell: Any,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        unroll: bool = False,
        zero_output_for_mask: bool = False,
        **kwargs: Any,
    ) -> None:
        if isinstance(cell, (list, tuple)):
            cell = StackedRNNCells(list(cell))
        if not callable(getattr(cell, "call", None)):
            raise ValueError(
                f"`cell` must have a method `call(inputs, states)`. Received: cell={cell!r}"
            )
        if not hasattr(cell, "state_size"):
            raise ValueError(
                "`cell` must have an attribute `state_size`: an int, or a list with one for each "
                f"of its states. Received: cell={cell!r}"
            )
        super().__init__(**kwargs)
        self.cell = cell
        self.return_sequences = return_sequences
        self.return_state = return_state
        self.go_backwards = go_backwards
        self.stateful = stateful
        self.unroll = unroll
        self.zero_output_for_mask = zero_output_for_mask
        self.supports_masking = True
        self.states: Any = None

    @property
    def state_size(self) -> list[Any]:
        """Sizes of the cell's states, as a list."""
        size = self.cell.state_size
        return list(size) if isinstance(size, (list, tuple)) else [size]

    # -- building ---------------------------------------------------------------------------

    def build(self, sequences_shape: Any, initial_state_shape: Any = None) -> None:
        """Builds the cell and, for a stateful layer, the states it keeps."""
        step_shape = (sequences_shape[0], *sequences_shape[2:])
        if isinstance(self.cell, Layer) and not self.cell.built:
            self.cell.build(step_shape)
        if self.stateful:
            self._build_states(sequences_shape[0])

    def _build_states(self, batch_size: int | None) -> None:
        if self.states is not None:
            self.reset_state()
            return
        if batch_size is None:
            raise ValueError(
                f"The stateful layer {self.name!r} needs a known batch size, to keep the state of "
                "each sample. Give the model an input of a fixed batch size, "
                "`Input(..., batch_size=…)`."
            )

        def keep(state: Any) -> Variable:
            variable = Variable(state, trainable=False, name="rnn_state")
            self._seed_generators.append(_Carried(variable))
            return variable

        self.states = tree.map_structure(keep, self.get_initial_state(batch_size))

    def get_initial_state(self, batch_size: Any) -> Any:
        """The states to start from: a list of zeros, unless the cell says otherwise."""
        own = getattr(self.cell, "get_initial_state", None)
        if own is not None:
            states = own(batch_size=batch_size)
        else:
            states = zero_states(self.cell.state_size, batch_size, self.compute_dtype)
        return states if isinstance(states, (list, tuple)) else [states]

    def reset_state(self) -> None:
        """Sets the kept states to 0."""
        if self.states is not None:
            for v in tree.flatten(self.states):
                v.assign(ops.zeros_like(v))

    def reset_states(self) -> None:
        """The same as `reset_state`."""
        self.reset_state()

    # -- calling ----------------------------------------------------------------------------

    def call(
        self, sequences: Any, initial_state: Any = None, mask: Any = None, training: bool = False
    ) -> Any:
        """The output(s) of the cell over the sequence."""
        states = self._starting_states(sequences, initial_state)
        self._draw_dropout(sequences, states, training)
        try:
            last, outputs, states = self.inner_loop(
                sequences, initial_state=states, mask=mask, training=training
            )
        finally:
            self._forget_dropout()
        last = ops.cast(last, self.compute_dtype)
        states = tree.map_structure(lambda s: ops.cast(s, self.compute_dtype), states)
        if self.stateful:
            for kept, value in zip(tree.flatten(self.states), tree.flatten(states), strict=True):
                kept.assign(value)
        result = ops.cast(outputs, self.compute_dtype) if self.return_sequences else last
        return (result, *states) if self.return_state else result

    def _starting_states(self, sequences: Any, initial_state: Any) -> list[Any]:
        if initial_state is None:
            if self.stateful:
                initial_state = tree.map_structure(lambda v: v.value, self.states)
            else:
                initial_state = self.get_initial_state(ops.shape(sequences)[0])
        if not isinstance(initial_state, (list, tuple)):
            initial_state = [initial_state]
        if len(initial_state) != len(self.state_size):
            raise ValueError(
                f"`initial_state` of layer {self.name!r} must be a list of {len(self.state_size)} "
                f"state(s), of sizes {self.state_size}. Received {len(initial_state)}."
            )
        return [
            tree.map_structure(lambda s: ops.cast(s, self.compute_dtype), state)
            for state in initial_state
        ]

    def inner_loop(
        self, sequences: Any, initial_state: Any, mask: Any, training: bool = False
    ) -> tuple[Any, Any, Any]:
        """Runs the cell over all steps. A subclass may put one fused op in its place.

        Returns:
            The last output, the outputs of all steps (None unless `return_sequences`), and
            the final states.
        """
        cell = self.cell
        keywords = {"training": training} if _takes_training(cell) else {}
        structure = initial_state

        def step(state: Any, now: Any) -> Any:
            last, states = state
            output, new_states = cell(now[0], _like(states, structure), **keywords)
            if not isinstance(new_states, (list, tuple)):
                new_states = [new_states]
            new_states = tree.flatten(new_states)
            if len(now) > 1:
                counts = now[1]
                new_states = [
                    ops.where(_spread(counts, n), n, o)
                    for n, o in zip(new_states, states, strict=True)
                ]
                idle = ops.zeros_like(output) if self.zero_output_for_mask else last
                output = ops.where(_spread(counts, output), output, idle)
            return (output, new_states), (output if self.return_sequences else None)

        steps = self._steps(sequences, mask)
        flat = tree.flatten(initial_state)
        start = (self._first_output(sequences, structure, keywords), flat)
        (last, states), outputs = ops.scan(step, start, steps, unroll=True if self.unroll else 1)
        if outputs is not None:
            outputs = ops.swapaxes(outputs, 0, 1)
        return last, outputs, _like(states, structure)

    def _steps(self, sequences: Any, mask: Any) -> tuple[Any, ...]:
        """The sequence and the mask with time in front, in the order of the loop."""
        steps = (ops.swapaxes(sequences, 0, 1),)
        if mask is not None:
            mask = mask[0] if isinstance(mask, (list, tuple)) else mask
            steps = (*steps, ops.swapaxes(ops.cast(mask, "bool"), 0, 1))
        return tuple(ops.flip(s, 0) for s in steps) if self.go_backwards else steps

    def _first_output(self, sequences: Any, states: Any, keywords: dict[str, Any]) -> Any:
        """Zeros in the shape of an output: what a masked first step returns."""
        size = getattr(self.cell, "output_size", None)
        if size is None:
            output, _ = self.cell(ops.zeros_like(sequences[:, 0]), states, **keywords)
            return ops.zeros_like(output)
        sizes = (size,) if isinstance(size, int) else tuple(size)
        return ops.zeros((ops.shape(sequences)[0], *sizes), dtype=self.compute_dtype)

    def _draw_dropout(self, sequences: Any, states: Any, training: bool) -> None:
        """Draws the masks of a cell's dropout before the loop: one for all steps."""
        self._forget_dropout()
        if training:
            self._draw_masks(sequences[:, 0], states)

    def _draw_masks(self, step_input: Any, states: Any) -> None:
        if not isinstance(self.cell, StackedRNNCells):
            if hasattr(self.cell, "reset_dropout_mask"):
                self.cell.get_dropout_mask(step_input)
                self.cell.get_recurrent_dropout_mask(tree.flatten(states)[0])
            return
        batch = ops.shape(step_input)[0]
        for cell, state in zip(self.cell.cells, states, strict=True):
            if hasattr(cell, "reset_dropout_mask"):
                cell.get_dropout_mask(step_input)
                cell.get_recurrent_dropout_mask(tree.flatten(state)[0])
            size = getattr(cell, "output_size", None)
            if isinstance(size, int):  # what the next cell of the stack gets
                step_input = ops.zeros((batch, size), dtype=self.compute_dtype)

    def _forget_dropout(self) -> None:
        for cell in _dropout_cells(self.cell):
            cell.reset_dropout_mask()
            cell.reset_recurrent_dropout_mask()

    # -- shapes and masks -------------------------------------------------------------------

    def compute_output_shape(self, sequences_shape: Any, initial_state_shape: Any = None) -> Any:
        """Shape(s) of the output(s) for an input of shape `sequences_shape`."""
        batch, steps = sequences_shape[0], sequences_shape[1]
        size = getattr(self.cell, "output_size", None)
        if size is None:
            size = self.state_size[0]
        sizes = (size,) if isinstance(size, int) else tuple(size)
        output = (batch, steps, *sizes) if self.return_sequences else (batch, *sizes)
        if not self.return_state:
            return output
        return (output, *(_state_shape(s, batch) for s in self.state_size))

    def compute_output_spec(
        self, sequences: Any, initial_state: Any = None, mask: Any = None, training: bool = False
    ) -> Any:
        """Symbolic output(s) for a symbolic input."""
        if self.stateful and self.states is None:
            self._build_states(sequences.shape[0])
        shapes = self.compute_output_shape(sequences.dims)
        return _specs(shapes, self.compute_dtype)

    def compute_mask(self, _: Any, mask: Any) -> Any:
        """The mask of the input for `return_sequences`; None for the other outputs."""
        mask = mask[0] if isinstance(mask, (list, tuple)) else mask
        output_mask = mask if self.return_sequences else None
        if not self.return_state:
            return output_mask
        return [output_mask] + [None] * len(tree.flatten(self.state_size))

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> RNN:
        """The layer that `get_config` described."""
        config = dict(config)
        cell = config.pop("cell", None)
        if cell is not None:
            config["cell"] = deserialize_keras_object(cell, custom_objects=custom_objects)
        return cls(**config)


def _takes_training(cell: Any) -> bool:
    return isinstance(cell, Layer) and cell._call_signature.has_training


def _dropout_cells(cell: Any) -> list[Any]:
    cells = cell.cells if isinstance(cell, StackedRNNCells) else [cell]
    return [c for c in cells if hasattr(c, "reset_dropout_mask")]


def _like(flat: Sequence[Any], structure: Any) -> Any:
    return tree.pack_sequence_as(structure, list(flat))


def _spread(mask: Any, x: Any) -> Any:
    for _ in range(len(x.shape) - 1):
        mask = ops.expand_dims(mask, -1)
    return mask


def _state_shape(size: Any, batch: Any) -> Any:
    if isinstance(size, int):
        return (batch, size)
    return [_state_shape(s, batch) for s in size]


def _specs(shapes: Any, dtype: str) -> Any:
    if isinstance(shapes, tuple) and not any(isinstance(s, (tuple, list)) for s in shapes):
        return KerasTensor.of(shapes, dtypes.standardize(dtype))
    return type(shapes)(_specs(s, dtype) for s in shapes)
