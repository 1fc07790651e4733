"""The fully connected layer."""

from __future__ import annotations

from typing import Any

from klayers import activations, constraints, initializers, regularizers
from klayers.activations import linear
from klayers.input_spec import InputSpec
from klayers.layers._base import LoraMixin, TensorLayer, check_positive_int
from kops import ops
from kops.registry import export

__all__ = ["Dense"]


@export("keras.layers.Dense")
class Dense(LoraMixin, TensorLayer):
    """`activation(inputs @ kernel + bias)`, over the last axis of the inputs.

    Input shape: `(batch, ..., features)`. Output shape: `(batch, ..., units)`.

    Args:
        units: size of the output's last axis.
        activation: activation function; none by default.
        use_bias: whether to add a bias.
        kernel_initializer: first value of the kernel `(features, units)`.
        bias_initializer: first value of the bias `(units,)`.
        kernel_regularizer: penalty of the kernel.
        bias_regularizer: penalty of the bias.
        activity_regularizer: penalty of the output.
        kernel_constraint: projection of the kernel after each update.
        bias_constraint: projection of the bias after each update.
        lora_rank: rank of a low-rank update that trains in place of the kernel
            (https://arxiv.org/abs/2106.09685).
        lora_alpha: numerator of the update's factor `lora_alpha / lora_rank`.
        quantization_config: how `quantize` treats the layer.

    Raises:
        ValueError: `units` is no positive integer, or the inputs have rank below 2 or
            another number of features than the kernel.

    Example:

    >>> import numpy as np
    >>> layer = Dense(3, activation="relu")
    >>> layer(np.ones((2, 4), "float32")).shape[1]
    3
    """

    _config_optional = frozenset({"activity_regularizer", "lora_rank", "lora_alpha"})

    def __init__(
        self,
        units: int,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        lora_rank: int | None = None,
        lora_alpha: float | None = None,
        quantization_config: Any = None,
        **kwargs: Any,
    ) -> None:
        units = check_positive_int(units, "units")
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        self.units = units
        self.activation = activations.get(activation)
        self.use_bias = use_bias
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.bias_initializer = initializers.get(bias_initializer)
        self.kernel_regularizer = regularizers.get(kernel_regularizer)
        self.bias_regularizer = regularizers.get(bias_regularizer)
        self.kernel_constraint = constraints.get(kernel_constraint)
        self.bias_constraint = constraints.get(bias_constraint)
        self.lora_rank = lora_rank
        self.lora_alpha = lora_alpha if lora_alpha is not None else lora_rank
        self.quantization_config = quantization_config
        self.bias = None
        self.input_spec = InputSpec(min_ndim=2)
        self.supports_masking = True

    def build(self, input_shape: tuple[int | None, ...]) -> None:
        """Creates the kernel and the bias."""
        features = input_shape[-1]
        if features is None:
            raise ValueError(
                "The last axis of the inputs of a Dense layer must be known, because it sizes "
                f"the kernel. Received: input_shape={tuple(input_shape)}"
            )
        self._kernel = self.add_weight(
            name="kernel",
            shape=(features, self.units),
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
        )
        if self.use_bias:
            self.bias = self.add_weight(
                name="bias",
                shape=(self.units,),
                initializer=self.bias_initializer,
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
            )
        self.input_spec = InputSpec(min_ndim=2, axes={-1: features})
        self._enable_lora_if_asked()

    @property
    def kernel(self) -> Any:
        """The kernel `(features, units)`, with the update of LoRA if there is one."""
        update = self._kernel_update
        return self._kernel if update is None else update(self._kernel)

    def call(self, inputs: Any, training: bool | None = None) -> Any:
        """`activation(inputs @ kernel + bias)`."""
        x = ops.matmul(inputs, self.kernel)
        if self.bias is not None:
            x = ops.add(x, self.bias)
        activation = self.activation
        return x if activation is linear else activation(x)
