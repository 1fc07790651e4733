"""Variables in HDF5 files: one group per object, with a group `vars` of arrays in it.

Reading trusts nothing: every step of a path must be a hard link inside the file, and an
array must not claim more memory than its stored bytes can account for.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import h5py
import numpy as np

from ksaving.errors import UnsafeFileError

__all__ = [
    "ReadStore",
    "WriteStore",
    "open_reader",
    "open_writer",
    "read_group",
    "stored_bytes",
    "write_group",
]

MAX_NAME = 1024
_MAX_RATIO = 100  # of an array's size to its (compressed) bytes in the file


def open_writer(target: Any) -> h5py.File:
    """A new HDF5 file at a path or in a binary file object."""
    return h5py.File(target, "w")


def open_reader(source: Any) -> h5py.File:
    """An HDF5 file, from a path or a binary file object, opened for reading.

    Raises:
        ValueError: if it is no HDF5 file, is truncated, or has a user block.
    """
    try:
        file = h5py.File(source, "r")
    except FileNotFoundError:
        raise
    except (OSError, RuntimeError) as e:
        raise ValueError(
            "The weights are not a readable HDF5 file: it is truncated, damaged or of another "
            f"format ({type(e).__name__}). Save the model again, or take a complete copy."
        ) from e
    if file.userblock_size:
        file.close()
        raise UnsafeFileError("The HDF5 file has a user block, which no weights file needs.")
    return file


def stored_bytes(file: h5py.File) -> int:
    """Bytes of all values in a file; what is declared but not there counts for nothing."""
    total = 0

    def add(_: str, item: Any) -> None:
        nonlocal total
        if isinstance(item, h5py.Dataset):
            total += min(item.nbytes, _MAX_RATIO * item.id.get_storage_size())

    file.visititems(add)
    return total


# -- writing ------------------------------------------------------------------------------


class WriteStore:
    """Dictionary-like view of the `vars` group of one object; writes as it is filled."""

    def __init__(self, group: h5py.Group):
        self._group = group

    def __setitem__(self, key: str, value: Any) -> None:
        check_name(key)
        array = np.asarray(value)
        if array.dtype.kind == "V":  # bfloat16 and float8, which HDF5 lacks
            array = array.astype(np.float32)
        if array.dtype.kind not in "biuf":
            raise TypeError(
                f"Variable {key!r} of {self._group.name!r} has dtype {array.dtype}, "
                "which a weights file cannot hold; accepted: bool, int and float."
            )
        self._group.create_dataset(key, data=array)

    def __contains__(self, key: str) -> bool:
        return key in self._group

    def keys(self) -> list[str]:
        """Names written so far."""
        return list(self._group.keys())


def write_group(file: h5py.File, path: str, obj: Any) -> None:
    """Writes one object's own variables under `path`."""
    for part in filter(None, path.split("/")):
        check_name(part)
    group = file.create_group(f"{path}/vars" if path else "vars")
    name = getattr(obj, "name", None)
    if isinstance(name, str):
        group.attrs["name"] = name[:MAX_NAME]
    obj.save_own_variables(WriteStore(group))


def check_name(name: str) -> None:
    """Refuses names that would not be one step of a path."""
    if (
        not isinstance(name, str)
        or not name
        or len(name) > MAX_NAME
        or name in (".", "..")
        or "/" in name
        or "\0" in name
    ):
        raise ValueError(
            f"{name!r} cannot name a group or array in a weights file: it must be a non-empty "
            f"string of at most {MAX_NAME} characters, without '/' and NUL."
        )


# -- reading ------------------------------------------------------------------------------


class ReadStore:
    """Dictionary-like view of the stored arrays of one object; reads one when asked for it.

    Args:
        group: the `vars` group, or None if the file has none for this object.
        path: where the object is stored, for messages.
    """

    def __init__(self, group: h5py.Group | None, path: str):
        self._group = group
        self._path = path

    def keys(self) -> list[str]:
        """Names of the stored arrays, numbers in order."""
        names = [] if self._group is None else list(self._group.keys())
        return sorted(names, key=lambda n: (not n.isdigit(), int(n) if n.isdigit() else 0, n))

    def __len__(self) -> int:
        return 0 if self._group is None else len(self._group)

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __contains__(self, key: str) -> bool:
        return self._group is not None and key in self._group

    def values(self) -> list[np.ndarray]:
        """All arrays, read."""
        return [self[k] for k in self.keys()]

    def items(self) -> list[tuple[str, np.ndarray]]:
        """All (name, array), read."""
        return [(k, self[k]) for k in self.keys()]

    def shape(self, key: str) -> tuple[int, ...]:
        """Shape of an array, without reading it."""
        return self._dataset(key).shape

    def __getitem__(self, key: str) -> np.ndarray:
        dataset = self._dataset(key)
        array = np.empty(dataset.shape, dataset.dtype)
        if array.size:
            dataset.read_direct(array)  # no second copy
        return array

    def _dataset(self, key: str) -> h5py.Dataset:
        if self._group is None or key not in self._group:
            raise KeyError(f"The file has no array {key!r} at {self._path!r}.")
        return checked_dataset(child(self._group, key, self._path), f"{self._path}/{key}")


def read_group(file: h5py.File, path: str) -> ReadStore | None:
    """The stored arrays of the object at `path`; None if the file does not mention it."""
    group: Any = file
    for part in filter(None, path.split("/")):
        group = child(group, part, path)
        if group is None:
            return None
        if not isinstance(group, h5py.Group):
            raise UnsafeFileError(f"{path!r} is an array where a group is expected.")
    stored = child(group, "vars", path)
    if stored is not None and not isinstance(stored, h5py.Group):
        raise UnsafeFileError(f"'{path}/vars' is an array where a group is expected.")
    return None if stored is None else ReadStore(stored, path or "(the model itself)")


def child(group: h5py.Group, name: str, path: str) -> Any:
    """The member called `name`, None if there is none.

    Raises:
        UnsafeFileError: if it is a link that can lead to another file.
    """
    link = group.get(name, getlink=True)
    if link is None:
        return None
    if not isinstance(link, h5py.HardLink):
        raise UnsafeFileError(
            f"The file has a {type(link).__name__} called {name!r} at {path!r}. Links can reach "
            "other files, so only plain groups and arrays are read."
        )
    found = group.get(name)
    if not isinstance(found, (h5py.Group, h5py.Dataset)):
        raise UnsafeFileError(f"{name!r} at {path!r} is neither a group nor an array.")
    return found


def checked_dataset(dataset: Any, path: str) -> h5py.Dataset:
    """`dataset`, if it is a plain array whose size its stored bytes account for."""
    if not isinstance(dataset, h5py.Dataset):
        raise UnsafeFileError(f"{path!r} is a group where an array is expected.")
    if dataset.external or dataset.is_virtual:
        raise UnsafeFileError(f"The array {path!r} takes its values from another file.")
    if dataset.dtype.kind not in "biuf":
        raise UnsafeFileError(
            f"The array {path!r} has dtype {dataset.dtype}, which no variable has."
        )
    if dataset.shape is None:
        raise UnsafeFileError(f"The array {path!r} is empty of a shape.")
    size = dataset.dtype.itemsize
    for n in dataset.shape:
        size *= n
    if size > _MAX_RATIO * (dataset.id.get_storage_size() + 64):
        raise UnsafeFileError(
            f"The array {path!r} claims {size:,} bytes, but the file stores "
            f"{dataset.id.get_storage_size():,} for it."
        )
    return dataset
