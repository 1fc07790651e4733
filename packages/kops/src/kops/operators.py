"""Python operators of `Variable` and `KerasTensor`: each is the op of the same meaning."""

from __future__ import annotations

from typing import Any

__all__ = ["OPS", "Operators"]

# Every declared op by name; filled by the `op` decorator.
OPS: dict[str, Any] = {}


class Operators:
    """Mixin giving a tensor-like class the operators of arrays."""

    __slots__ = ()
    shape: tuple[int | None, ...]

    def _op(self, name: str, *args: Any) -> Any:
        return OPS[name].function(*args)

    def __add__(self, other: Any) -> Any:
        return self._op("add", self, other)

    def __radd__(self, other: Any) -> Any:
        return self._op("add", other, self)

    def __sub__(self, other: Any) -> Any:
        return self._op("subtract", self, other)

    def __rsub__(self, other: Any) -> Any:
        return self._op("subtract", other, self)

    def __mul__(self, other: Any) -> Any:
        return self._op("multiply", self, other)

    def __rmul__(self, other: Any) -> Any:
        return self._op("multiply", other, self)

    def __truediv__(self, other: Any) -> Any:
        return self._op("divide", self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return self._op("divide", other, self)

    def __floordiv__(self, other: Any) -> Any:
        return self._op("floor_divide", self, other)

    def __rfloordiv__(self, other: Any) -> Any:
        return self._op("floor_divide", other, self)

    def __mod__(self, other: Any) -> Any:
        return self._op("mod", self, other)

    def __rmod__(self, other: Any) -> Any:
        return self._op("mod", other, self)

    def __pow__(self, other: Any) -> Any:
        return self._op("power", self, other)

    def __rpow__(self, other: Any) -> Any:
        return self._op("power", other, self)

    def __matmul__(self, other: Any) -> Any:
        return self._op("matmul", self, other)

    def __rmatmul__(self, other: Any) -> Any:
        return self._op("matmul", other, self)

    def __neg__(self) -> Any:
        return self._op("negative", self)

    def __pos__(self) -> Any:
        return self

    def __abs__(self) -> Any:
        return self._op("absolute", self)

    def __invert__(self) -> Any:
        return self._op("logical_not" if self.dtype == "bool" else "bitwise_not", self)  # type: ignore[attr-defined]

    def __lt__(self, other: Any) -> Any:
        return self._op("less", self, other)

    def __le__(self, other: Any) -> Any:
        return self._op("less_equal", self, other)

    def __gt__(self, other: Any) -> Any:
        return self._op("greater", self, other)

    def __ge__(self, other: Any) -> Any:
        return self._op("greater_equal", self, other)

    def __ne__(self, other: object) -> Any:
        return self._op("not_equal", self, other)

    def _bitwise(self, name: str, *args: Any) -> Any:
        prefix = "logical_" if self.dtype == "bool" else "bitwise_"  # type: ignore[attr-defined]
        return self._op(prefix + name, *args)

    def __and__(self, other: Any) -> Any:
        return self._bitwise("and", self, other)

    def __rand__(self, other: Any) -> Any:
        return self._bitwise("and", other, self)

    def __or__(self, other: Any) -> Any:
        return self._bitwise("or", self, other)

    def __ror__(self, other: Any) -> Any:
        return self._bitwise("or", other, self)

    def __xor__(self, other: Any) -> Any:
        return self._bitwise("xor", self, other)

    def __rxor__(self, other: Any) -> Any:
        return self._bitwise("xor", other, self)

    def __round__(self, ndigits: int | None = None) -> Any:
        return self._op("round", self, ndigits or 0)

    def __getitem__(self, key: Any) -> Any:
        return self._op("get_item", self, key)

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)
