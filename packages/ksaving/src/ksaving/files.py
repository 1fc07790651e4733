"""Writing a file so that it is complete or not there, and reading part of one."""

from __future__ import annotations

import contextlib
import io
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

__all__ = ["FileWindow", "atomic_path", "check_overwrite", "path_of", "scratch_file"]


def path_of(filepath: Any) -> Path:
    """The argument `filepath` as a path.

    Raises:
        TypeError: it is none.
        ValueError: it is empty.
    """
    if not isinstance(filepath, (str, os.PathLike)):
        raise TypeError(
            f"`filepath` must be a path (a str or a pathlib.Path); got {filepath!r} "
            f"(of type {type(filepath).__name__})."
        )
    if not os.fspath(filepath):
        raise ValueError("`filepath` is empty; give the path of a file.")
    return Path(filepath)


@contextlib.contextmanager
def atomic_path(target: Path) -> Iterator[Path]:
    """A path to write to; it becomes `target` in one step when the block ends well.

    If the block fails, or the process dies, whatever was at `target` stays as it was.
    """
    folder = target.parent
    if not folder.is_dir():
        raise FileNotFoundError(f"The folder {str(folder)!r} does not exist; create it first.")
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=folder)
    os.close(handle)
    path = Path(name)
    try:
        yield path
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask()
        path.chmod(mode)
        with open(path, "rb") as f:
            os.fsync(f.fileno())
        os.replace(path, target)
        _sync_folder(folder)
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def _umask() -> int:
    # The only way to read it is to set it.
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def _sync_folder(folder: Path) -> None:
    if not hasattr(os, "O_DIRECTORY"):
        return  # Windows: a folder cannot be opened
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


@contextlib.contextmanager
def scratch_file(folder: Path | None) -> Iterator[Path]:
    """A path in `folder` (default: the system's) that is gone when the block ends."""
    handle, name = tempfile.mkstemp(prefix=".weights.", suffix=".part", dir=folder)
    os.close(handle)
    try:
        yield Path(name)
    finally:
        Path(name).unlink(missing_ok=True)


def check_overwrite(path: Path, overwrite: bool) -> None:
    """Refuses to replace a file unless that was asked for."""
    if path.is_dir():
        raise IsADirectoryError(f"`filepath` is a folder: {str(path)!r}.")
    if path.exists() and not overwrite:
        raise FileExistsError(
            f"{str(path)!r} exists and `overwrite` is False. Pass overwrite=True to replace it."
        )


class FileWindow(io.RawIOBase):
    """A readable part of a binary file, as a file of its own.

    Args:
        file: the whole, opened in binary mode.
        start: where the part starts.
        size: its length in bytes.
    """

    def __init__(self, file: BinaryIO, start: int, size: int):
        super().__init__()
        self._file, self._start, self._size = file, start, size
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._size}[whence]
        self._at = max(0, base + offset)
        return self._at

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer).cast("B")
        n = max(0, min(len(view), self._size - self._at))
        self._file.seek(self._start + self._at)
        n = self._file.readinto(view[:n]) or 0  # type: ignore[attr-defined]
        self._at += n
        return n
