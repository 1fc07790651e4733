"""ONNX forms of activations, convolutions, pooling, normalization and recurrent layers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from kexport.onnx.graph import Graph, Value
from kexport.onnx.shapes import reshape_to, transpose_to
from kops.dim import Dim, Size
from kops.specs import axis_of
from kops.windows import conv_geometry, depthwise_geometry, pool_geometry, transpose_geometry

__all__ = ["EMITTERS"]


class Descend(Exception):
    """Raised by an emitter that has no form for these arguments, when the op's body has one."""


def _plain(op_type: str, **attributes: Any) -> Callable[..., Value]:
    def emit(g: Graph, x: Value) -> Value:
        return g.op(op_type, x, **attributes)

    return emit


def _with_alpha(op_type: str) -> Callable[..., Value]:
    def emit(g: Graph, x: Value, alpha: float) -> Value:
        return g.op(op_type, x, alpha=float(alpha))

    return emit


def _silu(g: Graph, x: Value) -> Value:
    return g.op("Mul", x, g.op("Sigmoid", x))


def _gelu(g: Graph, x: Value, approximate: bool = True) -> Value:
    return g.op("Gelu", x, approximate="tanh" if approximate else "none")


def _softmax(op_type: str) -> Callable[..., Value]:
    def emit(g: Graph, x: Value, axis: Any = -1) -> Value:
        if isinstance(axis, (tuple, list)) and len(axis) == 1:
            axis = axis[0]
        if not isinstance(axis, int) or x.dtype in ("float16", "bfloat16"):
            raise Descend
        return g.op(op_type, x, axis=axis_of(axis, x.ndim))

    return emit


# -- convolutions and pooling -------------------------------------------------------------------


def _first(g: Graph, x: Value, channels_last: bool) -> Value:
    """The tensor with its channels in front, as ONNX wants them."""
    if not channels_last:
        return x
    return transpose_to(g, x, [0, x.ndim - 1, *range(1, x.ndim - 1)])


def _last(g: Graph, x: Value, channels_last: bool) -> Value:
    if not channels_last:
        return x
    return transpose_to(g, x, [0, *range(2, x.ndim), 1])


def _pads(pads: Any) -> dict[str, Any]:
    """Padding attributes; sizes that are unknown here are left to the runtime."""
    if pads is None:
        return {"auto_pad": "SAME_UPPER"}
    return {"pads": [p[0] for p in pads] + [p[1] for p in pads]}


def _conv(
    g: Graph, x: Value, kernel: Value, strides: Any, padding: str, data_format: Any, dilation: Any
) -> Value:
    geometry = conv_geometry(x.dims, kernel.dims, strides, padding, data_format, dilation)
    rank = geometry.rank
    weight = transpose_to(g, kernel, [rank + 1, rank, *range(rank)])
    return _convolve(g, x, weight, None, geometry)


def _conv_bias(
    g: Graph,
    x: Value,
    kernel: Value,
    bias: Value,
    strides: Any = 1,
    padding: str = "valid",
    data_format: Any = None,
    dilation: Any = 1,
) -> Value:
    geometry = conv_geometry(x.dims, kernel.dims, strides, padding, data_format, dilation)
    rank = geometry.rank
    weight = transpose_to(g, kernel, [rank + 1, rank, *range(rank)])
    return _convolve(g, x, weight, bias, geometry)


def _depthwise_conv(
    g: Graph,
    x: Value,
    kernel: Value,
    strides: Any = 1,
    padding: str = "valid",
    data_format: Any = None,
    dilation: Any = 1,
) -> Value:
    geometry = depthwise_geometry(x.dims, kernel.dims, strides, padding, data_format, dilation)
    rank = geometry.rank
    channels, multiplier = kernel.dims[rank], kernel.dims[rank + 1]
    # (…, in, multiplier) -> (in * multiplier, 1, …)
    weight = transpose_to(g, kernel, [rank, rank + 1, *range(rank)])
    weight = reshape_to(g, weight, [channels * multiplier, 1, *kernel.dims[:rank]])
    return _convolve(g, x, weight, None, geometry)


def _convolve(g: Graph, x: Value, weight: Value, bias: Value | None, geometry: Any) -> Value:
    out: Any = g.out
    dims = out.dims
    if geometry.channels_last:
        dims = (dims[0], dims[-1], *dims[1:-1])
    made = g.op(
        "Conv",
        _first(g, x, geometry.channels_last),
        weight,
        bias,
        dims=dims,
        strides=list(geometry.strides),
        dilations=list(geometry.dilation),
        group=geometry.groups,
        **_pads(geometry.pads),
    )
    return _last(g, made, geometry.channels_last)


def _conv_transpose(
    g: Graph,
    x: Value,
    kernel: Value,
    strides: Any,
    padding: str,
    output_padding: Any,
    data_format: Any,
    dilation: Any,
) -> Value:
    geometry = transpose_geometry(
        x.dims, kernel.dims, strides, padding, output_padding, data_format, dilation
    )
    rank = geometry.rank
    weight = transpose_to(g, kernel, [rank + 1, rank, *range(rank)])  # (…, out, in) -> (in, out, …)
    extra = [max(0, -after) for _, after in geometry.pads]
    cut = [max(0, before) for before, _ in geometry.pads] + [
        max(0, after) for _, after in geometry.pads
    ]
    dims: Any = g.out.dims
    if geometry.channels_last:
        dims = (dims[0], dims[-1], *dims[1:-1])
    made = g.op(
        "ConvTranspose",
        _first(g, x, geometry.channels_last),
        weight,
        dims=dims,
        strides=list(geometry.strides),
        dilations=list(geometry.dilation),
        output_padding=extra if any(extra) else None,
        pads=cut,
    )
    return _last(g, made, geometry.channels_last)


def _pool(op_type: str, **attributes: Any) -> Callable[..., Value]:
    def emit(
        g: Graph,
        x: Value,
        pool_size: Any,
        strides: Any = None,
        padding: str = "valid",
        data_format: Any = None,
    ) -> Value:
        geometry = pool_geometry(x.dims, pool_size, strides, padding, data_format)
        dims: Any = g.out.dims
        if geometry.channels_last:
            dims = (dims[0], dims[-1], *dims[1:-1])
        made = g.op(
            op_type,
            _first(g, x, geometry.channels_last),
            dims=dims,
            kernel_shape=list(geometry.size),
            strides=list(geometry.strides),
            **_pads(geometry.pads),
            **attributes,
        )
        return _last(g, made, geometry.channels_last)

    return emit


# -- recurrent ----------------------------------------------------------------------------------

# ONNX keeps its gates in the order input, output, forget, cell; ours is i, f, g, o.
_GATES = (0, 3, 1, 2)


def _lstm(
    g: Graph,
    x: Value,
    initial_h: Value,
    initial_c: Value,
    kernel: Value,
    recurrent_kernel: Value,
    bias: Value | None = None,
    mask: Value | None = None,
    activation: Any = "tanh",
    recurrent_activation: Any = "sigmoid",
    go_backwards: bool = False,
    return_sequences: bool = True,
    zero_output_for_mask: bool = False,
    unroll: bool = False,
) -> tuple[Value, Value, Value]:
    names = tuple(getattr(a, "__name__", a) for a in (activation, recurrent_activation))
    if mask is not None or names != ("tanh", "sigmoid"):
        raise Descend
    if kernel.array is None or recurrent_kernel.array is None:
        raise Descend
    units = recurrent_kernel.array.shape[0]
    arrays = [_gates(kernel.array, units).T, _gates(recurrent_kernel.array, units).T]
    w, r = (g.constant(a[None], x.dtype, name="lstm_weight") for a in arrays)
    b = None
    if bias is not None:
        if bias.array is None:
            raise Descend
        whole = np.concatenate([_gates(bias.array, units), np.zeros(4 * units)])
        b = g.constant(whole[None], x.dtype, name="lstm_bias")
    batch, time = x.dims[0], x.dims[1]
    sequence = transpose_to(g, x, [1, 0, 2])  # ONNX wants the time in front
    if go_backwards:
        sequence = g.op(
            "Slice",
            sequence,
            g.ints([-1]),
            g.ints([np.iinfo(np.int64).min + 1]),
            g.ints([0]),
            g.ints([-1]),
        )
    one = g.ints([0])
    state: tuple[Size, ...] = (1, batch, units)
    y, h, c = g.ops(
        "LSTM",
        sequence,
        w,
        r,
        b,
        None,
        g.op("Unsqueeze", initial_h, one, dims=state),
        g.op("Unsqueeze", initial_c, one, dims=state),
        outputs=[(x.dtype, (time, 1, batch, units)), (x.dtype, state), (x.dtype, state)],
        hidden_size=units,
    )
    h, c = (g.op("Squeeze", v, one, dims=(batch, units)) for v in (h, c))
    if not return_sequences:
        return h, h, c
    y = g.op("Squeeze", y, g.ints([1]), dims=(time, batch, units))
    return transpose_to(g, y, [1, 0, 2]), h, c


def _gates(array: np.ndarray, units: int) -> np.ndarray:
    parts = np.split(array, 4, axis=-1)
    return np.concatenate([parts[i] for i in _GATES], axis=-1)


def _layer_normalization(
    g: Graph,
    x: Value,
    gamma: Value | None = None,
    beta: Value | None = None,
    axis: Any = -1,
    epsilon: Any = None,
    rms_scaling: bool = False,
) -> Value:
    last = axis == -1 or axis == x.ndim - 1 or axis in ([-1], (-1,), [x.ndim - 1], (x.ndim - 1,))
    if not last or gamma is None or rms_scaling or gamma.ndim != 1 or isinstance(x.dims[-1], Dim):
        raise Descend
    epsilon = 1e-3 if epsilon is None else float(epsilon)
    return g.op("LayerNormalization", x, gamma, beta, axis=-1, epsilon=epsilon)


EMITTERS: dict[str, Callable[..., Any]] = {
    "relu": _plain("Relu"),
    "sigmoid": _plain("Sigmoid"),
    "softplus": _plain("Softplus"),
    "softsign": _plain("Softsign"),
    "silu": _silu,
    "gelu": _gelu,
    "elu": _with_alpha("Elu"),
    "celu": _with_alpha("Celu"),
    "selu": _plain("Selu"),
    "hard_sigmoid": _plain("HardSigmoid", alpha=1 / 6, beta=0.5),
    "hard_silu": _plain("HardSwish"),
    "leaky_relu": _with_alpha("LeakyRelu"),
    "softmax": _softmax("Softmax"),
    "log_softmax": _softmax("LogSoftmax"),
    "conv": _conv,
    "conv_bias": _conv_bias,
    "depthwise_conv": _depthwise_conv,
    "conv_transpose": _conv_transpose,
    "max_pool": _pool("MaxPool"),
    "average_pool": _pool("AveragePool", count_include_pad=0),
    "layer_normalization": _layer_normalization,
    "lstm": _lstm,
}
