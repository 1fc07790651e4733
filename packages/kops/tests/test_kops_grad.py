"""Derivatives: forward, reverse, and by hand, with one meaning on every engine."""

import numpy as np
import pytest

from kops import ops
from kops.backend import active

needs_gradients = pytest.mark.skipif(active().NAME == "numpy", reason="numpy has no gradients")
X = np.array([0.5, -1.0, 2.0], "float32")


def numpy(x):
    return ops.convert_to_numpy(x)


def log1pexp(x):
    e = ops.exp(x)

    def gradient(*args, upstream=None):
        (upstream,) = args if upstream is None else (upstream,)
        return ops.multiply(upstream, 3.0 * (1.0 - 1.0 / ops.add(1.0, e)))

    return ops.log(ops.add(1.0, e)), gradient


@needs_gradients
def test_jvp():
    value, slope = ops.jvp(lambda x, y: x * x * y, (X, 2 * X), (np.ones_like(X), X))
    np.testing.assert_allclose(numpy(value), 2 * X**3, rtol=1e-6)
    np.testing.assert_allclose(numpy(slope), 4 * X * X + X**3, rtol=1e-6)
    value, slope, aux = ops.jvp(lambda x: (ops.sum(x), 2 * x), (X,), (X,), has_aux=True)
    np.testing.assert_allclose([numpy(value), numpy(slope)], [1.5, 1.5], rtol=1e-6)
    np.testing.assert_allclose(numpy(aux), 2 * X)


@needs_gradients
def test_vjp():
    value, pull_back = ops.vjp(lambda x, y: x * y, (X, 2 * X))
    np.testing.assert_allclose(numpy(value), 2 * X * X, rtol=1e-6)
    for _ in range(2):
        by_x, by_y = pull_back(ops.convert_to_tensor(X))
        np.testing.assert_allclose(numpy(by_x), 2 * X * X, rtol=1e-6)
        np.testing.assert_allclose(numpy(by_y), X * X, rtol=1e-6)
    value, pull_back, aux = ops.vjp(lambda x: (ops.sum(x), x + 1), (X,), has_aux=True)
    np.testing.assert_allclose(numpy(aux), X + 1)
    np.testing.assert_allclose(numpy(pull_back(ops.ones_like(value))[0]), np.ones(3))


@needs_gradients
def test_custom_gradient():
    function = ops.custom_gradient(log1pexp)
    value, slope = ops.value_and_grad(lambda x: ops.sum(function(x)))(ops.convert_to_tensor(X))
    np.testing.assert_allclose(float(value), np.log1p(np.exp(X)).sum(), rtol=1e-6)
    np.testing.assert_allclose(numpy(slope), 3 / (1 + np.exp(-X)), rtol=1e-6)

    @ops.custom_gradient
    def product(x, y):
        return x * y, lambda upstream: (upstream * 10.0, upstream * 20.0)

    _, (by_x, by_y) = ops.value_and_grad(lambda x, y: ops.sum(product(x, y)), (0, 1))(
        ops.convert_to_tensor(X), ops.convert_to_tensor(X)
    )
    np.testing.assert_allclose(numpy(by_x), np.full(3, 10.0))
    np.testing.assert_allclose(numpy(by_y), np.full(3, 20.0))


def test_the_value_with_a_custom_gradient_is_the_same_everywhere():
    value = numpy(ops.custom_gradient(log1pexp)(X))
    np.testing.assert_allclose(value, np.log1p(np.exp(X)), rtol=1e-6)


@pytest.mark.skipif(active().NAME != "numpy", reason="this engine has gradients")
@pytest.mark.parametrize(
    "call",
    [
        lambda: ops.jvp(ops.exp, (X,), (X,)),
        lambda: ops.vjp(ops.exp, (X,)),
        lambda: ops.grad(ops.sum)(X),
    ],
)
def test_no_derivatives(call):
    with pytest.raises(NotImplementedError, match="jax, torch or tensorflow"):
        call()


def test_wrong_arguments():
    with pytest.raises(TypeError, match="`primals` must be a tuple"):
        ops.jvp(ops.exp, X, (X,))
    with pytest.raises(ValueError, match=r"`tangents` must have the shapes .*\(3,\).*\(2,\)"):
        ops.jvp(ops.exp, (X,), (X[:2],))
    with pytest.raises(TypeError, match="`f` must be a function"):
        ops.custom_gradient(3)
