"""Saving and loading whole models: `.keras`."""

from __future__ import annotations

import contextlib
import datetime
import io
import json
import os
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import klayers
from kops.registry import export
from kops.serialization import deserialize_keras_object, serialize_keras_object
from kops.variable import allocation_budget
from ksaving.archive import CONFIG, METADATA, WEIGHTS, open_archive, open_weights, read_json
from ksaving.files import atomic_path, check_overwrite, path_of, scratch_file
from ksaving.hdf5 import open_reader, open_writer, stored_bytes
from ksaving.weights import read_weights, write_weights

__all__ = ["load_model", "save_model"]

# The version of the format, which is that of the Keras whose files it follows.
_KERAS_VERSION = "3.15.1"

# What the variables of a model may take, in bytes: eight times those that the file has values
# for (float32 for what was packed as 4-bit integers), and 256 MB beside them.
_BUDGET_FACTOR, _BUDGET_LEAST = 8, 1 << 28


@export("keras.saving.save_model", "keras.models.save_model")
def save_model(
    model: Any,
    filepath: str | os.PathLike[str] | io.IOBase,
    overwrite: bool = True,
    zipped: bool | None = None,
    **kwargs: Any,
) -> None:
    """Writes a model (architecture, variables, compile settings) to a `.keras` file.

    Keras 3 reads the file. It is complete or not there: a crash leaves what was at
    `filepath` as it was.

    Args:
        model: built model.
        filepath: path that ends in `.keras`, or a binary file object.
        overwrite: whether an existing file may be replaced.
        zipped: must be None or True.

    Raises:
        ValueError: for another extension or an unbuilt model.
        FileExistsError: if the file exists and `overwrite` is False.

    Example:
    ```python
    ksaving.save_model(model, "model.keras")
    same = ksaving.load_model("model.keras")
    ```
    """
    if kwargs:
        raise TypeError(f"save_model() got unexpected arguments {sorted(kwargs)}.")
    if zipped is False:
        raise ValueError(
            "`zipped` is False, but folders are not supported yet; leave it at None to write "
            "one .keras file."
        )
    if not isinstance(model, klayers.Model):
        raise TypeError(f"`model` must be a Model; got {type(model).__name__}.")
    if not model.built:
        raise ValueError(
            f"The model {model.name!r} is not built, so it has nothing to save. Call it on data, "
            "or call `model.build(input_shape)`, first."
        )
    if hasattr(filepath, "write"):
        _write(model, filepath, None)
        return
    path = path_of(filepath)
    if path.suffix != ".keras":
        raise ValueError(
            f"`filepath` must end in '.keras'; got {str(path)!r}. For variables alone use "
            "`model.save_weights('….weights.h5')`; for other formats use `model.export(…)`."
        )
    check_overwrite(path, overwrite)
    with atomic_path(path) as part:
        _write(model, part, path.parent)


def _write(model: Any, target: Any, folder: Path | None) -> None:
    config = json.dumps(serialize_keras_object(model))
    now = datetime.datetime.now().strftime("%Y-%m-%d@%H:%M:%S")
    metadata = json.dumps({"keras_version": _KERAS_VERSION, "date_saved": now})
    # HDF5 needs a file to seek in; the zip then takes it whole, uncompressed, so that a
    # reader can seek in it in turn.
    with scratch_file(folder) as weights:
        with open_writer(weights) as file:
            write_weights(file, model)
        with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as archive:
            archive.writestr(METADATA, metadata)
            archive.writestr(CONFIG, config)
            archive.write(weights, WEIGHTS)


@export("keras.saving.load_model", "keras.models.load_model")
def load_model(
    filepath: str | os.PathLike[str] | io.IOBase,
    custom_objects: Mapping[str, Any] | None = None,
    compile: bool = True,
    safe_mode: bool = True,
) -> Any:
    """Reads a model from a `.keras` file, written by this library or by Keras 3.

    Nothing in the file is executed or imported, and no other file is opened.

    Args:
        filepath: path of the file, or a binary file object.
        custom_objects: classes and functions by the name that the file has for them, in
            addition to the registered ones.
        compile: whether to restore optimizer, loss and metrics.
        safe_mode: whether to refuse code in the file (as of a `Lambda` layer). Pass False
            only for a file whose author you trust.

    Raises:
        FileNotFoundError: if there is no such file.
        ValueError: if the file is damaged, unsafe, or names a class that is not registered.
    """
    with _source(filepath) as source, open_archive(source) as archive:
        config = read_json(archive, CONFIG)
        if not compile:
            config.pop("compile_config", None)
        with open_weights(archive) as weights, open_reader(weights) as file:
            with allocation_budget(_BUDGET_FACTOR * stored_bytes(file) + _BUDGET_LEAST):
                model = deserialize_keras_object(
                    config, custom_objects=dict(custom_objects or {}), safe_mode=safe_mode
                )
            if not isinstance(model, klayers.Layer):
                raise ValueError(f"The file describes a {type(model).__name__}, which is no model.")
            if not model.built:
                raise ValueError(
                    f"The model {type(model).__name__} could not be built from the file, so its "
                    "weights have no place. Give the class a `build_from_config()`, or save it "
                    "after calling it on data."
                )
            read_weights(file, model)
    return model


@contextlib.contextmanager
def _source(filepath: Any) -> Iterator[Any]:
    if hasattr(filepath, "read"):
        yield filepath
        return
    path = path_of(filepath)
    if path.is_dir():
        raise IsADirectoryError(f"{str(path)!r} is a folder; a .keras file is expected.")
    if not path.is_file():
        raise FileNotFoundError(f"There is no file {str(path)!r} to load a model from.")
    if path.suffix in (".h5", ".hdf5"):
        raise ValueError(
            f"{str(path)!r} is an HDF5 file. Whole models are read from .keras files; load "
            "`.weights.h5` files with `model.load_weights(…)`."
        )
    with open(path, "rb") as file:
        yield file
