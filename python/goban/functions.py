"""Functions that functors call: goban's own mathematics, with the same bits on CPUs and GPUs.

Of plain numbers they give what Python gives.
"""

import math
import operator
from fractions import Fraction

import numpy as np

from goban import _recording as recording
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


def _of_accessor(u, text, *options, site=None):
    if not isinstance(u, Accessor):
        refuse("derivatives and averages take a field, not a value", "",
               "pass u or v[c], without the brackets of a read")
    return u._neighbours(text.format(*options), site)


def _chosen(what, value, choices):
    if value not in choices:
        refuse(f"{what} {value!r} is refused", "", "one of " + ", ".join(map(repr, choices)))
    return value


_ORDERS = (2, 4, 6, 8)
_ONTO = {"same": "goban::Onto::same", "face": "goban::Onto::face", "center": "goban::Onto::center"}


def laplacian(u, order=2, axes=3):
    """Sum of the second derivatives along the first `axes` axes, on unit spacing; order 2 to 8."""
    return _of_accessor(u, "goban::laplacian<{}, {}>", _chosen("order", order, _ORDERS),
                        _chosen("axes =", axes, (1, 2, 3)))


def d(u, axis, order=2, onto="same"):
    """First derivative along "x", "y" or "z" on unit spacing. `onto`: "same" where the field lies,
    "face" from cells to the lower face of the cell, "center" from faces to the cell.
    """
    return _of_accessor(u, "goban::d<{}, {}, {}>", AXES[_chosen("axis", axis, tuple(AXES))],
                        _chosen("order", order, _ORDERS),
                        _ONTO[_chosen("onto =", onto, tuple(_ONTO))])


def d2(u, axis, order=2):
    """Second derivative along an axis, on unit spacing."""
    return _of_accessor(u, "goban::d2<{}, {}>", AXES[_chosen("axis", axis, tuple(AXES))],
                        _chosen("order", order, _ORDERS))


def average(u, axis, onto, order=2):
    """Mean along an axis, onto "face" or "center"."""
    return _of_accessor(u, "goban::average<{}, {}, {}>", AXES[_chosen("axis", axis, tuple(AXES))],
                        _ONTO[_chosen("onto =", onto, ("face", "center"))],
                        _chosen("order", order, _ORDERS))


def harmonic_average(u, axis, onto):
    """2 a b / (a + b) of the two values next to it, 0 where both are."""
    return _of_accessor(u, "goban::harmonic_average<{}, {}>",
                        AXES[_chosen("axis", axis, tuple(AXES))],
                        _ONTO[_chosen("onto =", onto, ("face", "center"))])


def _listed(axes):
    """From the last to the first, as C++ takes them."""
    for axis in axes:
        _chosen("axis", axis, tuple(AXES))
    return ", ".join(AXES[axis] for axis in sorted(axes, reverse=True))


def mean_of_parts(fine, axes="xyz"):
    """Of a field on the finer grid: the mean of the cells that this one consists of. `axes`: those
    along which the grid is coarser.
    """
    return _of_accessor(fine, "goban::mean_of_parts<{}>", _listed(axes))


def interpolated(site, coarse, axes="xyz"):
    """Of a field on the coarser grid: linear between the centres of its cells."""
    if not isinstance(site, Site):
        refuse("interpolated takes site first", "", "pass goban.site to the functor")
    return _of_accessor(coarse, "goban::interpolated<{}>", _listed(axes), site=site)


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
