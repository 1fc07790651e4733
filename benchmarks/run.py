"""Runs a benchmark suite with keras_meta and the official Keras as arms of one run.

    python benchmarks/run.py                       the whole suite
    python benchmarks/run.py --only b2,b5          some of its files
    python benchmarks/run.py --suite PATH -- ...   another suite; the rest goes to its run_all.py

The suite is copied to `build/bench`, so that its results never land in the original.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "build" / "bench"
ARMS = "keras_meta,keras"


def find_suite(given: str | None) -> Path:
    """Returns the suite's folder: the argument, `$KMETA_BENCH`, or `../shared/bench`."""
    folder = Path(given or os.environ.get("KMETA_BENCH") or ROOT.parent / "shared" / "bench")
    if not (folder / "run_all.py").exists():
        raise SystemExit(
            f"There is no benchmark suite at {folder} (no run_all.py). "
            "Give its folder with --suite PATH or in KMETA_BENCH."
        )
    return folder


def copy_suite(suite: Path) -> None:
    """Copies the suite's program files; results of earlier runs stay."""
    WORK.mkdir(parents=True, exist_ok=True)
    for source in [*suite.glob("*.py"), *suite.glob("*.md")]:
        target = WORK / source.name
        target.unlink(missing_ok=True)  # the original may be read-only, and so its last copy
        shutil.copyfile(source, target)


def main(argv: list[str]) -> int:
    at = argv.index("--") if "--" in argv else len(argv)
    parser = argparse.ArgumentParser(description="Times keras_meta beside the official Keras.")
    parser.add_argument("--suite", help="folder of the suite")
    parser.add_argument("--only", help="comma-separated files, such as b2,b5")
    parser.add_argument("--backends", help="comma-separated engines")
    parser.add_argument("--arms", default=ARMS, help=f"modules to compare (default {ARMS})")
    options = parser.parse_args(argv[:at])
    copy_suite(find_suite(options.suite))
    label = options.arms.replace(",", "+")
    arguments = ["--label", label, *argv[at + 1 :]]
    for name in ("only", "backends"):
        if getattr(options, name):
            arguments += [f"--{name}", getattr(options, name)]
    env = {**os.environ, "KAPI": options.arms}
    command = [sys.executable, "run_all.py", *arguments]
    status = subprocess.run(command, cwd=WORK, env=env).returncode
    print(f"results: {WORK / 'results' / f'{label}.jsonl'}")
    if (WORK / "report.py").exists():
        subprocess.run([sys.executable, "report.py", label], cwd=WORK, env=env)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
