"""Building: how a layer gets its variables, once, from the shapes of its inputs."""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from klayers.calls import CallSignature, calls, dtype_of, shape_structure, signature_of
from klayers.dtype_policies import DTypePolicyMap
from klayers.layer_fields import LayerFields
from kops import tree
from kops.keras_tensor import KerasTensor
from kops.scopes import StatelessScope, SymbolicScope, state

if TYPE_CHECKING:
    from klayers.layer import Layer

__all__ = ["LayerBuild", "scope_names", "wrap_build"]

LOCKED = (
    "You cannot add new elements of state (variables or sub-layers) to a layer that is already "
    "built. All state must be created in the `__init__()` method or in the `build()` method."
)


def scope_names(layer: Layer) -> tuple[str, ...]:
    """The names in front of this layer's variables: those of the layers around it, and its own."""
    if layer._scope_names is None:
        frame = calls.frame
        if state.names:
            outer = state.names
        elif frame is not None and frame.layer is not layer:
            outer = frame.layer._scope_names or ()
        else:
            outer = ()
        layer._scope_names = (*outer, layer.name)
    return layer._scope_names


@contextmanager
def named_scope(names: tuple[str, ...]) -> Iterator[None]:
    """Variables made inside have these names in front of their path."""
    saved = state.names
    state.names = names
    try:
        yield
    finally:
        state.names = saved


def wrap_build(build: Callable[..., Any]) -> Callable[..., Any]:
    """A class's `build` with what belongs around it: names, the shapes noted, the lock."""

    @functools.wraps(build)
    def wrapped(self: Layer, *args: Any, **kwargs: Any) -> Any:
        if self.__dict__.get("_building"):  # a super().build()
            return build(self, *args, **kwargs)
        self._check_super_called()
        self.__dict__["_building"] = True
        try:
            with named_scope(scope_names(self)):
                self._resolve_policy()
                mode = self._dtype_policy.quantization_mode
                if mode is None:
                    result = build(self, *args, **kwargs)
                else:
                    (shape,) = _named_shapes(build, args, kwargs).values()
                    result = self.quantized_build(shape, mode)
        finally:
            self.__dict__["_building"] = False
        if self._build_shapes is None:
            self._build_shapes = _named_shapes(build, args, kwargs)
        self._after_build()
        return result

    wrapped._wraps_build = True  # type: ignore[attr-defined]
    return wrapped


def _named_shapes(build: Callable[..., Any], args: Any, kwargs: Any) -> dict[str, Any]:
    names = build_parameters(build)
    return {**dict(zip(names, args, strict=False)), **kwargs}


@functools.cache
def build_parameters(build: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """Parameters of a `build` method without self and without `**kwargs`."""
    params = dict(inspect.signature(build).parameters)
    params.pop(next(iter(params)), None)
    return {n: p for n, p in params.items() if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)}


class LayerBuild(LayerFields):
    """Mixin of `Layer`: lazy building and its record in configs."""

    def build(self, input_shape: Any) -> None:
        """Makes the variables; a layer with variables overrides it.

        Args:
            input_shape: shape of the input, None for unknown sizes; nested like the input.
                A layer whose `call` takes several tensors may have one parameter
                `<argument>_shape` for each.
        """
        if self._has_unbuilt_layers():
            if self._build_symbolically({"input_shape": input_shape}):
                return
            warnings.warn(
                f"`build()` was called on layer {self.name!r}, which has no `build()` of its own, "
                "and the layers in it could not be built from the shape alone. They will be built "
                "when they are called.",
                stacklevel=3,
            )

    def _has_unbuilt_layers(self) -> bool:
        return any(not layer.built for layer in self._layers)

    # -- on the first call ---------------------------------------------------------------

    def _build_for(self, signature: CallSignature, bound: dict[str, Any]) -> None:
        """Builds from the arguments of a call."""
        inputs = signature.inputs(bound)
        shapes = {f"{k}_shape": shape_structure(v) for k, v in inputs.items()}
        build = type(self).build
        self._build_shapes = (
            {"input_shape": next(iter(shapes.values()))} if len(shapes) == 1 else shapes
        )
        try:
            if getattr(build, "_is_default", False):
                self._auto_build(bound)
            else:
                self.build(**self._match_shapes(build, shapes))
        except BaseException:
            if not self.built:
                self._build_shapes = None
            raise

    def _match_shapes(self, build: Callable[..., Any], shapes: dict[str, Any]) -> dict[str, Any]:
        params = build_parameters(build)
        if len(params) == 1:
            name = next(iter(params))
            first = next(iter(shapes.values())) if shapes else None
            self._build_shapes = {"input_shape": shapes.get(name, first)}
            return {name: shapes.get(name, first)}
        for name, p in params.items():
            if not name.endswith("_shape") and p.default is p.empty:
                raise ValueError(
                    f"`build()` of layer {self.name!r} has several parameters; each must be named "
                    f"after an argument of `call()` with '_shape' behind it. {name!r} is not; the "
                    f"tensors given to `call()` make {sorted(shapes)}."
                )
        missing = [n for n, p in params.items() if p.default is p.empty and n not in shapes]
        if missing:
            raise ValueError(
                f"`build()` of layer {self.name!r} takes {list(params)}, but the tensors given to "
                f"`call()` make {sorted(shapes)}: {missing} cannot be filled."
            )
        used = {n: s for n, s in shapes.items() if n in params}
        self._build_shapes = used
        return used

    def _auto_build(self, bound: dict[str, Any]) -> None:
        """Builds a layer without `build()`: its parts build themselves in a symbolic call."""
        names = scope_names(self)  # type: ignore[arg-type]
        with named_scope(names):
            self._resolve_policy()
            if self._has_unbuilt_layers():
                _try_symbolically(self, bound)
        self._after_build()

    def _build_symbolically(self, shapes: dict[str, Any]) -> bool:
        """Builds the parts by calling them on symbolic tensors of these shapes."""
        signature = signature_of(type(self))
        if set(shapes) == {"input_shape"} and signature.positional:
            tensors = {signature.positional[0]: _symbolic(shapes["input_shape"], self)}
        else:
            tensors = {k.removesuffix("_shape"): _symbolic(s, self) for k, s in shapes.items()}
        with named_scope(scope_names(self)):  # type: ignore[arg-type]
            _try_symbolically(self, tensors)
        return not self._has_unbuilt_layers()

    def _after_build(self) -> None:
        self.built = True
        if not self._trainable:
            self.trainable = False
        self._lock_state()
        self._reset_plan()

    def _lock_state(self) -> None:
        self._tracker.lock(LOCKED)

    def _resolve_policy(self) -> None:
        """Looks this layer up in a DTypePolicyMap, now that its path is known."""
        policy = self.dtype_policy  # type: ignore[attr-defined]
        if isinstance(policy, DTypePolicyMap):
            self.dtype_policy = policy["/".join(scope_names(self))]  # type: ignore[arg-type]

    # -- in configs ----------------------------------------------------------------------

    def get_build_config(self) -> dict[str, Any] | None:
        """What `build_from_config` needs to build the layer again; None if nothing."""
        shapes = self._build_shapes
        if shapes is None or not self.built:
            return None
        if len(shapes) == 1:
            return {"input_shape": next(iter(shapes.values()))}
        return {"shapes_dict": shapes}

    def build_from_config(self, config: dict[str, Any]) -> None:
        """Builds the layer as a config from `get_build_config` says."""
        if not config or self.built:
            return
        if "input_shape" in config:
            if config["input_shape"] is not None:
                self.build(_tuples(config["input_shape"]))
        elif "shapes_dict" in config:
            self.build(**{k: _tuples(v) for k, v in config["shapes_dict"].items()})


LayerBuild.build._is_default = True  # type: ignore[attr-defined]


def _try_symbolically(layer: Any, arguments: dict[str, Any]) -> None:
    """Runs `call` on symbolic stand-ins; a failure only means that building waits."""
    arguments = {k: tree.map_structure(_stand_in, v) for k, v in arguments.items()}
    known = signature_of(type(layer)).names
    if not signature_of(type(layer)).var_keyword:
        arguments = {k: v for k, v in arguments.items() if k in known}
    try:
        with StatelessScope(), SymbolicScope(record=False):
            layer._call_in_frame((), arguments, None)
    except Exception:
        return


def _stand_in(value: Any) -> Any:
    if isinstance(value, KerasTensor):
        return value
    shape = shape_structure(value)
    if shape is None:
        return value
    return KerasTensor(shape, dtype_of(value))


def _symbolic(shapes: Any, layer: Any) -> Any:
    dtype = layer.input_dtype
    return tree.map_shape_structure(lambda s: KerasTensor(s, dtype=dtype), _tuples(shapes))


def _tuples(shapes: Any) -> Any:
    """Shapes as tuples: JSON made lists of them."""
    if isinstance(shapes, dict):
        return {k: _tuples(v) for k, v in shapes.items()}
    if isinstance(shapes, (list, tuple)):
        if all(s is None or isinstance(s, int) for s in shapes):
            return tuple(shapes)
        return [_tuples(s) for s in shapes]
    return shapes
