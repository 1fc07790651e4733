"""One command: installs everything into `.venv` and runs all tests, once per engine.

    python tools/run_tests.py                                   everything
    python tools/run_tests.py --engine jax --package klayers    a part
    python tools/run_tests.py --engine numpy -- -k dense -x     arguments after -- go to pytest

An engine is chosen for the life of a process, so each engine's tests have a process of their own.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import bootstrap

ENGINES = tuple(bootstrap.ENGINE_EXTRAS)
XLA_FLAGS = "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true"
LOGS = bootstrap.ROOT / "build" / "tests"
_OUTCOMES = {
    "passed": "passed",
    "failed": "failed",
    "error": "failed",
    "errors": "failed",
    "skipped": "skipped",
    "xfailed": "skipped",
}
_COUNT = re.compile(rf"(\d+) ({'|'.join(_OUTCOMES)})\b")
_NO_TESTS = 5  # pytest's exit status when nothing was collected


@dataclass
class Job:
    """The tests of one process."""

    name: str
    paths: Sequence[str]
    engine: str | None = None
    status: int = 0
    seconds: float = 0.0
    output: str = ""
    counts: dict[str, int] = field(default_factory=dict)


def count(output: str) -> dict[str, int]:
    """Reads passed, failed and skipped from the last line of pytest's output."""
    last = output.strip().rsplit("\n", 1)[-1]
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for number, word in _COUNT.findall(last):
        counts[_OUTCOMES[word]] += int(number)
    return counts


def jobs(engines: Sequence[str], packages: Sequence[str]) -> list[Job]:
    """Makes one job per engine, and one for the tools unless only a part was asked for."""
    paths = [f"packages/{p}/tests" for p in packages or bootstrap.PACKAGES]
    made = [Job(engine, paths, engine) for engine in engines or ENGINES]
    if not engines and not packages:
        made.append(Job("tools", ["tests"]))
    return made


def run(job: Job, python: Path | str, arguments: Sequence[str], threads: int | None) -> Job:
    """Runs one job and fills in its outcome; its output goes to a file as well."""
    command = [str(python), "-m", "pytest", "-q", *job.paths, *arguments]
    LOGS.mkdir(parents=True, exist_ok=True)
    log = LOGS / f"{job.name}.log"
    start = time.monotonic()
    # A home of its own: the user's keras.json decides nothing here.
    with tempfile.TemporaryDirectory() as home, log.open("w") as sink:
        env = {**os.environ, "KERAS_HOME": home, "PYTHONUNBUFFERED": "1"}
        env.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
        # Tests compile far more than they run: XLA need not optimize.
        env.setdefault("XLA_FLAGS", XLA_FLAGS)
        # Tests start many processes; without bytecode each would compile everything anew.
        env.pop("PYTHONDONTWRITEBYTECODE", None)
        if threads:
            env.setdefault("OMP_NUM_THREADS", str(threads))
        if job.engine:
            env["KERAS_BACKEND"] = job.engine
        done = subprocess.run(
            command, cwd=bootstrap.ROOT, env=env, stdout=sink, stderr=subprocess.STDOUT
        )
    job.seconds = time.monotonic() - start
    job.output = log.read_text(errors="replace")
    job.status, job.counts = done.returncode, count(job.output)
    if job.status == _NO_TESTS and arguments:
        job.status = 0  # a selection such as -k may match nothing on one engine
    return job


def report(done: Sequence[Job]) -> int:
    """Prints the summary; returns the exit status."""
    print(f"\n{'':12}{'passed':>8}{'failed':>8}{'skipped':>8}{'time':>9}")
    for job in done:
        numbers = "".join(f"{job.counts[k]:8}" for k in ("passed", "failed", "skipped"))
        note = "" if job.status == 0 else f"  exit status {job.status}"
        print(f"{job.name:12}{numbers}{job.seconds:8.0f}s{note}")
    total = {k: sum(job.counts[k] for job in done) for k in ("passed", "failed", "skipped")}
    failed = any(job.status for job in done)
    if failed and not total["failed"]:
        total["failed"] = sum(bool(job.status) for job in done)
    print(f"\n{total['passed']} passed, {total['failed']} failed, {total['skipped']} skipped")
    return 1 if failed else 0


def main(argv: list[str]) -> int:
    at = argv.index("--") if "--" in argv else len(argv)
    parser = argparse.ArgumentParser(description="Runs the tests, once per engine.")
    parser.add_argument("--engine", action="append", default=[], choices=ENGINES)
    parser.add_argument("--package", action="append", default=[], choices=bootstrap.PACKAGES)
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time (default 2)")
    parser.add_argument(
        "--no-install", action="store_true", help="use this interpreter as it is, not .venv"
    )
    options = parser.parse_args(argv[:at])
    python: Path | str = sys.executable
    if not options.no_install:
        python = bootstrap.install(groups=["test"])
    todo = jobs(options.engine, options.package)
    threads = 1 if min(options.jobs, len(todo)) > 1 else None
    with ThreadPoolExecutor(max(1, options.jobs)) as pool:
        running = [pool.submit(run, job, python, argv[at + 1 :], threads) for job in todo]
        for future in running:
            job = future.result()
            lines = job.output.strip().splitlines() or ["no output"]
            shown = lines if job.status else lines[-1:]
            print(f"--- {job.name}", *shown, sep="\n", flush=True)
    return report(todo)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
