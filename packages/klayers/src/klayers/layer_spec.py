"""What comes out of a layer, foreseen: symbolic outputs and output shapes."""

from __future__ import annotations

from typing import Any

from klayers.calls import calls, signature_of
from klayers.inference import infer_outputs
from klayers.layer_fields import LayerFields
from kops import dtypes, tree
from kops.keras_tensor import KerasTensor

__all__ = ["LayerSpec"]


class LayerSpec(LayerFields):
    """Mixin of `Layer`: symbolic outputs."""

    def compute_output_spec(self, *args: Any, **kwargs: Any) -> Any:
        """Symbolic outputs for symbolic inputs.

        A subclass's own `compute_output_shape` is taken at its word (the dtype is then the
        compute dtype); otherwise `call` runs on the symbolic tensors.
        """
        self._check_super_called()
        if _user_defines_shape(type(self)):
            return self._spec_from_shape(args, kwargs)
        return self._infer(args, kwargs)

    def _infer(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        frame = calls.frame
        explicit = kwargs.get("training")
        training = explicit if explicit is not None or frame is None else frame.training
        if kwargs.get("training", 0) is None:
            kwargs = {k: v for k, v in kwargs.items() if k != "training"}
        if self._casts_inputs:
            args, kwargs = tree.map_structure(self._cast_spec, (args, kwargs))

        def run(*args: Any, **kwargs: Any) -> Any:
            return self._call_in_frame(args, kwargs, training)

        return infer_outputs(run, args, kwargs)

    def _cast_spec(self, x: Any) -> Any:
        if (
            isinstance(x, KerasTensor)
            and x.dtype != self._compute_dtype
            and dtypes.is_float(x.dtype)
        ):
            cast = KerasTensor.of(x.dims, self._compute_dtype)
            mask = getattr(x, "_keras_mask", None)
            if mask is not None:
                cast._keras_mask = mask  # type: ignore[attr-defined]
            return cast
        return x

    def _spec_from_shape(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        signature = signature_of(type(self))
        inputs = signature.inputs(signature.bind(args, kwargs))
        shapes = [tree.map_structure(lambda t: tuple(t.shape), v) for v in inputs.values()]
        try:
            result = self.compute_output_shape(*shapes)
        except TypeError:
            if len(shapes) < 2:
                raise
            result = self.compute_output_shape(shapes[0])
        if result is not None and (not result or not isinstance(result, (tuple, list, dict))):
            return KerasTensor(tuple(result), dtype=self.compute_dtype)
        return tree.map_shape_structure(
            lambda s: None if s is None else KerasTensor(s, dtype=self.compute_dtype), result
        )

    def compute_output_shape(self, *args: Any, **kwargs: Any) -> Any:
        """Shape of the output for the shape(s) of the input(s), None for unknown sizes."""
        self._check_super_called()
        layer: Any = self
        if not self.built:
            # The variables' shapes follow from the input's: try it on a copy.
            layer = type(self).from_config(  # type: ignore[attr-defined]
                self.get_config()
            )
        tensors = [_symbolic_like(s, layer.compute_dtype) for s in args]
        named = {
            k.removesuffix("_shape"): _symbolic_like(s, layer.compute_dtype)
            for k, s in kwargs.items()
        }
        if not layer.built:
            signature = signature_of(type(layer))
            layer._build_for(signature, signature.bind(tuple(tensors), named))
        outputs = layer._infer(tuple(tensors), named)
        if isinstance(outputs, KerasTensor):
            return outputs.shape
        return tree.map_structure(lambda t: t.shape, outputs)


def _user_defines_shape(cls: type) -> bool:
    """Whether a class outside this package says itself what shape comes out."""
    cached = cls.__dict__.get("_defines_shape")
    if cached is None:
        owner = next(c for c in cls.__mro__ if "compute_output_shape" in c.__dict__)
        cached = cls._defines_shape = not owner.__module__.startswith("klayers.")  # type: ignore[attr-defined]
    return cached


def _symbolic_like(shapes: Any, dtype: str) -> Any:
    if shapes is None:
        return None
    if isinstance(shapes, (list, tuple)) and all(s is None or isinstance(s, int) for s in shapes):
        return KerasTensor(tuple(shapes), dtype=dtype)
    return tree.map_shape_structure(lambda s: KerasTensor(tuple(s), dtype=dtype), shapes)
