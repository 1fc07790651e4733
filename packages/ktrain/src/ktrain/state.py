"""What training keeps with a model."""

from __future__ import annotations

from typing import Any

from klayers import Model

__all__ = ["TrainerState", "require_compiled", "trainer_state"]


class TrainerState:
    """The result of `compile` and the compiled steps of one model.

    Attributes:
        arguments: the arguments of `compile` as they were passed.
        chosen_jit: `jit_compile` as it was passed.
        losses: the losses matched to the outputs, None without a loss.
        metrics: the metrics matched to the outputs, None without metrics.
        tracker: mean of the loss over an epoch.
        output_spec: symbolic outputs, once they were inferred.
        prepared: whether model, losses, metrics and optimizer are built.
        checked: whether a first step has shown that the loss is a number.
        regularized: whether a variable has a regularizer.
        pending: losses of the outputs that the metrics have not seen yet.
        bindings: what an engine keeps by kind of step.
        programs: compiled steps by kind, each with the key it was made for.
    """

    def __init__(self) -> None:
        self.arguments: dict[str, Any] = {}
        self.chosen_jit: bool | str = "auto"
        self.losses: Any = None
        self.metrics: Any = None
        self.tracker: Any = None
        self.output_spec: Any = None
        self.prepared = False
        self.checked = False
        self.regularized = False
        self.bindings: dict[str, Any] = {}
        self.pending: list[Any] | None = None
        self.programs: dict[str, tuple[Any, Any]] = {}

    @property
    def num_classes(self) -> int | None:
        """Size of the last axis of a single output, None if unknown."""
        shape = getattr(self.output_spec, "shape", None)
        return shape[-1] if shape else None

    def __getstate__(self) -> dict[str, Any]:
        # Compiled steps belong to this process and to this model object.
        fresh = {"programs": {}, "bindings": {}, "output_spec": None, "prepared": False}
        return {**self.__dict__, **fresh}


def trainer_state(model: Model) -> TrainerState:
    """The training state of `model`, made at first use."""
    state = model.__dict__.get("_trainer")
    if state is None:
        state = model.__dict__["_trainer"] = TrainerState()
    return state


def require_compiled(model: Model, what: str) -> TrainerState:
    """The training state of a compiled model.

    Raises:
        ValueError: `compile` was not called.
    """
    state = trainer_state(model)
    if not model.__dict__.get("compiled", False):
        raise ValueError(
            f"`{what}` was called on the model {model.name!r} before `compile()`. Call "
            "`model.compile(optimizer=…, loss=…)` first: it says what to minimise, and how."
        )
    return state
