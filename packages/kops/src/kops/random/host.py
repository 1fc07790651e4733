"""Random arrays drawn on the host: the same seed, the same numbers on every engine.

Initial weights come from here. A large array is cut into blocks, each with a stream of its
own that is spawned from the seed: so several threads can fill it, and the numbers do not
depend on how many do.

Source: the generator is SFC64 (Doty-Humphrey, PractRand), the fastest that NumPy has; its
streams are made by NumPy's `SeedSequence` (O'Neill, "Developing a seed_seq alternative").
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from typing import Any

import ml_dtypes  # noqa: F401 - NumPy knows "bfloat16" by name from then on
import numpy as np

from kops import dtypes

__all__ = ["generator", "normal", "truncated_normal", "uniform"]

# Elements of a block: 1 MB of float32 stays in a core's cache while it is scaled.
_BLOCK = 1 << 18
# Arrays of fewer blocks are not worth a thread.
_THREADED_BLOCKS = 4
# The quantile function of the normal distribution cut at 2 standard deviations, at
# (1 + v) / 2, is v P(1 - v v) / Q(1 - v v) to 7e-8: fitted by least squares to `erfinv`.
_TRUNCATED_P = (
    1.9999998643375214,
    24.25614211791949,
    74.489050501474,
    54.23953090474476,
    4.384182648129684,
)
_TRUNCATED_Q = (
    1.0,
    13.837889778852897,
    52.424743209013066,
    55.25155676464869,
    10.705313789849848,
)
_CACHE_LINE = 64

# In quotes: NumPy loads numpy.random at its first use, which an import need not be.
Fill = Callable[["np.random.Generator", np.ndarray], None]


def generator(seed: int, block: int = 0) -> np.random.Generator:
    """NumPy's generator for one block of the numbers of `seed`.

    Raises:
        ValueError: `seed` is negative or not below 2**128.
    """
    if not 0 <= seed < 1 << 128:
        raise ValueError(f"`seed` must be an integer in [0, 2**128). Received: seed={seed!r}")
    return np.random.Generator(np.random.SFC64(np.random.SeedSequence(seed, spawn_key=(block,))))


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
        _fill_uniform(rng, out)
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
    """Numbers from a normal distribution, without those beyond two `stddev`.

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
        _fill_uniform(rng, out)
        out *= out.dtype.type(2)
        out -= out.dtype.type(1 - 2.0**-24)  # the middle of each step: never -1 or 1
        tails = 1 - out * out
        out *= _polynomial(tails, _TRUNCATED_P)
        out /= _polynomial(tails, _TRUNCATED_Q)
        _scale(out, stddev, mean)

    return _draw(fill, seed, shape, dtype)


def _fill_uniform(rng: np.random.Generator, out: np.ndarray) -> None:
    """Fills with numbers of [0, 1); float32 with multiples of 2**-24."""
    if out.dtype != np.float32:
        rng.random(out=out)
        return
    # What `rng.random` does, at a third of its time.
    words: Any = rng.bit_generator.random_raw(-(-out.size // 2))
    halves = words.view(np.uint32)[: out.size]
    halves >>= np.uint32(8)
    np.multiply(halves, np.float32(2.0**-24), out=out, casting="unsafe", dtype=np.float32)


def _polynomial(x: np.ndarray, coefficients: Sequence[float]) -> np.ndarray:
    """The polynomial's values; the coefficient of the lowest power comes first."""
    result = np.full_like(x, coefficients[-1])
    for coefficient in coefficients[-2::-1]:
        result *= x
        result += x.dtype.type(coefficient)
    return result


def _scale(out: np.ndarray, factor: float, offset: float) -> None:
    if factor != 1.0:
        out *= out.dtype.type(factor)
    if offset != 0.0:
        out += out.dtype.type(offset)


def _empty(size: int, dtype: str) -> np.ndarray:
    """An array that starts at a cache line, so that engines can take it over uncopied."""
    memory = np.empty(size * np.dtype(dtype).itemsize + _CACHE_LINE, np.uint8)
    start = -memory.ctypes.data % _CACHE_LINE
    return memory[start : start + memory.size - _CACHE_LINE].view(dtype)


def _draw(fill: Fill, seed: int, shape: Sequence[int], dtype: Any) -> np.ndarray:
    name = dtypes.standardize(dtype)
    if not dtypes.is_float(name):
        raise ValueError(f"`dtype` must be a float type. Received: dtype={dtype!r}")
    size = math.prod(shape)
    flat = _empty(size, "float64" if name == "float64" else "float32")
    blocks = range(-(-size // _BLOCK))

    def fill_block(block: int) -> None:
        fill(generator(seed, block), flat[block * _BLOCK : (block + 1) * _BLOCK])

    if len(blocks) < _THREADED_BLOCKS:
        for block in blocks:
            fill_block(block)
    else:
        # Here, because it would cost every import of kops some milliseconds.
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(min(len(blocks), os.cpu_count() or 1, 8)) as pool:
            list(pool.map(fill_block, blocks))
    return flat.reshape(shape).astype(np.dtype(name), copy=False)
