"""The names of `keras.ops`. Written by tools/namespace.py."""

from keras_meta.ops import image as image
from keras_meta.ops import linalg as linalg
from keras_meta.ops import nn as nn
from keras_meta.ops import numpy as numpy
from kops.grad import custom_gradient as custom_gradient
from kops.grad import jvp as jvp
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
from kops.ops.comparison import bitwise_and as bitwise_and
from kops.ops.comparison import bitwise_invert as bitwise_invert
from kops.ops.comparison import bitwise_left_shift as bitwise_left_shift
from kops.ops.comparison import bitwise_not as bitwise_not
from kops.ops.comparison import bitwise_or as bitwise_or
from kops.ops.comparison import bitwise_right_shift as bitwise_right_shift
from kops.ops.comparison import bitwise_xor as bitwise_xor
from kops.ops.comparison import equal as equal
from kops.ops.comparison import fmax as fmax
from kops.ops.comparison import fmin as fmin
from kops.ops.comparison import greater as greater
from kops.ops.comparison import greater_equal as greater_equal
from kops.ops.comparison import isclose as isclose
from kops.ops.comparison import isfinite as isfinite
from kops.ops.comparison import isinf as isinf
from kops.ops.comparison import isnan as isnan
from kops.ops.comparison import isneginf as isneginf
from kops.ops.comparison import isposinf as isposinf
from kops.ops.comparison import isreal as isreal
from kops.ops.comparison import left_shift as left_shift
from kops.ops.comparison import less as less
from kops.ops.comparison import less_equal as less_equal
from kops.ops.comparison import logical_and as logical_and
from kops.ops.comparison import logical_not as logical_not
from kops.ops.comparison import logical_or as logical_or
from kops.ops.comparison import logical_xor as logical_xor
from kops.ops.comparison import nan_to_num as nan_to_num
from kops.ops.comparison import not_equal as not_equal
from kops.ops.comparison import right_shift as right_shift
from kops.ops.comparison import signbit as signbit
from kops.ops.control import associative_scan as associative_scan
from kops.ops.control import cond as cond
from kops.ops.control import fori_loop as fori_loop
from kops.ops.control import map as map
from kops.ops.control import scan as scan
from kops.ops.control import switch as switch
from kops.ops.control import vectorized_map as vectorized_map
from kops.ops.control import while_loop as while_loop
from kops.ops.conv import conv as conv
from kops.ops.conv import conv_transpose as conv_transpose
from kops.ops.conv import depthwise_conv as depthwise_conv
from kops.ops.conv import separable_conv as separable_conv
from kops.ops.core import cast as cast
from kops.ops.core import convert_to_numpy as convert_to_numpy
from kops.ops.core import convert_to_tensor as convert_to_tensor
from kops.ops.core import dtype as dtype
from kops.ops.core import is_tensor as is_tensor
from kops.ops.core import ndim as ndim
from kops.ops.core import saturate_cast as saturate_cast
from kops.ops.core import shape as shape
from kops.ops.core import size as size
from kops.ops.core import stop_gradient as stop_gradient
from kops.ops.creation import arange as arange
from kops.ops.creation import array as array
from kops.ops.creation import diag as diag
from kops.ops.creation import diagflat as diagflat
from kops.ops.creation import diagonal as diagonal
from kops.ops.creation import empty as empty
from kops.ops.creation import empty_like as empty_like
from kops.ops.creation import eye as eye
from kops.ops.creation import full as full
from kops.ops.creation import full_like as full_like
from kops.ops.creation import geomspace as geomspace
from kops.ops.creation import identity as identity
from kops.ops.creation import linspace as linspace
from kops.ops.creation import logspace as logspace
from kops.ops.creation import ones as ones
from kops.ops.creation import ones_like as ones_like
from kops.ops.creation import trace as trace
from kops.ops.creation import tri as tri
from kops.ops.creation import tril as tril
from kops.ops.creation import triu as triu
from kops.ops.creation import vander as vander
from kops.ops.creation import zeros as zeros
from kops.ops.creation import zeros_like as zeros_like
from kops.ops.ctc import ctc_loss as ctc_loss
from kops.ops.elementwise import absolute as abs
from kops.ops.elementwise import absolute as absolute
from kops.ops.elementwise import add as add
from kops.ops.elementwise import angle as angle
from kops.ops.elementwise import cbrt as cbrt
from kops.ops.elementwise import ceil as ceil
from kops.ops.elementwise import clip as clip
from kops.ops.elementwise import conjugate as conj
from kops.ops.elementwise import conjugate as conjugate
from kops.ops.elementwise import copy as copy
from kops.ops.elementwise import divide as divide
from kops.ops.elementwise import divide_no_nan as divide_no_nan
from kops.ops.elementwise import fabs as fabs
from kops.ops.elementwise import floor as floor
from kops.ops.elementwise import floor_divide as floor_divide
from kops.ops.elementwise import fmod as fmod
from kops.ops.elementwise import gcd as gcd
from kops.ops.elementwise import imag as imag
from kops.ops.elementwise import lcm as lcm
from kops.ops.elementwise import maximum as maximum
from kops.ops.elementwise import minimum as minimum
from kops.ops.elementwise import mod as mod
from kops.ops.elementwise import multiply as multiply
from kops.ops.elementwise import negative as negative
from kops.ops.elementwise import power as power
from kops.ops.elementwise import real as real
from kops.ops.elementwise import reciprocal as reciprocal
from kops.ops.elementwise import round as round
from kops.ops.elementwise import rsqrt as rsqrt
from kops.ops.elementwise import sign as sign
from kops.ops.elementwise import sqrt as sqrt
from kops.ops.elementwise import square as square
from kops.ops.elementwise import subtract as subtract
from kops.ops.elementwise import true_divide as true_divide
from kops.ops.elementwise import trunc as trunc
from kops.ops.elementwise import where as where
from kops.ops.encoding import multi_hot as multi_hot
from kops.ops.encoding import one_hot as one_hot
from kops.ops.indexing import get_item as get_item
from kops.ops.indexing import nonzero as nonzero
from kops.ops.indexing import scatter as scatter
from kops.ops.indexing import scatter_update as scatter_update
from kops.ops.indexing import segment_max as segment_max
from kops.ops.indexing import segment_min as segment_min
from kops.ops.indexing import segment_prod as segment_prod
from kops.ops.indexing import segment_sum as segment_sum
from kops.ops.indexing import select as select
from kops.ops.indexing import slice as slice
from kops.ops.indexing import slice_update as slice_update
from kops.ops.indexing import take as take
from kops.ops.indexing import take_along_axis as take_along_axis
from kops.ops.indexing import unravel_index as unravel_index
from kops.ops.joining import append as append
from kops.ops.joining import array_split as array_split
from kops.ops.joining import concatenate as concatenate
from kops.ops.joining import dsplit as dsplit
from kops.ops.joining import dstack as dstack
from kops.ops.joining import hsplit as hsplit
from kops.ops.joining import hstack as hstack
from kops.ops.joining import meshgrid as meshgrid
from kops.ops.joining import split as split
from kops.ops.joining import stack as stack
from kops.ops.joining import unstack as unstack
from kops.ops.joining import vsplit as vsplit
from kops.ops.joining import vstack as vstack
from kops.ops.linalg import cdist as cdist
from kops.ops.linalg import cholesky as cholesky
from kops.ops.linalg import cholesky_inverse as cholesky_inverse
from kops.ops.linalg import det as det
from kops.ops.linalg import eig as eig
from kops.ops.linalg import eigh as eigh
from kops.ops.linalg import inv as inv
from kops.ops.linalg import logdet as logdet
from kops.ops.linalg import lstsq as lstsq
from kops.ops.linalg import lu_factor as lu_factor
from kops.ops.linalg import matrix_rank as matrix_rank
from kops.ops.linalg import norm as norm
from kops.ops.linalg import pinv as pinv
from kops.ops.linalg import qr as qr
from kops.ops.linalg import slogdet as slogdet
from kops.ops.linalg import solve as solve
from kops.ops.linalg import solve_triangular as solve_triangular
from kops.ops.linalg import svd as svd
from kops.ops.losses import binary_crossentropy as binary_crossentropy
from kops.ops.losses import categorical_crossentropy as categorical_crossentropy
from kops.ops.losses import psnr as psnr
from kops.ops.losses import sparse_categorical_crossentropy as sparse_categorical_crossentropy
from kops.ops.manipulation import broadcast_to as broadcast_to
from kops.ops.manipulation import expand_dims as expand_dims
from kops.ops.manipulation import flip as flip
from kops.ops.manipulation import fliplr as fliplr
from kops.ops.manipulation import flipud as flipud
from kops.ops.manipulation import moveaxis as moveaxis
from kops.ops.manipulation import pad as pad
from kops.ops.manipulation import ravel as ravel
from kops.ops.manipulation import repeat as repeat
from kops.ops.manipulation import reshape as reshape
from kops.ops.manipulation import roll as roll
from kops.ops.manipulation import rot90 as rot90
from kops.ops.manipulation import squeeze as squeeze
from kops.ops.manipulation import swapaxes as swapaxes
from kops.ops.manipulation import tile as tile
from kops.ops.manipulation import transpose as transpose
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
from kops.ops.products import cross as cross
from kops.ops.products import dot as dot
from kops.ops.products import einsum as einsum
from kops.ops.products import inner as inner
from kops.ops.products import kron as kron
from kops.ops.products import matmul as matmul
from kops.ops.products import outer as outer
from kops.ops.products import tensordot as tensordot
from kops.ops.products import vdot as vdot
from kops.ops.quantiles import median as median
from kops.ops.quantiles import nanmedian as nanmedian
from kops.ops.quantiles import nanpercentile as nanpercentile
from kops.ops.quantiles import nanquantile as nanquantile
from kops.ops.quantiles import percentile as percentile
from kops.ops.quantiles import quantile as quantile
from kops.ops.rearrange import rearrange as rearrange
from kops.ops.reductions import all as all
from kops.ops.reductions import amax as amax
from kops.ops.reductions import amin as amin
from kops.ops.reductions import any as any
from kops.ops.reductions import argmax as argmax
from kops.ops.reductions import argmin as argmin
from kops.ops.reductions import count_nonzero as count_nonzero
from kops.ops.reductions import cumprod as cumprod
from kops.ops.reductions import cumsum as cumsum
from kops.ops.reductions import logsumexp as logsumexp
from kops.ops.reductions import max as max
from kops.ops.reductions import mean as mean
from kops.ops.reductions import min as min
from kops.ops.reductions import prod as prod
from kops.ops.reductions import ptp as ptp
from kops.ops.reductions import std as std
from kops.ops.reductions import sum as sum
from kops.ops.reductions import var as var
from kops.ops.signal import bartlett as bartlett
from kops.ops.signal import blackman as blackman
from kops.ops.signal import extract_sequences as extract_sequences
from kops.ops.signal import fft as fft
from kops.ops.signal import fft2 as fft2
from kops.ops.signal import hamming as hamming
from kops.ops.signal import hanning as hanning
from kops.ops.signal import ifft2 as ifft2
from kops.ops.signal import irfft as irfft
from kops.ops.signal import istft as istft
from kops.ops.signal import kaiser as kaiser
from kops.ops.signal import rfft as rfft
from kops.ops.signal import stft as stft
from kops.ops.sorting import argpartition as argpartition
from kops.ops.sorting import argsort as argsort
from kops.ops.sorting import bincount as bincount
from kops.ops.sorting import digitize as digitize
from kops.ops.sorting import in_top_k as in_top_k
from kops.ops.sorting import isin as isin
from kops.ops.sorting import searchsorted as searchsorted
from kops.ops.sorting import sort as sort
from kops.ops.sorting import top_k as top_k
from kops.ops.statistics import allclose as allclose
from kops.ops.statistics import array_equal as array_equal
from kops.ops.statistics import average as average
from kops.ops.statistics import corrcoef as corrcoef
from kops.ops.statistics import correlate as correlate
from kops.ops.statistics import diff as diff
from kops.ops.statistics import histogram as histogram
from kops.ops.statistics import nanargmax as nanargmax
from kops.ops.statistics import nanargmin as nanargmin
from kops.ops.statistics import nancumprod as nancumprod
from kops.ops.statistics import nancumsum as nancumsum
from kops.ops.statistics import nanmax as nanmax
from kops.ops.statistics import nanmean as nanmean
from kops.ops.statistics import nanmin as nanmin
from kops.ops.statistics import nanprod as nanprod
from kops.ops.statistics import nanstd as nanstd
from kops.ops.statistics import nansum as nansum
from kops.ops.statistics import nanvar as nanvar
from kops.ops.statistics import trapezoid as trapezoid
from kops.ops.transcendental import arccos as arccos
from kops.ops.transcendental import arccosh as arccosh
from kops.ops.transcendental import arcsin as arcsin
from kops.ops.transcendental import arcsinh as arcsinh
from kops.ops.transcendental import arctan as arctan
from kops.ops.transcendental import arctan2 as arctan2
from kops.ops.transcendental import arctanh as arctanh
from kops.ops.transcendental import cos as cos
from kops.ops.transcendental import cosh as cosh
from kops.ops.transcendental import deg2rad as deg2rad
from kops.ops.transcendental import erf as erf
from kops.ops.transcendental import erfc as erfc
from kops.ops.transcendental import erfinv as erfinv
from kops.ops.transcendental import exp as exp
from kops.ops.transcendental import exp2 as exp2
from kops.ops.transcendental import expm1 as expm1
from kops.ops.transcendental import heaviside as heaviside
from kops.ops.transcendental import hypot as hypot
from kops.ops.transcendental import i0 as i0
from kops.ops.transcendental import ldexp as ldexp
from kops.ops.transcendental import log as log
from kops.ops.transcendental import log1p as log1p
from kops.ops.transcendental import log2 as log2
from kops.ops.transcendental import log10 as log10
from kops.ops.transcendental import logaddexp as logaddexp
from kops.ops.transcendental import logaddexp2 as logaddexp2
from kops.ops.transcendental import nextafter as nextafter
from kops.ops.transcendental import rad2deg as rad2deg
from kops.ops.transcendental import sin as sin
from kops.ops.transcendental import sinc as sinc
from kops.ops.transcendental import sinh as sinh
from kops.ops.transcendental import tan as tan
from kops.ops.transcendental import tanh as tanh
from kops.ops.views import polar as polar
from kops.ops.views import view as view
from kops.ops.views import view_as_complex as view_as_complex
from kops.ops.views import view_as_real as view_as_real

__all__ = [
    "abs",
    "absolute",
    "adaptive_average_pool",
    "adaptive_max_pool",
    "add",
    "all",
    "allclose",
    "amax",
    "amin",
    "angle",
    "any",
    "append",
    "arange",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "argmax",
    "argmin",
    "argpartition",
    "argsort",
    "array",
    "array_equal",
    "array_split",
    "associative_scan",
    "average",
    "average_pool",
    "bartlett",
    "batch_normalization",
    "binary_crossentropy",
    "bincount",
    "bitwise_and",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_not",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "blackman",
    "broadcast_to",
    "cast",
    "categorical_crossentropy",
    "cbrt",
    "cdist",
    "ceil",
    "celu",
    "cholesky",
    "cholesky_inverse",
    "clip",
    "concatenate",
    "cond",
    "conj",
    "conjugate",
    "conv",
    "conv_transpose",
    "convert_to_numpy",
    "convert_to_tensor",
    "copy",
    "corrcoef",
    "correlate",
    "cos",
    "cosh",
    "count_nonzero",
    "cross",
    "ctc_loss",
    "cumprod",
    "cumsum",
    "custom_gradient",
    "deg2rad",
    "depth_to_space",
    "depthwise_conv",
    "det",
    "diag",
    "diagflat",
    "diagonal",
    "diff",
    "digitize",
    "divide",
    "divide_no_nan",
    "dot",
    "dot_product_attention",
    "dsplit",
    "dstack",
    "dtype",
    "eig",
    "eigh",
    "einsum",
    "elu",
    "empty",
    "empty_like",
    "equal",
    "erf",
    "erfc",
    "erfinv",
    "exp",
    "exp2",
    "expand_dims",
    "expm1",
    "extract_sequences",
    "eye",
    "fabs",
    "fft",
    "fft2",
    "flip",
    "fliplr",
    "flipud",
    "floor",
    "floor_divide",
    "fmax",
    "fmin",
    "fmod",
    "fold",
    "fori_loop",
    "full",
    "full_like",
    "gcd",
    "gelu",
    "geomspace",
    "get_item",
    "glu",
    "greater",
    "greater_equal",
    "hamming",
    "hanning",
    "hard_shrink",
    "hard_sigmoid",
    "hard_silu",
    "hard_swish",
    "hard_tanh",
    "heaviside",
    "histogram",
    "hsplit",
    "hstack",
    "hypot",
    "i0",
    "identity",
    "ifft2",
    "imag",
    "image",
    "in_top_k",
    "inner",
    "inv",
    "irfft",
    "is_tensor",
    "isclose",
    "isfinite",
    "isin",
    "isinf",
    "isnan",
    "isneginf",
    "isposinf",
    "isreal",
    "istft",
    "jvp",
    "kaiser",
    "kron",
    "layer_normalization",
    "lcm",
    "ldexp",
    "leaky_relu",
    "left_shift",
    "less",
    "less_equal",
    "linalg",
    "linspace",
    "log",
    "log1p",
    "log2",
    "log10",
    "log_sigmoid",
    "log_softmax",
    "logaddexp",
    "logaddexp2",
    "logdet",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "logspace",
    "logsumexp",
    "lstsq",
    "lu_factor",
    "map",
    "matmul",
    "matrix_rank",
    "max",
    "max_pool",
    "maximum",
    "mean",
    "median",
    "meshgrid",
    "min",
    "minimum",
    "mod",
    "moments",
    "moveaxis",
    "multi_hot",
    "multiply",
    "nan_to_num",
    "nanargmax",
    "nanargmin",
    "nancumprod",
    "nancumsum",
    "nanmax",
    "nanmean",
    "nanmedian",
    "nanmin",
    "nanpercentile",
    "nanprod",
    "nanquantile",
    "nanstd",
    "nansum",
    "nanvar",
    "ndim",
    "negative",
    "nextafter",
    "nn",
    "nonzero",
    "norm",
    "normalize",
    "not_equal",
    "numpy",
    "one_hot",
    "ones",
    "ones_like",
    "outer",
    "pad",
    "percentile",
    "pinv",
    "polar",
    "power",
    "prod",
    "psnr",
    "ptp",
    "qr",
    "quantile",
    "rad2deg",
    "ravel",
    "real",
    "rearrange",
    "reciprocal",
    "relu",
    "relu6",
    "repeat",
    "reshape",
    "rfft",
    "right_shift",
    "rms_normalization",
    "roll",
    "rot90",
    "round",
    "rsqrt",
    "saturate_cast",
    "scan",
    "scatter",
    "scatter_update",
    "searchsorted",
    "segment_max",
    "segment_min",
    "segment_prod",
    "segment_sum",
    "select",
    "selu",
    "separable_conv",
    "shape",
    "sigmoid",
    "sign",
    "signbit",
    "silu",
    "sin",
    "sinc",
    "sinh",
    "size",
    "slice",
    "slice_update",
    "slogdet",
    "soft_shrink",
    "softmax",
    "softplus",
    "softsign",
    "solve",
    "solve_triangular",
    "sort",
    "space_to_depth",
    "sparse_categorical_crossentropy",
    "sparse_plus",
    "sparse_sigmoid",
    "sparsemax",
    "split",
    "sqrt",
    "square",
    "squareplus",
    "squeeze",
    "stack",
    "std",
    "stft",
    "stop_gradient",
    "subtract",
    "sum",
    "svd",
    "swapaxes",
    "swish",
    "switch",
    "take",
    "take_along_axis",
    "tan",
    "tanh",
    "tanh_shrink",
    "tensordot",
    "threshold",
    "tile",
    "top_k",
    "trace",
    "transpose",
    "trapezoid",
    "tri",
    "tril",
    "triu",
    "true_divide",
    "trunc",
    "unfold",
    "unravel_index",
    "unstack",
    "vander",
    "var",
    "vdot",
    "vectorized_map",
    "view",
    "view_as_complex",
    "view_as_real",
    "vsplit",
    "vstack",
    "where",
    "while_loop",
    "zeros",
    "zeros_like",
]
