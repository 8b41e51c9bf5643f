"""Fields: values on a grid, and their arrays."""

from __future__ import annotations

import ctypes
import json
import operator
from typing import Optional

import numpy as np

from goban import _library
from goban._arguments import ElementType, checked, stored
from goban._library import Handle, call
from goban.boundary import Boundary, BoundaryCondition, sides_of
from goban.errors import Error, one_of, refuse

AXES = {"x": 0, "y": 1, "z": 2}
SIDES = {"low": 0, "high": 1}
TYPES = ("float32", "float64", "float16", "int32", "uint8")
LOCATIONS = ("cell", "face_x", "face_y", "face_z", "edge_x", "edge_y", "edge_z", "node")


class Field(Handle):
    """Values of every cell (or face, edge, node: `location`): `components` numbers of type float32,
    float64, float16 (computed in float32), int32 or uint8; NumPy's types stand for theirs.

    In arrays the axes are (x, y, z), those of the grid that it has; several components come before
    them: (component, x, y, z). Arrays lie in the memory of the host, with x fastest; fields lie
    where they are computed, so that every access copies. Under mpirun each is that of the whole
    field, and all processes make it together; own() has the part of one process.
    """

    @checked
    def __init__(self, grid: Grid, name: str, type: ElementType = "float64", components: int = 1,
                 location: str = "cell", layout: str = "ijk", boundary: Optional[Boundary] = None,
                 in_place: bool = False):
        self.grid, self.name, self.components = grid, name, components
        self.type = one_of("field of type", type, TYPES)
        self.location = one_of("location", location, LOCATIONS)
        self.layout = one_of("layout", layout, ("ijk", "kij"))
        self.in_place = in_place
        if not 1 <= self.components < 2**31:
            raise Error(f"{components} components are refused", "a field has at least one")
        options = {"name": name, "type": type, "components": self.components,
                   "location": location, "layout": layout, "in_place": self.in_place,
                   "is_intermediate": False}
        conditions = [] if boundary is None else sides_of(boundary, grid.dimensions)
        grid.others += conditions
        sides = [condition.handle() for condition in conditions] or None
        super().__init__("field", "field", grid, json.dumps(options), sides, others=[grid])

    @checked
    def like(self, name: str) -> Field:
        """Another field of the same kind and with the same boundary conditions; of a field in
        place, what it becomes in a step.
        """
        other = Field.__new__(Field)
        for what in ("grid", "components", "type", "location", "layout", "in_place"):
            setattr(other, what, getattr(self, what))
        other.name = name
        Handle.__init__(other, "field", "field_like", self, name, others=[self.grid])
        return other

    @checked
    def boundary(self, axis: str, side: str, condition: BoundaryCondition,
                 component: Optional[int] = None) -> Field:
        """Sets the condition on one side ("low", "high"), of all components or of one."""
        one_of("axis", axis, tuple(AXES)[:self.grid.dimensions])
        one_of("side", side, tuple(SIDES))
        if component is not None and component < 0:
            refuse(f"component {component} is refused", "they are counted from 0")
        call("field_boundary", self, AXES[axis], SIDES[side],
             -1 if component is None else component, condition.handle())
        self.grid.others.append(condition)
        return self

    @checked
    def inactive(self, condition: BoundaryCondition) -> Field:
        """Of a grid with active cells: what functors read of a neighbour that is not active; at
        first goban.mirror, the value of the cell itself. In arrays such cells hold 0.
        """
        call("field_inactive", self, condition.handle())
        self.grid.others.append(condition)
        return self

    @property
    def dtype(self) -> np.dtype:
        return np.dtype(self.type)

    def _ends(self):
        ends = (ctypes.c_int64 * 6)()
        call("field_domain", self, ends)
        return list(ends)

    @property
    def shape(self) -> tuple[int, ...]:
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

    def _copy(self, how, ends, dense):
        call("field_" + how, self, _library.integers(ends), dense.ctypes.data)

    def numpy(self) -> np.ndarray:
        """A copy of all values, as an array of the host: axes as this class says."""
        dense, shown = self._array(self._ends())
        self._copy("copy_out", self._ends(), dense)
        return shown

    def own(self) -> list[tuple[tuple, tuple, np.ndarray]]:
        """What this process computes: a list of (lower, upper, array), the array with the values of
        the cells lower <= (i, j, k) < upper. Without mpirun all of the field, in one part or more.
        """
        count = ctypes.c_int64()
        call("field_own", self, None, 0, ctypes.byref(count))
        ends = (ctypes.c_int64 * (6 * max(1, count.value)))()
        call("field_own", self, ends, count.value, ctypes.byref(count))
        parts = []
        for n in range(count.value):
            box = ends[6 * n:6 * n + 6]
            dense, shown = self._array(box)
            self._copy("copy_out_own", box, dense)
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
            self._copy("copy_out", ends, dense)
        return shown[left]

    def __setitem__(self, index, values):
        """u[...] = array; u[3, :, 2] = 0; v[0] = 1. Numbers and arrays are cast to the field's
        type, which has to hold them.
        """
        ends, left = self._box(index)
        dense, shown = self._array(ends)
        if not shown.size:
            return
        if self.components > 1 and left[0] != slice(None):
            self._copy("copy_out", ends, dense)
        self._assign(shown[(*left, ...)], values)
        self._copy("copy_in", ends, dense)

    def _assign(self, target, values):
        try:
            target[...] = stored(values, self.dtype, f"field '{self.name}'")
        except ValueError as error:
            refuse(f"field '{self.name}' cannot be set", str(error))

    def fill(self, values) -> Field:
        """A number; an array of all values; or a function of the positions, arrays x, y, z of the
        values' places (as many as the grid has axes) that are broadcast against each other. It is
        called for one box of some MiB after another, of this process's cells, and returns an array
        or a number; of several components a sequence of them.
        """
        if callable(values):
            def fill_box(ends, address):
                self._fill_box(values, ends, address)
            call("field_fill_boxes", self, _library.box_action(fill_box))
        elif isinstance(values, (int, float, np.number)):
            call("field_fill", self, float(stored(values, self.dtype, f"field '{self.name}'")))
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
            return self._assign(shown, made)
        count = len(made) if isinstance(made, (tuple, list, np.ndarray)) else 1
        if count != self.components:
            refuse(f"field '{self.name}' has {self.components} components",
                   f"the function that fills it returns {'nothing' if made is None else count}")
        for c, one in enumerate(made):
            self._assign(shown[c, ...], one)

    @checked
    def positions(self, axis: str, first: Optional[int] = None, last: Optional[int] = None):
        """Coordinates of the values along "x", "y" or "z"."""
        a = AXES[one_of("axis", axis, tuple(AXES))]
        ends = self._ends()
        first, last = ends[a] if first is None else first, ends[3 + a] if last is None else last
        at_face = {"face": axis in self.location[4:], "edge": axis not in self.location[4:],
                   "node": True, "cell": False}[self.location[:4]]
        offset = 0.0 if at_face else 0.5
        return self.grid.origin[a] + (np.arange(first, last) + offset) * self.grid.spacing[a]

    @checked
    def sum(self, component: int = 0) -> float:
        """Of all values of a component, exact before it is rounded: the same on any devices."""
        return self._reduced(0, component)

    @checked
    def minimum(self, component: int = 0) -> float:
        """NaN if there is one among the values."""
        return self._reduced(1, component)

    @checked
    def maximum(self, component: int = 0) -> float:
        return self._reduced(2, component)

    def _reduced(self, what, component):
        return _library.number_of(ctypes.c_double, "field_reduce", self, what, component)

    def checksum(self) -> int:
        """64 bits of all values, the same however the grid is cut: equal ones mean equal bits."""
        return _library.number_of(ctypes.c_uint64, "field_checksum", self)

    __iter__ = None  # values are taken by indices, or all of them

    def __repr__(self):
        size = " x ".join(map(str, self.shape))
        return f"Field({self.name!r}, {self.type}, {size})"
