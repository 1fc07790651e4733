"""The names of `keras.activations`. Written by tools/namespace.py."""

from klayers.activations import celu as celu
from klayers.activations import deserialize as deserialize
from klayers.activations import elu as elu
from klayers.activations import exponential as exponential
from klayers.activations import gelu as gelu
from klayers.activations import get as get
from klayers.activations import glu as glu
from klayers.activations import hard_shrink as hard_shrink
from klayers.activations import hard_sigmoid as hard_sigmoid
from klayers.activations import hard_silu as hard_silu
from klayers.activations import hard_silu as hard_swish
from klayers.activations import hard_tanh as hard_tanh
from klayers.activations import leaky_relu as leaky_relu
from klayers.activations import linear as linear
from klayers.activations import log_sigmoid as log_sigmoid
from klayers.activations import log_softmax as log_softmax
from klayers.activations import mish as mish
from klayers.activations import relu as relu
from klayers.activations import relu6 as relu6
from klayers.activations import selu as selu
from klayers.activations import serialize as serialize
from klayers.activations import sigmoid as sigmoid
from klayers.activations import silu as silu
from klayers.activations import silu as swish
from klayers.activations import soft_shrink as soft_shrink
from klayers.activations import softmax as softmax
from klayers.activations import softplus as softplus
from klayers.activations import softsign as softsign
from klayers.activations import sparse_plus as sparse_plus
from klayers.activations import sparse_sigmoid as sparse_sigmoid
from klayers.activations import sparsemax as sparsemax
from klayers.activations import squareplus as squareplus
from klayers.activations import tanh as tanh
from klayers.activations import tanh_shrink as tanh_shrink
from klayers.activations import threshold as threshold

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
    "hard_swish",
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
    "swish",
    "tanh",
    "tanh_shrink",
    "threshold",
]
