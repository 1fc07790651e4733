"""The names of `keras.random`. Written by tools/namespace.py."""

from kops.random.distributions import beta as beta
from kops.random.distributions import binomial as binomial
from kops.random.distributions import categorical as categorical
from kops.random.distributions import dropout as dropout
from kops.random.distributions import gamma as gamma
from kops.random.distributions import normal as normal
from kops.random.distributions import randint as randint
from kops.random.distributions import shuffle as shuffle
from kops.random.distributions import truncated_normal as truncated_normal
from kops.random.distributions import uniform as uniform
from kops.random.seed_generator import SeedGenerator as SeedGenerator

__all__ = [
    "SeedGenerator",
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
