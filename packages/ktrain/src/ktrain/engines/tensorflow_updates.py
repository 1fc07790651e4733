"""Optimizer updates on TensorFlow: one kernel per variable."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tensorflow as tf

from kops import Variable, ops
from kops.scopes import in_stateless_scope

__all__ = ["UPDATES", "increment"]


def increment(variable: Variable) -> None:
    """Adds 1 to a step counter."""
    if in_stateless_scope():
        variable.assign_add(1)
    else:
        variable._state.assign_add(1)


def _resource(variable: Variable) -> Any:
    """The handle of a variable's storage, None if a kernel cannot write to it."""
    state = variable._state
    return state.handle if isinstance(state, tf.Variable) else None


def _all_dense(grads: Sequence[Any], variables: Sequence[Variable]) -> bool:
    return all(
        isinstance(g, tf.Tensor) and g.dtype == v._state.dtype and _resource(v) is not None
        for g, v in zip(grads, variables, strict=True)
    )


def adam(optimizer: Any, grads: Sequence[Any], variables: Sequence[Variable]) -> bool:
    """Adam."""
    if optimizer.amsgrad or not _all_dense(grads, variables):
        return False
    o = optimizer
    step = tf.cast(_count(o), tf.float32) + 1.0
    powers = [tf.pow(tf.constant(beta, tf.float32), step) for beta in (o.beta_1, o.beta_2)]
    rate = tf.cast(tf.convert_to_tensor(ops.convert_to_tensor(o.learning_rate)), tf.float32)
    for gradient, variable in zip(grads, variables, strict=True):
        i = o._index[id(variable)]
        dtype = gradient.dtype
        tf.raw_ops.ResourceApplyAdam(
            var=_resource(variable),
            m=_resource(o._momentums[i]),
            v=_resource(o._velocities[i]),
            beta1_power=tf.cast(powers[0], dtype),
            beta2_power=tf.cast(powers[1], dtype),
            lr=tf.cast(rate, dtype),
            beta1=tf.constant(o.beta_1, dtype),
            beta2=tf.constant(o.beta_2, dtype),
            epsilon=tf.constant(o.epsilon, dtype),
            grad=gradient,
        )
    return True


def sgd(optimizer: Any, grads: Sequence[Any], variables: Sequence[Variable]) -> bool:
    """Stochastic gradient descent, with or without momentum."""
    if not _all_dense(grads, variables):
        return False
    o = optimizer
    rate = tf.convert_to_tensor(ops.convert_to_tensor(o.learning_rate))
    for gradient, variable in zip(grads, variables, strict=True):
        dtype = gradient.dtype
        if not o.momentum:
            tf.raw_ops.ResourceApplyGradientDescent(
                var=_resource(variable), alpha=tf.cast(rate, dtype), delta=gradient
            )
            continue
        tf.raw_ops.ResourceApplyKerasMomentum(
            var=_resource(variable),
            accum=_resource(o._momentums[o._index[id(variable)]]),
            lr=tf.cast(rate, dtype),
            grad=gradient,
            momentum=tf.constant(o.momentum, dtype),
            use_nesterov=o.nesterov,
        )
    return True


def _count(optimizer: Any) -> Any:
    count = optimizer.iterations
    return count._state if isinstance(count, Variable) else count


UPDATES = {"Adam": adam, "SGD": sgd}
"""Optimizer's class name to `(optimizer, gradients, variables) -> done`."""
