"""Tests of the tools' pure functions; nothing is installed or locked here."""

from __future__ import annotations

import tomllib
from types import SimpleNamespace

import pytest

import api_check
import bootstrap
import namespace
import run_tests


def test_group_requirements_follows_includes_and_leaves_workspace_packages_out():
    table = {
        "build": ["hatchling>=1"],
        "test": [{"include-group": "build"}, "pytest>=8 ; python_version > '3'", "hatchling>=1"],
        "dev": [{"include-group": "test"}, "keras-meta", "ruff"],
    }
    assert bootstrap.group_requirements(["dev"], table) == [
        "hatchling>=1",
        "pytest>=8 ; python_version > '3'",
        "ruff",
    ]


def test_every_group_and_engine_extra_that_the_commands_use_exists():
    root = tomllib.loads((bootstrap.ROOT / "pyproject.toml").read_text())
    assert {"build", "examples", "test", "dev", "docs", "lint"} <= root["dependency-groups"].keys()
    meta = bootstrap.ROOT / "packages" / "keras-meta" / "pyproject.toml"
    extras = tomllib.loads(meta.read_text())["project"]["optional-dependencies"]
    assert {e for e in bootstrap.ENGINE_EXTRAS.values() if e} <= extras.keys()


def test_bootstrap_lists_every_package():
    folders = {p.parent.name for p in bootstrap.ROOT.glob("packages/*/pyproject.toml")}
    assert set(bootstrap.PACKAGES) == folders


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("12 passed, 1 skipped in 3.21s", (12, 0, 1)),
        ("2 failed, 10 passed, 3 xfailed in 3.21s", (10, 2, 3)),
        ("1 passed, 1 error in 0.10s", (1, 1, 0)),
        ("no tests ran in 0.01s", (0, 0, 0)),
    ],
)
def test_count_reads_the_closing_line(line, expected):
    counts = run_tests.count(f"5 passed, not this line\n{line}\n")
    assert (counts["passed"], counts["failed"], counts["skipped"]) == expected


def test_report_fails_when_a_process_fails_without_a_failed_test(capsys):
    crashed = run_tests.Job("jax", [], "jax", status=-11, counts=run_tests.count(""))
    good = run_tests.Job("numpy", [], "numpy", counts=run_tests.count("3 passed in 1s"))
    assert run_tests.report([good, crashed]) == 1
    assert "3 passed, 1 failed, 0 skipped" in capsys.readouterr().out
    assert run_tests.report([good]) == 0


def test_one_job_per_engine_and_one_for_the_tools():
    assert [j.name for j in run_tests.jobs([], [])] == [*run_tests.ENGINES, "tools"]
    (job,) = run_tests.jobs(["jax"], ["kops"])
    assert (job.engine, job.paths) == ("jax", ["packages/kops/tests"])


def test_api_floor_names_what_was_lost():
    manifest = {
        "symbols": {
            "keras.A": {"paths": ["keras.A", "keras.x.A"]},
            "keras.B": {"paths": ["keras.B"]},
        }
    }
    result = {"missing": ["keras.x.A"], "differ": {"keras.B": ["no method f"]}}
    assert api_check.right_names(manifest, result) == ["keras.A"]
    assert api_check.lost(["keras.A"], result) == []
    assert api_check.lost(["keras.A", "keras.B", "keras.x.A"], result) == [
        "keras.B: no method f",
        "keras.x.A: missing",
    ]


def test_namespace_tree_has_parents_and_aliases(monkeypatch):
    monkeypatch.setattr(namespace, "home", lambda obj, name: ("klayers.losses", obj.name))
    mse = SimpleNamespace(name="mean_squared_error")
    public = {"keras.losses.MSE": mse, "keras.ops.nn.relu": SimpleNamespace(name="relu")}
    modules = namespace.tree(public)
    assert modules["keras"]["losses"] == ("keras_meta", "losses")
    assert modules["keras.ops"] == {"nn": ("keras_meta.ops", "nn")}
    text = namespace.render("keras.losses", modules["keras.losses"])
    assert "from klayers.losses import mean_squared_error as MSE\n" in text
    assert text.endswith('__all__ = [\n    "MSE",\n]\n')


def test_namespace_takes_models_from_the_assembly_point():
    modules = namespace.tree({})
    assert modules["keras"]["Model"] == ("keras_meta.models", "Model")
    assert modules["keras.models"]["Sequential"] == ("keras_meta.models", "Sequential")


def test_versions_agree():
    for name in bootstrap.PACKAGES:
        folder = bootstrap.ROOT / "packages" / name
        declared = tomllib.loads((folder / "pyproject.toml").read_text())["project"]["version"]
        source = (folder / "src" / name.replace("-", "_") / "__init__.py").read_text()
        assert f'__version__ = "{declared}"' in source, name
