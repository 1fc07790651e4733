"""Rows of normalization, attention, encodings, cross-entropies and recurrence."""

from __future__ import annotations

from typing import Any

import numpy as np

from kops.testing.rows import ErrorCase, Row, Sample, array, booleans, integers, positive, register

__all__: list[str] = []

_LOW = ("float32", "float16", "bfloat16")
_EPS = 1e-7


def _axes(axis: Any) -> Any:
    return tuple(axis) if isinstance(axis, (tuple, list)) else axis


def _double(x: Any) -> Any:
    return np.asarray(x, "float64")


# -- normalization ----------------------------------------------------------------------------


def _moments(x: Any, axes: Any, keepdims: bool = False, synchronized: bool = False) -> Any:
    x = _double(x)
    return x.mean(_axes(axes), keepdims=keepdims), x.var(_axes(axes), keepdims=keepdims)


def _along(v: Any, ndim: int, axis: int) -> Any:
    shape = [1] * ndim
    shape[axis] = -1
    return _double(v).reshape(shape)


def _batch_norm(
    x: Any,
    mean: Any,
    variance: Any,
    axis: int,
    offset: Any = None,
    scale: Any = None,
    epsilon: float = 1e-3,
) -> Any:
    n = x.ndim
    y = (x - _along(mean, n, axis)) / np.sqrt(_along(variance, n, axis) + epsilon)
    y = y if scale is None else y * _along(scale, n, axis)
    return y if offset is None else y + _along(offset, n, axis)


def _batch_norm_train(x: Any, scale: Any, offset: Any, axis: int, epsilon: float = 1e-3) -> Any:
    others = tuple(i for i in range(x.ndim) if i != axis % x.ndim)
    mean, variance = _moments(x, others)
    return _batch_norm(x, mean, variance, axis, offset, scale, epsilon), mean, variance


def _spread(v: Any, x: Any, axis: Any) -> Any:
    axes = sorted(a % x.ndim for a in np.atleast_1d(axis))
    return _double(v).reshape([x.shape[i] if i in axes else 1 for i in range(x.ndim)])


def _layer_norm(
    x: Any,
    gamma: Any = None,
    beta: Any = None,
    axis: Any = -1,
    epsilon: Any = None,
    rms_scaling: bool = False,
) -> Any:
    mean, variance = _moments(x, axis, keepdims=True)
    y = (x if rms_scaling else x - mean) / np.sqrt(
        variance + (_EPS if epsilon is None else epsilon)
    )
    y = y if gamma is None else y * _spread(gamma, x, axis)
    return y if beta is None else y + _spread(beta, x, axis)


def _rms_norm(x: Any, scale: Any = None, axis: Any = -1, epsilon: Any = None) -> Any:
    x = _double(x)
    y = x / np.sqrt(
        (x * x).mean(_axes(axis), keepdims=True) + (_EPS if epsilon is None else epsilon)
    )
    return y if scale is None else y * _spread(scale, x, axis)


def _normalize(x: Any, axis: Any = -1, order: float = 2, epsilon: Any = None) -> Any:
    size = np.abs(_double(x))
    if order == np.inf:
        norm = size.max(_axes(axis), keepdims=True, initial=0)
    else:
        norm = (size**order).sum(_axes(axis), keepdims=True) ** (1 / order)
    return x / np.maximum(norm, _EPS if epsilon is None else epsilon)


_X = array(3, 4, 5, 2, salt=3)
_BAD_AXIS = [
    ErrorCase((array(2, 3),), {"axis": 2}, match="axis"),
    ErrorCase((array(2, 3),), {"axis": (0, 0)}, match="axis"),
]

register(
    [
        Row(
            "moments",
            samples=[
                Sample(array(3, 4), 0),
                Sample(_X, (0, 1, 2)),
                Sample(_X, [-1, 0], keepdims=True),
                Sample(integers(3, 4), 1),
                Sample(array(3, 0), 0),
            ],
            reference=_moments,
            errors=[
                ErrorCase((array(2, 3), 2), match="`axes`"),
                ErrorCase((array(2, 3), (0, -2)), match="`axes`"),
            ],
            dtypes=_LOW,
            differentiable=True,
        ),
        Row(
            "batch_normalization",
            samples=[
                Sample(_X, array(2), positive(2), -1, array(2, salt=1), array(2, salt=2)),
                Sample(_X, array(4), positive(4), 1, epsilon=0.1),
                Sample(array(3, 2), array(2), positive(2), axis=-1, offset=array(2)),
                Sample(array(0, 2), array(2), positive(2), -1),
                Sample(integers(3, 2), array(2), positive(2), -1),
            ],
            reference=_batch_norm,
            errors=[
                ErrorCase((array(3, 2), array(2), positive(2), 2), match="`axis`"),
                ErrorCase((array(3, 2), array(3), positive(2), -1), match="`mean`"),
                ErrorCase((array(3, 2), array(2), positive(1, 2), -1), match="`variance`"),
                ErrorCase((array(3, 2), array(2), positive(2), -1, array(3)), match="`offset`"),
            ],
            dtypes=_LOW,
            atol=1e-5,
            differentiable=True,
        ),
        Row(
            "batch_norm_train",
            samples=[
                Sample(_X, array(2), array(2, salt=2), -1),
                Sample(array(4, 3), None, None, axis=-1, epsilon=0.01),
                Sample(_X, array(4), None, 1),
                Sample(array(3, 4, 2), None, array(2), 2),
            ],
            reference=_batch_norm_train,
            errors=[
                ErrorCase((array(3, 2), array(3), None, -1), match="`scale`"),
                ErrorCase((array(3, 2), None, None, 5), match="`axis`"),
            ],
            rtol=1e-4,
            atol=1e-5,
        ),
        Row(
            "layer_normalization",
            samples=[
                Sample(array(3, 4)),
                Sample(_X, array(2), array(2, salt=1), epsilon=0.01),
                Sample(_X, array(5, 2), axis=(2, 3)),
                Sample(_X, array(4, 2), array(4, 2, salt=1), axis=[3, 1]),
                Sample(array(3, 4), array(4), rms_scaling=True),
                Sample(array(0, 4), array(4)),
                Sample(integers(3, 4)),
            ],
            reference=_layer_norm,
            errors=[
                *_BAD_AXIS,
                ErrorCase((array(3, 4), array(3)), match="`gamma`"),
                ErrorCase((array(3, 4), array(4), array(3)), match="`beta`"),
                ErrorCase((array(3, 4),), {"center": True}, error=TypeError, match="center"),
            ],
            dtypes=_LOW,
            rtol=1e-4,
            atol=1e-5,
            differentiable=True,
            tolerances={"float16": (1e-2, 1e-2), "bfloat16": (4e-2, 6e-2)},
        ),
        Row(
            "rms_normalization",
            samples=[
                Sample(array(3, 4)),
                Sample(_X, array(2), epsilon=0.01),
                Sample(_X, array(4, 5), axis=(1, 2)),
                Sample(_X, axis=[0, 3]),
                Sample(array(0, 4), array(4)),
                Sample(integers(3, 4)),
            ],
            reference=_rms_norm,
            errors=[*_BAD_AXIS, ErrorCase((array(3, 4), array(3)), match="`scale`")],
            dtypes=_LOW,
            differentiable=True,
            tolerances={"bfloat16": (3e-2, 6e-2)},
        ),
        Row(
            "normalize",
            samples=[
                Sample(array(3, 4)),
                Sample(array(3, 4), axis=0, order=1),
                Sample(array(3, 4), axis=(0, 1), order=3),
                Sample(array(3, 4), order=float("inf")),
                Sample(np.zeros((2, 3), "float32")),
                Sample(array(0, 3)),
                Sample(np.array([[3, 1], [4, 1]]), axis=0),
            ],
            reference=_normalize,
            errors=[*_BAD_AXIS, ErrorCase((array(2, 3),), {"order": 0}, match="`order`")],
            dtypes=_LOW,
            differentiable=True,
        ),
    ]
)


# -- attention ----------------------------------------------------------------------------------


def _attention(
    query: Any,
    key: Any,
    value: Any,
    bias: Any = None,
    mask: Any = None,
    scale: Any = None,
    is_causal: bool = False,
    flash_attention: Any = None,
    attn_logits_soft_cap: Any = None,
) -> Any:
    groups = query.shape[2] // key.shape[2]
    key, value = np.repeat(key, groups, 2), np.repeat(value, groups, 2)
    scores = np.einsum("btnh,bsnh->bnts", _double(query), key) * (
        query.shape[-1] ** -0.5 if scale is None else scale
    )
    if attn_logits_soft_cap is not None:
        scores = attn_logits_soft_cap * np.tanh(scores / attn_logits_soft_cap)
    if bias is not None:
        scores = scores + bias
    seen = (
        np.ones(scores.shape, bool)
        if mask is None
        else np.broadcast_to(mask, scores.shape).astype(bool)
    )
    if is_causal:
        seen = seen & np.tri(*scores.shape[-2:], dtype=bool)
    scores = np.where(seen, scores, -1e30)
    weights = np.exp(scores - scores.max(-1, keepdims=True, initial=-1e30))
    return np.einsum("bnts,bsnh->btnh", weights / weights.sum(-1, keepdims=True), value)


_Q, _KEY, _VALUE = array(2, 3, 4, 8), array(2, 5, 2, 8, salt=1), array(2, 5, 2, 6, salt=2)
_MASK = booleans(2, 1, 3, 5) | np.eye(3, 5, dtype=bool)

register(
    [
        Row(
            "dot_product_attention",
            samples=[
                Sample(_Q, _Q, array(2, 3, 4, 8, salt=2)),
                Sample(_Q, _KEY, _VALUE, array(1, 4, 3, 5), _MASK, 0.2),
                Sample(_Q, _KEY, _VALUE, None, _MASK, is_causal=True),
                Sample(_Q, _KEY, _VALUE, is_causal=True, attn_logits_soft_cap=2.0),
                Sample(_Q, _KEY, _VALUE, mask=np.zeros((1, 1, 1, 5), bool)),
                Sample(array(0, 3, 4, 8), array(0, 3, 4, 8), array(0, 3, 4, 8)),
            ],
            reference=_attention,
            errors=[
                ErrorCase((_Q[0], _Q, _Q), match="`query`"),
                ErrorCase((_Q, _Q, _Q[0]), match="`value`"),
                ErrorCase((_Q, array(2, 5, 3, 8), array(2, 5, 3, 8)), match="heads"),
                ErrorCase((_Q, array(2, 5, 2, 7), array(2, 5, 2, 7)), match="size"),
            ],
            dtypes=_LOW,
            atol=1e-5,
            differentiable=True,
            unknown_dims="batch",
        ),
    ]
)


# -- encodings ----------------------------------------------------------------------------------


def _one_hot(
    x: Any, num_classes: int, axis: int = -1, dtype: Any = None, sparse: bool = False
) -> Any:
    hits = np.asarray(x)[..., None] == np.arange(num_classes)
    return np.moveaxis(hits, -1, axis).astype(dtype or "float32")


def _multi_hot(
    inputs: Any, num_classes: int, axis: int = -1, dtype: Any = None, sparse: bool = False
) -> Any:
    hits = _one_hot(inputs, num_classes, axis, dtype)
    return hits.max(1 if inputs.ndim > 1 else 0, initial=0)


_CLASSES = np.array([[0, 2, -1], [3, 1, 7]], "int32")
_ENCODING_ERRORS = [
    ErrorCase((_CLASSES, -1), match="`num_classes`"),
    ErrorCase((_CLASSES, 2.5), match="`num_classes`"),
    ErrorCase((_CLASSES, 4), {"axis": 3}, match="`axis`"),
    ErrorCase((_CLASSES, 4), {"sparse": True}, match="`sparse=True`"),
]

register(
    [
        Row(
            "one_hot",
            samples=[
                Sample(_CLASSES, 4),
                Sample(_CLASSES, 4, axis=0, dtype="int32"),
                Sample(_CLASSES, 4, 1, "bool"),
                Sample(_CLASSES.astype("int64"), 4, -2),
                Sample(_CLASSES.astype("uint8"), 3),
                Sample(np.zeros((0, 2), "int32"), 3),
                Sample(np.array(2, "int32"), 3),
                Sample(_CLASSES, 0),
            ],
            reference=_one_hot,
            errors=_ENCODING_ERRORS,
        ),
        Row(
            "multi_hot",
            samples=[
                Sample(_CLASSES, 4),
                Sample(_CLASSES, 4, dtype="int32"),
                Sample(_CLASSES[0], 4),
                Sample(np.zeros((0, 2), "int32"), 3),
                Sample(np.zeros((2, 0), "int32"), 3),
            ],
            reference=_multi_hot,
            errors=[*_ENCODING_ERRORS, ErrorCase((_CLASSES,), match="`num_classes`")],
        ),
    ]
)


# -- cross-entropies ------------------------------------------------------------------------------


def _log_p(output: Any, from_logits: bool, axis: int) -> Any:
    x = _double(output)
    if from_logits:
        x = x - x.max(axis, keepdims=True, initial=-1e30)
        return x - np.log(np.exp(x).sum(axis, keepdims=True))
    total = x.sum(axis, keepdims=True)
    return np.log(np.clip(x / np.where(total == 0, 1, total), _EPS, 1 - _EPS))


def _bce(target: Any, output: Any, from_logits: bool = False) -> Any:
    t, x = _double(target), _double(output)
    if from_logits:
        return np.logaddexp(0, x) - t * x
    p = _double(
        np.clip(np.float32(x), np.float32(_EPS), np.float32(1 - _EPS))
    )  # 1 - p has few digits in float32
    return -(t * np.log(p) + (1 - t) * np.log(1 - p))


def _cce(target: Any, output: Any, from_logits: bool = False, axis: int = -1) -> Any:
    return -(target * _log_p(output, from_logits, axis)).sum(axis)


def _scce(target: Any, output: Any, from_logits: bool = False, axis: int = -1) -> Any:
    target = np.asarray(target)
    if target.ndim == output.ndim:
        target = target.squeeze(axis)
    return _cce(_one_hot(target, output.shape[axis], axis), output, from_logits, axis)


_P = positive(3, 4) / positive(3, 4).sum(-1, keepdims=True)
_HALF = np.array([[0.0, 1.0], [0.5, 0.25]], "float32")
_TARGETS = np.array([0, 3, 1], "int32")

register(
    [
        Row(
            "binary_crossentropy",
            samples=[
                Sample(np.eye(3, 4, dtype="float32"), _P),
                Sample(positive(3, 4, low=0.1, high=0.9), array(3, 4, low=-9, high=9), True),
                Sample(_HALF, _HALF[::-1].copy()),
                Sample(
                    np.array([0.0, 1.0], "float32"),
                    np.array([90.0, -90.0], "float32"),
                    from_logits=True,
                ),
                Sample(np.eye(3, 4, dtype="int32"), _P),
                Sample(array(0, 4), array(0, 4), True),
            ],
            reference=_bce,
            errors=[
                ErrorCase((array(3, 4), array(3, 5)), match="same shape"),
                ErrorCase((array(4), array(3, 4)), match="same shape"),
            ],
            dtypes=_LOW,
            rtol=1e-4,
            atol=1e-4,
            tolerances={"float16": (1e-2, 1e-2), "bfloat16": (4e-2, 2e-2)},
        ),
        Row(
            "categorical_crossentropy",
            samples=[
                Sample(np.eye(3, 4, dtype="float32"), _P * 2),
                Sample(positive(3, 4), array(3, 4), True),
                Sample(positive(3, 4, 2), array(3, 4, 2), True, axis=1),
                Sample(np.eye(3, 4, dtype="int32"), _P),
                Sample(array(0, 4), array(0, 4), True),
                Sample(np.eye(2, dtype="float32"), np.zeros((2, 2), "float32")),
            ],
            reference=_cce,
            errors=[
                ErrorCase((array(3, 4), array(3, 5)), match="same shape"),
                ErrorCase((array(3, 4), array(3, 4)), {"axis": 2}, match="`axis`"),
            ],
            dtypes=_LOW,
            rtol=1e-4,
            atol=1e-5,
            tolerances={"float16": (1e-2, 1e-2), "bfloat16": (4e-2, 6e-2)},
        ),
        Row(
            "sparse_categorical_crossentropy",
            samples=[
                Sample(_TARGETS, _P * 2),
                Sample(_TARGETS[:, None], array(3, 4), True),
                Sample(integers(3, 2, high=4), array(3, 4, 2), True, axis=1),
                Sample(integers(3, 2, high=4), positive(3, 4, 2), axis=1),
                Sample(_TARGETS.astype("float32"), array(3, 4), from_logits=True),
                Sample(np.zeros((0,), "int32"), array(0, 4), True),
            ],
            reference=_scce,
            errors=[
                ErrorCase((_TARGETS, array(2, 4)), match="`target`"),
                ErrorCase((np.array([-1, 3, 2]), array(3, 4), True), match="-1", symbolic=False),
                ErrorCase((np.array([0, 3, 4]), array(3, 4)), match="got 4", symbolic=False),
                ErrorCase((integers(3, 4), array(3, 4)), match="`target`"),
                ErrorCase((_TARGETS, array(3, 4)), {"axis": 2}, match="`axis`"),
            ],
            dtypes=_LOW,
            rtol=1e-4,
            atol=1e-5,
            tolerances={"float16": (1e-2, 1e-2), "bfloat16": (4e-2, 6e-2)},
        ),
    ]
)


# -- recurrence ---------------------------------------------------------------------------------


def _lstm(
    x: Any,
    h: Any,
    c: Any,
    kernel: Any,
    recurrent: Any,
    bias: Any = None,
    mask: Any = None,
    activation: Any = "tanh",
    recurrent_activation: Any = "sigmoid",
    go_backwards: bool = False,
    return_sequences: bool = True,
    zero_output_for_mask: bool = False,
    unroll: bool = False,
) -> Any:
    functions = {
        "tanh": np.tanh,
        "sigmoid": lambda v: 1 / (1 + np.exp(-v)),
        "relu": lambda v: np.maximum(v, 0),
        None: lambda v: v,
    }
    inner, gate = functions[activation], functions[recurrent_activation]
    h, c, y = _double(h), _double(c), np.zeros(h.shape)
    outputs = []
    for t in range(x.shape[1]):
        t = x.shape[1] - 1 - t if go_backwards else t
        i, f, g, o = np.split(
            x[:, t] @ kernel + h @ recurrent + (0 if bias is None else bias), 4, -1
        )
        new_c = gate(f) * c + gate(i) * inner(g)
        new_h = gate(o) * inner(new_c)
        counts = np.ones((len(x), 1), bool) if mask is None else mask[:, t, None]
        y = np.where(counts, new_h, 0 if zero_output_for_mask else y)
        h, c = np.where(counts, new_h, h), np.where(counts, new_c, c)
        outputs.append(y)
    return (np.stack(outputs, 1) if return_sequences else y), h, c


_SEQUENCE = (
    array(2, 5, 3),
    array(2, 4, salt=1),
    array(2, 4, salt=2),
    array(3, 16, low=-1, high=1),
    array(4, 16, low=-1, high=1),
)
_BIAS = array(16, low=-1, high=1)
_STEPS = np.array([[0, 1, 1, 0, 1], [1, 1, 0, 0, 0]], bool)

register(
    [
        Row(
            "lstm",
            samples=[
                Sample(*_SEQUENCE, _BIAS),
                Sample(*_SEQUENCE, _BIAS, _STEPS),
                Sample(*_SEQUENCE, go_backwards=True),
                Sample(*_SEQUENCE, _BIAS, return_sequences=False),
                Sample(*_SEQUENCE, _BIAS, _STEPS, return_sequences=False, go_backwards=True),
                Sample(*_SEQUENCE, _BIAS, _STEPS, zero_output_for_mask=True),
                Sample(*_SEQUENCE, _BIAS, activation="relu", recurrent_activation="sigmoid"),
                Sample(*_SEQUENCE, _BIAS, activation=None, unroll=True),
                Sample(array(0, 5, 3), array(0, 4), array(0, 4), *_SEQUENCE[3:], _BIAS),
            ],
            reference=_lstm,
            errors=[
                ErrorCase((array(2, 5), *_SEQUENCE[1:]), match="`x`"),
                ErrorCase((array(2, 5, 2), *_SEQUENCE[1:]), match="`kernel`"),
                ErrorCase((*_SEQUENCE[:4], array(4, 15)), match="`recurrent_kernel`"),
                ErrorCase((*_SEQUENCE, array(15)), match="`bias`"),
                ErrorCase((_SEQUENCE[0], array(2, 3), *_SEQUENCE[2:]), match="`initial_h`"),
            ],
            rtol=1e-4,
            atol=1e-5,
            differentiable=True,
        ),
    ]
)
