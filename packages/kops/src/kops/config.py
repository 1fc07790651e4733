"""Process-wide settings: which engine, the default float type, limits, switches.

Where a value comes from, the first that is given:

1. a call such as `set_floatx("float16")`;
2. an environment variable: `KERAS_BACKEND`, `KERAS_FLOATX`, `KERAS_EPSILON`,
   `KERAS_IMAGE_DATA_FORMAT`, `KERAS_MAX_EPOCHS`, `KERAS_MAX_STEPS_PER_EPOCH`;
3. `keras.json` in the folder `KERAS_HOME` (by default `~/.keras`);
4. the built-in default.

The file is only read, never written.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from kops._settings import STATE, checked, home
from kops.registry import export

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = [
    "backend",
    "disable_flash_attention",
    "disable_interactive_logging",
    "disable_traceback_filtering",
    "enable_flash_attention",
    "enable_interactive_logging",
    "enable_traceback_filtering",
    "enable_unsafe_deserialization",
    "epsilon",
    "floatx",
    "home",
    "image_data_format",
    "is_flash_attention_enabled",
    "is_installed",
    "is_interactive_logging_enabled",
    "is_nnx_enabled",
    "is_traceback_filtering_enabled",
    "is_unsafe_deserialization_enabled",
    "max_epochs",
    "max_steps_per_epoch",
    "missing_engine_message",
    "plugin_backends",
    "set_backend",
    "set_epsilon",
    "set_floatx",
    "set_image_data_format",
    "set_max_epochs",
    "set_max_steps_per_epoch",
]

ENTRY_POINT_GROUP = "kops.backends"

# Engine name to the module whose presence says that it is installed, in the
# order in which an engine is picked when nobody named one.
ENGINES = {"tensorflow": "tensorflow", "jax": "jax", "torch": "torch", "numpy": "numpy"}


# --- the engine -------------------------------------------------------------------


def plugin_backends() -> Mapping[str, EntryPoint]:
    """Engines that other packages bring, by name (entry point group `kops.backends`).

    Example:
    ```python
    >>> from kops import config
    >>> "numpy" in config.plugin_backends()  # built in, so not a plug-in
    False

    ```
    """
    # Imported here: it costs more than the rest of kops, and few need it.
    from importlib.metadata import entry_points

    found = entry_points(group=ENTRY_POINT_GROUP)
    return {point.name: point for point in found if point.name not in ENGINES}


def is_installed(engine: str) -> bool:
    """Whether the framework of a built-in engine is installed; nothing is imported."""
    try:
        spec = importlib.util.find_spec(ENGINES[engine])
    except (ImportError, ValueError):
        return False
    # A stray folder of that name on the path is a namespace package: no origin.
    return spec is not None and spec.origin is not None


def missing_engine_message(engine: str, where: str | None = None) -> str:
    """What to tell a user whose chosen engine is not installed."""
    chosen = f" ({where} asks for it)" if where else ""
    installed = ", ".join(repr(name) for name in ENGINES if is_installed(name))
    return (
        f"The backend {engine!r} is not installed{chosen}. Install it with "
        f'`pip install "keras-meta[{engine}]"` (or `pip install "kops[{engine}]"`), '
        f"or set KERAS_BACKEND to an installed one: {installed}."
    )


def _checked_backend(name: Any, where: str) -> str:
    if isinstance(name, str) and name in ENGINES:
        if not is_installed(name):
            raise ImportError(missing_engine_message(name, where))
        return name
    plugins = plugin_backends()
    if isinstance(name, str) and name in plugins:
        return name
    accepted = ", ".join(repr(known) for known in [*ENGINES, *plugins])
    raise ValueError(f"Unknown backend {name!r}, given by {where}. Accepted: {accepted}.")


def _choose_backend() -> str:
    if os.environ.get("KERAS_BACKEND"):
        return _checked_backend(
            os.environ["KERAS_BACKEND"], "the environment variable KERAS_BACKEND"
        )
    if "backend" in STATE.file:
        return _checked_backend(STATE.file["backend"], f"the file {STATE.path}")
    return next(name for name in ENGINES if is_installed(name))


@export("keras.backend.backend", "keras.config.backend")
def backend() -> str:
    """The name of the active engine, such as `"jax"`.

    It is chosen once per process: the environment variable `KERAS_BACKEND`,
    then `"backend"` in `keras.json`, then the first installed of tensorflow,
    jax, torch and numpy. Asking does not import the engine.

    Raises:
        ValueError: the chosen name is not an engine.
        ImportError: the chosen engine is not installed.

    Example:
    ```python
    >>> from kops import config
    >>> isinstance(config.backend(), str)
    True

    ```
    """
    if STATE.backend is None:
        STATE.backend = _choose_backend()
    return STATE.backend


@export("keras.config.set_backend")
def set_backend(backend: str) -> None:
    """Chooses the engine from code, before anything else uses one.

    Args:
        backend: `"tensorflow"`, `"jax"`, `"torch"`, `"numpy"` or the name of an
            installed plug-in.

    Raises:
        ValueError: `backend` is not an engine.
        ImportError: the engine is not installed.
        RuntimeError: another engine is active already. The engine of a process
            does not change; start a new one, or use `kops.on(name)` for single
            calls on a second engine.

    Example:
    ```python
    >>> from kops import config
    >>> config.set_backend(config.backend())  # the active one: nothing to do

    ```
    """
    name = _checked_backend(backend, "the argument `backend` of set_backend()")
    if STATE.backend not in (None, name):
        raise RuntimeError(
            f"The backend {STATE.backend!r} is active already and cannot be "
            f"replaced by {name!r} in a running process. Set the environment "
            f"variable KERAS_BACKEND={name} before starting Python, or use "
            f"`kops.on({name!r})` for single calls."
        )
    STATE.backend = name


# --- values -----------------------------------------------------------------------


@export("keras.backend.floatx", "keras.config.floatx")
def floatx() -> str:
    """The default float type, `"float32"` unless changed.

    Example:
    ```python
    >>> from kops import config
    >>> config.floatx()
    'float32'

    ```
    """
    return STATE.floatx


@export("keras.backend.set_floatx", "keras.config.set_floatx")
def set_floatx(value: str) -> None:
    """Sets the default float type.

    Args:
        value: `"bfloat16"`, `"float16"`, `"float32"` or `"float64"`.

    Raises:
        ValueError: `value` is none of these.

    Example:
    ```python
    >>> from kops import config
    >>> config.set_floatx("float64")
    >>> config.floatx()
    'float64'
    >>> config.set_floatx("float32")

    ```
    """
    STATE.floatx = checked("floatx", value, "`floatx`")


@export("keras.backend.epsilon", "keras.config.epsilon")
def epsilon() -> float:
    """The small number that keeps divisions finite, `1e-7` unless changed.

    Example:
    ```python
    >>> from kops import config
    >>> config.epsilon()
    1e-07

    ```
    """
    return STATE.epsilon


@export("keras.backend.set_epsilon", "keras.config.set_epsilon")
def set_epsilon(value: float) -> None:
    """Sets the small number of `epsilon()`.

    Args:
        value: a positive number.

    Raises:
        ValueError: `value` is not a positive number.

    Example:
    ```python
    >>> from kops import config
    >>> config.set_epsilon(1e-5)
    >>> config.epsilon()
    1e-05
    >>> config.set_epsilon(1e-7)

    ```
    """
    STATE.epsilon = checked("epsilon", value, "`epsilon`")


@export("keras.backend.image_data_format", "keras.config.image_data_format")
def image_data_format() -> str:
    """Where images hold their channels: `"channels_last"` or `"channels_first"`.

    Example:
    ```python
    >>> from kops import config
    >>> config.image_data_format()
    'channels_last'

    ```
    """
    return STATE.image_data_format


@export("keras.backend.set_image_data_format", "keras.config.set_image_data_format")
def set_image_data_format(data_format: str) -> None:
    """Sets the default of every `data_format` argument.

    Args:
        data_format: `"channels_last"` or `"channels_first"`.

    Raises:
        ValueError: `data_format` is neither.

    Example:
    ```python
    >>> from kops import config
    >>> config.set_image_data_format("channels_first")
    >>> config.set_image_data_format("channels_last")

    ```
    """
    STATE.image_data_format = checked("image_data_format", data_format, "`data_format`")


@export("keras.config.max_epochs")
def max_epochs() -> int | None:
    """The most epochs that any `fit` runs, or None for no limit.

    Useful to run a long script briefly, as a test does.

    Example:
    ```python
    >>> from kops import config
    >>> config.set_max_epochs(2)
    >>> config.max_epochs()
    2
    >>> config.set_max_epochs(None)

    ```
    """
    return STATE.max_epochs


@export("keras.config.set_max_epochs")
def set_max_epochs(max_epochs: int | None) -> None:
    """Limits the epochs of every `fit`; None lifts the limit.

    Raises:
        ValueError: `max_epochs` is negative or no whole number.

    Example:
    ```python
    >>> from kops import config
    >>> config.set_max_epochs(None)

    ```
    """
    STATE.max_epochs = checked("max_epochs", max_epochs, "`max_epochs`")


@export("keras.config.max_steps_per_epoch")
def max_steps_per_epoch() -> int | None:
    """The most steps of an epoch in `fit`, `evaluate` and `predict`, or None.

    Example:
    ```python
    >>> from kops import config
    >>> config.set_max_steps_per_epoch(10)
    >>> config.max_steps_per_epoch()
    10
    >>> config.set_max_steps_per_epoch(None)

    ```
    """
    return STATE.max_steps_per_epoch


@export("keras.config.set_max_steps_per_epoch")
def set_max_steps_per_epoch(max_steps_per_epoch: int | None) -> None:
    """Limits the steps of every epoch; None lifts the limit.

    Raises:
        ValueError: `max_steps_per_epoch` is negative or no whole number.

    Example:
    ```python
    >>> from kops import config
    >>> config.set_max_steps_per_epoch(None)

    ```
    """
    STATE.max_steps_per_epoch = checked(
        "max_steps_per_epoch", max_steps_per_epoch, "`max_steps_per_epoch`"
    )


# --- switches ---------------------------------------------------------------------


@export("keras.config.enable_flash_attention")
def enable_flash_attention() -> None:
    """Lets attention use the engine's fused kernel where it has one.

    Example:
    ```python
    >>> from kops import config
    >>> config.enable_flash_attention()
    >>> config.is_flash_attention_enabled()
    True

    ```
    """
    STATE.flash_attention = True


@export("keras.config.disable_flash_attention")
def disable_flash_attention() -> None:
    """Keeps attention to the plain computation, which is easier to debug.

    Example:
    ```python
    >>> from kops import config
    >>> config.disable_flash_attention()
    >>> config.is_flash_attention_enabled()
    False
    >>> config.enable_flash_attention()

    ```
    """
    STATE.flash_attention = False


@export("keras.config.is_flash_attention_enabled")
def is_flash_attention_enabled() -> bool | None:
    """True or False when the user decided, None when the engine decides.

    Example:
    ```python
    >>> from kops import config
    >>> config.is_flash_attention_enabled() in (True, False, None)
    True

    ```
    """
    return STATE.flash_attention


@export("keras.config.is_nnx_enabled")
def is_nnx_enabled() -> bool:
    """Whether variables are Flax NNX variables: always False here.

    Example:
    ```python
    >>> from kops import config
    >>> config.is_nnx_enabled()
    False

    ```
    """
    return False


@export(
    "keras.config.enable_interactive_logging",
    "keras.utils.enable_interactive_logging",
)
def enable_interactive_logging() -> None:
    """Progress and summaries go to standard output. This is the default.

    Example:
    ```python
    >>> from kops import config
    >>> config.enable_interactive_logging()
    >>> config.is_interactive_logging_enabled()
    True

    ```
    """
    STATE.interactive_logging = True


@export(
    "keras.config.disable_interactive_logging",
    "keras.utils.disable_interactive_logging",
)
def disable_interactive_logging() -> None:
    """Progress and summaries go to `logging` instead of standard output.

    Example:
    ```python
    >>> from kops import config
    >>> config.disable_interactive_logging()
    >>> config.is_interactive_logging_enabled()
    False
    >>> config.enable_interactive_logging()

    ```
    """
    STATE.interactive_logging = False


@export(
    "keras.config.is_interactive_logging_enabled",
    "keras.utils.is_interactive_logging_enabled",
)
def is_interactive_logging_enabled() -> bool:
    """Whether progress and summaries go to standard output.

    Example:
    ```python
    >>> from kops import config
    >>> config.is_interactive_logging_enabled()
    True

    ```
    """
    return STATE.interactive_logging


@export("keras.config.enable_traceback_filtering")
def enable_traceback_filtering() -> None:
    """Error tracebacks leave out the library's own frames. This is the default.

    Example:
    ```python
    >>> from kops import config
    >>> config.enable_traceback_filtering()
    >>> config.is_traceback_filtering_enabled()
    True

    ```
    """
    STATE.traceback_filtering = True


@export("keras.config.disable_traceback_filtering")
def disable_traceback_filtering() -> None:
    """Error tracebacks show every frame, the library's own too.

    Example:
    ```python
    >>> from kops import config
    >>> config.disable_traceback_filtering()
    >>> config.is_traceback_filtering_enabled()
    False
    >>> config.enable_traceback_filtering()

    ```
    """
    STATE.traceback_filtering = False


@export("keras.config.is_traceback_filtering_enabled")
def is_traceback_filtering_enabled() -> bool:
    """Whether error tracebacks leave out the library's own frames.

    Example:
    ```python
    >>> from kops import config
    >>> config.is_traceback_filtering_enabled()
    True

    ```
    """
    return STATE.traceback_filtering


@export("keras.config.enable_unsafe_deserialization")
def enable_unsafe_deserialization() -> None:
    """Lets loading rebuild code (lambdas) from files, for the whole process.

    A file from somebody else can then run anything. Prefer `safe_mode=False`
    for the one file you trust.

    Example:
    ```python
    >>> from kops import config
    >>> callable(config.enable_unsafe_deserialization)
    True

    ```
    """
    STATE.unsafe_deserialization = True


def is_unsafe_deserialization_enabled() -> bool:
    """Whether `enable_unsafe_deserialization` was called."""
    return STATE.unsafe_deserialization
