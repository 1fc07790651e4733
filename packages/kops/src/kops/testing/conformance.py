"""Checks of an engine against the rows: values, specs, compilation, gradients, errors.

Each check is a function of a row and an engine. It raises `AssertionError` when the
engine is wrong and `Skip` when there is nothing to check.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import ml_dtypes
import numpy as np

from kops import config, dtypes, ops, tree
from kops.backend import active, engine
from kops.dim import Dim, evaluate
from kops.keras_tensor import KerasTensor
from kops.op import OPS, Op, _on
from kops.serialization import deserialize_keras_object, serialize_keras_object
from kops.testing.rows import ErrorCase, Row, Sample, all_rows

__all__ = [
    "CHECKS",
    "Report",
    "Skip",
    "check_engine",
    "installed_engines",
    "missing_primitives",
    "run_check",
]

# Compiling is slow; the kinds of arguments matter more than their number.
_COMPILED_SAMPLES = 2
_GRADIENT_SAMPLES = 3
_STEP = 1e-5


class Skip(Exception):
    """There is nothing to check, for the reason given."""


# --- arguments --------------------------------------------------------------------


def _map_arrays(fn: Callable[[np.ndarray], Any], value: Any) -> Any:
    """`value` with `fn` applied to the arrays in it; lists and tuples are walked."""
    if isinstance(value, np.ndarray):
        return fn(value)
    if isinstance(value, (list, tuple)):
        return type(value)(_map_arrays(fn, item) for item in value)
    if isinstance(value, dict):
        return {key: _map_arrays(fn, item) for key, item in value.items()}
    return value


def _arrays(value: Any) -> list[np.ndarray]:
    found: list[np.ndarray] = []
    _map_arrays(found.append, value)
    return found


def _numpy_dtype(name: str) -> Any:
    return np.dtype(ml_dtypes.bfloat16) if name == "bfloat16" else np.dtype(name)


def _in_dtype(sample: Sample, dtype: str) -> tuple[Any, Any]:
    """The sample's arguments, its float arrays cast to `dtype`."""

    def cast(x: np.ndarray) -> np.ndarray:
        return x.astype(_numpy_dtype(dtype)) if x.dtype.kind == "f" else x

    return _map_arrays(cast, sample.args), _map_arrays(cast, sample.kwargs)


def _dtype_name(x: np.ndarray) -> str:
    return dtypes.standardize(x.dtype)


def _native(eng: Any, value: Any) -> Any:
    return _map_arrays(lambda x: eng.convert(x, _dtype_name(x)), value)


def _symbolic(value: Any) -> Any:
    return _map_arrays(lambda x: KerasTensor(x.shape, _dtype_name(x)), value)


def _function(row: Row, eng: Any) -> Callable[..., Any]:
    """The op as it runs on `eng`."""
    if row.op in OPS:
        return OPS[row.op].bound(eng)
    fn: Any = ops
    for part in row.op.split("."):
        fn = getattr(fn, part)
    if eng is active():
        return fn

    def call(*args: Any, **kwargs: Any) -> Any:
        with _on(eng):
            return fn(*args, **kwargs)

    return call


def _op(row: Row) -> Op:
    if row.op not in OPS:
        raise Skip(f"{row.op} is a function, not an op")
    return OPS[row.op]


def _results(eng: Any, value: Any) -> list[np.ndarray]:
    return [eng.to_numpy(x) if eng.is_tensor(x) else np.asarray(x) for x in tree.flatten(value)]


# --- comparison -------------------------------------------------------------------


def _wide(x: Any) -> np.ndarray:
    """For a comparison, 16-bit floats as float32."""
    x = np.asarray(x)
    return x.astype("float32") if x.dtype.name in ("bfloat16", "float16") else x


def _compare(got: list[Any], wanted: list[Any], row: Row, dtype: str, what: str) -> None:
    assert len(got) == len(wanted), f"{what}: {len(got)} results, {len(wanted)} wanted"
    rtol, atol = row.tolerance(dtype)
    for i, (g, w) in enumerate(zip(got, wanted, strict=True)):
        g, w = _wide(g), _wide(w)
        assert g.shape == w.shape, f"{what}: result {i} has shape {g.shape}, {w.shape} wanted"
        if row.check_values:
            np.testing.assert_allclose(
                g, w, rtol=rtol, atol=atol, err_msg=f"{what}: result {i}", strict=False
            )


def _can_hold(eng: Any, value: Any) -> bool:
    """Whether the engine has the dtypes of all arrays in `value`."""
    try:
        for x in _arrays(value):
            eng.native_dtype(_dtype_name(x))
    except TypeError:
        return False
    return True


def _available(eng: Any, dtype: str) -> str:
    """The dtype that the engine has in the place of `dtype` (JAX has no 64 bits by default)."""
    try:
        return eng.dtype_of(eng.convert(np.zeros((), _numpy_dtype(dtype)), dtype))
    except TypeError:
        return dtype


# --- checks -----------------------------------------------------------------------


def _cases(row: Row, eng: Any) -> Iterator[tuple[Sample, str, Any, Any]]:
    for dtype in row.dtypes:
        for sample in row.samples:
            args, kwargs = _in_dtype(sample, dtype)
            has_floats = any(x.dtype == _numpy_dtype(dtype) for x in _arrays((args, kwargs)))
            if (dtype == row.dtypes[0] or has_floats) and _can_hold(eng, (args, kwargs)):
                yield sample, dtype, args, kwargs


def check_values(row: Row, eng: Any) -> None:
    """Eager results equal those of the reference."""
    reference = row.reference or _on_numpy(row, eng)
    fn = _function(row, eng)
    for sample, dtype, args, kwargs in _cases(row, eng):
        got = fn(*_native(eng, args), **_native(eng, kwargs))
        wide = _map_arrays(_wide, args), _map_arrays(_wide, kwargs)
        wanted = reference(*wide[0], **wide[1])
        _compare(
            _results(eng, got), [np.asarray(w) for w in tree.flatten(wanted)], row, dtype,
            f"{sample} in {dtype} against the reference",
        )  # fmt: skip


def _on_numpy(row: Row, eng: Any) -> Callable[..., Any]:
    """The op on NumPy: the reference of rows that have no other."""
    if eng.NAME == "numpy":
        raise Skip("no reference")
    numpy = engine("numpy")
    fn = _function(row, numpy)

    def reference(*args: Any, **kwargs: Any) -> Any:
        return fn(*_native(numpy, args), **_native(numpy, kwargs))

    return reference


def check_spec(row: Row, eng: Any) -> None:
    """The inferred shape and dtype are those of the eager result."""
    op, fn = _op(row), _function(row, eng)
    for sample, dtype, args, kwargs in _cases(row, eng):
        specs = tree.flatten(op.infer(op.bind(_symbolic(args), _symbolic(kwargs))))
        got = tree.flatten(fn(*_native(eng, args), **_native(eng, kwargs)))
        assert len(specs) == len(got), f"{sample}: {len(specs)} specs, {len(got)} results"
        for spec, tensor in zip(specs, got, strict=True):
            where = f"{sample} in {dtype}"
            shape, spec_shape = tuple(eng.shape_of(tensor)), spec.shape
            if not row.jit:  # a size may follow from the data
                shape = tuple(
                    None if d is None else n for d, n in zip(spec_shape, shape, strict=True)
                )
            assert spec_shape == shape, f"{where}: spec says {spec_shape}, result has {shape}"
            wanted = {spec.dtype, _available(eng, spec.dtype)}
            found = eng.dtype_of(tensor)
            assert found in wanted, f"{where}: spec says {spec.dtype}, result is {found}"


def check_unknown_dims(row: Row, eng: Any) -> None:
    """With unknown sizes, what is inferred fits the eager result."""
    if not row.unknown_dims:
        raise Skip("needs the sizes of its inputs")
    op, fn = _op(row), _function(row, eng)
    for sample in row.samples:
        args, kwargs = _in_dtype(sample, row.dtypes[0])
        if not _arrays((args, kwargs)) or not _can_hold(eng, (args, kwargs)):
            continue
        got = tree.flatten(fn(*_native(eng, args), **_native(eng, kwargs)))
        for every_axis in (False, True) if row.unknown_dims is True else (False,):
            sizes: dict[int, Dim] = {}
            unknown = _unknown(args, sizes, every_axis), _unknown(kwargs, sizes, every_axis)
            specs = tree.flatten(op.infer(op.bind(*unknown)))
            known = {dim.symbol: size for size, dim in sizes.items()}
            for spec, tensor in zip(specs, got, strict=True):
                shape = tuple(eng.shape_of(tensor))
                where = f"{sample} with unknown sizes {unknown}"
                assert len(spec.dims) == len(shape), f"{where}: {spec.shape} for {shape}"
                for inferred, size in zip(spec.dims, shape, strict=True):
                    _assert_fits(inferred, size, known, where)


def _unknown(value: Any, sizes: dict[int, Dim], every_axis: bool) -> Any:
    """Arrays to specs with unknown sizes; equal sizes are the same unknown."""

    def spec(x: np.ndarray) -> KerasTensor:
        dims = [
            size if size == 1 or (axis and not every_axis) else sizes.setdefault(size, Dim())
            for axis, size in enumerate(x.shape)
        ]
        return KerasTensor(dims, _dtype_name(x))

    return _map_arrays(spec, value)


def _assert_fits(inferred: Any, size: int, known: Mapping[Any, int], where: str) -> None:
    if isinstance(inferred, Dim):
        if not inferred.symbols() <= known.keys():
            return  # a size that the op itself could not know
        inferred = evaluate(inferred, known)
    assert inferred == size, f"{where}: inferred size {inferred}, result has {size}"


def check_override(row: Row, eng: Any) -> None:
    """The engine's own function for a composite agrees with the composite's body."""
    op = _op(row)
    if op.body is None or not op.is_native(eng):
        raise Skip("no override")
    fn = _function(row, eng)
    for sample, dtype, args, kwargs in _cases(row, eng):
        values = op.bind(_native(eng, args), _native(eng, kwargs))
        op._convert(eng, values)
        body = _results(eng, op._run_body(eng, values))
        own = _results(eng, fn(*_native(eng, args), **_native(eng, kwargs)))
        _compare(own, body, row, dtype, f"{sample} in {dtype} against the body")


def check_compiled(row: Row, eng: Any) -> None:
    """The compiled function agrees with the eager one."""
    if eng.compile(check_compiled) is check_compiled:
        raise Skip("the engine does not compile")
    if not row.jit:
        raise Skip("the shape of the result depends on the data")
    fn = _function(row, eng)
    for sample in list(row.samples)[:_COMPILED_SAMPLES]:
        args, kwargs = _in_dtype(sample, row.dtypes[0])
        if not _can_hold(eng, (args, kwargs)):
            continue
        tensors = [eng.convert(x, _dtype_name(x)) for x in _arrays((args, kwargs))]

        def run(*values: Any, args: Any = args, kwargs: Any = kwargs) -> Any:
            items = iter(values)
            filled = _map_arrays(lambda _: next(items), (args, kwargs))
            return fn(*filled[0], **filled[1])

        _compare(
            _results(eng, eng.compile(run)(*tensors)), _results(eng, run(*tensors)), row,
            row.dtypes[0], f"{sample} compiled against eager",
        )  # fmt: skip


def check_gradient(row: Row, eng: Any) -> None:
    """The gradient agrees with finite differences, taken in float64 on NumPy."""
    if not row.differentiable:
        raise Skip("not differentiable")
    try:
        eng.value_and_grad(check_gradient, 0, False)
    except NotImplementedError:
        raise Skip("the engine takes no gradients") from None
    arrays = [(s, _arrays((s.args, s.kwargs))) for s in row.samples]
    samples = [
        s for s, xs in arrays if all(x.size for x in xs) and any(x.dtype.kind == "f" for x in xs)
    ]
    for sample in samples[:_GRADIENT_SAMPLES]:
        if not _can_hold(eng, (sample.args, sample.kwargs)):
            continue
        problem = _GradientProblem(row, sample)
        wanted = problem.slope()
        np.testing.assert_allclose(
            problem.derivative(eng), wanted, rtol=1e-2, atol=2e-3, err_msg=f"gradient at {sample}"
        )


class _GradientProblem:
    """The derivative of an op, summed with weights, in a random direction."""

    def __init__(self, row: Row, sample: Sample) -> None:
        self.row = row
        self.arguments = _in_dtype(sample, "float64")
        self.arrays = _arrays(self.arguments)
        self.floats = [i for i, x in enumerate(self.arrays) if x.dtype.kind == "f"]
        self.directions = [
            np.random.default_rng(i).normal(size=self.arrays[i].shape) for i in self.floats
        ]

    def total(self, eng: Any, floats: Iterable[Any], dtype: str) -> Any:
        """The weighted sum of the op's results, `floats` in place of its float arrays."""
        given = dict(zip(self.floats, floats, strict=True))
        items = iter(
            given[i] if i in given else eng.convert(x, _dtype_name(x))
            for i, x in enumerate(self.arrays)
        )
        args, kwargs = _map_arrays(lambda _: next(items), self.arguments)
        results = tree.flatten(_function(self.row, eng)(*args, **kwargs))
        sums = [_weighted_sum(eng, x, dtype) for x in results if _is_float(eng, x)]
        return sum(sums[1:], sums[0])

    def slope(self) -> float:
        """By central differences on NumPy."""
        numpy = engine("numpy")

        def at(step: float) -> float:
            pairs = zip(self.floats, self.directions, strict=True)
            floats = [self.arrays[i] + step * d for i, d in pairs]
            return float(self.total(numpy, floats, "float64"))

        return (at(_STEP) - at(-_STEP)) / (2 * _STEP)

    def derivative(self, eng: Any) -> float:
        """By the engine's gradient."""
        floats = [eng.convert(self.arrays[i].astype("float32"), "float32") for i in self.floats]
        with _on(eng):
            _, gradients = eng.value_and_grad(
                lambda *xs: self.total(eng, xs, "float32"), tuple(range(len(floats))), False
            )(*floats)
        return sum(
            float(np.sum(_wide(eng.to_numpy(g)).astype("float64") * d))
            for g, d in zip(gradients, self.directions, strict=True)
        )


def _is_float(eng: Any, x: Any) -> bool:
    return dtypes.is_float(eng.dtype_of(x))


def _weighted_sum(eng: Any, x: Any, dtype: str) -> Any:
    """A scalar that depends on every element in a way of its own."""
    shape = tuple(eng.shape_of(x))
    weights = eng.convert(np.random.default_rng(7).normal(size=shape).astype(dtype), dtype)
    add_up = OPS["sum"].bound(eng)
    return add_up(OPS["multiply"].bound(eng)(x, weights))


def check_config(row: Row, eng: Any) -> None:
    """The graph node's operation survives a file: config to JSON and back."""
    op = _op(row)
    if eng is not active():
        raise Skip("configs do not depend on the engine")
    fn = _function(row, eng)
    for sample in row.samples:
        args, kwargs = _in_dtype(sample, row.dtypes[0])
        if not _arrays((args, kwargs)):
            continue
        output = tree.flatten(fn(*_symbolic(args), **_symbolic(kwargs)))[0]
        operation = output._keras_history.operation
        saved = json.loads(json.dumps(serialize_keras_object(operation)))
        loaded = deserialize_keras_object(saved)
        assert type(loaded) is type(operation), f"{sample}: {loaded!r} for {operation!r}"
        assert loaded.name == operation.name
        again = json.loads(json.dumps(serialize_keras_object(loaded)))
        assert again == saved, f"{sample}: the config of {op.class_name} changed: {again}"


def check_errors(row: Row, eng: Any) -> None:
    """Wrong arguments raise the same error, with tensors and with symbolic tensors."""
    cases = list(row.errors)
    if not cases:
        raise Skip("no error rows")
    fn = _function(row, eng)
    for case in cases:
        args, kwargs = case.args, dict(case.kwargs)
        _assert_raises(fn, _native(eng, args), _native(eng, kwargs), case, "eager")
        if case.symbolic and _arrays((args, kwargs)):
            _assert_raises(fn, _symbolic(args), _symbolic(kwargs), case, "symbolic")


def _assert_raises(fn: Any, args: Any, kwargs: Any, case: ErrorCase, how: str) -> None:
    try:
        fn(*args, **kwargs)
    except case.error as error:
        assert re.search(case.match, str(error)), (
            f"{how}: the message of {type(error).__name__} does not match {case.match!r}: {error}"
        )
        return
    except Exception as error:
        raise AssertionError(
            f"{how} {case}: got {type(error).__name__} instead: {error}"
        ) from error
    raise AssertionError(f"{how} {case}: nothing was raised")


CHECKS: dict[str, Callable[[Row, Any], None]] = {
    "values": check_values,
    "spec": check_spec,
    "unknown_dims": check_unknown_dims,
    "override": check_override,
    "compiled": check_compiled,
    "gradient": check_gradient,
    "config": check_config,
    "errors": check_errors,
}


def run_check(check: str, row: Row, engine_name: str) -> None:
    """Runs one check of one row.

    Raises:
        AssertionError: the engine is wrong.
        Skip: there is nothing to check, or the row says why there is a gap.
    """
    if engine_name in row.gaps:
        raise Skip(row.gaps[engine_name])
    with np.errstate(all="ignore"):  # NumPy warns where the result is NaN or infinite
        CHECKS[check](row, engine(engine_name))


# --- the whole suite ---------------------------------------------------------------


def installed_engines() -> list[str]:
    """Names of the engines whose framework is installed, plug-ins included."""
    built_in = [name for name in config.ENGINES if config.is_installed(name)]
    return [*sorted(built_in), *config.plugin_backends()]


def missing_primitives(engine_name: str) -> list[str]:
    """Primitives that the engine's table lacks; with none missing it is complete."""
    table = engine(engine_name).TABLE
    primitives = {op.name for op in OPS.values() if op.body is None}
    return sorted(primitives - table.keys())


@dataclass
class Report:
    """What `check_engine` found."""

    engine: str
    missing: list[str] = field(default_factory=list)
    passed: int = 0
    skipped: dict[str, str] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)

    @property
    def complete(self) -> bool:
        """Whether no primitive is missing and no check failed."""
        return not self.missing and not self.failures

    def __str__(self) -> str:
        counts = f"{self.passed} checks passed, {len(self.failures)} failed"
        lines = [f"engine {self.engine}: {counts}, {len(self.skipped)} skipped"]
        if self.missing:
            lines.append(f"missing primitives: {', '.join(self.missing)}")
        lines += [f"FAILED {name}: {text}" for name, text in self.failures.items()]
        return "\n".join(lines)


def check_engine(name: str, ops: Iterable[str] | None = None) -> Report:
    """Runs every check of every row on one engine.

    Args:
        name: the engine, built in or a plug-in.
        ops: names of the ops to check; all that have a row if None.

    Returns:
        A report; `print(report)` lists what is missing and what failed, and
        `report.complete` tells whether nothing is.

    Example:
    ```python
    >>> from kops.testing import check_engine
    >>> report = check_engine("numpy", ops=["add", "exp"])
    >>> report.failures
    {}

    ```
    """
    report = Report(name, missing=missing_primitives(name))
    wanted = None if ops is None else set(ops)
    for row in all_rows().values():
        if wanted is not None and row.op not in wanted:
            continue
        for check in CHECKS:
            _record(report, check, row)
    return report


def _record(report: Report, check: str, row: Row) -> None:
    label = f"{row.op}[{check}]"
    try:
        run_check(check, row, report.engine)
    except Skip as reason:
        report.skipped[label] = str(reason)
    except Exception as error:
        report.failures[label] = f"{type(error).__name__}: {error}"
    else:
        report.passed += 1
