"""What the constructor arguments of optimizers, losses, metrics and callbacks may be, by name."""

from __future__ import annotations

from kops.arguments import Rule, any_of, count, guard, number, numbers, whole, wholes

__all__ = ["guard_constructors"]

_AT_LEAST_0 = number(0)
_ABOVE_0 = number(0, above=True)
_FRACTION = number(0, 1)
_DECAY = number(0, 1, below=True)
_AXES = wholes()

OPTIMIZERS: dict[str, Rule] = {
    "adam_beta_1": _DECAY,
    "adam_beta_2": _DECAY,
    "adam_lr_ratio": _AT_LEAST_0,
    "adam_weight_decay": _AT_LEAST_0,
    "alpha": number(),
    "beta": number(),
    "beta_1": _DECAY,
    "beta_2": _DECAY,
    "beta_2_decay": number(),
    "clip_threshold": _ABOVE_0,
    "clipnorm": _ABOVE_0,
    "clipvalue": _ABOVE_0,
    "decay_rate": _AT_LEAST_0,
    "decay_steps": _ABOVE_0,
    "dynamic_growth_steps": count(),
    "ema_momentum": _FRACTION,
    "ema_overwrite_frequency": whole(0),
    "end_learning_rate": _AT_LEAST_0,
    "epsilon": _AT_LEAST_0,
    "epsilon_1": _AT_LEAST_0,
    "epsilon_2": _AT_LEAST_0,
    "first_decay_steps": _ABOVE_0,
    "global_clipnorm": _ABOVE_0,
    "gradient_accumulation_steps": any_of(whole(2), lambda x: x == 0, "0 for none"),
    "initial_accumulator_value": _AT_LEAST_0,
    "initial_learning_rate": _AT_LEAST_0,
    "initial_scale": _ABOVE_0,
    "l1_regularization_strength": _AT_LEAST_0,
    "l2_regularization_strength": _AT_LEAST_0,
    "l2_shrinkage_regularization_strength": _AT_LEAST_0,
    "learning_rate": any_of(_AT_LEAST_0, callable, "a schedule, or a function"),
    "learning_rate_power": number(high=0),
    "loss_scale_factor": _ABOVE_0,
    "m_mul": _AT_LEAST_0,
    "momentum": _FRACTION,
    "ns_steps": count(),
    "power": number(),
    "rho": _FRACTION,
    "rms_rate": any_of(_AT_LEAST_0, lambda x: x is None, "None"),
    "t_mul": _ABOVE_0,
    "warmup_steps": _AT_LEAST_0,
    "warmup_target": _AT_LEAST_0,
    "weight_decay": _AT_LEAST_0,
}

LOSSES: dict[str, Rule] = {
    "alpha": any_of(number(), lambda x: isinstance(x, (list, tuple)), "a list of such"),
    "axis": _AXES,
    "beta": number(),
    "delta": _ABOVE_0,
    "gamma": _AT_LEAST_0,
    "ignore_class": whole(),
    "label_smoothing": _FRACTION,
    "margin": number(),
    "q": number(0, 1, above=True),
}

METRICS: dict[str, Rule] = {
    "axis": _AXES,
    "class_id": whole(0),
    "ignore_class": whole(),
    "k": count(),
    "label_smoothing": _FRACTION,
    "num_classes": count(),
    "num_regressors": whole(0),
    "num_thresholds": whole(1),
    "precision": _FRACTION,
    "recall": _FRACTION,
    "sensitivity": _FRACTION,
    "specificity": _FRACTION,
    "target_class_ids": wholes(0),
    "threshold": number(),
    "thresholds": numbers(),
    "top_k": count(),
}

CALLBACKS: dict[str, Rule] = {
    "baseline": number(),
    "cooldown": whole(0),
    "factor": number(0, 1, above=True, below=True),
    "initial_value_threshold": number(),
    "min_delta": number(),
    "min_lr": _AT_LEAST_0,
    "monitor": Rule(lambda x: isinstance(x, str), "the name of a value in the logs"),
    "patience": whole(0),
    "save_freq": any_of(count(), lambda x: x == "epoch", "'epoch'"),
    "start_from_epoch": whole(0),
}


def guard_constructors() -> None:
    """Makes the constructors of this package check their arguments."""
    guard("ktrain", "optimizers", OPTIMIZERS)
    guard("ktrain", "losses", LOSSES)
    guard("ktrain", "metrics", METRICS)
    guard("ktrain", "callbacks", CALLBACKS)
