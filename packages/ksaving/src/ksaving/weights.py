"""Saving and loading the variables of a model: `.weights.h5`."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any

import h5py

import klayers
from kops.registry import export
from ksaving.archive import open_archive, open_weights
from ksaving.files import atomic_path, check_overwrite, path_of
from ksaving.hdf5 import ReadStore, open_reader, open_writer, read_group, write_group
from ksaving.walk import saveables

# An optimizer that never took a step has its iteration and learning rate alone.
_UNBUILT_OPTIMIZER = 2

__all__ = ["build_optimizer", "load_weights", "read_weights", "save_weights", "write_weights"]


@export("keras.saving.save_weights")
def save_weights(
    model: Any,
    filepath: str | os.PathLike[str],
    overwrite: bool = True,
    max_shard_size: float | None = None,
    **kwargs: Any,
) -> None:
    """Writes all variables of a model (the optimizer's too) to a `.weights.h5` file.

    The file is complete or not there: a crash leaves what was at `filepath` as it was.

    Args:
        model: built model or layer.
        filepath: path that ends in `.weights.h5`.
        overwrite: whether an existing file may be replaced.
        max_shard_size: must be None: weights are written to one file.

    Raises:
        ValueError: if the path does not end in `.weights.h5` or the model is not built.
        FileExistsError: if the file exists and `overwrite` is False.

    Example:
    ```python
    ksaving.save_weights(model, "model.weights.h5")
    ksaving.load_weights(same_architecture, "model.weights.h5")
    ```
    """
    if kwargs:
        raise TypeError(f"save_weights() got unexpected arguments {sorted(kwargs)}.")
    path = _weights_path(filepath)
    if max_shard_size is not None:
        raise ValueError(
            f"`max_shard_size` is {max_shard_size}, but sharded weights are not supported yet; "
            "leave it at None to write one file."
        )
    _check_built(model, "save_weights")
    check_overwrite(path, overwrite)
    with atomic_path(path) as part, open_writer(part) as file:
        write_weights(file, model)


@export("keras.saving.load_weights")
def load_weights(
    model: Any, filepath: str | os.PathLike[str], skip_mismatch: bool = False, **kwargs: Any
) -> None:
    """Reads the variables of a model from a `.weights.h5` or `.keras` file.

    Args:
        model: built model or layer of the same architecture.
        filepath: path of the file.
        skip_mismatch: whether layers that do not fit are left as they are, with a
            warning, in place of an error.

    Raises:
        FileNotFoundError: if there is no such file.
        ValueError: if the file is damaged or does not fit; names the first path that
            differs and both shapes.
    """
    if kwargs:
        raise TypeError(
            f"load_weights() got unexpected arguments {sorted(kwargs)}; loading by layer name "
            "was for HDF5 files of Keras 2."
        )
    path = path_of(filepath)
    if not path.is_file():
        raise FileNotFoundError(f"There is no file {str(path)!r} to load weights from.")
    _check_built(model, "load_weights")
    if path.suffix == ".keras":
        with open_archive(path) as archive, open_weights(archive) as source:
            with open_reader(source) as file:
                read_weights(file, model, skip_mismatch)
        return
    _weights_path(filepath)
    with open_reader(path) as file:
        read_weights(file, model, skip_mismatch)


def _weights_path(filepath: Any) -> Path:
    path = path_of(filepath)
    if not path.name.endswith(".weights.h5"):
        raise ValueError(f"`filepath` must end in '.weights.h5'; got {str(path)!r}.")
    return path


def _check_built(model: Any, what: str) -> None:
    if not isinstance(model, klayers.Layer):
        raise TypeError(f"`model` must be a layer or model; got {type(model).__name__}.")
    if not model.built:
        raise ValueError(
            f"{what}() needs a built model, and {model.name!r} has no variables yet. Call it on "
            "data, or call `model.build(input_shape)`, first."
        )


def write_weights(file: h5py.File, model: Any) -> None:
    """Writes all variables of `model` to an open HDF5 file."""
    build_optimizer(model)
    for path, obj in saveables(model):
        write_group(file, path, obj)


def build_optimizer(model: Any) -> None:
    """Makes the optimizer's variables: Keras refuses a file in which some are missing."""
    optimizer = getattr(model, "optimizer", None)
    if optimizer is not None and model.built and not optimizer.built:
        optimizer.build(model.trainable_variables)


def read_weights(file: h5py.File, model: Any, skip_mismatch: bool = False) -> None:
    """Reads all variables of `model` from an open HDF5 file."""
    stored = read_group(file, "optimizer")
    if stored is not None and len(stored) > _UNBUILT_OPTIMIZER:
        build_optimizer(model)
    read_any = False
    for path, obj in saveables(model):
        store = read_group(file, path)
        if store is None:
            if _has_variables(obj):
                _report(_missing(path, obj), obj, skip_mismatch)
            continue
        read_any = True
        _read_object(obj, store, path, skip_mismatch)
    if not read_any and model.weights and not skip_mismatch:
        raise ValueError(
            f"The file holds no weights for {model.name!r}: its top level has "
            f"{sorted(file.keys())[:10]}."
        )


def _read_object(obj: Any, store: ReadStore, path: str, skip_mismatch: bool) -> None:
    if not isinstance(obj, klayers.Layer) and len(store) <= _UNBUILT_OPTIMIZER:
        for key, variable in zip(store.keys(), obj.variables, strict=False):
            variable.assign(store[key])
        return
    try:
        _compare(obj, store)
        obj.load_own_variables(store)
    except (ValueError, KeyError) as e:
        message = e.args[0] if e.args else e
        where = path or "the top level"
        _report(
            f"The weights at {where!r} do not fit {_describe(obj)}: {message}",
            obj,
            skip_mismatch,
            e,
        )


def _compare(obj: Any, store: ReadStore) -> None:
    """Checks counts and shapes from the file's table of contents, before reading arrays."""
    keys = store.keys()
    if not isinstance(obj, klayers.Layer) or keys != [str(i) for i in range(len(keys))]:
        return  # an optimizer, or a layer that stores under names of its own
    if type(obj).load_own_variables is not klayers.Layer.load_own_variables:
        return
    own = obj._stored_variables()
    if len(own) != len(keys):
        raise ValueError(
            f"the layer has {len(own)} variables of its own, the file has {len(keys)}."
        )
    for key, variable in zip(keys, own, strict=True):
        if tuple(store.shape(key)) != tuple(variable.shape):
            raise ValueError(
                f"variable {variable.path!r} has shape {tuple(variable.shape)}, the file has "
                f"{tuple(store.shape(key))}."
            )


def _has_variables(obj: Any) -> bool:
    if isinstance(obj, klayers.Layer):
        return bool(obj._stored_variables())
    return False  # an optimizer that the file does not mention starts anew


def _missing(path: str, obj: Any) -> str:
    return f"The file holds no weights at {path!r} for {_describe(obj)}."


def _describe(obj: Any) -> str:
    return f"{type(obj).__name__} {getattr(obj, 'name', '')!r}"


def _report(message: str, obj: Any, skip_mismatch: bool, cause: Exception | None = None) -> None:
    if isinstance(obj, klayers.Layer) and not skip_mismatch:
        error = type(cause) if isinstance(cause, ValueError) else ValueError
        raise error(message) from cause
    # An optimizer of another kind does not keep a model from being used.
    warnings.warn(f"{message} It keeps its present values.", stacklevel=4)
