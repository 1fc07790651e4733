"""kops: the operations of the Keras API on any engine, and the switch between engines."""

from __future__ import annotations

from kops import config, ops, random, tree
from kops.backend import active, device
from kops.dim import Dim
from kops.function import Function
from kops.grad import custom_gradient, grad, jvp, value_and_grad, vjp
from kops.keras_tensor import KerasTensor, is_keras_tensor
from kops.op import on
from kops.operation import Node, Operation
from kops.scopes import AutocastScope, StatelessScope, SymbolicScope, name_scope
from kops.session import clear_session
from kops.variable import Variable

__version__ = "0.1.0"

__all__ = [
    "AutocastScope",
    "Dim",
    "Function",
    "KerasTensor",
    "Node",
    "Operation",
    "StatelessScope",
    "SymbolicScope",
    "Variable",
    "active",
    "clear_session",
    "config",
    "custom_gradient",
    "device",
    "grad",
    "is_keras_tensor",
    "jvp",
    "name_scope",
    "on",
    "ops",
    "random",
    "tree",
    "value_and_grad",
    "vjp",
]
