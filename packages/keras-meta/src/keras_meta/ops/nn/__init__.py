"""The names of `keras.ops.nn`. Written by tools/namespace.py."""

from kops.ops.activations import celu as celu
from kops.ops.activations import elu as elu
from kops.ops.activations import gelu as gelu
from kops.ops.activations import glu as glu
from kops.ops.activations import hard_shrink as hard_shrink
from kops.ops.activations import hard_sigmoid as hard_sigmoid
from kops.ops.activations import hard_silu as hard_silu
from kops.ops.activations import hard_silu as hard_swish
from kops.ops.activations import hard_tanh as hard_tanh
from kops.ops.activations import leaky_relu as leaky_relu
from kops.ops.activations import log_sigmoid as log_sigmoid
from kops.ops.activations import log_softmax as log_softmax
from kops.ops.activations import relu as relu
from kops.ops.activations import relu6 as relu6
from kops.ops.activations import selu as selu
from kops.ops.activations import sigmoid as sigmoid
from kops.ops.activations import silu as silu
from kops.ops.activations import silu as swish
from kops.ops.activations import soft_shrink as soft_shrink
from kops.ops.activations import softmax as softmax
from kops.ops.activations import softplus as softplus
from kops.ops.activations import softsign as softsign
from kops.ops.activations import sparse_plus as sparse_plus
from kops.ops.activations import sparse_sigmoid as sparse_sigmoid
from kops.ops.activations import sparsemax as sparsemax
from kops.ops.activations import squareplus as squareplus
from kops.ops.activations import tanh_shrink as tanh_shrink
from kops.ops.activations import threshold as threshold
from kops.ops.attention import dot_product_attention as dot_product_attention
from kops.ops.conv import conv as conv
from kops.ops.conv import conv_transpose as conv_transpose
from kops.ops.conv import depthwise_conv as depthwise_conv
from kops.ops.conv import separable_conv as separable_conv
from kops.ops.ctc import ctc_loss as ctc_loss
from kops.ops.encoding import multi_hot as multi_hot
from kops.ops.encoding import one_hot as one_hot
from kops.ops.losses import binary_crossentropy as binary_crossentropy
from kops.ops.losses import categorical_crossentropy as categorical_crossentropy
from kops.ops.losses import psnr as psnr
from kops.ops.losses import sparse_categorical_crossentropy as sparse_categorical_crossentropy
from kops.ops.normalization import batch_normalization as batch_normalization
from kops.ops.normalization import layer_normalization as layer_normalization
from kops.ops.normalization import moments as moments
from kops.ops.normalization import normalize as normalize
from kops.ops.normalization import rms_normalization as rms_normalization
from kops.ops.patches import depth_to_space as depth_to_space
from kops.ops.patches import fold as fold
from kops.ops.patches import space_to_depth as space_to_depth
from kops.ops.patches import unfold as unfold
from kops.ops.pooling import adaptive_average_pool as adaptive_average_pool
from kops.ops.pooling import adaptive_max_pool as adaptive_max_pool
from kops.ops.pooling import average_pool as average_pool
from kops.ops.pooling import max_pool as max_pool
from kops.ops.views import polar as polar

__all__ = [
    "adaptive_average_pool",
    "adaptive_max_pool",
    "average_pool",
    "batch_normalization",
    "binary_crossentropy",
    "categorical_crossentropy",
    "celu",
    "conv",
    "conv_transpose",
    "ctc_loss",
    "depth_to_space",
    "depthwise_conv",
    "dot_product_attention",
    "elu",
    "fold",
    "gelu",
    "glu",
    "hard_shrink",
    "hard_sigmoid",
    "hard_silu",
    "hard_swish",
    "hard_tanh",
    "layer_normalization",
    "leaky_relu",
    "log_sigmoid",
    "log_softmax",
    "max_pool",
    "moments",
    "multi_hot",
    "normalize",
    "one_hot",
    "polar",
    "psnr",
    "relu",
    "relu6",
    "rms_normalization",
    "selu",
    "separable_conv",
    "sigmoid",
    "silu",
    "soft_shrink",
    "softmax",
    "softplus",
    "softsign",
    "space_to_depth",
    "sparse_categorical_crossentropy",
    "sparse_plus",
    "sparse_sigmoid",
    "sparsemax",
    "squareplus",
    "swish",
    "tanh_shrink",
    "threshold",
    "unfold",
]
