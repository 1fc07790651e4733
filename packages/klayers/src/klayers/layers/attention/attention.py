"""Dot-product attention without projections."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from klayers.layer import Layer
from klayers.layers._base import check_choice
from klayers.layers.activations.softmax import lowest
from klayers.layers.attention import masks
from kops import ops, random
from kops.registry import export

__all__ = ["Attention"]


@export("keras.layers.Attention")
class Attention(Layer):
    """Weights values by how well their keys match the query (Luong-style attention).

    Args:
        use_scale: whether the scores are multiplied by a learned scalar.
        score_mode: `"dot"` for the product of query and key, `"concat"` for the sum of
            `tanh(query + key)`.
        dropout: fraction of the attention weights to drop while training.
        seed: an integer, for the same dropout in every run.

    Call arguments:
        inputs: list of query `(batch, targets, features)`, value
            `(batch, sources, features)` and, optionally, key; `value` is the key without.
        mask: list of masks of query `(batch, targets)` and value `(batch, sources)`, or
            None for either. The output is 0 at masked targets.
        training: whether dropout acts.
        return_attention_scores: whether to return the weights, of shape
            `(batch, targets, sources)`, too.
        use_causal_mask: whether a target sees only sources up to its own position.

    Source: Luong et al., 2015, https://arxiv.org/abs/1508.04025.

    Example:

    >>> import numpy as np
    >>> query, value = np.ones((1, 3, 8), "float32"), np.ones((1, 5, 8), "float32")
    >>> tuple(Attention()([query, value]).shape)
    (1, 3, 8)
    """

    def __init__(
        self,
        use_scale: bool = False,
        score_mode: str = "dot",
        dropout: float = 0.0,
        seed: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.use_scale = use_scale
        self.score_mode = check_choice(score_mode, ("dot", "concat"), "score_mode")
        self.dropout = dropout
        self.seed = seed
        if self.dropout > 0:
            self.seed_generator = random.SeedGenerator(seed)
        self.scale = None
        self.concat_score_weight = None
        self.supports_masking = True

    def build(self, input_shape: Sequence[Any]) -> None:
        """Creates the scalars."""
        self._check(input_shape)
        if self.use_scale:
            self.scale = self.add_weight(name="scale", shape=(), initializer="ones")
        if self.score_mode == "concat":
            self.concat_score_weight = self.add_weight(
                name="concat_score_weight", shape=(), initializer="ones"
            )

    def _scores(self, query: Any, key: Any) -> Any:
        """How well each key matches each query, `(batch, targets, sources)`."""
        if self.score_mode == "dot":
            scores = ops.matmul(query, ops.swapaxes(key, -2, -1))
            return scores if self.scale is None else ops.multiply(scores, self.scale)
        both = ops.add(ops.expand_dims(query, -2), ops.expand_dims(key, -3))
        if self.scale is not None:
            both = ops.multiply(both, self.scale)
        return ops.multiply(ops.sum(ops.tanh(both), axis=-1), self.concat_score_weight)

    def call(
        self,
        inputs: Sequence[Any],
        mask: Any = None,
        training: bool = False,
        return_attention_scores: bool = False,
        use_causal_mask: bool = False,
    ) -> Any:
        """The attended values, and the weights if asked for."""
        self._check(inputs)
        query, value = inputs[0], inputs[1]
        key = inputs[2] if len(inputs) > 2 else value
        query_mask, value_mask = self._check_mask(inputs, mask)
        scores = self._scores(query, key)
        allowed = masks.combine(
            masks.key_padding_mask(value_mask),
            masks.causal_mask(query, value) if use_causal_mask else None,
        )
        if allowed is not None:
            scores = ops.where(allowed, scores, ops.add(scores, lowest(scores)))
        weights = ops.softmax(scores, axis=-1)
        if training and self.dropout > 0:
            weights = random.dropout(weights, self.dropout, seed=self.seed_generator)
        result = ops.matmul(weights, value)
        if query_mask is not None:
            result = ops.multiply(result, ops.cast(ops.expand_dims(query_mask, -1), result.dtype))
        return (result, weights) if return_attention_scores else result

    def _check(self, inputs: Any) -> None:
        if not isinstance(inputs, (list, tuple)) or len(inputs) not in (2, 3):
            raise ValueError(
                f"{type(self).__name__} is called on a list [query, value] or "
                f"[query, value, key]. Received: inputs={inputs!r}"
            )

    def _check_mask(self, inputs: Any, mask: Any) -> tuple[Any, Any]:
        if mask is None:
            return None, None
        if not isinstance(mask, (list, tuple)) or not 2 <= len(mask) <= len(inputs):
            raise ValueError(
                f"`mask` of {type(self).__name__} must be a list [query_mask, value_mask], in "
                f"which either may be None. Received: mask={mask!r}"
            )
        return mask[0], mask[1]

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """The mask of the query."""
        return self._check_mask(inputs, mask)[0]

    def compute_output_shape(self, input_shape: Sequence[Any]) -> tuple[int | None, ...]:
        """Shape of the output: the query's, with the value's features."""
        return (*input_shape[0][:-1], input_shape[1][-1])

    def compute_output_spec(
        self,
        inputs: Sequence[Any],
        mask: Any = None,
        return_attention_scores: bool = False,
        training: bool | None = None,
        use_causal_mask: bool = False,
    ) -> Any:
        """Symbolic output(s) for symbolic inputs."""
        return super().compute_output_spec(
            inputs,
            mask=mask,
            return_attention_scores=return_attention_scores,
            training=training,
            use_causal_mask=use_causal_mask,
        )
