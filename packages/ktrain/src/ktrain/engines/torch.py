"""torch: eager steps, gradients by autograd, whole data sets as tensors."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import torch

from klayers import Model
from kops import backend, config, tree
from ktrain import steps
from ktrain.data.host import host_array
from ktrain.data.packing import unpack_x_y_sample_weight
from ktrain.engines.base import Engine, Step
from ktrain.metrics import Mean, Metric
from ktrain.state import trainer_state

__all__ = ["ENGINE"]


class _Column:
    """One tensor of a data set, read by rows and moved to the device."""

    __slots__ = ("cast", "device", "tensor")

    def __init__(self, tensor: torch.Tensor, cast: torch.dtype | None, device: Any):
        self.tensor = tensor
        self.cast = cast
        self.device = device

    def rows(self, indices: torch.Tensor) -> torch.Tensor:
        rows = self.tensor[indices]
        return rows if self.cast is None and self.device is None else self._finish(rows)

    def slice(self, start: int, stop: int) -> torch.Tensor:
        rows = self.tensor[start:stop]
        return rows if self.cast is None and self.device is None else self._finish(rows)

    def _finish(self, rows: torch.Tensor) -> torch.Tensor:
        if self.device is not None:
            rows = rows.pin_memory().to(self.device, non_blocking=True)
        return rows if self.cast is None else rows.to(self.cast)


class TorchEngine(Engine):
    """Runs steps eagerly; `jit_compile=True` sends the model through `torch.compile`."""

    NAME = "torch"

    # -- data -----------------------------------------------------------------------

    @property
    def _device(self) -> torch.device | None:
        """Where batches go; None for the CPU, where they are."""
        device = torch.device(backend.active().default_device())
        return None if device.type == "cpu" else device

    def column(self, array: Any) -> Any:
        tensor = array if isinstance(array, torch.Tensor) else self._from_host(array)
        if not isinstance(tensor, torch.Tensor):
            return super().column(array)  # read from a file
        tensor = tensor.detach()
        device = self._device if tensor.device.type == "cpu" else None
        return _Column(tensor, _cast(tensor), device)

    def _from_host(self, array: Any) -> Any:
        array = host_array(array)
        self.check_array(array)
        return _from_numpy(array) if isinstance(array, np.ndarray) else array

    def indices(self, order: Any) -> Any:
        return torch.from_numpy(order)

    def to_device(self, batch: Any) -> Any:
        if type(batch) is np.ndarray:
            return self._leaf(batch)
        return tree.map_structure(self._leaf, batch)

    def _leaf(self, x: Any) -> Any:
        if x is None:
            return None
        tensor = x if isinstance(x, torch.Tensor) else self._from_host(x)
        if not isinstance(tensor, torch.Tensor):
            return tensor
        device = self._device
        if device is not None:
            tensor = tensor.to(device, non_blocking=True)
        cast = _cast(tensor)
        return tensor if cast is None else tensor.to(cast)

    # -- steps ------------------------------------------------------------------------

    def train_step(self, model: Model, *args: Any) -> Any:
        """`train_step(data)`: forward, backward, update; returns the metrics' results."""
        (data,) = args
        self._updater(model)(data)
        return steps.bound(model, "get_metrics_result", steps.get_metrics_result)()

    def _updater(self, model: Model) -> Step:
        """A function that trains on a batch; what stays the same is looked up once."""
        variables = model.trainable_variables
        values = [v._state for v in variables]
        optimizer = model.__dict__["optimizer"]
        forward = self._compiled(model, self._forward(model))

        def update(data: Any) -> None:
            x, y, sample_weight = unpack_x_y_sample_weight(data)
            y_pred, loss = forward(x, y, sample_weight)
            scaled = optimizer.scale_loss(loss)
            grads = torch.autograd.grad(scaled, values, allow_unused=True)
            with torch.no_grad():
                optimizer.apply(grads, variables)
                self.track_loss(model, loss, steps.batch_size_of(x))
                self.update_metrics(model, x, y, y_pred, sample_weight)

        return update

    def _forward(self, model: Model) -> Callable[..., tuple[Any, Any]]:
        """Outputs and loss of a batch in training mode."""
        compute_loss = steps.bound(model, "compute_loss", steps.compute_loss)

        def forward(x: Any, y: Any, sample_weight: Any) -> tuple[Any, Any]:
            y_pred = steps.call_model(model, x, True)
            loss = compute_loss(x=x, y=y, y_pred=y_pred, sample_weight=sample_weight, training=True)
            return y_pred, loss

        return forward

    def _compiled(self, model: Model, fn: Step) -> Step:
        """`fn` through `torch.compile`, if the model was compiled with `jit_compile=True`.

        Updates of weights and metrics are fused kernels already and stay outside.
        """
        own = model.__dict__
        if own.get("jit_compile", False) and not own.get("run_eagerly", False):
            return torch.compile(fn)
        return fn

    def track_loss(self, model: Model, loss: Any, batch_size: Any) -> None:
        tracker = trainer_state(model).tracker
        if type(tracker) is Mean and isinstance(batch_size, int):
            # Two kernels in place of the six of a weighted mean.
            tracker.total._state.data.add_(loss.detach(), alpha=batch_size)
            tracker.count._state.data.add_(batch_size)
        else:
            tracker.update_state(loss.detach(), sample_weight=batch_size)

    def update_test(self, model: Model, data: Any) -> None:
        with torch.no_grad():
            super().update_test(model, data)

    def predict_step(self, model: Model, *args: Any) -> Any:
        with torch.no_grad():
            return super().predict_step(model, *args)

    def step(self, model: Model, kind: str) -> Step:
        if kind == "train" and not steps.is_overridden(model, "train_step"):
            return self._updater(model)
        own = super().step(model, kind)
        if kind == "train":
            return own  # the user's: compiling is up to it
        if kind == "predict" and not steps.is_overridden(model, "predict_step"):
            return self._compiled(model, own)

        def without_gradients(data: Any) -> Any:
            with torch.no_grad():
                return own(data)

        return without_gradients

    def reset_metrics(self, metrics: list[Metric]) -> None:
        plain = [m for m in metrics if type(m).reset_state is Metric.reset_state]
        tensors = [v._state.data for m in plain for v in m.variables]
        if tensors:
            torch._foreach_zero_(tensors)  # type: ignore[attr-defined]
        for metric in metrics:
            if type(metric).reset_state is not Metric.reset_state:
                metric.reset_state()


def _from_numpy(array: np.ndarray) -> Any:
    if array.dtype.kind in "US":
        return array
    if not array.flags.writeable or any(s < 0 for s in array.strides):
        array = np.ascontiguousarray(array)
    if array.dtype.kind == "V":  # bfloat16 and other dtypes that torch cannot share
        array = array.astype("float32")
    if not array.flags.writeable:
        with warnings.catch_warnings():
            # torch warns that writing is undefined; nothing here writes to the data.
            warnings.simplefilter("ignore")
            return torch.from_numpy(array)
    return torch.from_numpy(array)


def _cast(tensor: torch.Tensor) -> torch.dtype | None:
    dtype = tensor.dtype
    return _target(dtype, config.floatx()) if dtype.is_floating_point else None


@cache
def _target(dtype: torch.dtype, floatx: str) -> torch.dtype | None:
    name = str(dtype).removeprefix("torch.")
    known = name in ("float16", "bfloat16", "float32", "float64")
    return getattr(torch, floatx) if known and name != floatx else None


ENGINE = TorchEngine()
