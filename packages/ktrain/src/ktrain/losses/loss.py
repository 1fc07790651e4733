"""`Loss`: what every loss shares (dtype, masks, sample weights, reduction)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Self

from kops import config, dtypes, masks, ops, tree
from kops.naming import to_snake_case
from kops.registry import export
from ktrain.losses.shapes import align_rank, align_weight

__all__ = ["REDUCTIONS", "FunctionLoss", "Loss", "compute_dtype", "reduce_weighted"]

REDUCTIONS = (
    "sum_over_batch_size",
    "sum",
    "mean",
    "mean_with_sample_weight",
    "none",
    None,
)


@export("keras.Loss", "keras.losses.Loss")
class Loss:
    """Base of the losses: `call` gives one value per sample, `__call__` reduces them.

    Subclasses override `call(y_true, y_pred)`, which returns a tensor whose first
    axis is the batch. Sample weights, the mask attached to `y_pred` and the
    reduction are applied here.

    Args:
        name: the loss's name; by default the class name in snake case.
        reduction: how per-sample values become the result.
            `"sum_over_batch_size"` and `"mean"`: the weighted sum divided by the
            number of (unmasked) values; `"sum"`: the weighted sum;
            `"mean_with_sample_weight"`: the weighted sum divided by the sum of
            the weights; `"none"` or `None`: no reduction.
        dtype: dtype (or dtype policy) of the computation; by default `floatx`.

    Call arguments:
        y_true: targets, a tensor or a nested structure of tensors.
        y_pred: predictions, in the same structure.
        sample_weight: scalar, or a tensor that broadcasts to the per-sample
            values; one of lower rank is aligned with the first axes.

    Returns:
        A scalar in `dtype`, or the weighted values when nothing is reduced. The
        mean over an empty batch is 0.

    Raises:
        ValueError: `reduction` is unknown.

    Example:
    ```python
    >>> from kops import ops
    >>> from ktrain.losses import Loss
    >>> class Squared(Loss):
    ...     def call(self, y_true, y_pred):
    ...         return ops.mean(ops.square(y_true - y_pred), axis=-1)
    >>> float(Squared()([[0.0, 1.0]], [[0.0, 0.0]]))
    0.5

    ```
    """

    _targets_dtype: ClassVar[str | None] = "own"
    """`None`: the targets keep their dtype (class ids stay integers)."""

    def __init__(
        self,
        name: str | None = None,
        reduction: str | None = "sum_over_batch_size",
        dtype: Any = None,
    ) -> None:
        if reduction not in REDUCTIONS:
            accepted = ", ".join(map(repr, REDUCTIONS))
            raise ValueError(
                f"Invalid value for argument `reduction`. Expected one of {accepted}. "
                f"Received: reduction={reduction!r}"
            )
        self.name = name or to_snake_case(type(self).__name__)
        self.reduction = reduction
        self._dtype = compute_dtype(dtype)

    @property
    def dtype(self) -> str:
        """The dtype the loss is computed in."""
        return self._dtype

    def __call__(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        mask = masks.get_mask(y_pred)
        target_dtype = self._dtype if self._targets_dtype else None
        y_pred = _convert(y_pred, self._dtype)
        y_true = _convert(y_true, target_dtype)
        values = self.call(y_true, y_pred)
        own_mask = masks.get_mask(values)
        if own_mask is not None and own_mask is not mask:
            mask = own_mask if mask is None else ops.logical_and(mask, own_mask)
        return reduce_weighted(values, sample_weight, mask, self.reduction, self._dtype)

    def call(self, y_true: Any, y_pred: Any) -> Any:
        """The unreduced loss of each sample; to be overridden."""
        raise NotImplementedError(
            f"{type(self).__name__} must override `call(y_true, y_pred)`, which returns one "
            "loss value per sample."
        )

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments as plain values."""
        result: dict[str, Any] = {"name": self.name, "reduction": self.reduction}
        # Other readers of the file take `floatx` when the key is absent.
        if self._dtype != config.floatx():
            result["dtype"] = self._dtype
        return result

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """Builds the loss from what `get_config` returned."""
        return cls(**config)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} name={self.name}>"


class FunctionLoss(Loss):
    """A loss given by a function of `(y_true, y_pred, **options)`.

    The options are attributes named in `_options`; they are passed to the function
    and written to the config.
    """

    _function: ClassVar[Callable[..., Any]]
    _options: ClassVar[tuple[str, ...]] = ()

    def call(self, y_true: Any, y_pred: Any) -> Any:
        """The function's value, ranks lined up first."""
        if hasattr(y_true, "dtype") and hasattr(y_pred, "dtype"):  # not several tensors
            y_true, y_pred = align_rank(y_true, y_pred)
        options = {name: getattr(self, name) for name in self._options}
        return type(self)._function(y_true, y_pred, **options)

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments as plain values."""
        return {**super().get_config(), **{name: getattr(self, name) for name in self._options}}


def compute_dtype(dtype: Any) -> str:
    """The dtype to compute in, given a dtype, a dtype policy (or its name) or None."""
    if dtype is None:
        return config.floatx()
    policy = getattr(dtype, "compute_dtype", None)
    if policy is not None:
        return policy
    if isinstance(dtype, dict):  # a serialized policy
        dtype = dtype["config"]["name"]
    if isinstance(dtype, str) and dtype.startswith("mixed_"):
        dtype = dtype.removeprefix("mixed_")
    return dtypes.standardize(dtype)


def _convert(x: Any, dtype: str | None) -> Any:
    if hasattr(x, "dtype"):  # a tensor or array, by far the most frequent
        return ops.convert_to_tensor(x, dtype)
    if not tree.is_nested(x) or _is_numbers(x):
        return ops.convert_to_tensor(x, dtype)
    return tree.map_structure(lambda leaf: ops.convert_to_tensor(leaf, dtype), x)


def _is_numbers(x: Any) -> bool:
    """A nested list of numbers is one array; a container of tensors is several."""
    return isinstance(x, (list, tuple)) and all(
        isinstance(leaf, (bool, int, float)) for leaf in tree.flatten(x)
    )


def reduce_weighted(
    values: Any,
    sample_weight: Any = None,
    mask: Any = None,
    reduction: str | None = "sum_over_batch_size",
    dtype: str | None = None,
) -> Any:
    """Applies weights and mask to per-sample values and reduces them to `dtype`."""
    dtype = dtype or config.floatx()
    if sample_weight is None and mask is None:
        return _reduce(values, reduction)
    values = ops.convert_to_tensor(values, dtype)
    weight = valid = None
    if sample_weight is not None:
        values, weight = align_weight(values, ops.convert_to_tensor(sample_weight, dtype))
    if mask is not None:
        values, mask = align_weight(values, ops.cast(mask, dtype))
        # A masked value may be NaN or infinite, and 0 * NaN is NaN.
        values = ops.where(mask > 0, values, 0.0)
        valid = ops.sum(ops.broadcast_to(mask, ops.shape(values)))
        weight = mask if weight is None else weight * mask
    values = values * weight
    if reduction in ("sum", "none", None):
        return _reduce(values, reduction)
    if reduction == "mean_with_sample_weight":
        return ops.divide_no_nan(ops.sum(values), ops.sum(weight))
    if valid is not None:
        return ops.divide_no_nan(ops.sum(values), valid)
    return _reduce(values, reduction)


def _reduce(values: Any, reduction: str | None) -> Any:
    if reduction in ("none", None):
        return values
    if reduction == "sum" or 0 in tuple(values.shape):  # the mean of nothing is no loss: 0
        return ops.sum(values)
    return ops.mean(values)
