"""One command: installs what the site needs into `.venv` and builds or serves it.

python tools/docs.py build    write site/; a broken link is an error
python tools/docs.py serve    show it at a local address while pages are edited
"""

from __future__ import annotations

import os
import subprocess
import sys

import bootstrap


def main(arguments: list[str]) -> int:
    python = bootstrap.install(groups=["docs", "test"])
    env = {**os.environ, "KERAS_BACKEND": "numpy", "NO_MKDOCS_2_WARNING": "1"}
    command = [str(python), "-m", "mkdocs", *(arguments or ["build"])]
    return subprocess.run(command, cwd=bootstrap.ROOT, env=env).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
