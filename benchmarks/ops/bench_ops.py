"""Ops against the bare engine, in one interleaved run.

    KERAS_BACKEND=torch python benchmarks/ops/bench_ops.py [case ...]

Every line: case, time of the op, time of the engine's own call, median of the paired ratios.
`overhead` is the
difference of the two medians. On a busy machine set `OMP_NUM_THREADS=1` and `BENCH_CPU=1`: the
latter counts
the processor's time in place of the clock's.
"""

from __future__ import annotations

import gc
import os
import statistics
import sys
import time
from collections.abc import Callable

os.environ.setdefault("KERAS_BACKEND", "numpy")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np

import kops
from kops import ops
from kops.backend import active

ROUNDS, TARGET_S = 11, 0.03
clock = time.process_time if os.environ.get("BENCH_CPU") == "1" else time.perf_counter
Pair = tuple[Callable[[], object], Callable[[], object]]
RNG = np.random.default_rng(0)


def normal(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape).astype("float32")


def calls_per_round(fn: Callable[[], object]) -> int:
    fn()
    start = clock()
    fn()
    once = max(clock() - start, 1e-7)
    return max(1, min(20000, int(TARGET_S / once)))


def timed(fn: Callable[[], object], count: int) -> float:
    start = clock()
    for _ in range(count):
        fn()
    return (clock() - start) / count


def compare(case: str, pair: Pair) -> None:
    ours, native = pair
    counts = calls_per_round(ours), calls_per_round(native)
    gc.collect()
    a, b = [], []
    for i in range(ROUNDS):
        order = ((ours, counts[0], a), (native, counts[1], b))
        for fn, count, times in order if i % 2 else order[::-1]:
            times.append(timed(fn, count))
    ratios = sorted(x / y for x, y in zip(a, b, strict=True))
    ours_s, native_s = statistics.median(a), statistics.median(b)
    print(
        f"{active().NAME:10} {case:22} {ours_s * 1e6:10.2f} us  native {native_s * 1e6:10.2f} us  "
        f"ratio {statistics.median(ratios):6.2f} [{ratios[0]:.2f}..{ratios[-1]:.2f}]  "
        f"overhead {(ours_s - native_s) * 1e6:8.2f} us",
        flush=True,
    )


def numpy_cases() -> dict[str, Pair]:
    a, b = normal(4, 4), normal(4, 4)
    big = normal(64, 1000)
    x, k = normal(8, 28, 28, 32), normal(3, 3, 32, 64)
    windows = np.lib.stride_tricks.sliding_window_view(x, (3, 3), (1, 2))

    def im2col() -> np.ndarray:
        return windows.transpose(0, 1, 2, 4, 5, 3).reshape(-1, 288) @ k.reshape(288, 64)

    def softmax() -> np.ndarray:
        e = np.exp(big - big.max(-1, keepdims=True))
        return e / e.sum(-1, keepdims=True)

    return {
        "add": (lambda: ops.add(a, b), lambda: np.add(a, b)),
        "matmul": (lambda: ops.matmul(a, b), lambda: np.matmul(a, b)),
        "reshape": (lambda: ops.reshape(a, (16,)), lambda: np.reshape(a, (16,))),
        "concatenate": (lambda: ops.concatenate([a, b]), lambda: np.concatenate([a, b])),
        "relu": (lambda: ops.relu(a), lambda: np.maximum(a, 0)),
        "softmax": (lambda: ops.softmax(big), softmax),
        "conv (im2col)": (lambda: ops.conv(x, k), im2col),
    }


def torch_cases() -> dict[str, Pair]:
    import torch
    import torch.nn.functional as F

    a, b = torch.from_numpy(normal(4, 4)), torch.from_numpy(normal(4, 4))
    big, tokens = torch.from_numpy(normal(64, 1000)), torch.from_numpy(normal(32, 64, 128))
    x = torch.from_numpy(normal(16, 28, 28, 32))
    kernel, bias = kops.Variable(normal(3, 3, 32, 64)), kops.Variable(normal(64))
    first, module = x.permute(0, 3, 1, 2).contiguous(), torch.nn.Conv2d(32, 64, 3)
    norm, gamma, beta = (
        torch.nn.LayerNorm(128),
        kops.Variable(normal(128)),
        kops.Variable(normal(128)),
    )
    batch, mean, var = (
        torch.nn.BatchNorm2d(32).eval(),
        kops.Variable(normal(32)),
        kops.Variable(abs(normal(32))),
    )
    q = torch.from_numpy(normal(8, 64, 4, 32))
    heads = q.transpose(1, 2).contiguous()
    lstm = torch.nn.LSTM(32, 64, batch_first=True)
    sequence, state = torch.from_numpy(normal(32, 64, 32)), torch.zeros(32, 64)
    weights = (
        kops.Variable(normal(32, 256)),
        kops.Variable(normal(64, 256)),
        kops.Variable(normal(256)),
    )

    def train(forward: Callable[[], torch.Tensor]) -> Callable[[], None]:
        return lambda: forward().sum().backward()

    def still(fn: Callable[[], object]) -> Callable[[], object]:
        def call() -> object:
            with torch.no_grad():
                return fn()

        return call

    cases: dict[str, Pair] = {
        "add": (lambda: ops.add(a, b), lambda: torch.add(a, b)),
        "matmul": (lambda: ops.matmul(a, b), lambda: torch.matmul(a, b)),
        "reshape": (lambda: ops.reshape(a, (16,)), lambda: torch.reshape(a, (16,))),
        "concatenate": (lambda: ops.concatenate([a, b]), lambda: torch.cat([a, b])),
        "relu": (lambda: ops.relu(a), lambda: torch.relu(a)),
        "softmax": (lambda: ops.softmax(big), lambda: torch.softmax(big, -1)),
        "conv": (lambda: ops.conv_bias(x, kernel, bias), lambda: module(first)),
        "layer_norm": (lambda: ops.layer_normalization(tokens, gamma, beta), lambda: norm(tokens)),
        "batch_norm": (
            lambda: ops.batch_normalization(x, mean, var, -1, mean, var),
            lambda: batch(first),
        ),
        "attention": (
            lambda: ops.dot_product_attention(q, q, q),
            lambda: F.scaled_dot_product_attention(heads, heads, heads),
        ),
        "lstm": (lambda: ops.lstm(sequence, state, state, *weights)[0], lambda: lstm(sequence)[0]),
    }
    cases = {name: (still(ours), still(native)) for name, (ours, native) in cases.items()}
    cases["conv, backward"] = (
        train(lambda: ops.conv_bias(x, kernel, bias)),
        train(lambda: module(first)),
    )
    cases["lstm, backward"] = (
        train(lambda: ops.lstm(sequence, state, state, *weights)[0]),
        train(lambda: lstm(sequence)[0]),
    )
    return cases


def jax_cases() -> dict[str, Pair]:
    import jax
    import jax.numpy as jnp

    a, b = jnp.asarray(normal(4, 4)), jnp.asarray(normal(4, 4))
    big, x, k = (
        jnp.asarray(normal(64, 1000)),
        jnp.asarray(normal(16, 28, 28, 32)),
        jnp.asarray(normal(3, 3, 32, 64)),
    )
    sequence, state = jnp.asarray(normal(32, 64, 32)), jnp.zeros((32, 64))
    weights = tuple(map(jnp.asarray, (normal(32, 256), normal(64, 256), normal(256))))

    def scan(x, wx, wh, bias):
        def step(hc, now):
            h, c = hc
            i, f, g, o = jnp.split(now + h @ wh, 4, -1)
            c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
            return (jax.nn.sigmoid(o) * jnp.tanh(c), c), None

        return jax.lax.scan(step, (state, state), jnp.swapaxes(x @ wx + bias, 0, 1))[0][0]

    def wait(fn: Callable[..., object], *args: object) -> Callable[[], object]:
        compiled = jax.jit(fn)
        return lambda: jax.block_until_ready(compiled(*args))

    conv = jax.lax.conv_general_dilated
    ours_lstm = wait(
        lambda x, *w: ops.lstm(x, state, state, *w, return_sequences=False)[0], sequence, *weights
    )
    return {
        "add": (lambda: ops.add(a, b), lambda: jnp.add(a, b)),
        "matmul": (lambda: ops.matmul(a, b), lambda: jnp.matmul(a, b)),
        "reshape": (lambda: ops.reshape(a, (16,)), lambda: jnp.reshape(a, (16,))),
        "concatenate": (lambda: ops.concatenate([a, b]), lambda: jnp.concatenate([a, b])),
        "relu": (lambda: ops.relu(a), lambda: jax.nn.relu(a)),
        "softmax, jit": (wait(ops.softmax, big), wait(jax.nn.softmax, big)),
        "conv, jit": (
            wait(ops.conv, x, k),
            wait(
                lambda x, k: conv(
                    x, k, (1, 1), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC")
                ),
                x,
                k,
            ),
        ),
        "lstm, jit": (ours_lstm, wait(scan, sequence, *weights)),
    }


def tensorflow_cases() -> dict[str, Pair]:
    import tensorflow as tf

    a, b = tf.constant(normal(4, 4)), tf.constant(normal(4, 4))
    big, x, k = (
        tf.constant(normal(64, 1000)),
        tf.constant(normal(16, 28, 28, 32)),
        tf.constant(normal(3, 3, 32, 64)),
    )
    sequence, state = tf.constant(normal(32, 64, 32)), tf.zeros((32, 64))
    weights = tuple(map(tf.constant, (normal(32, 256), normal(64, 256), normal(256))))

    def loop(x, wx, wh, bias):
        rows = tf.TensorArray("float32", 64, element_shape=(32, 256)).unstack(
            tf.transpose(x @ wx + bias, (1, 0, 2))
        )

        def step(t, h, c):
            i, f, g, o = tf.split(rows.read(t) + tf.matmul(h, wh), 4, -1)
            c = tf.sigmoid(f) * c + tf.sigmoid(i) * tf.tanh(g)
            return t + 1, tf.sigmoid(o) * tf.tanh(c), c

        return tf.while_loop(lambda t, *_: t < 64, step, (0, state, state), maximum_iterations=64)[
            1
        ]

    def graph(fn: Callable[..., object], *args: object) -> Callable[[], object]:
        compiled = tf.function(fn)
        return lambda: compiled(*args)

    def slopes(fn: Callable[..., object]) -> Callable[..., object]:
        def call(x, *w):
            with tf.GradientTape() as tape:
                tape.watch(w)
                total = tf.reduce_sum(fn(x, *w))
            return tape.gradient(total, w)

        return call

    def lstm(x, *w):
        return ops.lstm(x, state, state, *w, return_sequences=False)[0]

    return {
        "add": (lambda: ops.add(a, b), lambda: tf.add(a, b)),
        "matmul": (lambda: ops.matmul(a, b), lambda: tf.matmul(a, b)),
        "reshape": (lambda: ops.reshape(a, (16,)), lambda: tf.reshape(a, (16,))),
        "concatenate": (lambda: ops.concatenate([a, b]), lambda: tf.concat([a, b], 0)),
        "relu": (lambda: ops.relu(a), lambda: tf.nn.relu(a)),
        "softmax": (lambda: ops.softmax(big), lambda: tf.nn.softmax(big)),
        "conv": (lambda: ops.conv(x, k), lambda: tf.nn.conv2d(x, k, 1, "VALID")),
        "lstm, graph": (graph(lstm, sequence, *weights), graph(loop, sequence, *weights)),
        "lstm, graph, gradient": (
            graph(slopes(lstm), sequence, *weights),
            graph(slopes(loop), sequence, *weights),
        ),
    }


def main() -> None:
    makers = {
        "numpy": numpy_cases,
        "torch": torch_cases,
        "jax": jax_cases,
        "tensorflow": tensorflow_cases,
    }
    wanted = sys.argv[1:]
    for case, pair in makers[active().NAME]().items():
        if not wanted or any(case.startswith(w) for w in wanted):
            compare(case, pair)


if __name__ == "__main__":
    main()
