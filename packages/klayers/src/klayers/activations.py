"""Activation functions: element-wise (or along one axis) functions of a tensor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kops import ops
from kops.registry import canonical_path, export, get_registered_object
from kops.serialization import deserialize_keras_object, serialize_keras_object

__all__ = [
    "celu",
    "deserialize",
    "elu",
    "exponential",
    "gelu",
    "get",
    "glu",
    "hard_shrink",
    "hard_sigmoid",
    "hard_silu",
    "hard_tanh",
    "leaky_relu",
    "linear",
    "log_sigmoid",
    "log_softmax",
    "mish",
    "relu",
    "relu6",
    "selu",
    "serialize",
    "sigmoid",
    "silu",
    "soft_shrink",
    "softmax",
    "softplus",
    "softsign",
    "sparse_plus",
    "sparse_sigmoid",
    "sparsemax",
    "squareplus",
    "tanh",
    "tanh_shrink",
    "threshold",
]

Activation = Callable[..., Any]


@export("keras.activations.relu")
def relu(
    x: Any,
    negative_slope: float = 0.0,
    max_value: float | None = None,
    threshold: float = 0.0,
) -> Any:
    """Rectified linear unit: `max(x, 0)` with the default arguments.

    In general the result is `max_value` where `x >= max_value`, `x` where
    `threshold <= x < max_value`, else `negative_slope * (x - threshold)`.

    Args:
        x: tensor of any shape.
        negative_slope: slope below `threshold`.
        max_value: upper bound of the result (the saturation point).
        threshold: value under which inputs are damped or set to zero.

    Example:

    >>> ops.convert_to_numpy(relu([-1.0, 2.0])).tolist()
    [0.0, 2.0]
    """
    if threshold == 0:
        if not negative_slope:
            if max_value is None:
                return ops.relu(x)
            return ops.relu6(x) if max_value == 6 else ops.clip(x, 0.0, max_value)
        if max_value is None:
            return ops.leaky_relu(x, negative_slope=negative_slope)
    x = ops.convert_to_tensor(x)
    if negative_slope:
        below = negative_slope * (x - threshold)
    else:
        below = ops.zeros_like(x)
    y = ops.where(x < threshold, below, x)
    return y if max_value is None else ops.minimum(y, max_value)


@export("keras.activations.leaky_relu")
def leaky_relu(x: Any, negative_slope: float = 0.2) -> Any:
    """`x` where positive, else `negative_slope * x` (Maas et al., 2013).

    Example:

    >>> ops.convert_to_numpy(leaky_relu([-1.0, 2.0])).tolist()[1]
    2.0
    """
    return ops.leaky_relu(x, negative_slope=negative_slope)


@export("keras.activations.relu6")
def relu6(x: Any) -> Any:
    """ReLU capped at six: `min(max(x, 0), 6)`.

    Example:

    >>> ops.convert_to_numpy(relu6([-1.0, 2.0, 9.0])).tolist()
    [0.0, 2.0, 6.0]
    """
    return ops.relu6(x)


@export("keras.activations.softmax")
def softmax(x: Any, axis: int | tuple[int, ...] = -1) -> Any:
    """`exp(x) / sum(exp(x))` along `axis`: non-negative values that add up to 1.

    Args:
        x: tensor of rank one or more.
        axis: axis (or axes) of the sum.

    Example:

    >>> ops.convert_to_numpy(softmax([0.0, 0.0])).tolist()
    [0.5, 0.5]
    """
    return ops.softmax(x, axis=axis)


@export("keras.activations.log_softmax")
def log_softmax(x: Any, axis: int | tuple[int, ...] = -1) -> Any:
    """The logarithm of `softmax(x, axis)`, computed without overflow.

    Example:

    >>> round(float(log_softmax([0.0, 0.0])[0]), 4)
    -0.6931
    """
    return ops.log_softmax(x, axis=axis)


@export("keras.activations.sparsemax")
def sparsemax(x: Any, axis: int = -1) -> Any:
    """Euclidean projection of `x` onto the simplex along `axis`.

    Like softmax, but small entries become exactly zero (Martins and Astudillo,
    2016, https://arxiv.org/abs/1602.02068).

    Example:

    >>> ops.convert_to_numpy(sparsemax([3.0, 0.0])).tolist()
    [1.0, 0.0]
    """
    return ops.sparsemax(x, axis=axis)


@export("keras.activations.elu")
def elu(x: Any, alpha: float = 1.0) -> Any:
    """`x` where positive, else `alpha * (exp(x) - 1)`.

    Source: Clevert et al., 2016, https://arxiv.org/abs/1511.07289.

    Example:

    >>> ops.convert_to_numpy(elu([0.0, 2.0])).tolist()
    [0.0, 2.0]
    """
    return ops.elu(x, alpha=alpha)


@export("keras.activations.selu")
def selu(x: Any) -> Any:
    """Scaled ELU, whose constants keep mean 0 and variance 1 from layer to layer.

    Use it with the `lecun_normal` initializer and `AlphaDropout`.
    Source: Klambauer et al., 2017, https://arxiv.org/abs/1706.02515.

    Example:

    >>> round(float(selu([1.0])[0]), 4)
    1.0507
    """
    return ops.selu(x)


@export("keras.activations.celu")
def celu(x: Any, alpha: float = 1.0) -> Any:
    """`max(x, 0) + min(0, alpha * (exp(x / alpha) - 1))`.

    Source: Barron, 2017, https://arxiv.org/abs/1704.07483.

    Example:

    >>> ops.convert_to_numpy(celu([0.0, 2.0])).tolist()
    [0.0, 2.0]
    """
    return ops.celu(x, alpha=alpha)


@export("keras.activations.gelu")
def gelu(x: Any, approximate: bool = False) -> Any:
    """`x * P(X <= x)` for a standard normal X.

    Args:
        x: tensor of any shape.
        approximate: use the faster formula with tanh instead of erf.

    Source: Hendrycks and Gimpel, 2016, https://arxiv.org/abs/1606.08415.

    Example:

    >>> round(float(gelu([1.0])[0]), 4)
    0.8413
    """
    return ops.gelu(x, approximate=approximate)


@export("keras.activations.glu")
def glu(x: Any, axis: int = -1) -> Any:
    """`a * sigmoid(b)` for the two halves `a`, `b` of `x` along `axis`.

    The size of `axis` must be even; the result has half of it.
    Source: Dauphin et al., 2017, https://arxiv.org/abs/1612.08083.

    Example:

    >>> ops.convert_to_numpy(glu([2.0, 0.0])).tolist()
    [1.0]
    """
    return ops.glu(x, axis=axis)


@export("keras.activations.silu", "keras.activations.swish")
def silu(x: Any) -> Any:
    """`x * sigmoid(x)`, also known as swish.

    Source: Ramachandran et al., 2017, https://arxiv.org/abs/1710.05941.

    Example:

    >>> ops.convert_to_numpy(silu([0.0])).tolist()
    [0.0]
    """
    return ops.silu(x)


@export("keras.activations.hard_silu", "keras.activations.hard_swish")
def hard_silu(x: Any) -> Any:
    """`x * relu6(x + 3) / 6`, a piecewise form of silu.

    Source: Howard et al., 2019, https://arxiv.org/abs/1905.02244.

    Example:

    >>> ops.convert_to_numpy(hard_silu([-4.0, 4.0])).tolist()[1]
    4.0
    """
    return ops.hard_silu(x)


@export("keras.activations.mish")
def mish(x: Any) -> Any:
    """`x * tanh(softplus(x))` (Misra, 2019, https://arxiv.org/abs/1908.08681).

    Example:

    >>> ops.convert_to_numpy(mish([0.0])).tolist()
    [0.0]
    """
    x = ops.convert_to_tensor(x)
    return ops.multiply(x, ops.tanh(ops.softplus(x)))


@export("keras.activations.softplus")
def softplus(x: Any) -> Any:
    """`log(1 + exp(x))`, a smooth ReLU.

    Example:

    >>> round(float(softplus([0.0])[0]), 4)
    0.6931
    """
    return ops.softplus(x)


@export("keras.activations.squareplus")
def squareplus(x: Any, b: float = 4) -> Any:
    """`(x + sqrt(x**2 + b)) / 2` (Barron, 2021, https://arxiv.org/abs/2112.11687).

    Example:

    >>> ops.convert_to_numpy(squareplus([0.0])).tolist()
    [1.0]
    """
    return ops.squareplus(x, b=b)


@export("keras.activations.sparse_plus")
def sparse_plus(x: Any) -> Any:
    """0 for `x <= -1`, `x` for `x >= 1`, and `(x + 1)**2 / 4` between.

    Example:

    >>> ops.convert_to_numpy(sparse_plus([-2.0, 1.0, 3.0])).tolist()
    [0.0, 1.0, 3.0]
    """
    return ops.sparse_plus(x)


@export("keras.activations.softsign")
def softsign(x: Any) -> Any:
    """`x / (1 + |x|)`.

    Example:

    >>> ops.convert_to_numpy(softsign([1.0])).tolist()
    [0.5]
    """
    return ops.softsign(x)


@export("keras.activations.tanh")
def tanh(x: Any) -> Any:
    """Hyperbolic tangent.

    Example:

    >>> ops.convert_to_numpy(tanh([0.0])).tolist()
    [0.0]
    """
    return ops.tanh(x)


@export("keras.activations.tanh_shrink")
def tanh_shrink(x: Any) -> Any:
    """`x - tanh(x)`.

    Example:

    >>> ops.convert_to_numpy(tanh_shrink([0.0])).tolist()
    [0.0]
    """
    return ops.tanh_shrink(x)


@export("keras.activations.hard_tanh")
def hard_tanh(x: Any) -> Any:
    """`x` clipped to [-1, 1].

    Example:

    >>> ops.convert_to_numpy(hard_tanh([-3.0, 0.5])).tolist()
    [-1.0, 0.5]
    """
    return ops.hard_tanh(x)


@export("keras.activations.hard_shrink")
def hard_shrink(x: Any, threshold: float = 0.5) -> Any:
    """`x` where `|x| > threshold`, else 0.

    Example:

    >>> ops.convert_to_numpy(hard_shrink([0.2, 2.0])).tolist()
    [0.0, 2.0]
    """
    return ops.hard_shrink(x, threshold=threshold)


@export("keras.activations.soft_shrink")
def soft_shrink(x: Any, threshold: float = 0.5) -> Any:
    """`x` moved by `threshold` towards 0, and 0 where `|x| <= threshold`.

    Example:

    >>> ops.convert_to_numpy(soft_shrink([0.2, 2.0])).tolist()
    [0.0, 1.5]
    """
    return ops.soft_shrink(x, threshold=threshold)


@export("keras.activations.threshold")
def threshold(x: Any, threshold: float, default_value: float) -> Any:
    """`x` where `x > threshold`, else `default_value`.

    Example:

    >>> ops.convert_to_numpy(threshold([0.2, 2.0], 1.0, -1.0)).tolist()
    [-1.0, 2.0]
    """
    return ops.threshold(x, threshold, default_value)


@export("keras.activations.sigmoid")
def sigmoid(x: Any) -> Any:
    """`1 / (1 + exp(-x))`.

    Example:

    >>> ops.convert_to_numpy(sigmoid([0.0])).tolist()
    [0.5]
    """
    return ops.sigmoid(x)


@export("keras.activations.hard_sigmoid")
def hard_sigmoid(x: Any) -> Any:
    """`relu6(x + 3) / 6`, a piecewise linear sigmoid.

    Example:

    >>> ops.convert_to_numpy(hard_sigmoid([-3.0, 0.0, 3.0])).tolist()
    [0.0, 0.5, 1.0]
    """
    return ops.hard_sigmoid(x)


@export("keras.activations.log_sigmoid")
def log_sigmoid(x: Any) -> Any:
    """`log(sigmoid(x))`, computed without overflow.

    Example:

    >>> round(float(log_sigmoid([0.0])[0]), 4)
    -0.6931
    """
    return ops.log_sigmoid(x)


@export("keras.activations.sparse_sigmoid")
def sparse_sigmoid(x: Any) -> Any:
    """0 for `x <= -1`, 1 for `x >= 1`, and `(x + 1) / 2` between.

    Example:

    >>> ops.convert_to_numpy(sparse_sigmoid([-2.0, 0.0, 2.0])).tolist()
    [0.0, 0.5, 1.0]
    """
    return ops.sparse_sigmoid(x)


@export("keras.activations.exponential")
def exponential(x: Any) -> Any:
    """`exp(x)`.

    Example:

    >>> ops.convert_to_numpy(exponential([0.0])).tolist()
    [1.0]
    """
    return ops.exp(x)


@export("keras.activations.linear")
def linear(x: Any) -> Any:
    """The input itself: no activation.

    Example:

    >>> linear(3.0)
    3.0
    """
    return x


_FUNCTIONS: dict[str, Activation] = {
    name: globals()[name] for name in __all__ if name not in ("get", "serialize", "deserialize")
}
_ALIASES = {"swish": "silu", "hard_swish": "hard_silu"}
_BY_NAME: dict[str, Activation] = {
    **_FUNCTIONS,
    **{alias: _FUNCTIONS[name] for alias, name in _ALIASES.items()},
}


@export("keras.activations.serialize")
def serialize(activation: Activation) -> str | dict[str, Any]:
    """What a config holds for `activation`: the name of a built-in function, else a dict.

    Example:

    >>> serialize(relu)
    'relu'
    """
    if _FUNCTIONS.get(getattr(activation, "__name__", "")) is activation:
        return activation.__name__
    # An op passed in place of the activation of the same name (`ops.relu`).
    path = canonical_path(activation)
    if path is not None and path.startswith("keras.ops."):
        name = path.rsplit(".", 1)[-1]
        if name in _FUNCTIONS:
            return name
    return serialize_keras_object(activation)


@export("keras.activations.deserialize")
def deserialize(
    config: str | dict[str, Any], custom_objects: dict[str, Any] | None = None
) -> Activation:
    """The activation that `serialize` wrote `config` for.

    Args:
        config: name of an activation, or the dict of a custom one.
        custom_objects: names of further functions.

    Raises:
        ValueError: nothing has that name.

    Example:

    >>> deserialize("relu") is relu
    True
    """
    if isinstance(config, dict) and config.get("class_name") == "function":
        config = config.get("config", config)
    if isinstance(config, str):
        found = get_registered_object(config, custom_objects, _BY_NAME)
        if found is None:
            raise ValueError(
                f"Unknown activation: {config!r}. Known names: {', '.join(sorted(_BY_NAME))}. "
                "A function of your own must be registered with "
                "`register_keras_serializable` or passed through `custom_objects`."
            )
        return found
    return deserialize_keras_object(config, custom_objects=custom_objects)


@export("keras.activations.get")
def get(identifier: Any) -> Activation:
    """The activation function that `identifier` names.

    Args:
        identifier: a name, a config dict, a callable (returned as it is) or None
            (`linear`).

    Raises:
        ValueError: `identifier` is none of these, or the name is unknown.

    Example:

    >>> get("tanh") is tanh and get(None) is linear
    True
    """
    if identifier is None:
        return linear
    if isinstance(identifier, (str, dict)):
        found = deserialize(identifier)
    else:
        found = identifier
    if callable(found):
        return found
    raise ValueError(
        f"`activation` must be a name, a callable, a config dict or None. Received: {identifier!r}"
    )
