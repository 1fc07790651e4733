"""`keras.random`: random tensors from a seed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from kops import config, dtypes, ops
from kops.keras_tensor import KerasTensor
from kops.random import primitives
from kops.random.seed_generator import SeedGenerator, draw_seed
from kops.registry import export

__all__ = [
    "beta",
    "binomial",
    "categorical",
    "dropout",
    "gamma",
    "normal",
    "randint",
    "shuffle",
    "truncated_normal",
    "uniform",
]

Seed = int | SeedGenerator | None


def _shape(shape: Any) -> tuple[Any, ...]:
    if isinstance(shape, (int, np.integer)):
        shape = (shape,)
    try:
        sizes = tuple(shape)
    except TypeError:
        sizes = (None,)
    for size in sizes:
        if size is None or (isinstance(size, (int, np.integer)) and size < 0):
            raise ValueError(
                f"`shape` must hold sizes that are 0 or more. Received: shape={shape!r}"
            )
    return sizes


def _float_dtype(dtype: Any, function: str) -> str:
    name = config.floatx() if dtype is None else dtypes.standardize(dtype)
    if not dtypes.is_float(name):
        raise ValueError(
            f"`keras.random.{function}` requires a floating point `dtype`. Received: dtype={dtype}"
        )
    return name


def _scaled(values: Any, factor: Any, offset: Any, dtype: str) -> Any:
    """Stretches and moves standard values: `values * factor + offset`."""
    if not _is_number(factor, 1.0):
        values = ops.multiply(values, ops.cast(factor, dtype))
    if not _is_number(offset, 0.0):
        values = ops.add(values, ops.cast(offset, dtype))
    return values


def _is_number(x: Any, number: float) -> bool:
    return isinstance(x, (int, float)) and x == number


@export("keras.random.normal")
def normal(
    shape: Sequence[int],
    mean: float = 0.0,
    stddev: float = 1.0,
    dtype: Any = None,
    seed: Seed = None,
) -> Any:
    """Draws from a normal distribution.

    Args:
        shape: shape of the result.
        mean: mean.
        stddev: standard deviation.
        dtype: a float type; `floatx` if None.
        seed: an integer gives the same numbers at every call; a `SeedGenerator` gives new
            ones; None uses a global generator.

    Returns:
        A tensor of `shape`.

    Raises:
        ValueError: `dtype` is not a float type, or `shape` or `seed` is malformed.

    Example:
    ```python
    >>> from kops import random
    >>> tuple(random.normal((2, 3), seed=1).shape)
    (2, 3)

    ```
    """
    name = _float_dtype(dtype, "normal")
    values = primitives.random_normal(draw_seed(seed), _shape(shape), name)
    return _scaled(values, stddev, mean, name)


@export("keras.random.truncated_normal")
def truncated_normal(
    shape: Sequence[int],
    mean: float = 0.0,
    stddev: float = 1.0,
    dtype: Any = None,
    seed: Seed = None,
) -> Any:
    """Draws from a normal distribution cut at two standard deviations from the mean.

    Args:
        shape: shape of the result.
        mean: mean.
        stddev: standard deviation before the cut.
        dtype: a float type; `floatx` if None.
        seed: an integer, a `SeedGenerator`, or None; see `normal`.

    Returns:
        A tensor of `shape`.

    Raises:
        ValueError: `dtype` is not a float type, or `shape` or `seed` is malformed.

    Example:
    ```python
    >>> from kops import ops, random
    >>> float(ops.max(ops.abs(random.truncated_normal((100,), seed=1)))) <= 2.0
    True

    ```
    """
    name = _float_dtype(dtype, "truncated_normal")
    values = primitives.random_truncated_normal(draw_seed(seed), _shape(shape), name)
    return _scaled(values, stddev, mean, name)


@export("keras.random.uniform")
def uniform(
    shape: Sequence[int],
    minval: float = 0.0,
    maxval: float = 1.0,
    dtype: Any = None,
    seed: Seed = None,
) -> Any:
    """Draws evenly from [minval, maxval).

    Args:
        shape: shape of the result.
        minval: lower bound, included.
        maxval: upper bound, excluded (but for rounding).
        dtype: a float type; `floatx` if None. For integers use `randint`.
        seed: an integer, a `SeedGenerator`, or None; see `normal`.

    Returns:
        A tensor of `shape`.

    Raises:
        ValueError: `dtype` is not a float type, or `shape` or `seed` is malformed.

    Example:
    ```python
    >>> from kops import ops, random
    >>> x = random.uniform((100,), minval=2.0, maxval=3.0, seed=1)
    >>> 2.0 <= float(ops.min(x)) <= float(ops.max(x)) <= 3.0
    True

    ```
    """
    name = _float_dtype(dtype, "uniform")
    values = primitives.random_uniform(draw_seed(seed), _shape(shape), name)
    width = maxval if _is_number(minval, 0.0) else maxval - minval
    return _scaled(values, width, minval, name)


@export("keras.random.randint")
def randint(
    shape: Sequence[int],
    minval: int,
    maxval: int,
    dtype: Any = "int32",
    seed: Seed = None,
) -> Any:
    """Draws integers from [minval, maxval).

    Args:
        shape: shape of the result.
        minval: lower bound, included.
        maxval: upper bound, excluded.
        dtype: an integer type.
        seed: an integer, a `SeedGenerator`, or None; see `normal`.

    Returns:
        A tensor of `shape`.

    Raises:
        ValueError: `dtype` is not an integer type, the range is empty, or `shape` or
            `seed` is malformed.

    Example:
    ```python
    >>> from kops import ops, random
    >>> int(ops.max(random.randint((100,), 0, 5, seed=1)))
    4

    ```
    """
    name = dtypes.standardize(dtype)
    if not dtypes.is_int(name):
        raise ValueError(
            f"`keras.random.randint` requires an integer `dtype`. Received: dtype={dtype}"
        )
    if isinstance(minval, int) and isinstance(maxval, int) and minval >= maxval:
        raise ValueError(
            f"`maxval` must be greater than `minval`. Received: minval={minval}, maxval={maxval}"
        )
    return primitives.random_randint(draw_seed(seed), _shape(shape), minval, maxval, name)


@export("keras.random.categorical")
def categorical(
    logits: Any,
    num_samples: int,
    dtype: Any = "int32",
    seed: Seed = None,
) -> Any:
    """Draws classes, each row of `logits` giving the (unnormalized, log) probabilities.

    Args:
        logits: a tensor of shape `(batch, classes)`.
        num_samples: how many classes to draw for each row.
        dtype: type of the result.
        seed: an integer, a `SeedGenerator`, or None; see `normal`.

    Returns:
        A tensor of shape `(batch, num_samples)`.

    Raises:
        ValueError: `logits` is not 2-D.

    Example:
    ```python
    >>> from kops import random
    >>> tuple(random.categorical([[0.0, 1.0], [5.0, 0.0]], 3, seed=1).shape)
    (2, 3)

    ```
    """
    if not isinstance(logits, KerasTensor):
        logits = ops.convert_to_tensor(logits)
    if len(logits.shape) != 2:
        raise ValueError(
            "`logits` should be a 2-D tensor with shape [batch_size, num_classes]. "
            f"Received: shape={tuple(logits.shape)}"
        )
    return primitives.random_categorical(
        draw_seed(seed), logits, num_samples, dtypes.standardize(dtype)
    )


@export("keras.random.gamma")
def gamma(shape: Sequence[int], alpha: Any, dtype: Any = None, seed: Seed = None) -> Any:
    """Draws from the gamma distribution of scale 1.

    Args:
        shape: shape of the result; `alpha` must broadcast to it.
        alpha: shape parameter, positive: a number or a tensor.
        dtype: a float type; `floatx` if None.
        seed: an integer, a `SeedGenerator`, or None; see `normal`.

    Returns:
        A tensor of `shape`.

    Raises:
        ValueError: `dtype` is not a float type, or `alpha` is a number that is not positive.

    Example:
    ```python
    >>> from kops import random
    >>> tuple(random.gamma((4,), alpha=0.5, seed=1).shape)
    (4,)

    ```
    """
    _check_positive("alpha", alpha)
    name = _float_dtype(dtype, "gamma")
    return primitives.random_gamma(draw_seed(seed), _shape(shape), alpha, name)


@export("keras.random.beta")
def beta(shape: Sequence[int], alpha: Any, beta: Any, dtype: Any = None, seed: Seed = None) -> Any:
    """Draws from the beta distribution.

    Args:
        shape: shape of the result; `alpha` and `beta` must broadcast to it.
        alpha: first shape parameter, positive: a number or a tensor.
        beta: second shape parameter, positive: a number or a tensor.
        dtype: a float type; `floatx` if None.
        seed: an integer, a `SeedGenerator`, or None; see `normal`.

    Returns:
        A tensor of `shape`, its values in [0, 1].

    Raises:
        ValueError: `dtype` is not a float type, or a parameter is a number that is not
            positive.

    Example:
    ```python
    >>> from kops import random
    >>> tuple(random.beta((4,), alpha=2.0, beta=1.0, seed=1).shape)
    (4,)

    ```
    """
    _check_positive("alpha", alpha)
    _check_positive("beta", beta)
    name = _float_dtype(dtype, "beta")
    return primitives.random_beta(draw_seed(seed), _shape(shape), alpha, beta, name)


@export("keras.random.binomial")
def binomial(
    shape: Sequence[int],
    counts: Any,
    probabilities: Any,
    dtype: Any = None,
    seed: Seed = None,
) -> Any:
    """Draws how many of `counts` tries succeed.

    Args:
        shape: shape of the result; `counts` and `probabilities` must broadcast to it.
        counts: number of tries: a number or a tensor.
        probabilities: probability of success of each try: a number or a tensor.
        dtype: type of the result; `floatx` if None.
        seed: an integer, a `SeedGenerator`, or None; see `normal`.

    Returns:
        A tensor of `shape`.

    Raises:
        ValueError: `counts` is a negative number, or `probabilities` a number outside
            [0, 1].

    Example:
    ```python
    >>> from kops import ops, random
    >>> float(ops.max(random.binomial((100,), 3, 0.5, seed=1)))
    3.0

    ```
    """
    if isinstance(counts, (int, float)) and counts < 0:
        raise ValueError(f"`counts` must not be negative. Received: counts={counts}")
    if isinstance(probabilities, (int, float)) and not 0 <= probabilities <= 1:
        raise ValueError(
            f"`probabilities` must be in [0, 1]. Received: probabilities={probabilities}"
        )
    name = config.floatx() if dtype is None else dtypes.standardize(dtype)
    return primitives.random_binomial(draw_seed(seed), _shape(shape), counts, probabilities, name)


@export("keras.random.dropout")
def dropout(
    inputs: Any,
    rate: float,
    noise_shape: Sequence[int | None] | None = None,
    seed: Seed = None,
) -> Any:
    """Sets values to zero at random and scales the others up, keeping the mean.

    Args:
        inputs: a tensor.
        rate: probability of a value to be dropped, in [0, 1].
        noise_shape: shape in which to decide, broadcast to `inputs`: `(batch, 1, features)`
            drops a feature in all steps alike. None stands for the size of `inputs`.
        seed: an integer, a `SeedGenerator`, or None; see `normal`.

    Returns:
        A tensor like `inputs`.

    Raises:
        ValueError: `rate` is outside [0, 1].

    Example:
    ```python
    >>> from kops import ops, random
    >>> x = random.dropout(ops.ones((1000,)), 0.5, seed=1)
    >>> sorted({float(v) for v in ops.convert_to_numpy(x)})
    [0.0, 2.0]

    ```

    Source: Srivastava et al., "Dropout: a simple way to prevent neural networks from
    overfitting", JMLR 15, 2014.
    """
    if isinstance(rate, (int, float)) and not 0 <= rate <= 1:
        raise ValueError(f"`rate` must be in [0, 1]. Received: rate={rate}")
    if not isinstance(inputs, KerasTensor):
        inputs = ops.convert_to_tensor(inputs)
    if rate == 0:
        return inputs
    if rate == 1:
        return ops.zeros_like(inputs)
    if noise_shape is not None:
        sizes = ops.shape(inputs)
        if len(noise_shape) != len(sizes):
            raise ValueError(
                f"`noise_shape` must have {len(sizes)} entries, one for each axis of "
                f"`inputs`. Received: noise_shape={noise_shape}"
            )
        noise_shape = tuple(
            size if noise is None else noise for noise, size in zip(noise_shape, sizes, strict=True)
        )
    return primitives.random_dropout(inputs, draw_seed(seed), float(rate), noise_shape)


@export("keras.random.shuffle")
def shuffle(x: Any, axis: int = 0, seed: Seed = None) -> Any:
    """Puts the slices of `x` along an axis in random order.

    Args:
        x: a tensor.
        axis: the axis to shuffle.
        seed: an integer, a `SeedGenerator`, or None; see `normal`.

    Returns:
        A tensor like `x`.

    Raises:
        ValueError: `x` has no such axis.

    Example:
    ```python
    >>> from kops import ops, random
    >>> x = ops.convert_to_numpy(random.shuffle(ops.arange(5), seed=1))
    >>> sorted(x.tolist())
    [0, 1, 2, 3, 4]

    ```
    """
    if not isinstance(x, KerasTensor):
        x = ops.convert_to_tensor(x)
    sizes = ops.shape(x)
    if not -len(sizes) <= axis < len(sizes):
        raise ValueError(
            f"`axis` must be in [{-len(sizes)}, {len(sizes)}) for a tensor with "
            f"{len(sizes)} axes. Received: axis={axis}"
        )
    order = primitives.random_permutation(draw_seed(seed), sizes[axis])
    return ops.take(x, order, axis=axis)


def _check_positive(name: str, value: Any) -> None:
    if isinstance(value, (int, float)) and value <= 0:
        raise ValueError(f"`{name}` must be positive. Received: {name}={value}")
