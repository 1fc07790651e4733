"""`Layer`: an operation with state, built at its first call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from klayers import dtype_policies, hooks, layer_state, regularizers
from klayers.calls import CallSignature, Frame, calls, describe, is_symbolic_call, signature_of
from klayers.dtype_policies import QUANTIZATION_MODES, DTypePolicy
from klayers.input_spec import assert_input_compatibility
from klayers.layer_build import LayerBuild, wrap_build
from klayers.layer_masks import fill_masks, set_output_masks
from klayers.layer_spec import LayerSpec
from klayers.layer_state import LayerState
from klayers.recording import automatic_config, config_class, from_automatic_config
from klayers.tracking import Tracker, kind_of
from kops import dtypes, masks, tree
from kops.backend import current
from kops.keras_tensor import KerasTensor
from kops.operation import Operation
from kops.registry import export
from kops.scopes import state

__all__ = ["Layer"]

_MASKS = masks._SIDE_TABLE
_LEGACY = ("input_shape", "batch_input_shape", "input_dim", "weights")


class _Plan:
    """What a built layer may skip: calls whose input it has seen the like of."""

    __slots__ = ("default", "has_training", "known", "plain")

    def __init__(self, layer: Layer, signature: CallSignature):
        self.known: set[Any] = set()
        self.has_training = signature.has_training
        self.default = signature.training_default
        self.plain = not (
            layer._layers
            or layer._computes_mask
            or layer._autocast_dtype is not None
            or layer._activity_regularizer is not None
            or layer.quantization_mode is not None
        )


@export("keras.Layer", "keras.layers.Layer")
class Layer(LayerBuild, LayerState, LayerSpec, Operation):
    """A computation with the variables it needs.

    A subclass defines `__init__` (what it is configured with), `build(input_shape)` (its
    variables, by `add_weight`) and `call(inputs)` (the computation, with `keras.ops`).
    Also meant to be overridden: `compute_mask`, `compute_output_shape`, `get_config`.
    Constructor arguments are recorded, so `get_config` need not be.

    Args:
        activity_regularizer: regularizer of the outputs.
        trainable: whether training changes the variables.
        dtype: dtype, dtype policy or the name of one; None: the global policy.
        autocast: whether float inputs are cast to the compute dtype.
        name: name; made from the class name if None.

    Example:

    >>> import numpy as np
    >>> from klayers import Layer
    >>> from kops import ops
    >>> class Scale(Layer):
    ...     def build(self, input_shape):
    ...         self.scale = self.add_weight(input_shape[-1:], "scale", initializer="ones")
    ...     def call(self, inputs):
    ...         return inputs * self.scale
    >>> layer = Scale()
    >>> layer(np.ones((2, 3), "float32")).shape == (2, 3)
    True
    >>> [v.path for v in layer.weights]
    ['scale/scale']
    """

    _is_layer = True
    # Arguments that a config leaves out where they are None.
    _config_optional: ClassVar[frozenset[str]] = frozenset(
        {"lora_rank", "lora_alpha", "gptq_unpacked_column_size"}
    )
    _config_extra: ClassVar[tuple[str, ...]] = ()
    _config_omitted: ClassVar[frozenset[str]] = frozenset()
    _untracked: ClassVar[frozenset[str]] = frozenset({"_inbound_nodes", "_outbound_nodes"})
    # Attributes that pickles and deep copies leave out; a subclass names its own.
    _not_copied: ClassVar[frozenset[str]] = frozenset(
        {"_plan", "_inbound_nodes", "_outbound_nodes", "_loss_list", "_loss_ids"}
    )
    _allow_non_tensor_positional_args = False
    _computes_mask = False

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        build = cls.__dict__.get("build")
        if build is not None and not getattr(build, "_wraps_build", False):
            cls.build = wrap_build(build)  # type: ignore[method-assign]
        cls._computes_mask = cls.compute_mask is not Layer.compute_mask

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        self = super().__new__(cls)
        fields = self.__dict__
        fields["_recorded"] = (args, kwargs)
        lists: list[list[Any]] = [[], [], [], [], []]
        (
            fields["_trainable_variables"],
            fields["_non_trainable_variables"],
            fields["_layers"],
            fields["_metrics"],
            fields["_seed_generators"],
        ) = lists
        fields["_tracker"] = Tracker(*lists)
        fields["_plan"] = None
        fields["_initialized"] = False
        return self

    def __init__(
        self,
        *,
        activity_regularizer: Any = None,
        trainable: bool = True,
        dtype: Any = None,
        autocast: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ):
        self._take_legacy(kwargs)
        super().__init__(name=name)
        fields = self.__dict__
        fields["_initialized"] = True
        fields["built"] = False
        fields["autocast"] = bool(autocast)
        fields["_activity_regularizer"] = regularizers.get(activity_regularizer)
        fields["_trainable"] = bool(trainable)
        fields["_input_spec"] = None
        fields["_loss_list"] = []
        fields["_loss_ids"] = set()
        fields["_building"] = False
        fields["_build_shapes"] = None
        fields["_scope_names"] = None
        fields["_supports_masking"] = self._computes_mask
        self._set_policy(dtype_policies.get(dtype))

    def _take_legacy(self, kwargs: dict[str, Any]) -> None:
        """Accepts the ways of old to give an input shape; refuses other arguments."""
        if not kwargs:
            return
        shape = kwargs.pop("input_shape", None)
        batch_shape = kwargs.pop("batch_input_shape", None)
        size = kwargs.pop("input_dim", None)
        if kwargs:
            raise ValueError(
                f"{type(self).__name__} got unexpected arguments {sorted(kwargs)}. Besides its own "
                "it takes: name, trainable, dtype, autocast, activity_regularizer."
            )
        if batch_shape is None and shape is not None:
            batch_shape = (None, *shape)
        if batch_shape is None and size is not None:
            batch_shape = (None, size)
        # Sequential makes an input of it.
        self.__dict__["_given_input_shape"] = None if batch_shape is None else tuple(batch_shape)

    # -- attributes ----------------------------------------------------------------------

    def __setattr__(self, name: str, value: Any) -> None:
        kind = kind_of(type(value))
        tracker = self._tracker
        if (kind is not None and name not in self._untracked) or name in tracker.owned:
            value = self._track_attribute(name, value, kind)
        super().__setattr__(name, value)

    def _track_attribute(self, name: str, value: Any, kind: str | None) -> Any:
        tracker = self._tracker
        old = self.__dict__.get(name)
        stored = tracker.track(value)
        if name in tracker.owned and old is not value and old is not stored:
            others = (v for k, v in self.__dict__.items() if k != name and k in tracker.owned)
            if all(v is not old for v in others):
                tracker.untrack(old)
                tracker.track(stored)  # what old and new have in common stays
            tracker.owned.pop(name)
        if kind is not None and (kind != "container" or stored is not value):
            tracker.owned[name] = None
            self._reset_plan()
        return stored

    def __delattr__(self, name: str) -> None:
        if name in self._tracker.owned:
            self._tracker.untrack(self.__dict__[name])
            self._tracker.owned.pop(name)
            self._reset_plan()
        super().__delattr__(name)

    def _check_super_called(self) -> None:
        if not self._initialized:
            raise RuntimeError(
                f"`{type(self).__name__}.__init__()` does not call `super().__init__()`. Make "
                "it the first statement there."
            )

    def _reset_plan(self) -> None:
        self.__dict__["_plan"] = None

    def _set_policy(self, policy: DTypePolicy) -> None:
        fields = self.__dict__
        fields["_dtype_policy"] = policy
        compute, variable = policy.compute_dtype, policy.variable_dtype
        fields["_compute_dtype"] = compute
        differs = compute != variable and dtypes.is_float(compute)
        fields["_autocast_dtype"] = compute if differs and self.autocast else None
        fields["_casts_inputs"] = self.autocast and dtypes.is_float(compute)
        self._reset_plan()

    @property
    def dtype_policy(self) -> DTypePolicy:
        """The dtype policy."""
        return self._dtype_policy

    @dtype_policy.setter
    def dtype_policy(self, value: Any) -> None:
        self._set_policy(dtype_policies.get(value))

    @property
    def dtype(self) -> str:
        """Dtype of the variables."""
        return self.variable_dtype

    @property
    def compute_dtype(self) -> str:
        """Dtype of the computation."""
        return self._compute_dtype

    @property
    def variable_dtype(self) -> str:  # type: ignore[override]
        """Dtype of the variables."""
        return self._dtype_policy.variable_dtype

    @property
    def input_dtype(self) -> str:
        """Dtype that float inputs are cast to."""
        return self._compute_dtype

    @property
    def quantization_mode(self) -> str | None:
        """How the layer is quantized, None if it is not."""
        return self._dtype_policy.quantization_mode

    @property
    def activity_regularizer(self) -> Any:
        """Regularizer of the outputs."""
        return self._activity_regularizer

    @activity_regularizer.setter
    def activity_regularizer(self, value: Any) -> None:
        self.__dict__["_activity_regularizer"] = regularizers.get(value)
        self._reset_plan()

    @property
    def input_spec(self) -> Any:
        """What the inputs must be like: an InputSpec, nested like the inputs, or None."""
        return self._input_spec

    @input_spec.setter
    def input_spec(self, value: Any) -> None:
        self.__dict__["_input_spec"] = value
        self._reset_plan()

    @property
    def supports_masking(self) -> bool:
        """Whether the mask of the input is passed on to the output."""
        return self._supports_masking

    @supports_masking.setter
    def supports_masking(self, value: bool) -> None:
        self.__dict__["_supports_masking"] = bool(value)
        self._reset_plan()

    @property
    def path(self) -> str | None:
        """Names of the layers around this one and its own; None before it is built."""
        names = self._scope_names
        return None if names is None else "/".join(names)

    @property
    def _call_signature(self) -> CallSignature:
        return signature_of(type(self))

    # -- calling -------------------------------------------------------------------------

    def call(self, *args: Any, **kwargs: Any) -> Any:
        """The computation; defined by the subclass."""
        self._check_super_called()
        raise NotImplementedError(
            f"Layer {type(self).__name__} defines no `call()` method: there is nothing to compute."
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        plan = self._plan
        if (
            plan is None
            or len(args) != 1
            or (kwargs and (len(kwargs) > 1 or "training" not in kwargs))
        ):
            return self._call_general(args, kwargs)
        x = args[0]
        try:
            kind = x.__class__
            if kind is list or kind is tuple:
                known = (kind, *[(v.__class__, v.dtype, v.shape) for v in x]) in plan.known
                masked = any([getattr(v, "_keras_mask", None) is not None for v in x])
            else:
                known = (kind, x.dtype, x.shape) in plan.known
                masked = getattr(x, "_keras_mask", None) is not None
        except Exception:
            known = False
        if not known or masked or _MASKS:
            return self._call_general(args, kwargs)
        frame = calls.frame
        training = kwargs["training"] if kwargs else None
        if training is None and frame is not None:
            training = frame.training
        if not plan.plain or state.autocast is not None:
            return self._call_known(x, training)
        try:
            if plan.has_training:
                return self.call(x, training=plan.default if training is None else training)
            return self.call(x)
        except Exception as e:
            self._add_note(e, args, kwargs)
            raise

    def _call_known(self, x: Any, training: Any) -> Any:
        if calls.frame is None and layer_state.losses_exist():
            self._clear_losses()
        outputs = self._call_in_frame((x,), {}, training)
        if self._activity_regularizer is not None:
            self._add_activity_loss(outputs)
        if self._computes_mask:
            signature = signature_of(type(self))
            name = signature.positional[0] if signature.positional else "inputs"
            set_output_masks(self, signature, {name: x}, None, outputs)
        return outputs

    def _call_in_frame(self, args: tuple[Any, ...], kwargs: dict[str, Any], training: Any) -> Any:
        """Runs `call` with `training` handed down and variables in the compute dtype."""
        signature = signature_of(type(self))
        if signature.has_training and "training" not in kwargs:
            value = signature.training_default if training is None else training
            if value is not None and "training" not in signature.positional[: len(args)]:
                kwargs = {**kwargs, "training": value}
        saved_frame = calls.frame
        saved = (state.autocast, state.redirected)
        calls.frame = Frame(self, training)
        want = self._autocast_dtype
        if want != saved[0]:
            state.autocast = want
            state.redirected = want is not None or state.stateless is not None
        try:
            if self._dtype_policy.quantization_mode is not None:
                return self.quantized_call(*args, **kwargs)
            return self.call(*args, **kwargs)
        except Exception as e:
            self._add_note(e, args, kwargs)
            raise
        finally:
            calls.frame = saved_frame
            if want != saved[0]:
                state.autocast, state.redirected = saved

    def _call_general(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        self._check_super_called()
        signature = signature_of(type(self))
        if "training" in kwargs and not signature.has_training and not signature.var_keyword:
            kwargs = dict(kwargs)
            explicit = kwargs.pop("training")
        else:
            explicit = None
        given = args
        symbolic = is_symbolic_call(args, kwargs)
        inline = symbolic and state.symbolic is not None and state.symbolic.ops_only
        args, kwargs = self._convert(args, kwargs, record=inline)
        bound = signature.bind(args, kwargs)
        inputs = signature.inputs(bound)
        self._check_positional(args, signature)
        first = next(iter(inputs.values()), None)
        if self._input_spec is not None:
            assert_input_compatibility(self._input_spec, first, self.name)
        if not self.built:
            self._build_for(signature, bound)
            if self._input_spec is not None:
                assert_input_compatibility(self._input_spec, first, self.name)
        previous = fill_masks(signature, args, kwargs, bound, inputs, symbolic)
        frame = calls.frame
        explicit = bound.get("training", explicit) if signature.has_training else explicit
        training = explicit if explicit is not None or frame is None else frame.training
        if symbolic and not inline:
            if training is not None and explicit is None:
                outputs = self._symbolic_with(training, args, kwargs)
            else:
                outputs = self.symbolic_call(*args, **kwargs)
        else:
            if frame is None and layer_state.losses_exist():
                self._clear_losses()
            if kwargs.get("training", 0) is None:
                kwargs = {k: v for k, v in kwargs.items() if k != "training"}
            outputs = self._call_in_frame(args, kwargs, training)
            if self._activity_regularizer is not None:
                self._add_activity_loss(outputs)
            if not symbolic:
                self._note_known(given, args, kwargs, previous)
        if previous is not None or self._computes_mask:
            set_output_masks(self, signature, inputs, previous, outputs)
        return outputs

    def _symbolic_with(self, training: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A symbolic call inside another layer's, whose `training` it takes over."""
        saved, calls.frame = calls.frame, Frame(self, training)
        try:
            return self.symbolic_call(*args, **kwargs)
        finally:
            calls.frame = saved

    def _convert(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], record: bool
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Arrays to tensors, float tensors to the compute dtype; copies what it changes."""
        new_args = tuple([self._convert_one(a, record) for a in args])
        if (
            len(args) == 1
            and new_args[0].__class__ in (list, tuple)
            and all(a is b for a, b in zip(args[0], new_args[0], strict=True))
        ):
            new_args = args  # nothing changed: the same list
        if not kwargs:
            return new_args, {}
        return new_args, {k: self._convert_one(v, record) for k, v in kwargs.items()}

    def _convert_one(self, x: Any, record: bool) -> Any:
        if x is None or isinstance(x, (bool, int, float, str)):
            return x
        if isinstance(x, KerasTensor) and not record:
            return x  # the graph keeps the tensor as it came; the spec is made of a cast copy
        if isinstance(x, (list, tuple, dict)):
            return tree.map_structure(lambda v: self._convert_one(v, record), x)
        if not self._casts_inputs:
            return self._dtype_policy.convert_input(x, False, self._compute_dtype)
        return self._dtype_policy.convert_input(x, True, self.input_dtype)

    def _check_positional(self, args: tuple[Any, ...], signature: CallSignature) -> None:
        if self._allow_non_tensor_positional_args:
            return
        engine = current()
        for i, arg in enumerate(args):
            for value in tree.flatten(arg) if isinstance(arg, (list, tuple, dict)) else (arg,):
                if value is None or isinstance(value, KerasTensor) or engine.is_tensor(value):
                    continue
                name = signature.positional[i] if i < len(signature.positional) else "inputs"
                raise ValueError(
                    f"Only tensors may be passed to layer {self.name!r} by position; got {value!r} "
                    f"(of type {type(value).__name__}) for `{name}`. Pass it by name "
                    f"(`{name}=…`), or as an array."
                )

    def _note_known(self, given: Any, args: Any, kwargs: dict[str, Any], previous: Any) -> None:
        """Remembers that inputs like this one need no conversion and no check."""
        if len(args) != 1 or given[0] is not args[0] or previous is not None or self._loss_list:
            return
        if kwargs.keys() - {"training"} or not self.built:
            return
        x = args[0]
        try:
            if type(x) in (list, tuple):
                if not all(map(current().is_tensor, x)):
                    return
                key: Any = (type(x), *[(type(v), v.dtype, v.shape) for v in x])
            elif current().is_tensor(x):
                key = (type(x), x.dtype, x.shape)
            else:
                return
            plan = self.__dict__["_plan"] or _Plan(self, signature_of(type(self)))
            if len(plan.known) > 256:
                plan.known.clear()
            plan.known.add(key)
        except Exception:  # a shape that is no fact yet (a TensorFlow graph tensor)
            return
        self.__dict__["_plan"] = plan

    def _add_activity_loss(self, outputs: Any) -> None:
        for x in tree.flatten(outputs):
            if x is not None and not isinstance(x, KerasTensor):
                self.add_loss(self._activity_regularizer(x))

    def _add_note(self, error: Exception, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        if getattr(error, "_klayers_noted", False):
            return
        try:
            error._klayers_noted = True  # type: ignore[attr-defined]
        except AttributeError:
            return
        given = [describe(a) for a in args] + [f"{k}={describe(v)}" for k, v in kwargs.items()]
        error.add_note(
            f"Raised in the call of layer {self.name!r} ({type(self).__name__}) with: "
            + ", ".join(given)
        )

    def compute_mask(self, inputs: Any, previous_mask: Any) -> Any:
        """Mask of the output: that of the input, unless a subclass knows better."""
        del inputs
        return previous_mask

    # -- slots for packages above --------------------------------------------------------

    def quantize(self, mode: Any = None, type_check: bool = True, config: Any = None) -> None:
        """Quantizes the layer's weights in place.

        Args:
            mode: "int8", "float8", "int4", "gptq" or "awq".
            type_check: whether a layer of a type that cannot be quantized is an error.
            config: quantization config, in place of `mode`.

        Raises:
            ImportError: kquant, which does the work, is not installed.
        """
        if mode is None and config is not None:
            mode = getattr(config, "mode", None)
        if mode not in QUANTIZATION_MODES:
            raise ValueError(f"`mode` must be one of {QUANTIZATION_MODES}; got {mode!r}.")
        hooks.find_hook("quantize_layer")(self, mode, type_check=type_check, config=config)
        self._reset_plan()

    def quantized_build(self, input_shape: Any, mode: str) -> None:
        """Makes the variables of the quantized layer."""
        hooks.find_hook("quantized_build")(self, input_shape, mode)

    def quantized_call(self, *args: Any, **kwargs: Any) -> Any:
        """The computation of the quantized layer."""
        return hooks.find_hook("quantized_call")(self, *args, **kwargs)

    def rematerialized_call(self, layer_call: Any, *args: Any, **kwargs: Any) -> Any:
        """`layer_call` so that its intermediate values are computed again for gradients."""
        del args, kwargs
        remat = getattr(current(), "remat", None)
        return layer_call if remat is None else remat(layer_call)

    # -- configs, copies -----------------------------------------------------------------

    def get_config(self) -> dict[str, Any]:
        """Constructor arguments, JSON-ready.

        Raises:
            NotImplementedError: an argument has no JSON form; names it.
        """
        base = self._base_config()
        cls = config_class(type(self), Layer)
        return base if cls is None else automatic_config(self, cls, base)

    def _base_config(self) -> dict[str, Any]:
        """The arguments that every layer takes."""
        self._check_super_called()
        base: dict[str, Any] = {
            "name": self.name,
            "trainable": self.trainable,
            "dtype": dtype_policies.serialize(self.dtype_policy),
        }
        if self._activity_regularizer is not None:
            base["activity_regularizer"] = regularizers.serialize(self._activity_regularizer)
        return base

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Any:
        """The layer that `get_config` described."""
        return from_automatic_config(cls, dict(config))

    def __getstate__(self) -> dict[str, Any]:
        # A copy is not part of the graphs that the original is in.
        left_out: set[str] = set().union(
            *(c.__dict__.get("_not_copied", ()) for c in type(self).__mro__)
        )
        return {k: v for k, v in self.__dict__.items() if k not in left_out}

    def __setstate__(self, fields: dict[str, Any]) -> None:
        self.__dict__.update(fields)
        self.__dict__.update(
            _plan=None, _inbound_nodes=[], _outbound_nodes=[], _loss_list=[], _loss_ids=set()
        )
        for name in list(self._tracker.owned):
            if name in self.__dict__:
                self.__dict__[name] = self._tracker.track(self.__dict__[name])

    def __repr__(self) -> str:
        fields = self.__dict__
        return (
            f"<{type(self).__name__} name={fields.get('name')}, built={fields.get('built', False)}>"
        )

    __str__ = __repr__


# The default `build` gets what wraps every other one when a subclass is made.
LayerBuild.build = wrap_build(LayerBuild.build)  # type: ignore[method-assign]
