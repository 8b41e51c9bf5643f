"""Functions that functors call: goban's own mathematics, with the same bits on CPUs and GPUs.

Of plain numbers they give what Python gives.
"""

import ctypes
import functools
import math
import operator
from fractions import Fraction

import numpy as np

from goban import _library, _recording as recording
from goban._arguments import type_name
from goban._accessors import Accessor, Site
from goban._recording import AXES, Value
from goban.errors import refuse

_OF_NUMBERS = {"cbrt": np.cbrt, "reciprocal": lambda x: 1 / x,
               "fma": lambda a, b, c: Fraction(a) * Fraction(b) + Fraction(c)}


def _function(name, operands):
    for x in operands:
        recording.check_operand(x)
    if not any(isinstance(x, Value) for x in operands):
        return float(_OF_NUMBERS.get(name, getattr(math, name, None))(*operands))
    return recording.function_of_values(name, *operands)


def sqrt(x):
    """Square root, correctly rounded."""
    return _function("sqrt", (x,))


def cbrt(x):
    """Cube root."""
    return _function("cbrt", (x,))


def exp(x):
    return _function("exp", (x,))


def log(x):
    """Natural logarithm."""
    return _function("log", (x,))


def sin(x):
    return _function("sin", (x,))


def cos(x):
    return _function("cos", (x,))


def tan(x):
    return _function("tan", (x,))


def tanh(x):
    return _function("tanh", (x,))


def atan(x):
    return _function("atan", (x,))


def atan2(y, x):
    return _function("atan2", (y, x))


def pow(x, y):
    return _function("pow", (x, y))


def floor(x):
    return _function("floor", (x,))


def ceil(x):
    return _function("ceil", (x,))


def fma(a, b, c):
    """a b + c, rounded once."""
    return _function("fma", (a, b, c))


def reciprocal(x):
    """1 / x of numbers far from the ends of their range, without a branch on GPUs."""
    return _function("reciprocal", (x,))


def abs(x):
    return operator.abs(x)


def min(a, b):
    """b where b < a, else a."""
    if not (isinstance(a, Value) or isinstance(b, Value)):
        return b if b < a else a
    return recording.extremum("min", a, b)


def max(a, b):
    """b where a < b, else a."""
    if not (isinstance(a, Value) or isinstance(b, Value)):
        return b if a < b else a
    return recording.extremum("max", a, b)


def select(condition, a, b):
    """a where the condition holds, else b: in place of `if` on values of cells."""
    return recording.select(condition, a, b)


def convert(x, kind):
    """x as "float32", "float64", "int32" or "uint8"."""
    return recording.convert(x, type_name(kind))


def _chosen(what, value, choices):
    if value not in choices:
        refuse(f"{what} {value!r} is refused", "", "one of " + ", ".join(map(repr, choices)))
    return value


def _accessor(u):
    if not isinstance(u, Accessor):
        refuse("derivatives and averages take a field, not a value", "",
               "pass u or v[c], without the brackets of a read")
    u.require_neighbours()
    return u


def _moved(place, axis, n):
    return [m + n if a == AXES[axis] else m for a, m in enumerate(place)]


def _coefficients(scheme, order):
    """Those of the neighbours, 1 first; see finite_differences.hpp."""
    return [_coefficient(scheme, order, j) for j in range(1, _chosen("order", order, _ORDERS) // 2
                                                          + 1)]


def _coefficient(scheme, order, j):
    return _library.number_of(ctypes.c_double, "finite_difference", scheme, order // 2, j)


def _pairs(u, axis, onto, count):
    """The values on both sides of the place that the result belongs to, upper and lower ones."""
    u, axis = _accessor(u), _chosen("axis", axis, tuple(AXES))
    for j in range(1, count + 1):
        upper, lower = (j - 1 if onto == "face" else j), (1 - j if onto == "center" else -j)
        yield tuple(u.at(_moved((0, 0, 0), axis, n)) for n in (upper, lower))


def _sum(terms):
    return functools.reduce(operator.add, terms)


def _weighted(weights, values):
    return _sum(x if c == 1 else c * x for c, x in zip(weights, values))


_ORDERS = (2, 4, 6, 8)
_ONTO = ("same", "face", "center")


def laplacian(u, order=2, axes=3):
    """Sum of the second derivatives along the first `axes` axes, on unit spacing; order 2 to 8."""
    along = tuple(AXES)[:_chosen("axes =", axes, (1, 2, 3))]
    weights = _coefficients("second", order)
    pairs = zip(*(_pairs(u, axis, "same", len(weights)) for axis in along))
    near = (_sum(a + b for a, b in of_distance) for of_distance in pairs)
    return _weighted(weights, near) + axes * _coefficient("second", order, 0) * u()


def d(u, axis, order=2, onto="same"):
    """First derivative along "x", "y" or "z" on unit spacing. `onto`: "same" where the field lies,
    "face" from cells to the lower face of the cell, "center" from faces to the cell.
    """
    is_same = _chosen("onto =", onto, _ONTO) == "same"
    weights = _coefficients("first" if is_same else "staggered", order)
    return _weighted(weights, (a - b for a, b in _pairs(u, axis, onto, len(weights))))


def d2(u, axis, order=2):
    """Second derivative along an axis, on unit spacing."""
    weights = _coefficients("second", order)
    near = (a + b for a, b in _pairs(u, axis, "same", len(weights)))
    return _weighted(weights, near) + _coefficient("second", order, 0) * u()


def average(u, axis, onto, order=2):
    """Mean along an axis, onto "face" or "center"."""
    _chosen("onto =", onto, _ONTO[1:])
    weights = _coefficients("average", order)
    return _weighted(weights, (a + b for a, b in _pairs(u, axis, onto, len(weights))))


def harmonic_average(u, axis, onto):
    """2 a b / (a + b) of the two values next to it, 0 where both are."""
    (a, b), = _pairs(u, axis, _chosen("onto =", onto, _ONTO[1:]), 1)
    total = a + b
    return select(total == 0, 0, 2 * (a * b) / total)


def _listed(axes):
    """From the last to the first, as C++ takes them."""
    for axis in axes:
        _chosen("axis", axis, tuple(AXES))
    return sorted(axes, reverse=True)


def mean_of_parts(fine, axes="xyz"):
    """Of a field on the finer grid: the mean of the cells that this one consists of. `axes`: those
    along which the grid is coarser.
    """
    def total(place, axes):
        if not axes:
            return fine.at(place)
        return total(place, axes[1:]) + total(_moved(place, axes[0], 1), axes[1:])
    _accessor(fine)
    return 1 / 2**len(axes) * total((0, 0, 0), _listed(axes))


def interpolated(site, coarse, axes="xyz"):
    """Of a field on the coarser grid: linear between the centres of its cells."""
    if not isinstance(site, Site):
        refuse("interpolated takes site first", "", "pass goban.site to the functor")

    def between(place, axes):
        if not axes:
            return coarse.at(place)
        here, above, below = (between(_moved(place, axes[0], n), axes[1:]) for n in (0, 1, -1))
        is_upper_part = (site.index(axes[0]) & 1) == 1
        return 0.75 * here + 0.25 * select(is_upper_part, above, below)
    _accessor(coarse)
    return between((0, 0, 0), _listed(axes))


_UFUNCS = {
    np.add: operator.add, np.subtract: operator.sub, np.multiply: operator.mul,
    np.true_divide: operator.truediv, np.floor_divide: operator.floordiv,
    np.remainder: operator.mod, np.power: operator.pow, np.negative: operator.neg,
    np.absolute: operator.abs, np.fabs: operator.abs, np.square: lambda x: x * x,
    np.less: operator.lt, np.less_equal: operator.le, np.greater: operator.gt,
    np.greater_equal: operator.ge, np.equal: operator.eq, np.not_equal: operator.ne,
    np.logical_and: operator.and_, np.logical_or: operator.or_, np.logical_not: operator.invert,
    np.bitwise_and: operator.and_, np.bitwise_or: operator.or_, np.bitwise_xor: operator.xor,
    np.invert: operator.invert, np.sqrt: sqrt, np.cbrt: cbrt, np.exp: exp, np.log: log,
    np.sin: sin, np.cos: cos, np.tan: tan, np.tanh: tanh, np.arctan: atan, np.arctan2: atan2,
    np.floor: floor, np.ceil: ceil, np.minimum: min, np.maximum: max,
}


def like_numpy(ufunc, operands):
    """What a function of NumPy means for values of a functor."""
    if ufunc not in _UFUNCS:
        refuse(f"numpy.{ufunc.__name__} inside a functor", "goban has no such function of cells",
               "use operators and goban's functions")
    plain = [x.item() if isinstance(x, np.generic) else x for x in operands]
    return _UFUNCS[ufunc](*plain)
