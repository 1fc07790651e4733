"""Every op that has a row, on every installed engine, in one process.

With NumPy as the engine of the run all installed engines are checked, in every way. The
engine of a run takes the quick way into an op, the others the general one: so with another
engine, that engine's quick way is checked, and nothing twice that does not depend on it.
"""

import pytest

from kops import config
from kops.op import OPS
from kops.testing import CHECKS, Skip, all_rows, installed_engines, missing_primitives, run_check

ROWS = all_rows()
ACTIVE = config.backend()
ENGINES = installed_engines() if ACTIVE == "numpy" else [ACTIVE]
WAYS = list(CHECKS) if ACTIVE == "numpy" else ["values", "config", "errors"]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("check", WAYS)
@pytest.mark.parametrize("op", ROWS)
def test_row(op, check, engine):
    try:
        run_check(check, ROWS[op], engine)
    except Skip as reason:
        # Nothing to check is no skipped test: there are thousands.
        assert str(reason)


@pytest.mark.parametrize("engine", ENGINES)
def test_engine_is_complete(engine):
    assert missing_primitives(engine) == []


def test_every_op_has_a_row():
    assert sorted(OPS.keys() - ROWS.keys()) == []
