"""Simulations: what a run does beside its steps."""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Callable

from goban import _library
from goban._library import Handle, call
from goban.errors import Error, one_of
from goban.field import AXES, Field
from goban.parameter import Condition, Parameter


def schedule(every=None, every_time=None, seconds=None, minutes=None, hours=None, at=None,
             at_end=False, automatically=False):
    """When something happens, by any of these together: `every` so many steps, `every_time` of
    simulated time, `seconds`, `minutes` or `hours` of wall time, `at` steps (whole numbers) or
    simulated times, `at_end`; checkpoints `automatically`.
    """
    when = {}
    if every is not None:
        when["every"] = int(every)
    if every_time is not None:
        when["every_time"] = float(every_time)
    wall = [n * unit for n, unit in ((seconds, 1), (minutes, 60), (hours, 3600)) if n is not None]
    if wall:
        when["seconds"] = float(min(wall))
    if at is not None:
        moments = list(at) if isinstance(at, (list, tuple)) else [at]
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
    field: object = None
    component: int = 0
    position: tuple = (0.0, 0.0, 0.0)
    unit: str = ""


def sum_of(field, component=0, unit=""):
    """Over all values of a component."""
    return Column("sum", field, component, unit=unit)


def mean_of(field, component=0, unit=""):
    return Column("mean", field, component, unit=unit)


def minimum_of(field, component=0, unit=""):
    return Column("minimum", field, component, unit=unit)


def maximum_of(field, component=0, unit=""):
    return Column("maximum", field, component, unit=unit)


def value_at(field, position, component=0, unit=""):
    """The value of the cell that holds the position."""
    return Column("value", field, component, _position(position), unit)


def interpolated_at(field, position, component=0, unit=""):
    """Linear between the nearest cells."""
    return Column("interpolated", field, component, _position(position), unit)


def _position(position):
    position = tuple(map(float, position))
    return position + (0.0,) * (3 - len(position))


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
        if not isinstance(field, Field):
            raise Error(f"{field!r} cannot be shown", "it is no field")
        return {"field": self.add(field), "unit": unit}

    def fields(self, given):
        given = [given] if isinstance(given, (Field, tuple)) else given
        return [self.field(one) for one in given]

    def column(self, given):
        """A Column, a parameter, or (name, unit, function)."""
        if isinstance(given, Parameter):
            return {"of": "parameter", "object": self.add(given)}
        if isinstance(given, tuple) and len(given) == 2 and isinstance(given[0], Parameter):
            return {"of": "parameter", "object": self.add(given[0]), "unit": given[1]}
        if isinstance(given, tuple) and len(given) == 3 and callable(given[2]):
            function = _library.number_function(given[2])
            return {"of": "function", "object": self.add(function), "name": given[0],
                    "unit": given[1]}
        if isinstance(given, Column):
            return {"of": given.of, "component": given.component, "position": given.position,
                    **self.field((given.field, given.unit))}
        raise Error(f"{given!r} is no column of a series", "",
                    'write goban.sum_of(u), a parameter, or ("name", "unit", function)')

    def array(self):
        return _library.pointers([one if isinstance(one, Handle) else _library.address_of(one)
                                  for one in self.all])


class Simulation:
    """One run of one program. Everything it is to do is said first, then run(); calls return the
    simulation, so that they chain. Files go to `directory`, out/<name> if it is not given.

    steps, end: when it ends, by steps or simulated time; dt: simulated time a step, a number or a
    Parameter; dt_limit: a Parameter that is set to the time until the next moment of a schedule;
    restart: "newest" or a step; nan_check: steps between looks for NaN. Others as in C++
    (docs/api.md, simulation/options.hpp).
    """

    def __init__(self, grid, program, steps=None, end=None, dt=1.0, dt_limit=None, directory="",
                 name="", title="", restart=None, allow_changes=False, max_time=None, nan_check=100,
                 repeat_check=0, case_values=None, length_unit="", time_unit="",
                 advice_on_divergence=None, measure_bandwidth=True, if_unwritable="stop"):
        one_of("if_unwritable =", if_unwritable, ("stop", "warn"))
        is_parameter = isinstance(dt, Parameter)
        options = {
            "steps": steps, "end": end, "dt": None if is_parameter else float(dt),
            "directory": str(directory), "name": name, "title": title,
            "restart": None if restart is None else str(restart), "allow_changes": allow_changes,
            "max_time": max_time, "nan_check": nan_check, "repeat_check": repeat_check,
            "case_values": {key: str(value) for key, value in (case_values or {}).items()},
            "length_unit": length_unit, "time_unit": time_unit,
            "advice_on_divergence": advice_on_divergence, "measure_bandwidth": measure_bandwidth,
            "warn_of_files": if_unwritable == "warn"}
        self._kept = [grid, program, dt, dt_limit]
        self._handle = Handle("simulation", "simulation", grid, program.handle(),
                              json.dumps(options), dt if is_parameter else None, dt_limit,
                              others=self._kept)

    def _output(self, kind, objects, options, when):
        options["when"] = schedule(**when)
        call("simulation_output", self._handle, kind, json.dumps(options), objects.array())
        self._kept += objects.all
        return self

    def output(self, fields, name="", **when):
        """Snapshots of whole fields: output([u, (v, "m/s")], every=100)."""
        objects = _Objects()
        options = {"fields": objects.fields(fields), "name": name}
        return self._output("output", objects, options, when)

    def picture(self, field, axis="z", position=None, index=None, component=0, magnitude=False,
                range=None, one_range=True, colors="", outline=None, pixels_per_cell=0,
                smooth=False, title="", name="", **when):
        """A slice across an axis as PNG."""
        objects = _Objects()
        options = {"shown": objects.field(field), "axis": AXES[one_of("axis", axis, tuple(AXES))],
                   "position": position, "index": index, "component": component,
                   "magnitude": magnitude, "range": range, "one_range": one_range, "colors": colors,
                   "pixels_per_cell": pixels_per_cell, "smooth": smooth, "title": title,
                   "name": name}
        if outline is not None:
            options["outline"] = objects.field(outline)
        return self._output("picture", objects, options, when)

    def series(self, name, columns, **when):
        """Numbers over time as CSV: series("energy", [sum_of(u), dt, ("e", "J", function)],
        every=10). A function takes nothing and returns a number.
        """
        objects = _Objects()
        columns = [objects.column(one) for one in columns]
        return self._output("series", objects, {"columns": columns, "name": name}, when)

    def probe(self, fields, positions, **when):
        """Fields at points over time as CSV, interpolated between cells."""
        objects = _Objects()
        return self._output("probe", objects, {"fields": objects.fields(fields),
                                               "positions": list(map(_position, positions))}, when)

    def line(self, name, fields, start, end, points=0, **when):
        """Fields along a line as CSV, interpolated."""
        objects = _Objects()
        return self._output("line", objects, {"fields": objects.fields(fields), "name": name,
                                              "from": _position(start), "to": _position(end),
                                              "points": points}, when)

    def plane(self, name, fields, axis="z", position=None, **when):
        """Fields on a plane across an axis as a snapshot of one layer, interpolated."""
        objects = _Objects()
        return self._output("plane", objects, {"fields": objects.fields(fields), "name": name,
                                               "axis": AXES[one_of("axis", axis, tuple(AXES))],
                                               "position": position}, when)

    def statistics(self, field, start=0.0, **when):
        """Mean, variance, minimum and maximum of every cell, from the simulated time `start` on."""
        objects = _Objects()
        return self._output("statistics", objects,
                            {"shown": objects.field(field), "from": float(start)}, when)

    def averages(self, name, fields, axis="z", covariances=(), start=0.0, **when):
        """Profiles along an axis, averaged over planes and time: means, variances and covariances
        of pairs, [("u", "v")].
        """
        objects = _Objects()
        return self._output("averages", objects, {"fields": objects.fields(fields), "name": name,
                                                  "axis": AXES[one_of("axis", axis, tuple(AXES))],
                                                  "covariances": list(covariances),
                                                  "from": float(start)}, when)

    def checkpoint(self, keep=2, archive_every=0, last=True, background=False, compress=False,
                   mtbf=0.0, **when):
        """Saves the state, from which a run goes on with the same bits: checkpoint(minutes=5).
        `keep`: of the newest; `last`: one more when the run is over. Signals save one in any run.
        """
        options = {"keep": keep, "archive_every": archive_every, "at_end": last,
                   "background": background, "compress": compress, "mtbf": mtbf,
                   "when": schedule(**when)}
        call("simulation_checkpoint", self._handle, json.dumps(options))
        return self

    def keep(self, parameter):
        """State that checkpoints need and the program does not show."""
        self._kept.append(parameter)
        call("simulation_keep", self._handle, parameter)
        return self

    def progress(self):
        """Banner, live line and report on the terminal."""
        call("simulation_progress", self._handle)
        return self

    def stop_when(self, condition: Condition, check_every: int, check=None) -> Simulation:
        """Ends the run when the condition holds, stop_when(residual < 1e-6, 100, program): looked
        at every so many steps, after one run of the program `check`.
        """
        if not isinstance(condition, Condition):
            raise Error("stop_when takes a condition", "", "write parameter < 1e-6")
        self._kept += [condition, check]
        call("simulation_stop_when", self._handle, condition.parameter, condition.is_less,
             condition.bound, check_every, check.handle() if check is not None else None)
        return self

    def on(self, function: Callable, **when) -> Simulation:
        """Calls function(step, time, wall): it looks, and changes nothing."""
        called = _library.clock_action(function)
        self._kept.append(called)
        call("simulation_on", self._handle, json.dumps(schedule(**when)), called)
        return self

    def adjust(self, function: Callable, every: int = 1) -> Simulation:
        """Calls function(step, time, wall) before anything looks at the state: it may change it."""
        called = _library.clock_action(function)
        self._kept.append(called)
        call("simulation_adjust", self._handle, every, called)
        return self

    def derive(self, program):
        """Fields that are computed from others only when something shows them."""
        self._kept.append(program)
        call("simulation_derive", self._handle, program.handle())
        return self

    def results(self, function: Callable[[], dict],
                units: dict[str, str] | None = None) -> Simulation:
        """Numbers of your own in summary.json: the function returns a dict when the run is over."""
        called = _library.text_function(lambda: json.dumps(function()))
        self._kept.append(called)
        call("simulation_results", self._handle, called, json.dumps(units or {}))
        return self

    def run(self) -> Report:
        """Runs to the end; may be called once. Returns a Report. Ctrl-C and other signals save a
        checkpoint and stop, as in programs of C++.
        """
        sys.stdout.flush()
        return Report(**json.loads(_library.text_of("simulation_run", self._handle)))

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
