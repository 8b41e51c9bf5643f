"""Functions that functors call: goban's own mathematics, with the same bits on CPUs and GPUs.

Of plain numbers they give what Python gives.
"""

from __future__ import annotations

import ctypes
import functools
import math
import operator
from fractions import Fraction
from typing import Any

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


def sqrt(x: Any) -> Any:
    """Square root, correctly rounded.

    >>> goban.sqrt(2.25)
    1.5
    """
    return _function("sqrt", (x,))


def cbrt(x: Any) -> Any:
    """Cube root.

    >>> float(np.round(goban.cbrt(27), 12))
    3.0
    """
    return _function("cbrt", (x,))


def exp(x: Any) -> Any:
    """e to the power of x.

    >>> goban.exp(0)
    1.0
    """
    return _function("exp", (x,))


def log(x: Any) -> Any:
    """Natural logarithm.

    >>> goban.log(1)
    0.0
    """
    return _function("log", (x,))


def sin(x: Any) -> Any:
    """Sine of an angle in radians.

    >>> goban.sin(0)
    0.0
    """
    return _function("sin", (x,))


def cos(x: Any) -> Any:
    """Cosine of an angle in radians.

    >>> goban.cos(0)
    1.0
    """
    return _function("cos", (x,))


def tan(x: Any) -> Any:
    """Tangent of an angle in radians.

    >>> goban.tan(0)
    0.0
    """
    return _function("tan", (x,))


def tanh(x: Any) -> Any:
    """Hyperbolic tangent.

    >>> goban.tanh(0)
    0.0
    """
    return _function("tanh", (x,))


def atan(x: Any) -> Any:
    """Angle from -pi/2 to pi/2 whose tangent is x.

    >>> goban.atan(0)
    0.0
    """
    return _function("atan", (x,))


def atan2(y: Any, x: Any) -> Any:
    """Angle of the point (x, y) from -pi to pi.

    >>> goban.atan2(0, 1)
    0.0
    """
    return _function("atan2", (y, x))


def pow(x: Any, y: Any) -> Any:
    """x to the power of y.

    >>> goban.pow(2, 10)
    1024.0
    """
    return _function("pow", (x, y))


def floor(x: Any) -> Any:
    """The largest whole number that is not above x.

    >>> goban.floor(-1.5)
    -2.0
    """
    return _function("floor", (x,))


def ceil(x: Any) -> Any:
    """The smallest whole number that is not below x.

    >>> goban.ceil(-1.5)
    -1.0
    """
    return _function("ceil", (x,))


def fma(a: Any, b: Any, c: Any) -> Any:
    """a b + c, rounded once.

    >>> goban.fma(2, 3, 4)
    10.0
    """
    return _function("fma", (a, b, c))


def reciprocal(x: Any) -> Any:
    """1 / x of numbers far from the ends of their range, without a branch on GPUs.

    >>> goban.reciprocal(4)
    0.25
    """
    return _function("reciprocal", (x,))


def abs(x: Any) -> Any:
    """Without the sign.

    >>> goban.abs(-2)
    2
    """
    return operator.abs(x)


def min(a: Any, b: Any) -> Any:
    """b where b < a, else a.

    >>> goban.min(1, 2)
    1
    """
    if not (isinstance(a, Value) or isinstance(b, Value)):
        return b if b < a else a
    return recording.extremum("min", a, b)


def max(a: Any, b: Any) -> Any:
    """b where a < b, else a.

    >>> goban.max(1, 2)
    2
    """
    if not (isinstance(a, Value) or isinstance(b, Value)):
        return b if a < b else a
    return recording.extremum("max", a, b)


def select(condition: Any, a: Any, b: Any) -> Any:
    """a where the condition holds, else b: in place of `if` on values of cells.

    >>> def step(u, next):
    ...     next[...] = goban.select(u() > 0, u(), 0)
    >>> program = goban.Program("step")
    >>> stage = program.apply(step, u, next)
    """
    return recording.select(condition, a, b)


def convert(x: Any, kind: Any) -> Any:
    """x as "float32", "float64", "int32" or "uint8".

    >>> def step(u, next):
    ...     next[...] = goban.convert(u() / 2, "float32") * 2
    >>> program = goban.Program("step")
    >>> stage = program.apply(step, u, next)
    """
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


def laplacian(u: Any, order: int = 2, axes: int = 3) -> Any:
    """Sum of the second derivatives along the first `axes` axes, on unit spacing; order 2 to 8.

    >>> def step(u, next):
    ...     next[...] = u() + 0.1 * goban.laplacian(u, order=4, axes=2)
    >>> program = goban.Program("step")
    >>> stage = program.apply(step, u, next)
    """
    along = tuple(AXES)[:_chosen("axes =", axes, (1, 2, 3))]
    weights = _coefficients("second", order)
    pairs = zip(*(_pairs(u, axis, "same", len(weights)) for axis in along))
    near = (_sum(a + b for a, b in of_distance) for of_distance in pairs)
    return _weighted(weights, near) + axes * _coefficient("second", order, 0) * u()


def d(u: Any, axis: str, order: int = 2, onto: str = "same") -> Any:
    """First derivative along "x", "y" or "z" on unit spacing. `onto`: "same" where the field lies,
    "face" from cells to the lower face of the cell, "center" from faces to the cell.

    >>> def step(u, next):
    ...     next[...] = goban.d(u, "x") / 2
    >>> program = goban.Program("step")
    >>> stage = program.apply(step, u, next)
    """
    is_same = _chosen("onto =", onto, _ONTO) == "same"
    weights = _coefficients("first" if is_same else "staggered", order)
    return _weighted(weights, (a - b for a, b in _pairs(u, axis, onto, len(weights))))


def d2(u: Any, axis: str, order: int = 2) -> Any:
    """Second derivative along an axis, on unit spacing.

    >>> def step(u, next):
    ...     next[...] = goban.d2(u, "x", order=4)
    >>> program = goban.Program("step")
    >>> stage = program.apply(step, u, next)
    """
    weights = _coefficients("second", order)
    near = (a + b for a, b in _pairs(u, axis, "same", len(weights)))
    return _weighted(weights, near) + _coefficient("second", order, 0) * u()


def average(u: Any, axis: str, onto: str, order: int = 2) -> Any:
    """Mean along an axis, onto "face" or "center".

    >>> def step(u, next):
    ...     next[...] = goban.average(u, "x", "face")
    >>> program = goban.Program("step")
    >>> stage = program.apply(step, u, next)
    """
    _chosen("onto =", onto, _ONTO[1:])
    weights = _coefficients("average", order)
    return _weighted(weights, (a + b for a, b in _pairs(u, axis, onto, len(weights))))


def harmonic_average(u: Any, axis: str, onto: str) -> Any:
    """2 a b / (a + b) of the two values next to it, 0 where both are.

    >>> def step(u, next):
    ...     next[...] = goban.harmonic_average(u, "y", "face")
    >>> program = goban.Program("step")
    >>> stage = program.apply(step, u, next)
    """
    (a, b), = _pairs(u, axis, _chosen("onto =", onto, _ONTO[1:]), 1)
    total = a + b
    return select(total == 0, 0, 2 * (a * b) / total)


def _listed(axes):
    """From the last to the first, as C++ takes them."""
    for axis in axes:
        _chosen("axis", axis, tuple(AXES))
    return sorted(axes, reverse=True)


def mean_of_parts(fine: Any, axes: str = "xyz") -> Any:
    """Returns the mean of the finer grid's cells that this one consists of. `axes`: those along
    which the grid is coarser.

    >>> def restrict(fine, coarse):
    ...     coarse[...] = goban.mean_of_parts(fine, axes="xy")
    >>> coarse = grid.coarsened().field("coarse")
    >>> stage = goban.Program("restrict").apply(restrict, u, coarse)
    """
    def total(place, axes):
        if not axes:
            return fine.at(place)
        return total(place, axes[1:]) + total(_moved(place, axes[0], 1), axes[1:])
    _accessor(fine)
    return 1 / 2**len(axes) * total((0, 0, 0), _listed(axes))


def interpolated(site: Any, coarse: Any, axes: str = "xyz") -> Any:
    """Returns a value of a field on the coarser grid, linear between the centres of its cells.

    >>> def prolong(site, coarse, fine):
    ...     fine[...] = goban.interpolated(site, coarse, axes="xy")
    >>> coarse = grid.coarsened().field("coarse")
    >>> stage = goban.Program("prolong").apply(prolong, goban.site, coarse, u)
    """
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


def _one_of(x, bounds, choices):
    """The choice n with bounds[n - 1] <= x < bounds[n], by a tree of comparisons."""
    if not bounds:
        return choices[0]
    middle = len(bounds) // 2
    return select(x < bounds[middle], _one_of(x, bounds[:middle], choices[:middle + 1]),
                  _one_of(x, bounds[middle + 1:], choices[middle + 1:]))


def interp(x: Any, places: Any, values: Any) -> Any:
    """A table: the value at x, linear between the `values` at ascending `places`, and the first or
    last of them outside, as numpy.interp, which is this function in functors. Tables are part of
    the kernel, three numbers for each of 256 intervals at most.

    >>> def step(temperature, conductivity):
    ...     conductivity[...] = goban.interp(temperature(), (0, 300, 600), (401, 398, 379))
    >>> program = goban.Program("step")
    >>> stage = program.apply(step, u.fill(150), next)
    >>> engine = goban.Engine(program).run(1)
    >>> float(next[0, 0])
    399.5
    """
    places, values = ([float(one) for one in table] for table in (places, values))
    if not 2 <= len(places) == len(values) <= 257:
        refuse(f"a table of {len(places)} places and {len(values)} values is refused",
               "a value belongs to each of 2 to 257 places")
    if any(not a < b for a, b in zip(places, places[1:])):
        refuse("the places of a table are refused", "they do not ascend", "sort them")
    if not isinstance(x, Value):
        return float(np.interp(x, places, values))
    slopes = [(values[n + 1] - values[n]) / (places[n + 1] - places[n])
              for n in range(len(places) - 1)]
    x = min(max(x, places[0]), places[-1])
    place, value, slope = (_one_of(x, places[1:-1], choices)
                           for choices in (places[:-1], values[:-1], slopes))
    return slope * (x - place) + value


def gather(u: Any, axis: str, offset: Any, reach: int) -> Any:
    """The value of a field as many cells away along an axis as a value of this cell says, rounded
    down: u(offset, 0, 0), where offset is no farther than `reach`, else the farthest. All
    2 reach + 1 values are read.

    >>> def shift(u, next):
    ...     next[...] = goban.gather(u, "x", goban.floor(u()), reach=2)
    >>> stage = goban.Program("shift").apply(shift, u, next)
    """
    _accessor(u)
    _chosen("axis", axis, tuple(AXES))
    if not isinstance(reach, int) or not 1 <= reach <= 32:
        refuse(f"reach={reach!r} is refused", "it is a whole number of cells from 1 to 32")
    cells = range(-reach, reach + 1)
    return _one_of(offset, cells[1:], [u.at(_moved((0, 0, 0), axis, n)) for n in cells])


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


def like_numpy(ufunc: Any, operands: Any) -> Any:
    """What a function of NumPy means for values of a functor."""
    if ufunc not in _UFUNCS:
        refuse(f"numpy.{ufunc.__name__} inside a functor", "goban has no such function of cells",
               "use operators and goban's functions")
    plain = [x.item() if isinstance(x, (np.generic, np.ndarray)) and x.ndim == 0 else x
             for x in operands]
    for x in plain:
        recording.check_operand(x)
    return _UFUNCS[ufunc](*plain)
