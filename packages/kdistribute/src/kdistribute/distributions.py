"""Distributions: who holds which part of the variables and of each batch."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from kdistribute.engines import devices_engine
from kdistribute.layout import DeviceMesh, LayoutMap, TensorLayout
from kops import placement
from kops.registry import export

__all__ = [
    "DataParallel",
    "Distribution",
    "ModelParallel",
    "distribution",
    "get_device_count",
    "initialize",
    "list_devices",
    "set_distribution",
]


@export("keras.distribution.list_devices")
def list_devices(device_type: str | None = None) -> list[str]:
    """Names of the devices of a kind ("cpu", "gpu", "tpu"; default: the best there is).

    Example:
    ```python
    list_devices("cpu")  # ["cpu:0", …]
    ```
    """
    return devices_engine().list_devices(device_type)


@export("keras.distribution.get_device_count")
def get_device_count(device_type: str | None = None) -> int:
    """Number of devices of a kind."""
    return len(list_devices(device_type))


@export("keras.distribution.initialize")
def initialize(
    job_addresses: str | None = None,
    num_processes: int | None = None,
    process_id: int | None = None,
) -> None:
    """Joins the processes of a job; call it before anything else.

    Args:
        job_addresses: addresses of the processes, separated by commas; the first one
            coordinates. Default: the environment variable KERAS_DISTRIBUTION_JOB_ADDRESSES.
        num_processes: default: KERAS_DISTRIBUTION_NUM_PROCESSES.
        process_id: default: KERAS_DISTRIBUTION_PROCESS_ID.
    """
    job_addresses = job_addresses or os.environ.get("KERAS_DISTRIBUTION_JOB_ADDRESSES")
    num_processes = num_processes or _from_environment("KERAS_DISTRIBUTION_NUM_PROCESSES")
    if process_id is None:
        process_id = _from_environment("KERAS_DISTRIBUTION_PROCESS_ID")
    devices_engine().initialize(job_addresses, num_processes, process_id)


def _from_environment(name: str) -> int | None:
    value = os.environ.get(name)
    if value is None:
        return None
    try:
        return int(value)
    except ValueError:
        raise ValueError(
            f"The environment variable {name} must be an int; got {value!r}."
        ) from None


class Distribution:
    """Base class of distributions.

    Args:
        device_mesh: the mesh.
        batch_dim_name: mesh axis that batches are split over.
        auto_shard_dataset: kept for Keras; each process feeds its own data.
    """

    def __init__(
        self,
        device_mesh: DeviceMesh,
        batch_dim_name: str | None = None,
        auto_shard_dataset: bool = True,
    ):
        self._device_mesh = device_mesh
        self._batch_dim_name = batch_dim_name
        self._auto_shard_dataset = auto_shard_dataset

    @property
    def device_mesh(self) -> DeviceMesh:
        """The mesh."""
        return self._device_mesh

    @property
    def batch_dim_name(self) -> str | None:
        """Mesh axis that batches are split over."""
        return self._batch_dim_name

    @property
    def auto_shard_dataset(self) -> bool:
        """Kept for Keras."""
        return self._auto_shard_dataset

    @property
    def num_processes(self) -> int:
        """Number of processes of the job."""
        return _from_environment("KERAS_DISTRIBUTION_NUM_PROCESSES") or 1

    @property
    def num_model_replicas(self) -> int:
        """How many copies of the model the mesh holds."""
        if self._batch_dim_name is None:
            return 1
        return self._device_mesh.shape[self._device_mesh.axis_names.index(self._batch_dim_name)]

    @property
    def data_shard_id(self) -> int:
        """Which shard of the data this process feeds."""
        return _from_environment("KERAS_DISTRIBUTION_PROCESS_ID") or 0

    def get_data_layout(self, data_shape: Sequence[int]) -> TensorLayout | None:
        """Layout of a batch: its first axis split, if the devices divide it."""
        if not len(data_shape):
            return None
        if data_shape[0] is not None and data_shape[0] % self.num_model_replicas:
            # An uneven last batch: every device computes the whole of it.
            return TensorLayout([None] * len(data_shape), self._device_mesh)
        return TensorLayout(
            [self._batch_dim_name, *[None] * (len(data_shape) - 1)], self._device_mesh
        )

    def get_variable_layout(self, variable: Any) -> TensorLayout | None:
        """Layout of a variable; defined by the subclass."""
        raise NotImplementedError(f"{type(self).__name__} defines no `get_variable_layout`.")

    def get_tensor_layout(self, path: str) -> TensorLayout | None:
        """Layout of the intermediate tensor called `path`; None to leave it to the engine."""
        return None

    def distribute_dataset(self, dataset: Any) -> Any:
        """The part of a dataset that this process feeds: all of it in one process."""
        if self.num_processes == 1 or not self._auto_shard_dataset:
            return dataset
        raise NotImplementedError(
            "Splitting a dataset over processes is not supported yet. Pass each process its own "
            "part and auto_shard_dataset=False."
        )

    distribute_tf_dataset = distribute_dataset

    @contextmanager
    def scope(self) -> Iterator[None]:
        """Scope in which this is the distribution in force."""
        saved = placement.distribution()
        placement.set_distribution(self)
        try:
            yield
        finally:
            placement.set_distribution(saved)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} device_mesh={self._device_mesh}>"


@export("keras.distribution.DataParallel")
class DataParallel(Distribution):
    """Every device holds the whole model and computes a part of each batch.

    Args:
        device_mesh: mesh; one axis over all devices if None.
        devices: names of the devices for that axis.
        auto_shard_dataset: see `Distribution`.

    Example:
    ```python
    keras.distribution.set_distribution(keras.distribution.DataParallel())
    model = make_model()
    model.fit(x, y)  # each device takes its share of every batch
    ```
    """

    def __init__(
        self,
        device_mesh: DeviceMesh | None = None,
        devices: Sequence[str] | None = None,
        auto_shard_dataset: bool = True,
    ):
        if device_mesh is None:
            names = list(devices) if devices is not None else list_devices()
            device_mesh = DeviceMesh((len(names),), ["batch"], names)
        elif devices is not None:
            raise ValueError("Give `device_mesh` or `devices`, not both.")
        if not isinstance(device_mesh, DeviceMesh):
            raise ValueError(f"`device_mesh` must be a DeviceMesh; got {device_mesh!r}.")
        super().__init__(device_mesh, device_mesh.axis_names[0], auto_shard_dataset)

    def get_variable_layout(self, variable: Any) -> TensorLayout:
        """A full copy on every device."""
        return TensorLayout([None] * len(variable.shape), self._device_mesh)


@export("keras.distribution.ModelParallel")
class ModelParallel(Distribution):
    """Variables are split over devices as a layout map says.

    Args:
        layout_map: layouts by variable path; variables that it does not name are copied
            to every device.
        batch_dim_name: mesh axis that batches are split over; the first one if None.
        auto_shard_dataset: see `Distribution`.
    """

    def __init__(
        self,
        layout_map: LayoutMap | None = None,
        batch_dim_name: str | None = None,
        auto_shard_dataset: bool = True,
        **kwargs: Any,
    ):
        kwargs.pop("device_mesh", None)
        if kwargs:
            raise TypeError(f"ModelParallel got unexpected arguments {sorted(kwargs)}.")
        if not isinstance(layout_map, LayoutMap):
            raise ValueError(f"`layout_map` must be a LayoutMap; got {layout_map!r}.")
        mesh = layout_map.device_mesh
        name = mesh.axis_names[0] if batch_dim_name is None else batch_dim_name
        if name not in mesh.axis_names:
            raise ValueError(f"`batch_dim_name` must be one of {mesh.axis_names}; got {name!r}.")
        super().__init__(mesh, name, auto_shard_dataset)
        self._layout_map = layout_map

    def get_variable_layout(self, variable: Any) -> TensorLayout:
        """The layout map's entry for the variable's path, else a copy on every device."""
        layout = self._layout_map[variable.path]
        if layout is None or len(layout.axes) != len(variable.shape):
            return TensorLayout([None] * len(variable.shape), self._device_mesh)
        for axis, size in zip(layout.axes, variable.shape, strict=True):
            parts = 1 if axis is None else _mesh_size(self._device_mesh, axis)
            if size % parts:
                raise ValueError(
                    f"Variable {variable.path!r} of shape {tuple(variable.shape)} cannot be split "
                    f"as {layout.axes}: {size} is no multiple of {parts}."
                )
        return layout

    def get_tensor_layout(self, path: str) -> TensorLayout | None:
        """The layout map's entry for a path."""
        return self._layout_map[path]


def _mesh_size(mesh: DeviceMesh, axis: str) -> int:
    return int(np.asarray(mesh.shape)[mesh.axis_names.index(axis)])


@export("keras.distribution.distribution")
def distribution() -> Any:
    """The distribution in force, None if there is none."""
    return placement.distribution()


@export("keras.distribution.set_distribution")
def set_distribution(value: Distribution | None) -> None:
    """Sets the distribution for variables and batches made from now on."""
    if value is not None and not isinstance(value, Distribution):
        raise ValueError(f"`value` must be a Distribution or None; got {value!r}.")
    placement.set_distribution(value)
