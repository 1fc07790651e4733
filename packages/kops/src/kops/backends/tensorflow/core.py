"""TensorFlow: tensors, variables, compilation and gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

from kops import dtypes, tree
from kops.keras_tensor import KerasTensor

NAME = "tensorflow"
Tensor: type = type(tf.constant(0.0))
SCALAR_OPS = frozenset(
    ["add", "subtract", "multiply", "maximum", "minimum"]
    + ["less", "less_equal", "greater", "greater_equal"]
)

# Dtypes that lack kernels, and those to compute in instead.
WIDER = {
    "bool": "int32",
    "int8": "int32",
    "int16": "int32",
    "uint8": "int32",
    "uint16": "int32",
    "uint32": "int64",
    "float16": "float32",
    "bfloat16": "float32",
}

_DTYPES = {d: tf.as_dtype(d) for d in dtypes.ALL}
_NAMES = {v: k for k, v in _DTYPES.items()}

# Bytes from which a host array is handed over by DLPack rather than copied.
_WORTH_SHARING = 1 << 16


def native_dtype(dtype: str) -> tf.DType:
    return _DTYPES[dtype]


def is_tensor(x: Any) -> bool:
    return isinstance(x, tf.Tensor)


def has_values(x: Any) -> bool:
    return isinstance(x, Tensor) and tf.executing_eagerly()


def convert(x: Any, dtype: str | None = None) -> Any:
    if isinstance(x, (tf.Tensor, tf.Variable)):
        x = tf.convert_to_tensor(x)
        return x if dtype is None or x.dtype is _DTYPES[dtype] else cast(x, dtype)
    if isinstance(x, KerasTensor):
        raise x._no_values("turned into a tensor")
    if hasattr(x, "detach"):
        x = x.detach().cpu().numpy()
    if isinstance(x, (list, tuple)) and any(tf.is_tensor(v) for v in tree.flatten(x)):
        x = tf.stack([convert(v, dtype) for v in x])
        return x if dtype is None else cast(x, dtype)
    if isinstance(x, (tf.SparseTensor, tf.RaggedTensor, tf.IndexedSlices)):
        return tf.convert_to_tensor(x) if isinstance(x, tf.IndexedSlices) else x
    given = isinstance(x, (np.ndarray, np.generic)) or hasattr(x, "dtype")
    if dtype is None and not given:
        dtype = _python_dtype(x)
    elif dtype is not None and not isinstance(x, (bool, int, float)):
        x = np.asarray(x)
        if x.dtype.kind not in "OUS":
            return tf.constant(x.astype(_DTYPES[dtype].as_numpy_dtype, copy=False))
    return tf.convert_to_tensor(x if given else x, None if dtype is None else _DTYPES[dtype])


def _python_dtype(x: Any) -> str | None:
    """Python numbers are int32 where they fit, or floatx."""
    array = np.asarray(x)
    if array.dtype.kind == "f":
        return dtypes.standardize(None)
    if array.dtype == np.int64:
        fits = array.size == 0 or (array.min() >= -(2**31) and array.max() < 2**31)
        return "int32" if fits else "int64"
    return None


def to_numpy(x: Any) -> np.ndarray:
    if isinstance(x, tf.IndexedSlices):
        x = tf.convert_to_tensor(x)
    return np.asarray(x.numpy()) if hasattr(x, "numpy") else np.asarray(x)


def cast(x: Any, dtype: str) -> Any:
    return tf.cast(x, _DTYPES[dtype])


def dtype_of(x: Any) -> str:
    return _NAMES[x.dtype]


def shape_of(x: Any) -> tuple[int | None, ...]:
    return tuple(x.shape)


def shape(x: Any) -> tuple[Any, ...]:
    static = x.shape
    if static.rank is None:
        raise ValueError(f"The rank of {x!r} is unknown; give it a static rank.")
    if static.is_fully_defined():
        return tuple(static)
    dynamic = tf.shape(x)
    return tuple(dynamic[i] if s is None else s for i, s in enumerate(static))


def new_state(value: Any, dtype: str, trainable: bool, name: str) -> tf.Variable:
    with tf.init_scope():  # a variable made while tracing belongs outside the trace
        value = _taken_over(value) if _can_take_over(value, dtype) else convert(value, dtype)
        return tf.Variable(value, dtype=_DTYPES[dtype], trainable=trainable, name=name)


def _can_take_over(value: Any, dtype: str) -> bool:
    """Whether TensorFlow can use the array's memory: its kernels end the process otherwise."""
    return (
        isinstance(value, np.ndarray)
        and value.nbytes > _WORTH_SHARING
        and value.dtype.name == dtype
        and dtype in ("float32", "float64")
        and value.flags.c_contiguous
        and value.flags.writeable
        and value.ctypes.data % 64 == 0
    )


def _taken_over(value: np.ndarray) -> Any:
    return tf.experimental.dlpack.from_dlpack(value.__dlpack__())


def read_state(holder: tf.Variable) -> Any:
    return holder


def write_state(holder: tf.Variable, value: Any) -> tf.Variable:
    holder.assign(value)
    return holder


def set_trainable(holder: tf.Variable, trainable: bool) -> None:
    holder._trainable = trainable


def compile(fn: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    # Ops need no rewriting by AutoGraph; `cond` and `while_loop` are there for data's sake.
    return tf.function(fn, **{"reduce_retracing": True, "autograph": False} | options)


def value_and_grad(
    fn: Callable[..., Any], argnums: int | tuple[int, ...], has_aux: bool
) -> Callable[..., Any]:
    one = isinstance(argnums, int)
    positions = (argnums,) if isinstance(argnums, int) else tuple(argnums)

    def call(*args: Any, **kwargs: Any) -> Any:
        values = list(args)
        for i in positions:
            values[i] = tree.map_structure(convert, values[i])
        wanted = [values[i] for i in positions]
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(wanted)
            result = fn(*values, **kwargs)
            value = result[0] if has_aux else result
        grads = tape.gradient(value, wanted, unconnected_gradients=tf.UnconnectedGradients.ZERO)
        grads = tree.map_structure(tf.convert_to_tensor, grads)
        return result, grads[0] if one else tuple(grads)

    return call


def abstract_eval(fn: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    flat = tree.flatten((args, kwargs))
    symbolic = [i for i, x in enumerate(flat) if isinstance(x, KerasTensor)]
    specs = [tf.TensorSpec(flat[i].shape, _DTYPES[flat[i].dtype]) for i in symbolic]

    def call(*tensors: Any) -> Any:
        values = list(flat)
        for i, t in zip(symbolic, tensors, strict=True):
            values[i] = t
        a, k = tree.pack_sequence_as((args, kwargs), values)
        return fn(*a, **k)

    outputs = tf.function(call, autograph=False).get_concrete_function(*specs).structured_outputs
    return tree.map_structure(lambda x: KerasTensor(tuple(x.shape), dtype_of(x)), outputs)


def device_scope(name: str) -> Any:
    native = name.lower().replace("cuda", "gpu")
    kind = native.partition(":")[0].upper()
    if not tf.config.list_logical_devices(kind):
        found = [d.name for d in tf.config.list_logical_devices()]
        raise ValueError(f"TensorFlow has no device {name!r}; it has {found}.")
    return tf.device(native)
