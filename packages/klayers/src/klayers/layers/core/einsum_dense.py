"""A projection along any axes, described by an einsum equation."""

from __future__ import annotations

import string
from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

from klayers import activations, constraints, initializers, regularizers
from klayers.activations import linear
from klayers.layers._base import LoraMixin, TensorLayer
from kops import ops
from kops.registry import export

__all__ = ["EinsumDense"]


@export("keras.layers.EinsumDense")
class EinsumDense(LoraMixin, TensorLayer):
    """`activation(einsum(equation, inputs, kernel) + bias)`.

    Args:
        equation: an einsum equation of two operands, the inputs and the kernel, such as
            `"abc,cd->abd"`. An ellipsis at the start or end of the inputs stands for any
            number of axes.
        output_shape: shape of the output without the first axis, an int or a tuple; None
            where it follows from the input. With an ellipsis at the start of the
            equation only the last axes need to be given.
        activation: activation function; none by default.
        bias_axes: letters of the output's axes along which the bias varies; no bias
            without.
        kernel_initializer: first value of the kernel. A variance-scaling one counts as
            inputs the axes that the equation sums over.
        bias_initializer: first value of the bias.
        kernel_regularizer: penalty of the kernel.
        bias_regularizer: penalty of the bias.
        kernel_constraint: projection of the kernel after each update.
        bias_constraint: projection of the bias after each update.
        lora_rank: rank of a low-rank update that trains in place of the kernel.
        lora_alpha: numerator of the update's factor `lora_alpha / lora_rank`.
        gptq_unpacked_column_size: original number of columns of a packed kernel.
        quantization_config: how `quantize` treats the layer.

    Raises:
        ValueError: the equation is not of the form described, or it contradicts
            `output_shape` or the input.

    Example:

    >>> import numpy as np
    >>> layer = EinsumDense("abc,cd->abd", output_shape=(None, 8), bias_axes="d")
    >>> tuple(layer(np.ones((2, 3, 4), "float32")).shape)
    (2, 3, 8)
    """

    _config_extra: ClassVar[tuple[str, ...]] = ("activity_regularizer",)
    _config_optional: ClassVar[frozenset[str]] = frozenset(
        {"lora_rank", "lora_alpha", "gptq_unpacked_column_size"}
    )

    def __init__(
        self,
        equation: str,
        output_shape: int | Sequence[int | None],
        activation: Any = None,
        bias_axes: str | None = None,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        lora_rank: int | None = None,
        lora_alpha: float | None = None,
        gptq_unpacked_column_size: int | None = None,
        quantization_config: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.equation = equation
        _split(equation)
        is_int = isinstance(output_shape, int)
        self.partial_output_shape = (output_shape,) if is_int else tuple(output_shape)  # type: ignore
        self.activation = activations.get(activation)
        self.bias_axes = bias_axes
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.bias_initializer = initializers.get(bias_initializer)
        self.kernel_regularizer = regularizers.get(kernel_regularizer)
        self.bias_regularizer = regularizers.get(bias_regularizer)
        self.kernel_constraint = constraints.get(kernel_constraint)
        self.bias_constraint = constraints.get(bias_constraint)
        self.lora_rank = lora_rank
        self.lora_alpha = lora_alpha if lora_alpha is not None else lora_rank
        self.gptq_unpacked_column_size = gptq_unpacked_column_size
        self.quantization_config = quantization_config
        self.bias = None

    def build(self, input_shape: tuple[int | None, ...]) -> None:
        """Creates the kernel and the bias."""
        plan = plan_einsum(self.equation, self.bias_axes, input_shape, self.partial_output_shape)
        self.full_output_shape = plan.output_shape
        self._kernel = self.add_weight(
            name="kernel",
            shape=plan.kernel_shape,
            initializer=_with_axes(self.kernel_initializer, plan),
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
        )
        if plan.bias_shape is not None:
            self.bias = self.add_weight(
                name="bias",
                shape=plan.bias_shape,
                initializer=self.bias_initializer,
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
            )
        self._enable_lora_if_asked()

    @property
    def output_shape(self) -> tuple[int | None, ...]:
        """The constructor's `output_shape`, as a tuple."""
        return self.partial_output_shape

    @property
    def kernel(self) -> Any:
        """The kernel, with the update of LoRA if there is one."""
        update = self._kernel_update
        return self._kernel if update is None else update(self._kernel)

    def call(self, inputs: Any, training: bool | None = None) -> Any:
        """`activation(einsum(equation, inputs, kernel) + bias)`."""
        x = ops.einsum(self.equation, inputs, self.kernel)
        if self.bias is not None:
            x = ops.add(x, self.bias)
        activation = self.activation
        return x if activation is linear else activation(x)

    def compute_output_shape(self, input_shape: Sequence[int | None]) -> tuple[int | None, ...]:
        """Shape of the output for an input of shape `input_shape`."""
        plan = plan_einsum(self.equation, None, input_shape, self.partial_output_shape)
        return plan.output_shape


class EinsumPlan(NamedTuple):
    """The shapes that an equation gives for one input shape."""

    kernel_shape: tuple[int, ...]
    bias_shape: tuple[int, ...] | None
    output_shape: tuple[int | None, ...]
    input_axes: tuple[int, ...]  # axes of the kernel that are summed over
    output_axes: tuple[int, ...]  # the other ones


def plan_einsum(
    equation: str,
    bias_axes: str | None,
    input_shape: Sequence[int | None],
    output_shape: Sequence[int | None],
) -> EinsumPlan:
    """Works out the shapes of kernel, bias and output.

    Raises:
        ValueError: the equation, the input and `output_shape` contradict each other.
    """
    inputs, kernel, output = _without_ellipsis(equation, len(input_shape))
    if len(inputs) != len(input_shape):
        raise ValueError(
            f"The equation {equation!r} describes inputs of rank {len(inputs)}. "
            f"Received: input_shape={tuple(input_shape)}"
        )
    sizes = dict(zip(inputs, input_shape, strict=True))
    full = _full_output(equation, output, sizes, output_shape)
    sizes.update({k: v for k, v in zip(output, full, strict=True) if k not in sizes})
    kernel_shape = tuple(sizes.get(letter) for letter in kernel)
    if None in kernel_shape:
        unknown = [k for k in kernel if sizes.get(k) is None]
        raise ValueError(
            f"The size of the kernel's axes {unknown} in {equation!r} follows neither from the "
            f"input shape {tuple(input_shape)} nor from output_shape={tuple(output_shape)}."
        )
    return EinsumPlan(
        kernel_shape,  # type: ignore[arg-type]
        _bias_shape(equation, bias_axes, output, full),
        full,
        tuple(i for i, letter in enumerate(kernel) if letter not in output),
        tuple(i for i, letter in enumerate(kernel) if letter in output),
    )


def _split(equation: str) -> tuple[str, str, str]:
    operands, arrow, output = equation.replace(" ", "").partition("->")
    parts = operands.split(",")
    if not arrow or len(parts) != 2 or not all(parts):
        raise ValueError(
            "`equation` must have the form 'inputs,kernel->output', such as 'abc,cd->abd'. "
            f"Received: equation={equation!r}"
        )
    inputs, kernel = parts
    for part in (inputs, output):
        dots = part.replace("...", "", 1)
        if "." in dots or (dots != part and not (part.startswith("...") or part.endswith("..."))):
            raise ValueError(
                "An ellipsis in `equation` must stand at the start or the end of the inputs and "
                f"of the output, once. Received: equation={equation!r}"
            )
    if "." in kernel or ("..." in inputs) != ("..." in output):
        raise ValueError(
            "An ellipsis in `equation` must stand in the inputs and the output, and not in the "
            f"kernel. Received: equation={equation!r}"
        )
    return inputs, kernel, output


def _without_ellipsis(equation: str, ndim: int) -> tuple[str, str, str]:
    inputs, kernel, output = _split(equation)
    if "..." not in inputs:
        return inputs, kernel, output
    used = set(equation)
    fresh = [letter for letter in string.ascii_letters if letter not in used]
    dots = "".join(fresh[: max(ndim - (len(inputs) - 3), 0)])
    return inputs.replace("...", dots), kernel, output.replace("...", dots)


def _full_output(
    equation: str,
    output: str,
    sizes: dict[str, int | None],
    given: Sequence[int | None],
) -> tuple[int | None, ...]:
    given = list(given)
    known = len(output) - 1  # all axes but the first
    leading_dots = equation.replace(" ", "").partition("->")[2].startswith("...")
    missing = known - len(given)
    if "..." in equation and missing > 0:
        given = [None] * missing + given if leading_dots else given + [None] * missing
    if len(given) != known and not ("..." in equation and len(given) == known + 1):
        raise ValueError(
            f"`output_shape` must have {known} entries for the equation {equation!r}: the sizes "
            f"of the output's axes without the first. Received: output_shape={tuple(given)}"
        )
    entries = given if len(given) == known + 1 else [None, *given]
    full = []
    for letter, size in zip(output, entries, strict=True):
        own = sizes.get(letter)
        if letter in sizes and size is not None and own is not None and own != size:
            raise ValueError(
                f"`output_shape` gives {size} for the axis {letter!r} of {equation!r}, but the "
                f"input has {own} there."
            )
        full.append(own if size is None else size)
    return tuple(full)


def _bias_shape(
    equation: str, bias_axes: str | None, output: str, full: Sequence[int | None]
) -> tuple[int, ...] | None:
    if not bias_axes:
        return None
    unknown = [letter for letter in bias_axes if letter not in output]
    if unknown:
        raise ValueError(
            f"`bias_axes` must name axes of the output of {equation!r} ({output!r}). "
            f"Received: bias_axes={bias_axes!r}"
        )
    first = min(output.index(letter) for letter in bias_axes)
    shape = [
        size if letter in bias_axes else 1
        for letter, size in zip(output[first:], full[first:], strict=True)
    ]
    if None in shape:
        raise ValueError(
            f"The sizes of the axes `bias_axes`={bias_axes!r} must be known. They are {shape} for "
            f"the equation {equation!r}."
        )
    return tuple(shape)  # type: ignore[arg-type]


def _with_axes(initializer: Any, plan: EinsumPlan) -> Any:
    if not isinstance(initializer, initializers.VarianceScaling):
        return initializer
    if initializer.input_axes is not None or initializer.output_axes is not None:
        return initializer
    return initializer.with_axes(plan.input_axes, plan.output_axes)
