"""Optimizer updates on PyTorch: a few kernels for all variables together."""

# The kernels for lists of tensors have no public name.
# pyright: reportPrivateImportUsage=false

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import torch

from kops import Variable, device
from kops.scopes import in_stateless_scope
from ktrain.optimizers import plain
from ktrain.optimizers.schedules import LearningRateSchedule

__all__ = ["UPDATES", "clip", "decay", "increment"]

Update = Callable[[Any, Sequence[Any], Sequence[Variable]], bool]

UPDATES: dict[str, Update] = {}
"""Optimizer's class name to `(optimizer, gradients, variables) -> done`."""

_FLOATS = frozenset([torch.float32, torch.float64])

# --- scalars: kept on the host too, as reading one waits for the device ----------------


def _host_value(variable: Variable) -> float:
    """The value of a scalar variable as a Python number.

    It is read again only when the tensor's version counter, which every in-place
    operation raises, has changed.
    """
    tensor = variable._state
    copy = variable.__dict__.get("_host_copy")
    if copy is not None and copy[0] is tensor and copy[1] == tensor._version:
        return copy[2]
    value = tensor.item()
    variable.__dict__["_host_copy"] = (tensor, tensor._version, value)
    return value


def increment(variable: Variable) -> None:
    """Adds 1 to a step counter, on the device and in the host's copy."""
    if in_stateless_scope():
        variable.assign_add(1)
        return
    value = _host_value(variable)
    tensor = variable._state
    tensor.add_(1)
    variable.__dict__["_host_copy"] = (tensor, tensor._version, value + 1)


def _step(optimizer: Any) -> int:
    """The number of the update that is being made, from 1."""
    return (
        int(_host_value(optimizer._iterations)) // (optimizer.gradient_accumulation_steps or 1) + 1
    )


def _rate(optimizer: Any) -> float:
    rate = optimizer._learning_rate
    if isinstance(rate, Variable):
        return _host_value(rate)
    if isinstance(rate, LearningRateSchedule):
        with device("cpu"):
            return float(rate(int(_host_value(optimizer._iterations))))
    return float(rate())


# --- lists of tensors ----------------------------------------------------------------


def _slots(optimizer: Any, slots: Sequence[Variable], variables: Sequence[Variable]) -> list[Any]:
    """The slots' tensors, in the order of `variables`."""
    if variables is not optimizer._trainable_variables:
        slots = [slots[optimizer._index[id(v)]] for v in variables]
    return [s._state for s in slots]


def _uniform(grads: Sequence[Any], values: Sequence[torch.Tensor]) -> bool:
    """Whether one kernel can take all: dense, one device, one full-precision dtype."""
    first = values[0]
    dtype, where = first.dtype, first.device
    if dtype not in _FLOATS:
        return False
    for g, p in zip(grads, values, strict=True):
        if (
            g.dtype is not dtype
            or p.dtype is not dtype
            or g.layout is not torch.strided
            or p.device != where
        ):
            return False
    return True


def _update(name: str) -> Callable[[Callable[..., None]], Update]:
    """Registers `fn(optimizer, values, grads, slots, rate)` as an optimizer's update."""

    def register(fn: Callable[..., None]) -> Update:
        @functools.wraps(fn)
        def update(optimizer: Any, grads: Sequence[Any], variables: Sequence[Variable]) -> bool:
            values = [v._state for v in variables]
            if not _uniform(grads, values):
                return False

            def slots(variables_of: Sequence[Variable]) -> list[Any]:
                return _slots(optimizer, variables_of, variables)

            if torch.is_grad_enabled():
                with torch.no_grad():
                    fn(optimizer, values, grads, slots, _rate(optimizer))
            else:
                fn(optimizer, values, grads, slots, _rate(optimizer))
            return True

        UPDATES[name] = update
        return update

    return register


def _moments(o: Any, grads: Any, means: Any, squares: Any) -> None:
    torch._foreach_lerp_(means, grads, 1.0 - o.beta_1)
    torch._foreach_mul_(squares, o.beta_2)
    torch._foreach_addcmul_(squares, grads, grads, 1.0 - o.beta_2)


def _roots(squares: Any, epsilon: float) -> Any:
    roots = torch._foreach_sqrt(squares)
    torch._foreach_add_(roots, epsilon)
    return roots


# --- updates ---------------------------------------------------------------------------


@_update("SGD")
def sgd(o: Any, values: Any, grads: Any, slots: Any, rate: float) -> None:
    """Stochastic gradient descent."""
    if not o.momentum:
        torch._foreach_add_(values, grads, alpha=-rate)
        return
    momentums = slots(o._momentums)
    torch._foreach_mul_(momentums, o.momentum)
    torch._foreach_add_(momentums, grads, alpha=-rate)
    if o.nesterov:
        torch._foreach_add_(values, momentums, alpha=o.momentum)
        torch._foreach_add_(values, grads, alpha=-rate)
    else:
        torch._foreach_add_(values, momentums)


@_update("Adam")
def adam(o: Any, values: Any, grads: Any, slots: Any, rate: float) -> None:
    """Adam: one kernel where memory is laid out plainly, else one per operation."""
    means, squares = slots(o._momentums), slots(o._velocities)
    maxima = slots(o._velocity_hats) if o.amsgrad else []
    step = _step(o)
    seen = 1.0 - o.beta_2**step
    if _one_kernel(grads, values):
        counter = _step_tensor(o, values[0].device, step)
        torch._fused_adam_(
            values,
            grads,
            means,
            squares,
            maxima,
            [counter] * len(values),
            amsgrad=o.amsgrad,
            lr=rate,
            beta1=o.beta_1,
            beta2=o.beta_2,
            weight_decay=0.0,
            # The kernel adds epsilon after the bias correction, Keras's Adam before it.
            eps=o.epsilon / math.sqrt(seen),
            maximize=False,
            grad_scale=None,
            found_inf=None,
        )
        return
    _moments(o, grads, means, squares)
    if maxima:
        torch._foreach_maximum_(maxima, squares)
        squares = maxima
    rate = rate * math.sqrt(seen) / (1.0 - o.beta_1**step)
    torch._foreach_addcdiv_(values, means, _roots(squares, o.epsilon), -rate)


def _one_kernel(grads: Any, values: Any) -> bool:
    """Whether the fused kernel, which goes through memory in order, may be used."""
    if values[0].device.type not in ("cpu", "cuda"):
        return False
    for g, p in zip(grads, values, strict=True):
        if not (g.is_contiguous() and p.is_contiguous()):
            return False
    return True


def _step_tensor(o: Any, where: torch.device, step: int) -> torch.Tensor:
    counter = o.__dict__.get("_torch_step")
    if counter is None or counter.device != where:
        counter = o.__dict__["_torch_step"] = torch.zeros((), dtype=torch.float32, device=where)
    return counter.fill_(step)


@_update("RMSprop")
def rmsprop(o: Any, values: Any, grads: Any, slots: Any, rate: float) -> None:
    """RMSprop."""
    squares = slots(o._velocities)
    torch._foreach_mul_(squares, o.rho)
    torch._foreach_addcmul_(squares, grads, grads, 1.0 - o.rho)
    roots = squares
    if o.centered:
        means = slots(o._average_gradients)
        torch._foreach_lerp_(means, grads, 1.0 - o.rho)
        roots = torch._foreach_addcmul(squares, means, means, -1.0)
    roots = torch._foreach_add(roots, o.epsilon)
    torch._foreach_sqrt_(roots)
    if o.momentum > 0:
        momentums = slots(o._momentums)
        torch._foreach_mul_(momentums, o.momentum)
        torch._foreach_addcdiv_(momentums, grads, roots, rate)
        torch._foreach_sub_(values, momentums)
    else:
        torch._foreach_addcdiv_(values, grads, roots, -rate)


@_update("Adagrad")
def adagrad(o: Any, values: Any, grads: Any, slots: Any, rate: float) -> None:
    """Adagrad."""
    totals = slots(o._accumulator_slots)
    torch._foreach_addcmul_(totals, grads, grads)
    roots = torch._foreach_add(totals, o.epsilon)
    torch._foreach_sqrt_(roots)
    torch._foreach_addcdiv_(values, grads, roots, -rate)


@_update("Adamax")
def adamax(o: Any, values: Any, grads: Any, slots: Any, rate: float) -> None:
    """Adamax."""
    means, norms = slots(o._momentums), slots(o._norms)
    torch._foreach_lerp_(means, grads, 1.0 - o.beta_1)
    torch._foreach_mul_(norms, o.beta_2)
    torch._foreach_maximum_(norms, torch._foreach_abs(grads))
    rate = rate / (1.0 - o.beta_1 ** _step(o))
    torch._foreach_addcdiv_(values, means, torch._foreach_add(norms, o.epsilon), -rate)


@_update("Lion")
def lion(o: Any, values: Any, grads: Any, slots: Any, rate: float) -> None:
    """Lion."""
    momentums = slots(o._momentums)
    mixes = torch._foreach_lerp(momentums, grads, 1.0 - o.beta_1)
    torch._foreach_sign_(mixes)
    torch._foreach_add_(values, mixes, alpha=-rate)
    torch._foreach_lerp_(momentums, grads, 1.0 - o.beta_2)


# --- around the update -----------------------------------------------------------------


def decay(variables: Sequence[Variable], factors: Sequence[float], optimizer: Any) -> None:
    """Takes `learning rate * factor` of each variable away."""
    if in_stateless_scope():
        plain.decay(variables, factors, optimizer)
        return
    rate = _rate(optimizer)
    with torch.no_grad():
        torch._foreach_mul_([v._state for v in variables], [1.0 - rate * f for f in factors])


def clip(
    grads: Sequence[Any],
    norm: float | None,
    global_norm: float | None,
    value: float | None,
) -> Sequence[Any]:
    """The gradients limited in one of the three ways."""
    grads = list(grads)
    with torch.no_grad():
        if value is not None:
            clipped = torch._foreach_clamp_min(grads, -value)
            torch._foreach_clamp_max_(clipped, value)
            return clipped
        norms = torch._foreach_norm([g.float() for g in grads])
        if global_norm is not None:
            factor = global_norm / torch.linalg.vector_norm(torch.stack(norms)).clamp_min(
                global_norm
            )
            return torch._foreach_mul(grads, factor)
        assert norm is not None
        factors = torch._foreach_reciprocal(torch._foreach_clamp_min(norms, norm))
        torch._foreach_mul_(factors, norm)
        return torch._foreach_mul(grads, factors)
