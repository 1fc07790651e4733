"""Random primitives on PyTorch: a `torch.Generator` seeded by the two words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from kops.backends.torch.core import default_device, native_dtype

__all__ = ["TABLE", "set_random_seed"]

Tensor = torch.Tensor
_WORD = 0xFFFFFFFF


def set_random_seed(seed: int) -> None:
    """Seeds torch's own generators, which a user's torch code may draw from."""
    torch.manual_seed(seed)


def _generator(seed: Tensor) -> tuple[torch.Generator, torch.device]:
    """A generator on the device where the numbers are wanted."""
    first, second = seed.tolist()
    device = default_device()
    # On a CPU the generator uses 32 bits of its seed only. Mixed so, all counters of one
    # seed differ in those bits. (The factors are those of Murmur3 and xxHash.)
    mixed = (first * 0x85EBCA6B ^ first >> 15) + second * 0x9E3779B1
    return torch.Generator(device).manual_seed(first << 32 | mixed & _WORD), device


def _in_memory(seed: Tensor, first: int, second: int) -> bool:
    return seed.device.type == "cpu" and not torch.compiler.is_compiling()


def _seed_add_in_memory(seed: Tensor, first: int, second: int) -> Tensor:
    return torch.from_numpy(seed.numpy() + np.array([first, second], "uint32"))


def seed_add(seed: Tensor, first: int, second: int) -> Tensor:
    # uint32 has no arithmetic in torch.
    words = torch.tensor([first, second], device=seed.device)
    return ((seed.to(torch.int64) + words) & _WORD).to(torch.uint32)


def uniform(seed: Tensor, shape: Sequence[int], dtype: str) -> Tensor:
    generator, device = _generator(seed)
    return torch.rand(tuple(shape), generator=generator, dtype=native_dtype(dtype), device=device)


def normal(seed: Tensor, shape: Sequence[int], dtype: str) -> Tensor:
    generator, device = _generator(seed)
    return torch.randn(tuple(shape), generator=generator, dtype=native_dtype(dtype), device=device)


def truncated_normal(seed: Tensor, shape: Sequence[int], dtype: str) -> Tensor:
    generator, device = _generator(seed)
    wide = torch.float64 if dtype == "float64" else torch.float32
    values = torch.empty(tuple(shape), dtype=wide, device=device)
    torch.nn.init.trunc_normal_(values, 0.0, 1.0, -2.0, 2.0, generator=generator)
    return values.to(native_dtype(dtype))


def randint(
    seed: Tensor, shape: Sequence[int], minval: Tensor, maxval: Tensor, dtype: str
) -> Tensor:
    generator, device = _generator(seed)
    low, high = minval.to(torch.int64), maxval.to(torch.int64)
    # From a range so wide that the remainder is even enough; bounds may differ by element.
    drawn = torch.randint(1 << 62, tuple(shape), generator=generator, device=device)
    return (low + drawn % (high - low)).to(native_dtype(dtype))


def gamma(seed: Tensor, shape: Sequence[int], alpha: Tensor, dtype: str) -> Tensor:
    generator, _ = _generator(seed)
    alpha = alpha.broadcast_to(tuple(shape)).contiguous()
    drawn = torch._standard_gamma(alpha, generator=generator)  # pyright: ignore
    return drawn.to(native_dtype(dtype))


def binomial(
    seed: Tensor, shape: Sequence[int], counts: Tensor, probabilities: Tensor, dtype: str
) -> Tensor:
    generator, _ = _generator(seed)
    counts = counts.broadcast_to(tuple(shape)).contiguous()
    probabilities = probabilities.broadcast_to(tuple(shape)).contiguous()
    return torch.binomial(counts, probabilities, generator=generator).to(native_dtype(dtype))


def categorical(seed: Tensor, logits: Tensor, num_samples: int, dtype: str) -> Tensor:
    generator, _ = _generator(seed)
    if not logits.shape[0] or not num_samples:
        return logits.new_empty((logits.shape[0], num_samples), dtype=native_dtype(dtype))
    weights = torch.softmax(logits.float(), dim=-1)
    drawn = torch.multinomial(weights, num_samples, replacement=True, generator=generator)
    return drawn.to(native_dtype(dtype))


def permutation(seed: Tensor, n: int) -> Tensor:
    generator, device = _generator(seed)
    return torch.randperm(n, generator=generator, device=device, dtype=torch.int32)


def dropout(inputs: Tensor, seed: Tensor, rate: float, noise_shape: Sequence[int] | None) -> Tensor:
    generator, _ = _generator(seed)
    shape = inputs.shape if noise_shape is None else tuple(noise_shape)
    keep = torch.empty(shape, dtype=inputs.dtype, device=inputs.device)
    keep.bernoulli_(1.0 - rate, generator=generator).div_(1.0 - rate)
    return inputs * keep


def _on_default_device(inputs: Tensor, seed: Tensor, rate: float, noise_shape: Any) -> bool:
    return inputs.device.type == default_device().type and inputs.dtype.is_floating_point


TABLE: dict[str, Any] = {
    "seed_add": [(_seed_add_in_memory, _in_memory), seed_add],
    "random_uniform": uniform,
    "random_normal": normal,
    "random_truncated_normal": truncated_normal,
    "random_randint": randint,
    "random_gamma": gamma,
    "random_binomial": binomial,
    "random_categorical": categorical,
    "random_permutation": permutation,
    "random_dropout": [(dropout, _on_default_device)],
}
