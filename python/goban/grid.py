"""Runtimes and grids."""

from __future__ import annotations

import ctypes
import json
import sys
from collections.abc import Sequence
from typing import Any, Optional, Union

import numpy as np

from goban import _library
from goban._arguments import ElementType, checked
from goban._library import Handle, call
from goban.boundary import Boundary, periodic, sides_of
from goban.errors import Error
from goban.field import Field

# What Runtime takes for an option.
Setting = Union[bool, int, float, str, Sequence[Union[int, float, str]]]

_runtimes = []  # they live as long as the script, as grids refer to them


class Runtime(Handle):
    """The cores, GPUs and ranks that a script runs on. Settings are those of --goban-* options with
    underscores, as in Runtime(threads=2, devices="cuda:0,1"); without any of them the options are
    taken out of sys.argv and the variables GOBAN_*. Scripts that need no settings of their own need
    no Runtime: the first grid makes one.

    >>> two = goban.Grid((16, 16), runtime=goban.Runtime(threads=2))
    """

    @checked
    def __init__(self, **settings: Setting) -> None:
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

    def __str__(self) -> str:
        return _library.text_of("runtime_description", self)

    def _ranks(self):
        rank, count = ctypes.c_int64(), ctypes.c_int64()
        call("runtime_ranks", self, ctypes.byref(rank), ctypes.byref(count))
        return rank.value, count.value

    @property
    def rank(self) -> int:
        """Number of this process among those that mpirun has started, from 0."""
        return self._ranks()[0]

    @property
    def ranks(self) -> int:
        """How many processes there are."""
        return self._ranks()[1]


def _setting(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    return ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


def runtime() -> Runtime:
    """The runtime of grids that name none: made of the command line when it is first asked for.

    >>> goban.runtime().rank, goban.runtime().ranks
    (0, 1)
    """
    return _runtimes[0] if _runtimes else Runtime()


_usual_runtime = runtime  # where a parameter has its name


@checked
def rehearse_gpus(capability: int, count: int = 1) -> None:
    """Before the first grid: this process has so many GPUs of an architecture (90) that are not
    there, so that Simulation.rehearse() compiles the kernels of a script for them.

    >>> goban.rehearse_gpus(90)  # doctest: +SKIP
    """
    call("rehearse_gpus", capability, count)


def has_other_ranks() -> bool:
    return any(one.ranks > 1 for one in _runtimes)


def three(values: Any, missing: Any, what: str) -> tuple[Any, ...]:
    """A number for each axis of a space that has three."""
    values = (values,) if isinstance(values, (int, float)) else tuple(values)
    if not 1 <= len(values) <= 3:
        raise Error(f"{what} = {values} is refused", "there are three axes")
    return values + (missing,) * (3 - len(values))


def _along_axes(values, missing, what):
    """One number is that of all axes."""
    return three((values,) * 3 if isinstance(values, float) else values, missing, what)


class Grid(Handle):
    """Cells of a box: `cells` (nx, ny, nz), (nx, ny) for a plane or nx for a line, `spacing` a
    length for all axes or one for each, `origin` the lower corner of the first cell, `boundary`
    what is beyond its edges: one condition, or one for each axis, or (low, high) of an axis.
    `active`: an array of as many truth values, with axes as those of fields: the cells that there
    are; the others take no memory and are not computed.

    >>> plate = goban.Grid((120, 80), spacing=0.01, boundary=goban.wall_value(0))
    >>> plate.cells, plate.dimensions
    ((120, 80, 1), 2)
    """

    @checked
    def __init__(self, cells: Union[int, Sequence[int]],
                 spacing: Union[float, Sequence[float]] = 1.0,
                 origin: Union[float, Sequence[float]] = 0.0, boundary: Boundary = periodic,
                 runtime: Optional[Runtime] = None,
                 active: Optional[np.ndarray[Any, Any]] = None) -> None:
        self.runtime = runtime or _usual_runtime()
        self.dimensions = 1 if isinstance(cells, int) else len(cells)
        self.cells = three(cells, 1, "cells")
        self.spacing = _along_axes(spacing, 1.0, "spacing")
        self.origin = _along_axes(origin, 0.0, "origin")
        conditions = sides_of(boundary, self.dimensions)
        sides = [condition.handle() for condition in conditions]
        self.edges = [(axis, side) for n, axis in enumerate("xyz") for m, side in
                      enumerate(("low", "high")) if conditions[2 * n + m] is not periodic]
        mask = None if active is None else self._mask(active)
        super().__init__("grid", "grid", self.runtime, _library.integers(self.cells),
                         _library.doubles(self.spacing), _library.doubles(self.origin), sides,
                         None if mask is None else mask.ctypes.data,
                         others=[self.runtime, *conditions])

    def _mask(self, active):
        """A byte for every cell, x fastest."""
        shape = self.cells[:self.dimensions]
        if active.shape != shape:
            raise Error("the active cells are refused",
                        f"their array has shape {active.shape}, the grid has {shape} cells")
        return np.ascontiguousarray((active != 0).T.astype(np.uint8))

    @checked
    def coarsened(self, ratio: Union[int, Sequence[int]] = 2) -> Grid:
        """A grid of the same family over the same region, with 1 or 2 cells of this one along each
        axis in place of each of its own.

        >>> grid.coarsened().cells
        (8, 8, 1)
        """
        ratio = three((ratio,) * self.dimensions if isinstance(ratio, int) else ratio, 1, "ratio")
        coarse = Grid.__new__(Grid)
        coarse.runtime, coarse.dimensions = self.runtime, self.dimensions
        coarse.origin, coarse.edges = self.origin, self.edges
        Handle.__init__(coarse, "grid", "grid_coarsened", self, _library.integers(ratio),
                        others=[self])
        coarse.cells = tuple(n // r for n, r in zip(self.cells, ratio))
        coarse.spacing = tuple(h * r for h, r in zip(self.spacing, ratio))
        return coarse

    def field(self, name: str, type: ElementType = "float64", components: int = 1,
              location: str = "cell", layout: str = "ijk", boundary: Optional[Boundary] = None,
              in_place: bool = False, storage: Any = None) -> Field:
        """A named quantity on this grid; see Field.

        >>> goban.Grid((4, 4)).field("v", "float32", components=2)
        Field('v', float32, 2 x 4 x 4)
        """
        return Field(self, name, type, components, location, layout, boundary, in_place, storage)
