"""Makes `.venv` beside this folder hold what a job needs; uses the standard library and pip.

Everything is pinned by constraints.txt, and pip's own configuration says where it comes from.
A stamp in `.venv` makes the next call quick when nothing that matters has changed.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
import venv
from collections.abc import Iterable
from pathlib import Path
from typing import Any

if sys.version_info < (3, 11):  # noqa: UP036 - run by whatever Python is there
    raise SystemExit(f"keras-meta needs Python 3.11 or newer; this is {sys.version.split()[0]}.")

import tomllib

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
CONSTRAINTS = ROOT / "constraints.txt"
# In dependency order, so that a listing reads from the bottom up.
PACKAGES = (
    "kops",
    "klayers",
    "ktrain",
    "ksaving",
    "kexport",
    "kquant",
    "kdistribute",
    "keras-meta",
)
# The CPU build of TensorFlow is a third of the size of the full one; macOS has only the full one.
ENGINE_EXTRAS = {
    "numpy": None,
    "jax": "jax",
    "torch": "torch",
    "tensorflow": "tensorflow" if sys.platform == "darwin" else "tensorflow-cpu",
}
_KINDS = ("extra", "group")


def venv_python(folder: Path = VENV) -> Path:
    """Returns the path of the interpreter of a virtual environment."""
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def group_requirements(groups: Iterable[str], table: dict[str, list[Any]]) -> list[str]:
    """Lists the third-party requirements of dependency groups, included groups first resolved."""
    found: dict[str, None] = {}
    for group in groups:
        for entry in table[group]:
            inner = (
                group_requirements([entry["include-group"]], table)
                if isinstance(entry, dict)
                else [entry]
            )
            found.update(dict.fromkeys(inner))
    return [r for r in found if re.split(r"[^\w-]", r)[0] not in PACKAGES]


def expand_groups(groups: Iterable[str], table: dict[str, list[Any]]) -> set[str]:
    """Returns the groups with all that they include."""
    found = set(groups)
    for group in list(found):
        inner = [e["include-group"] for e in table[group] if isinstance(e, dict)]
        found |= expand_groups(inner, table)
    return found


def install(*, extras: Iterable[str] = (), groups: Iterable[str] = ()) -> Path:
    """Installs the workspace's packages, editable, into `.venv`.

    Args:
        extras: extras of keras-meta, such as `"jax"`.
        groups: dependency groups of the root pyproject.toml, such as `"test"`.

    Returns:
        The environment's Python interpreter.
    """
    table = tomllib.loads((ROOT / "pyproject.toml").read_text())["dependency-groups"]
    groups = expand_groups(groups, table)
    wanted = {*(f"extra {e}" for e in extras), *(f"group {g}" for g in groups)}
    python = venv_python()
    if not _works(python):
        print(f"Creating {VENV}", flush=True)
        venv.create(VENV, clear=True, with_pip=not _has_pip(sys.executable))
    stamp, digest = VENV / "keras-meta.json", _digest()
    present = _read_stamp(stamp, digest)
    if wanted <= present:
        return python
    stamp.unlink(missing_ok=True)
    wanted |= present  # an extra that is there already stays pinned with the others
    print("Installing " + ", ".join(sorted(wanted)), flush=True)
    chosen = {kind: {w.split()[1] for w in wanted if w.startswith(kind)} for kind in _KINDS}
    requirements = {g: group_requirements([g], table) for g in {*chosen["group"], "build"}}
    _pip_install(python, chosen["extra"], requirements)
    stamp.write_text(json.dumps({"digest": digest, "installed": sorted(wanted)}))
    return python


def _pip_install(python: Path, extras: set[str], groups: dict[str, list[str]]) -> None:
    pip = [str(python), "-m", "pip"]
    if _has_pip(sys.executable):
        pip = [sys.executable, "-m", "pip", "--python", str(python)]
    pip += ["install", "--quiet", "--disable-pip-version-check", "-c", str(CONSTRAINTS)]
    # First what builds the packages, so that pip need not fetch it for each of them.
    subprocess.run([*pip, *groups["build"]], check=True)
    editable = []
    for name in PACKAGES:
        suffix = f"[{','.join(sorted(extras))}]" if name == "keras-meta" and extras else ""
        editable += ["-e", str(ROOT / "packages" / name) + suffix]
    third_party = sorted({r for listed in groups.values() for r in listed})
    subprocess.run([*pip, "--no-build-isolation", *editable, *third_party], check=True)


def _digest() -> str:
    """Identifies what an installation depends on."""
    files = [ROOT / "pyproject.toml", CONSTRAINTS]
    files += sorted(ROOT.glob("packages/*/pyproject.toml"))
    content = b"\0".join(f.read_bytes() for f in files)
    return hashlib.sha256(content + sys.version.encode() + str(ROOT).encode()).hexdigest()


def _read_stamp(stamp: Path, digest: str) -> set[str]:
    try:
        data = json.loads(stamp.read_text())
        return set(data["installed"]) if data["digest"] == digest else set()
    except (OSError, ValueError, KeyError):
        return set()


def _works(python: Path) -> bool:
    if not python.exists():
        return False
    return subprocess.run([str(python), "-c", ""], capture_output=True).returncode == 0


def _has_pip(python: str) -> bool:
    probe = [python, "-m", "pip", "--version"]
    return subprocess.run(probe, capture_output=True).returncode == 0


if __name__ == "__main__":  # all that development needs
    install(extras=[e for e in (*ENGINE_EXTRAS.values(), "onnx") if e], groups=["dev"])
