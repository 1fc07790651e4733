"""JAX: meshes and layouts are jax.sharding's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from kops.backend import active

if TYPE_CHECKING:
    from kdistribute.layout import DeviceMesh, TensorLayout

__all__ = ["distribute", "initialize", "list_devices", "make_layout", "make_mesh"]


def list_devices(device_type: str | None) -> list[str]:
    """Names such as "cpu:0" of the devices of a kind (default: the best there is)."""
    kind = None if device_type is None else device_type.lower()
    try:
        found = jax.devices(kind)
    except RuntimeError:
        kinds = sorted({d.platform for d in jax.devices()})
        raise ValueError(
            f"There is no device of type {device_type!r}; there are {kinds}."
        ) from None
    return [f"{d.platform}:{d.id}" for d in found]


def make_mesh(mesh: DeviceMesh) -> jax.sharding.Mesh:
    """Jax's mesh for a DeviceMesh."""
    found = {f"{d.platform}:{d.id}": d for d in jax.devices()}
    names = [str(n).lower() for n in mesh.devices.flatten()]
    missing = [n for n in names if n not in found]
    if missing:
        raise ValueError(f"JAX has no devices {missing}; it has {sorted(found)}.")
    devices = np.array([found[n] for n in names]).reshape(mesh.shape)
    return jax.sharding.Mesh(devices, mesh.axis_names)


def make_layout(layout: TensorLayout) -> jax.sharding.NamedSharding:
    """Jax's sharding for a TensorLayout."""
    assert layout.device_mesh is not None
    return jax.sharding.NamedSharding(
        layout.device_mesh.backend_mesh, jax.sharding.PartitionSpec(*layout.axes)
    )


def distribute(tensor: Any, layout: TensorLayout) -> Any:
    """The tensor, laid out; inside a trace, a constraint on the compiler."""
    if isinstance(tensor, jax.core.Tracer):
        return jax.lax.with_sharding_constraint(tensor, layout.backend_layout)
    return active().distribute(active().convert(tensor), layout)


def initialize(
    job_addresses: str | None, num_processes: int | None, process_id: int | None
) -> None:
    """Joins the processes of a job."""
    coordinator = job_addresses.split(",")[0] if job_addresses else None
    jax.distributed.initialize(coordinator, num_processes, process_id)
