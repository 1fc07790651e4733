"""Writes reference pages from the packages themselves while the site is built."""

from __future__ import annotations

import importlib
import inspect
import os
import pkgutil
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parent.parent
ENGINES = ("numpy", "jax", "torch", "tensorflow")
# What each package's page lists, and the modules left out: engines, tests, internals.
PACKAGES = {
    "kops": "kops",
    "klayers": "klayers",
    "ktrain": "ktrain",
    "ksaving": "ksaving",
    "kexport": "kexport",
    "kquant": "kquant",
    "kdistribute": "kdistribute",
    "keras-meta": "keras_meta",
}
LEFT_OUT = {"backends", "engines", "__main__"}


def on_files(files: Files, config: Any) -> Files:
    os.environ.setdefault("KERAS_BACKEND", "numpy")
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    files.append(File.generated(config, "reference/ops.md", content=ops_page()))
    for package, module in PACKAGES.items():
        content = package_page(package, module)
        files.append(File.generated(config, f"reference/{package}.md", content=content))
    return files


def package_page(package: str, module: str) -> str:
    """A page with the package's README and each of its modules that has public names."""
    readme = (ROOT / "packages" / package / "README.md").read_text()
    parts = [readme.replace("\n## ", "\n### ").strip(), "## Modules"]
    for name in modules(module):
        parts.append(f"### `{name}`\n\n::: {name}\n{_OPTIONS}")
    return "\n\n".join(parts) + "\n"


_OPTIONS = """\
    options:
      heading_level: 4
      show_root_heading: false
      show_root_toc_entry: false
"""


def modules(root: str) -> list[str]:
    """Module names with an `__all__` of their own definitions, found without importing them."""
    found = []
    base = ROOT / "packages" / root.replace("_", "-") / "src"
    for path in sorted((base / root).rglob("*.py")):
        parts = path.relative_to(base).with_suffix("").parts
        parts = parts[:-1] if parts[-1] == "__init__" else parts
        private = any(p.startswith("_") for p in parts[1:])
        if not private and not LEFT_OUT & set(parts) and _defines(path.read_text()):
            found.append(".".join(parts))
    return found


def _defines(source: str) -> bool:
    return "__all__" in source and ("\ndef " in source or "\nclass " in source)


def ops_page() -> str:
    """A table of every op: primitive or composite, and what each engine runs."""
    ops, tables = load_ops(), load_tables()
    primitives = len({op.name for op in ops.values() if op.body is None})
    composites = len({op.name for op in ops.values()}) - primitives
    summary = f"{len(ops)} names: {primitives} primitives and {composites} composites."
    lines = [
        "# Ops by engine",
        "",
        summary,
        "*native*: the engine's table has it. *body*: it runs as the ops that define it.",
        "",
        "| op | kind | " + " | ".join(tables) + " |",
        "|---" * (2 + len(tables)) + "|",
    ]
    for name, op in sorted(ops.items()):
        cells = [_cell(op, table) for table in tables.values()]
        kind = "primitive" if op.body is None else "composite"
        lines.append(f"| `{name}{_signature(op)}` | {kind} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def _cell(op: Any, table: Any) -> str:
    if op.name in table:
        return "native"
    return "–" if op.body is None else "body"


def _signature(op: Any) -> str:
    names = []
    for p in inspect.signature(op.declaration).parameters.values():
        default = "" if p.default is p.empty else f"={p.default!r}"
        star = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        names.append(f"{star}{p.name}{default}")
    return f"({', '.join(names)})".replace("|", "\\|")


def load_ops() -> dict[str, Any]:
    package = importlib.import_module("kops.ops")
    for found in pkgutil.iter_modules(package.__path__, "kops.ops."):
        importlib.import_module(found.name)
    declared = importlib.import_module("kops.op").OPS
    return {name: op for name, op in declared.items() if not name.startswith("_")}


def load_tables() -> dict[str, Any]:
    """The table of each engine that is installed here."""
    engine = importlib.import_module("kops.backend").engine
    tables = {}
    for name in ENGINES:
        try:
            tables[name] = engine(name).TABLE
        except ImportError:
            continue
    return tables
