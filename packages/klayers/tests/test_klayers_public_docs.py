"""Every public layer, activation, initializer, … shows an example."""

from __future__ import annotations

import klayers
import kops

AREAS = ("layers", "activations", "initializers", "regularizers", "constraints")


def test_every_public_class_and_function_has_an_example():
    assert klayers.layers.Dense.__doc__
    missing = []
    for path, obj in kops.registry.PUBLIC.items():
        ours = getattr(obj, "__module__", "").startswith("klayers.")
        if ours and path.split(".")[1] in AREAS and ">>>" not in (obj.__doc__ or ""):
            missing.append(path)
    assert missing == []
