"""The Python examples of the READMEs and of the documentation's home page run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", ROOT / "docs" / "index.md", *ROOT.glob("packages/*/README.md")]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_example_runs(page: Path, tmp_path: Path):
    blocks = BLOCK.findall(page.read_text())
    assert blocks
    env = {**os.environ, "KERAS_BACKEND": "jax", "KERAS_HOME": str(tmp_path)}
    for block in blocks:
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", block],
            env=env,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, done.stderr
