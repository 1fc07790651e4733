"""Checks that any engine, ours or another package's, can run on itself.

```python
from kops.testing import check_engine

print(check_engine("my_engine"))
```
"""

from __future__ import annotations

from kops.testing.conformance import (
    CHECKS,
    Report,
    Skip,
    check_engine,
    installed_engines,
    missing_primitives,
    run_check,
)
from kops.testing.rows import ROWS, ErrorCase, Row, Sample, all_rows

__all__ = [
    "CHECKS",
    "ROWS",
    "ErrorCase",
    "Report",
    "Row",
    "Sample",
    "Skip",
    "all_rows",
    "check_engine",
    "installed_engines",
    "missing_primitives",
    "run_check",
]
