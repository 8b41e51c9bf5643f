"""Runtimes, grids, fields, parameters and what is beyond the edges."""

import ctypes
import dataclasses
import json
import operator
import sys

import numpy as np

from goban import _library
from goban._library import Handle, call
from goban.errors import Error

_runtimes = []  # they live as long as the script, as grids refer to them
_kept = []      # functions of boundary conditions: fields may call them until the end

TYPES = ("float32", "float64", "float16", "int32", "uint8")
LOCATIONS = ("cell", "face_x", "face_y", "face_z", "edge_x", "edge_y", "edge_z", "node")
AXES = {"x": 0, "y": 1, "z": 2}
SIDES = {"low": 0, "high": 1}


def one_of(what, value, choices):
    if value not in choices:
        raise Error(f"{what} {value!r} is refused", "", "one of " + ", ".join(map(repr, choices)))
    return value


class Runtime(Handle):
    """The cores, GPUs and ranks that a script runs on. Settings are those of --goban-* options with
    underscores, as in Runtime(threads=2, devices="cuda:0,1"); without any of them the options are
    taken out of sys.argv and the variables GOBAN_*. Scripts that need no settings of their own need
    no Runtime: the first grid makes one.
    """

    def __init__(self, **settings):
        if settings:
            options = {name.replace("_", "-"): _setting(value) for name, value in settings.items()}
            super().__init__("runtime", "runtime", json.dumps(options))
        else:
            self._of_arguments()
        _runtimes.append(self)

    def _of_arguments(self):
        words = [word.encode() for word in (sys.argv or ["python"])]
        array = (ctypes.c_char_p * (len(words) + 1))(*words)
        count = ctypes.c_int64(len(words))
        super().__init__("runtime", "runtime_of_arguments", ctypes.byref(count), array)
        sys.argv[:] = [array[n].decode() for n in range(count.value)]

    def __str__(self):
        return _library.text_of("runtime_description", self)

    def _ranks(self):
        rank, count = ctypes.c_int64(), ctypes.c_int64()
        call("runtime_ranks", self, ctypes.byref(rank), ctypes.byref(count))
        return rank.value, count.value

    @property
    def rank(self):
        """Number of this process among those that mpirun has started, from 0."""
        return self._ranks()[0]

    @property
    def ranks(self):
        """How many processes there are."""
        return self._ranks()[1]


def _setting(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    return ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


def runtime():
    """The runtime of grids that name none: made of the command line when it is first asked for."""
    return _runtimes[0] if _runtimes else Runtime()


def rehearse_gpus(capability, count=1):
    """Before the first grid: this process has so many GPUs of an architecture (90) that are not there,
    so that Simulation.rehearse() compiles the kernels of a script for them.
    """
    call("rehearse_gpus", capability, count)


def has_other_ranks():
    return any(one.ranks > 1 for one in _runtimes)


class Parameter(Handle):
    """A number that functors read and that the program, or the script between runs, changes. Type
    "float64", "float32" or "int32". `p < 1e-6` and `p > 1` are conditions, for until and stop_when.
    """

    def __init__(self, name, value=0.0, type="float64"):
        self.name, self.type = name, one_of("parameter of type", type, ("float64", "float32", "int32"))
        super().__init__("parameter", "parameter", name, self.stored(value))

    def stored(self, value):
        """As the parameter holds it: of its type."""
        return float(np.dtype(self.type).type(value))

    @property
    def value(self):
        value = _library.number_of(ctypes.c_double, "parameter_value", self)
        return int(value) if self.type == "int32" else value

    @value.setter
    def value(self, value):
        call("parameter_set", self, self.stored(value))

    def __float__(self):
        return float(self.value)

    def __lt__(self, bound):
        return Condition(self, True, float(bound))

    def __gt__(self, bound):
        return Condition(self, False, float(bound))

    def __repr__(self):
        return f"Parameter({self.name!r}, {self.value})"


class Condition:
    """`parameter < bound` or `parameter > bound`, looked at while the program runs."""

    def __init__(self, parameter, is_less, bound):
        self.parameter, self.is_less, self.bound = parameter, is_less, bound

    def __bool__(self):
        value = self.parameter.value
        return value < self.bound if self.is_less else value > self.bound


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


def custom(rule, **numbers):
    """A rule of your own: custom(lambda ghost: 2 * wall - ghost.inside(1), wall=20.0). It is recorded
    and compiled as functors are; `ghost` has inside(n), depth(), index("x"), position("x"), time().
    """
    from goban import _compiler, _text

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


def three(values, missing, what):
    """A number for each axis of a space that has three."""
    if isinstance(values, (int, float, np.number)):
        values = (values,)
    values = tuple(values)
    if not 1 <= len(values) <= 3:
        raise Error(f"{what} = {values} is refused", "there are three axes")
    return values + (missing,) * (3 - len(values))


class Grid(Handle):
    """Cells of a box: `cells` (nx, ny, nz), (nx, ny) for a plane or nx for a line, `spacing` a
    length for all axes or one for each, `origin` the lower corner of the first cell, `boundary` what
    is beyond its edges: one condition, or one for each axis, or (low, high) of an axis.
    """

    def __init__(self, cells, spacing=1.0, origin=0.0, boundary=periodic, runtime=None):
        self.runtime = runtime or globals()["runtime"]()
        self.dimensions = 1 if isinstance(cells, (int, np.integer)) else len(cells)
        self.cells = tuple(map(operator.index, three(cells, 1, "cells")))
        is_one = isinstance(spacing, (int, float, np.number))
        self.spacing = tuple(map(float, (spacing,) * 3 if is_one else three(spacing, 1.0, "spacing")))
        is_one = isinstance(origin, (int, float, np.number))
        self.origin = tuple(map(float, (origin,) * 3 if is_one else three(origin, 0.0, "origin")))
        sides = [condition.handle() for condition in sides_of(boundary, self.dimensions)]
        super().__init__("grid", "grid", self.runtime, _library.integers(self.cells),
                         _library.doubles(self.spacing), _library.doubles(self.origin),
                         _library.pointers(sides), others=[self.runtime])

    def coarsened(self, ratio=2):
        """A grid of the same family over the same region, with 1 or 2 cells of this one along each
        axis in place of each of its own.
        """
        ratio = three((ratio,) * self.dimensions if isinstance(ratio, int) else ratio, 1, "ratio")
        coarse = Grid.__new__(Grid)
        coarse.runtime, coarse.dimensions, coarse.origin = self.runtime, self.dimensions, self.origin
        Handle.__init__(coarse, "grid", "grid_coarsened", self, _library.integers(ratio),
                        others=[self])
        coarse.cells = tuple(n // r for n, r in zip(self.cells, ratio))
        coarse.spacing = tuple(h * r for h, r in zip(self.spacing, ratio))
        return coarse

    def field(self, name, type="float64", components=1, location="cell", layout="ijk", boundary=None,
              in_place=False):
        """A named quantity on this grid; see Field."""
        return Field(self, name, type, components, location, layout, boundary, in_place)


class Field(Handle):
    """Values of every cell (or face, edge, node: `location`): `components` numbers of type float32,
    float64, float16 (computed in float32), int32 or uint8.

    In arrays the axes are (x, y, z), those of the grid that it has; several components come before
    them: (component, x, y, z). Arrays lie in the memory of the host, with x fastest; fields lie
    where they are computed, so that every access copies. Under mpirun each is that of the whole
    field, and all processes make it together; own() has the part of one process.
    """

    def __init__(self, grid, name, type="float64", components=1, location="cell", layout="ijk",
                 boundary=None, in_place=False):
        self.grid, self.name, self.components = grid, name, operator.index(components)
        self.type = one_of("field of type", type, TYPES)
        self.location = one_of("location", location, LOCATIONS)
        self.layout = one_of("layout", layout, ("ijk", "kij"))
        self.in_place = bool(in_place)
        if self.components < 1:
            raise Error(f"{components} components are refused", "a field has at least one")
        options = {"name": name, "type": type, "components": self.components,
                   "location": location, "layout": layout, "in_place": self.in_place}
        sides = None if boundary is None else _library.pointers(
            [condition.handle() for condition in sides_of(boundary, grid.dimensions)])
        super().__init__("field", "field", grid, json.dumps(options), sides, others=[grid])

    def like(self, name):
        """Another field of the same kind and with the same boundary conditions; of a field in place,
        what it becomes in a step.
        """
        other = Field.__new__(Field)
        for what in ("grid", "components", "type", "location", "layout", "in_place"):
            setattr(other, what, getattr(self, what))
        other.name = name
        Handle.__init__(other, "field", "field_like", self, name, others=[self.grid])
        return other

    def boundary(self, axis, side, condition, component=None):
        """Sets the condition on one side ("low", "high"), of all components or of one."""
        one_of("axis", axis, tuple(AXES))
        one_of("side", side, tuple(SIDES))
        call("field_boundary", self, AXES[axis], SIDES[side], -1 if component is None else component,
             condition.handle())
        return self

    @property
    def dtype(self):
        return np.dtype(self.type)

    def _ends(self):
        ends = (ctypes.c_int64 * 6)()
        call("field_domain", self, ends)
        return list(ends)

    @property
    def shape(self):
        """Of numpy()."""
        ends = self._ends()
        extents = tuple(ends[3 + a] - ends[a] for a in range(self.grid.dimensions))
        return extents if self.components == 1 else (self.components, *extents)

    def _array(self, ends):
        """For the values of a box, as the library has them, and the same as it is shown."""
        nx, ny, nz = (ends[3 + a] - ends[a] for a in range(3))
        dense = np.empty((self.components, nz, ny, nx), self.dtype)
        return dense, self._shown(dense)

    def _shown(self, dense):
        shown = dense.transpose(0, 3, 2, 1)
        shown = shown.reshape(shown.shape[:1 + self.grid.dimensions])
        return shown[0] if self.components == 1 else shown

    def numpy(self):
        """A copy of all values, as an array of the host: axes as this class says."""
        dense, shown = self._array(self._ends())
        call("field_copy_out", self, _library.integers(self._ends()), ctypes.c_void_p(dense.ctypes.data))
        return shown

    def own(self):
        """What this process computes: a list of (lower, upper, array), the array with the values of
        the cells lower <= (i, j, k) < upper. Without mpirun all of the field, in one part or more.
        """
        room, count = 1024, ctypes.c_int64()
        ends = (ctypes.c_int64 * (6 * room))()
        call("field_own", self, ends, room, ctypes.byref(count))
        parts = []
        for n in range(min(room, count.value)):
            box = ends[6 * n:6 * n + 6]
            dense, shown = self._array(box)
            call("field_copy_out_own", self, _library.integers(box), ctypes.c_void_p(dense.ctypes.data))
            parts.append((tuple(box[:3]), tuple(box[3:]), shown))
        return parts

    def __array__(self, dtype=None, copy=None):
        if copy is False:
            raise ValueError("a field lies where it is computed: an array of it is a copy")
        array = self.numpy()
        return array if dtype is None else array.astype(dtype)

    def _box(self, index):
        """The box that an index means, and what is left of the index for the box's own array."""
        index = list(index) if isinstance(index, tuple) else [index]
        rank = len(self.shape)
        if any(one is Ellipsis for one in index):
            place = next(n for n, one in enumerate(index) if one is Ellipsis)
            index[place:place + 1] = [slice(None)] * (rank - len(index) + 1)
        index += [slice(None)] * (rank - len(index))
        if len(index) > rank:
            raise Error(f"field '{self.name}' is indexed {len(index)} times", f"it has {rank} axes")
        ends, left = self._ends(), []
        if self.components > 1:
            left.append(index.pop(0))
        for a, one in enumerate(index):
            low, high = ends[a], ends[3 + a]
            if isinstance(one, slice):
                first, last, stride = one.indices(high - low)
                if stride != 1:
                    raise Error(f"field '{self.name}' is indexed with a stride", "boxes have none",
                                "take u.numpy()[::2]")
                ends[a], ends[3 + a] = low + first, low + max(first, last)
                left.append(slice(None))
            else:
                number = operator.index(one)
                number += high - low if number < 0 else 0
                if not 0 <= number < high - low:
                    raise Error(f"field '{self.name}' has no index {one} along {'xyz'[a]}",
                                f"it has {high - low} values there")
                ends[a], ends[3 + a] = low + number, low + number + 1
                left.append(0)
        return ends, tuple(left)

    def __getitem__(self, index):
        """A copy of part of the values: u[3, :, 2], v[0, 1:4], u[...]."""
        ends, left = self._box(index)
        dense, shown = self._array(ends)
        if shown.size:
            call("field_copy_out", self, _library.integers(ends), ctypes.c_void_p(dense.ctypes.data))
        return shown[left]

    def __setitem__(self, index, values):
        """u[...] = array; u[3, :, 2] = 0; v[0] = 1. Numbers and arrays are cast to the field's type."""
        ends, left = self._box(index)
        dense, shown = self._array(ends)
        if not shown.size:
            return
        is_part = self.components > 1 and left[0] != slice(None)
        if is_part:
            call("field_copy_out", self, _library.integers(ends), ctypes.c_void_p(dense.ctypes.data))
        target = shown[left] if any(one != 0 for one in left) or shown.ndim == 0 else shown
        try:
            target[...] = np.asarray(values)
        except ValueError as error:
            raise Error(f"field '{self.name}' cannot be set", str(error)) from None
        call("field_copy_in", self, _library.integers(ends), ctypes.c_void_p(dense.ctypes.data))

    def fill(self, values):
        """A number; an array of all values; or a function of the positions, arrays x, y, z of the
        values' places (as many as the grid has axes) that are broadcast against each other. It is
        called for one box of some MiB after another, of this process's cells, and returns an array or
        a number; of several components a sequence of them.
        """
        if callable(values):
            function = _library.box_action(lambda ends, address: self._fill_box(values, ends, address))
            call("field_fill_boxes", self, function)
        elif isinstance(values, (int, float, np.number)):
            call("field_fill", self, float(values))
        else:
            self[...] = values
        return self

    def _fill_box(self, function, ends, address):
        nx, ny, nz = (ends[3 + a] - ends[a] for a in range(3))
        size = self.components * nx * ny * nz * self.dtype.itemsize
        memory = (ctypes.c_ubyte * size).from_address(address)
        dense = np.frombuffer(memory, self.dtype).reshape(self.components, nz, ny, nx)
        positions = []
        for a in range(self.grid.dimensions):
            shape = [1] * self.grid.dimensions
            shape[a] = -1
            positions.append(self.positions("xyz"[a], ends[a], ends[3 + a]).reshape(shape))
        made = function(*positions)
        shown = self._shown(dense)
        if self.components == 1:
            shown[...] = made
        else:
            if len(made) != self.components:
                raise Error(f"field '{self.name}' has {self.components} components",
                            f"the function that fills it returns {len(made)}")
            for c, one in enumerate(made):
                shown[c] = one

    def positions(self, axis, first=None, last=None):
        """Coordinates of the values along "x", "y" or "z"."""
        a = AXES[one_of("axis", axis, tuple(AXES))]
        ends = self._ends()
        first, last = ends[a] if first is None else first, ends[3 + a] if last is None else last
        at_face = {"face": axis in self.location[4:], "edge": axis not in self.location[4:],
                   "node": True, "cell": False}[self.location[:4]]
        offset = 0.0 if at_face else 0.5
        return self.grid.origin[a] + (np.arange(first, last) + offset) * self.grid.spacing[a]

    def sum(self, component=0):
        """Of all values of a component, exact before it is rounded: the same on any devices."""
        return self._reduced(0, component)

    def minimum(self, component=0):
        return self._reduced(1, component)

    def maximum(self, component=0):
        return self._reduced(2, component)

    def _reduced(self, what, component):
        return _library.number_of(ctypes.c_double, "field_reduce", self, what,
                                  operator.index(component))

    def checksum(self):
        """64 bits of all values, the same however the grid is cut: equal ones mean equal bits."""
        return _library.number_of(ctypes.c_uint64, "field_checksum", self)

    def __repr__(self):
        size = " x ".join(map(str, self.shape))
        return f"Field({self.name!r}, {self.type}, {size})"


