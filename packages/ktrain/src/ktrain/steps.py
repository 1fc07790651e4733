"""What a step is made of: the loss of a batch, the metrics, and building what they need."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from klayers import Model
from klayers.calls import signature_of
from klayers.layer_state import losses_exist
from kops import KerasTensor, config, ops, tree
from kops.scopes import StatelessScope, SymbolicScope
from ktrain.compiled import CompileMetrics
from ktrain.data.packing import unpack_x_y_sample_weight
from ktrain.metrics import Metric
from ktrain.state import TrainerState, trainer_state

__all__ = [
    "all_metrics",
    "batch_size_of",
    "bound",
    "call_model",
    "compute_loss",
    "compute_metrics",
    "get_metrics_result",
    "is_overridden",
    "leaf_metrics",
    "metrics_of",
    "metrics_variables",
    "prepare",
    "reset_metrics",
    "scaled",
    "stateless_compute_loss",
]


def is_overridden(model: Model, name: str) -> bool:
    """Whether a method of the model is the user's own rather than the default."""
    method = getattr(model, name, None)
    return method is not None and not getattr(method, "_is_default", False)


def bound(model: Model, name: str, default: Callable[..., Any]) -> Callable[..., Any]:
    """The model's method `name` if it overrides the default, else the default for the model."""
    if is_overridden(model, name):
        return getattr(model, name)
    return lambda *args, **kwargs: default(model, *args, **kwargs)


def batch_size_of(x: Any) -> Any:
    """Rows of a batch: the size of the first axis of its first tensor."""
    while isinstance(x, (list, tuple, dict)):
        x = next(iter(x.values())) if isinstance(x, dict) else x[0]
    size = x.shape[0]
    return ops.shape(x)[0] if size is None else size


def call_model(model: Model, x: Any, training: bool) -> Any:
    """The model's outputs, in training or in inference mode."""
    signature = signature_of(type(model))
    if signature.has_training or not signature.var_keyword:
        # A `call` without the argument still hands it down to the layers inside.
        return model(x, training=training)
    return model(x)


# -- loss -----------------------------------------------------------------------------


def compute_loss(
    model: Model,
    x: Any = None,
    y: Any = None,
    y_pred: Any = None,
    sample_weight: Any = None,
    training: bool = True,
) -> Any:
    """The loss of a batch: the compiled losses and those that layers added.

    Args:
        model: the model.
        x: inputs; not used, there for models that override this.
        y: targets.
        y_pred: outputs of the model.
        sample_weight: weights per sample.
        training: whether the model is being trained.

    Returns:
        A scalar; 0 without any loss, if the model is not being trained.

    Raises:
        ValueError: there is no loss at all.
    """
    del x
    state = trainer_state(model)
    total = None
    if state.losses is not None and y_pred is not None and y is not None:
        total, values = state.losses.call_each(y, y_pred, sample_weight)
        if values:
            state.pending = values
    if state.regularized or losses_exist():
        for loss in model.losses:
            loss = ops.sum(ops.cast(loss, config.floatx()))
            total = loss if total is None else total + loss
    if total is None:
        if state.losses is not None:
            raise ValueError(
                "There is a loss but no targets to compare with: `y` is None. Pass `y`, or data "
                "that yields `(x, y)`."
            )
        if training:
            raise ValueError(
                f"There is nothing to minimise: the model {model.name!r} was compiled without a "
                "`loss`, and no layer adds one. Call `model.compile(…, loss=…)`."
            )
        return ops.convert_to_tensor(0.0, config.floatx())
    return total


def stateless_compute_loss(
    model: Model,
    trainable_variables: Sequence[Any],
    non_trainable_variables: Sequence[Any],
    metrics_values: Sequence[Any],
    x: Any = None,
    y: Any = None,
    y_pred: Any = None,
    sample_weight: Any = None,
    training: bool = True,
) -> tuple[Any, tuple[list[Any], list[Any], list[Any]]]:
    """`compute_loss` with given values of all variables.

    Returns:
        The loss and the values after it: (trainable, non-trainable, metrics).
    """
    groups = (
        (model.trainable_variables, trainable_variables),
        (model.non_trainable_variables, non_trainable_variables),
        (metrics_variables(model), metrics_values),
    )
    mapping = [pair for own, given in groups for pair in zip(own, given, strict=True)]
    with StatelessScope(mapping) as scope:
        loss = bound(model, "compute_loss", compute_loss)(
            x=x, y=y, y_pred=y_pred, sample_weight=sample_weight, training=training
        )
    after = [[scope.get_current_value(v) for v in own] for own, _ in groups]
    return loss, (after[0], after[1], after[2])


def scaled(optimizer: Any, loss: Any) -> Any:
    """The loss as the optimizer wants it for its gradients (loss scaling)."""
    return loss if optimizer is None else optimizer.scale_loss(loss)


# -- metrics --------------------------------------------------------------------------


def all_metrics(model: Model, layer_metrics: Sequence[Any]) -> list[Metric]:
    """The loss's mean, the layers' metrics, the compiled metrics, the losses' means."""
    state = trainer_state(model)
    if state.tracker is None:
        return list(layer_metrics)
    found = [state.tracker, *layer_metrics]
    if state.metrics is not None:
        found.append(state.metrics)
    if state.losses is not None:
        found.extend(state.losses.metrics)
    return found


def metrics_of(model: Model) -> list[Metric]:
    """All metrics of the model; a model class may define the property `metrics` itself."""
    own = model.metrics
    state = trainer_state(model)
    if state.tracker is None or any(m is state.tracker for m in own):
        return own
    if is_own_property(model, "metrics"):
        return own
    return all_metrics(model, own)


def leaf_metrics(model: Model) -> list[Metric]:
    """All metrics of the model, the compiled ones each by itself."""
    found: list[Metric] = []
    for metric in metrics_of(model):
        found.extend(metric.metrics if isinstance(metric, CompileMetrics) else [metric])
    return found


def is_own_property(model: Model, name: str) -> bool:
    """Whether a user's class between the model and the library defines the property."""
    for cls in type(model).__mro__:
        if name in cls.__dict__:
            return cls.__module__.partition(".")[0] not in ("klayers", "ktrain", "keras_meta")
    return False


def metrics_variables(model: Model) -> list[Any]:
    """Variables of all metrics."""
    return [v for metric in metrics_of(model) for v in metric.variables]


def compute_metrics(
    model: Model, x: Any, y: Any, y_pred: Any, sample_weight: Any = None
) -> dict[str, Any]:
    """Adds a batch to the compiled metrics and returns the results of all metrics.

    Args:
        model: the model.
        x: inputs; not used, there for models that override this.
        y: targets.
        y_pred: outputs of the model.
        sample_weight: weights per sample.
    """
    update_metrics(model, x, y, y_pred, sample_weight)
    return bound(model, "get_metrics_result", get_metrics_result)()


def update_metrics(model: Model, x: Any, y: Any, y_pred: Any, sample_weight: Any = None) -> None:
    """Adds a batch to the compiled metrics."""
    state = trainer_state(model)
    if state.pending:
        state.losses.track(state.pending, batch_size_of(x if x is not None else y))
        state.pending = None
    if state.metrics is not None and y is not None:
        state.metrics.update_state(y, y_pred, sample_weight)


def get_metrics_result(model: Model) -> dict[str, Any]:
    """The results of all metrics by name; tensors."""
    results: dict[str, Any] = {}
    for metric in metrics_of(model):
        value = metric.result()
        results.update(value if isinstance(value, dict) else {metric.name: value})
    return results


def reset_metrics(model: Model) -> None:
    """Starts all metrics anew."""
    for metric in metrics_of(model):
        metric.reset_state()


# -- building -------------------------------------------------------------------------


def prepare(model: Model, batch: Any, train: bool) -> TrainerState:
    """Builds what the first step needs: the model, losses, metrics and the optimizer.

    Args:
        model: a compiled model.
        batch: one batch of data.
        train: whether training follows.

    Raises:
        ValueError: targets or losses do not fit the model's outputs.
    """
    state = trainer_state(model)
    optimizer = model.__dict__.get("optimizer")
    if not state.prepared:
        _build(model, state, batch, strict=not is_overridden(model, "train_step"))
        state.prepared = True
    variables = model.trainable_variables
    state.regularized = any(v.regularizer is not None for v in variables)
    if train and optimizer is not None and not optimizer.built:
        if not is_overridden(model, "train_step") or variables:
            optimizer.build(variables)
    return state


def _build(model: Model, state: TrainerState, batch: Any, strict: bool) -> None:
    x, y, _ = unpack_x_y_sample_weight(batch)
    needed = not model.built or any(
        part is not None and not part.built for part in (state.losses, state.metrics)
    )
    if not needed:
        return
    try:
        y_pred = output_spec(model, x)
    except Exception:
        if strict:
            raise
        return  # a model with its own train_step need not be callable on a batch
    state.output_spec = y_pred
    if y is None:
        return
    names = getattr(model, "output_names", None)
    targets = tree.map_structure(_spec, y)
    for part in (state.losses, state.metrics):
        if part is None or part.built:
            continue
        try:
            part.build(targets, y_pred, names)
        except Exception:
            if strict:
                raise


def _spec(x: Any) -> Any:
    """A symbolic tensor like `x` with an unknown number of rows."""
    if x is None:
        return None
    shape = tuple(x.shape)
    dtype = str(x.dtype).rpartition(".")[2] if "." in str(x.dtype) else _dtype_name(x)
    return KerasTensor((None, *shape[1:]) if shape else (), dtype, record_history=False)


def _dtype_name(x: Any) -> str:
    name = getattr(x.dtype, "name", None) or str(x.dtype)
    return "string" if name.startswith(("str", "bytes", "object")) else name


def output_spec(model: Model, x: Any) -> Any:
    """Symbolic outputs for a batch; builds the model.

    A model that cannot be called on symbolic tensors is called on the batch itself.
    """
    try:
        with SymbolicScope(record=False):
            return call_model(model, tree.map_structure(_spec, x), training=False)
    except Exception as symbolic_error:
        try:
            y_pred = call_model(model, x, training=False)
        except Exception as error:
            raise error from symbolic_error
        return tree.map_structure(lambda t: None if t is None else _spec(t), y_pred)
