"""Rules of constructor arguments."""

import math

import numpy as np
import pytest

from kops import arguments

RULES = [
    (arguments.number(), [0, -1.5, np.float32(2), math.inf], ["a", math.nan, True, None, [1]]),
    (arguments.number(0), [0, 3], [-1, -0.1]),
    (arguments.number(0, above=True), [0.1], [0]),
    (arguments.number(0, 1), [0, 1, 0.5], [-0.1, 1.1, math.nan]),
    (arguments.number(0, 1, below=True), [0], [1]),
    (arguments.whole(2), [2, np.int64(3)], [1, 2.0, True, "2"]),
    (arguments.count(), [1], [0]),
    (arguments.wholes(1), [1, (1, 2), [3]], [0, (1, 0), (1.0,), "12"]),
    (arguments.numbers(), [0.5, [0.5, 1]], ["a", [math.nan]]),
    (arguments.any_of(arguments.count(), callable, "a function"), [1, len], [0]),
]


@pytest.mark.parametrize(("rule", "good", "bad"), RULES)
def test_rules(rule, good, bad):
    assert [x for x in good if not rule.accepts(x)] == []
    assert [x for x in bad if rule.accepts(x)] == []


def test_guarded_constructors(monkeypatch):
    class Thing:
        def __init__(self, size, rate=0.5, *, limit=None, free="a", **more):
            self.arguments = (size, rate, limit, free, more)

    class Heir(Thing):
        pass

    Thing.__module__ = Heir.__module__ = "things.all"
    public = {"keras.things.Thing": Thing, "keras.things.Heir": Heir}
    monkeypatch.setattr(arguments, "PUBLIC", public)
    table = {
        "size": arguments.count(),
        "rate": arguments.number(0, 1),
        "limit": arguments.number(0),
        "more": arguments.count(),
    }
    for _ in range(2):  # once is enough
        arguments.guard("things", "things", table)
    for cls in (Thing, Heir):
        made = cls(3, limit=None, more=-1, size_=2)
        assert made.arguments == (3, 0.5, None, "a", {"more": -1, "size_": 2})
        with pytest.raises(ValueError, match=rf"`size` of {cls.__name__} must be.*size=0"):
            cls(0)
        with pytest.raises(ValueError, match=r"`rate` of \w+ must be a number in \[0, 1\].*None"):
            cls(1, None)
        with pytest.raises(ValueError, match="`limit`"):
            cls(1, limit=-1)
        with pytest.raises(TypeError, match="missing"):
            cls()
