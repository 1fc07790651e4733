"""Compares keras_meta with the public API of Keras, and holds the ground that was won.

    python tools/api_check.py            the table; exit 1 if a name that was right no longer is
    python tools/api_check.py --update   write the names that are right now to tools/api_floor.json

The comparison itself (`check_api.py` and its manifest) lies outside the repository, at
`../shared/api` or `$KMETA_API`; without it there is nothing to compare and the check passes.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FLOOR = Path(__file__).with_name("api_floor.json")


def suite() -> Path:
    """Returns the folder of the comparison."""
    return Path(os.environ.get("KMETA_API", ROOT.parent / "shared" / "api"))


def compare(folder: Path) -> tuple[dict[str, Any], str]:
    """Runs the comparison in a process of its own; returns its result and its table."""
    with tempfile.TemporaryDirectory() as scratch:
        result = Path(scratch) / "result.json"
        command = [sys.executable, str(folder / "check_api.py"), "keras_meta"]
        env = {"KERAS_BACKEND": "numpy", **os.environ}
        done = subprocess.run(
            [*command, "--json", str(result)], env=env, cwd=scratch, capture_output=True, text=True
        )
        if not result.exists():
            raise SystemExit(f"The comparison failed:\n{done.stdout}{done.stderr}")
        return json.loads(result.read_text()), done.stdout.strip()


def right_names(manifest: dict[str, Any], result: dict[str, Any]) -> list[str]:
    """Lists the public paths that exist with the signature, members and bases of Keras."""
    wrong = {*result["missing"], *result["differ"]}
    paths = {path for record in manifest["symbols"].values() for path in record["paths"]}
    return sorted(paths - wrong)


def lost(floor: list[str], result: dict[str, Any]) -> list[str]:
    """Lists what was right at the last update and no longer is, with the difference."""
    missing = set(result["missing"])
    differ = result["differ"]
    return [
        f"{path}: {'missing' if path in missing else '; '.join(differ[path])}"
        for path in floor
        if path in missing or path in differ
    ]


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Compares keras_meta with the Keras API.")
    parser.add_argument(
        "--update", action="store_true", help="raise the floor to what is right now"
    )
    options = parser.parse_args(argv)
    folder = suite()
    if not (folder / "check_api.py").exists():
        print(f"No API comparison at {folder}: skipped.")
        return 0
    result, table = compare(folder)
    print(table)
    manifest = json.loads(next(folder.glob("keras-*.json")).read_text())
    right = right_names(manifest, result)
    floor = json.loads(FLOOR.read_text()) if FLOOR.exists() else []
    fallen = lost(floor, result)
    print(f"{len(right)} names are right; the floor holds {len(floor)}.")
    for line in fallen:
        print(f"lost: {line}")
    if options.update and not fallen:
        FLOOR.write_text(json.dumps(right, indent=0) + "\n")
    return 1 if fallen else 0


if __name__ == "__main__":
    sys.exit(main())
