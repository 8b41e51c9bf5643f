"""Fields: values on a grid, and their arrays."""

from __future__ import annotations

import ctypes
import json
from typing import Any, Optional

import numpy as np

from goban import _library
from goban._arguments import ElementType, checked, stored
from goban._arrays import ArrayLike, is_basic, span_of
from goban._library import Handle, call
from goban.boundary import Boundary, BoundaryCondition, sides_of
from goban.datasets import data_array
from goban.errors import Error, one_of, refuse
from goban.storage import place_of
from goban.view import View, as_array, views_of

Array = np.ndarray[Any, Any]
AXES = {"x": 0, "y": 1, "z": 2}
SIDES = {"low": 0, "high": 1}
TYPES = ("float32", "float64", "float16", "int32", "uint8")
LOCATIONS = ("cell", "face_x", "face_y", "face_z", "edge_x", "edge_y", "edge_z", "node")


class FieldIndexError(Error, IndexError):
    """An index that a field does not have."""


class Field(Handle, ArrayLike):
    """Values of every cell (or face, edge, node: `location`): `components` numbers of type float32,
    float64, float16 (computed in float32), int32 or uint8; NumPy's types stand for theirs.

    In arrays the axes are (x, y, z), those of the grid that it has; several components come before
    them: (component, x, y, z). Arrays lie in the memory of the host, with x fastest; fields lie
    where they are computed, so that every access copies, but for view(). Under mpirun each is that
    of the whole field, and all processes make it together; own() has the part of one process.

    `storage`: an array, of zeros() or with as much memory around its values, that is the memory of
    the field from now on, with the values that it has; the grid is not cut.

    NumPy's functions, operators and indices take a field for its array: np.sum(u), u + 1, u[::2],
    u[u > 0] = 0.

    >>> u.fill(lambda x, y: x + y).maximum()
    31.0
    >>> np.sum(u[::2] > 15), (u + 1).shape
    (64, (16, 16))
    """

    @checked
    def __init__(self, grid: Grid, name: str, type: ElementType = "float64", components: int = 1,
                 location: str = "cell", layout: str = "ijk", boundary: Optional[Boundary] = None,
                 in_place: bool = False, storage: Any = None) -> None:
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
        if storage is not None:
            place = place_of(storage, name, self.shape, self.dtype, components)
            call("field_place", self, _library.integers(place))
            grid.others.append(storage)

    @checked
    def like(self, name: str) -> Field:
        """Another field of the same kind and with the same boundary conditions; of a field in
        place, what it becomes in a step.

        >>> u.like("other").dtype
        dtype('float64')
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
        """Sets the condition on one side ("low", "high"), of all components or of one.

        >>> wall = goban.Grid((16, 16), boundary=goban.mirror).field("w")
        >>> wall = wall.boundary("x", "low", goban.constant(1))
        """
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
        """Sets what functors read of a neighbour that is not active, on a grid of active cells; at
        first goban.mirror, the value of the cell itself. In arrays such cells hold 0.

        >>> some = goban.Grid((8, 8), active=np.eye(8) == 1).field("s").inactive(goban.constant(0))
        """
        call("field_inactive", self, condition.handle())
        self.grid.others.append(condition)
        return self

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of its values."""
        return np.dtype(self.type)

    def _ends(self):
        ends = (ctypes.c_int64 * 6)()
        call("field_domain", self, ends)
        return list(ends)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array that numpy() returns."""
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

    def numpy(self) -> Array:
        """A copy of all values, as an array of the host: axes as this class says.

        >>> u.fill(2).numpy().mean()
        2.0
        """
        dense, shown = self._array(self._ends())
        self._copy("copy_out", self._ends(), dense)
        return shown

    def own(self) -> list[tuple[tuple[int, ...], tuple[int, ...], Array]]:
        """What this process computes: a list of (lower, upper, array), the array with the values of
        the cells lower <= (i, j, k) < upper. Without mpirun all of the field, in one part or more.

        >>> [(lower, upper) for lower, upper, array in u.own()]
        [((0, 0, 0), (16, 16, 1))]
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

    @checked
    def view(self, writable: bool = False) -> View:
        """The memory of the field where it is computed, without a copy: of a field that is one
        patch, as it is on one CPU or GPU. Of one that is `writable` ghosts are made anew before
        they are read next. The view ends when a program is next run on the grid.

        >>> with u.fill(2).view() as a:
        ...     print(a.shape, np.mean(a))
        (16, 16) 2.0
        """
        views = self.views(writable)
        ends = self._ends()
        if len(views) != 1 or [*views[0].lower, *views[0].upper] != ends:
            refuse(f"field '{self.name}' has no view as a whole",
                   f"this process has {len(views)} of its patches", "take u.views(), or u.numpy()")
        return views[0]

    @checked
    def views(self, writable: bool = False) -> list[View]:
        """The same for each patch of this process; `lower` and `upper` of a view are its box. All
        processes call it together where views are writable.

        >>> [(view.lower, view.upper) for view in u.views()]
        [((0, 0, 0), (16, 16, 1))]
        """
        return views_of(self, Handle("views", "field_views", self, writable), writable)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.view().__dlpack_device__()

    def __dlpack__(self, **options: Any) -> Any:
        """That of a writable view: whoever takes it may write."""
        return self.view(writable=True).__dlpack__(**options)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        try:
            is_on_gpu = self.view().stream is not None
        except Error as error:
            raise AttributeError(str(error)) from None
        if not is_on_gpu:
            raise AttributeError(f"field '{self.name}' is in the host's memory")
        self._lent = self.view(writable=True)  # who takes the address keeps the field alone
        return self._lent.__cuda_array_interface__

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> Array:
        """A copy; with copy=False the memory itself, read only: see view()."""
        if copy is False:
            return self.view().__array__(dtype, False)
        return as_array(self.numpy(), dtype, None)

    def _values(self) -> Array:
        return self.numpy()

    def _box(self, index):
        """The box that an index means, and what is left of the index for the box's own array."""
        index, rank = list(index), self.ndim
        if any(one is Ellipsis for one in index):
            place = next(n for n, one in enumerate(index) if one is Ellipsis)
            index[place:place + 1] = [slice(None)] * (rank - len(index) + 1)
        index += [slice(None)] * (rank - len(index))
        if len(index) > rank:
            raise FieldIndexError(f"field '{self.name}' is indexed {len(index)} times",
                                  f"it has {rank} axes")
        ends, left = self._ends(), []
        for n, one in enumerate(index):
            extent, a = self.shape[n], n - rank + self.grid.dimensions
            try:
                first, last, rest = span_of(one, extent)
            except IndexError:
                where = f"along {'xyz'[a]}" if a >= 0 else "of its components"
                raise FieldIndexError(f"field '{self.name}' has no index {one} {where}",
                                      f"it has {extent} values there") from None
            left.append(rest if a >= 0 else one)
            if a >= 0:
                ends[a], ends[3 + a] = ends[a] + first, ends[a] + last
        return ends, tuple(left)

    def __getitem__(self, index: Any) -> Any:
        """A copy of part of the values: u[3, :, 2], v[0, 1:4], u[::2], u[u > 0], u[...]."""
        index = index if isinstance(index, tuple) else (index,)
        if not is_basic(index):
            return self.numpy()[index]
        ends, left = self._box(index)
        dense, shown = self._array(ends)
        if shown.size:
            self._copy("copy_out", ends, dense)
        return shown[left]

    def __setitem__(self, index: Any, values: Any) -> None:
        """u[...] = array; u[3, :, 2] = 0; v[0] = 1; u[u < 0] = 0. Numbers and arrays are cast to
        the field's type, which has to hold them.
        """
        index = index if isinstance(index, tuple) else (index,)
        ends, left = self._box(index) if is_basic(index) else (self._ends(), index)
        dense, shown = self._array(ends)
        if not shown.size:
            return
        is_whole = is_basic(index) and all(one in (0, slice(None)) for one in left) and \
            (self.components == 1 or left[0] == slice(None))
        if not is_whole:
            self._copy("copy_out", ends, dense)  # some values stay
        self._assign(shown, left, values)
        self._copy("copy_in", ends, dense)

    def _assign(self, array, index, values):
        try:
            array[index] = stored(values, self.dtype, f"field '{self.name}'")
        except (ValueError, IndexError) as error:
            refuse(f"field '{self.name}' cannot be set", str(error))

    def fill(self, values: Any) -> Field:
        """A number; an array of all values; or a function of the positions, arrays x, y, z of the
        values' places (as many as the grid has axes) that are broadcast against each other. It is
        called for one box of some MiB after another, of this process's cells, and returns an array
        or a number; of several components a sequence of them.

        >>> u.fill(lambda x, y: x * y)[3, 4]
        15.75
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
            return self._assign(shown, ..., made)
        count = len(made) if isinstance(made, (tuple, list, np.ndarray)) else 1
        if count != self.components:
            refuse(f"field '{self.name}' has {self.components} components",
                   f"the function that fills it returns {'nothing' if made is None else count}")
        for c, one in enumerate(made):
            self._assign(shown, (c, ...), one)

    @checked
    def is_staggered(self, axis: str) -> bool:
        """Whether values lie on faces across the axis, not in the middle between them.

        >>> goban.Grid((4, 4)).field("u", location="face_x").is_staggered("x")
        True
        """
        return {"face": axis in self.location[4:], "edge": axis not in self.location[4:],
                "node": True, "cell": False}[self.location[:4]]

    def to_xarray(self) -> Any:
        """A copy of all values as xarray.DataArray, with their coordinates.

        >>> u.to_xarray().sel(x=3.5, y=2.5).item()  # doctest: +SKIP
        15.75
        """
        return data_array(self)

    @checked
    def positions(self, axis: str, first: Optional[int] = None,
                  last: Optional[int] = None) -> Array:
        """Coordinates of the values along "x", "y" or "z".

        >>> goban.Grid(4, spacing=0.5).field("u").positions("x")
        array([0.25, 0.75, 1.25, 1.75])
        """
        a = AXES[one_of("axis", axis, tuple(AXES))]
        ends = self._ends()
        first, last = ends[a] if first is None else first, ends[3 + a] if last is None else last
        offset = 0.0 if self.is_staggered(axis) else 0.5
        return self.grid.origin[a] + (np.arange(first, last) + offset) * self.grid.spacing[a]

    @checked
    def sum(self, component: int = 0) -> float:
        """Returns the sum of all values of a component, exact before it is rounded: the same on
        any devices.

        >>> u.fill(1).sum()
        256.0
        """
        return self._reduced(0, component)

    @checked
    def minimum(self, component: int = 0) -> float:
        """NaN if there is one among the values.

        >>> u.fill(1).minimum()
        1.0
        """
        return self._reduced(1, component)

    @checked
    def maximum(self, component: int = 0) -> float:
        """NaN if there is one among the values.

        >>> u.fill(1).maximum()
        1.0
        """
        return self._reduced(2, component)

    def _reduced(self, what, component):
        return _library.number_of(ctypes.c_double, "field_reduce", self, what, component)

    def checksum(self) -> int:
        """64 bits of all values, the same however the grid is cut: equal ones mean equal bits.

        >>> u.fill(1).checksum() == next.fill(1).checksum()
        True
        """
        return _library.number_of(ctypes.c_uint64, "field_checksum", self)

    def _repr_png_(self) -> Optional[bytes]:
        """What notebooks show: the middle plane across the last axis, of the first component."""
        if min(self.shape[-self.grid.dimensions:][:2]) < 2 or self.grid.dimensions < 2:
            return None
        memory, size = ctypes.c_void_p(), ctypes.c_int64()
        call("field_picture", self, 2, ctypes.byref(memory), ctypes.byref(size))
        return ctypes.string_at(memory, size.value)

    def __repr__(self) -> str:
        size = " x ".join(map(str, self.shape))
        return f"Field({self.name!r}, {self.type}, {size})"
