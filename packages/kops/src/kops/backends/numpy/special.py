"""Error functions in plain NumPy.

Float32 uses a rational approximation (largest error 3e-7); float64 uses Chebyshev series:
`erf(x) / x` in `x**2` inside the unit interval, and outside it `log(erfc(x) / t) + x**2`
in `t = 2 / (2 + x)`. The coefficients were fitted to 40-digit values of the definition
(DLMF 7.2); low-precision input is computed in float32.
"""

from __future__ import annotations

import numpy as np

__all__ = ["erf", "erfc", "erfinv"]

_P32 = (
    2.066453534879444e-06,
    0.00028506062225531575,
    0.0037383400543364483,
    0.05266805699908367,
    0.18966687733180618,
    1.1283791476751663,
)
_Q32 = (
    3.826973490743304e-05,
    0.001157372071136926,
    0.01491426535557534,
    0.11381895024245856,
    0.5014206755420884,
    1.0,
)
_CLAMP32 = 3.9  # erf differs from 1 by less than half an ulp of float32 beyond

_INNER = np.array(
    [
        0.9754769393826541,
        -0.14226120510371365,
        0.010035582187599796,
        -0.0005768764699767485,
        2.741993125219606e-05,
        -1.1043175507344507e-06,
        3.8488755420345036e-08,
        -1.1808582533875466e-09,
        3.2334215826050907e-11,
        -7.991015947004549e-13,
        1.7990725113961456e-14,
        -3.718635487818693e-16,
        7.103599003714253e-18,
    ]
)
_OUTER = np.array(
    [
        -0.6513268598908547,
        0.6419697923564902,
        0.019476473204185836,
        -0.009561514786808632,
        -0.0009465953444820369,
        0.00036683949785276145,
        4.252332480690777e-05,
        -2.0278578112534242e-05,
        -1.6242900046470256e-06,
        1.3036558355805232e-06,
        1.5626441722066142e-08,
        -8.523809591492654e-08,
        6.5290544390988515e-09,
        5.059343495551469e-09,
        -9.91364156493033e-10,
        -2.273651222931836e-10,
        9.646791102015527e-11,
        2.3940380830391146e-12,
        -6.886027526497553e-12,
        8.944879273090725e-13,
        3.130921399342958e-13,
        -1.1270822361367252e-13,
        3.810905255189232e-16,
        7.106097613609237e-15,
        -1.5230282014571041e-15,
        -9.457494571291254e-17,
        1.210237189224273e-16,
        -2.816663087746774e-17,
        5.00300555846357e-20,
        2.328104257953788e-18,
    ]
)


def _horner(z: np.ndarray, coefficients: tuple[float, ...]) -> np.ndarray:
    total = np.full_like(z, coefficients[0])
    for c in coefficients[1:]:
        total *= z
        total += z.dtype.type(c)
    return total


def _erf32(x: np.ndarray) -> np.ndarray:
    limit = np.float32(_CLAMP32)
    inside = np.minimum(np.maximum(x, -limit), limit)
    z = np.asarray(inside * inside)
    y = np.asarray(inside * _horner(z, _P32) / _horner(z, _Q32))
    np.copyto(y, np.sign(x), where=np.abs(x) >= limit)
    return y


def _inner64(x: np.ndarray) -> np.ndarray:
    """erf(x) for |x| <= 1."""
    x = np.minimum(np.maximum(x, -1.0), 1.0)
    return x * np.polynomial.chebyshev.chebval(2 * x * x - 1, _INNER)


def _outer64(a: np.ndarray) -> np.ndarray:
    """erfc(a) for a >= 0; its relative error is small for a >= 1."""
    t = 2 / (2 + a)
    return t * np.exp(
        np.polynomial.chebyshev.chebval(2 * t - 1, _OUTER) - np.minimum(a, 1e150) ** 2
    )


def _erf64(x: np.ndarray) -> np.ndarray:
    a = np.abs(x)
    return np.where(a < 1, _inner64(x), np.copysign(1 - _outer64(a), x))


def _erfc64(x: np.ndarray) -> np.ndarray:
    a = np.abs(x)
    outer = _outer64(a)
    return np.where(a < 1, 1 - _inner64(x), np.where(x > 0, outer, 2 - outer))


def _invert64(y: np.ndarray) -> np.ndarray:
    """Solves erf(x) = y: Winitzki's estimate, then three Halley steps on the smaller tail."""
    a = np.abs(y)
    inside = np.minimum(a, 1 - 2**-54)
    log = np.log1p(-inside * inside)
    k = 2 / (np.pi * 0.147) + log / 2
    x = np.sqrt(np.sqrt(k * k - log / 0.147) - k)
    for _ in range(3):
        tail = np.where(inside > 0.5, (1 - inside) - _erfc64(x), _erf64(x) - inside)
        slope = 2 / np.sqrt(np.pi) * np.exp(-x * x)
        step = tail / slope
        x = x - step / (1 + x * step)
    x = np.where(a < 1, x, np.where(a == 1, np.inf, np.nan))
    return np.copysign(x, y)


def erf(x: np.ndarray) -> np.ndarray:
    """The error function."""
    if x.dtype == np.float64:
        return _erf64(x)
    return _erf32(x.astype(np.float32, copy=False)).astype(x.dtype, copy=False)


def erfc(x: np.ndarray) -> np.ndarray:
    """1 - erf(x), exact in the tail."""
    return _erfc64(x.astype(np.float64)).astype(x.dtype)


def erfinv(x: np.ndarray) -> np.ndarray:
    """The inverse of erf on [-1, 1]; NaN outside."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return _invert64(x.astype(np.float64)).astype(x.dtype)
