"""The names of `keras.mixed_precision`. Written by tools/namespace.py."""

from klayers.dtype_policies import DTypePolicy as DTypePolicy
from klayers.dtype_policies import DTypePolicy as Policy
from klayers.dtype_policies import dtype_policy as dtype_policy
from klayers.dtype_policies import dtype_policy as global_policy
from klayers.dtype_policies import set_dtype_policy as set_dtype_policy
from klayers.dtype_policies import set_dtype_policy as set_global_policy
from ktrain.optimizers.loss_scale_optimizer import LossScaleOptimizer as LossScaleOptimizer

__all__ = [
    "DTypePolicy",
    "LossScaleOptimizer",
    "Policy",
    "dtype_policy",
    "global_policy",
    "set_dtype_policy",
    "set_global_policy",
]
