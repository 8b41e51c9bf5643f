"""What outputs show: fields with their units, and numbers of a series."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, Callable, Tuple, Union

from goban import _library
from goban._arguments import checked
from goban.errors import refuse
from goban.field import Field
from goban.parameter import Parameter

# A field, or a field and its unit; a position along as many axes as the grid has.
Shown = Union[Field, Tuple[Field, str]]
Position = Union[float, Sequence[float]]


@dataclasses.dataclass(frozen=True)
class Column:
    """One number of a series."""

    of: str
    field: Field
    component: int = 0
    position: Tuple[float, ...] = (0.0, 0.0, 0.0)
    unit: str = ""


@checked
def sum_of(field: Field, component: int = 0, unit: str = "") -> Column:
    """The sum of all values of a component.

    >>> goban.sum_of(u, unit="K").of
    'sum'
    """
    return Column("sum", field, component, unit=unit)


@checked
def mean_of(field: Field, component: int = 0, unit: str = "") -> Column:
    """The mean of all values of a component.

    >>> goban.mean_of(u, unit="K").of
    'mean'
    """
    return Column("mean", field, component, unit=unit)


@checked
def minimum_of(field: Field, component: int = 0, unit: str = "") -> Column:
    """The minimum of all values of a component; NaN if there is one.

    >>> goban.minimum_of(u, unit="K").of
    'minimum'
    """
    return Column("minimum", field, component, unit=unit)


@checked
def maximum_of(field: Field, component: int = 0, unit: str = "") -> Column:
    """The maximum of all values of a component; NaN if there is one.

    >>> goban.maximum_of(u, unit="K").of
    'maximum'
    """
    return Column("maximum", field, component, unit=unit)


@checked
def value_at(field: Field, position: Position, component: int = 0,
             unit: str = "") -> Column:
    """The value of the cell that holds the position.

    >>> column = goban.value_at(u, (3.0, 4.5))
    """
    return Column("value", field, component, position_on(field.grid, position), unit)


@checked
def interpolated_at(field: Field, position: Position, component: int = 0,
                    unit: str = "") -> Column:
    """Linear between the nearest cells.

    >>> column = goban.interpolated_at(u, (3.0, 4.5))
    """
    return Column("interpolated", field, component, position_on(field.grid, position), unit)


def position_on(grid, position):
    """Completes three coordinates: along axes that the grid has not, the middle of its one cell."""
    position = tuple(position) if isinstance(position, list) else (position,)
    if len(position) != grid.dimensions:
        refuse(f"the position {position} is refused", f"the grid has {grid.dimensions} axes")
    return position + tuple(grid.origin[a] + 0.5 * grid.spacing[a]
                            for a in range(grid.dimensions, 3))


# What a series shows.
Shows = Union[Column, Parameter, Tuple[Parameter, str], Tuple[str, str, Callable[..., Any]]]


class Objects:
    """What options refer to by number."""

    def __init__(self):
        self.all = []

    def add(self, thing):
        self.all.append(thing)
        return len(self.all) - 1

    def field(self, given):
        """u, or (u, "m/s")."""
        field, unit = given if isinstance(given, tuple) else (given, "")
        return {"field": self.add(field), "unit": unit}

    def fields(self, given):
        return [self.field(one) for one in (given if isinstance(given, list) else [given])]

    def column(self, given):
        """A Column, a parameter, or (name, unit, function)."""
        if isinstance(given, Parameter):
            return {"of": "parameter", "object": self.add(given)}
        if isinstance(given, Column):
            return {"of": given.of, "component": given.component, "position": given.position,
                    **self.field((given.field, given.unit))}
        if len(given) == 2:
            return {"of": "parameter", "object": self.add(given[0]), "unit": given[1]}
        name, unit, function = given
        return {"of": "function", "object": self.add(_library.number_function(function)),
                "name": name, "unit": unit}
