"""Prints the size of each package in lines: code, and tests beside it."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LONG = 600  # a file longer than this holds more than one idea


def count(folder: Path) -> tuple[int, int, list[tuple[int, Path]]]:
    """Returns the number of files, of lines, and the files that are too long."""
    sizes = [(len(p.read_text().splitlines()), p) for p in sorted(folder.rglob("*.py"))]
    return len(sizes), sum(n for n, _ in sizes), [s for s in sizes if s[0] > LONG]


def main() -> int:
    print(f"{'package':14}{'files':>7}{'lines':>8}{'tests':>8}")
    long: list[tuple[int, Path]] = []
    total = [0, 0, 0]
    for package in sorted((ROOT / "packages").iterdir()):
        files, lines, over = count(package / "src")
        tests = count(package / "tests")[1]
        print(f"{package.name:14}{files:7}{lines:8}{tests:8}")
        total = [a + b for a, b in zip(total, (files, lines, tests), strict=True)]
        long += over
    print(f"{'total':14}{total[0]:7}{total[1]:8}{total[2]:8}")
    for lines, path in sorted(long, reverse=True):
        print(f"long: {path.relative_to(ROOT)} has {lines} lines")
    return 0


if __name__ == "__main__":
    sys.exit(main())
