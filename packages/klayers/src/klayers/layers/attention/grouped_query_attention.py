"""Attention in which groups of query heads share a key and a value head."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from klayers.layers._base import check_positive_int
from klayers.layers.activations.softmax import Softmax
from klayers.layers.attention import masks
from klayers.layers.attention.multi_head_attention import MultiHead
from kops import ops
from kops.registry import export

__all__ = ["GroupedQueryAttention"]


@export("keras.layers.GroupQueryAttention")
class GroupedQueryAttention(MultiHead):
    """Multi-head attention with fewer key and value heads than query heads.

    As many heads as there are queries is multi-head attention; one is multi-query
    attention.

    Args:
        head_dim: size of each head.
        num_query_heads: number of query heads, a multiple of the next.
        num_key_value_heads: number of key and value heads.
        dropout: fraction of the attention weights to drop while training.
        use_bias: whether the projections have biases.
        sliding_window: a query sees only keys less than this many positions away.
        flash_attention: whether to insist on a flash attention kernel; None leaves the
            choice to the engine.
        kernel_initializer: first value of the projections' kernels.
        bias_initializer: first value of their biases.
        kernel_regularizer: penalty of the kernels.
        bias_regularizer: penalty of the biases.
        activity_regularizer: penalty of the output.
        kernel_constraint: projection of the kernels after each update.
        bias_constraint: projection of the biases after each update.
        use_gate: whether each head's result is multiplied by the sigmoid of a projection of
            the query.
        seed: an integer, for the same dropout in every run.

    The call arguments are those of `MultiHeadAttention`.

    Raises:
        ValueError: the number of query heads is no multiple of that of the others.

    Source: Ainslie et al., 2023, https://arxiv.org/abs/2305.13245.

    Example:

    >>> import numpy as np
    >>> layer = GroupedQueryAttention(head_dim=4, num_query_heads=4, num_key_value_heads=2)
    >>> x = np.ones((1, 3, 8), "float32")
    >>> tuple(layer(x, x).shape)
    (1, 3, 8)
    """

    def __init__(
        self,
        head_dim: int,
        num_query_heads: int,
        num_key_value_heads: int,
        dropout: float = 0.0,
        use_bias: bool = True,
        sliding_window: int | None = None,
        flash_attention: bool | None = None,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        use_gate: bool = False,
        seed: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        self.head_dim = check_positive_int(head_dim, "head_dim")
        self.num_query_heads = check_positive_int(num_query_heads, "num_query_heads")
        self.num_key_value_heads = check_positive_int(num_key_value_heads, "num_key_value_heads")
        if self.num_query_heads % self.num_key_value_heads:
            raise ValueError(
                "`num_query_heads` must be a multiple of `num_key_value_heads`. Received: "
                f"num_query_heads={num_query_heads}, num_key_value_heads={num_key_value_heads}"
            )
        self._set_common(
            dropout,
            use_bias,
            sliding_window,
            flash_attention,
            kernel_initializer,
            bias_initializer,
            kernel_regularizer,
            bias_regularizer,
            kernel_constraint,
            bias_constraint,
            use_gate,
            seed,
        )
        self.dropout = dropout
        self.use_bias = use_bias

    def build(
        self, query_shape: Sequence[Any], value_shape: Sequence[Any], key_shape: Any = None
    ) -> None:
        """Makes and builds the projections."""
        key_shape = value_shape if key_shape is None else key_shape
        few, many = self.num_key_value_heads, self.num_query_heads
        plan = [("query", query_shape, many, None), ("key", key_shape, few, None)]
        if self.use_gate:
            plan.append(("gate", query_shape, many, "sigmoid"))
        plan.append(("value", value_shape, few, None))
        for name, shape, heads, activation in plan:
            dense = self._projection(
                "abc,cde->abde", (None, heads, self.head_dim), "de", name, activation
            )
            dense.build(shape)
            setattr(self, f"_{name}_dense", dense)
        self._output_dense = self._projection(
            "abcd,cde->abe", (None, query_shape[-1]), "e", "attention_output"
        )
        self._output_dense.build((*query_shape[:-1], many, self.head_dim))
        self._softmax = Softmax(axis=-1, dtype=self.dtype_policy)
        self._build_dropout()

    def call(
        self,
        query: Any,
        value: Any,
        key: Any = None,
        query_mask: Any = None,
        value_mask: Any = None,
        key_mask: Any = None,
        attention_mask: Any = None,
        return_attention_scores: bool = False,
        training: bool | None = None,
        use_causal_mask: bool = False,
    ) -> Any:
        """The attended values, and the weights if asked for."""
        key = value if key is None else key
        mask = masks.combine(
            attention_mask,
            masks.key_padding_mask(value_mask, key_mask),
            masks.causal_mask(query, value) if use_causal_mask else None,
            None
            if self.sliding_window is None
            else masks.window_mask(query, value, self.sliding_window),
        )
        if mask is not None and len(mask.shape) == 3:
            mask = ops.expand_dims(mask, 1)
        q, k, v = self._query_dense(query), self._key_dense(key), self._value_dense(value)
        scale = 1.0 / math.sqrt(self.head_dim)
        scores = None
        if self._fuses(return_attention_scores, training):
            result = ops.dot_product_attention(
                q, k, v, mask=mask, scale=scale, flash_attention=self._flash_attention
            )
        else:
            result, scores = self._step_by_step(ops.multiply(q, scale), k, v, mask, training)
        if self.use_gate:
            result = ops.multiply(result, self._gate_dense(query))
        result = self._output_dense(result)
        return (result, scores) if return_attention_scores else result

    def _step_by_step(
        self, q: Any, k: Any, v: Any, mask: Any, training: bool | None
    ) -> tuple[Any, Any]:
        groups = self.num_query_heads // self.num_key_value_heads
        k, v = ops.repeat(k, groups, axis=2), ops.repeat(v, groups, axis=2)
        scores = self._softmax(ops.einsum("bqhd,bkhd->bhqk", q, k), mask=mask)
        kept = self._dropout_layer(scores, training=training) if self._dropout > 0 else scores
        return ops.einsum("bhqk,bkhd->bqhd", kept, v), scores

    def compute_output_shape(
        self, query_shape: Sequence[Any], value_shape: Sequence[Any], key_shape: Any = None
    ) -> tuple[int | None, ...]:
        """Shape of the output: that of the query."""
        return tuple(query_shape)

    def compute_output_spec(
        self,
        query: Any,
        value: Any,
        key: Any = None,
        query_mask: Any = None,
        value_mask: Any = None,
        key_mask: Any = None,
        attention_mask: Any = None,
        return_attention_scores: bool = False,
        training: bool | None = None,
        use_causal_mask: bool = False,
    ) -> Any:
        """Symbolic output(s) for symbolic inputs."""
        return super().compute_output_spec(
            query,
            value,
            key=key,
            query_mask=query_mask,
            value_mask=value_mask,
            key_mask=key_mask,
            attention_mask=attention_mask,
            return_attention_scores=return_attention_scores,
            training=training,
            use_causal_mask=use_causal_mask,
        )
