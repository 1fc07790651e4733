"""Writes keras_meta's modules from the public paths that the packages declare.

    python tools/namespace.py            write packages/keras-meta/src/keras_meta/**
    python tools/namespace.py --check    fail when a file is out of step

`@export("keras.layers.Dense")` puts a name into `kops.registry.PUBLIC`; here each module of the
API becomes a plain file of imports, so that editors, type checkers and readers see every name.
A hand-written module (`keras_meta/models.py`) is left alone and only checked for its names.
"""

from __future__ import annotations

import argparse
import importlib
import os
import pkgutil
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "packages" / "keras-meta" / "src" / "keras_meta"
SOURCES = ("kops", "klayers", "ktrain", "ksaving", "kexport", "kquant", "kdistribute")
# keras_meta.models makes these itself; it cannot be imported before its package is written.
ASSEMBLED = ("keras.Model", "keras.Sequential", "keras.models.Model", "keras.models.Sequential")
MARK = "Written by tools/namespace.py"
WIDTH = 100
_PIECE = re.compile(r"(\D+)(\d*)")


def load_packages() -> Mapping[str, Any]:
    """Imports every module outside the engine folders; returns the public table."""
    for name in SOURCES:
        package = importlib.import_module(name)
        for found in pkgutil.walk_packages(package.__path__, f"{name}."):
            if not {"backends", "engines", "testing", "__main__"} & set(found.name.split(".")):
                importlib.import_module(found.name)
    return importlib.import_module("kops.registry").PUBLIC


def home(obj: Any, name: str) -> tuple[str, str]:
    """Returns (module, attribute) from which `obj` can be imported.

    Prefers where it was defined, then the innermost module of ours that holds it.
    """
    ours = sorted(_our_modules(), key=lambda m: (-m.count("."), m))
    defined = getattr(obj, "__module__", None)
    names = [getattr(obj, "__name__", name), name]
    for module in [defined, *ours] if defined in ours else ours:
        held = vars(sys.modules[module])
        for attribute in names:
            if held.get(attribute) is obj:
                return module, attribute
    for module in ours:
        for attribute, value in vars(sys.modules[module]).items():
            if value is obj:
                return module, attribute
    raise LookupError(f"no module of ours holds {name} ({obj!r})")


def _our_modules() -> list[str]:
    return [m for m in sys.modules if m.split(".")[0] in SOURCES]


def tree(public: Mapping[str, Any]) -> dict[str, dict[str, tuple[str, str]]]:
    """Groups the public names by module: `{"keras.layers": {"Dense": (module, attribute)}}`."""
    modules: dict[str, dict[str, tuple[str, str]]] = {"keras": {}}
    for path in sorted({*public, *ASSEMBLED}):
        module, _, name = path.rpartition(".")
        assembled = path in ASSEMBLED
        found = ("keras_meta.models", name) if assembled else home(public[path], name)
        modules.setdefault(module, {})[name] = found
    for module in list(modules):
        while "." in module:  # a parent holds its children, even when it has no names
            parent, _, name = module.rpartition(".")
            modules.setdefault(parent, {})[name] = (parent.replace("keras", "keras_meta", 1), name)
            module = parent
    return modules


def render(module: str, names: Mapping[str, tuple[str, str]]) -> str:
    """Returns the source of one module."""
    imports = sorted(names.items(), key=lambda i: (i[1][0], _rank(i[1][1]), _rank(i[0])))
    lines = [f'"""{_summary(module)} {MARK}."""', ""]
    lines += [_import_line(source, attribute, name) for name, (source, attribute) in imports]
    exported = "".join(f'    "{name}",\n' for name in sorted(names, key=_rank))
    version = f'__version__ = "{_version()}"\n\n' if module == "keras" else ""
    return "\n".join(lines) + f"\n\n{version}__all__ = [\n{exported}]\n"


def _summary(module: str) -> str:
    if module == "keras":
        return "The Keras 3 API: `import keras_meta as keras`."
    return f"The names of `{module}`."


def _version() -> str:
    table = tomllib.loads((ROOT / "packages" / "keras-meta" / "pyproject.toml").read_text())
    return table["project"]["version"]


def _rank(name: str) -> tuple[int, list[tuple[str, int]]]:
    """The order that ruff asks for: constants, classes, the rest; `log2` before `log10`."""
    constant = name.isupper() and len(name) > 1
    kind = 0 if constant else 1 if name[:1].isupper() else 2
    return kind, [(text, int(number or 0)) for text, number in _PIECE.findall(name)]


def _import_line(source: str, attribute: str, name: str) -> str:
    line = f"from {source} import {attribute} as {name}"
    if len(line) > WIDTH:
        line = f"from {source} import (\n    {attribute} as {name},\n)"
    return line


def files(modules: Mapping[str, dict[str, tuple[str, str]]]) -> Iterator[tuple[Path, str]]:
    """Yields each file to write with its text; hand-written modules are left out."""
    for module, names in sorted(modules.items()):
        path = TARGET.joinpath(*module.split(".")[1:], "__init__.py")
        if not hand_written(path).exists():
            yield path, render(module, names)


def hand_written(path: Path) -> Path:
    """Returns where a hand-written module would lie in place of a generated package."""
    return path.parent.with_suffix(".py")


def missing_by_hand(modules: Mapping[str, dict[str, tuple[str, str]]]) -> list[str]:
    """Lists public names that a hand-written module does not offer."""
    missing = []
    for module, names in modules.items():
        path = TARGET.joinpath(*module.split(".")[1:], "__init__.py")
        if not hand_written(path).exists():
            continue
        ours: ModuleType = importlib.import_module(module.replace("keras", "keras_meta", 1))
        missing += [f"{module}.{name}" for name in names if not hasattr(ours, name)]
    return missing


def stale(expected: set[Path]) -> list[Path]:
    """Lists generated files that nothing declares any more."""
    return [p for p in TARGET.rglob("*.py") if p not in expected and MARK in p.read_text()[:300]]


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Writes keras_meta's modules.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if out of step")
    options = parser.parse_args(argv)
    os.environ["KERAS_BACKEND"] = "numpy"
    modules = tree(load_packages())
    wanted = dict(files(modules))
    old = stale(set(wanted))
    changed = [p for p, text in wanted.items() if not p.exists() or p.read_text() != text]
    if not options.check:
        for path in old:
            path.unlink()
        for path in changed:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(wanted[path])
    problems = [f"out of step: {p.relative_to(ROOT)}" for p in [*changed, *old] if options.check]
    problems += [f"not in keras_meta: {name}" for name in missing_by_hand(modules)]
    names = sum(map(len, modules.values()))
    print(f"{names} names in {len(modules)} modules; {len(changed) + len(old)} files changed")
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
