"""Running a script or module for which `keras` means this library.

The switch is an import hook of this process alone: installed packages stay as they are.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import os
import runpy
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Any

__all__ = ["install_alias", "main", "run_module", "run_script"]

ALIAS = "keras"
_USAGE = """usage: python -m keras_meta script.py [arguments]
       python -m keras_meta -m module [arguments]

Runs a script (or module) in which `import keras` gives keras_meta."""


class _AliasFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds `keras.a.b` as `keras_meta.a.b`."""

    def find_spec(
        self, fullname: str, path: Any = None, target: Any = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != ALIAS and not fullname.startswith(ALIAS + "."):
            return None
        real = "keras_meta" + fullname[len(ALIAS) :]
        try:
            module = importlib.import_module(real)
        except ModuleNotFoundError as e:
            if e.name is None or not real.startswith(e.name):
                raise  # something that the module needs is missing
            raise ModuleNotFoundError(_explain(fullname), name=fullname) from None
        return importlib.machinery.ModuleSpec(
            fullname, self, is_package=hasattr(module, "__path__")
        )

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        # The import system takes what stands in sys.modules when this returns.
        name = module.__name__
        sys.modules[name] = importlib.import_module("keras_meta" + name[len(ALIAS) :])


def _explain(fullname: str) -> str:
    parent = fullname.rpartition(".")[0]
    while parent and parent not in sys.modules:
        parent = parent.rpartition(".")[0]
    public = sorted(n for n in vars(sys.modules.get(parent, object)) if not n.startswith("_"))
    return (
        f"No module named {fullname!r}: keras_meta offers Keras's public modules only. "
        f"Public in {parent or ALIAS!r}: {', '.join(public[:30])}"
    )


def install_alias() -> None:
    """Makes `import keras` give keras_meta in this process, whatever is installed."""
    if any(isinstance(f, _AliasFinder) for f in sys.meta_path):
        return
    # An engine may have imported its own copy already (TensorFlow does); it keeps that.
    for name in [n for n in sys.modules if n == ALIAS or n.startswith(ALIAS + ".")]:
        del sys.modules[name]
    sys.meta_path.insert(0, _AliasFinder())


def run_script(path: str, arguments: Sequence[str] = ()) -> None:
    """Runs a script as `python path arguments…` would, with `keras` meaning keras_meta.

    Raises:
        FileNotFoundError: if there is no such file.
    """
    if not os.path.isfile(path):
        raise FileNotFoundError(f"There is no script {path!r} to run.")
    install_alias()
    sys.argv = [path, *arguments]
    sys.path[0] = os.path.dirname(os.path.abspath(path))
    runpy.run_path(path, run_name="__main__")


def run_module(name: str, arguments: Sequence[str] = ()) -> None:
    """Runs a module as `python -m name arguments…` would, with `keras` meaning keras_meta."""
    install_alias()
    sys.argv = [name, *arguments]
    runpy.run_module(name, run_name="__main__", alter_sys=True)


def main(arguments: Sequence[str]) -> int:
    """Command line of `python -m keras_meta`."""
    arguments = list(arguments)
    if not arguments or arguments[0] in ("-h", "--help"):
        print(_USAGE)
        return 0 if arguments else 2
    if arguments[0] == "-m":
        if len(arguments) < 2:
            print(f"`-m` needs the name of a module.\n{_USAGE}", file=sys.stderr)
            return 2
        run_module(arguments[1], arguments[2:])
        return 0
    if arguments[0].startswith("-"):
        print(f"unknown option {arguments[0]!r}\n{_USAGE}", file=sys.stderr)
        return 2
    try:
        run_script(arguments[0], arguments[1:])
    except FileNotFoundError as e:
        if os.path.isfile(arguments[0]):
            raise
        print(e, file=sys.stderr)
        return 2
    return 0
