"""Numbers that functors read and programs change."""

from __future__ import annotations

import ctypes

from goban import _library
from goban._arguments import ElementType, checked, stored
from goban._library import Handle, call
from goban.errors import one_of


class Parameter(Handle):
    """A number that functors read and that the program, or the script between runs, changes. Type
    "float64", "float32" or "int32". `p < 1e-6` and `p > 1` are conditions, for until and stop_when.
    """

    @checked
    def __init__(self, name: str, value: float = 0.0, type: ElementType = "float64"):
        self.name = name
        self.type = one_of("parameter of type", type, ("float64", "float32", "int32"))
        super().__init__("parameter", "parameter", name, self._stored(value))

    def _stored(self, value):
        """As the parameter holds it: of its type."""
        return float(stored(value, self.type, f"parameter '{self.name}'"))

    @property
    def value(self):
        value = _library.number_of(ctypes.c_double, "parameter_value", self)
        return int(value) if self.type == "int32" else value

    @value.setter
    @checked
    def value(self, value: float):
        call("parameter_set", self, self._stored(value))

    def __float__(self):
        return float(self.value)

    @checked
    def __lt__(self, bound: float):
        return Condition(self, True, bound)

    @checked
    def __gt__(self, bound: float):
        return Condition(self, False, bound)

    def __repr__(self):
        return f"Parameter({self.name!r}, {self.value})"


class Condition:
    """`parameter < bound` or `parameter > bound`, looked at while the program runs."""

    def __init__(self, parameter, is_less, bound):
        self.parameter, self.is_less, self.bound = parameter, is_less, bound

    def __bool__(self):
        value = self.parameter.value
        return value < self.bound if self.is_less else value > self.bound
