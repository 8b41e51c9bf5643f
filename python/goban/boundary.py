"""What is beyond the edges of a grid."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any, Callable, Union

from goban import _library
from goban._arguments import checked
from goban._library import Handle
from goban.errors import Error
from goban.parameter import Parameter


_rules: weakref.WeakValueDictionary[str, Handle] = weakref.WeakValueDictionary()


class BoundaryCondition:
    """What is beyond one side of a grid; made by periodic, mirror, constant(...), ...

    >>> sides = (goban.periodic, (goban.mirror, goban.constant(1)))
    >>> tube = goban.Grid((16, 16), boundary=sides)
    """

    def __init__(self, kind: int, value: Any = 0.0) -> None:
        self._kind, self._value, self._handle = kind, value, None
        self._function = None  # that C++ calls as long as there are grids with this condition

    def handle(self) -> Handle:
        """The library's object, made when it is first asked for."""
        if self._handle is None and isinstance(self._value, str):
            self._handle = _rules.get(self._value)  # equal rules are one: fields with them may swap
            if self._handle is None:
                self._handle = Handle("condition", "condition_of_rule", self._value)
                _rules[self._value] = self._handle
        if self._handle is None:
            parameter = self._value if isinstance(self._value, Parameter) else None
            if callable(self._value):
                self._function = _library.time_function(self._value)
            number = self._value if isinstance(self._value, float) else 0.0
            self._handle = Handle("condition", "condition", self._kind, number, parameter,
                                  self._function)
        return self._handle


Boundary = Union[BoundaryCondition,
                 Sequence[Union[BoundaryCondition, Sequence[BoundaryCondition]]]]

def _checked_by_library(condition):
    condition.handle()
    return condition


Value = Union[float, Parameter, Callable[[float], float]]

periodic = BoundaryCondition(0)
mirror = BoundaryCondition(4)
bounce_back = BoundaryCondition(6)  # of grids with active cells: populations turn round


@checked
def constant(value: Value) -> BoundaryCondition:
    """Ghosts hold this: a number, a Parameter, or a function of the simulated time.

    >>> cold = goban.Grid((16, 16), boundary=goban.constant(0))
    """
    return _checked_by_library(BoundaryCondition(1, value))


@checked
def wall_value(value: Value) -> BoundaryCondition:
    """The value holds on the edge itself, half a cell outside the last one.

    >>> plate = goban.Grid((16, 16), boundary=goban.wall_value(lambda time: 2 * time))
    """
    return _checked_by_library(BoundaryCondition(2, value))


@checked
def gradient(value: Value) -> BoundaryCondition:
    """The outward derivative on the edge, per unit of length.

    >>> heated = goban.Grid((16, 16), boundary=goban.gradient(0.5))
    """
    return _checked_by_library(BoundaryCondition(3, value))


@checked
def custom(rule: Callable[..., Any], /, **numbers: Any) -> BoundaryCondition:
    """A rule of your own: custom(lambda ghost: 2 * wall - ghost.inside(1), wall=20.0). It is
    recorded as functors are; `ghost` has inside(n), depth(), index("x"), position("x"), time().

    >>> cooled = goban.custom(lambda ghost, a: a * ghost.inside(1), a=0.5)
    """
    from goban._functors import ghost_rule

    return BoundaryCondition(5, ghost_rule(rule, numbers))


def sides_of(boundary: Boundary, dimensions: int) -> list[BoundaryCondition]:
    """Six conditions: of one for all sides, or one for each axis, or (low, high) for an axis. Along
    axes that the grid has not it is periodic.
    """
    axes = [boundary] * dimensions if isinstance(boundary, BoundaryCondition) else list(boundary)
    if len(axes) != dimensions:
        raise Error(f"boundary conditions of {len(axes)} axes are refused",
                    f"the grid has {dimensions}")
    axes += [periodic] * (3 - dimensions)
    sides = []
    for axis in axes:
        pair = (axis, axis) if isinstance(axis, BoundaryCondition) else tuple(axis)
        if len(pair) != 2:
            raise Error("a boundary is refused", "an axis has a condition, or one for each side",
                        "write (goban.periodic, (goban.mirror, goban.constant(1)))")
        sides += pair
    return sides
