"""`InputSpec`: what a layer expects of its input, and the check of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kops import tree
from kops.registry import export

__all__ = ["InputSpec", "assert_input_compatibility"]


@export("keras.InputSpec", "keras.layers.InputSpec")
class InputSpec:
    """Rank, shape and sizes that one input of a layer must have.

    Args:
        dtype: expected dtype.
        shape: expected shape; None entries match every size.
        ndim: expected rank.
        max_ndim: largest rank.
        min_ndim: smallest rank.
        axes: expected sizes by axis, `{-1: 64}`.
        allow_last_axis_squeeze: whether a last axis of size 1 may be missing or extra.
        name: name of the input, for inputs passed as a dictionary.
        optional: whether the input may be None.

    Example:

    >>> from klayers import InputSpec
    >>> InputSpec(min_ndim=2, axes={-1: 4})
    InputSpec(min_ndim=2, axes={-1: 4})
    """

    def __init__(
        self,
        dtype: str | None = None,
        shape: Sequence[int | None] | None = None,
        ndim: int | None = None,
        max_ndim: int | None = None,
        min_ndim: int | None = None,
        axes: Mapping[int, int | None] | None = None,
        allow_last_axis_squeeze: bool = False,
        name: str | None = None,
        optional: bool = False,
    ):
        self.dtype = dtype
        if shape is not None:
            self.shape: tuple[int | None, ...] | None = tuple(shape)
            self.ndim: int | None = len(self.shape)
        else:
            self.shape, self.ndim = None, ndim
        self.max_ndim = max_ndim
        self.min_ndim = min_ndim
        self.name = name
        self.optional = optional
        self.allow_last_axis_squeeze = allow_last_axis_squeeze
        try:
            self.axes = {int(k): None if v is None else int(v) for k, v in (axes or {}).items()}
        except (TypeError, ValueError, AttributeError):
            raise TypeError(
                f"`axes` must be a dictionary of axis to size, both ints; got {axes!r}."
            ) from None
        rank = self.ndim if self.ndim is not None else self.max_ndim
        if self.axes and rank is not None and max(self.axes) >= rank:
            raise ValueError(
                f"`axes` names axis {max(self.axes)}, but the input has at most {rank} axes."
            )

    def get_config(self) -> dict[str, Any]:
        """Constructor arguments."""
        return {
            "dtype": self.dtype,
            "shape": self.shape,
            "ndim": self.ndim,
            "max_ndim": self.max_ndim,
            "min_ndim": self.min_ndim,
            "axes": self.axes,
            "optional": self.optional,
        }

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> InputSpec:
        """The spec that `get_config` described."""
        return cls(**config)

    def __repr__(self) -> str:
        fields = {
            "dtype": self.dtype,
            "shape": self.shape,
            "ndim": self.ndim,
            "max_ndim": self.max_ndim,
            "min_ndim": self.min_ndim,
            "axes": self.axes or None,
        }
        inside = ", ".join(f"{k}={v}" for k, v in fields.items() if v is not None)
        return f"InputSpec({inside})"


def assert_input_compatibility(input_spec: Any, inputs: Any, layer_name: str) -> None:
    """Checks inputs (tensors, symbolic or not) against a layer's input spec(s).

    Raises:
        ValueError: names the layer, what it expects and the shape it got.
    """
    if not input_spec:
        return
    specs = tree.flatten(input_spec)
    if isinstance(inputs, dict) and all(s.name for s in specs):
        missing = [s.name for s in specs if s.name not in inputs and not s.optional]
        if missing:
            raise ValueError(
                f"Layer {layer_name!r} has inputs named {[s.name for s in specs]}; the "
                f"dictionary passed to it lacks {missing} (it has {sorted(inputs)})."
            )
        flat = [inputs.get(s.name) for s in specs]
    else:
        flat = tree.flatten(inputs)
    if len(flat) != len(specs):
        raise ValueError(
            f"Layer {layer_name!r} expects {len(specs)} input(s), but it received {len(flat)} "
            "input tensors."
        )
    for i, (x, spec) in enumerate(zip(flat, specs, strict=True)):
        if spec is not None:
            _check(x, spec, i, layer_name)


def _check(x: Any, spec: InputSpec, index: int, layer_name: str) -> None:
    if x is None and spec.optional:
        return
    if x is None:
        raise ValueError(
            f"Input {spec.name or index!r} of layer {layer_name!r} is None, but it is not optional."
        )
    if not hasattr(x, "shape"):
        raise ValueError(
            f"Layer {layer_name!r} takes tensors as inputs; got {x!r} (of type {type(x).__name__})."
        )
    try:
        shape: tuple[Any, ...] = tuple(x.shape)
    except ValueError:  # a TensorFlow tensor of unknown rank can match anything
        return
    named = f" ({spec.name!r})" if spec.name else ""

    def fail(expected: str) -> ValueError:
        return ValueError(
            f"Input {index}{named} of layer {layer_name!r} is incompatible with the layer: "
            f"expected {expected}, found shape={shape}."
        )

    rank = len(shape)
    if spec.ndim is not None and not spec.allow_last_axis_squeeze and rank != spec.ndim:
        raise fail(f"ndim={spec.ndim}" if spec.shape is None else f"shape={spec.shape}")
    if spec.max_ndim is not None and rank > spec.max_ndim:
        raise fail(f"max_ndim={spec.max_ndim}")
    if spec.min_ndim is not None and rank < spec.min_ndim:
        raise fail(f"min_ndim={spec.min_ndim}")
    if spec.dtype is not None and _dtype_name(x) != spec.dtype:
        raise fail(f"dtype={spec.dtype} (dtype found: {_dtype_name(x)})")
    for axis, size in spec.axes.items():
        found = shape[axis] if -rank <= axis < rank else "no such axis"
        if size is not None and found is not None and found != size:
            raise fail(f"axis {axis} of the input to have size {size}")
    if spec.shape is not None:
        expected = spec.shape
        if spec.allow_last_axis_squeeze and rank != len(expected):
            if shape and shape[-1] == 1:
                shape = shape[:-1]
            if expected and expected[-1] == 1:
                expected = expected[:-1]
        if len(shape) != len(expected) or any(
            e is not None and d is not None and e != d
            for e, d in zip(expected, shape, strict=False)
        ):
            raise fail(f"shape={spec.shape}")


def _dtype_name(x: Any) -> str:
    return str(x.dtype).rsplit(".", 1)[-1]
