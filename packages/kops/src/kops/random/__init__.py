"""Random numbers: seeds, distributions, and arrays drawn on the host."""

from __future__ import annotations

from kops.random import host
from kops.random.distributions import (
    beta,
    binomial,
    categorical,
    dropout,
    gamma,
    normal,
    randint,
    shuffle,
    truncated_normal,
    uniform,
)
from kops.random.seed_generator import (
    SeedGenerator,
    draw_seed,
    global_seed_generator,
    make_default_seed,
    reset_global_seed_generator,
    set_random_seed,
)

__all__ = [
    "SeedGenerator",
    "beta",
    "binomial",
    "categorical",
    "draw_seed",
    "dropout",
    "gamma",
    "global_seed_generator",
    "host",
    "make_default_seed",
    "normal",
    "randint",
    "reset_global_seed_generator",
    "set_random_seed",
    "shuffle",
    "truncated_normal",
    "uniform",
]
