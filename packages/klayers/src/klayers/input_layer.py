"""`Input` and `InputLayer`: where a graph of layers starts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from klayers.layer import Layer
from kops import config, dtypes
from kops.keras_tensor import KerasTensor
from kops.operation import Node
from kops.registry import export

__all__ = ["Input", "InputLayer"]


@export("keras.layers.InputLayer")
class InputLayer(Layer):
    """A layer that hands out one symbolic tensor; `Input` makes it.

    Args:
        shape: shape without the batch axis; None for unknown sizes.
        batch_size: size of the batch axis; None: unknown.
        dtype: dtype; `floatx` if None.
        sparse: kept for Keras: whether values will be sparse.
        ragged: kept for Keras: whether values will be ragged.
        batch_shape: the whole shape, in place of `shape` and `batch_size`.
        input_tensor: symbolic tensor to use, in place of a new one.
        optional: whether the value may be None.
        name: name.

    Example:

    >>> from klayers.layers import InputLayer
    >>> InputLayer((3,)).batch_shape
    (None, 3)
    """

    def __init__(
        self,
        shape: Sequence[int | None] | int | None = None,
        batch_size: int | None = None,
        dtype: Any = None,
        sparse: bool | None = None,
        ragged: bool | None = None,
        batch_shape: Sequence[int | None] | None = None,
        input_tensor: KerasTensor | None = None,
        optional: bool = False,
        name: str | None = None,
        **kwargs: Any,
    ):
        if "input_shape" in kwargs:
            shape = kwargs.pop("input_shape")
        if "batch_input_shape" in kwargs:
            batch_shape = kwargs.pop("batch_input_shape")
        super().__init__(name=name, **kwargs)
        if input_tensor is not None:
            shape, batch_shape, dtype, sparse, ragged = _from_tensor(input_tensor)
        if shape is not None and batch_shape is not None:
            raise ValueError(
                f"Pass `shape` or `batch_shape`, not both; got shape={shape}, "
                f"batch_shape={batch_shape}."
            )
        if batch_shape is None:
            if shape is None:
                raise ValueError(
                    "`shape` is missing: the shape of one sample, such as `Input(shape=(28, 28))`."
                )
            sizes = _sizes(shape, "shape")
            self._batch_shape = (None if batch_size is None else int(batch_size), *sizes)
        else:
            self._batch_shape = _sizes(batch_shape, "batch_shape")
        self._input_dtype = dtypes.standardize(config.floatx() if dtype is None else dtype)
        self.sparse = bool(sparse)
        self.ragged = bool(ragged)
        if self.sparse and self.ragged:
            raise ValueError("`sparse` and `ragged` cannot both be True.")
        self.optional = bool(optional)
        self.built = True
        self._make_tensor(input_tensor)

    def _make_tensor(self, tensor: KerasTensor | None = None) -> None:
        if tensor is None:
            tensor = KerasTensor(
                self._batch_shape,
                dtype=self._input_dtype,
                sparse=self.sparse,
                ragged=self.ragged,
                name=self.name,
            )
        Node(self, (), {}, tensor)

    def __setstate__(self, fields: dict[str, Any]) -> None:
        super().__setstate__(fields)
        self._make_tensor()

    def call(self) -> Any:
        """Not for use: the tensor is `layer.output`."""
        raise NotImplementedError("An InputLayer is not called; its tensor is `layer.output`.")

    @property
    def batch_shape(self) -> tuple[int | None, ...]:
        """The whole shape."""
        return self._batch_shape

    @property
    def dtype(self) -> str:
        """Dtype of the tensor."""
        return self._input_dtype

    def get_config(self) -> dict[str, Any]:
        """Constructor arguments."""
        return {
            "batch_shape": self.batch_shape,
            "dtype": self.dtype,
            "sparse": self.sparse,
            "ragged": self.ragged,
            "name": self.name,
            "optional": self.optional,
        }


def _from_tensor(x: Any) -> tuple[None, tuple[int | None, ...], str, bool, bool]:
    if not isinstance(x, KerasTensor):
        raise ValueError(f"`input_tensor` must be a symbolic tensor (KerasTensor); got {x!r}.")
    return None, x.shape, x.dtype, x.sparse, x.ragged


def _sizes(shape: Any, name: str) -> tuple[int | None, ...]:
    if isinstance(shape, int) and not isinstance(shape, bool):
        shape = (shape,)
    valid = isinstance(shape, (list, tuple)) and all(s is None or _is_size(s) for s in shape)
    if not valid:
        raise ValueError(
            f"`{name}` must be a tuple of non-negative ints, with None for unknown sizes; "
            f"got {shape!r}."
        )
    return tuple(None if s is None else int(s) for s in shape)  # type: ignore[union-attr]


def _is_size(value: Any) -> bool:
    return hasattr(value, "__index__") and not isinstance(value, bool) and int(value) >= 0


@export("keras.Input", "keras.layers.Input")
def Input(
    shape: Sequence[int | None] | int | None = None,
    batch_size: int | None = None,
    dtype: Any = None,
    sparse: bool | None = None,
    ragged: bool | None = None,
    batch_shape: Sequence[int | None] | None = None,
    name: str | None = None,
    tensor: KerasTensor | None = None,
    optional: bool = False,
) -> KerasTensor:
    """A symbolic tensor to build a model on.

    Args:
        shape: shape of one sample, without the batch axis; None for unknown sizes.
        batch_size: size of the batch axis; None: unknown.
        dtype: dtype; `floatx` if None.
        sparse: whether values will be sparse.
        ragged: whether values will be ragged.
        batch_shape: the whole shape, in place of `shape` and `batch_size`.
        name: name of the input, by which a dictionary of inputs names it.
        tensor: symbolic tensor to use, in place of a new one.
        optional: whether the value may be None.

    Example:

    >>> from klayers import Input
    >>> Input(shape=(28, 28, 1), name="image")
    <KerasTensor shape=(None, 28, 28, 1), dtype=float32, name=image>
    """
    layer = InputLayer(
        shape=shape,
        batch_size=batch_size,
        dtype=dtype,
        sparse=sparse,
        ragged=ragged,
        batch_shape=batch_shape,
        input_tensor=tensor,
        optional=optional,
        name=name,
    )
    return layer.output
