"""Building an ONNX graph: names, constants, casts and sizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from kops import KerasTensor, Variable
from kops.backend import current
from kops.dim import Dim, Size

__all__ = ["ONNX_DTYPES", "Graph", "Value"]

ONNX_DTYPES: Mapping[str, int] = {
    "bool": TensorProto.BOOL,
    "uint8": TensorProto.UINT8,
    "uint16": TensorProto.UINT16,
    "uint32": TensorProto.UINT32,
    "uint64": TensorProto.UINT64,
    "int8": TensorProto.INT8,
    "int16": TensorProto.INT16,
    "int32": TensorProto.INT32,
    "int64": TensorProto.INT64,
    "bfloat16": TensorProto.BFLOAT16,
    "float16": TensorProto.FLOAT16,
    "float32": TensorProto.FLOAT,
    "float64": TensorProto.DOUBLE,
}


class Value(NamedTuple):
    """A tensor in the graph; `array` holds the values of a constant."""

    name: str
    dtype: str
    dims: tuple[Size, ...]
    array: np.ndarray | None = None

    @property
    def ndim(self) -> int:
        return len(self.dims)


class Graph:
    """A growing ONNX graph."""

    def __init__(self) -> None:
        self.out: Any = None  # the spec of the result(s) of the op being emitted
        self.nodes: list[onnx.NodeProto] = []
        self.initializers: list[onnx.TensorProto] = []
        self.values: dict[int, Value] = {}
        self._kept: list[Any] = []  # keeps the ids in `values` valid
        self._names: dict[str, int] = {}
        self._variables: dict[int, Value] = {}
        self._casts: dict[tuple[str, str], Value] = {}
        self._sizes: dict[int, tuple[Value, int]] = {}
        self._shape_names: dict[tuple[str, int], str] = {}

    # -- names --------------------------------------------------------------------------

    def unique(self, name: str) -> str:
        """`name`, with a number behind it if it is taken."""
        n = self._names.get(name, 0)
        self._names[name] = n + 1
        return f"{name}_{n}" if n else name

    # -- tensors ------------------------------------------------------------------------

    def bind(self, tensor: KerasTensor, value: Value) -> None:
        """Says which value stands for a symbolic tensor."""
        self.values[id(tensor)] = value
        self._kept.append(tensor)
        for axis, dim in enumerate(tensor.dims):
            if isinstance(dim, Dim) and dim.symbol is not None:
                self._sizes.setdefault(dim.symbol, (value, axis))

    def tensor(self, x: Any, dtype: str | None = None) -> Value:
        """The value for anything an op takes as a tensor, cast to `dtype`."""
        if isinstance(x, Value):
            value = x
        elif isinstance(x, KerasTensor):
            value = self.values[id(x)]
        elif isinstance(x, Variable):
            value = self._variable(x)
        else:
            eng = current()
            array = eng.to_numpy(eng.convert(x, dtype) if dtype else eng.convert(x))
            value = self.constant(array, dtype)
        return value if dtype is None or value.dtype == dtype else self.cast(value, dtype)

    def _variable(self, variable: Variable) -> Value:
        found = self._variables.get(id(variable))
        if found is None:
            array = np.asarray(variable.numpy())
            found = self._variables[id(variable)] = self.constant(array, name=variable.path)
            self._kept.append(variable)
        return found

    def constant(self, array: Any, dtype: str | None = None, name: str = "constant") -> Value:
        """An initializer."""
        array = np.ascontiguousarray(array).reshape(np.shape(array))
        if dtype is not None:
            array = array.astype(helper.tensor_dtype_to_np_dtype(ONNX_DTYPES[dtype]))
        name = self.unique(name)
        self.initializers.append(numpy_helper.from_array(array, name))
        return Value(name, dtype or array.dtype.name, array.shape, array)

    def ints(self, values: Sequence[int] | int) -> Value:
        """An int64 constant: what ONNX takes as axes, shapes and positions."""
        return self.constant(np.asarray(values, np.int64), name="ints")

    def cast(self, value: Value, dtype: str) -> Value:
        """The value in another dtype, made once."""
        if dtype not in ONNX_DTYPES:
            raise NotImplementedError(f"ONNX has no dtype for {dtype!r}.")
        if value.dtype == dtype:
            return value
        if value.array is not None:
            return self.constant(value.array, dtype, name=value.name)
        key = (value.name, dtype)
        if key not in self._casts:
            self._casts[key] = self.op(
                "Cast", value, dtype=dtype, dims=value.dims, to=ONNX_DTYPES[dtype]
            )
        return self._casts[key]

    # -- nodes --------------------------------------------------------------------------

    def op(
        self,
        op_type: str,
        *inputs: Value | None,
        dtype: str | None = None,
        dims: Sequence[Size] | None = None,
        **attributes: Any,
    ) -> Value:
        """Adds a node with one output; dtype and sizes are the first input's by default."""
        return self.ops(op_type, *inputs, outputs=[(dtype, dims)], **attributes)[0]

    def ops(
        self,
        op_type: str,
        *inputs: Value | None,
        outputs: Sequence[tuple[str | None, Sequence[Size] | None] | None],
        **attributes: Any,
    ) -> list[Any]:
        """Adds a node; `outputs` gives (dtype, sizes) for each result, None to leave one out."""
        first = next((i for i in inputs if i is not None), None)
        made: list[Value | None] = []
        for out in outputs:
            if out is None:
                made.append(None)
                continue
            dtype, dims = out
            made.append(
                Value(
                    self.unique(op_type.lower()),
                    dtype or first.dtype,  # type: ignore[union-attr]
                    tuple(first.dims if dims is None else dims),  # type: ignore[union-attr]
                )
            )
        self.nodes.append(
            helper.make_node(
                op_type,
                ["" if i is None else i.name for i in inputs],
                ["" if m is None else m.name for m in made],
                name=self.unique(f"node_{op_type}"),
                **{k: v for k, v in attributes.items() if v is not None},
            )
        )
        return made

    # -- sizes --------------------------------------------------------------------------

    def shape(self, sizes: Sequence[Size]) -> Value:
        """A 1-D int64 tensor of sizes, calculated in the graph where they are unknown."""
        if all(isinstance(s, int) for s in sizes):
            return self.ints(list(sizes))  # type: ignore[arg-type]
        parts = [self.size(s) for s in sizes]
        return self.op("Concat", *parts, dtype="int64", dims=(len(parts),), axis=0)

    def size(self, size: Size) -> Value:
        """A size as a tensor of shape (1,)."""
        if isinstance(size, Dim):
            total: Value | None = None
            for atoms, factor in size.terms.items():
                product: Value | None = None if atoms and factor == 1 else self.ints([factor])
                for atom in atoms:
                    value = self._atom(atom)
                    product = value if product is None else self._int_op("Mul", product, value)
                assert product is not None
                total = product if total is None else self._int_op("Add", total, product)
            assert total is not None
            return total
        return self.ints([int(size)])

    def _int_op(self, op_type: str, *values: Value) -> Value:
        return self.op(op_type, *values, dtype="int64", dims=(1,))

    def _atom(self, atom: tuple[Any, ...]) -> Value:
        if atom[0] != "sym":
            a, b = (self.size(p) for p in atom[1:])
            # Sizes are not negative, so that integer division rounds as floor does.
            return self._int_op(
                {"floordiv": "Div", "mod": "Mod", "broadcast": "Max"}[atom[0]], a, b
            )
        if atom[1] not in self._sizes:
            raise NotImplementedError("A size of the graph is not the size of any of its tensors.")
        value, axis = self._sizes[atom[1]]
        key = (value.name, axis)
        if key not in self._shape_names:
            size = self.op("Shape", value, dtype="int64", dims=(1,), start=axis, end=axis + 1)
            self._shape_names[key] = size.name
        return Value(self._shape_names[key], "int64", (1,))
