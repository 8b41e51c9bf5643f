"""Bodies suspended in a fluid."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

from goban import _library
from goban._arguments import checked
from goban._library import Handle, call
from goban.errors import refuse
from goban.grid import Grid

_NUMBERS = 13


def _rows(name, given, count, width):
    """The array of so many rows, any number if `count` is None."""
    try:
        array = np.asarray(given, float)
    except (TypeError, ValueError):
        array = np.full((), np.nan)
    if array.size == 0 and not count:
        return array.reshape(0, width)
    if array.ndim != 2 or array.shape[1] != width or count not in (None, len(array)):
        refuse(f"{name} of bodies are refused",
               f"they are an array with a row of {width} numbers for each body")
    return array


class Bodies(Handle):
    """Ellipsoids that a fluid carries and that push it, in lattice units (docs/particles.md):
    program.couple(bodies, velocity, force) puts them into a step.

    `viscosity`: of the fluid, from which their frictions follow. `repulsion`: its strength, up to
    0.12 `width` nodes between surfaces. `gravity`: acceleration of what they are heavier than the
    fluid. `wall_strength`: how much nodes without fluid push them away.

    >>> fluid = goban.Grid((24, 24, 24))
    >>> len(goban.Bodies(fluid, (3, 3, 1.5), viscosity=0.1).pack(0.05)) > 0
    True
    """

    @checked
    def __init__(self, grid: Grid, semi_axes: Sequence[float], viscosity: float,
                 density: float = 1.0, repulsion: float = 0.0, width: float = 1.0,
                 gravity: Sequence[float] = (0.0, 0.0, 0.0),
                 wall_strength: float = 0.0) -> None:
        for name, three in ("semi_axes", semi_axes), ("gravity", gravity):
            if len(three) != 3:
                refuse(f"{name} = {three} is refused", "there are three")
        options = {"semi_axes": list(semi_axes), "viscosity": viscosity, "density": density,
                   "repulsion": repulsion, "width": width, "gravity": list(gravity),
                   "wall_strength": wall_strength}
        super().__init__("bodies", "bodies", grid, _library.options_text(options), others=[grid])

    @checked
    def place(self, positions: Any, quaternions: Any = None, velocities: Any = None,
              rotations: Any = None) -> Bodies:
        """Where they are, arrays with a row for each body: positions in nodes from the lower corner
        of the grid; quaternions, real part first, that turn their axes; velocities and angular
        velocities.

        >>> fluid = goban.Grid((24, 24, 24))
        >>> two = goban.Bodies(fluid, (2, 2, 1), viscosity=0.1).place([(6, 6, 6), (12, 12, 12)])
        >>> len(two)
        2
        """
        positions = _rows("positions", positions, None, 3)
        all = np.zeros((len(positions), _NUMBERS))
        all[:, 0:3], all[:, 3] = positions, 1
        for first, name, width, given in ((3, "quaternions", 4, quaternions),
                                          (7, "velocities", 3, velocities),
                                          (10, "rotations", 3, rotations)):
            if given is not None:
                all[:, first:first + width] = _rows(name, given, len(positions), width)
        call("bodies_place", self, len(all), _library.doubles(all.ravel()))
        return self

    @checked
    def pack(self, hematocrit: float, seed: int = 1) -> Bodies:
        """Places as many as fill this part of the grid, of active cells where it has these, at
        random and without overlap.

        >>> fluid = goban.Grid((24, 24, 24))
        >>> cells = goban.Bodies(fluid, (3, 3, 1.5), viscosity=0.1).pack(0.05, seed=7)
        """
        call("bodies_pack", self, hematocrit, seed)
        return self

    def __len__(self) -> int:
        return _library.number_of(ctypes.c_int64, "bodies_count", self)

    def _all(self, first, width):
        all = np.empty((len(self), _NUMBERS))
        call("bodies_all", self, all.ctypes.data)
        return all[:, first:first + width].copy()

    @property
    def positions(self) -> np.ndarray[Any, Any]:
        """A row for each body, on every rank; in nodes."""
        return self._all(0, 3)

    @property
    def quaternions(self) -> np.ndarray[Any, Any]:
        """How their axes are turned, real part first."""
        return self._all(3, 4)

    @property
    def velocities(self) -> np.ndarray[Any, Any]:
        """In nodes a step."""
        return self._all(7, 3)

    @property
    def rotations(self) -> np.ndarray[Any, Any]:
        """Angular velocities, in radians a step."""
        return self._all(10, 3)

    @checked
    def hematocrit(self, lower: Optional[Sequence[int]] = None,
                   upper: Optional[Sequence[int]] = None) -> float:
        """The part of the cells lower <= (i, j, k) < upper whose middle lies in a body; of the grid
        if no box is given.

        >>> fluid = goban.Grid((24, 24, 24))
        >>> bool(goban.Bodies(fluid, (3, 3, 1.5), viscosity=0.1).pack(0.1).hematocrit() > 0.05)
        True
        """
        if (lower is None) != (upper is None) or (lower is not None
                                                  and (len(lower) != 3 or len(upper) != 3)):
            refuse("a hematocrit is refused", "its box has two ends, three numbers each")
        ends = None if lower is None else _library.integers([*lower, *upper])
        return _library.number_of(ctypes.c_double, "bodies_hematocrit", self, ends)
