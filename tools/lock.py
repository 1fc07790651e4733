"""Keeps uv.lock free of index addresses, and constraints.txt in step with it.

    python tools/lock.py            lock, neutralize, export constraints.txt
    python tools/lock.py --upgrade  the same with the newest allowed versions
    python tools/lock.py --check    fail on a real host, a stale pin, a stale constraints.txt

The lock pins versions for everyone, whichever index they install from. So each index address
in it is replaced by a reserved name; uv keeps the pinned versions and takes the addresses from
the user's own index. `constraints.txt` holds the same pins for users of pip.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parent.parent
INDEX = "https://index.invalid/simple"
FILES = "https://files.invalid"
HEADER = "# Pins of uv.lock for pip users: pip install -c constraints.txt ... (tools/lock.py)\n"

_REGISTRY = re.compile(r'(registry = )"([^"]*)"')
_FILE = re.compile(r'((?:url|path) = )"((?:[a-z]+:)?/[^"]*|[^"/]+\.whl|[^"/]+\.tar\.gz)"')
_HASH_DIR = re.compile(r"/([0-9a-f]{2}/[0-9a-f]{2}/[0-9a-f]{20,}/[^/]+)$")
_ADDRESS = re.compile(r"(?:[a-z][a-z0-9+.-]*://|file:)[^\s\"']+")


def neutralize(lock: str) -> str:
    """Replaces each index and file address in the text of a uv.lock by a reserved one."""
    lock = _REGISTRY.sub(rf'\1"{INDEX}"', lock)
    return _FILE.sub(lambda m: f'{m[1]}"{_neutral_file(m[2])}"', lock)


def real_addresses(text: str) -> list[str]:
    """Returns the addresses in `text` whose host is not a reserved name."""
    found = (m[0] for m in _ADDRESS.finditer(text))
    return sorted({a for a in found if not (urlsplit(a).hostname or "").endswith(".invalid")})


def pins(lock: str) -> dict[str, list[str]]:
    """Returns what a uv.lock decides: each package's versions with their dependencies.

    Indexes, files, sizes and dates are left out: they differ between indexes that offer the same
    releases.
    """
    result: dict[str, list[str]] = {}
    for package in tomllib.loads(lock).get("package", []):
        needs = sorted(_requirement(d) for d in package.get("dependencies", []))
        for group in ("optional-dependencies", "dev-dependencies"):
            for extra, listed in sorted(package.get(group, {}).items()):
                needs += sorted(f"[{extra}] {_requirement(d)}" for d in listed)
        entry = " ".join([package.get("version", "workspace"), *needs])
        result.setdefault(package["name"], []).append(entry)
    return {name: sorted(entries) for name, entries in result.items()}


def changed_pins(committed: str, fresh: str) -> list[str]:
    """Returns the names of the packages on which two lock files disagree."""
    old, new = pins(committed), pins(fresh)
    return sorted(n for n in old.keys() | new.keys() if old.get(n) != new.get(n))


def constraints(export: str) -> str:
    """Turns `uv export` output into a constraints file: pins and markers, nothing else."""
    lines = (line.strip() for line in export.splitlines())
    kept = [line for line in lines if re.match(r"[A-Za-z0-9][\w.-]*==", line)]
    return HEADER + "".join(f"{line}\n" for line in sorted(kept))


def _neutral_file(address: str) -> str:
    """Keeps the content-addressed tail of a file's address, else its name alone."""
    tail = _HASH_DIR.search(address)
    return f"{FILES}/{tail[1] if tail else address.rsplit('/', 1)[-1]}"


def _requirement(dependency: dict[str, Any]) -> str:
    extras = ",".join(dependency.get("extra", []))
    version, marker = dependency.get("version", ""), dependency.get("marker", "")
    return f"{dependency['name']}[{extras}]=={version};{marker}"


def _uv(*args: str, cwd: Path) -> str:
    beside = Path(sys.executable).with_name("uv.exe" if os.name == "nt" else "uv")
    uv = str(beside) if beside.exists() else shutil.which("uv")
    if uv is None:
        raise SystemExit("tools/lock.py needs uv, which was not found: pip install uv")
    done = subprocess.run([uv, *args], cwd=cwd, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"`uv {' '.join(args)}` failed:\n{done.stderr.strip()}")
    return done.stdout


def _export(cwd: Path) -> str:
    flags = "--all-packages --all-extras --all-groups --no-hashes --no-annotate --no-header"
    text = _uv("export", "--frozen", "--no-emit-workspace", *flags.split(), cwd=cwd)
    return constraints(text)


def _copy_workspace(target: Path) -> None:
    """Copies what uv reads when it locks: the pyproject files and the lock."""
    packages = ROOT.glob("packages/*/pyproject.toml")
    for source in [ROOT / "uv.lock", ROOT / "pyproject.toml", *packages]:
        place = target / source.relative_to(ROOT)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, place)


def update(*, upgrade: bool = False) -> None:
    """Writes uv.lock and constraints.txt."""
    _uv("lock", *(["--upgrade"] if upgrade else []), cwd=ROOT)
    path = ROOT / "uv.lock"
    path.write_text(neutralize(path.read_text()))
    (ROOT / "constraints.txt").write_text(_export(ROOT))


def check() -> list[str]:
    """Returns what is wrong with the committed files, which it leaves as they are."""
    committed = (ROOT / "uv.lock").read_text()
    listed = (ROOT / "constraints.txt").read_text()
    problems = [
        f"{name} names a real address: {address}"
        for name, text in [("uv.lock", committed), ("constraints.txt", listed)]
        for address in real_addresses(text)
    ]
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        _copy_workspace(copy)
        if listed != _export(copy):
            problems.append("constraints.txt differs from uv.lock")
        _uv("lock", cwd=copy)
        stale = changed_pins(committed, (copy / "uv.lock").read_text())
    problems += [f"uv.lock has a stale entry: {name}" for name in stale]
    return problems


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument(
        "--check", action="store_true", help="change nothing; exit 1 if out of step"
    )
    parser.add_argument("--upgrade", action="store_true", help="take the newest allowed versions")
    options = parser.parse_args(argv)
    if not options.check:
        update(upgrade=options.upgrade)
        return 0
    problems = check()
    for problem in problems:
        print(problem)
    print("Run `python tools/lock.py`." if problems else "uv.lock and constraints.txt are in step.")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
