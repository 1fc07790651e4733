"""Attention with several heads."""

from __future__ import annotations

import math
import string
from collections.abc import Sequence
from typing import Any, ClassVar

from klayers import constraints, initializers, regularizers
from klayers.layer import Layer
from klayers.layers._base import check_positive_int
from klayers.layers.activations.softmax import Softmax
from klayers.layers.attention import masks
from klayers.layers.core.einsum_dense import EinsumDense
from klayers.layers.regularization.dropout import Dropout
from kops import ops
from kops.registry import export

__all__ = ["MultiHead", "MultiHeadAttention"]


class MultiHead(Layer):
    """Base of multi-head layers: how the projections are made."""

    _config_extra: ClassVar[tuple[str, ...]] = ("activity_regularizer",)
    _config_optional: ClassVar[frozenset[str]] = frozenset()
    _config_omitted: ClassVar[frozenset[str]] = frozenset({"flash_attention"})

    def _set_common(
        self,
        dropout: float,
        use_bias: bool,
        sliding_window: int | None,
        flash_attention: bool | None,
        kernel_initializer: Any,
        bias_initializer: Any,
        kernel_regularizer: Any,
        bias_regularizer: Any,
        kernel_constraint: Any,
        bias_constraint: Any,
        use_gate: bool,
        seed: int | None,
    ) -> None:
        if sliding_window is not None:
            check_positive_int(sliding_window, "sliding_window")
        if flash_attention and dropout > 0:
            raise ValueError(
                "Flash attention has no dropout. Set `dropout=0.0` or `flash_attention=None`. "
                f"Received: dropout={dropout}"
            )
        self.supports_masking = True
        self._dropout = dropout
        self._use_bias = use_bias
        self.sliding_window = sliding_window
        self._flash_attention = flash_attention
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.bias_initializer = initializers.get(bias_initializer)
        self.kernel_regularizer = regularizers.get(kernel_regularizer)
        self.bias_regularizer = regularizers.get(bias_regularizer)
        self.kernel_constraint = constraints.get(kernel_constraint)
        self.bias_constraint = constraints.get(bias_constraint)
        self.use_gate = use_gate
        self.seed = seed

    def _projection(
        self,
        equation: str,
        output_shape: Sequence[int | None],
        bias_axes: str,
        name: str,
        activation: Any = None,
    ) -> EinsumDense:
        """An EinsumDense with this layer's arguments."""
        dense = EinsumDense(
            equation,
            output_shape=output_shape,
            activation=activation,
            bias_axes=bias_axes if self._use_bias else None,
            name=name,
            kernel_initializer=_fresh(self.kernel_initializer),
            bias_initializer=_fresh(self.bias_initializer),
            kernel_regularizer=self.kernel_regularizer,
            bias_regularizer=self.bias_regularizer,
            kernel_constraint=self.kernel_constraint,
            bias_constraint=self.bias_constraint,
            dtype=self.dtype_policy,
        )
        dense.supports_masking = True  # only features change: a mask of positions still holds
        return dense

    def _build_dropout(self) -> None:
        if self._dropout > 0:
            self._dropout_layer = Dropout(self._dropout, dtype=self.dtype_policy, seed=self.seed)

    def _fuses(self, return_scores: bool, training: bool | None) -> bool:
        """Whether one op can do it all: no scores to return, no dropout to apply."""
        if self._flash_attention and return_scores:
            raise ValueError(
                "Flash attention cannot return the attention scores. Call with "
                "`return_attention_scores=False`, or make the layer with `flash_attention=None`."
            )
        return not return_scores and not (training and self._dropout > 0)


@export("keras.layers.MultiHeadAttention")
class MultiHeadAttention(MultiHead):
    """Scaled dot-product attention, several times side by side on projected inputs.

    Query, key and value are projected to `num_heads` heads; each head attends on its own,
    and the joined results are projected back.

    Args:
        num_heads: number of heads.
        key_dim: size of each head for query and key.
        value_dim: size of each head for value; `key_dim` for None.
        dropout: fraction of the attention weights to drop while training.
        use_bias: whether the projections have biases.
        output_shape: sizes of the output's last axes, an int or a tuple; the query's last
            size for None.
        attention_axes: axes over which attention goes; all between batch and features for
            None.
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

    Call arguments:
        query: `(batch, targets, features)`.
        value: `(batch, sources, features)`.
        key: `(batch, sources, features)`; `value` for None.
        query_mask: boolean `(batch, targets)`, passed on to the output.
        value_mask: boolean `(batch, sources)`: False takes a source out.
        key_mask: the same for keys.
        attention_mask: boolean, broadcast to `(batch, targets, sources)`.
        return_attention_scores: whether to return the weights, of shape
            `(batch, heads, targets, sources)`, too.
        training: whether dropout acts.
        use_causal_mask: whether a target sees only sources up to its own position.

    Returns:
        `(batch, targets, output size)`, or a tuple of it and the weights.

    Source: Vaswani et al., 2017, https://arxiv.org/abs/1706.03762.

    Example:

    >>> import numpy as np
    >>> layer = MultiHeadAttention(num_heads=2, key_dim=4)
    >>> query, value = np.ones((1, 3, 8), "float32"), np.ones((1, 5, 8), "float32")
    >>> tuple(layer(query, value).shape)
    (1, 3, 8)
    """

    query_dense: Any = None
    key_dense: Any = None
    value_dense: Any = None
    output_dense: Any = None

    def __init__(
        self,
        num_heads: int,
        key_dim: int,
        value_dim: int | None = None,
        dropout: float = 0.0,
        use_bias: bool = True,
        output_shape: int | Sequence[int] | None = None,
        attention_axes: int | Sequence[int] | None = None,
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
        self._num_heads = check_positive_int(num_heads, "num_heads")
        self._key_dim = check_positive_int(key_dim, "key_dim")
        value_dim = self._key_dim if value_dim is None else value_dim
        self._value_dim = check_positive_int(value_dim, "value_dim")
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
        self._output_shape = _sizes(output_shape)
        axes = [attention_axes] if isinstance(attention_axes, int) else attention_axes
        self._attention_axes = None if axes is None else tuple(axes)
        self._inverse_sqrt_key_dim = 1.0 / math.sqrt(float(self._key_dim))

    @property
    def num_heads(self) -> int:
        """Number of heads."""
        return self._num_heads

    @property
    def key_dim(self) -> int:
        """Size of each head for query and key."""
        return self._key_dim

    @property
    def value_dim(self) -> int:
        """Size of each head for value."""
        return self._value_dim

    @property
    def dropout(self) -> float:
        """Fraction of the attention weights dropped while training."""
        return self._dropout

    @property
    def use_bias(self) -> bool:
        """Whether the projections have biases."""
        return self._use_bias

    @property
    def output_shape(self) -> tuple[int, ...] | None:
        """The constructor's `output_shape`, as a tuple."""
        return self._output_shape

    @property
    def attention_axes(self) -> tuple[int, ...] | None:
        """Axes over which attention goes."""
        return self._attention_axes

    # -- building -----------------------------------------------------------------------------

    def build(
        self, query_shape: Sequence[Any], value_shape: Sequence[Any], key_shape: Any = None
    ) -> None:
        """Makes and builds the projections."""
        key_shape = value_shape if key_shape is None else key_shape
        if value_shape[1:-1] != key_shape[1:-1]:
            raise ValueError(
                "`value` and `key` must have the same sizes between batch and features. "
                f"Received: value_shape={tuple(value_shape)}, key_shape={tuple(key_shape)}"
            )
        rank = len(query_shape)
        self._set_axes(rank)
        heads = {"key": self._key_dim, "query": self._key_dim, "value": self._value_dim}
        shapes = {"query": query_shape, "key": key_shape, "value": value_shape}
        for name in ("query", "key", "gate", "value"):
            if name == "gate" and not self.use_gate:
                continue
            source = shapes["query"] if name == "gate" else shapes[name]
            size = self._value_dim if name == "gate" else heads[name]
            equation, bias_axes, out = _project_in(len(source))
            shape = [*(None,) * (out - 3), self._num_heads, size]
            activation = "sigmoid" if name == "gate" else None
            dense = self._projection(equation, shape, bias_axes, name, activation)
            dense.build(source)
            setattr(self, "_gate_dense" if name == "gate" else f"{name}_dense", dense)
        self._build_output(query_shape)
        self._softmax = Softmax(axis=self._score_axes, dtype=self.dtype_policy)
        self._build_dropout()

    def _set_axes(self, rank: int) -> None:
        """Resolves `attention_axes` and the order of axes of the scores."""
        axes = self._attention_axes
        if axes is None:
            axes = tuple(range(1, rank - 1))
        self._attention_axes = tuple(a % rank if a < 0 else a for a in axes)
        projected = rank + 1
        count = len(self._attention_axes)
        self._batch_axes = tuple(a for a in range(projected - 1) if a not in self._attention_axes)
        scores_rank = len(self._batch_axes) + 2 * count
        last = tuple(range(scores_rank - count, scores_rank))
        self._score_axes = last[0] if len(last) == 1 else last
        self._plain = rank == 3 and self._attention_axes == (1,)
        self._scores_equation, self._result_equation = _attend(
            projected, self._batch_axes, self._attention_axes
        )

    def _build_output(self, query_shape: Sequence[Any]) -> None:
        sizes = self._output_shape or (query_shape[-1],)
        equation, bias_axes, out = _project_out(len(query_shape), len(sizes))
        shape = [*(None,) * (out - 1 - len(sizes)), *sizes]
        self.output_dense = self._projection(equation, shape, bias_axes, "attention_output")
        inner = (*query_shape[:-1], self._num_heads, self._value_dim)
        self.output_dense.build(inner)

    # -- calling ------------------------------------------------------------------------------

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
        mask = self._mask(query, value, value_mask, key_mask, attention_mask, use_causal_mask)
        q, k, v = self.query_dense(query), self.key_dense(key), self.value_dense(value)
        fuses = self._plain and self._fuses(return_attention_scores, training)
        if fuses and not self._flash_attention and mask is None and use_causal_mask:
            result = self._fused(q, k, v, None, causal=True)
            scores = None
        elif fuses:
            result, scores = self._fused(q, k, v, mask), None
        else:
            result, scores = self._step_by_step(q, k, v, mask, training)
        if self.use_gate:
            result = ops.multiply(result, self._gate_dense(query))
        result = self.output_dense(result)
        return (result, scores) if return_attention_scores else result

    def _mask(
        self,
        query: Any,
        value: Any,
        value_mask: Any,
        key_mask: Any,
        attention_mask: Any,
        use_causal_mask: bool,
    ) -> Any:
        window = causal = None
        if self.sliding_window is not None:
            window = masks.window_mask(query, value, self.sliding_window)
        if use_causal_mask:
            causal = masks.causal_mask(query, value)
        padding = masks.key_padding_mask(value_mask, key_mask)
        return masks.combine(attention_mask, padding, causal, window)

    def _fused(self, q: Any, k: Any, v: Any, mask: Any, causal: bool = False) -> Any:
        if mask is not None:
            mask = self._with_heads(mask, 4)
        return ops.dot_product_attention(
            q,
            k,
            v,
            mask=mask,
            scale=self._inverse_sqrt_key_dim,
            is_causal=causal,
            flash_attention=self._flash_attention,
        )

    def _with_heads(self, mask: Any, rank: int) -> Any:
        """`mask` with an axis for the heads, and for what else lies in front of the targets."""
        axis = -2 * len(self._attention_axes or (1,)) - 1
        for _ in range(rank - len(mask.shape)):
            mask = ops.expand_dims(mask, axis)
        return mask

    def _step_by_step(
        self, q: Any, k: Any, v: Any, mask: Any, training: bool | None
    ) -> tuple[Any, Any]:
        q = ops.multiply(q, self._inverse_sqrt_key_dim)
        scores = ops.einsum(self._scores_equation, k, q)
        if mask is not None:
            mask = self._with_heads(mask, len(scores.shape))
        scores = self._softmax(scores, mask=mask)
        kept = scores
        if self._dropout > 0:
            kept = self._dropout_layer(scores, training=training)
        return ops.einsum(self._result_equation, kept, v), scores

    # -- shapes -------------------------------------------------------------------------------

    def compute_output_shape(
        self, query_shape: Sequence[Any], value_shape: Sequence[Any], key_shape: Any = None
    ) -> tuple[int | None, ...]:
        """Shape of the output."""
        key_shape = value_shape if key_shape is None else key_shape
        if tuple(value_shape[1:-1]) != tuple(key_shape[1:-1]):
            raise ValueError(
                "`value` and `key` must have the same sizes between batch and features. "
                f"Received: value_shape={tuple(value_shape)}, key_shape={tuple(key_shape)}"
            )
        sizes = self._output_shape or (query_shape[-1],)
        return (*query_shape[:-1], *sizes)

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


def _fresh(initializer: Any) -> Any:
    """A copy of an initializer: projections of one shape must not start equal."""
    return initializer.clone() if isinstance(initializer, initializers.Initializer) else initializer


def _sizes(output_shape: int | Sequence[int] | None) -> tuple[int, ...] | None:
    if output_shape is None:
        return None
    return tuple(output_shape) if isinstance(output_shape, (list, tuple)) else (output_shape,)  # type: ignore


def _project_in(rank: int) -> tuple[str, str, int]:
    """Equation from features to heads: `abc,cde->abde`; its bias axes and output rank."""
    free = string.ascii_letters[: rank - 1]
    features, heads, size = string.ascii_letters[rank - 1 : rank + 2]
    equation = f"{free}{features},{features}{heads}{size}->{free}{heads}{size}"
    return equation, heads + size, rank + 1


def _project_out(rank: int, outputs: int) -> tuple[str, str, int]:
    """Equation from heads to features: `abcd,cde->abe`; its bias axes and output rank."""
    free = string.ascii_letters[: rank - 1]
    heads = string.ascii_letters[rank - 1 : rank + 1]
    features = string.ascii_letters[rank + 1 : rank + 1 + outputs]
    return f"{free}{heads},{heads}{features}->{free}{features}", features, rank - 1 + outputs


def _attend(rank: int, batch: tuple[int, ...], attended: tuple[int, ...]) -> tuple[str, str]:
    """Equations of scores (key, query) and results (scores, value): `aecd,abcd->acbe`, …"""
    letters = iter(string.ascii_letters)
    query = [next(letters) for _ in range(rank)]
    source = [next(letters) if a in attended else query[a] for a in range(rank)]
    scores = [query[a] for a in (*batch, *attended)] + [source[a] for a in attended]
    q, k, s = "".join(query), "".join(source), "".join(scores)
    return f"{k},{q}->{s}", f"{s},{k}->{q}"
