"""What several families of layers share: bases for layers of one tensor, argument checks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from klayers import hooks
from klayers.layer import Layer

__all__ = [
    "LoraMixin",
    "SameShapeLayer",
    "TensorLayer",
    "axes_tuple",
    "check_choice",
    "check_positive_int",
    "check_rate",
    "int_tuple",
]


class TensorLayer(Layer):
    """Base of layers that map one tensor to one tensor."""

    def compute_output_shape(self, input_shape: Sequence[int | None]) -> Any:
        """Shape of the output for an input of shape `input_shape`."""
        return super().compute_output_shape(input_shape)


class LoraMixin:
    """A layer whose kernel may get a low-rank update that trains in its place.

    `_kernel_update`, set by the package that offers LoRA, maps the stored weight to the one
    that the layer computes with.
    """

    _kernel_update: Callable[[Any], Any] | None = None

    def enable_lora(
        self,
        rank: int,
        lora_alpha: float | None = None,
        a_initializer: Any = "he_uniform",
        b_initializer: Any = "zeros",
    ) -> None:
        """Freezes the kernel and trains a low-rank update of it.

        Args:
            rank: rank of the update.
            lora_alpha: numerator of its factor `lora_alpha / rank`; `rank` for None.
            a_initializer: first value of the update's first matrix.
            b_initializer: first value of the second; zeros start from the kernel itself.

        Raises:
            ImportError: kquant, which does the work, is not installed.
        """
        hooks.find_hook("enable_lora")(
            self,
            rank,
            lora_alpha=lora_alpha,
            a_initializer=a_initializer,
            b_initializer=b_initializer,
        )

    def _enable_lora_if_asked(self) -> None:
        if self.lora_rank:  # type: ignore[attr-defined]
            self.enable_lora(self.lora_rank, lora_alpha=self.lora_alpha)  # type: ignore[attr-defined]


class SameShapeLayer(TensorLayer):
    """Base of layers whose output has the shape of the input."""

    def compute_output_shape(self, input_shape: Sequence[int | None]) -> tuple[int | None, ...]:
        """Shape of the output: that of the input."""
        return tuple(input_shape)


def int_tuple(value: Any, n: int, name: str, allow_zero: bool = False) -> tuple[int, ...]:
    """`value`, an integer or `n` of them, as a tuple of `n` integers.

    Raises:
        ValueError: another number of values, or one that is no positive (with
            `allow_zero` no non-negative) integer.
    """
    values = tuple(value) if isinstance(value, (list, tuple, np.ndarray)) else (value,) * n
    least = 0 if allow_zero else 1
    if len(values) != n or not all(_is_int(v) and v >= least for v in values):
        kind = "non-negative" if allow_zero else "positive"
        many = f"{n} {kind} integers" if n > 1 else f"one {kind} integer"
        raise ValueError(f"`{name}` must be a {kind} integer or {many}. Received: {name}={value!r}")
    return tuple(int(v) for v in values)


def check_positive_int(value: Any, name: str) -> int:
    """`value` as an int.

    Raises:
        ValueError: it is no positive integer.
    """
    if not _is_int(value) or value <= 0:
        raise ValueError(f"`{name}` must be a positive integer. Received: {name}={value!r}")
    return int(value)


def check_rate(value: Any, name: str = "rate") -> float:
    """`value`, a fraction.

    Raises:
        ValueError: it is no number between 0 and 1.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)):
        raise ValueError(f"`{name}` must be a number between 0 and 1. Received: {name}={value!r}")
    if not 0 <= value <= 1:
        raise ValueError(f"`{name}` must be a number between 0 and 1. Received: {name}={value!r}")
    return value  # type: ignore[return-value]


def check_choice(value: Any, choices: Sequence[Any], name: str) -> Any:
    """`value`.

    Raises:
        ValueError: it is none of `choices`.
    """
    if value not in choices:
        accepted = ", ".join(repr(c) for c in choices)
        raise ValueError(f"`{name}` must be one of {accepted}. Received: {name}={value!r}")
    return value


def axes_tuple(axis: int | Sequence[int], ndim: int, name: str = "axis") -> tuple[int, ...]:
    """`axis` as a sorted tuple of non-negative axes of a tensor of rank `ndim`.

    Raises:
        ValueError: an axis out of range, or given twice.
    """
    given = tuple(axis) if isinstance(axis, (list, tuple)) else (axis,)
    axes = tuple(sorted(a + ndim if a < 0 else a for a in given))
    if any(not 0 <= a < ndim for a in axes):
        raise ValueError(f"`{name}`={axis!r} is out of range for an input of rank {ndim}.")
    if len(set(axes)) != len(axes):
        raise ValueError(f"`{name}`={axis!r} repeats an axis (input of rank {ndim}).")
    return axes


def _is_int(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)
