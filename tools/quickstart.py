"""One command: installs what the quickstart needs into `.venv` and runs it there.

python tools/quickstart.py                          on JAX
KERAS_BACKEND=torch python tools/quickstart.py      on another engine
python tools/quickstart.py --out somewhere          arguments go to examples/quickstart.py
"""

from __future__ import annotations

import os
import subprocess
import sys

import bootstrap


def main(arguments: list[str]) -> int:
    engine = os.environ.get("KERAS_BACKEND", "jax")
    trains = [name for name in bootstrap.ENGINE_EXTRAS if name != "numpy"]
    if engine not in trains:
        fault = "cannot train" if engine in bootstrap.ENGINE_EXTRAS else "names no engine"
        print(f"KERAS_BACKEND={engine} {fault}. The quickstart runs on: {', '.join(trains)}.")
        return 2
    extras = [e for e in (bootstrap.ENGINE_EXTRAS[engine], "onnx") if e]
    python = bootstrap.install(extras=extras, groups=["examples"])
    script = bootstrap.ROOT / "examples" / "quickstart.py"
    environment = {**os.environ, "KERAS_BACKEND": engine}
    environment.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    return subprocess.run([str(python), str(script), *arguments], env=environment).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
