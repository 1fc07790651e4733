"""The `.keras` container: a zip of `metadata.json`, `config.json` and `model.weights.h5`."""

from __future__ import annotations

import contextlib
import json
import shutil
import struct
import zipfile
from collections.abc import Iterator
from typing import Any, BinaryIO

from ksaving.errors import UnsafeFileError
from ksaving.files import FileWindow, scratch_file

__all__ = ["CONFIG", "METADATA", "WEIGHTS", "open_archive", "open_weights", "read_json"]

METADATA, CONFIG, WEIGHTS = "metadata.json", "config.json", "model.weights.h5"
_REQUIRED = frozenset([METADATA, CONFIG, WEIGHTS])
_MAX_JSON = 256 * 2**20
_MAX_MEMBERS = 10_000
_MAX_RATIO = 1000
_ENCRYPTED = 0x1


@contextlib.contextmanager
def open_archive(source: Any) -> Iterator[zipfile.ZipFile]:
    """A `.keras` file, its table of contents checked.

    Raises:
        ValueError: if it is no complete `.keras` file.
        UnsafeFileError: if it holds what no `.keras` file holds.
    """
    try:
        archive = zipfile.ZipFile(source)
    except (zipfile.BadZipFile, EOFError, struct.error, NotImplementedError) as e:
        raise ValueError(
            "This is not a complete .keras file (a zip archive): it is truncated, damaged or of "
            f"another format. Take a complete copy, or save the model again. ({e})"
        ) from e
    with archive:
        _check_members(archive.infolist())
        yield archive


def _check_members(members: list[zipfile.ZipInfo]) -> None:
    names = [m.filename for m in members]
    if len(names) > _MAX_MEMBERS:
        raise UnsafeFileError(f"The archive has {len(names)} members; at most {_MAX_MEMBERS}.")
    if len({n.casefold() for n in names}) != len(names):
        raise UnsafeFileError("The archive holds two members of the same name.")
    missing = _REQUIRED - set(names)
    if missing:
        raise ValueError(f"This is not a .keras file: the archive has no {sorted(missing)}.")
    for member in members:
        _check_member(member)


def _check_member(member: zipfile.ZipInfo) -> None:
    name = member.filename
    parts = name.rstrip("/").split("/")
    if name not in _REQUIRED and (
        parts[0] != "assets"
        or any(p in ("", ".", "..") for p in parts)
        or "\\" in name
        or ":" in name
    ):
        raise UnsafeFileError(f"The archive holds {name[:200]!r}, which no .keras file has.")
    if member.flag_bits & _ENCRYPTED:
        raise UnsafeFileError(f"The member {name!r} is encrypted.")
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise UnsafeFileError(f"The member {name!r} is compressed in an unknown way.")
    if member.file_size > _MAX_RATIO * member.compress_size + 4096:
        raise UnsafeFileError(
            f"The member {name!r} claims {member.file_size:,} bytes from "
            f"{member.compress_size:,} compressed ones."
        )


def read_json(archive: zipfile.ZipFile, name: str) -> dict[str, Any]:
    """A JSON member, as a dictionary.

    Raises:
        ValueError: if it is too large or deep, has a key twice, or is no JSON object.
    """
    if archive.getinfo(name).file_size > _MAX_JSON:
        raise UnsafeFileError(f"{name!r} is larger than {_MAX_JSON:,} bytes.")
    try:
        with archive.open(name) as f:
            text = f.read(_MAX_JSON + 1)
        value = json.loads(text, object_pairs_hook=_unique)
    except (zipfile.BadZipFile, EOFError, UnicodeDecodeError, json.JSONDecodeError) as e:
        raise ValueError(f"{name!r} in the archive is damaged: {type(e).__name__}.") from e
    except RecursionError:
        raise UnsafeFileError(f"{name!r} is nested too deeply.") from None
    if not isinstance(value, dict):
        raise ValueError(f"{name!r} must hold a JSON object; it holds a {type(value).__name__}.")
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise UnsafeFileError("A JSON object in the archive has the same key twice.")
    return result


@contextlib.contextmanager
def open_weights(archive: zipfile.ZipFile) -> Iterator[Any]:
    """The weights member as a seekable file; unpacked to disk only where it is compressed."""
    info = archive.getinfo(WEIGHTS)
    file = archive.fp
    if info.compress_type == zipfile.ZIP_STORED and file is not None:
        with _reading(WEIGHTS):
            start = _data_offset(file, info)  # type: ignore[arg-type]
        yield FileWindow(file, start, info.file_size)  # type: ignore[arg-type]
        return
    with scratch_file(None) as path:
        with _reading(WEIGHTS), archive.open(info) as packed, open(path, "wb") as out:
            shutil.copyfileobj(packed, out, 2**20)
        with open(path, "rb") as unpacked:
            yield unpacked


@contextlib.contextmanager
def _reading(name: str) -> Iterator[None]:
    try:
        yield
    except (zipfile.BadZipFile, EOFError, struct.error) as e:
        raise ValueError(f"{name!r} in the archive is damaged: {e}") from e


def _data_offset(file: BinaryIO, info: zipfile.ZipInfo) -> int:
    """Where a member's bytes start: behind its local header, which has its own name length."""
    file.seek(info.header_offset)
    header = file.read(30)
    if len(header) < 30 or header[:4] != b"PK\x03\x04":
        raise zipfile.BadZipFile("the local header is missing")
    name_length, extra_length = struct.unpack("<HH", header[26:30])
    if file.read(name_length) != info.filename.encode():
        raise zipfile.BadZipFile("the local header names another member")
    return info.header_offset + 30 + name_length + extra_length
