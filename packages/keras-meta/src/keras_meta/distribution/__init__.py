"""The names of `keras.distribution`. Written by tools/namespace.py."""

from kdistribute.distributions import DataParallel as DataParallel
from kdistribute.distributions import ModelParallel as ModelParallel
from kdistribute.distributions import distribution as distribution
from kdistribute.distributions import get_device_count as get_device_count
from kdistribute.distributions import initialize as initialize
from kdistribute.distributions import list_devices as list_devices
from kdistribute.distributions import set_distribution as set_distribution
from kdistribute.layout import DeviceMesh as DeviceMesh
from kdistribute.layout import LayoutMap as LayoutMap
from kdistribute.layout import TensorLayout as TensorLayout
from kdistribute.layout import distribute_tensor as distribute_tensor

__all__ = [
    "DataParallel",
    "DeviceMesh",
    "LayoutMap",
    "ModelParallel",
    "TensorLayout",
    "distribute_tensor",
    "distribution",
    "get_device_count",
    "initialize",
    "list_devices",
    "set_distribution",
]
