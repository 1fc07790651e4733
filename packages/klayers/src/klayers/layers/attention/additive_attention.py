"""Additive attention."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from klayers.layers.attention.attention import Attention
from kops import ops
from kops.registry import export

__all__ = ["AdditiveAttention"]


@export("keras.layers.AdditiveAttention")
class AdditiveAttention(Attention):
    """Weights values by `sum(scale * tanh(query + key))` (Bahdanau-style attention).

    Args:
        use_scale: whether the features are multiplied by learned factors.
        dropout: fraction of the attention weights to drop while training.

    The call arguments are those of `Attention`.

    Source: Bahdanau et al., 2015, https://arxiv.org/abs/1409.0473.

    Example:

    >>> import numpy as np
    >>> query, value = np.ones((1, 3, 8), "float32"), np.ones((1, 5, 8), "float32")
    >>> tuple(AdditiveAttention()([query, value]).shape)
    (1, 3, 8)
    """

    _config_extra: ClassVar[tuple[str, ...]] = ("seed",)

    def __init__(self, use_scale: bool = True, dropout: float = 0.0, **kwargs: Any) -> None:
        super().__init__(use_scale=use_scale, dropout=dropout, **kwargs)

    def build(self, input_shape: Sequence[Any]) -> None:
        """Creates the factors."""
        self._check(input_shape)
        if self.use_scale:
            self.scale = self.add_weight(
                name="scale", shape=(input_shape[0][-1],), initializer="glorot_uniform"
            )

    def _scores(self, query: Any, key: Any) -> Any:
        """How well each key matches each query, `(batch, targets, sources)`."""
        both = ops.tanh(ops.add(ops.expand_dims(query, -2), ops.expand_dims(key, -3)))
        if self.scale is not None:
            both = ops.multiply(both, self.scale)
        return ops.sum(both, axis=-1)
