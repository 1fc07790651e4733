"""Runs the examples in all docstrings of the packages, on the active engine."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

PACKAGES = (
    "kops",
    "klayers",
    "ktrain",
    "ksaving",
    "kexport",
    "kquant",
    "kdistribute",
    "keras_meta",
)
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
ENGINE_FOLDERS = {"backends", "engines", "__main__"}


def module_names() -> list[str]:
    names = list(PACKAGES)
    for package in PACKAGES:
        path = importlib.import_module(package).__path__
        names += [m.name for m in pkgutil.walk_packages(path, f"{package}.")]
    return [n for n in names if not ENGINE_FOLDERS & set(n.split("."))]


@pytest.mark.parametrize("name", module_names())
def test_examples(name: str, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # examples may write files
    module = importlib.import_module(name)
    runner = doctest.DocTestRunner(optionflags=FLAGS, verbose=False)
    report: list[str] = []
    for example in doctest.DocTestFinder(exclude_empty=True).find(module, name):
        runner.run(example, out=report.append)
    assert runner.failures == 0, "".join(report)
