"""Functors of Python, recorded, and what stages of them are told to the library."""

from __future__ import annotations

import dataclasses
import inspect
import json
import numbers
from typing import Union

import numpy as np

from goban import _recording as recording
from goban._arguments import ElementType, checked
from goban._accessors import Accessor, Ghost, Site, Use
from goban._recording import Recording, Value
from goban.errors import Error, one_of, place_of_exception, place_of_frames, refuse
from goban.field import LOCATIONS, TYPES, Field
from goban._library import Handle
from goban.parameter import Parameter


class SiteArgument:
    """Passed for a parameter of a functor that asks where and when it is: `site`."""


site = SiteArgument()


@dataclasses.dataclass(frozen=True)
class Access:
    """A field and what a functor is meant to do with it."""

    field: object
    said: str


@dataclasses.dataclass(frozen=True)
class Scratch:
    """See scratch()."""

    type: str
    count: int


@checked
def scratch(type: ElementType = "float64", count: int = 1) -> Scratch:
    """So many numbers that a functor of columns keeps for every level of a column.

    >>> two_numbers = goban.scratch("float64", 2)
    """
    return Scratch(one_of("scratch of type", type, ("float64", "float32", "int32")), count)


class Intermediate(Handle):
    """Values that one functor of a fuse hands to later ones and that nobody else sees: declared
    like a field, without memory.

    >>> q = goban.Intermediate(grid, "q", "float32", components=2)
    """

    @checked
    def __init__(self, grid: Grid, name: str, type: ElementType = "float64", components: int = 1,
                 location: str = "cell") -> None:
        self.grid, self.name, self.components = grid, name, components
        self.type = one_of("intermediate of type", type, TYPES)
        options = {"name": name, "type": self.type, "components": components, "layout": "ijk",
                   "location": one_of("location", location, LOCATIONS), "in_place": False,
                   "is_intermediate": True}
        super().__init__("field", "field", grid, json.dumps(options), None, others=[grid])


@checked
def in_(field: Union[Field, Intermediate]) -> Access:
    """The field is read. Plain fields are taken as the functor uses them; this says what is meant,
    and is checked.

    >>> meant = goban.in_(u)
    """
    return Access(field, "in")


@checked
def out(field: Union[Field, Intermediate]) -> Access:
    """The field is written, whatever it held.

    >>> meant = goban.out(u)
    """
    return Access(field, "out")


@checked
def inout(field: Union[Field, Intermediate]) -> Access:
    """The field is read at the cell and written.

    >>> meant = goban.inout(u)
    """
    return Access(field, "inout")


def bare(argument):
    """The field, parameter, site or scratch of an argument."""
    return argument.field if isinstance(argument, Access) else argument


def is_plain(value):
    """A number, no truth."""
    return isinstance(value, numbers.Real) and not isinstance(value, (bool, np.bool_))


def name_of(function):
    """As reports and errors show it."""
    return getattr(function, "__name__", type(function).__name__).strip("<>")


def call_recording(function, arguments, keywords):
    """Calls the user's function. What goes wrong in it is one line with its place."""
    try:
        try:
            inspect.signature(function).bind(*arguments, **keywords)
        except TypeError as error:
            refuse(f"{name_of(function)} cannot be called", str(error),
                   "its parameters are the fields in their order, and the numbers by name")
        except ValueError:
            pass  # a function without a signature
        return function(*arguments, **keywords)
    except Error:
        raise
    except Exception as error:
        place = place_of_exception(error) or place_of_frames()
        raise Error(f"{place}: {type(error).__name__}: {error}") from error


class Objects(list):
    """What stages refer to by numbers: fields, intermediates, parameters, site."""

    def place_of(self, given):
        for n, known in enumerate(self):
            if known is given:
                return n
        self.append(given)
        return len(self) - 1


class Functor:
    """One functor, recorded: its arguments, and what it does with them."""

    def __init__(self, sweeps, arguments, keywords):
        """`sweeps`: functions of Python; of columns forward and backward, one of them or None."""
        self.shown = name_of(next(filter(None, sweeps)))
        self.arguments, self.keywords = list(arguments), keywords
        self.parameters = [one for one in keywords.values() if isinstance(one, Parameter)]
        self.returned, self._is_reduced = None, False
        self._check_scratch(is_allowed=len(sweeps) == 2)
        self._uses = [self._use(n, argument) for n, argument in enumerate(self.arguments)]
        self.sweeps = [function and self._record(function) for function in sweeps]

    def _check_scratch(self, is_allowed):
        count = sum(isinstance(one, Scratch) for one in self.arguments)
        if count and not is_allowed:
            refuse("scratch is passed to a functor of cells", "it belongs to columns")
        if count > 1:
            refuse("scratch is passed twice", "", 'scratch("float64", 2) keeps two numbers a level')

    def _use(self, n, argument):
        given = bare(argument)
        if isinstance(given, SiteArgument):
            return None
        if isinstance(given, Scratch):
            return Use(n, "scratch", given.type, given.count, is_scratch=True)
        if isinstance(given, (Field, Intermediate)):
            said = argument.said if isinstance(argument, Access) else None
            return Use(n, given.name, given.type, given.components, said,
                       axes=given.grid.dimensions)
        if isinstance(given, Parameter):
            refuse(f"parameter '{given.name}' is passed without a name", "",
                   f"write {given.name}={given.name}; the functor then reads it as a number")
        refuse(f"{type(given).__name__} is passed as a field", "a functor takes fields and site",
               "pass numbers by name, r=0.1")

    def _record(self, function):
        kept = Recording()
        for use in filter(None, self._uses):
            use.recording = kept
        shown = [Accessor(use) if use else Site(kept) for use in self._uses]
        self.returned = call_recording(function, shown, self._keywords(kept))
        return kept

    def _keywords(self, kept):
        """Parameters are arguments, numbers the same for all cells, all else is what it is."""
        made, position = dict(self.keywords), len(self.arguments)
        for name, value in self.keywords.items():
            if isinstance(value, Parameter):
                made[name] = kept.value("parameter", value.type, False, data=[position])
                position += 1
            elif is_plain(value):
                is_whole = isinstance(value, (int, np.integer)) and -2**31 <= value < 2**31
                made[name] = kept.number(value, "int32" if is_whole else "float64")
            elif isinstance(value, Field):
                refuse(f"field '{value.name}' is passed as {name}=", "",
                       "fields stand before the numbers, without a name")
        return made

    def described(self, objects):
        """As the library takes it, see stages.cpp."""
        arguments = []
        for argument, use in zip(self.arguments, self._uses):
            given = bare(argument)
            if isinstance(given, Scratch):
                arguments.append({"scratch": given.type, "count": given.count})
            else:
                arguments.append({"object": objects.place_of(given),
                                  "access": use and use.access()})
        arguments += [{"object": objects.place_of(parameter)} for parameter in self.parameters]
        return {"name": self.shown, "arguments": arguments,
                "sweeps": [kept and kept.steps for kept in self.sweeps]}

    def require_result(self):
        uses = [use for use in self._uses if use and not use.is_scratch]
        said = [use.name for use in uses if use.said in ("out", "inout") and not use.assigns]
        if said or not any(use.assigns for use in uses):
            refuse(f"{self.shown} assigns nothing" + (f" to '{said[0]}'" if said else ""),
                   "next = x is a new name in the functor", "write next[...] = x")

    def assign_returned(self):
        """What it returns is the result of a reduction, of one after another."""
        if self._is_reduced:
            return
        value, kept = self.returned, self.sweeps[0]
        if recording.kind_of(value) == recording.MASK:
            value = recording.select(value, 1, 0)
        if not (isinstance(value, Value) and value.varies):
            refuse(f"{self.shown} returns no value of cells", "",
                   "a functor of reduce returns what is summed, or whose extremum is wanted")
        kept.add("assign", "float64", [value], [-1, 0])
        self._is_reduced = True

    def require_stored(self):
        for argument in self.arguments:
            if isinstance(bare(argument), Intermediate):
                refuse(f"'{bare(argument).name}' is no field of a stage of its own",
                       "an Intermediate has no memory", "declare a field, or fuse the stages")


def compute_steps(function, inputs, into, keywords):
    """What a scalar stage does with its parameters, see stages.cpp."""
    kept, count = Recording(), len(inputs) + len(into)
    values = [kept.value("parameter", parameter.type, False, data=[n])
              for n, parameter in enumerate(inputs)]
    made = call_recording(function, values, _with_numbers(kept, keywords))
    made = list(made) if isinstance(made, (tuple, list)) else [made]
    if len(made) != len(into):
        refuse(f"{name_of(function)} returns {len(made)} numbers",
               f"into names {len(into)} parameters")
    for n, (value, parameter) in enumerate(zip(values + made, [*inputs, *into])):
        recording.check_operand(value)
        if parameter.type == "int32" and recording.is_floating(recording.kind_of(value)):
            refuse(f"parameter '{parameter.name}' holds whole numbers",
                   "a fraction would be lost", 'write goban.convert(x, "int32")')
        stored = recording.convert(value, parameter.type)
        kept.add("assign", "float64", [stored], [count + n, 0])
    return kept.steps


def ghost_rule(rule, keywords):
    """The text of a boundary condition of one's own, as the library takes it."""
    kept = Recording()
    ghost = Ghost(kept)
    made = call_recording(rule, [ghost], _with_numbers(kept, keywords))
    if not isinstance(made, (Value, numbers.Number)) or recording.kind_of(made) == recording.MASK:
        refuse(f"{name_of(rule)} returns no number", "", "a rule returns the value of the ghost")
    kept.add("assign", "float64", [made], [len(ghost.asks), 0])
    return json.dumps({"asks": ghost.asks, "steps": kept.steps})


def _with_numbers(kept, keywords):
    return {name: kept.number(value, "float64") if is_plain(value) else value
            for name, value in keywords.items()}
