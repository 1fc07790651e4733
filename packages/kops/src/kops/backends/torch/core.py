"""PyTorch: tensors, variables and gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import torch

from kops import dtypes, tree
from kops.backends.torch.conv import kernel_layout
from kops.keras_tensor import KerasTensor

NAME = "torch"
Tensor = torch.Tensor
SCALAR_OPS = frozenset(
    ["add", "subtract", "multiply", "divide", "less", "less_equal", "greater", "greater_equal"]
)

# Dtypes that lack kernels, and those to compute in instead.
WIDER = {"bool": "int32", "uint16": "int32", "uint32": "int64"}

_DTYPES = {
    d: getattr(torch, d)
    for d in dtypes.ALL
    if hasattr(torch, d) and isinstance(getattr(torch, d), torch.dtype)
}
_NAMES = {v: k for k, v in _DTYPES.items()}
_devices: list[Any] = []


def native_dtype(dtype: str) -> torch.dtype:
    try:
        return _DTYPES[dtype]
    except KeyError:
        raise TypeError(f"torch has no dtype {dtype!r}.") from None


def default_device() -> Any:
    """Where new tensors go: the innermost device scope's, else an accelerator, else the CPU."""
    if _devices:
        return _devices[-1]
    return _accelerator


def _find_accelerator() -> Any:
    if torch.cuda.is_available():
        return torch.device("cuda")
    return torch.device("cpu")


_accelerator = _find_accelerator()


def is_tensor(x: Any) -> bool:
    return isinstance(x, torch.Tensor)


def has_values(x: Any) -> bool:
    return x.device.type == "cpu" and not torch.compiler.is_compiling()


def convert(x: Any, dtype: str | None = None) -> torch.Tensor:
    if isinstance(x, torch.Tensor):
        return x if dtype is None or x.dtype is _DTYPES[dtype] else x.to(_DTYPES[dtype])
    if isinstance(x, KerasTensor):
        raise x._no_values("turned into a tensor")
    if x.__class__ in (int, float, bool):
        return torch.tensor(x, dtype=_DTYPES[dtype or _python_dtype(x)], device=default_device())
    if isinstance(x, (list, tuple)) and any(isinstance(v, torch.Tensor) for v in tree.flatten(x)):
        x = torch.stack([convert(v) for v in x])
        return x if dtype is None else x.to(_DTYPES[dtype])
    given = isinstance(x, (np.ndarray, np.generic)) or hasattr(x, "dtype")
    x = np.asarray(x)
    if dtype is None:
        dtype = dtypes.standardize(x.dtype)
        if not given and dtype == "float64":
            dtype = dtypes.standardize(None)
        elif not given and dtype == "int64" and _fits_int32(x):
            dtype = "int32"
    return _from_numpy(x, dtype)


def _python_dtype(x: Any) -> str:
    if x.__class__ is bool:
        return "bool"
    if x.__class__ is float:
        return dtypes.standardize(None)
    return "int32" if -(2**31) <= x < 2**31 else "int64"


def _fits_int32(x: np.ndarray) -> bool:
    return x.size == 0 or (x.min() >= -(2**31) and x.max() < 2**31)


def _from_numpy(x: np.ndarray, dtype: str) -> torch.Tensor:
    if x.dtype == ml_dtypes.bfloat16:
        # np.array, as ascontiguousarray gives a scalar an axis.
        tensor = torch.from_numpy(np.array(x.view(np.int16))).view(torch.bfloat16)
    else:
        # torch shares memory only with native, writable, non-negatively strided arrays.
        if not x.flags.writeable or not x.dtype.isnative or any(s < 0 for s in x.strides):
            x = np.array(x, dtype=x.dtype.newbyteorder("="))
        tensor = torch.from_numpy(x) if x.ndim else torch.tensor(x[()])
    return tensor.to(device=default_device(), dtype=native_dtype(dtype))


def to_numpy(x: Any) -> np.ndarray:
    if not isinstance(x, torch.Tensor):
        return np.asarray(x)
    x = x.detach()
    if x.device.type != "cpu":
        x = x.cpu()
    if x.dtype is torch.bfloat16:
        return x.contiguous().view(torch.int16).numpy().view(ml_dtypes.bfloat16)
    return x.resolve_conj().resolve_neg().numpy()


def cast(x: Any, dtype: str) -> torch.Tensor:
    return x.to(native_dtype(dtype))


def dtype_of(x: Any) -> str:
    return _NAMES[x.dtype]


def shape_of(x: Any) -> tuple[int, ...]:
    return tuple(x.shape)


shape = shape_of


def new_state(value: Any, dtype: str, trainable: bool, name: str) -> torch.nn.Parameter:
    if isinstance(value, np.ndarray):
        tensor = _from_numpy(value, dtype)
    else:
        tensor = value.detach().to(device=default_device(), dtype=_DTYPES[dtype], copy=True)
    tensor = kernel_layout(tensor)
    return torch.nn.Parameter(tensor, requires_grad=trainable and _differentiable(tensor))


def _differentiable(tensor: torch.Tensor) -> bool:
    return tensor.dtype.is_floating_point or tensor.dtype.is_complex


def read_state(holder: torch.nn.Parameter) -> torch.Tensor:
    return holder


def write_state(holder: torch.nn.Parameter, value: Any) -> torch.nn.Parameter:
    with torch.no_grad():
        holder.copy_(value)
    return holder


def add_to_state(holder: torch.nn.Parameter, value: Any, sign: int) -> bool:
    """Adds in place where no conversion is needed; tells whether it did."""
    kind = value.__class__
    if kind is torch.Tensor:
        if value.dtype is not holder.dtype or value.shape != holder.shape:
            return False
    elif kind is not int and (kind is not float or not holder.dtype.is_floating_point):
        return False
    with torch.no_grad():
        holder.add_(value, alpha=sign)
    return True


def set_trainable(holder: torch.nn.Parameter, trainable: bool) -> None:
    holder.requires_grad_(trainable and _differentiable(holder))


def inference_scope() -> Any:
    """Scope in which nothing is recorded for gradients."""
    return torch.no_grad()


def compile(fn: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    """Eager PyTorch runs op by op; `torch.compile` is the trainer's choice."""
    return fn


def value_and_grad(
    fn: Callable[..., Any], argnums: int | tuple[int, ...], has_aux: bool
) -> Callable[..., Any]:
    one = isinstance(argnums, int)
    positions = (argnums,) if isinstance(argnums, int) else tuple(argnums)

    def call(*args: Any, **kwargs: Any) -> Any:
        values = list(args)
        leaves: list[torch.Tensor] = []
        for i in positions:
            flat = [convert(v).detach().requires_grad_() for v in tree.flatten(values[i])]
            leaves += flat
            values[i] = tree.pack_sequence_as(values[i], flat)
        with torch.enable_grad():
            result = fn(*values, **kwargs)
            value = result[0] if has_aux else result
            grads = torch.autograd.grad(value, leaves, allow_unused=True)
        grads = [
            torch.zeros_like(v) if g is None else g for v, g in zip(leaves, grads, strict=True)
        ]
        packed, at = [], 0
        for i in positions:
            n = len(tree.flatten(args[i]))
            packed.append(tree.pack_sequence_as(args[i], grads[at : at + n]))
            at += n
        result = tree.map_structure(
            lambda t: t.detach() if isinstance(t, torch.Tensor) else t, result
        )
        return result, packed[0] if one else tuple(packed)

    return call


def abstract_eval(fn: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    def meta(x: Any) -> Any:
        if isinstance(x, KerasTensor):
            return torch.empty(x.shape, dtype=_DTYPES[x.dtype], device="meta")
        return x

    args, kwargs = tree.map_structure(meta, (args, kwargs))
    with torch.no_grad(), torch.device("meta"):
        outputs = fn(*args, **kwargs)
    return tree.map_structure(
        lambda x: KerasTensor(tuple(x.shape), dtype_of(x)) if is_tensor(x) else x, outputs
    )


class _DeviceScope:
    def __init__(self, device: Any):
        self.device = device

    def __enter__(self) -> None:
        _devices.append(self.device)
        self.scope = torch.device(self.device)
        self.scope.__enter__()

    def __exit__(self, *exc: Any) -> None:
        self.scope.__exit__(*exc)
        _devices.pop()


def device_scope(name: str) -> Any:
    return _DeviceScope(find_device(name))


def find_device(name: str) -> torch.device:
    """Torch's device for "cpu", "gpu:0", "cuda:1", "mps"."""
    native = name.lower().replace("gpu", "cuda")
    try:
        device = torch.device(native)
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as e:
        raise ValueError(f"torch has no device {name!r} here: {e}") from None
    return device
