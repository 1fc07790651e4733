"""Every op that has a row, on every installed engine, in one process.

The engine of the run takes the quick way into an op, the others the general one. With
NumPy as the engine of the run all installed engines are checked, else that engine alone.
"""

import pytest

from kops import config
from kops.op import OPS
from kops.testing import CHECKS, Skip, all_rows, installed_engines, missing_primitives, run_check

ROWS = all_rows()
ACTIVE = config.backend()
ENGINES = installed_engines() if ACTIVE == "numpy" else [ACTIVE]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("check", CHECKS)
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
