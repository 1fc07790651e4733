"""Dtype policies: in which dtype a layer computes, and in which it keeps its variables."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterator, MutableMapping
from typing import Any, ClassVar

from kops import backend, config, dtypes, ops
from kops.keras_tensor import KerasTensor
from kops.registry import export
from kops.serialization import deserialize_keras_object, serialize_keras_object

__all__ = [
    "QUANTIZATION_MODES",
    "AWQDTypePolicy",
    "DTypePolicy",
    "DTypePolicyMap",
    "FloatDTypePolicy",
    "GPTQDTypePolicy",
    "Int4DTypePolicy",
    "QuantizedDTypePolicy",
    "QuantizedFloat8DTypePolicy",
    "deserialize",
    "dtype_policy",
    "get",
    "serialize",
    "set_dtype_policy",
]

QUANTIZATION_MODES = ("int8", "float8", "int4", "gptq", "awq")

_MIXED = {"mixed_float16": ("float16", "float32"), "mixed_bfloat16": ("bfloat16", "float32")}


def _parse(name: str) -> tuple[str, str]:
    """Compute dtype and variable dtype of a policy's name."""
    if name in _MIXED:
        return _MIXED[name]
    try:
        dtype = dtypes.standardize(name)
    except (TypeError, ValueError):
        raise ValueError(
            f"`name` of a dtype policy must be 'mixed_float16', 'mixed_bfloat16' or a dtype "
            f"such as 'float32'; got {name!r}."
        ) from None
    return dtype, dtype


@export(
    "keras.DTypePolicy",
    "keras.dtype_policies.DTypePolicy",
    "keras.mixed_precision.DTypePolicy",
    "keras.mixed_precision.Policy",
)
class DTypePolicy:
    """Dtypes of a layer's computation and of its variables.

    Args:
        name: a dtype ("float32": both are it), "mixed_float16" or "mixed_bfloat16"
            (computation in 16 bits, variables in float32). None: the global policy's name.

    Example:

    >>> from klayers.dtype_policies import DTypePolicy
    >>> policy = DTypePolicy("mixed_bfloat16")
    >>> policy.compute_dtype, policy.variable_dtype
    ('bfloat16', 'float32')
    """

    def __init__(self, name: str | None = None):
        if name is None:
            name = dtype_policy().name
        if not isinstance(name, str):
            raise TypeError(f"`name` of a dtype policy must be a string; got {name!r}.")
        self._name = name
        self._compute_dtype, self._variable_dtype = self._parse_name(name)

    def _parse_name(self, name: str) -> tuple[str, str]:
        return _parse(name)

    @property
    def name(self) -> str:
        """The policy's name."""
        return self._name

    @property
    def compute_dtype(self) -> str:
        """Dtype of the computation; float inputs are cast to it."""
        return self._compute_dtype

    @property
    def variable_dtype(self) -> str:
        """Dtype in which variables are kept."""
        return self._variable_dtype

    @property
    def quantization_mode(self) -> str | None:
        """Quantization mode, None for a float policy."""
        return None

    def convert_input(self, x: Any, autocast: bool, dtype: Any) -> Any:
        """`x` as a tensor; float values in `dtype` if `autocast`.

        Integers and bools keep their dtype, Python values are left alone.
        """
        engine = backend.current()
        if isinstance(x, KerasTensor) or engine.is_tensor(x):
            have = x.dtype if isinstance(x, KerasTensor) else engine.dtype_of(x)
        elif hasattr(x, "__array__"):
            x = ops.convert_to_tensor(x)
            have = engine.dtype_of(x)
        else:
            return x
        want = dtypes.standardize(dtype)
        if autocast and have != want and dtypes.is_float(have) and dtypes.is_float(want):
            return ops.cast(x, want)
        return x

    def get_config(self) -> dict[str, Any]:
        """Constructor arguments."""
        return {"name": self.name}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> DTypePolicy:
        """The policy that `get_config` described."""
        return cls(**config)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.get_config() == other.get_config()  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return hash((type(self), self.name))

    def __repr__(self) -> str:
        return f'<{type(self).__name__} "{self.name}">'


@export("keras.FloatDTypePolicy", "keras.dtype_policies.FloatDTypePolicy")
class FloatDTypePolicy(DTypePolicy):
    """A `DTypePolicy` that is not quantized; kept as a name of its own."""


@export("keras.dtype_policies.QuantizedDTypePolicy")
class QuantizedDTypePolicy(DTypePolicy):
    """Policy of a quantized layer: how it is stored, and the float policy it came from.

    Args:
        mode: how weights are stored: "int8" or "int4".
        source_name: name of the float policy; None: the global policy's.

    Example:

    >>> from klayers import dtype_policies
    >>> policy = dtype_policies.get("int8_from_mixed_bfloat16")
    >>> policy.quantization_mode, policy.compute_dtype
    ('int8', 'bfloat16')
    """

    _modes: ClassVar[tuple[str, ...]] = ("int8", "int4")

    def __init__(self, mode: str, source_name: str | None = None):
        self._check_mode(mode)
        if source_name is None:
            source_name = dtype_policy().name
        self.mode = mode
        self._source_name = source_name
        self._quantization_mode = mode.split("/")[0]
        super().__init__(f"{mode}_from_{source_name}")

    def _parse_name(self, name: str) -> tuple[str, str]:
        compute, variable = _parse(self._source_name)
        if compute == "float16" and self._quantization_mode in ("int8", "int4"):
            pass  # accumulation in float16 overflows easily, but the choice is the user's
        return compute, variable

    def _check_mode(self, mode: Any) -> None:
        if mode not in self._modes:
            raise ValueError(
                f"`mode` of {type(self).__name__} must be one of {self._modes}; got {mode!r}."
            )

    @property
    def quantization_mode(self) -> str:
        """Quantization mode without its parameters."""
        return self._quantization_mode

    def get_config(self) -> dict[str, Any]:
        """Constructor arguments."""
        return {"mode": self.mode, "source_name": self._source_name}


@export("keras.dtype_policies.QuantizedFloat8DTypePolicy")
class QuantizedFloat8DTypePolicy(QuantizedDTypePolicy):
    """Policy of a layer whose products are computed in 8-bit floats.

    Args:
        mode: "float8".
        source_name: name of the float policy.
        amax_history_length: over how many steps the largest magnitude is remembered.
    """

    _modes = ("float8",)
    default_amax_history_length = 1024

    def __init__(self, mode: str, source_name: str | None = None, amax_history_length: int = 1024):
        if not isinstance(amax_history_length, int):
            raise TypeError(f"`amax_history_length` must be an int; got {amax_history_length!r}.")
        super().__init__(mode, source_name)
        self._amax_history_length = amax_history_length

    @property
    def amax_history_length(self) -> int:
        """Over how many steps the largest magnitude is remembered."""
        return self._amax_history_length

    def get_config(self) -> dict[str, Any]:
        """Constructor arguments."""
        return {**super().get_config(), "amax_history_length": self.amax_history_length}


class _GroupedDTypePolicy(QuantizedDTypePolicy):
    """A quantized policy whose mode carries numbers, as in `gptq/4/128`."""

    _pattern: ClassVar[re.Pattern[str]]
    _format: ClassVar[str]

    def _check_mode(self, mode: Any) -> None:
        if not isinstance(mode, str) or not self._pattern.fullmatch(mode):
            raise ValueError(
                f"`mode` of {type(self).__name__} must have the form {self._format!r}; "
                f"got {mode!r}."
            )

    def _numbers(self) -> list[int]:
        return [int(n) for n in self.mode.split("/")[1:]]


@export("keras.dtype_policies.Int4DTypePolicy")
class Int4DTypePolicy(_GroupedDTypePolicy):
    """Policy of a layer with 4-bit weights scaled in groups.

    Args:
        mode: "int4/<block_size>"; block size -1 means one scale per output channel.
        source_name: name of the float policy.
    """

    _pattern = re.compile(r"int4/(-1|[1-9]\d*)")
    _format = "int4/<block_size>"

    def __init__(self, mode: str, source_name: str | None = None):
        super().__init__(mode, source_name)
        (self.block_size,) = self._numbers()


@export("keras.dtype_policies.GPTQDTypePolicy")
class GPTQDTypePolicy(_GroupedDTypePolicy):
    """Policy of a layer quantized by GPTQ (https://arxiv.org/abs/2210.17323).

    Args:
        mode: "gptq/<weight_bits>/<group_size>" with 2, 3, 4 or 8 bits; group size -1
            means one group per column.
        source_name: name of the float policy.
    """

    _pattern = re.compile(r"gptq/[2348]/(-1|[1-9]\d*)")
    _format = "gptq/<weight_bits>/<group_size>"

    def __init__(self, mode: str, source_name: str | None = None):
        super().__init__(mode, source_name)
        self.weight_bits, self.group_size = self._numbers()


@export("keras.dtype_policies.AWQDTypePolicy")
class AWQDTypePolicy(_GroupedDTypePolicy):
    """Policy of a layer quantized by AWQ (https://arxiv.org/abs/2306.00978).

    Args:
        mode: "awq/4/<group_size>".
        source_name: name of the float policy.
    """

    _pattern = re.compile(r"awq/4/(-1|[1-9]\d*)")
    _format = "awq/4/<group_size>"

    def __init__(self, mode: str, source_name: str | None = None):
        super().__init__(mode, source_name)
        self.weight_bits, self.group_size = self._numbers()


@export("keras.dtype_policies.DTypePolicyMap")
class DTypePolicyMap(DTypePolicy, MutableMapping[str, DTypePolicy]):
    """Policies by layer path, for models whose layers differ.

    Keys are layer paths or patterns (`encoder/.*`) that match a whole path.

    Args:
        default_policy: policy of layers that no key matches; None: the global policy.
        policy_map: initial entries.

    Example:

    >>> from klayers.dtype_policies import DTypePolicyMap
    >>> policies = DTypePolicyMap()
    >>> policies["encoder/.*"] = "bfloat16"
    >>> policies["encoder/dense"].compute_dtype
    'bfloat16'
    """

    def __init__(self, default_policy: Any = None, policy_map: Any = None):
        if isinstance(default_policy, DTypePolicyMap):
            raise ValueError("`default_policy` must be a policy, not a DTypePolicyMap.")
        if policy_map is not None and not isinstance(policy_map, dict):
            raise TypeError(f"`policy_map` must be a dictionary; got {policy_map!r}.")
        self._default_policy_arg = default_policy
        self._default_policy = get(default_policy)
        self._policy_map: dict[str, DTypePolicy] = {}
        for key, policy in (policy_map or {}).items():
            self[key] = policy

    @property
    def name(self) -> str:
        """Name made of the default policy's."""
        return f"map_{self.default_policy.name}"

    @property
    def default_policy(self) -> DTypePolicy:
        """Policy of layers that no key matches."""
        return self._default_policy

    @property
    def compute_dtype(self) -> str:
        """Compute dtype of the default policy."""
        return self.default_policy.compute_dtype

    @property
    def variable_dtype(self) -> str:
        """Variable dtype of the default policy."""
        return self.default_policy.variable_dtype

    @property
    def quantization_mode(self) -> str | None:
        """Quantization mode of the default policy."""
        return self.default_policy.quantization_mode

    def __getitem__(self, key: str) -> DTypePolicy:
        if key in self._policy_map:
            return self._policy_map[key]
        matches = [k for k in self._policy_map if _matches(k, key)]
        if len(matches) > 1:
            raise ValueError(f"The path {key!r} matches several keys of the map: {matches}.")
        policy = self._policy_map[matches[0]] if matches else self.default_policy
        if policy.quantization_mode is not None and not matches:
            # A quantized default is only for the layers listed: the rest stay float.
            return get(policy._source_name)  # type: ignore[attr-defined]
        return policy

    def __setitem__(self, key: str, policy: Any) -> None:
        if key in self._policy_map:
            raise ValueError(
                f"{key!r} is in the DTypePolicyMap already, with {self._policy_map[key]!r}. "
                "Delete it first."
            )
        self._policy_map[key] = get(policy)

    def __delitem__(self, key: str) -> None:
        del self._policy_map[key]

    def __contains__(self, key: object) -> bool:
        return key in self._policy_map

    def __len__(self) -> int:
        return len(self._policy_map)

    def __iter__(self) -> Iterator[str]:
        return iter(self._policy_map)

    def __hash__(self) -> int:
        return id(self)

    def get_config(self) -> dict[str, Any]:
        """Constructor arguments."""
        default = self._default_policy_arg
        return {
            "default_policy": None if default is None else serialize(self._default_policy),
            "policy_map": {k: serialize(p) for k, p in self._policy_map.items()},
        }

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> DTypePolicyMap:
        """The map that `get_config` described."""
        default = config.get("default_policy")
        entries = config.get("policy_map") or {}
        return cls(
            None if default is None else deserialize(default, custom_objects),
            {k: deserialize(p, custom_objects) for k, p in entries.items()},
        )

    def __repr__(self) -> str:
        mapping = [(k, p.name) for k, p in self._policy_map.items()]
        return f"<DTypePolicyMap default_policy={self.default_policy.name}, mapping={mapping}>"


def _matches(pattern: str, path: str) -> bool:
    try:
        return re.fullmatch(pattern, path) is not None
    except re.error:
        return fnmatch.fnmatchcase(path, pattern)


# -- names to policies ------------------------------------------------------------------

_QUANTIZED = {
    "int8": QuantizedDTypePolicy,
    "int4": QuantizedDTypePolicy,
    "float8": QuantizedFloat8DTypePolicy,
    "gptq": GPTQDTypePolicy,
    "awq": AWQDTypePolicy,
}
_cache: dict[str, DTypePolicy] = {}


def _from_name(name: str) -> DTypePolicy:
    cached = _cache.get(name)
    if cached is not None:
        return cached
    kind = re.match(r"(int8|int4|float8|gptq|awq)(?=/|_from_|$)", name)
    if kind is None:
        policy = DTypePolicy(name)
    else:
        mode, found, source = name.partition("_from_")
        if not found:
            raise ValueError(
                f"The name of a quantized policy has the form '<mode>_from_<policy>', such as "
                f"'int8_from_float32'; got {name!r}."
            )
        cls = Int4DTypePolicy if mode.startswith("int4/") else _QUANTIZED[kind[1]]
        policy = cls(mode, source)
    _cache[name] = policy
    return policy


@export("keras.dtype_policies.get")
def get(identifier: Any) -> DTypePolicy:
    """A policy from a policy, a name, a config or None (the global policy).

    Example:

    >>> from klayers import dtype_policies
    >>> dtype_policies.get("mixed_float16")
    <DTypePolicy "mixed_float16">
    """
    if identifier is None:
        return dtype_policy()
    if isinstance(identifier, DTypePolicy):
        return identifier
    if isinstance(identifier, dict):
        return deserialize(identifier)
    if isinstance(identifier, str):
        return _from_name(identifier)
    try:
        return _from_name(dtypes.standardize(identifier))
    except (TypeError, ValueError):
        raise ValueError(
            "`dtype` must be a dtype, the name of a dtype policy or a DTypePolicy; "
            f"got {identifier!r}."
        ) from None


@export("keras.dtype_policies.serialize")
def serialize(dtype_policy: DTypePolicy) -> dict[str, Any]:
    """The config dictionary of a policy."""
    return serialize_keras_object(dtype_policy)


@export("keras.dtype_policies.deserialize")
def deserialize(config: Any, custom_objects: Any = None) -> DTypePolicy:
    """The policy of a config dictionary.

    Raises:
        ValueError: the config is of something else.
    """
    policy = deserialize_keras_object(config, custom_objects=custom_objects)
    if isinstance(policy, str):
        policy = _from_name(policy)
    if not isinstance(policy, DTypePolicy):
        raise ValueError(f"`config` does not describe a dtype policy; got {config!r}.")
    return policy


_global: DTypePolicy | None = None


@export(
    "keras.config.dtype_policy",
    "keras.mixed_precision.dtype_policy",
    "keras.mixed_precision.global_policy",
)
def dtype_policy() -> DTypePolicy:
    """The policy of layers that are given no dtype: `floatx` unless set otherwise.

    Example:

    >>> from klayers.dtype_policies import dtype_policy
    >>> dtype_policy()
    <DTypePolicy "float32">
    """
    return _global if _global is not None else _from_name(config.floatx())


@export(
    "keras.config.set_dtype_policy",
    "keras.mixed_precision.set_dtype_policy",
    "keras.mixed_precision.set_global_policy",
)
def set_dtype_policy(policy: Any) -> None:
    """Sets the policy of layers that are given no dtype.

    Args:
        policy: a policy or its name.

    Example:

    >>> from klayers.dtype_policies import dtype_policy, set_dtype_policy
    >>> set_dtype_policy("mixed_bfloat16")
    >>> dtype_policy().compute_dtype
    'bfloat16'
    >>> set_dtype_policy("float32")
    """
    global _global
    if not isinstance(policy, (str, DTypePolicy, dict)):
        raise ValueError(
            "`policy` must be the name of a dtype policy such as 'mixed_float16', or a "
            f"DTypePolicy; got {policy!r}."
        )
    _global = get(policy)
