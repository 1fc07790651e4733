"""Meshes of devices and layouts of tensors over them."""

from __future__ import annotations

import re
from collections.abc import Iterator, MutableMapping, Sequence
from typing import Any

import numpy as np

from kdistribute.engines import devices_engine
from kops.registry import export

__all__ = ["DeviceMesh", "LayoutMap", "TensorLayout", "distribute_tensor"]


@export("keras.distribution.DeviceMesh")
class DeviceMesh:
    """Devices arranged in a grid with named axes.

    Args:
        shape: sizes of the grid.
        axis_names: one name for each axis, such as `["batch", "model"]`.
        devices: names of the devices, row by row; all devices if None.

    Raises:
        ValueError: if shape, names and number of devices do not fit each other.

    Example:
    ```python
    mesh = DeviceMesh((4, 2), ["batch", "model"])  # of 8 devices
    ```
    """

    def __init__(
        self, shape: Sequence[int], axis_names: Sequence[str], devices: Sequence[str] | None = None
    ):
        if not shape or not axis_names:
            raise ValueError(
                f"`shape` and `axis_names` must not be empty; got {shape!r} and {axis_names!r}."
            )
        if len(shape) != len(axis_names):
            raise ValueError(
                f"`shape` {tuple(shape)} needs one name for each axis; got {list(axis_names)}."
            )
        if devices is None:
            devices = devices_engine().list_devices(None)
        flat = np.array(devices).flatten()
        if int(np.prod(shape)) != len(flat):
            raise ValueError(
                f"`shape` {tuple(shape)} holds {int(np.prod(shape))} devices, but there are "
                f"{len(flat)}: {list(flat)}."
            )
        self._shape = tuple(int(s) for s in shape)
        self._axis_names = list(axis_names)
        self._devices = flat.reshape(self._shape)
        self._backend_mesh: Any = None

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes of the grid."""
        return self._shape

    @property
    def axis_names(self) -> list[str]:
        """Names of the axes."""
        return self._axis_names

    @property
    def devices(self) -> np.ndarray:
        """Names of the devices, as an array of the grid's shape."""
        return self._devices

    @property
    def backend_mesh(self) -> Any:
        """The engine's own mesh."""
        if self._backend_mesh is None:
            self._backend_mesh = devices_engine().make_mesh(self)
        return self._backend_mesh

    def __repr__(self) -> str:
        return f"<DeviceMesh shape={self.shape}, axis_names={self.axis_names}>"


@export("keras.distribution.TensorLayout")
class TensorLayout:
    """How a tensor's axes are spread over the axes of a mesh.

    Args:
        axes: for each axis of the tensor, the mesh axis that it is split over, or None.
        device_mesh: the mesh; may be set later.
    """

    def __init__(self, axes: Sequence[str | None], device_mesh: DeviceMesh | None = None):
        self._axes = tuple(axes)
        self._device_mesh = device_mesh
        self._backend_layout: Any = None
        self._check()

    def _check(self) -> None:
        if self._device_mesh is None:
            return
        unknown = {a for a in self._axes if a is not None} - set(self._device_mesh.axis_names)
        if unknown:
            raise ValueError(
                f"`axes` {self._axes} names {sorted(unknown)}, which the mesh does not have: "
                f"its axes are {self._device_mesh.axis_names}."
            )

    @property
    def axes(self) -> tuple[str | None, ...]:
        """Mesh axis for each axis of the tensor."""
        return self._axes

    @property
    def device_mesh(self) -> DeviceMesh | None:
        """The mesh."""
        return self._device_mesh

    @device_mesh.setter
    def device_mesh(self, value: DeviceMesh) -> None:
        if self._device_mesh is not None:
            raise ValueError(f"The mesh of a layout is set once; it is {self._device_mesh}.")
        self._device_mesh = value
        self._check()

    @property
    def backend_layout(self) -> Any:
        """The engine's own layout."""
        if self._device_mesh is None:
            raise ValueError(f"The layout {self} has no mesh yet; set `device_mesh`.")
        if self._backend_layout is None:
            self._backend_layout = devices_engine().make_layout(self)
        return self._backend_layout

    def __repr__(self) -> str:
        return f"<TensorLayout axes={self.axes}, device_mesh={self.device_mesh}>"


@export("keras.distribution.LayoutMap")
class LayoutMap(MutableMapping[str, Any]):
    """Layouts of variables by their path; keys are regular expressions.

    Args:
        device_mesh: mesh of layouts that are given as plain tuples of axes.

    Example:
    ```python
    layouts = LayoutMap(mesh)
    layouts["dense.*kernel"] = (None, "model")
    ```
    """

    def __init__(self, device_mesh: DeviceMesh):
        self._device_mesh = device_mesh
        self._layouts: dict[str, TensorLayout] = {}

    @property
    def device_mesh(self) -> DeviceMesh:
        """The mesh."""
        return self._device_mesh

    def __getitem__(self, key: str) -> TensorLayout | None:  # type: ignore[override]
        if key in self._layouts:
            return self._layouts[key]
        matching = [k for k in self._layouts if re.search(k, key)]
        if len(matching) > 1:
            raise ValueError(
                f"The path {key!r} matches several keys of the layout map: {matching}. "
                "Make the expressions exclude each other."
            )
        return self._layouts[matching[0]] if matching else None

    def __setitem__(self, key: str, layout: Any) -> None:
        if key in self._layouts:
            raise ValueError(f"{key!r} is in the layout map already, as {self._layouts[key]}.")
        if isinstance(layout, (tuple, list)):
            layout = TensorLayout(layout)
        if not isinstance(layout, TensorLayout):
            raise ValueError(f"A layout must be a TensorLayout or a tuple of axes; got {layout!r}.")
        if layout.device_mesh is None:
            layout.device_mesh = self._device_mesh
        self._layouts[key] = layout

    def __delitem__(self, key: str) -> None:
        del self._layouts[key]

    def __len__(self) -> int:
        return len(self._layouts)

    def __iter__(self) -> Iterator[str]:
        return iter(self._layouts)


@export("keras.distribution.distribute_tensor")
def distribute_tensor(tensor: Any, layout: TensorLayout) -> Any:
    """The tensor, spread over devices as the layout says."""
    if not isinstance(layout, TensorLayout):
        raise ValueError(f"`layout` must be a TensorLayout; got {layout!r}.")
    return devices_engine().distribute(tensor, layout)
