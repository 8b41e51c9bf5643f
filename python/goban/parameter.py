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

    >>> dt = goban.Parameter("dt", 0.5)
    >>> dt.value = 0.25
    >>> bool(dt < 1)
    True
    """

    @checked
    def __init__(self, name: str, value: float = 0.0, type: ElementType = "float64") -> None:
        self.name = name
        self.type = one_of("parameter of type", type, ("float64", "float32", "int32"))
        super().__init__("parameter", "parameter", name, self._stored(value))

    def _stored(self, value):
        """As the parameter holds it: of its type."""
        return float(stored(value, self.type, f"parameter '{self.name}'"))

    @property
    def value(self) -> float:
        """What it holds: set p.value = 0.5 between runs."""
        value = _library.number_of(ctypes.c_double, "parameter_value", self)
        return int(value) if self.type == "int32" else value

    @value.setter
    @checked
    def value(self, value: float) -> None:
        call("parameter_set", self, self._stored(value))

    def __float__(self) -> float:
        return float(self.value)

    @checked
    def __lt__(self, bound: float) -> Condition:
        return Condition(self, True, bound)

    @checked
    def __gt__(self, bound: float) -> Condition:
        return Condition(self, False, bound)

    def __repr__(self) -> str:
        return f"Parameter({self.name!r}, {self.value})"


def parameter_of(name: str, call_name: str, *arguments: object) -> Parameter:
    """A number that the library has made, by this call."""
    made = Parameter.__new__(Parameter)
    made.name, made.type = name, "float64"
    Handle.__init__(made, "parameter", call_name, *arguments)
    return made


class Condition:
    """`parameter < bound` or `parameter > bound`, looked at while the program runs.

    >>> residual = goban.Parameter("residual", 1e-3)
    >>> bool(residual < 1e-6)
    False
    """

    def __init__(self, parameter: Parameter, is_less: bool, bound: float) -> None:
        self.parameter, self.is_less, self.bound = parameter, is_less, bound

    def __bool__(self) -> bool:
        value = self.parameter.value
        return value < self.bound if self.is_less else value > self.bound
