"""The state behind `kops.config`: where settings are read from, and their checks."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # pathlib would be a tenth of the import time of kops
    from pathlib import Path

__all__ = ["STATE", "checked", "home"]

FLOAT_TYPES = ("bfloat16", "float16", "float32", "float64")
DATA_FORMATS = ("channels_last", "channels_first")


# --- checks: each takes a raw value and says what is accepted ---------------------


def _one_of(accepted: tuple[str, ...]) -> Callable[[Any], str]:
    def check(value: Any) -> str:
        if value not in accepted:
            names = ", ".join(repr(name) for name in accepted)
            raise ValueError(f"must be one of {names}")
        return value

    return check


def _positive_number(value: Any) -> float:
    try:
        number = float("nan") if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        number = float("nan")
    if not 0 < number < float("inf"):
        raise ValueError("must be a positive number")
    return number


def _count_or_none(value: Any) -> int | None:
    if value is None or value == "":
        return None
    try:
        number = int(value)
        exact = not isinstance(value, bool) and number == float(value)
    except (TypeError, ValueError):
        exact, number = False, 0
    if not exact or number < 0:
        raise ValueError("must be a whole number that is not negative, or None")
    return number


_check_floatx = _one_of(FLOAT_TYPES)
_check_data_format = _one_of(DATA_FORMATS)

# name: (environment variable, default, check)
SETTINGS: dict[str, tuple[str, Any, Callable[[Any], Any]]] = {
    "floatx": ("KERAS_FLOATX", "float32", _check_floatx),
    "epsilon": ("KERAS_EPSILON", 1e-7, _positive_number),
    "image_data_format": (
        "KERAS_IMAGE_DATA_FORMAT",
        "channels_last",
        _check_data_format,
    ),
    "max_epochs": ("KERAS_MAX_EPOCHS", None, _count_or_none),
    "max_steps_per_epoch": ("KERAS_MAX_STEPS_PER_EPOCH", None, _count_or_none),
}


def checked(name: str, value: Any, where: str) -> Any:
    try:
        return SETTINGS[name][2](value)
    except ValueError as error:
        raise ValueError(f"{where} {error}. Received: {value!r}") from None


# --- the file ---------------------------------------------------------------------


def home() -> Path:
    """The folder for `keras.json`, data sets and weights.

    The environment variable `KERAS_HOME`, else `~/.keras`. The folder need not
    exist.

    Example:
    ```python
    >>> from kops import config
    >>> config.home().name != ""
    True

    ```
    """
    from pathlib import Path

    return Path(_home())


def _home() -> str:
    return os.path.expanduser(os.environ.get("KERAS_HOME") or os.path.join("~", ".keras"))


def _read_file(path: str) -> dict[str, Any]:
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"The settings file {path} cannot be read: {error}") from None
    try:
        content = json.loads(text)
    except ValueError as error:
        raise ValueError(
            f"The settings file {path} is not valid JSON ({error}). Correct it or "
            'delete it; a valid one is {"backend": "jax", "floatx": "float32"}.'
        ) from None
    if not isinstance(content, dict):
        raise ValueError(
            f"The settings file {path} must hold a JSON object such as "
            '{"backend": "jax"}. '
            f"It holds a {type(content).__name__}."
        )
    return content


class State:
    """The settings of this process."""

    floatx: str
    epsilon: float
    image_data_format: str
    max_epochs: int | None
    max_steps_per_epoch: int | None
    backend: str | None = None
    flash_attention: bool | None = None
    interactive_logging: bool = True
    traceback_filtering: bool = True
    unsafe_deserialization: bool = False

    def __init__(self) -> None:
        self.path = os.path.join(_home(), "keras.json")
        self.file = _read_file(self.path)
        for name in SETTINGS:
            setattr(self, name, self._initial(name))

    def _initial(self, name: str) -> Any:
        variable, default, _ = SETTINGS[name]
        if os.environ.get(variable):
            where = f"The environment variable {variable}"
            return checked(name, os.environ[variable], where)
        if name in self.file:
            return checked(name, self.file[name], f"{name!r} in {self.path}")
        return default


STATE = State()
