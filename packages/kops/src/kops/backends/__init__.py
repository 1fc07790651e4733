"""Engines: one package each, loaded through `kops.backend`."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

__all__ = ["load_tables"]


def load_tables(package: str) -> Mapping[str, Any]:
    """The `TABLE`s of all modules of an engine's package, as one.

    Raises:
        ValueError: if an op stands in two of them.
    """
    merged: dict[str, Any] = {}
    for info in pkgutil.iter_modules(importlib.import_module(package).__path__):
        table = getattr(importlib.import_module(f"{package}.{info.name}"), "TABLE", {})
        twice = merged.keys() & table.keys()
        if twice:
            raise ValueError(f"The ops {sorted(twice)} stand in two tables of {package}.")
        merged.update(table)
    return MappingProxyType(merged)
