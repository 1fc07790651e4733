"""`KerasTensor`: a tensor without values, the currency of symbolic calls."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from kops import dtypes
from kops.dim import Dim, Size, as_int
from kops.naming import auto_name
from kops.operators import Operators
from kops.registry import export

if TYPE_CHECKING:
    from kops.operation import Operation

__all__ = ["KerasHistory", "KerasTensor", "any_symbolic", "is_keras_tensor"]


class KerasHistory(NamedTuple):
    """Where a symbolic tensor comes from."""

    operation: Operation
    node_index: int
    tensor_index: int


def _dims(shape: Iterable[Any]) -> tuple[Size, ...]:
    result: list[Size] = []
    for size in shape:
        if size is None:
            result.append(Dim())
        elif isinstance(size, Dim):
            result.append(size)
        elif hasattr(size, "__index__") and not isinstance(size, bool) and int(size) >= 0:
            result.append(int(size))
        else:
            raise ValueError(
                f"`shape` must hold non-negative ints and None; got {size!r} in {shape!r}."
            )
    return tuple(result)


@export("keras.KerasTensor")
class KerasTensor(Operators):
    """Symbolic tensor: a shape and a dtype, and the operation that it came out of.

    Args:
        shape: sizes; None where unknown.
        dtype: dtype name.
        sparse: kept for Keras; sparse values are an engine's matter.
        ragged: likewise.
        record_history: whether operations on this tensor make graph nodes.
        name: optional name.

    Example:

    >>> x = KerasTensor((None, 3))
    >>> x.shape, (x + 1).shape, x.dims[0] * 2 == x.dims[0] + x.dims[0]
    ((None, 3), (None, 3), True)
    """

    def __init__(
        self,
        shape: Sequence[int | Dim | None],
        dtype: Any = "float32",
        sparse: bool = False,
        ragged: bool = False,
        record_history: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ):
        if kwargs.keys() - {"ragged_rank", "row_splits_dtype"}:
            raise TypeError(f"KerasTensor got unexpected arguments {sorted(kwargs)}.")
        self.dims: tuple[Size, ...] = _dims(shape)
        self.dtype: str = dtypes.standardize(dtype)
        self.sparse = sparse
        self.ragged = ragged
        self.record_history = record_history
        self._name = name
        self._keras_history: KerasHistory | None = None

    @classmethod
    def of(cls, dims: tuple[Size, ...], dtype: str) -> KerasTensor:
        """A tensor from sizes and a dtype known to be valid: the quick way in."""
        x = cls.__new__(cls)
        x.dims, x.dtype, x.sparse, x.ragged = dims, dtype, False, False
        x.record_history, x._name, x._keras_history = True, None, None
        return x

    @property
    def name(self) -> str:
        """Name, made at first use."""
        if self._name is None:
            self._name = auto_name("KerasTensor")
        return self._name

    @name.setter
    def name(self, value: str) -> None:
        self._name = value

    @property
    def shape(self) -> tuple[int | None, ...]:
        """Sizes; None where unknown."""
        return tuple([as_int(d) for d in self.dims])

    @property
    def rank(self) -> int:
        """Number of axes."""
        return len(self.dims)

    ndim = rank  # type: ignore[assignment]

    @property
    def size(self) -> Size:
        """Number of elements; a Dim where unknown."""
        total: Size = 1
        for d in self.dims:
            total = total * d
        return total

    @property
    def T(self) -> Any:
        """The transpose."""
        return self._op("transpose", self)

    def reshape(self, *newshape: Any) -> Any:
        """See `ops.reshape`."""
        if len(newshape) == 1 and isinstance(newshape[0], (tuple, list)):
            newshape = tuple(newshape[0])
        return self._op("reshape", self, newshape)

    def squeeze(self, axis: int | tuple[int, ...] | None = None) -> Any:
        """See `ops.squeeze`."""
        return self._op("squeeze", self, axis)

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)

    def __repr__(self) -> str:
        name = f", name={self._name}" if self._name else ""
        return f"<KerasTensor shape={self.shape}, dtype={self.dtype}{name}>"

    def _no_values(self, what: str) -> TypeError:
        return TypeError(
            f"{self!r} has no values, so it cannot be {what}. Use `keras.ops` functions or "
            "layers on symbolic tensors; to run other code on the values, put it in the "
            "`call` of a `keras.Layer`."
        )

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise self._no_values("turned into a NumPy array")

    def __tf_tensor__(self, dtype: Any = None, name: Any = None) -> Any:
        raise self._no_values("passed to a TensorFlow function")

    def __jax_array__(self) -> Any:
        raise self._no_values("passed to a JAX function")

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        raise self._no_values("passed to a torch function")

    def __bool__(self) -> bool:
        raise self._no_values("used as a Python bool (as in `if`)")

    def __float__(self) -> float:
        raise self._no_values("turned into a float")

    def __int__(self) -> int:
        raise self._no_values("turned into an int")

    __index__ = __int__

    def __len__(self) -> int:
        raise self._no_values("measured with len(); use x.shape")

    def __iter__(self) -> Any:
        raise self._no_values("iterated over; use ops.unstack")

    def __reduce__(self) -> Any:
        return _rebuild, (self.shape, self.dtype, self.sparse, self.ragged, self._name)


def _rebuild(shape: Any, dtype: str, sparse: bool, ragged: bool, name: str | None) -> KerasTensor:
    return KerasTensor(shape, dtype, sparse=sparse, ragged=ragged, name=name)


@export("keras.backend.is_keras_tensor", "keras.utils.is_keras_tensor")
def is_keras_tensor(x: Any) -> bool:
    """Whether `x` is a symbolic tensor of this library.

    Example:

    >>> is_keras_tensor(KerasTensor((2,))), is_keras_tensor(2)
    (True, False)
    """
    return isinstance(x, KerasTensor)


def any_symbolic(values: Any) -> bool:
    """Whether a nested structure of lists, tuples and dicts holds a symbolic tensor."""
    if isinstance(values, KerasTensor):
        return True
    if isinstance(values, (tuple, list)):
        return any(map(any_symbolic, values))
    if isinstance(values, dict):
        return any(map(any_symbolic, values.values()))
    return False
