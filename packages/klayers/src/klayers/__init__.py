"""klayers: layers and models of the Keras API on top of kops."""

from __future__ import annotations

from klayers import (
    activations,
    constraints,
    dtype_policies,
    hooks,
    initializers,
    layers,
    regularizers,
)
from klayers.cloning import clone_model
from klayers.constructor_rules import guard_constructors
from klayers.dtype_policies import DTypePolicy, FloatDTypePolicy
from klayers.functional import Functional
from klayers.input_layer import Input, InputLayer
from klayers.input_spec import InputSpec
from klayers.layer import Layer
from klayers.model import Model, model_from_json
from klayers.sequential import Sequential

__version__ = "0.1.0"

hooks.set_model_family(Model, Functional, Sequential)
guard_constructors()

__all__ = [
    "DTypePolicy",
    "FloatDTypePolicy",
    "Functional",
    "Input",
    "InputLayer",
    "InputSpec",
    "Layer",
    "Model",
    "Sequential",
    "activations",
    "clone_model",
    "constraints",
    "dtype_policies",
    "hooks",
    "initializers",
    "layers",
    "model_from_json",
    "regularizers",
]
