"""Figures of fields, and of what goban.open() reads, by matplotlib; isosurfaces by pyvista."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Optional, Union

import numpy as np

from goban._arguments import checked
from goban.errors import one_of, refuse
from goban.field import Field

__all__ = ["contour", "isosurface", "profile", "slice", "streamlines"]
Array = np.ndarray[Any, Any]


class _Values(NamedTuple):
    """One number a place, along the axes that there are."""

    name: str
    unit: str
    axes: str  # "xy"
    positions: list[Array]
    array: Array

    def along(self, axis: Optional[str], position: Optional[float]) -> _Values:
        """Those of the plane across an axis that is nearest to the position; its middle if None.
        What has two axes is a plane already.
        """
        if len(self.axes) == 2 and axis is None:
            return self
        n = self.axes.index(one_of("axis", "z" if axis is None else axis, tuple(self.axes)))
        places = self.positions[n]
        index = len(places) // 2 if position is None else int(np.abs(places - position).argmin())
        return _Values(self.name, self.unit, self.axes[:n] + self.axes[n + 1:],
                       self.positions[:n] + self.positions[n + 1:], self.array.take(index, n))


def _shown(of: Any, component: Union[int, str], step: int) -> _Values:
    """`component`: a number, or "magnitude"; `step`: which of the snapshots, -1: the last."""
    if isinstance(of, Field):
        name, unit, axes = of.name, "", "xyz"[:of.grid.dimensions]
        positions, array = [of.positions(axis) for axis in axes], of.numpy()
        array = array if of.components > 1 else array[None]
    elif hasattr(of, "dims"):
        of = of.isel(time=step) if "time" in of.dims else of
        axes = "".join(sorted(one[0] for one in of.dims if one[0] in "xyz"))
        names = [next(one for one in of.dims if one[0] == axis) for axis in axes]
        others = [one for one in of.dims if one not in names]
        name, unit = str(of.name), of.attrs.get("units", "")
        positions = [np.asarray(of[one]) for one in names]
        array = np.asarray(of.transpose(*others, *names))
        array = array if others else array[None]
    else:
        refuse(f"{type(of).__name__} cannot be shown", "it is neither a field nor an array of "
               "xarray", 'pass u, or goban.open("out/run").u')
    is_long = [len(places) > 1 for places in positions]  # planes on disk have a third axis
    array = array.reshape(len(array), *(len(places) for places in positions if len(places) > 1))
    axes = "".join(axis for axis, keeps in zip(axes, is_long) if keeps)
    positions = [places for places, keeps in zip(positions, is_long) if keeps]
    if component == "magnitude":
        return _Values(f"|{name}|", unit, axes, positions, np.sqrt((array**2).sum(axis=0)))
    if not isinstance(component, int) or not 0 <= component < len(array):
        refuse(f"component {component!r} of '{name}' cannot be shown",
               f"it has {len(array)}, counted from 0", 'or write component="magnitude"')
    shown = name if len(array) == 1 else f"{name}[{component}]"
    return _Values(shown, unit, axes, positions, array[component])


def _plane(of: Any, axis: Optional[str], position: Optional[float], component: Union[int, str],
           step: int) -> _Values:
    values = _shown(of, component, step)
    if len(values.axes) < 2:
        refuse(f"'{values.name}' has no planes", f"it has {len(values.axes)} axes of several values",
               "take goban.plot.profile")
    return values.along(axis, position)


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot
    except ImportError:
        refuse("matplotlib is not here", "goban.plot draws with it", "pip install matplotlib")
    return matplotlib.pyplot.gca()


def _label(ax: Any, plane: _Values) -> Any:
    ax.set(xlabel=plane.axes[0], ylabel=plane.axes[1], aspect="equal")
    return ax


def _quantity(values: _Values) -> str:
    return f"{values.name} ({values.unit})" if values.unit else values.name


@checked
def slice(of: Any, axis: Optional[str] = None, position: Optional[float] = None,
          component: Union[int, str] = 0, step: int = -1, ax: Any = None, colorbar: bool = True,
          **options: Any) -> Any:
    """A plane in colours: of a field, or of an array of goban.open(), whose snapshot `step` it is.
    Across an `axis` ("z" in three dimensions), through the values nearest to `position`, or in the
    middle. `component`: a number, or "magnitude". Others are those of matplotlib's pcolormesh, which
    makes what is returned; `ax`: where it is drawn, the current axes if it is not given.

    >>> mesh = goban.plot.slice(u, cmap="inferno")  # doctest: +SKIP
    """
    plane = _plane(of, axis, position, component, step)
    ax = _label(_axes(ax), plane)
    mesh = ax.pcolormesh(*plane.positions, plane.array.T, **{"shading": "nearest", **options})
    if colorbar:
        ax.figure.colorbar(mesh, ax=ax, label=_quantity(plane))
    return mesh


@checked
def contour(of: Any, axis: Optional[str] = None, position: Optional[float] = None,
            component: Union[int, str] = 0, step: int = -1, ax: Any = None, **options: Any) -> Any:
    """Lines of equal values on a plane, as slice() has it: levels=[0.5], colors="k" and others are
    those of matplotlib's contour.

    >>> lines = goban.plot.contour(u, levels=[0.5])  # doctest: +SKIP
    """
    plane = _plane(of, axis, position, component, step)
    return _label(_axes(ax), plane).contour(*plane.positions, plane.array.T, **options)


@checked
def profile(of: Any, axis: str = "x", through: Optional[Sequence[float]] = None,
            component: Union[int, str] = 0, step: int = -1, ax: Any = None, **options: Any) -> Any:
    """Values along an axis as a curve: those nearest to the line `through` positions on the other
    axes, one for each, (y, z); their mean over the planes across the axis if it is not given.

    >>> curve = goban.plot.profile(u, "y", through=[8.0])  # doctest: +SKIP
    """
    values = _shown(of, component, step)
    others = values.axes.replace(one_of("axis", axis, tuple(values.axes)), "")
    quantity = _quantity(values)
    if through is None:
        quantity = f"mean of {quantity}" if others else quantity
        line = values.array.mean(axis=tuple(map(values.axes.index, others)))
        values = values._replace(positions=[values.positions[values.axes.index(axis)]], array=line)
    elif len(through) != len(others):
        refuse(f"a line through {list(through)} is refused", f"'{values.name}' has "
               f"{len(others)} other axes", f"give positions on {', '.join(others)}")
    else:
        for other, position in zip(others, through):
            values = values.along(other, position)
    ax = _axes(ax)
    ax.set(xlabel=axis, ylabel=quantity)
    return ax.plot(values.positions[0], values.array, **options)[0]


def _onto(places: Array, values: _Values, n: int) -> Array:
    """The values of a plane at other places along one of its axes, linear between its own."""
    def line(row: Array) -> Array:
        return np.interp(places, values.positions[n], row)
    return np.apply_along_axis(line, n, values.array)


@checked
def streamlines(velocity: Any, axis: Optional[str] = None, position: Optional[float] = None,
                step: int = -1, ax: Any = None, **options: Any) -> Any:
    """Lines along a velocity on a plane, as slice() has it: of a field of as many components as the
    grid has axes, or of a list of fields, (u, v, w), also where they lie on faces. density=2 and
    others are those of matplotlib's streamplot.

    >>> lines = goban.plot.streamlines(velocity, density=2)  # doctest: +SKIP
    """
    parts = velocity if isinstance(velocity, (list, tuple)) else None
    shown = _plane(parts[0] if parts else velocity, axis, position, 0, step)
    numbers = ["xyz".index(one) for one in shown.axes]
    if parts and len(parts) <= max(numbers):
        refuse(f"{len(parts)} fields are no velocity", f"the plane has the axes {shown.axes}",
               "give a field for each axis: [u, v, w]")
    a, b = (_plane(parts[n], axis, position, 0, step) if parts else
            _plane(velocity, axis, position, n, step) for n in numbers)
    x, y = b.positions[0], a.positions[1]  # the middle of cells, where parts lie on their faces
    return _label(_axes(ax), shown).streamplot(x, y, _onto(x, a, 0).T, _onto(y, b, 1).T, **options)


@checked
def isosurface(of: Any, values: Union[float, Sequence[float]], component: Union[int, str] = 0,
               step: int = -1) -> Any:
    """The surfaces in space on which a field has these values, as pyvista.PolyData:
    isosurface(u, 0.5).plot() shows them, .save("u.vtp") keeps them for ParaView.

    >>> goban.plot.isosurface(u, 0.5).plot()  # doctest: +SKIP
    """
    shown = _shown(of, component, step)
    if len(shown.axes) != 3:
        refuse(f"'{shown.name}' has no surfaces", f"it has {len(shown.axes)} axes",
               "take goban.plot.contour")
    try:
        import pyvista
    except ImportError:
        refuse("pyvista is not here", "it makes isosurfaces", "pip install pyvista")
    grid = pyvista.RectilinearGrid(*shown.positions)
    grid[shown.name] = shown.array.ravel(order="F")
    return grid.contour(values if isinstance(values, list) else [values], scalars=shown.name)
