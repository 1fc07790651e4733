"""kdistribute: training over several devices and processes."""

from __future__ import annotations

from kdistribute.distributions import (
    DataParallel,
    Distribution,
    ModelParallel,
    distribution,
    get_device_count,
    initialize,
    list_devices,
    set_distribution,
)
from kdistribute.layout import DeviceMesh, LayoutMap, TensorLayout, distribute_tensor

__version__ = "0.1.0"

__all__ = [
    "DataParallel",
    "DeviceMesh",
    "Distribution",
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
