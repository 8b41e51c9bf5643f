#!/usr/bin/env python3
"""Finds the coefficients of src/goban/stencil/mathematics/: polynomials of least largest error.

usage: scripts/fit_polynomials.py [NAME ...]      needs mpmath; NAME: exp, log, log2, sin, cos, ...

Remez' exchange gives the best polynomial; its first coefficient is rounded to a number of the type,
the others are fitted again to what is left, and so on. log2 has coefficients that are sums of two
numbers. What is printed as the error is the relative one of the function.
"""

import sys

try:
    import mpmath
except ImportError:
    sys.exit("fit_polynomials: error: mpmath is missing; pip install mpmath")
from mpmath import atan, atanh, cos, exp, log, mp, mpf, pi, sin, sqrt

mp.dps = 60
TYPES = {"float": 24, "double": 53}


def rounded(x, bits):
    mantissa, exponent = mpmath.frexp(x)
    return mpmath.ldexp(mpmath.nint(mpmath.ldexp(mantissa, bits)), exponent - bits)


def text(x, bits):
    """Hexadecimal, as C++ reads it."""
    mantissa, exponent = mpmath.frexp(x)
    integer, exponent = int(mpmath.ldexp(mantissa, bits)), exponent - bits
    while integer and integer % 2 == 0:
        integer, exponent = integer // 2, exponent + 1
    digits = "%x" % abs(integer)
    sign = "-" if integer < 0 else ""
    point = "." + digits[1:] if len(digits) > 1 else ""
    return f"{sign}0x{digits[0]}{point}p{exponent + 4 * (len(digits) - 1)}{'f' * (bits == 24)}"


def remez(f, weight, low, high, first, last):
    """Coefficients of x^first ... x^last of the polynomial with the least largest weighted error."""
    count = last - first + 1
    points = [(low + high) / 2 - (high - low) / 2 * cos(pi * (i + mpf(1) / 2) / (count + 1))
              for i in range(count + 1)]
    for _ in range(8):
        matrix, values = mp.matrix(count + 1, count + 1), mp.matrix(count + 1, 1)
        for i, x in enumerate(points):
            for k in range(count):
                matrix[i, k] = x ** (first + k)
            matrix[i, count] = (-1) ** i / max(weight(x), mpf(10) ** -12)
            values[i] = f(x)
        found = mp.lu_solve(matrix, values)
        coefficients = [found[k] for k in range(count)]
        steps = 40 * (count + 1)
        grid = [low + (high - low) * (1 - cos(pi * i / steps)) / 2 for i in range(steps + 1)]
        extrema = []  # the largest error between changes of sign
        for x in grid:
            error = weight(x) * (f(x) - x**first * mp.polyval(coefficients[::-1], x))
            if not extrema or (extrema[-1][1] > 0) != (error > 0):
                extrema.append((x, error))
            elif abs(error) > abs(extrema[-1][1]):
                extrema[-1] = (x, error)
        if len(extrema) <= count:
            break
        while len(extrema) > count + 1:
            extrema.pop(0 if abs(extrema[0][1]) < abs(extrema[-1][1]) else -1)
        points = [x for x, _ in extrema]
    return coefficients


def fit(f, weight, low, high, degree, bits, pairs):
    low, high = mpf(low), mpf(high)
    low = low if low != 0 else high * mpf(10) ** -9  # f divides by it
    done = []

    def rest(x):
        return f(x) - sum(sum(parts) * x**k for k, parts in enumerate(done))

    for k in range(degree + 1):
        best = remez(rest, weight, low, high, k, degree)[0]
        parts = [rounded(best, bits)]
        if k < pairs:
            parts.append(rounded(best - parts[0], bits))
        done.append(parts)
    error = max(abs(weight(x) * rest(x)) for x in mpmath.linspace(low, high, 3000))
    return done, error


half_ln2 = log(2) / 2
log_end = ((sqrt(2) - 1) / (sqrt(2) + 1)) ** 2
angle_end, atan_end = (pi / 4 * (1 + mpf(2) ** -10)) ** 2, (sqrt(2) - 1) ** 2 * (1 + mpf(2) ** -10)
# Function and weight of x or of z = x^2, ends, degrees for float and double, how many pairs.
FUNCTIONS = {
    "exp": (lambda r: (exp(r) - 1 - r) / r**2 if abs(r) > mpf(10) ** -15 else mpf(1) / 2 + r / 6,
            lambda r: max(r**2, half_ln2**2 / 1000) / exp(r), -half_ln2, half_ln2, (4, 10), (0, 0)),
    "log": (lambda z: (2 * atanh(sqrt(z)) / sqrt(z) - 2) / z, lambda z: z / 2, 0, log_end, (2, 6),
            (0, 0)),
    "log2": (lambda z: 2 * atanh(sqrt(z)) / sqrt(z) / log(2), lambda z: mpf(1) / 2, 0, log_end,
             (4, 9), (2, 3)),
    "sin": (lambda z: (sin(sqrt(z)) / sqrt(z) - 1) / z, lambda z: z, 0, angle_end, (2, 5), (0, 0)),
    "cos": (lambda z: (cos(sqrt(z)) - 1 + z / 2) / z**2, lambda z: z**2, 0, angle_end, (2, 5),
            (0, 0)),
    "atan": (lambda z: (atan(sqrt(z)) / sqrt(z) - 1) / z, lambda z: z, 0, atan_end, (4, 11),
             (0, 0)),
    "cbrt": (lambda x: x ** (-mpf(1) / 3), lambda x: x ** (mpf(1) / 3), 1, 2, (4, 5), (0, 0)),
}

for name in sys.argv[1:] or FUNCTIONS:
    if name not in FUNCTIONS:
        sys.exit(f"fit_polynomials: error: unknown function '{name}'; one of {', '.join(FUNCTIONS)}")
    f, weight, low, high, degrees, pairs = FUNCTIONS[name]
    for (kind, bits), degree, pair in zip(TYPES.items(), degrees, pairs):
        coefficients, error = fit(f, weight, low, high, degree, bits, pair)
        print(f"{name} {kind}: error 2^{float(log(error, 2)):.2f}")
        for parts in coefficients:
            print("   ", " + ".join(text(part, bits) for part in parts))
