"""Simulations: what a run does beside its steps."""

from __future__ import annotations

import dataclasses
import json
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Callable, Optional, Tuple, Union

import numpy as np

from goban import _library
from goban._arguments import checked
from goban._library import Handle, call
from goban.errors import Error, one_of, refuse
from goban.field import AXES, Field
from goban.grid import Grid
from goban.parameter import Condition, Parameter
from goban.program import Program

# A field, or a field and its unit; a position along as many axes as the grid has.
Shown = Union[Field, Tuple[Field, str]]
Position = Union[float, Sequence[float]]


@checked
def schedule(every: Optional[int] = None, every_time: Optional[float] = None,
             seconds: Optional[float] = None, minutes: Optional[float] = None,
             hours: Optional[float] = None,
             at: Union[int, float, Sequence[Union[int, float]], None] = None, at_end: bool = False,
             automatically: bool = False):
    """When something happens, by any of these together: `every` so many steps, `every_time` of
    simulated time, `seconds`, `minutes` or `hours` of wall time, `at` steps (whole numbers) or
    simulated times, `at_end`; checkpoints `automatically`.
    """
    when = {}
    if every is not None:
        when["every"] = every
    if every_time is not None:
        when["every_time"] = every_time
    wall = [n * unit for n, unit in ((seconds, 1), (minutes, 60), (hours, 3600)) if n is not None]
    if wall:
        when["seconds"] = float(min(wall))
    if at is not None:
        moments = at if isinstance(at, list) else [at]
        if all(isinstance(moment, int) for moment in moments):
            when["at_steps"] = moments
        else:
            when["at_times"] = list(map(float, moments))
    if at_end:
        when["at_end"] = True
    if automatically:
        when["automatically"] = True
    if not when:
        raise Error("something of a simulation never happens", "it has no schedule",
                    "write every=100, every_time=0.1, minutes=5, at=[1, 10] or at_end=True")
    return when


@dataclasses.dataclass(frozen=True)
class Report:
    """What a run did. `exit_code`: 0, or 75 where it was stopped early with a good checkpoint:
    sys.exit(simulation.run().exit_code) tells a batch system so.
    """

    exit_code: int
    first_step: int
    last_step: int
    time: float
    wall_seconds: float
    loop_seconds: float
    ended_by: str
    restarted: bool
    unwritten: int

    @property
    def finished(self) -> bool:
        return self.exit_code == 0


@dataclasses.dataclass(frozen=True)
class Column:
    """One number of a series."""

    of: str
    field: Field
    component: int = 0
    position: tuple = (0.0, 0.0, 0.0)
    unit: str = ""


@checked
def sum_of(field: Field, component: int = 0, unit: str = ""):
    """Over all values of a component."""
    return Column("sum", field, component, unit=unit)


@checked
def mean_of(field: Field, component: int = 0, unit: str = ""):
    return Column("mean", field, component, unit=unit)


@checked
def minimum_of(field: Field, component: int = 0, unit: str = ""):
    return Column("minimum", field, component, unit=unit)


@checked
def maximum_of(field: Field, component: int = 0, unit: str = ""):
    return Column("maximum", field, component, unit=unit)


@checked
def value_at(field: Field, position: Position, component: int = 0, unit: str = ""):
    """The value of the cell that holds the position."""
    return Column("value", field, component, _position(field.grid, position), unit)


@checked
def interpolated_at(field: Field, position: Position, component: int = 0, unit: str = ""):
    """Linear between the nearest cells."""
    return Column("interpolated", field, component, _position(field.grid, position), unit)


def _position(grid, position):
    """Of three coordinates: along axes that the grid has not, the middle of its one cell."""
    position = tuple(position) if isinstance(position, list) else (position,)
    if len(position) != grid.dimensions:
        refuse(f"the position {position} is refused", f"the grid has {grid.dimensions} axes")
    return position + tuple(grid.origin[a] + 0.5 * grid.spacing[a]
                            for a in range(grid.dimensions, 3))


# What a series shows.
Shows = Union[Column, Parameter, Tuple[Parameter, str], Tuple[str, str, Callable]]


class _Objects:
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


def _json(value):
    """What JSON has for it: null for NaN and infinity, lists for arrays."""
    if isinstance(value, Mapping):
        return {str(key): _json(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_json(one) for one in value]
    if isinstance(value, (np.ndarray, np.generic)):
        return _json(value.tolist())
    if isinstance(value, Parameter):
        return _json(value.value)
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value


def _results(made):
    if not isinstance(made, Mapping):
        raise TypeError("the function of results() returns a dict of what it found by name, not "
                        f"{type(made).__name__}")
    return json.dumps(_json(made))


class Simulation:
    """One run of one program. Everything it is to do is said first, then run(); calls return the
    simulation, so that they chain. Files go to `directory`, out/<name> if it is not given.

    steps, end: when it ends, by steps or simulated time; dt: simulated time a step, a number or a
    Parameter; dt_limit: a Parameter that is set to the time until the next moment of a schedule, by
    compute() into dt a step that ends there; measure_bandwidth: what the memory copies is measured
    for the report, once a machine;
    restart: "newest" or a step; nan_check: steps between looks for NaN. Others as in C++
    (docs/api.md, simulation/options.hpp).
    """

    @checked
    def __init__(self, grid: Grid, program: Program, steps: Optional[int] = None,
                 end: Optional[float] = None, dt: Union[float, Parameter] = 1.0,
                 dt_limit: Optional[Parameter] = None, directory: Union[str, os.PathLike] = "",
                 name: str = "", title: str = "", restart: Union[str, int, None] = None,
                 allow_changes: bool = False, max_time: Optional[float] = None,
                 nan_check: int = 100, repeat_check: int = 0,
                 case_values: Optional[Mapping[str, Any]] = None, length_unit: str = "",
                 time_unit: str = "", advice_on_divergence: Optional[str] = None,
                 measure_bandwidth: bool = True, if_unwritable: str = "stop"):
        one_of("if_unwritable =", if_unwritable, ("stop", "warn"))
        is_parameter = isinstance(dt, Parameter)
        options = {
            "steps": steps, "end": end, "dt": None if is_parameter else dt,
            "directory": str(directory), "name": name, "title": title,
            "restart": None if restart is None else str(restart), "allow_changes": allow_changes,
            "max_time": max_time, "nan_check": nan_check, "repeat_check": repeat_check,
            "case_values": {key: str(value) for key, value in (case_values or {}).items()},
            "length_unit": length_unit, "time_unit": time_unit,
            "advice_on_divergence": advice_on_divergence, "measure_bandwidth": measure_bandwidth,
            "warn_of_files": if_unwritable == "warn"}
        self._grid, self._kept = grid, [grid, program, dt, dt_limit]
        self._handle = Handle("simulation", "simulation", grid, program.handle(),
                              json.dumps(options), dt if is_parameter else None, dt_limit,
                              others=self._kept)

    def _output(self, kind, objects, options, when):
        options["when"] = schedule(**when)
        call("simulation_output", self._handle, kind, json.dumps(options), objects.all)
        self._kept += objects.all
        return self

    @checked
    def output(self, fields: Union[Shown, Sequence[Shown]], name: str = "", **when):
        """Snapshots of whole fields: output([u, (v, "m/s")], every=100)."""
        objects = _Objects()
        options = {"fields": objects.fields(fields), "name": name}
        return self._output("output", objects, options, when)

    @checked
    def bodies(self, bodies: Bodies, **when):
        """Bodies as VTK PolyData, <name>_bodies.0000100.vtp; all pictures of the run show them."""
        objects = _Objects()
        return self._output("bodies", objects, {"object": objects.add(bodies)}, when)

    @checked
    def picture(self, field: Shown, axis: str = "z", position: Optional[float] = None,
                index: Optional[int] = None, component: int = 0, magnitude: bool = False,
                range: Optional[Tuple[float, float]] = None, one_range: bool = True,
                colors: str = "", outline: Optional[Shown] = None, mask: Optional[Shown] = None,
                mask_value: Optional[float] = None, format: str = "png",
                vertical_exaggeration: float = 1.0, pixels_per_cell: int = 0,
                smooth: bool = False, title: str = "", name: str = "", **when):
        """A slice across an axis as a picture: format "png", "svg" or "pdf"."""
        objects = _Objects()
        options = {"shown": objects.field(field), "axis": AXES[one_of("axis", axis, tuple(AXES))],
                   "position": position, "index": index, "component": component,
                   "magnitude": magnitude, "range": range, "one_range": one_range, "colors": colors,
                   "format": one_of("format", format, ("png", "svg", "pdf")),
                   "mask_value": mask_value, "vertical_exaggeration": vertical_exaggeration,
                   "pixels_per_cell": pixels_per_cell, "smooth": smooth, "title": title,
                   "name": name}
        if outline is not None:
            options["outline"] = objects.field(outline)
        if mask is not None:
            options["mask"] = objects.field(mask)
        return self._output("picture", objects, options, when)

    @checked
    def series(self, name: str, columns: Sequence[Shows], **when):
        """Numbers over time as CSV: series("energy", [sum_of(u), dt, ("e", "J", function)],
        every=10). A function takes nothing and returns a number.
        """
        objects = _Objects()
        columns = [objects.column(one) for one in columns]
        return self._output("series", objects, {"columns": columns, "name": name}, when)

    @checked
    def probe(self, fields: Union[Shown, Sequence[Shown]], positions: Sequence[Position], **when):
        """Fields at points over time as CSV, interpolated between cells."""
        objects = _Objects()
        places = [_position(self._grid, one) for one in positions]
        return self._output("probe", objects, {"fields": objects.fields(fields),
                                               "positions": places}, when)

    @checked
    def line(self, name: str, fields: Union[Shown, Sequence[Shown]], start: Position,
             end: Position, points: int = 0, **when):
        """Fields along a line as CSV, interpolated."""
        objects = _Objects()
        return self._output("line", objects, {"fields": objects.fields(fields), "name": name,
                                              "from": _position(self._grid, start),
                                              "to": _position(self._grid, end),
                                              "points": points}, when)

    @checked
    def plane(self, name: str, fields: Union[Shown, Sequence[Shown]], axis: str = "z",
              position: Optional[float] = None, **when):
        """Fields on a plane across an axis as a snapshot of one layer, interpolated."""
        objects = _Objects()
        return self._output("plane", objects, {"fields": objects.fields(fields), "name": name,
                                               "axis": AXES[one_of("axis", axis, tuple(AXES))],
                                               "position": position}, when)

    @checked
    def statistics(self, field: Shown, start: float = 0.0, **when):
        """Mean, variance, minimum and maximum of every cell, from the simulated time `start` on."""
        objects = _Objects()
        return self._output("statistics", objects,
                            {"shown": objects.field(field), "from": start}, when)

    @checked
    def averages(self, name: str, fields: Union[Shown, Sequence[Shown]], axis: str = "z",
                 covariances: Sequence[Tuple[str, str]] = (), start: float = 0.0, **when):
        """Profiles along an axis, averaged over planes and time: means, variances and covariances
        of pairs, [("u", "v")].
        """
        objects = _Objects()
        return self._output("averages", objects, {"fields": objects.fields(fields), "name": name,
                                                  "axis": AXES[one_of("axis", axis, tuple(AXES))],
                                                  "covariances": list(covariances),
                                                  "from": start}, when)

    @checked
    def checkpoint(self, keep: int = 2, archive_every: int = 0, last: bool = True,
                   background: bool = False, compress: bool = False, mtbf: float = 0.0, **when):
        """Saves the state, from which a run goes on with the same bits: checkpoint(minutes=5).
        `keep`: of the newest; `last`: one more when the run is over. Signals save one in any run.
        """
        options = {"keep": keep, "archive_every": archive_every, "at_end": last,
                   "background": background, "compress": compress, "mtbf": mtbf,
                   "when": schedule(**when)}
        call("simulation_checkpoint", self._handle, json.dumps(options))
        return self

    @checked
    def keep(self, parameter: Parameter):
        """State that checkpoints need and the program does not show."""
        self._kept.append(parameter)
        call("simulation_keep", self._handle, parameter)
        return self

    def progress(self):
        """Banner, live line and report on the terminal."""
        call("simulation_progress", self._handle)
        return self

    @checked
    def stop_when(self, condition: Condition, check_every: int,
                  check: Optional[Program] = None) -> Simulation:
        """Ends the run when the condition holds, stop_when(residual < 1e-6, 100, program): looked
        at every so many steps, after one run of the program `check`.
        """
        self._kept += [condition, check]
        call("simulation_stop_when", self._handle, condition.parameter, condition.is_less,
             condition.bound, check_every, check.handle() if check is not None else None)
        return self

    @checked
    def on(self, function: Callable, **when) -> Simulation:
        """Calls function(step, time, wall): it looks, and changes nothing."""
        called = _library.clock_action(function)
        self._kept.append(called)
        call("simulation_on", self._handle, json.dumps(schedule(**when)), called)
        return self

    @checked
    def adjust(self, function: Callable, every: int = 1) -> Simulation:
        """Calls function(step, time, wall) before anything looks at the state: it may change it."""
        called = _library.clock_action(function)
        self._kept.append(called)
        call("simulation_adjust", self._handle, every, called)
        return self

    @checked
    def derive(self, program: Program):
        """Fields and parameters that are computed from others only when something shows them."""
        self._kept.append(program)
        call("simulation_derive", self._handle, program.handle())
        return self

    @checked
    def results(self, function: Callable, units: Optional[Mapping[str, str]] = None) -> Simulation:
        """Numbers of your own in summary.json: the function returns a dict of them when the run is
        over; NaN and infinity are null there. What it raises is raised by run(), which has written
        all else by then.
        """
        called = _library.text_function(lambda: _results(function()))
        self._kept.append(called)
        call("simulation_results", self._handle, called, json.dumps(units or {}))
        return self

    def run(self) -> Report:
        """Runs to the end; may be called once. Returns a Report. Ctrl-C and other signals save a
        checkpoint and stop, as in programs of C++.
        """
        sys.stdout.flush()
        return Report(**json.loads(_library.text_of("simulation_run", self._handle)))

    @checked
    def rehearse(self, steps: int):
        """Goes through what a run computes and makes no files: for GPUs that are not there
        (rehearse_gpus), whose kernels it has compiled and kept. What it computes is lost.
        """
        call("simulation_rehearse", self._handle, steps)

    def dry_run(self) -> str:
        """What it would do, as text; makes no files."""
        return _library.text_of("simulation_dry_run", self._handle)

    def describe(self) -> str:
        """Footprints, halos, the schedule chosen and why, as text."""
        return _library.text_of("simulation_describe", self._handle)
