"""The attributes that the parts of `Layer` share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from klayers.dtype_policies import DTypePolicy
    from klayers.layer import Layer
    from klayers.tracking import Tracker
    from kops.variable import Variable

__all__ = ["LayerFields"]


class LayerFields:
    """Base of the mixins that make up `Layer`: declares, defines nothing."""

    name: str
    built: bool
    autocast: bool
    _initialized: bool
    _building: bool
    _trainable: bool
    _supports_masking: bool
    _recorded: tuple[tuple[Any, ...], dict[str, Any]]
    _tracker: Tracker
    _layers: list[Layer]
    _metrics: list[Any]
    _seed_generators: list[Any]
    _trainable_variables: list[Variable]
    _non_trainable_variables: list[Variable]
    _loss_list: list[Any]
    _loss_ids: set[int]
    _build_shapes: dict[str, Any] | None
    _scope_names: tuple[str, ...] | None
    _input_spec: Any
    _activity_regularizer: Any
    _dtype_policy: DTypePolicy
    _compute_dtype: str
    _autocast_dtype: str | None
    _casts_inputs: bool
    _plan: Any

    if TYPE_CHECKING:
        # Defined in Layer.
        @property
        def variable_dtype(self) -> str: ...
        @property
        def input_dtype(self) -> str: ...
        @property
        def compute_dtype(self) -> str: ...
        @property
        def dtype_policy(self) -> DTypePolicy: ...
        @dtype_policy.setter
        def dtype_policy(self, value: Any) -> None: ...
        @property
        def trainable(self) -> bool: ...
        @trainable.setter
        def trainable(self, value: bool) -> None: ...
        def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
        def get_config(self) -> dict[str, Any]: ...
        def _call_in_frame(
            self, args: tuple[Any, ...], kwargs: dict[str, Any], training: Any
        ) -> Any: ...
        def _check_super_called(self) -> None: ...
        def _reset_plan(self) -> None: ...
