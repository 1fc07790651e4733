"""Writes reference pages from the packages themselves while the site is built."""

from __future__ import annotations

import ast
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
LEFT_OUT = {"backends", "engines", "testing", "__main__"}


def on_files(files: Files, config: Any) -> Files:
    os.environ.setdefault("KERAS_BACKEND", "numpy")
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    files.append(File.generated(config, "reference/ops.md", content=ops_page()))
    for package, module in PACKAGES.items():
        pages = grouped(modules(module))
        index = package_page(package, pages)
        files.append(File.generated(config, f"reference/{package}.md", content=index))
        for name, held in pages.items():
            path = f"reference/{package}/{name}.md"
            files.append(File.generated(config, path, content=module_page(name, held)))
    return files


def grouped(names: list[str]) -> dict[str, list[str]]:
    """Puts modules below the third level on the page of their folder."""
    pages: dict[str, list[str]] = {}
    for name in names:
        pages.setdefault(".".join(name.split(".")[:3]), []).append(name)
    return pages


def package_page(package: str, pages: dict[str, list[str]]) -> str:
    """The package's README, and a link to the page of each of its modules."""
    readme = (ROOT / "packages" / package / "README.md").read_text().strip()
    rows = [
        f"| [`{name}`]({package}/{name}.md) | {summary(held[0])} |" for name, held in pages.items()
    ]
    return "\n".join([readme, "", "## Modules", "", "| module | |", "|---|---|", *rows]) + "\n"


def module_page(name: str, held: list[str]) -> str:
    """What a module defines; for a folder, what each of its modules does."""
    parts = [f"# {name}"]
    for module in held:
        heading = f"## {module.removeprefix(name + '.')}\n\n" if len(held) > 1 else ""
        parts.append(f"{heading}::: {module}\n{_OPTIONS}")
    return "\n\n".join(parts) + "\n"


def summary(module: str) -> str:
    """First line of a module's docstring."""
    docstring = ast.get_docstring(ast.parse(source_of(module).read_text())) or ""
    return docstring.split("\n", 1)[0].replace("|", "\\|")


def source_of(module: str) -> Path:
    parts = module.split(".")
    base = ROOT / "packages" / parts[0].replace("_", "-") / "src" / Path(*parts)
    return base / "__init__.py" if base.is_dir() else base.with_suffix(".py")


_OPTIONS = """\
    options:
      heading_level: 3
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
