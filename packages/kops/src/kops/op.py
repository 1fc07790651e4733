"""The op declaration: one typed function from which everything about an op follows.

    @op(shape=same_shape, dtype=float_result)      # a primitive: it has a shape rule
    def exp(x: Tensor) -> Tensor:
        '''Exponential, element-wise.'''

    @op()                                          # a composite: its body is its meaning
    def relu6(x: Tensor) -> Tensor:
        '''min(max(x, 0), 6).'''
        return clip(x, 0, 6)

The decorator returns the public function. Called on tensors of the active engine that need
no conversion, it goes straight to the engine's function; everything else takes
`Op.general`, which converts, promotes, traces or explains.
"""

from __future__ import annotations

import functools
import re
import reprlib
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, NamedTuple, TypeVar

from kops import dtypes, fast_path, tree
from kops.backend import active, current, engine
from kops.dim import Dim, DimError, has_dim
from kops.fast_path import MISSING, VAR_KEYWORD, VAR_POSITIONAL
from kops.inference import as_sequence, cast_spec, outputs, spec_of, with_placeholders
from kops.keras_tensor import KerasTensor, any_symbolic
from kops.op_operation import OpOperation
from kops.operators import OPS
from kops.scopes import SymbolicScope, state
from kops.variable import Variable

__all__ = ["OPS", "Argument", "Op", "OpOperation", "Tensor", "on", "op_family"]

Tensor = Annotated[Any, "Tensor"]
"""Annotation that marks a parameter as a tensor (or something that converts to one)."""

Argument = Any
"""Annotation of a parameter that is no tensor but is given at the call, not in the config."""

F = TypeVar("F", bound=Callable[..., Any])
Rule = Callable[[Sequence[str]], str]
_TENSOR = re.compile(r"\bTensor\b")
_SEQUENCE = re.compile(r"\b(Sequence|list|tuple)\[")
_PYTHON = dtypes._PYTHON


class Param(NamedTuple):
    """One parameter of an op."""

    name: str
    kind: str  # "tensor", "tensors", "argument" or "attr"
    default: Any
    keyword_only: bool = False


class Op:
    """A declared op. See `op_family` for the arguments."""

    def __init__(
        self,
        fn: Callable[..., Any],
        family: str,
        shape: Callable[..., Any] | None,
        dtype: Rule | str | Mapping[str, Rule | str | None] | None,
        out: str | Callable[..., Any] | None,
        name: str | None,
        random: bool,
    ):
        self.declaration = fn
        self.name = fn.__name__
        self.family = family
        self.class_name = name or "".join(p.capitalize() for p in self.name.split("_"))
        self.doc = fn.__doc__ or ""
        self.random = random
        self._shape, self._out = shape, out
        self.body = None if shape is not None else fn
        self._read_parameters(fn)
        self.groups = self._read_rules(dtype)
        self._bound: dict[str, Callable[..., Any]] = {}
        self._operation_class: type[OpOperation] | None = None
        self.function: Callable[..., Any] = self._make_function(active())

    # -- the declaration ------------------------------------------------------------------

    def _read_parameters(self, fn: Callable[..., Any]) -> None:
        code = fn.__code__
        n, n_kw = code.co_argcount, code.co_kwonlyargcount
        names = code.co_varnames
        defaults = fn.__defaults__ or ()
        values = [MISSING] * (n - len(defaults)) + list(defaults)
        kw_defaults = fn.__kwdefaults__ or {}

        def kind(name: str, many: bool = False) -> str:
            annotation = str(fn.__annotations__.get(name, ""))
            if annotation == "Argument":
                return "argument"
            if not _TENSOR.search(annotation):
                return "attr"
            return "tensors" if many or _SEQUENCE.search(annotation) else "tensor"

        params = [Param(names[i], kind(names[i]), values[i]) for i in range(n)]
        self.n_positional = n
        self.var_positional = self.var_keyword = None
        after = n + n_kw
        if code.co_flags & VAR_POSITIONAL:
            self.var_positional = len(params)
            params.append(Param(names[after], kind(names[after], many=True), ()))
            after += 1
        for name in names[n : n + n_kw]:
            params.append(Param(name, kind(name), kw_defaults.get(name, MISSING), True))
        if code.co_flags & VAR_KEYWORD:
            self.var_keyword = len(params)
            params.append(Param(names[after], "attr", {}, True))
        self.params = params
        self.index = {p.name: i for i, p in enumerate(params)}
        self.defaults = [p.default for p in params]
        self._needed = [
            i
            for i, p in enumerate(params)
            if p.kind in ("tensor", "tensors")
            and p.default is MISSING
            and "None" not in str(fn.__annotations__[p.name])
        ]
        self.tensor_indices = [i for i, p in enumerate(params) if p.kind != "attr"]
        self.attr_indices = [i for i, p in enumerate(params) if p.kind == "attr"]

    def _read_rules(self, dtype: Any) -> list[tuple[tuple[int, ...], Rule | None]]:
        tensors = [i for i in self.tensor_indices if self.params[i].kind != "argument"]
        if not isinstance(dtype, Mapping):
            dtype = {" ".join(self.params[i].name for i in tensors): dtype}
        groups: list[tuple[tuple[int, ...], Rule | None]] = []
        seen: set[int] = set()
        for names, rule in dtype.items():
            indices = tuple(self.index[n] for n in names.split())
            seen.update(indices)
            groups.append((indices, _fixed(rule) if isinstance(rule, str) else rule))
        rest = tuple(i for i in tensors if i not in seen)
        groups.extend(((i,), None) for i in rest)
        return [g for g in groups if g[0]]

    # -- the short way ----------------------------------------------------------------------

    def implementation(self, eng: Any) -> Callable[..., Any] | None:
        """What computes this op on an engine: its table's entry, else the body."""
        entry = eng.TABLE.get(self.name)
        if entry is None:
            return self.body
        return entry if callable(entry) else fast_path.choose(entry, self.body)

    def is_native(self, eng: Any) -> bool:
        """Whether the engine has an entry of its own for this op."""
        return self.name in eng.TABLE

    def _make_function(self, eng: Any) -> Callable[..., Any]:
        native = self.implementation(eng)
        call = None if native is None else fast_path.make(self, eng, native)
        if call is None:
            general = self.general

            def call(*args: Any, **kwargs: Any) -> Any:
                return general(*args, **kwargs)

        functools.update_wrapper(call, self.declaration)
        call.op = self  # type: ignore[attr-defined]
        return call

    def failed(
        self, error: Exception, eng: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        values = self.bind(args, kwargs)
        if self._is_symbolic(values):
            return self.symbolic(values)
        return self._explain(error, values, eng)

    def _explain(self, error: Exception, values: list[Any], eng: Any) -> Any:
        """Raises the spec's error, which names the argument, in place of the engine's.

        Where the spec finds no fault, the engine may lack a kernel for a dtype: then the op
        runs in a wider one.
        """
        if self.body is not None and not self.is_native(eng):
            raise error
        try:
            spec = self.infer(values)
        except (ValueError, TypeError, IndexError) as better:
            if isinstance(better, DimError):
                raise error from None
            raise better from error
        self._convert(eng, values)
        if not self._widen(eng, values):
            raise error
        try:
            result = self._call(self._entry(eng, values), values)
        except Exception:
            raise error from None
        return tree.map_structure(lambda x, s: _cast(eng, x, s.dtype), result, spec)

    def _entry(self, eng: Any, values: list[Any]) -> Any:
        entry = eng.TABLE.get(self.name)
        if entry is None or callable(entry):
            return entry
        return fast_path.select(entry, self.positional(values))

    def _widen(self, eng: Any, values: list[Any]) -> bool:
        """Casts tensors to dtypes that the engine has all kernels for; tells if any was."""
        found = False
        for indices, _ in self.groups:
            for i in indices:
                several = isinstance(values[i], list)
                for k, x in enumerate(values[i] if several else [values[i]]):
                    wider = _wider(eng, x)
                    if wider is not None:
                        found = True
                        if several:
                            values[i][k] = eng.cast(x, wider)
                        else:
                            values[i] = eng.cast(x, wider)
        return found

    # -- the general way ----------------------------------------------------------------------

    def bind(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> list[Any]:
        """Values of all parameters, in order, defaults filled in."""
        n = len(args)
        if self.var_positional is not None:
            k = self.n_positional
            values = [*args[:k], *self.defaults[min(n, k) : k], tuple(args[k:])]
            values += self.defaults[k + 1 :]
            given = min(n, k)
        else:
            if n > self.n_positional:
                raise TypeError(
                    f"{self.name}() takes at most {self.n_positional} positional arguments "
                    f"({', '.join(p.name for p in self.params)}); got {n}."
                )
            values = [*args, *self.defaults[n:]]
            given = n
        extra: dict[str, Any] = {}
        for key, value in kwargs.items():
            i = self.index.get(key)
            if i is None or i == self.var_keyword:
                if self.var_keyword is None:
                    names = [p.name for p in self.params]
                    raise TypeError(
                        f"{self.name}() got an unexpected argument {key!r}; it takes {names}."
                    )
                extra[key] = value
            elif i < given:
                raise TypeError(f"{self.name}() got two values for the argument {key!r}.")
            else:
                values[i] = value
        if extra:
            values[self.var_keyword] = extra  # type: ignore[index]
        for value, param in zip(values, self.params, strict=True):
            if value is MISSING:
                raise TypeError(f"{self.name}() is missing the argument {param.name!r}.")
        for i in self._needed:
            if values[i] is None:
                name = self.params[i].name
                raise ValueError(f"`{name}` of {self.name}() must be a tensor; got None.")
        return values

    def general(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the op on anything it accepts."""
        values = self.bind(args, kwargs)
        if self._is_symbolic(values):
            return self.symbolic(values)
        return self.eager(current(), values)

    def _is_symbolic(self, values: list[Any]) -> bool:
        for i in self.tensor_indices:
            v = values[i]
            if isinstance(v, (KerasTensor, Dim)) or (
                isinstance(v, (list, tuple, dict)) and (any_symbolic(v) or has_dim(v))
            ):
                return True
            if v.__class__ is Variable and state.stateless is not None:
                if isinstance(state.stateless.get_current_value(v), KerasTensor):
                    return True
        for i, param in enumerate(self.params):
            if param.kind not in ("attr", "argument"):
                continue
            v = values[i]
            if v.__class__ in (int, float, str, bool, type(None)):
                continue
            if isinstance(v, Dim) or (
                isinstance(v, (tuple, list, slice)) and (has_dim(v) or any_symbolic(v))
            ):
                return True
        return self.random and state.symbolic is not None

    def eager(self, eng: Any, values: list[Any]) -> Any:
        """Converts the tensors, promotes them, and runs the engine's function or the body."""
        self._convert(eng, values)
        fn = self._entry(eng, values)
        if fn is None:
            if self.body is None:
                raise NotImplementedError(
                    f"The engine {eng.NAME!r} has no implementation of the primitive op "
                    f"{self.name!r}. Use another engine, or add {self.name!r} to its table."
                )
            return self._run_body(eng, values)
        try:
            return self._call(fn, values)
        except Exception as e:
            error = e
        return self._explain(error, values, eng)

    def _run_body(self, eng: Any, values: list[Any]) -> Any:
        if eng is active() or state.engine is eng:
            return self._call(self.body, values)  # type: ignore[arg-type]
        with _on(eng):
            return self._call(self.body, values)  # type: ignore[arg-type]

    def positional(self, values: list[Any]) -> list[Any]:
        """Positional arguments as the declaration takes them."""
        if self.var_positional is None:
            return values[: self.n_positional]
        return [*values[: self.n_positional], *values[self.var_positional]]

    def _call(self, fn: Callable[..., Any], values: list[Any]) -> Any:
        if len(values) == self.n_positional:
            return fn(*values)
        kwargs = {
            p.name: values[i]
            for i, p in enumerate(self.params)
            if p.keyword_only and i != self.var_keyword
        }
        if self.var_keyword is not None:
            kwargs |= values[self.var_keyword]
        return fn(*self.positional(values), **kwargs)

    def _convert(self, eng: Any, values: list[Any]) -> None:
        for i in self.tensor_indices:
            if self.params[i].kind == "argument":
                values[i] = _without_variables(values[i])
        for indices, rule in self.groups:
            found: list[str] = []
            for i in indices:
                v = values[i]
                if v is None:
                    continue
                if self.params[i].kind == "tensors":
                    whole = v if isinstance(v, (list, tuple)) else self._native(eng, v, i)[0]
                    pairs = [self._native(eng, x, i) for x in whole]
                    values[i] = [p[0] for p in pairs]
                    found.extend(p[1] for p in pairs)
                else:
                    values[i], dtype = self._native(eng, v, i)
                    found.append(dtype)
            if not found:
                continue
            if rule is None:
                if self.body is not None and not self.is_native(eng) and indices[0] != 0:
                    continue  # a body's ops take Python numbers as they are
                for i in indices:
                    if values[i].__class__ in _PYTHON:
                        values[i] = eng.convert(values[i])
                    elif self.params[i].kind == "tensors":
                        values[i] = [
                            eng.convert(x) if x.__class__ in _PYTHON else x for x in values[i]
                        ]
                continue
            target = self._target(rule, found, indices)
            for i in indices:
                v = values[i]
                if v is None:
                    continue
                if self.params[i].kind == "tensors":
                    values[i] = [_cast(eng, x, target) for x in v]
                else:
                    values[i] = _cast(eng, v, target)

    def _native(self, eng: Any, v: Any, i: int) -> tuple[Any, str]:
        """An argument as a tensor (or a Python number), and its dtype."""
        try:
            return _native(eng, v)
        except (TypeError, ValueError) as error:
            kind = TypeError if isinstance(error, TypeError) else ValueError
            what = f"`{self.params[i].name}` of {self.name}() cannot be turned into a tensor"
            raise kind(f"{what}: {error} Received: {reprlib.repr(v)}") from error

    def _target(self, rule: Rule, found: list[str], indices: tuple[int, ...]) -> str:
        """The dtype that a rule casts arguments to."""
        try:
            return rule(found)
        except (TypeError, ValueError) as error:
            kind = TypeError if isinstance(error, TypeError) else ValueError
            names = ", ".join(f"`{self.params[i].name}`" for i in indices)
            raise kind(f"{names} of {self.name}(): {error}") from error

    # -- the symbolic way ---------------------------------------------------------------------

    def symbolic(self, values: list[Any]) -> Any:
        """Infers the result and, unless the scope says otherwise, records a graph node."""
        scope = state.symbolic
        if scope is not None and not scope.record:
            return self.infer(values)
        operation = self.operation_class(
            **{self.params[i].name: values[i] for i in self.attr_indices}
        )
        args, kwargs = [], {}
        for i in self.tensor_indices:
            param = self.params[i]
            if has_dim(values[i]):
                operation._has_dims = True
            if i == self.var_positional:
                args.extend(values[i])
            elif param.default is MISSING and not param.keyword_only:
                args.append(values[i])
            elif not kwargs and values[i] is not param.default and not param.keyword_only:
                args.append(values[i])
            else:
                kwargs[param.name] = values[i]
        return operation.symbolic_call(*args, **kwargs)

    def specs(self, values: list[Any]) -> list[Any]:
        """`values` with tensors replaced by symbolic ones, cast as the dtype rule says.

        What an exporter compares with the arguments to see which casts the op makes.
        """
        specs = list(values)
        for indices, rule in self.groups:
            found: list[str] = []
            for i in indices:
                v = specs[i]
                if v is None:
                    continue
                if self.params[i].kind == "tensors":
                    specs[i] = [spec_of(x) for x in as_sequence(v)]
                    found.extend(s.dtype for s in specs[i])
                else:
                    specs[i] = spec_of(v)
                    found.append(specs[i].dtype)
            if not found:
                continue
            target = None if rule is None else self._target(rule, found, indices)
            for i in indices:
                v = specs[i]
                if isinstance(v, list):
                    specs[i] = [cast_spec(s, target) for s in v]
                elif v is not None:
                    specs[i] = cast_spec(v, target)
        return specs

    def infer(self, values: list[Any]) -> Any:
        """Symbolic result for arguments of which some are symbolic (or all concrete)."""
        try:
            return self._infer(values)
        except DimError:
            return with_placeholders(self._infer, values)

    def _infer(self, values: list[Any]) -> Any:
        specs = self.specs(values)
        if self.body is None:
            result = self._call(self._shape, specs)  # type: ignore[arg-type]
            out = self._out
            if callable(out):
                out = self._call(out, specs)
            elif out is None:
                out = next(
                    (s[0] if isinstance(s, list) else s).dtype
                    for s in (specs[i] for i in self.tensor_indices)
                    if s is not None
                )
            return outputs(result, out)
        prepared = list(values)
        for indices, rule in self.groups:
            for i in indices:
                v = values[i]
                if v is None:
                    continue
                if rule is not None or v.__class__ not in _PYTHON or i == 0:
                    # Concrete arguments stay concrete unless the rule casts them.
                    if rule is not None or any_symbolic(v) or isinstance(v, Dim) or i == 0:
                        prepared[i] = specs[i]
        with SymbolicScope(record=False):
            result = self._call(self.body, prepared)
        # A body may return what depends on no symbolic tensor: that has values.
        return result if isinstance(result, KerasTensor) else tree.map_structure(spec_of, result)

    def trace_body(self, values: list[Any]) -> tuple[list[Any], Any]:
        """A composite's own graph: (its symbolic arguments, its symbolic result).

        The arguments are fresh tensors of the same sizes, cast as the dtype rule says.
        """
        if self.body is None:
            raise ValueError(f"{self.name!r} is a primitive: it has no body to trace.")
        specs = self.specs(values)
        fresh = list(values)
        for i in self.tensor_indices:
            if any_symbolic(values[i]):
                fresh[i] = (
                    [KerasTensor.of(s.dims, s.dtype) for s in specs[i]]
                    if isinstance(specs[i], list)
                    else KerasTensor.of(specs[i].dims, specs[i].dtype)
                )
        with SymbolicScope(record=True, ops_only=True):
            return fresh, self._call(self.body, fresh)

    @property
    def operation_class(self) -> type[OpOperation]:
        """The `Operation` class that graphs and saved files hold."""
        if self._operation_class is None:
            self._operation_class = type(
                self.class_name, (OpOperation,), {"op": self, "__doc__": self.doc}
            )
        return self._operation_class

    # -- other engines --------------------------------------------------------------------------

    def bound(self, eng: Any) -> Callable[..., Any]:
        """This op on a given engine, whichever is active."""
        if eng is active():
            return self.function
        fn = self._bound.get(eng.NAME)
        if fn is None:

            def fn(*args: Any, **kwargs: Any) -> Any:
                with _on(eng):
                    return self.general(*args, **kwargs)

            functools.update_wrapper(fn, self.declaration)
            self._bound[eng.NAME] = fn
        return fn

    def __repr__(self) -> str:
        return f"<Op {self.name}: {'primitive' if self.body is None else 'composite'}>"


def op_family(family: str) -> Callable[..., Callable[[F], F]]:
    """The `op` decorator for one family of ops.

    Args:
        family: the module of `keras.ops` that saved graphs name: "numpy", "nn", "math",
            "core", "image", "linalg".

    The decorator's arguments:
        shape: rule of a primitive: function of the op's parameters, where tensors are
            specs with `.dims`, `.dtype` and `.ndim`; returns sizes, or a list (tuple) of
            them for several results. Absent for a composite.
        dtype: rule that casts tensor arguments before the engine sees them: a function of
            a list of dtypes, a dtype name, or a mapping from parameter names (separated by
            spaces) to either. Parameters without a rule stay as they are.
        out: dtype of the result where it is not that of the first tensor: a name, or a
            function of the op's parameters (a list of names for several results).
        name: class name in saved graphs where it is not the function's in CamelCase.
        random: whether the op must not be folded into a constant while tracing.
    """

    def op(
        shape: Callable[..., Any] | None = None,
        dtype: Any = None,
        out: Any = None,
        name: str | None = None,
        random: bool = False,
    ) -> Callable[[F], F]:
        def declare(fn: F) -> F:
            declared = Op(fn, family, shape, dtype, out, name, random)
            if declared.name in OPS:
                raise ValueError(f"The op {declared.name!r} is declared twice.")
            OPS[declared.name] = declared
            return declared.function  # type: ignore[return-value]

        return declare

    return op


# -- helpers ------------------------------------------------------------------------------------


def _fixed(name: str) -> Rule:
    def rule(_: Sequence[str]) -> str:
        return name

    return rule


def _native(eng: Any, v: Any) -> tuple[Any, str]:
    """(engine's tensor or Python number, its dtype, weak for a number)."""
    kind = v.__class__
    if kind is eng.Tensor:
        return v, eng.dtype_of(v)
    weak = _PYTHON.get(kind)
    if weak is not None:
        return v, weak
    if isinstance(v, Variable):
        v = v.value
        if eng is not active():
            v = eng.convert(active().to_numpy(v))
    if not eng.is_tensor(v):
        v = eng.convert(v)
    return v, eng.dtype_of(v)


def _wider(eng: Any, x: Any) -> str | None:
    table = getattr(eng, "WIDER", None)
    return table.get(eng.dtype_of(x)) if table and eng.is_tensor(x) else None


def _without_variables(v: Any) -> Any:
    if isinstance(v, tuple):
        return tuple(map(_without_variables, v))
    return v.value if isinstance(v, Variable) else v


def _cast(eng: Any, x: Any, dtype: str) -> Any:
    if x.__class__ in _PYTHON:
        return eng.convert(x, dtype)
    return x if eng.dtype_of(x) == dtype else eng.cast(x, dtype)


class _on:
    """Scope in which ops run on another engine."""

    def __init__(self, eng: Any):
        self.engine = eng

    def __enter__(self) -> None:
        self.saved = state.engine
        state.engine = None if self.engine is active() else self.engine

    def __exit__(self, *exc: object) -> None:
        state.engine = self.saved


class EngineOps:
    """All ops as attributes, bound to one engine."""

    def __init__(self, eng: Any):
        self._engine = eng

    def __getattr__(self, name: str) -> Callable[..., Any]:
        declared = OPS.get(name)
        if declared is None:
            raise AttributeError(f"There is no op {name!r}.")
        fn = declared.bound(self._engine)
        setattr(self, name, fn)
        return fn

    def __dir__(self) -> list[str]:
        return sorted(OPS)

    def __repr__(self) -> str:
        return f"<ops on {self._engine.NAME}>"


@functools.cache
def on(name: str) -> EngineOps:
    """The ops bound to another engine, loaded beside the active one.

    Args:
        name: engine, such as "numpy".

    Example:

    >>> import kops
    >>> kops.on("numpy").add([1, 2], 3).tolist()
    [4, 5]
    """
    return EngineOps(engine(name))
