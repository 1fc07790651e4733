"""The Keras 3 API: `import keras_meta as keras`. Written by tools/namespace.py."""

from keras_meta import activations as activations
from keras_meta import backend as backend
from keras_meta import callbacks as callbacks
from keras_meta import config as config
from keras_meta import constraints as constraints
from keras_meta import distribution as distribution
from keras_meta import dtype_policies as dtype_policies
from keras_meta import initializers as initializers
from keras_meta import layers as layers
from keras_meta import losses as losses
from keras_meta import metrics as metrics
from keras_meta import mixed_precision as mixed_precision
from keras_meta import models as models
from keras_meta import ops as ops
from keras_meta import optimizers as optimizers
from keras_meta import preprocessing as preprocessing
from keras_meta import quantizers as quantizers
from keras_meta import random as random
from keras_meta import regularizers as regularizers
from keras_meta import saving as saving
from keras_meta import tree as tree
from keras_meta import utils as utils
from keras_meta.models import Model as Model
from keras_meta.models import Sequential as Sequential
from klayers.dtype_policies import DTypePolicy as DTypePolicy
from klayers.dtype_policies import FloatDTypePolicy as FloatDTypePolicy
from klayers.initializers.base import Initializer as Initializer
from klayers.input_layer import Input as Input
from klayers.input_spec import InputSpec as InputSpec
from klayers.layer import Layer as Layer
from klayers.regularizers import Regularizer as Regularizer
from kops.backend import device as device
from kops.function import Function as Function
from kops.keras_tensor import KerasTensor as KerasTensor
from kops.operation import Operation as Operation
from kops.scopes import StatelessScope as StatelessScope
from kops.scopes import SymbolicScope as SymbolicScope
from kops.scopes import name_scope as name_scope
from kops.variable import Variable as Variable
from kquant.quantizers import Quantizer as Quantizer
from ktrain.losses.loss import Loss as Loss
from ktrain.metrics.metric import Metric as Metric
from ktrain.optimizers.optimizer import Optimizer as Optimizer

__version__ = "0.1.0"

__all__ = [
    "DTypePolicy",
    "FloatDTypePolicy",
    "Function",
    "Initializer",
    "Input",
    "InputSpec",
    "KerasTensor",
    "Layer",
    "Loss",
    "Metric",
    "Model",
    "Operation",
    "Optimizer",
    "Quantizer",
    "Regularizer",
    "Sequential",
    "StatelessScope",
    "SymbolicScope",
    "Variable",
    "activations",
    "backend",
    "callbacks",
    "config",
    "constraints",
    "device",
    "distribution",
    "dtype_policies",
    "initializers",
    "layers",
    "losses",
    "metrics",
    "mixed_precision",
    "models",
    "name_scope",
    "ops",
    "optimizers",
    "preprocessing",
    "quantizers",
    "random",
    "regularizers",
    "saving",
    "tree",
    "utils",
]
