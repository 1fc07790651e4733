"""Where random functions get their seeds: `SeedGenerator` and the global one."""

from __future__ import annotations

import random
from typing import Any, Self

import numpy as np

from kops.backend import active
from kops.naming import auto_name
from kops.random.primitives import seed_add
from kops.registry import export
from kops.scopes import name_scope, state
from kops.variable import Variable

__all__ = [
    "SeedGenerator",
    "draw_seed",
    "global_seed_generator",
    "make_default_seed",
    "reset_global_seed_generator",
    "set_random_seed",
]

_SEED_LIMIT = 1 << 32


def make_default_seed() -> int:
    """A seed for those who were given none.

    It is drawn by Python's `random`, so that `set_random_seed` decides it.
    """
    return random.randint(1, int(1e9))


def _checked_seed(seed: Any) -> int:
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)):
        raise ValueError(f"Argument `seed` must be an integer. Received: seed={seed!r}")
    if not 0 <= seed < _SEED_LIMIT:
        raise ValueError(
            f"Argument `seed` must be at least 0 and below 2**32. Received: seed={seed!r}"
        )
    return int(seed)


@export("keras.random.SeedGenerator")
class SeedGenerator:
    """A source of seeds for random functions, with a counter that training carries along.

    A random function given the same integer returns the same numbers every time. Given a
    `SeedGenerator`, it returns new ones at every call, the same sequence in every run
    with the same seed, inside compiled functions too.

    The state is a variable of two 32-bit words: the seed and a counter. A layer that keeps
    the generator as an attribute saves it with its weights.

    Args:
        seed: an integer in [0, 2**32); drawn from Python's `random` if None.
        name: name; made from the class name if None.

    Raises:
        ValueError: `seed` is not such an integer.

    Example:
    ```python
    >>> from kops import ops, random
    >>> generator = random.SeedGenerator(seed=3)
    >>> a, b = (random.uniform((2,), seed=generator) for _ in range(2))
    >>> bool(ops.array_equal(a, b))
    False

    ```
    """

    def __init__(self, seed: int | None = None, name: str | None = None, **kwargs: Any) -> None:
        kwargs.pop("backend", None)
        if kwargs:
            raise ValueError(f"Unrecognized keyword arguments: {sorted(kwargs)}")
        self.name = name if name is not None else auto_name(type(self).__name__)
        self._initial_seed = seed
        word = make_default_seed() if seed is None else _checked_seed(seed)
        with name_scope(self.name):
            self.state = Variable(
                np.array([word, 0], "uint32"),
                dtype="uint32",
                trainable=False,
                autocast=False,
                name="seed_generator_state",
            )

    @property
    def initial_seed(self) -> int | None:
        """The constructor's `seed`."""
        return self._initial_seed

    def next(self, ordered: bool = True) -> Any:
        """The next seed: two 32-bit words; the counter goes up by one.

        Args:
            ordered: without effect here: calls are always in order.

        While shapes are inferred nothing is drawn, and the counter stays.
        """
        del ordered
        seed = self.state.value
        if state.symbolic is None:
            # torch hands out the storage itself, which `assign` is about to change.
            seed = seed_add(seed, 0, 0)
            self.state.assign(seed_add(seed, 0, 1))
        return seed

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        return {"seed": self._initial_seed, "name": self.name}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """The generator that `get_config` described, at its start."""
        return cls(**config)

    def __repr__(self) -> str:
        return f"<SeedGenerator name={self.name}, seed={self._initial_seed}>"


_global: list[SeedGenerator] = []


def global_seed_generator() -> SeedGenerator:
    """The generator behind random functions that are given no seed.

    Raises:
        ValueError: inside a function that is being made stateless (JAX tracing), where its
            counter would be frozen.
    """
    if state.stateless is not None and state.symbolic is None:
        raise ValueError(
            "A random function without a seed was called while a stateless function is "
            "traced: it would return the same numbers at every call. Make a "
            "`keras.random.SeedGenerator` in the constructor of the layer or model and pass "
            "it as `seed`."
        )
    if not _global:
        _global.append(SeedGenerator(name="global_seed_generator"))
    return _global[0]


def reset_global_seed_generator() -> None:
    """Forgets the global generator; the next use makes a new one."""
    _global.clear()


@export("keras.utils.set_random_seed")
def set_random_seed(seed: int) -> None:
    """Seeds everything random: Python, NumPy, the engine, and layers made from now on.

    Args:
        seed: an integer in [0, 2**32).

    Raises:
        ValueError: `seed` is not such an integer.

    Example:
    ```python
    >>> from kops import ops, random
    >>> random.set_random_seed(1)
    >>> a = random.normal((3,))
    >>> random.set_random_seed(1)
    >>> bool(ops.array_equal(a, random.normal((3,))))
    True

    ```
    """
    word = _checked_seed(seed)
    random.seed(word)
    np.random.seed(word)
    seed_engine = getattr(active(), "set_random_seed", None)
    if seed_engine is not None:
        seed_engine(word)
    reset_global_seed_generator()
    _global.append(SeedGenerator(word, name="global_seed_generator"))


def draw_seed(seed: int | SeedGenerator | None) -> Any:
    """The two words that a random primitive takes, from what its caller was given.

    Args:
        seed: an integer stands for itself, a `SeedGenerator` for its next seed, None for
            the next seed of the global generator.

    Raises:
        ValueError: `seed` is none of these.
    """
    if isinstance(seed, SeedGenerator):
        return seed.next()
    if seed is None:
        return global_seed_generator().next()
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)):
        raise ValueError(
            "Argument `seed` must be an integer, a `SeedGenerator` or None. "
            f"Received: seed={seed!r} (of type {type(seed)})"
        )
    return np.array([_checked_seed(seed), 0], "uint32")
