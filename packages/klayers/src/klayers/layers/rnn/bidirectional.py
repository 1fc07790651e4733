"""A recurrent layer in both directions."""

from __future__ import annotations

from typing import Any

from klayers.input_spec import InputSpec
from klayers.layer import Layer
from klayers.layers._base import check_choice
from kops import ops, tree
from kops.registry import export
from kops.serialization import deserialize_keras_object, serialize_keras_object

__all__ = ["Bidirectional"]

_MODES = ("sum", "mul", "ave", "concat", None)


@export("keras.layers.Bidirectional")
class Bidirectional(Layer):
    """Runs a recurrent layer over a sequence forwards and backwards, and joins the results.

    With `return_sequences`, the outputs at masked steps are 0.

    Args:
        layer: a recurrent layer, such as `LSTM`, or a layer that takes sequences and has
            `go_backwards`, `return_sequences` and `return_state`.
        merge_mode: how the outputs are joined: `"concat"`, `"sum"`, `"mul"`, `"ave"`, or
            None for a list of both.
        weights: values of the weights to start from, first those of the forward layer.
        backward_layer: the layer for the backward direction; a copy of `layer` with other
            weights for None.

    Call arguments:
        sequences: the input.
        initial_state: list of states, first those of the forward layer.
        mask: boolean `(batch, steps)`, False at steps to skip.
        training: whether dropout acts.

    Raises:
        ValueError: an unknown `merge_mode`, or a `backward_layer` that does not go the
            other way.

    Source: Schuster and Paliwal, 1997, https://doi.org/10.1109/78.650093.

    Example:

    >>> import numpy as np
    >>> from klayers import layers
    >>> layer = Bidirectional(layers.LSTM(4))
    >>> tuple(layer(np.ones((2, 5, 3), "float32")).shape)
    (2, 8)
    """

    def __init__(
        self,
        layer: Layer,
        merge_mode: str | None = "concat",
        weights: Any = None,
        backward_layer: Layer | None = None,
        **kwargs: Any,
    ) -> None:
        if not isinstance(layer, Layer):
            raise ValueError(f"`layer` must be a Layer. Received: layer={layer!r}")
        if backward_layer is not None and not isinstance(backward_layer, Layer):
            raise ValueError(
                f"`backward_layer` must be a Layer. Received: backward_layer={backward_layer!r}"
            )
        if not hasattr(layer, "go_backwards") or not hasattr(layer, "return_sequences"):
            raise ValueError(
                "`layer` must be a recurrent layer, with the attributes `go_backwards`, "
                f"`return_sequences` and `return_state`. Received: layer={layer!r}"
            )
        super().__init__(**kwargs)
        self.merge_mode = check_choice(merge_mode, _MODES, "merge_mode")
        # The two layers are the wrapper's own: the one given stays as it was.
        config = serialize_keras_object(layer)
        config["config"]["name"] = f"forward_{layer.name.removeprefix('forward_')}"
        self.forward_layer: Any = deserialize_keras_object(config)
        if backward_layer is None:
            config = serialize_keras_object(layer)
            config["config"]["go_backwards"] = not config["config"]["go_backwards"]
            config["config"]["name"] = f"backward_{layer.name.removeprefix('forward_')}"
            self.backward_layer: Any = deserialize_keras_object(config)
        else:
            self.backward_layer = backward_layer
        self._check_layers()
        self.stateful = layer.stateful  # type: ignore[attr-defined]
        self.return_sequences = layer.return_sequences  # type: ignore[attr-defined]
        self.return_state = layer.return_state  # type: ignore[attr-defined]
        for each in (self.forward_layer, self.backward_layer):
            if self.return_sequences and hasattr(each, "zero_output_for_mask"):
                # A repeated last output would be a later one in the other direction.
                each.zero_output_for_mask = True
        self.supports_masking = True
        self.input_spec = InputSpec(ndim=3) if layer.input_spec is None else layer.input_spec
        self._initial_weights = weights

    def _check_layers(self) -> None:
        if self.forward_layer.go_backwards == self.backward_layer.go_backwards:
            raise ValueError(
                "`layer` and `backward_layer` must differ in `go_backwards`. Received "
                f"go_backwards={self.forward_layer.go_backwards} for both."
            )
        for name in ("stateful", "return_sequences", "return_state"):
            first = getattr(self.forward_layer, name)
            second = getattr(self.backward_layer, name)
            if first != second:
                raise ValueError(
                    f"`layer` and `backward_layer` must have the same `{name}`. "
                    f"Received: {first} and {second}"
                )

    def build(self, sequences_shape: Any, initial_state_shape: Any = None) -> None:
        """Builds both layers."""
        for layer in (self.forward_layer, self.backward_layer):
            if not layer.built:
                layer.build(sequences_shape)
        if self._initial_weights is not None:
            half = len(self._initial_weights) // 2
            self.forward_layer.set_weights(self._initial_weights[:half])
            self.backward_layer.set_weights(self._initial_weights[half:])

    def call(
        self,
        sequences: Any,
        initial_state: Any = None,
        mask: Any = None,
        training: bool | None = None,
    ) -> Any:
        """The joined outputs, followed by the states for `return_state`."""
        forward_state = backward_state = None
        if initial_state is not None:
            half = len(initial_state) // 2
            forward_state, backward_state = initial_state[:half], initial_state[half:]
        keywords = {} if training is None else {"training": training}
        y = self._run(self.forward_layer, sequences, forward_state, mask, keywords)
        y_back = self._run(self.backward_layer, sequences, backward_state, mask, keywords)
        states: tuple[Any, ...] = ()
        if self.return_state:
            states = (*y[1:], *y_back[1:])
            y, y_back = y[0], y_back[0]
        if self.return_sequences:
            y_back = ops.flip(y_back, axis=1)
        output = self._merge(y, y_back)
        if not self.return_state:
            return output
        return (*output, *states) if self.merge_mode is None else (output, *states)

    def _run(self, layer: Any, sequences: Any, state: Any, mask: Any, keywords: Any) -> Any:
        keywords = dict(keywords)
        if state is not None:
            keywords["initial_state"] = list(state)
        if mask is not None:
            keywords["mask"] = mask
        names = layer._call_signature.names
        return layer(sequences, **{k: v for k, v in keywords.items() if k in names})

    def _merge(self, y: Any, y_back: Any) -> Any:
        if self.merge_mode == "concat":
            return ops.concatenate([y, y_back], axis=-1)
        if self.merge_mode == "sum":
            return ops.add(y, y_back)
        if self.merge_mode == "ave":
            return ops.divide(ops.add(y, y_back), 2)
        if self.merge_mode == "mul":
            return ops.multiply(y, y_back)
        return (y, y_back)

    def compute_output_shape(self, sequences_shape: Any, initial_state_shape: Any = None) -> Any:
        """Shape(s) of the output(s) for an input of shape `sequences_shape`."""
        output = self.forward_layer.compute_output_shape(sequences_shape)
        states: tuple[Any, ...] = ()
        if self.return_state:
            output, *rest = output
            states = (*rest, *rest)
        outputs: Any = tuple(output)
        if self.merge_mode == "concat":
            outputs = (*output[:-1], output[-1] * 2)
        elif self.merge_mode is None:
            outputs = (tuple(output), tuple(output))
        if not self.return_state:
            return outputs
        return (*outputs, *states) if self.merge_mode is None else (outputs, *states)

    def compute_mask(self, _: Any, mask: Any) -> Any:
        """The mask of the input for `return_sequences`; None for the other outputs."""
        mask = mask[0] if isinstance(mask, (list, tuple)) else mask
        mask = mask if self.return_sequences else None
        masks = [mask, mask] if self.merge_mode is None else mask
        if not self.return_state:
            return masks
        states = [None] * (2 * len(tree.flatten(self.forward_layer.state_size)))
        return [*(masks if isinstance(masks, list) else [masks]), *states]

    def reset_state(self) -> None:
        """Sets the kept states of both layers to 0."""
        if not self.stateful:
            raise AttributeError(
                f"Layer {self.name!r} keeps no state: its layers are not `stateful`."
            )
        self.forward_layer.reset_state()
        self.backward_layer.reset_state()

    def reset_states(self) -> None:
        """The same as `reset_state`."""
        self.reset_state()

    @property
    def states(self) -> Any:
        """The kept states of both layers, None if there are none."""
        if not self.forward_layer.states:
            return None
        return tuple(self.forward_layer.states) + tuple(self.backward_layer.states)

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        return {
            **super().get_config(),
            "merge_mode": self.merge_mode,
            "layer": serialize_keras_object(self.forward_layer),
            "backward_layer": serialize_keras_object(self.backward_layer),
        }

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Bidirectional:
        """The layer that `get_config` described."""
        config = dict(config)
        for key in ("layer", "backward_layer"):
            if config.get(key) is not None:
                config[key] = deserialize_keras_object(config[key], custom_objects=custom_objects)
        return cls(**config)
