"""Random arrays drawn on the host: the same seed, the same numbers on every engine.

Initial weights come from here. The generator is counter-based (Philox 4x64), and a large
array is cut into blocks, each with a counter of its own: so several threads can fill it
and the numbers do not depend on how many do.

Source: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import ml_dtypes  # noqa: F401 - NumPy knows "bfloat16" by name from then on
import numpy as np

from kops import dtypes

__all__ = ["generator", "normal", "truncated_normal", "uniform"]

# Elements of a block: 1 MB of float32 stays in a core's cache while it is scaled.
_BLOCK = 1 << 18
# Arrays of fewer blocks are not worth a thread.
_THREADED_BLOCKS = 4
_TRUNCATION = 2.0

Fill = Callable[[np.random.Generator, np.ndarray], None]


def generator(seed: int, block: int = 0) -> np.random.Generator:
    """NumPy's generator for one block of the numbers of `seed`.

    Raises:
        ValueError: `seed` is negative or not below 2**128.
    """
    if not 0 <= seed < 1 << 128:
        raise ValueError(f"`seed` must be an integer in [0, 2**128). Received: seed={seed!r}")
    return np.random.Generator(np.random.Philox(key=seed, counter=block << 128))


def uniform(
    seed: int,
    shape: Sequence[int],
    minval: float = 0.0,
    maxval: float = 1.0,
    dtype: Any = "float32",
) -> np.ndarray:
    """Numbers spread evenly over [minval, maxval).

    Args:
        seed: a non-negative integer.
        shape: shape of the result.
        minval: lower bound, included.
        maxval: upper bound, excluded (but for rounding).
        dtype: a float type.

    Example:
    ```python
    >>> from kops.random import host
    >>> host.uniform(7, (2, 3)).shape
    (2, 3)
    >>> bool((host.uniform(7, (4,)) == host.uniform(7, (4,))).all())
    True

    ```
    """

    def fill(rng: np.random.Generator, out: np.ndarray) -> None:
        rng.random(out=out, dtype=out.dtype)  # type: ignore[call-overload]
        _scale(out, maxval - minval, minval)

    return _draw(fill, seed, shape, dtype)


def normal(
    seed: int,
    shape: Sequence[int],
    mean: float = 0.0,
    stddev: float = 1.0,
    dtype: Any = "float32",
) -> np.ndarray:
    """Numbers from a normal distribution.

    Args:
        seed: a non-negative integer.
        shape: shape of the result.
        mean: mean.
        stddev: standard deviation.
        dtype: a float type.

    Example:
    ```python
    >>> from kops.random import host
    >>> host.normal(7, (2, 3), dtype="float16").dtype
    dtype('float16')

    ```
    """

    def fill(rng: np.random.Generator, out: np.ndarray) -> None:
        rng.standard_normal(out=out, dtype=out.dtype)  # type: ignore[call-overload]
        _scale(out, stddev, mean)

    return _draw(fill, seed, shape, dtype)


def truncated_normal(
    seed: int,
    shape: Sequence[int],
    mean: float = 0.0,
    stddev: float = 1.0,
    dtype: Any = "float32",
) -> np.ndarray:
    """Numbers from a normal distribution, those beyond two `stddev` drawn anew.

    Args:
        seed: a non-negative integer.
        shape: shape of the result.
        mean: mean.
        stddev: standard deviation before the cut.
        dtype: a float type.

    Example:
    ```python
    >>> from kops.random import host
    >>> bool(abs(host.truncated_normal(7, (1000,))).max() <= 2)
    True

    ```
    """

    def fill(rng: np.random.Generator, out: np.ndarray) -> None:
        rng.standard_normal(out=out, dtype=out.dtype)  # type: ignore[call-overload]
        beyond = np.flatnonzero(np.abs(out) > _TRUNCATION)
        while beyond.size:
            again = rng.standard_normal(beyond.size, dtype=out.dtype)  # type: ignore[call-overload]
            out[beyond] = again
            beyond = beyond[np.abs(again) > _TRUNCATION]
        _scale(out, stddev, mean)

    return _draw(fill, seed, shape, dtype)


def _scale(out: np.ndarray, factor: float, offset: float) -> None:
    if factor != 1.0:
        out *= out.dtype.type(factor)
    if offset != 0.0:
        out += out.dtype.type(offset)


def _draw(fill: Fill, seed: int, shape: Sequence[int], dtype: Any) -> np.ndarray:
    name = dtypes.standardize(dtype)
    if not dtypes.is_float(name):
        raise ValueError(f"`dtype` must be a float type. Received: dtype={dtype!r}")
    size = math.prod(shape)
    flat = np.empty(size, "float64" if name == "float64" else "float32")
    blocks = range(-(-size // _BLOCK))

    def fill_block(block: int) -> None:
        fill(generator(seed, block), flat[block * _BLOCK : (block + 1) * _BLOCK])

    if len(blocks) < _THREADED_BLOCKS:
        for block in blocks:
            fill_block(block)
    else:
        with ThreadPoolExecutor(min(len(blocks), os.cpu_count() or 1, 8)) as pool:
            list(pool.map(fill_block, blocks))
    return flat.reshape(shape).astype(np.dtype(name), copy=False)
