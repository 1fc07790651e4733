"""Checks that a layer class keeps what `Layer` promises; for tests of layers, yours too."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from klayers.functional import Functional
from klayers.input_layer import Input
from klayers.layer import Layer
from kops import backend, dtypes, tree
from kops.keras_tensor import KerasTensor
from kops.masks import get_mask, set_mask
from kops.registry import custom_object_scope
from kops.serialization import deserialize_keras_object, serialize_keras_object

__all__ = ["check_layer"]


def check_layer(
    cls: type[Layer],
    init_kwargs: Mapping[str, Any] | None = None,
    inputs: Any = None,
    input_shape: Any = None,
    input_dtype: str = "float32",
    call_kwargs: Mapping[str, Any] | None = None,
    expected_output_shape: Any = None,
    expected_weights: int | None = None,
    supports_masking: bool | None = None,
    mixed_precision: bool = True,
    random: bool = False,
    atol: float = 1e-5,
) -> Layer:
    """Runs a layer class through its life and raises AssertionError where it fails.

    Checked are: the config round trip; building from the call and by `build`; that the
    symbolic shape and dtype are those of the eager result, with known and unknown batch
    size; a graph of the layer and its config; copies; weights through `get_weights` and
    `save_own_variables`; masks; mixed precision; an empty batch.

    Args:
        cls: the class.
        init_kwargs: constructor arguments.
        inputs: array(s) to call it on, nested like its first argument.
        input_shape: shape(s) of random inputs, in place of `inputs`.
        input_dtype: their dtype.
        call_kwargs: further arguments of the call.
        expected_output_shape: shape(s) that must come out.
        expected_weights: how many weights there must be.
        supports_masking: what the attribute of that name must be.
        mixed_precision: whether to try "mixed_bfloat16".
        random: whether two calls give different values.
        atol: tolerance where values are compared.

    Returns:
        The layer, built.

    Example:

    >>> from klayers import layers
    >>> from klayers.testing import check_layer
    >>> check_layer(layers.Dense, {"units": 2}, input_shape=(3, 4), expected_output_shape=(3, 2),
    ...             expected_weights=2)
    <Dense name=dense..., built=True>
    """
    if inputs is None:
        inputs = _random_inputs(input_shape, input_dtype)
    case = _Case(cls, dict(init_kwargs or {}), inputs, dict(call_kwargs or {}), random, atol)
    layer, outputs = case.check_call(expected_output_shape)
    if expected_weights is not None:
        _equal(len(layer.weights), expected_weights, "number of weights")
    if supports_masking is not None:
        _equal(layer.supports_masking, supports_masking, "supports_masking")
    case.check_config(layer)
    case.check_spec(layer, outputs)
    case.check_build(layer)
    case.check_weights(layer, outputs)
    case.check_copies(layer, outputs)
    case.check_graph(layer, outputs)
    if layer.supports_masking:
        case.check_mask()
    if mixed_precision:
        case.check_mixed_precision()
    return layer


class _Case:
    def __init__(
        self,
        cls: type[Layer],
        kwargs: dict[str, Any],
        inputs: Any,
        call_kwargs: dict[str, Any],
        random: bool,
        atol: float,
    ):
        self.cls, self.kwargs, self.inputs = cls, kwargs, inputs
        self.call_kwargs, self.random, self.atol = call_kwargs, random, atol

    def make(self, **more: Any) -> Layer:
        return self.cls(**self.kwargs, **more)

    def call(self, layer: Layer, inputs: Any = None) -> Any:
        inputs = self.inputs if inputs is None else inputs
        return layer(tree.map_structure(_tensor, inputs), **self.call_kwargs)

    def check_call(self, expected_shape: Any) -> tuple[Layer, Any]:
        layer = self.make()
        outputs = self.call(layer)
        assert layer.built, f"{layer!r} is not built after a call"
        again = self.call(layer)
        if not self.random:
            self.same(outputs, again, "a second call")
        if expected_shape is not None:
            _equal(_shapes(outputs), _plain(expected_shape), "output shape")
        for v in layer.weights:
            assert v.path.split("/")[0], f"weight {v!r} has no path"
        return layer, outputs

    def check_config(self, layer: Layer) -> None:
        config = layer.get_config()
        text = json.dumps(config)
        made = self.cls.from_config(json.loads(text))
        _equal(
            json.loads(json.dumps(made.get_config())), json.loads(text), "config after a round trip"
        )
        with custom_object_scope({self.cls.__name__: self.cls}):
            whole = json.loads(json.dumps(serialize_keras_object(layer)))
            loaded = deserialize_keras_object(whole)
            _equal(
                json.loads(json.dumps(serialize_keras_object(loaded))), whole, "serialized layer"
            )
        _equal(
            [v.shape for v in loaded.weights],
            [v.shape for v in layer.weights],
            "weights' shapes after building from the config",
        )

    def check_spec(self, layer: Layer, outputs: Any) -> None:
        for batch in (False, True):
            symbolic = tree.map_structure(lambda x, b=batch: _symbolic(x, b), self.inputs)
            spec = layer(symbolic, **self.call_kwargs)
            for s, y in zip(tree.flatten(spec), tree.flatten(outputs), strict=True):
                shape, dtype = tuple(y.shape), backend.current().dtype_of(y)
                fits = len(s.shape) == len(shape) and all(
                    a is None or a == b for a, b in zip(s.shape, shape, strict=True)
                )
                assert fits, f"{layer!r}: symbolic shape {s.shape}, eager shape {shape}"
                _equal(s.dtype, dtype, f"{layer!r}: symbolic and eager dtype")

    def check_build(self, layer: Layer) -> None:
        config = layer.get_build_config()
        fresh = self.make()
        if config is None:
            assert not layer.weights, f"{layer!r} has weights but no build config"
            return
        fresh.build_from_config(json.loads(json.dumps(config)))
        assert fresh.built, f"{fresh!r} is not built after build_from_config({config})"
        _equal(
            [v.shape for v in fresh.weights], [v.shape for v in layer.weights], "weights' shapes"
        )

    def check_weights(self, layer: Layer, outputs: Any) -> None:
        other = self.make()
        self.call(other)
        other.set_weights(layer.get_weights())
        if not self.random:
            self.same(self.call(other), outputs, "a layer with the same weights")
        store: dict[str, Any] = {}
        layer.save_own_variables(store)
        other.load_own_variables({k: np.array(v) for k, v in store.items()})

    def check_copies(self, layer: Layer, outputs: Any) -> None:
        made = copy.deepcopy(layer)
        assert all(a is not b for a, b in zip(made.weights, layer.weights, strict=True))
        if not self.random:
            self.same(self.call(made), outputs, "a deep copy")

    def check_graph(self, layer: Layer, outputs: Any) -> None:
        inputs = tree.map_structure(
            lambda x: Input(batch_shape=(None, *x.shape[1:]), dtype=str(x.dtype)), self.inputs
        )
        model = Functional(inputs, layer(inputs, **self.call_kwargs))
        if not self.random:
            self.same(
                model(tree.map_structure(_tensor, self.inputs)), outputs, "a functional model"
            )
        with custom_object_scope({self.cls.__name__: self.cls}):
            made = Functional.from_config(json.loads(json.dumps(model.get_config())))
        made.set_weights(model.get_weights())
        if not self.random:
            self.same(
                made(tree.map_structure(_tensor, self.inputs)),
                outputs,
                "a reloaded functional model",
            )

    def check_mask(self) -> None:
        flat = tree.flatten(self.inputs)
        if any(x.ndim < 3 for x in flat):
            return
        layer = self.make()
        tensors = tree.map_structure(_tensor, self.inputs)
        masks = []
        for x in tree.flatten(tensors):
            mask = np.ones(tuple(x.shape[:2]), "bool")
            mask[:, -1] = False
            masks.append(_tensor(mask))
            set_mask(x, masks[-1])
        outputs = layer(tensors, **self.call_kwargs)
        first = tree.flatten(outputs)[0]
        found = get_mask(first)
        if found is not None:
            assert len(found.shape) <= len(first.shape), "the mask has more axes than the output"

    def check_mixed_precision(self) -> None:
        if not all(dtypes.is_float(str(x.dtype)) for x in tree.flatten(self.inputs)):
            return
        layer = self.make(dtype="mixed_bfloat16")
        outputs = self.call(layer)
        engine = backend.current()
        for v in layer.weights:
            if dtypes.is_float(v.dtype):
                _equal(v.dtype, "float32", f"dtype of {v.path} under mixed precision")
        for y in tree.flatten(outputs):
            if dtypes.is_float(engine.dtype_of(y)):
                _equal(engine.dtype_of(y), "bfloat16", "output dtype under mixed precision")

    def same(self, a: Any, b: Any, what: str) -> None:
        to_numpy = backend.current().to_numpy
        for x, y in zip(tree.flatten(a), tree.flatten(b), strict=True):
            np.testing.assert_allclose(
                np.asarray(to_numpy(x), "float64") if "bfloat" in str(x.dtype) else to_numpy(x),
                np.asarray(to_numpy(y), "float64") if "bfloat" in str(y.dtype) else to_numpy(y),
                rtol=1e-4,
                atol=self.atol,
                err_msg=f"{self.cls.__name__}: {what} gives other values",
            )


def _random_inputs(shapes: Any, dtype: str) -> Any:
    if shapes is None:
        raise ValueError("Pass `inputs` or `input_shape`.")
    rng = np.random.default_rng(0)

    def one(shape: Any) -> np.ndarray:
        if dtypes.is_float(dtype):
            return rng.normal(size=shape).astype(dtype)
        return rng.integers(0, 2, size=shape).astype(dtype)

    return tree.map_shape_structure(one, shapes)


def _tensor(x: Any) -> Any:
    return backend.current().convert(x)


def _symbolic(x: Any, unknown_batch: bool) -> KerasTensor:
    shape = (None, *x.shape[1:]) if unknown_batch else x.shape
    return KerasTensor(shape, dtype=str(x.dtype))


def _shapes(outputs: Any) -> Any:
    return _plain(tree.map_structure(lambda y: tuple(y.shape), outputs))


def _plain(shapes: Any) -> Any:
    found: list[Any] = []
    recurse: Callable[[Any], None] = lambda s: found.append(tuple(s))  # noqa: E731
    tree.map_shape_structure(recurse, shapes)
    return found


def _equal(a: Any, b: Any, what: str) -> None:
    assert a == b, f"{what}: {a!r}, expected {b!r}"
