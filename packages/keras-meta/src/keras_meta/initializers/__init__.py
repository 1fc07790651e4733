"""The names of `keras.initializers`. Written by tools/namespace.py."""

from klayers.initializers import deserialize as deserialize
from klayers.initializers import get as get
from klayers.initializers import serialize as serialize
from klayers.initializers.base import Initializer as Initializer
from klayers.initializers.constant import STFT as STFT
from klayers.initializers.constant import STFT as STFTInitializer
from klayers.initializers.constant import STFT as stft
from klayers.initializers.constant import Constant as Constant
from klayers.initializers.constant import Constant as constant
from klayers.initializers.constant import Identity as Identity
from klayers.initializers.constant import Identity as IdentityInitializer
from klayers.initializers.constant import Identity as identity
from klayers.initializers.constant import Ones as Ones
from klayers.initializers.constant import Ones as ones
from klayers.initializers.constant import Zeros as Zeros
from klayers.initializers.constant import Zeros as zeros
from klayers.initializers.random import GlorotNormal as GlorotNormal
from klayers.initializers.random import GlorotNormal as glorot_normal
from klayers.initializers.random import GlorotUniform as GlorotUniform
from klayers.initializers.random import GlorotUniform as glorot_uniform
from klayers.initializers.random import HeNormal as HeNormal
from klayers.initializers.random import HeNormal as he_normal
from klayers.initializers.random import HeUniform as HeUniform
from klayers.initializers.random import HeUniform as he_uniform
from klayers.initializers.random import LecunNormal as LecunNormal
from klayers.initializers.random import LecunNormal as lecun_normal
from klayers.initializers.random import LecunUniform as LecunUniform
from klayers.initializers.random import LecunUniform as lecun_uniform
from klayers.initializers.random import Orthogonal as Orthogonal
from klayers.initializers.random import Orthogonal as OrthogonalInitializer
from klayers.initializers.random import Orthogonal as orthogonal
from klayers.initializers.random import RandomNormal as RandomNormal
from klayers.initializers.random import RandomNormal as random_normal
from klayers.initializers.random import RandomUniform as RandomUniform
from klayers.initializers.random import RandomUniform as random_uniform
from klayers.initializers.random import TruncatedNormal as TruncatedNormal
from klayers.initializers.random import TruncatedNormal as truncated_normal
from klayers.initializers.random import VarianceScaling as VarianceScaling
from klayers.initializers.random import VarianceScaling as variance_scaling

__all__ = [
    "STFT",
    "Constant",
    "GlorotNormal",
    "GlorotUniform",
    "HeNormal",
    "HeUniform",
    "Identity",
    "IdentityInitializer",
    "Initializer",
    "LecunNormal",
    "LecunUniform",
    "Ones",
    "Orthogonal",
    "OrthogonalInitializer",
    "RandomNormal",
    "RandomUniform",
    "STFTInitializer",
    "TruncatedNormal",
    "VarianceScaling",
    "Zeros",
    "constant",
    "deserialize",
    "get",
    "glorot_normal",
    "glorot_uniform",
    "he_normal",
    "he_uniform",
    "identity",
    "lecun_normal",
    "lecun_uniform",
    "ones",
    "orthogonal",
    "random_normal",
    "random_uniform",
    "serialize",
    "stft",
    "truncated_normal",
    "variance_scaling",
    "zeros",
]
