"""The C++ text of modules: functors written in Python, and the stage that they are."""

from __future__ import annotations

import dataclasses
import hashlib
import inspect
import numbers
import re
from typing import Union

import numpy as np

from goban import _recording as recording
from goban._arguments import ElementType, checked
from goban._accessors import Accessor, Ghost, Site, Use
from goban._recording import CPP, Recording, Value
from goban.errors import Error, one_of, place_of_exception, place_of_frames, refuse
from goban.field import LOCATIONS, TYPES, Field
from goban.parameter import Parameter

INCLUDE = '#include "goban/functor.hpp"\n'


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
def scratch(type: ElementType = "float64", count: int = 1):
    """So many numbers that a functor of columns keeps for every level of a column."""
    return Scratch(one_of("scratch of type", type, ("float64", "float32", "int32")), count)


class Intermediate:
    """Values that one functor of a fuse hands to later ones and that nobody else sees: declared
    like a field, without memory.
    """

    @checked
    def __init__(self, grid: Grid, name: str, type: ElementType = "float64", components: int = 1,
                 location: str = "cell"):
        self.grid, self.name, self.components = grid, name, components
        self.type = one_of("intermediate of type", type, TYPES)
        self.location = one_of("location", location, LOCATIONS)
        self.layout, self.in_place = "ijk", False


@checked
def in_(field: Union[Field, Intermediate]):
    """The field is read. Plain fields are taken as the functor uses them; this says what is meant,
    and is checked.
    """
    return Access(field, "in")


@checked
def out(field: Union[Field, Intermediate]):
    """The field is written, whatever it held."""
    return Access(field, "out")


@checked
def inout(field: Union[Field, Intermediate]):
    """The field is read at the cell and written."""
    return Access(field, "inout")


def element_of(field):
    return f"goban::InPlace<{CPP[field.type]}>" if field.in_place else CPP[field.type]


def field_text(field, n):
    return (f"goban::Field<{element_of(field)}, {field.components}, goban::{field.layout}>"
            f"(a[{n}].grid, a[{n}].field)")


def parameter_text(parameter, n):
    return f"goban::Parameter<{_parameter_type(parameter)}>(a[{n}].parameter)"


def _parameter_type(parameter):
    return {"float64": "double", "float32": "float", "int32": "int"}[parameter.type]


def bare(argument):
    """The field, parameter, site or scratch of an argument."""
    return argument.field if isinstance(argument, Access) else argument


def is_plain(value):
    """A number, no truth."""
    return isinstance(value, numbers.Real) and not isinstance(value, (bool, np.bool_))


def name_in_cpp(function):
    """CamelCase, of letters and digits."""
    words = re.findall(r"[A-Za-z0-9]+", getattr(function, "__name__", type(function).__name__))
    name = "".join(word[0].upper() + word[1:] for word in words) or "Functor"
    return name if name[0].isalpha() else "F" + name


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


class Functor:
    """One functor, recorded: its struct, the members, and what it does with its arguments."""

    def __init__(self, sweeps, arguments, keywords):
        """`sweeps`: the call operator's name in C++ -> function of Python."""
        self.name = name_in_cpp(next(iter(sweeps.values())))
        self.shown = name_of(next(iter(sweeps.values())))
        self.arguments = list(arguments)
        self.parameters, self.numbers = [], []
        self._members = []
        self._constants = {}
        self._sort_keywords(keywords)
        self.returned = None
        uses = [self._use(n, argument) for n, argument in enumerate(self.arguments)]
        self._bodies = {called: self._record(function, uses) for called, function in sweeps.items()}
        self.accesses = [use.access() if isinstance(use, Use) and not use.is_scratch else None
                         for use in uses]
        self._uses = [use for use in uses if isinstance(use, Use) and not use.is_scratch]

    def _sort_keywords(self, keywords):
        """Parameters become arguments, numbers members, all else is known now."""
        self._names = list(keywords)
        for name, value in keywords.items():
            if isinstance(value, Parameter):
                self.parameters.append((name, value))
            elif is_plain(value):
                is_whole = isinstance(value, (int, np.integer))
                if is_whole and not -2**31 <= value < 2**31:
                    is_whole = False
                self._members.append((name, "int32" if is_whole else "float64"))
                self.numbers.append(float(value))
            elif isinstance(value, Field):
                refuse(f"field '{value.name}' is passed as {name}=", "",
                       "fields stand before the numbers, without a name")
            else:
                self._constants[name] = value

    def _use(self, n, argument):
        given = bare(argument)
        if isinstance(given, SiteArgument):
            return argument
        if isinstance(given, Scratch):
            return Use(None, f"a{n}", "scratch", given.type, given.count, is_scratch=True)
        if isinstance(given, (Field, Intermediate)):
            said = argument.said if isinstance(argument, Access) else None
            return Use(None, f"a{n}", given.name, given.type, given.components, said,
                       axes=given.grid.dimensions)
        if isinstance(given, Parameter):
            refuse(f"parameter '{given.name}' is passed without a name", "",
                   f"write {given.name}={given.name}; the functor then reads it as a number")
        refuse(f"{type(given).__name__} is passed as a field", "a functor takes fields and site",
               "pass numbers by name, r=0.1")

    def _record(self, function, uses):
        kept = Recording()
        shown = []
        for n, use in enumerate(uses):
            if isinstance(use, Use):
                use.recording = kept
                shown.append(Accessor(use))
            else:
                shown.append(Site(kept, f"a{n}"))
        keywords = dict(self._constants)
        for n, (name, kind) in enumerate(self._members):
            keywords[name] = Value(kept, f"n{n}", kind, False)
        for n, (name, parameter) in enumerate(self.parameters):
            keywords[name] = Value(kept, f"p{n}()", parameter.type, False)
        keywords = {name: keywords[name] for name in self._names}
        self.returned = call_recording(function, shown, keywords)
        return kept

    def struct(self, returns=None):
        """`returns`: the text of what the call operator returns."""
        lines = [f"struct {self.name} {{"]
        grids = {id(bare(one).grid) for one in self.arguments if isinstance(bare(one), Field)}
        if len(grids) > 1:
            lines.append("  static constexpr bool between_grids = true;")
        lines += [f"  {'int' if kind == 'int32' else 'double'} n{n};"
                  for n, (_, kind) in enumerate(self._members)]
        given = [f"auto a{n}" for n in range(len(self.arguments))]
        given += [f"auto p{n}" for n in range(len(self.parameters))]
        for called, kept in self._bodies.items():
            lines.append(f"  GOBAN_FUNCTION {'auto' if returns else 'void'} {called}"
                         f"({', '.join('[[maybe_unused]] ' + one for one in given)}) const {{")
            lines += [f"    {line}" for line in kept.lines]
            if returns:
                lines.append(f"    return {returns};")
            lines.append("  }")
        return "\n".join(lines + ["};"]) + "\n"

    def made(self, first_number):
        """An object of it; its members are numbers from that one on."""
        members = []
        for n, (_, kind) in enumerate(self._members):
            number = f"n[{first_number + n}]"
            members.append(f"static_cast<int>({number})" if kind == "int32" else number)
        return f"{self.name}{{{', '.join(members)}}}"

    def argument_texts(self):
        """As apply takes them; arguments are counted from 0, parameters after them."""
        texts = []
        for n, (argument, access) in enumerate(zip(self.arguments, self.accesses)):
            given = bare(argument)
            if isinstance(given, Field):
                texts.append(f"goban::{access}({field_text(given, n)})")
            elif isinstance(given, Scratch):
                texts.append(f"goban::scratch<{CPP[given.type]}, {given.count}>")
            else:
                texts.append("goban::site")
        first = len(self.arguments)
        for n, (_, parameter) in enumerate(self.parameters):
            texts.append(f"goban::param({parameter_text(parameter, first + n)})")
        return texts

    def objects(self):
        """What the arguments of a module stand for."""
        return [bare(argument) for argument in self.arguments] + [p for _, p in self.parameters]

    def require_result(self):
        said = [use.name for use in self._uses if use.said in ("out", "inout") and not use.assigns]
        if said or not any(use.assigns for use in self._uses):
            refuse(f"{self.shown} assigns nothing" + (f" to '{said[0]}'" if said else ""),
                   "next = x is a new name in the functor", "write next[...] = x")

    def require_stored(self):
        for argument in self.arguments:
            if isinstance(bare(argument), Intermediate):
                refuse(f"'{bare(argument).name}' is no field of a stage of its own",
                       "an Intermediate has no memory", "declare a field, or fuse the stages")


def module(structs, stage):
    """The text of a whole module. Its names are its own: those of two modules never meet."""
    body = "".join(structs)
    own = hashlib.sha256((body + stage).encode()).hexdigest()[:16]
    return (f"{INCLUDE}\nnamespace goban_python_{own} {{\n\n{body}\n}}  // namespace\n\n"
            "void goban_python_stage(goban::Program& program,\n"
            "                        [[maybe_unused]] const goban::StageArgument* a,\n"
            "                        [[maybe_unused]] const double* n) {\n"
            f"  using namespace goban_python_{own};\n  {stage}\n}}\n")


def apply_text(functor):
    functor.require_stored()
    functor.require_result()
    arguments = ",\n      ".join([functor.made(0), *functor.argument_texts()])
    return module([functor.struct()], f"program.apply({arguments});")


def columns_text(functor, axis):
    functor.require_stored()
    functor.require_result()
    arguments = ",\n      ".join([recording.AXES[axis], functor.made(0), *functor.argument_texts()])
    return module([functor.struct()], f"program.columns({arguments});")


def reduce_text(functor, how, into):
    functor.require_stored()
    value = functor.returned
    if recording.kind_of(value) == recording.MASK:
        value = recording.select(value, 1, 0)
    if not (isinstance(value, Value) and value.varies):
        refuse(f"{functor.shown} returns no value of cells", "",
               "a functor of reduce returns what is summed, or whose extremum is wanted")
    target = len(functor.arguments) + len(functor.parameters)
    arguments = [functor.made(0), *functor.argument_texts(), f"goban::{how}",
                 f"goban::into({parameter_text(into, target)})"]
    return module([functor.struct(value.name)], f"program.reduce({', '.join(arguments)});")


def numbers_apart(kept, keywords, letter):
    """Plain numbers among the keywords, and all of these with such ones as values c0, c1, ..."""
    constants, named = [], {}
    for name, value in keywords.items():
        if is_plain(value):
            named[name] = Value(kept, f"{letter}{len(constants)}", "float64", False)
            constants.append(float(value))
        else:
            named[name] = value
    return constants, named


def compute_text(function, inputs, into, keywords):
    """A scalar stage, and its numbers."""
    kept = Recording()
    values = [Value(kept, f"x{n}", parameter.type, False) for n, parameter in enumerate(inputs)]
    constants, named = numbers_apart(kept, keywords, "c")
    made = call_recording(function, values, named)
    made = list(made) if isinstance(made, (tuple, list)) else [made]
    if len(made) != len(into):
        refuse(f"{name_of(function)} returns {len(made)} numbers",
               f"into names {len(into)} parameters")
    for value, parameter in zip(made, into):
        recording.check_operand(value)
        if parameter.type == "int32" and recording.is_floating(recording.kind_of(value)):
            refuse(f"parameter '{parameter.name}' holds whole numbers",
                   "a fraction would be lost", 'write goban.convert(x, "int32")')
    parameters = [f"auto x{n}" for n in range(len(inputs))]
    parameters += [f"auto c{n}" for n in range(len(constants))]
    parameters += [f"auto& y{n}" for n in range(len(into))]
    body = kept.lines + [f"y{n} = {recording.text_of(value)};" for n, value in enumerate(made)]
    arguments = [f"goban::in({parameter_text(p, n)})" for n, p in enumerate(inputs)]
    arguments += [f"goban::in(n[{n}])" for n in range(len(constants))]
    arguments += [f"goban::out({parameter_text(p, len(inputs) + n)})" for n, p in enumerate(into)]
    text = ("program.compute([](" + ", ".join("[[maybe_unused]] " + one for one in parameters)
            + ") {\n    " + "\n    ".join(body) + "\n  },\n      "
            + ",\n      ".join(arguments) + ");")
    return module([], text), constants


def ghost_text(rule, keywords):
    """A boundary condition of one's own, and its numbers."""
    kept = Recording()
    constants, named = numbers_apart(kept, keywords, "n")
    made = call_recording(rule, [Ghost(kept)], named)
    if not isinstance(made, (Value, numbers.Number)) or recording.kind_of(made) == recording.MASK:
        refuse(f"{name_of(rule)} returns no number", "", "a rule returns the value of the ghost")
    members = "".join(f"  const double n{n} = n[{n}];\n" for n in range(len(constants)))
    body = "\n    ".join([*kept.lines, f"return static_cast<double>({recording.text_of(made)});"])
    text = (f"{INCLUDE}\nvoid goban_python_ghost(goban::BoundaryCondition& made,\n"
            "                        [[maybe_unused]] const double* n) {\n"
            f"{members}  made = goban::custom([=](const goban::GhostCell& ghost) {{\n    {body}\n"
            "  });\n}\n")
    return text, constants


def fuse_text(functors, walled):
    """Functors one after the other in one sweep. Returns text, objects, numbers."""
    objects, structs, listed, numbers_of_all = [], [], [], []

    def place_of(given):
        for n, known in enumerate(objects):
            if known is given:
                return n
        objects.append(given)
        return len(objects) - 1

    for k, functor in enumerate(functors):
        functor.require_result()
        functor.name = f"{functor.name}{k}"
        structs.append(functor.struct())
        words = [functor.made(len(numbers_of_all))]
        numbers_of_all += functor.numbers
        for argument, access in zip(functor.arguments, functor.accesses):
            n = place_of(bare(argument))
            words.append(f"goban::{access}(f{n})" if access else f"f{n}")
        words += [f"f{place_of(parameter)}" for _, parameter in functor.parameters]
        listed.append(f"goban::stage({', '.join(words)})")
    statements, arguments = [], []
    for n, given in enumerate(objects):
        if isinstance(given, (Field, Intermediate)):
            statements.append(_fused_field(given, n))
            is_walled = any(one is given for one in walled)
            arguments.append(f"goban::walled(g{n})" if is_walled else f"g{n}")
        elif isinstance(given, Parameter):
            arguments.append(f"goban::param({parameter_text(given, n)})")
        else:
            arguments.append("goban::site")
    lists = ", ".join(f"[[maybe_unused]] auto f{n}" for n in range(len(objects)))
    statements.append(f"program.fuse([&]({lists}) {{\n    return goban::stages("
                      + ",\n        ".join(listed) + ");\n  },\n      "
                      + ", ".join(arguments) + ");")
    return module(structs, "\n  ".join(statements)), objects, numbers_of_all


def _fused_field(given, n):
    if isinstance(given, Field):
        return f"const auto g{n} = {field_text(given, n)};"
    name = quoted(given.name)
    return (f"goban::Grid grid{n}(a[{n}].grid);\n  const goban::Intermediate<{CPP[given.type]}, "
            f"{given.components}> g{n}(grid{n}, {name}, {{goban::Location::{given.location}}});")


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
