"""Values of cells at every step, traces of points off the grid, and sources there."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Callable, Union

import numpy as np

from goban import _library
from goban._arguments import checked
from goban._functors import site as place_of_cell
from goban._library import Handle, call
from goban.errors import refuse
from goban.field import Field
from goban.functions import select
from goban.grid import Grid
from goban.parameter import Parameter

if TYPE_CHECKING:
    from goban.program import Program

Array = np.ndarray[Any, Any]
Point = Union[float, Sequence[float]]


class Samples(Handle):
    """Values of some cells at every step: they stay where they are computed, several steps of them,
    and come to the host together. What was taken belongs to the script, not to checkpoints.

    >>> samples = goban.Samples(grid)
    >>> corner = samples.add(u.fill(1), (0, 0), (2, 1))
    >>> program = goban.Program("add")
    >>> stage = program.apply(lambda u: u.__setitem__(..., u() + 1), u)
    >>> engine = goban.Engine(program.sample(samples)).run(3)
    >>> samples.steps.tolist(), samples.values(corner)[:, 0, 0].tolist()
    ([1, 2, 3], [2.0, 3.0, 4.0])
    """

    @checked
    def __init__(self, grid: Grid) -> None:
        super().__init__("samples", "samples", grid, others=[grid])
        self.grid, self._parts = grid, []
        self._steps, self._times = np.zeros(0, np.int64), np.zeros(0)
        self._records = []

    @checked
    def add(self, field: Field, lower: Sequence[int], upper: Sequence[int]) -> int:
        """Takes the cells lower <= (i, j, k) < upper, too, from before the first step on; returns a
        number by which values() finds them.

        >>> goban.Samples(grid).add(u, (0, 0), (4, 4))
        0
        """
        if len(lower) != self.grid.dimensions or len(upper) != self.grid.dimensions:
            refuse(f"the box from {lower} to {upper} is refused",
                   f"the grid has {self.grid.dimensions} axes")
        more = 3 - self.grid.dimensions
        ends, first = [*lower, *[0] * more, *upper, *[1] * more], ctypes.c_int64()
        call("samples_add", self, field, _library.integers(ends), ctypes.byref(first))
        self.others.append(field)
        shape = [b - a for a, b in zip(lower, upper)][::-1]
        if field.components > 1:
            shape.insert(0, field.components)
        self._parts.append((first.value, np.dtype(field.dtype), tuple(shape), field.components))
        return len(self._parts) - 1

    def _take(self):
        size = (ctypes.c_int64 * 2)()
        call("samples_size", self, ctypes.byref(size))
        count, length = size
        if count == 0:
            return
        steps, times = np.empty(count, np.int64), np.empty(count)
        values = np.empty((count, length), np.uint8)
        call("samples_take", self, steps.ctypes.data, times.ctypes.data, values.ctypes.data)
        self._steps = np.concatenate([self._steps, steps])
        self._times = np.concatenate([self._times, times])
        self._records.append(values)

    @property
    def steps(self) -> Array:
        """Steps done when each was taken, that of which it is among them.

        >>> goban.Samples(grid).steps.size
        0
        """
        self._take()
        return self._steps

    @property
    def times(self) -> Array:
        """Simulated times then.

        >>> goban.Samples(grid).times.size
        0
        """
        self._take()
        return self._times

    @checked
    def values(self, part: int = 0) -> Array:
        """All that were taken: (sample, x, y, z), of several components (sample, component, x, y,
        z).

        >>> samples = goban.Samples(grid)
        >>> samples.values(samples.add(u, (0, 0), (4, 2))).shape
        (0, 4, 2)
        """
        self._take()
        if not 0 <= part < len(self._parts):
            refuse(f"there is no part {part}", f"{len(self._parts)} were added, counted from 0")
        if len(self._records) > 1:
            self._records = [np.concatenate(self._records)]
        return self._of_records(self._records[0] if self._records else np.empty((0, 0), np.uint8),
                                part)

    def _of_records(self, records, part):
        first, kind, shape, components = self._parts[part]
        length = kind.itemsize * math.prod(shape)
        taken = np.ascontiguousarray(records[:, first:first + length])
        values = taken.view(kind).reshape(len(records), *shape)
        axes = len(shape) - (components > 1)  # x is fastest in memory
        kept = list(range(values.ndim - axes))
        return values.transpose(kept + list(range(values.ndim - 1, values.ndim - 1 - axes, -1)))


def _cells_around(field, point):
    """The first of the cells whose values lie around a point, along each axis, and the weight of
    the second: values are linear between them and, in the half cell at an edge, those there."""
    grid = field.grid
    point = (point,) if isinstance(point, (int, float)) else tuple(point)
    if len(point) != grid.dimensions:
        refuse(f"the position {point} is refused", f"the grid has {grid.dimensions} axes")
    around = []
    for a, x in enumerate(point):
        last = field.shape[-grid.dimensions + a] - 1
        offset = 0.0 if field.is_staggered("xyz"[a]) else 0.5
        place = (x - grid.origin[a]) / grid.spacing[a]
        if not 0 <= place <= grid.cells[a]:
            refuse(f"the position {point} is refused",
                   f"it lies outside of the grid along {'xyz'[a]}")
        place = min(max(place - offset, 0.0), float(last))
        low = min(int(place), max(last - 1, 0))
        around.append((low, place - low, min(low + 1, last)))
    return around


class Receivers:
    """Traces of a field at points off the grid: its values at every step, linear between cells.

    >>> waves = goban.Receivers(u.fill(lambda x, y: x), [(3.25, 8.0), (9.0, 2.0)])
    >>> engine = goban.Engine(waves.add_record(goban.Program("look"))).run(2)
    >>> waves.traces.tolist()
    [[3.25, 9.0], [3.25, 9.0]]
    """

    @checked
    def __init__(self, field: Field, points: Sequence[Point]) -> None:
        self.field, self.samples, self._parts = field, Samples(field.grid), []
        for point in points:
            around = _cells_around(field, point)
            part = self.samples.add(field, [low for low, _, _ in around],
                                    [high + 1 for _, _, high in around])
            self._parts.append((part, [np.array([1 - w, w][:high - low + 1])
                                       for low, w, high in around]))

    @checked
    def add_record(self, program: Program) -> Program:
        """Appends that values are taken.

        >>> program = goban.Receivers(u, [(1.0, 2.0)]).add_record(program)
        """
        return program.sample(self.samples)

    @property
    def times(self) -> Array:
        """Simulated times of the traces.

        >>> goban.Receivers(u, [(1.0, 2.0)]).times.size
        0
        """
        return self.samples.times

    @property
    def traces(self) -> Array:
        """(sample, point), of several components (sample, point, component).

        >>> goban.Receivers(u, [(1.0, 2.0)]).traces.shape
        (0, 1)
        """
        return self._of_parts(self.samples.values)

    def _of_parts(self, values_of):
        columns = []
        for part, weights in self._parts:
            values = values_of(part)
            for weight in reversed(weights):
                values = values @ weight
            columns.append(values)
        return np.stack(columns, axis=1)

    @checked
    def objective(self, function: Callable[..., Any]) -> ObjectiveOfTraces:
        """For an Adjoint, a number that depends on the traces of a run: the function gets them and
        returns it and, with the shape of the traces, its derivatives. Each run of the adjoint has
        traces of its own, which `traces` does not show.

        >>> def loudness(traces):
        ...     return (traces**2).sum(), 2 * traces
        >>> pond = goban.Receivers(u, [(3.25, 8.0), (9.0, 2.0)])
        >>> step = goban.Program("pond")
        >>> stage = step.apply(lambda u: u.__setitem__(..., u() / 2), u.fill(4))
        >>> adjoint = goban.Adjoint(pond.add_record(step), pond.objective(loudness), [u])
        >>> value, (of_u,) = adjoint.value_and_gradient(2)
        >>> value, float(of_u.sum())
        (10.0, 5.0)
        """
        return ObjectiveOfTraces(self, function)


class ObjectiveOfTraces:
    """What Receivers.objective makes of a function, for an Adjoint."""

    def __init__(self, receivers: Receivers, function: Callable[..., Any]) -> None:
        self.samples, self._receivers, self._function = receivers.samples, receivers, function

    def value_of(self, count, values, derivatives):
        """Of records that lie behind each other; fills in derivatives with respect to cells."""
        first, kind, shape, _ = self.samples._parts[-1]
        length = -(-(first + kind.itemsize * math.prod(shape)) // 8) * 8
        records = np.frombuffer(ctypes.string_at(values, count * length), np.uint8)
        records = records.reshape(count, length)
        traces = self._receivers._of_parts(lambda part: self.samples._of_records(records, part))
        value, of_traces = self._function(traces)
        of_traces = np.asarray(of_traces, np.float64)
        if of_traces.shape != traces.shape:
            refuse(f"derivatives of shape {of_traces.shape} are refused",
                   f"the traces have {traces.shape}")
        blocks = []
        for point, (_, weights) in enumerate(self._receivers._parts):
            block = of_traces[:, point]
            for weight in reversed(weights):  # x is fastest
                block = block[..., None] * weight
            blocks.append(block.reshape(count, -1))
        made = np.concatenate(blocks, axis=1)
        ctypes.memmove(derivatives, made.ctypes.data, made.nbytes)
        return value


@checked
def inject(program: Program, field: Field, points: Sequence[Point],
           amplitudes: Sequence[Union[float, Parameter]], component: int = 0) -> Program:
    """Appends that each amplitude is added to the values around its point, the counterpart of what
    Receivers read: the parts of the cells add up to it. A Parameter that follows the simulated time
    (Program.follow) is a wavelet.

    >>> loud, program = goban.Parameter("loud", 2), goban.Program("source")
    >>> engine = goban.Engine(goban.inject(program, u.fill(0), [(3.25, 8.0)], [loud])).run(5)
    >>> u.sum()
    10.0
    """
    if len(points) != len(amplitudes):
        refuse(f"{len(points)} points have {len(amplitudes)} amplitudes", "", "give each one")
    if not 0 <= component < field.components:
        refuse(f"component {component} is refused", f"there are {field.components}, from 0 on")
    axes = "xyz"[:field.grid.dimensions]

    def add_source(u, site, amplitude, **around):
        share = 1.0
        for axis in axes:
            is_second = site.index(axis) != around["low_" + axis]
            share = share * select(is_second, around["weight_" + axis],
                                   around["other_" + axis])
        u[component] += amplitude * share
    for point, amplitude in zip(points, amplitudes):
        around = _cells_around(field, point)
        numbers = {}
        for axis, (low, weight, _) in zip(axes, around):
            numbers.update({"low_" + axis: low, "weight_" + axis: float(weight),
                            "other_" + axis: float(1 - weight)})
        stage = program.apply(add_source, field, place_of_cell, amplitude=amplitude, **numbers)
        stage.over([low for low, _, _ in around], [high + 1 for _, _, high in around])
    return program
