"""The short way through an op: no conversion, no promotion, straight to the engine.

Each maker returns a function that checks its arguments in a fraction of a microsecond and
calls the engine's function; what does not fit takes `op.general`. The makers differ only in
how the leading tensors are laid out, because a general loop over parameters would cost
more than the engine's own call.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from kops import dtypes
from kops.backend import engine
from kops.variable import Variable

if TYPE_CHECKING:
    from kops.op import Op

__all__ = ["choose", "make", "select"]

MISSING: Any = type("Missing", (), {"__repr__": lambda self: "<required>"})()
VAR_POSITIONAL, VAR_KEYWORD = 0x04, 0x08
Rule = Callable[[Sequence[str]], str]


def make(op: Op, eng: Any, native: Callable[..., Any]) -> Callable[..., Any] | None:
    """A function of the op's parameters that goes straight to `native` where it can.

    Returns None if the op always needs the general way.
    """
    if op.var_positional is not None or op.random or not op.params:
        return None
    groups = {i: g for g in op.groups for i in g[0]}
    names = [p.name for p in op.params]
    if names == ["x"] and op.params[0].kind == "tensor":
        return _unary(op, eng, native, _accepted(eng, groups[0][1]))
    if names == ["x1", "x2"] and groups[0] is groups.get(1):
        return _binary(op, eng, native, _accepted(eng, groups[0][1]))
    if not _same_parameters(native, op):
        return None
    kinds = [p.kind for p in op.params]
    if kinds[0] == "tensors" and kinds.count("attr") == len(kinds) - 1:
        return _sequence(op, eng, native, _accepted(eng, groups[0][1]))
    leading = 0
    while leading < len(kinds) and kinds[leading] == "tensor" and leading < 2:
        leading += 1
    needed = sum(p.kind.startswith("tensor") and p.default is MISSING for p in op.params)
    if leading == 0 or needed > leading:
        return None
    only_leading = not any(k.startswith("tensor") for k in kinds[leading:])
    limit = len(op.params) if only_leading else leading
    accepted = [_accepted(eng, groups[i][1]) for i in range(leading)]
    if leading == 1:
        return _one(op, eng, native, accepted[0], limit, only_leading)
    if groups[0] is groups[1]:
        return _two_alike(op, eng, native, accepted[0], limit, only_leading)
    return _two(op, eng, native, accepted, limit, only_leading)


def _unary(op: Op, eng: Any, native: Any, accepted: frozenset[Any]) -> Callable[..., Any]:
    tensor, general, failed = eng.Tensor, op.general, op.failed

    def call(x: Any) -> Any:
        if x.__class__ is tensor and x.dtype in accepted:
            try:
                return native(x)
            except Exception as e:
                error = e
            return failed(error, eng, (x,), {})
        return general(x)

    return call


def _binary(op: Op, eng: Any, native: Any, accepted: frozenset[Any]) -> Callable[..., Any]:
    tensor, general, failed = eng.Tensor, op.general, op.failed
    scalar_dtypes = _scalar_dtypes(eng.NAME) if op.name in eng.SCALAR_OPS else {}
    # Where the rule takes every dtype as it is, equality is all there is to check.
    every = accepted >= frozenset(_native_dtypes(eng.NAME).values()) - {None}

    def call(x1: Any, x2: Any) -> Any:
        if x1.__class__ is tensor:
            kind = x2.__class__
            other = x2
            if kind is tensor:
                ready = x1.dtype is x2.dtype and (every or x1.dtype in accepted)
            elif kind is Variable:
                other = x2.value
                ready = x1.dtype is other.dtype and (every or x1.dtype in accepted)
            else:
                ready = kind in scalar_dtypes and x1.dtype in scalar_dtypes[kind]
            if ready:
                try:
                    return native(x1, other)
                except Exception as e:
                    error = e
                return failed(error, eng, (x1, x2), {})
        return general(x1, x2)

    return call


def _one(
    op: Op, eng: Any, native: Any, accepted: frozenset[Any], limit: int, keywords: bool
) -> Callable[..., Any]:
    tensor, general, failed = eng.Tensor, op.general, op.failed

    def call(*args: Any, **kwargs: Any) -> Any:
        if (
            args
            and args[0].__class__ is tensor
            and args[0].dtype in accepted
            and len(args) <= limit
            and (keywords or not kwargs)
        ):
            try:
                return native(*args, **kwargs)
            except Exception as e:
                error = e
            return failed(error, eng, args, kwargs)
        return general(*args, **kwargs)

    return call


def _two_alike(
    op: Op, eng: Any, native: Any, accepted: frozenset[Any], limit: int, keywords: bool
) -> Callable[..., Any]:
    tensor, general, failed = eng.Tensor, op.general, op.failed

    def call(*args: Any, **kwargs: Any) -> Any:
        if 2 <= len(args) <= limit and (keywords or not kwargs):
            a, b = args[0], args[1]
            if a.__class__ is tensor and a.dtype in accepted:
                if b.__class__ is Variable:
                    b = b.value
                elif b.__class__ is not tensor:
                    return general(*args, **kwargs)
                if a.dtype is b.dtype:
                    try:
                        return native(a, b, *args[2:], **kwargs)
                    except Exception as e:
                        error = e
                    return failed(error, eng, args, kwargs)
        return general(*args, **kwargs)

    return call


def _two(
    op: Op, eng: Any, native: Any, accepted: list[frozenset[Any]], limit: int, keywords: bool
) -> Callable[..., Any]:
    tensor, general, failed = eng.Tensor, op.general, op.failed
    first, second = accepted

    def call(*args: Any, **kwargs: Any) -> Any:
        if (
            2 <= len(args) <= limit
            and args[0].__class__ is tensor
            and args[1].__class__ is tensor
            and args[0].dtype in first
            and args[1].dtype in second
            and (keywords or not kwargs)
        ):
            try:
                return native(*args, **kwargs)
            except Exception as e:
                error = e
            return failed(error, eng, args, kwargs)
        return general(*args, **kwargs)

    return call


def _sequence(op: Op, eng: Any, native: Any, accepted: frozenset[Any]) -> Callable[..., Any]:
    tensor, general, failed = eng.Tensor, op.general, op.failed

    def call(*args: Any, **kwargs: Any) -> Any:
        if args and args[0].__class__ in (list, tuple) and args[0]:
            first = args[0][0]
            if first.__class__ is tensor and first.dtype in accepted:
                dtype = first.dtype
                for x in args[0]:
                    if x.__class__ is not tensor or x.dtype is not dtype:
                        break
                else:
                    try:
                        return native(*args, **kwargs)
                    except Exception as e:
                        error = e
                    return failed(error, eng, args, kwargs)
        return general(*args, **kwargs)

    return call


# -- table entries ------------------------------------------------------------------------------


def choose(entries: Any, body: Callable[..., Any] | None) -> Callable[..., Any]:
    """A function that runs the first entry whose condition holds, else the body."""

    def call(*args: Any, **kwargs: Any) -> Any:
        fn = select(entries, args, kwargs) or body
        if fn is None:
            raise NotImplementedError("no entry of the table covers these arguments")
        return fn(*args, **kwargs)

    return call


def select(entries: Any, args: Any, kwargs: Mapping[str, Any] | None = None) -> Any:
    """The first function of a table entry whose condition holds."""
    for entry in entries if isinstance(entries, list) else [entries]:
        if callable(entry):
            return entry
        fn, when = entry
        if when(*args, **(kwargs or {})):
            return fn
    return None


def _same_parameters(fn: Any, op: Op) -> bool:
    """Whether `fn` takes the op's arguments as a caller of the op gives them."""
    code = getattr(fn, "__code__", None)
    if code is None:
        return False
    if fn is op.body:
        return True
    if code.co_flags & (VAR_POSITIONAL | VAR_KEYWORD) or code.co_kwonlyargcount:
        return False
    names = code.co_varnames[: code.co_argcount]
    if list(names) != [p.name for p in op.params]:
        return False
    defaults = fn.__defaults__ or ()
    wanted = op.defaults[len(op.defaults) - len(defaults) :]
    required = op.defaults[: len(op.defaults) - len(defaults)]
    return list(defaults) == list(wanted) and all(d is MISSING for d in required)


@functools.cache
def _native_dtypes(eng_name: str) -> dict[str, Any]:
    eng = engine(eng_name)
    found: dict[str, Any] = {}
    for d in dtypes.ALL:
        try:
            found[d] = eng.native_dtype(d)
        except TypeError:
            continue
    return found


_accepted_cache: dict[tuple[str, Any], frozenset[Any]] = {}


def _accepted(eng: Any, rule: Rule | None) -> frozenset[Any]:
    """The engine's dtypes that a rule leaves as they are."""
    key = (eng.NAME, rule)
    if key not in _accepted_cache:
        native = _native_dtypes(eng.NAME)
        _accepted_cache[key] = frozenset(
            v for d, v in native.items() if d != "string" and (rule is None or _keeps(rule, d))
        )
    return _accepted_cache[key]


def _keeps(rule: Rule, dtype: str) -> bool:
    try:
        return rule([dtype]) == dtype
    except (ValueError, TypeError):
        return False


@functools.cache
def _scalar_dtypes(eng_name: str) -> dict[type, frozenset[Any]]:
    """Per Python type, the tensor dtypes that keep theirs when met by such a number."""
    native = _native_dtypes(eng_name)
    names = {"bfloat16", "float16", "float32", "float64"} & native.keys()
    # An engine may treat numbers beside some dtype in a way of its own.
    floats = {native[d] for d in names - getattr(engine(eng_name), "NO_SCALAR_DTYPES", frozenset())}
    signed = {native[d] for d in ("int32", "int64") if d in native}
    return {float: frozenset(floats), int: frozenset(floats | signed)}
