"""`compile`: what a model is trained for, and how that is written down."""

from __future__ import annotations

import warnings
from typing import Any

from klayers import Model
from kops.serialization import deserialize_keras_object, serialize_keras_object
from ktrain import optimizers
from ktrain.compiled import CompileLoss, CompileMetrics
from ktrain.engines import engine
from ktrain.metrics import Mean
from ktrain.state import TrainerState, trainer_state
from ktrain.steps import is_overridden

__all__ = ["compile_from_config", "compile_model", "get_compile_config"]


def compile_model(
    model: Model,
    optimizer: Any = "rmsprop",
    loss: Any = None,
    loss_weights: Any = None,
    metrics: Any = None,
    weighted_metrics: Any = None,
    run_eagerly: bool = False,
    steps_per_execution: int = 1,
    jit_compile: bool | str = "auto",
    auto_scale_loss: bool = True,
) -> None:
    """Says how a model is trained and judged. What an earlier call said is forgotten.

    Args:
        model: the model.
        optimizer: an `Optimizer` or the name of one.
        loss: a loss (name, function `(y_true, y_pred)`, `Loss`), or a list or dict of
            them by output; None for a model that adds its own losses.
        loss_weights: a factor per loss: list or dict.
        metrics: metrics (names, functions, `Metric`s) as a list, or a list or dict of
            them by output.
        weighted_metrics: the same; these take sample and class weights into account.
        run_eagerly: run steps without compiling them (for debugging).
        steps_per_execution: batches that run as one compiled loop, without Python or
            callbacks in between.
        jit_compile: whether steps go through the engine's compiler: True, False or
            "auto" (what is best for the engine).
        auto_scale_loss: with the dtype policy "mixed_float16", whether the optimizer is
            wrapped into a `LossScaleOptimizer`.

    Raises:
        ValueError: an unknown name, or an argument of the wrong kind.

    Example:
    ```python
    >>> import klayers, ktrain
    >>> model = klayers.Sequential([klayers.Input((3,)), klayers.layers.Dense(1)])
    >>> ktrain.compile_model(model, "adam", loss="mse", metrics=["mae"])
    >>> model.compiled
    True

    ```
    """
    _check(steps_per_execution, jit_compile)
    made = _optimizer(model, optimizer, auto_scale_loss)
    state = TrainerState()
    state.arguments = {
        "optimizer": made,
        "loss": loss,
        "loss_weights": loss_weights,
        "metrics": metrics,
        "weighted_metrics": weighted_metrics,
    }
    if loss is not None:
        state.losses = CompileLoss(loss, loss_weights)
    elif loss_weights is not None:
        raise ValueError("`loss_weights` was passed without a `loss` to weigh.")
    if metrics is not None or weighted_metrics is not None:
        state.metrics = CompileMetrics(metrics, weighted_metrics)
    state.tracker = Mean(name="loss")
    state.chosen_jit = jit_compile
    if jit_compile == "auto":
        jit_compile = False if run_eagerly else engine().JIT
    elif jit_compile and run_eagerly:
        warnings.warn(
            "`jit_compile=True` has no effect together with `run_eagerly=True`: steps run eagerly.",
            stacklevel=2,
        )
        jit_compile = False
    # Past the attribute tracking of layers: none of these holds weights of the model.
    model.__dict__.update(
        _trainer=state,
        optimizer=made,
        loss=loss,
        compiled=True,
        stop_training=False,
        run_eagerly=bool(run_eagerly),
        steps_per_execution=int(steps_per_execution),
        jit_compile=bool(jit_compile),
        train_function=None,
        test_function=None,
        predict_function=None,
    )


def _check(steps_per_execution: Any, jit_compile: Any) -> None:
    if (
        isinstance(steps_per_execution, bool)
        or not hasattr(steps_per_execution, "__index__")
        or steps_per_execution < 1
    ):
        raise ValueError(
            f"`steps_per_execution` must be a positive int; got {steps_per_execution!r}."
        )
    if jit_compile not in (True, False, "auto"):
        raise ValueError(f"`jit_compile` must be True, False or 'auto'; got {jit_compile!r}.")


def _optimizer(model: Model, identifier: Any, auto_scale_loss: bool) -> Any:
    if identifier is None:
        return None
    optimizer = optimizers.get(identifier)
    policy = getattr(model, "dtype_policy", None)
    scaled = getattr(optimizers, "LossScaleOptimizer", None)
    if (
        auto_scale_loss
        and scaled is not None
        and getattr(policy, "name", None) == "mixed_float16"
        and not isinstance(optimizer, scaled)
    ):
        optimizer = scaled(optimizer, name="loss_scale_optimizer")
    return optimizer


def get_compile_config(model: Model) -> dict[str, Any]:
    """The arguments of `compile` as plain values; empty for a model that is not compiled."""
    if not model.__dict__.get("compiled", False):
        return {}
    own = model.__dict__
    arguments = {**trainer_state(model).arguments, "optimizer": own["optimizer"]}
    config = {key: serialize_keras_object(value) for key, value in arguments.items()}
    return config | {
        "run_eagerly": own["run_eagerly"],
        "steps_per_execution": own["steps_per_execution"],
        # Not what "auto" means here: the file may go to an engine where it means another.
        "jit_compile": trainer_state(model).chosen_jit,
    }


def compile_from_config(model: Model, config: dict[str, Any]) -> None:
    """Compiles a model with what `get_compile_config` returned, and builds the optimizer.

    Args:
        model: the model.
        config: the arguments of `compile`, serialized. `jit_compile` becomes "auto": what a
            file of Keras says depends on the engine that it was written with.
    """
    if is_overridden(model, "compile") and not is_overridden(model, "get_compile_config"):
        warnings.warn(
            f"`compile()` was not called when {model.name!r} was loaded, because its class "
            "overrides it. Call `model.compile(…)`, or override `get_compile_config()` and "
            "`compile_from_config()` too.",
            stacklevel=2,
        )
        return
    arguments = deserialize_keras_object(config)
    if "jit_compile" in arguments:
        arguments["jit_compile"] = "auto"
    compile_fn = getattr(model, "compile", None)
    if compile_fn is None:
        compile_model(model, **arguments)
    else:
        compile_fn(**arguments)
    optimizer = model.__dict__.get("optimizer")
    if optimizer is not None and model.built:
        optimizer.build(model.trainable_variables)
