"""Lookup of trainable vectors by integer id."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from klayers import constraints, initializers, regularizers
from klayers.layers._base import LoraMixin, TensorLayer, check_positive_int
from kops import dtypes, ops
from kops.registry import export

__all__ = ["Embedding"]


@export("keras.layers.Embedding")
class Embedding(LoraMixin, TensorLayer):
    """Turns ids into vectors: row `i` of the table for the id `i`.

    Input shape: any, of integers in `[0, input_dim)`. Output shape: the input's shape
    with `output_dim` appended.

    An id out of range is an IndexError eagerly; in compiled code, where nothing can be
    raised, its vector is NaN.

    Args:
        input_dim: number of ids.
        output_dim: size of the vectors.
        embeddings_initializer: first value of the table `(input_dim, output_dim)`.
        embeddings_regularizer: penalty of the table.
        embeddings_constraint: projection of the table after each update.
        mask_zero: whether the id 0 is padding, masked for the layers that follow.
        weights: the table to start from, an array or a list of one.
        lora_rank: rank of a low-rank update that trains in place of the table.
        lora_alpha: numerator of the update's factor `lora_alpha / lora_rank`.
        quantization_config: how `quantize` treats the layer.

    Example:

    >>> import numpy as np
    >>> layer = Embedding(input_dim=10, output_dim=4)
    >>> tuple(layer(np.array([[1, 2, 3]])).shape)
    (1, 3, 4)
    """

    _config_extra: ClassVar[tuple[str, ...]] = ("activity_regularizer",)
    _config_optional: ClassVar[frozenset[str]] = frozenset({"lora_rank", "lora_alpha"})

    def __init__(
        self,
        input_dim: int,
        output_dim: int,
        embeddings_initializer: Any = "uniform",
        embeddings_regularizer: Any = None,
        embeddings_constraint: Any = None,
        mask_zero: bool = False,
        weights: Any = None,
        lora_rank: int | None = None,
        lora_alpha: float | None = None,
        quantization_config: Any = None,
        **kwargs: Any,
    ) -> None:
        kwargs.pop("input_length", None)  # an argument of Keras 2, without effect
        super().__init__(autocast=False, **kwargs)  # float16 would round ids above 2048
        self.input_dim = check_positive_int(input_dim, "input_dim")
        self.output_dim = check_positive_int(output_dim, "output_dim")
        self.embeddings_initializer = initializers.get(embeddings_initializer)
        self.embeddings_regularizer = regularizers.get(embeddings_regularizer)
        self.embeddings_constraint = constraints.get(embeddings_constraint)
        self.mask_zero = mask_zero
        self.supports_masking = mask_zero
        self.lora_rank = lora_rank
        self.lora_alpha = lora_alpha if lora_alpha is not None else lora_rank
        self.quantization_config = quantization_config
        if weights is not None:
            self.build()
            self.set_weights(weights if isinstance(weights, list) else [weights])

    def build(self, input_shape: tuple[int | None, ...] | None = None) -> None:
        """Creates the table."""
        if self.built:
            return
        self._embeddings = self.add_weight(
            name="embeddings",
            shape=(self.input_dim, self.output_dim),
            initializer=self.embeddings_initializer,
            regularizer=self.embeddings_regularizer,
            constraint=self.embeddings_constraint,
        )
        self._enable_lora_if_asked()

    @property
    def embeddings(self) -> Any:
        """The table `(input_dim, output_dim)`, with the update of LoRA if there is one."""
        update = self._kernel_update
        return self._embeddings if update is None else update(self._embeddings)

    def call(self, inputs: Any) -> Any:
        """The rows of the table for the ids `inputs`."""
        ids = ops.convert_to_tensor(inputs)
        if not dtypes.is_int(dtypes.standardize(ids.dtype)):
            ids = ops.cast(ids, "int32")
        return ops.cast(ops.take(self.embeddings, ids, axis=0), self.compute_dtype)

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """True where the id is not 0, with `mask_zero`; else None."""
        return ops.not_equal(inputs, 0) if self.mask_zero else None

    def compute_output_shape(self, input_shape: Sequence[int | None]) -> tuple[int | None, ...]:
        """Shape of the output: that of the input and `output_dim`."""
        return (*input_shape, self.output_dim)

    def compute_output_spec(self, inputs: Any) -> Any:
        """Symbolic output for a symbolic input."""
        return super().compute_output_spec(inputs)
