"""Simulations: what a run does beside its steps."""

from __future__ import annotations

import dataclasses
import json
import os
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Callable, Optional, Tuple, Union

import numpy as np

from goban import _library
from goban._arguments import checked
from goban._functors import Functor
from goban._library import Handle, call
from goban._outputs import file_name_of, written
from goban.adjoint import Adjoint, Array
from goban.columns import Objects, Position, Shown, Shows, position_on
from goban.errors import one_of, refuse
from goban.field import AXES, Field
from goban.grid import Grid
from goban.parameter import Condition, Parameter
from goban.program import Program
from goban.samples import ObjectiveOfTraces
from goban.schedule import When, schedule, scheduled

if TYPE_CHECKING:
    from typing_extensions import Unpack


@dataclasses.dataclass(frozen=True)
class Report:
    """What a run did. `exit_code`: 0, or 75 where it was stopped early with a good checkpoint:
    sys.exit(simulation.run().exit_code) tells a batch system so.

    >>> raise SystemExit(simulation.run().exit_code)  # doctest: +SKIP
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
        """Whether it was not stopped early."""
        return self.exit_code == 0


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

    >>> program = goban.Program("add")
    >>> stage = program.apply(lambda u: u.__setitem__(..., u() + 1), u.fill(0))
    >>> simulation = goban.Simulation(grid, program, steps=20, measure_bandwidth=False)
    >>> simulation = simulation.output([u], every=10).checkpoint(minutes=5)
    >>> simulation.run().last_step
    20
    """

    @checked
    def __init__(self, grid: Grid, program: Program, steps: Optional[int] = None,
                 end: Optional[float] = None, dt: Union[float, Parameter] = 1.0,
                 dt_limit: Optional[Parameter] = None, directory: Union[str, os.PathLike[str]] = "",
                 name: str = "", title: str = "", restart: Union[str, int, None] = None,
                 allow_changes: bool = False, max_time: Optional[float] = None,
                 nan_check: int = 100,
                 case_values: Optional[Mapping[str, Any]] = None, length_unit: str = "",
                 time_unit: str = "", advice_on_divergence: Optional[str] = None,
                 measure_bandwidth: bool = True, if_unwritable: str = "stop") -> None:
        one_of("if_unwritable =", if_unwritable, ("stop", "warn"))
        is_parameter = isinstance(dt, Parameter)
        options = {
            "steps": steps, "end": end, "dt": None if is_parameter else dt,
            "directory": str(directory), "name": name, "title": title,
            "restart": None if restart is None else str(restart), "allow_changes": allow_changes,
            "max_time": max_time, "nan_check": nan_check,
            "case_values": {key: str(value) for key, value in (case_values or {}).items()},
            "length_unit": length_unit, "time_unit": time_unit,
            "advice_on_divergence": advice_on_divergence, "measure_bandwidth": measure_bandwidth,
            "warn_of_files": if_unwritable == "warn"}
        self._grid, self._kept = grid, [grid, program, dt, dt_limit]
        self._program, self._dt, self._dt_limit, self._steps = program, dt, dt_limit, steps
        self._handle = Handle("simulation", "simulation", grid, program.handle(),
                              _library.options_text(options), dt if is_parameter else None, dt_limit,
                              others=self._kept)

    def _output(self, kind, objects, options, when):
        options["when"] = schedule(**when)
        call("simulation_output", self._handle, kind, _library.options_text(options), objects.all)
        self._kept += objects.all
        return self

    @scheduled
    @checked
    def output(self, fields: Union[Shown, Sequence[Shown], Callable[..., Any]], name: str = "",
               **when: Unpack[When]) -> Simulation:
        """Snapshots of whole fields, output([u, (v, "m/s")], every=100), or what a function(step,
        time, wall) of your own returns, in files with its name: an array as <name>.0000100.npy, a
        dict of columns, {"x": ..., ("u", "m/s"): ...}, as .csv; None: no file. Every process calls
        it, so that it may take u.numpy(), and what the first returns is written.

        >>> simulation = simulation.output([u, (next, "K")], every=5)
        >>> def spectrum(step, time, wall):
        ...     return np.abs(np.fft.rfft2(u.numpy()))
        >>> simulation = simulation.output(spectrum, every=10)
        """
        objects = Objects()
        if callable(fields):
            options = {"object": objects.add(written(fields)), "name": name or file_name_of(fields)}
            return self._output("script", objects, options, when)
        options = {"fields": objects.fields(fields), "name": name}
        return self._output("output", objects, options, when)

    @scheduled
    @checked
    def bodies(self, bodies: Bodies, **when: Unpack[When]) -> Simulation:
        """Bodies as VTK PolyData, <name>_bodies.0000100.vtp; all pictures of the run show them.

        >>> simulation = simulation.bodies(cells, every=100)  # doctest: +SKIP
        """
        objects = Objects()
        return self._output("bodies", objects, {"object": objects.add(bodies)}, when)

    @scheduled
    @checked
    def picture(self, field: Shown, axis: str = "z", position: Optional[float] = None,
                index: Optional[int] = None, component: int = 0, magnitude: bool = False,
                range: Optional[Tuple[float, float]] = None, one_range: bool = True,
                colors: str = "", outline: Optional[Shown] = None, mask: Optional[Shown] = None,
                mask_value: Optional[float] = None, format: str = "png",
                vertical_exaggeration: float = 1.0, pixels_per_cell: int = 0,
                smooth: bool = False, title: str = "", name: str = "",
                **when: Unpack[When]) -> Simulation:
        """A slice across an axis as a picture: format "png", "svg" or "pdf".

        >>> simulation = simulation.picture(u, every=5, range=(0, 1))
        """
        objects = Objects()
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

    @scheduled
    @checked
    def series(self, name: str, columns: Sequence[Shows], **when: Unpack[When]) -> Simulation:
        """Numbers over time as CSV: series("energy", [sum_of(u), dt, ("e", "J", function)],
        every=10). A function takes nothing and returns a number.

        >>> columns = [goban.sum_of(u), ("two", "m", lambda: 2)]
        >>> simulation = simulation.series("sums", columns, every=1)
        """
        objects = Objects()
        columns = [objects.column(one) for one in columns]
        return self._output("series", objects, {"columns": columns, "name": name}, when)

    @scheduled
    @checked
    def probe(self, fields: Union[Shown, Sequence[Shown]], positions: Sequence[Position],
              **when: Unpack[When]) -> Simulation:
        """Fields at points over time as CSV, interpolated between cells.

        >>> simulation = simulation.probe([u], [(3.5, 4.5), (8, 8)], every_time=0.5)
        """
        objects = Objects()
        places = [position_on(self._grid, one) for one in positions]
        return self._output("probe", objects, {"fields": objects.fields(fields),
                                               "positions": places}, when)

    @scheduled
    @checked
    def line(self, name: str, fields: Union[Shown, Sequence[Shown]], start: Position,
             end: Position, points: int = 0, **when: Unpack[When]) -> Simulation:
        """Fields along a line as CSV, interpolated.

        >>> simulation = simulation.line("across", u, (0, 8), (16, 8), at_end=True)
        """
        objects = Objects()
        return self._output("line", objects, {"fields": objects.fields(fields), "name": name,
                                              "from": position_on(self._grid, start),
                                              "to": position_on(self._grid, end),
                                              "points": points}, when)

    @scheduled
    @checked
    def plane(self, name: str, fields: Union[Shown, Sequence[Shown]], axis: str = "z",
              position: Optional[float] = None, **when: Unpack[When]) -> Simulation:
        """Fields on a plane across an axis as a snapshot of one layer, interpolated.

        >>> simulation = simulation.plane("middle", u, axis="y", position=8.0, at=[5, 10])
        """
        objects = Objects()
        return self._output("plane", objects, {"fields": objects.fields(fields), "name": name,
                                               "axis": AXES[one_of("axis", axis, tuple(AXES))],
                                               "position": position}, when)

    @scheduled
    @checked
    def statistics(self, field: Shown, start: float = 0.0, **when: Unpack[When]) -> Simulation:
        """Mean, variance, minimum and maximum of every cell, from the simulated time `start` on.

        >>> simulation = simulation.statistics(u, start=2.0, at_end=True)
        """
        objects = Objects()
        return self._output("statistics", objects,
                            {"shown": objects.field(field), "from": start}, when)

    @scheduled
    @checked
    def averages(self, name: str, fields: Union[Shown, Sequence[Shown]], axis: str = "z",
                 covariances: Sequence[Tuple[str, str]] = (), start: float = 0.0,
                 **when: Unpack[When]) -> Simulation:
        """Profiles along an axis, averaged over planes and time: means, variances and covariances
        of pairs, [("u", "v")].

        >>> simulation = simulation.averages("profiles", [u, next], axis="y", at_end=True)
        """
        objects = Objects()
        return self._output("averages", objects, {"fields": objects.fields(fields), "name": name,
                                                  "axis": AXES[one_of("axis", axis, tuple(AXES))],
                                                  "covariances": list(covariances),
                                                  "from": start}, when)

    @scheduled
    @checked
    def checkpoint(self, keep: int = 2, archive_every: int = 0, last: bool = True,
                   background: bool = False, compress: bool = False, mtbf: float = 0.0,
                   **when: Unpack[When]) -> Simulation:
        """Saves the state, from which a run goes on with the same bits: checkpoint(minutes=5).
        `keep`: of the newest; `last`: one more when the run is over. Signals save one in any run.

        >>> simulation = simulation.checkpoint(minutes=5, keep=3)
        """
        options = {"keep": keep, "archive_every": archive_every, "at_end": last,
                   "background": background, "compress": compress, "mtbf": mtbf,
                   "when": schedule(**when)}
        call("simulation_checkpoint", self._handle, _library.options_text(options))
        return self

    @checked
    def keep(self, parameter: Parameter) -> Simulation:
        """State that checkpoints need and the program does not show.

        >>> simulation = simulation.keep(goban.Parameter("so far"))
        """
        self._kept.append(parameter)
        call("simulation_keep", self._handle, parameter)
        return self

    def progress(self) -> Simulation:
        """Banner, live line and report on the terminal.

        >>> simulation = simulation.progress()
        """
        call("simulation_progress", self._handle)
        return self

    @checked
    def live(self, at: Union[int, str] = "auto") -> Simulation:
        """A page in a browser that shows the run: progress, planes of fields, curves, the log; it
        pauses the run, saves, and stops it. At a port of 127.0.0.1, or at a Unix socket, whose path
        has a slash; the run prints the address (docs/live.md).

        >>> simulation = simulation.live()
        """
        call("simulation_live", self._handle, str(at))
        return self

    @checked
    def stop_when(self, condition: Condition, check_every: int,
                  check: Optional[Program] = None) -> Simulation:
        """Ends the run when the condition holds, stop_when(residual < 1e-6, 100, program): looked
        at every so many steps, after one run of the program `check`.

        >>> simulation = simulation.stop_when(goban.Parameter("rest", 1) < 1e-6, check_every=5)
        """
        self._kept += [condition, check]
        call("simulation_stop_when", self._handle, condition.parameter, condition.is_less,
             condition.bound, check_every, check.handle() if check is not None else None)
        return self

    @scheduled
    @checked
    def on(self, function: Callable[..., Any], **when: Unpack[When]) -> Simulation:
        """Calls function(step, time, wall): it looks, and changes nothing.

        >>> simulation = simulation.on(lambda step, time, wall: print(step, u.maximum()), every=5)
        """
        called = _library.clock_action(function)
        self._kept.append(called)
        call("simulation_on", self._handle, _library.options_text(schedule(**when)), called)
        return self

    @checked
    def adjust(self, function: Callable[..., Any], every: int = 1) -> Simulation:
        """Calls function(step, time, wall) before anything looks at the state: it may change it.

        >>> simulation = simulation.adjust(lambda step, time, wall: u.fill(0), every=5)
        """
        called = _library.clock_action(function)
        self._kept.append(called)
        call("simulation_adjust", self._handle, every, called)
        return self

    @checked
    def derive(self, program: Program) -> Simulation:
        """Fields and parameters that are computed from others only when something shows them.

        >>> simulation = simulation.derive(program)
        """
        self._kept.append(program)
        call("simulation_derive", self._handle, program.handle())
        return self

    @checked
    def results(self, function: Callable[..., Any],
                units: Optional[Mapping[str, str]] = None) -> Simulation:
        """Numbers of your own in summary.json: the function returns a dict of them when the run is
        over; NaN and infinity are null there. What it raises is raised by run(), which has written
        all else by then.

        >>> simulation = simulation.results(lambda: {"largest": u.maximum()}, {"largest": "K"})
        """
        called = _library.text_function(lambda: _results(function()))
        self._kept.append(called)
        call("simulation_results", self._handle, called, json.dumps(units or {}))
        return self

    def run(self) -> Report:
        """Runs to the end; may be called once. Returns a Report. Ctrl-C and other signals save a
        checkpoint and stop, as in programs of C++. With --goban-predict it prints what the run would
        take, and the script ends.

        >>> simulation.run().last_step
        10
        """
        sys.stdout.flush()
        report = json.loads(_library.text_of("simulation_run", self._handle))
        if "predicted" in report:
            sys.stdout.write(report["predicted"])
            raise SystemExit(0)
        return Report(**report)

    @checked
    def value_and_gradient(self, objective: Union[Functor, ObjectiveOfTraces],
                           with_respect_to: Sequence[Union[Field, Parameter]],
                           states: int = 16, memory: Optional[float] = None,
                           folder: Union[str, os.PathLike[str], None] = None,
                           ) -> tuple[float, list[Union[float, Array]]]:
        """What an Adjoint of its program tells of all its steps, from what fields hold now, without
        files and all else that a run does. `states`, `memory` and `folder` are those of
        Adjoint.value_and_gradient. An optimizer, which asks often, makes one Adjoint.

        >>> simulation = goban.Simulation(grid, program, steps=3)
        >>> value, (of_u,) = simulation.value_and_gradient(
        ...     goban.stage(lambda u: u()**2, u.fill(1)), [u])
        >>> value, float(of_u[3, 4])
        (4096.0, 8.0)
        """
        if self._steps is None:
            refuse("a gradient is refused", "the simulation ends at a time", "name its steps=")
        if self._dt_limit is not None:
            refuse("a gradient is refused", "what is written limits the time step (dt_limit)",
                   "make an Adjoint of the program")
        adjoint = Adjoint(self._program, objective, with_respect_to, self._dt)
        return adjoint.value_and_gradient(self._steps, states, memory, folder)

    @checked
    def rehearse(self, steps: int) -> None:
        """Goes through what a run computes and makes no files: for GPUs that are not there
        (rehearse_gpus), whose kernels it has compiled and kept. What it computes is lost.

        >>> simulation.rehearse(5)
        """
        call("simulation_rehearse", self._handle, steps)

    def dry_run(self) -> str:
        """What it would do, as text; makes no files.

        >>> "10 steps of 1" in simulation.dry_run()
        True
        """
        return _library.text_of("simulation_dry_run", self._handle)

    def describe(self) -> str:
        """Footprints, halos, the schedule chosen and why, as text.

        >>> "add" in simulation.describe()
        True
        """
        return _library.text_of("simulation_describe", self._handle)
