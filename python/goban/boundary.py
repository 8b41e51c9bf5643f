"""What is beyond the edges of a grid."""

import dataclasses

from goban import _compiler, _library
from goban._library import Handle
from goban.errors import Error
from goban.parameter import Parameter

_kept = []  # functions of the time: fields may call them until the end


class BoundaryCondition:
    """What is beyond one side of a grid; made by periodic, mirror, constant(...), ..."""

    def __init__(self, kind, value=0.0):
        self._kind, self._value, self._handle = kind, value, None

    def handle(self):
        if self._handle is None and isinstance(self._value, _Rule):
            rule = self._value
            self._handle = Handle("condition", "condition_of_module", rule.module.result(),
                                  _library.doubles(rule.numbers))
        if self._handle is None:
            parameter = self._value if isinstance(self._value, Parameter) else None
            function = None
            if callable(self._value) and parameter is None:
                function = _library.time_function(self._value)
                _kept.append(function)
            number = 0.0 if parameter or function else float(self._value)
            self._handle = Handle("condition", "condition", self._kind, number, parameter, function)
        return self._handle


periodic = BoundaryCondition(0)
mirror = BoundaryCondition(4)


def constant(value):
    """Ghosts hold this: a number, a Parameter, or a function of the simulated time."""
    return BoundaryCondition(1, value)


def wall_value(value):
    """The value holds on the edge itself, half a cell outside the last one."""
    return BoundaryCondition(2, value)


def gradient(value):
    """The outward derivative on the edge, per unit of length."""
    return BoundaryCondition(3, value)


@dataclasses.dataclass(frozen=True)
class _Rule:
    """A rule for ghosts, compiled or about to be."""

    module: object
    numbers: list


def custom(rule, /, **numbers):
    """A rule of your own: custom(lambda ghost: 2 * wall - ghost.inside(1), wall=20.0). It is
    recorded and compiled as functors are; `ghost` has inside(n), depth(), index("x"),
    position("x"), time().
    """
    from goban import _text

    text, constants = _text.ghost_text(rule, numbers)
    return BoundaryCondition(5, _Rule(_compiler.module_of(text), constants))


def sides_of(boundary, dimensions):
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
        if len(pair) != 2 or not all(isinstance(one, BoundaryCondition) for one in pair):
            raise Error("a boundary is refused", "an axis has a condition, or one for each side",
                        "write (goban.periodic, (goban.mirror, goban.constant(1)))")
        sides += pair
    return sides
