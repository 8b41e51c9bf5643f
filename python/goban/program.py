"""Programs: what one time step does."""

from __future__ import annotations

import ctypes
import json
import time
from collections.abc import Sequence
from typing import Any, Callable, Optional, Union

from goban import _library
from goban._arguments import checked
from goban._library import Handle, call
from goban._functors import Functor, Intermediate, Objects, compute_steps
from goban.bodies import Bodies
from goban.errors import Error, one_of, place_of_frames, refuse
from goban.field import AXES, Field
from goban.grid import has_other_ranks
from goban.parameter import Condition, Parameter
from goban.samples import Samples
from goban.view import View


class Stage:
    """What a program has been told last; says which cells it is for.

    >>> stage = goban.Program("part").apply(lambda u: u.__setitem__(..., u() + 1), u)
    >>> stage = stage.over((0, 0), (8, 8)).named("add one")
    """

    def __init__(self) -> None:
        self._box = self._mask = self._name = None

    @checked
    def over(self, lower: Sequence[int], upper: Sequence[int]) -> Stage:
        """Only the cells lower <= (i, j, k) < upper of the grid; others keep their values, and what
        of the box lies beyond the grid counts for nothing.

        >>> stage = program.apply(lambda u: u.__setitem__(..., 0), u).over((0, 0), (8, 16))
        """
        if len(lower) != len(upper) or not 1 <= len(lower) <= 3:
            refuse(f"the box from {lower} to {upper} is refused", "both ends have as many indices")
        more = 3 - len(lower)
        self._box = [*lower, *[0] * more, *upper, *[1] * more]
        return self

    @checked
    def where(self, mask: Field) -> Stage:
        """Only cells whose value in the field `mask`, of type uint8, is not zero.

        >>> mask = grid.field("mask", "uint8").fill(lambda x, y: x > 8)
        >>> stage = program.apply(lambda u: u.__setitem__(..., u() + 1), u).where(mask)
        """
        self._mask = mask
        return self

    @checked
    def named(self, name: str) -> Stage:
        """For reports, in place of the functor's name.

        >>> stage = program.apply(lambda u: u.__setitem__(..., 0), u).named("clear")
        """
        self._name = name
        return self

    def limit(self, program: Handle) -> None:
        if self._box is not None:
            call("program_over", program, _library.integers(self._box))
        if self._mask is not None:
            call("program_where", program, self._mask)


class Program:
    """What one time step does, stage by stage. Functors are recorded as they are passed.

    Arguments of a functor are its fields, and `goban.site` where it asks where it is, in the order
    of its parameters. What is passed by name are its numbers: those of Python, and Parameters,
    which change while the program runs. Other objects (text, tuples, arrays, True) are what they
    are to it.

    >>> def diffuse(u, next, r):
    ...     next[...] = u() + r * (u(1, 0) + u(-1, 0) + u(0, 1) + u(0, -1) - 4 * u())
    >>> step = goban.Program("diffusion")
    >>> stage = step.apply(diffuse, u, next, r=0.2)
    >>> step = step.swap(u, next)
    >>> goban.Engine(step).run(10).step
    10
    """

    @checked
    def __init__(self, name: str) -> None:
        self.name = name
        # Functions of a Handle, in order, which append to it. They do not refer to this object:
        # its fields are freed as soon as nobody does.
        self._stages = []
        self._done = 0
        self._handle = None
        self._kept = []

    def handle(self) -> Handle:
        """The program of the library, complete."""
        if self._handle is None:
            self._handle = Handle("program", "program", self.name)
        for append in self._stages[self._done:]:
            append(self._handle)
            self._done += 1
        return self._handle

    @checked
    def apply(self, functor: Callable[..., Any], /, *fields: Any, **numbers: Any) -> Stage:
        """One sweep of the functor over the grid.

        >>> def double(u, next):
        ...     next[...] = 2 * u()
        >>> stage = goban.Program("double").apply(double, u, next)
        """
        made = Functor([functor], fields, numbers)
        if made.returned is not None:
            refuse(f"{made.shown} returns something", "nobody takes it",
                   "assign it: next[...] = x")
        made.require_stored()
        made.require_result()
        return self._sweep("apply", [made])

    @checked
    def columns(self, axis: str, forward: Optional[Callable[..., Any]],
                backward: Optional[Callable[..., Any]], /,
                *fields: Any, **numbers: Any) -> Stage:
        """Sweeps columns along an axis, level after level: `forward` from the first to the last,
        then `backward` back; either may be None. Both get all arguments. scratch("float64", 2)
        among them is memory of every level: s[0] = x, s[0](), s[0].before(). See docs/api.md,
        Columns.

        >>> def add_up(u, next, s):
        ...     s[0] = u() + s[0].before()
        ...     next[...] = s[0]()
        >>> level = goban.Program("sums").columns("y", add_up, None, u, next, goban.scratch())
        """
        one_of("axis", axis, tuple(AXES))
        if forward is None and backward is None:
            refuse("columns without a sweep", "forward and backward are both None")
        made = Functor([forward, backward], fields, numbers)
        made.require_stored()
        made.require_result()
        return self._sweep("columns", [made], axis=AXES[axis])

    @checked
    def fuse(self, *stages: Functor,
             walled: Sequence[Union[Field, Intermediate]] = ()) -> Stage:
        """Functors that follow each other in one sweep: fuse(stage(f, u, v), stage(g, v, w)). Where
        a later one reads what an earlier one writes, that is computed again. `walled`: of the
        fields handed on, those with constant boundary conditions.

        >>> q = goban.Intermediate(grid, "q")
        >>> def half(u, q):
        ...     q[...] = u() / 2
        >>> def difference(q, next):
        ...     next[...] = q(1, 0) - q(-1, 0)
        >>> fused = goban.Program("fused").fuse(goban.stage(half, u, q),
        ...                                     goban.stage(difference, q, next))
        """
        if len(stages) < 2:
            refuse("fuse takes two stages or more", "", "write fuse(goban.stage(f, u), ...)")
        for one in stages:
            one.require_result()
        return self._sweep("fuse", stages, walled=walled)

    @checked
    def reduce(self, functor: Callable[..., Any], /, *fields: Any, how: str, into: Parameter,
               **numbers: Any) -> Stage:
        """into = "sum", "minimum" or "maximum" (how) over the cells of what the functor returns, in
        double; sums are exact, so they are the same on any devices. Of values with a NaN among them
        each is NaN.

        >>> largest, program = goban.Parameter("largest"), goban.Program("largest")
        >>> stage = program.reduce(lambda u: abs(u()), u.fill(-3), how="maximum", into=largest)
        >>> engine = goban.Engine(program).run(1)
        >>> largest.value
        3.0
        """
        one_of("how =", how, ("sum", "minimum", "maximum"))
        made = Functor([functor], fields, numbers)
        made.require_stored()
        made.assign_returned()
        return self._sweep(how, [made], into=into)

    @checked
    def compute(self, function: Callable[..., Any], /, *parameters: Parameter,
                into: Union[Parameter, Sequence[Parameter]], **numbers: Any) -> Program:
        """Arithmetic on parameters within the step: the function gets their values and returns that
        of `into`, or as many as it lists. It is recorded, as functors are.

        >>> speed, dt = goban.Parameter("speed", 4), goban.Parameter("dt")
        >>> program = goban.Program("step").compute(lambda speed, cfl: cfl / speed, speed,
        ...                                         into=dt, cfl=0.5)
        """
        into = into if isinstance(into, list) else [into]
        steps = compute_steps(function, parameters, into, numbers)
        self._stage({"kind": "compute", "inputs": len(parameters), "steps": steps}, "compute",
                    [*parameters, *into])
        return self

    def _sweep(self, kind, functors, walled=(), into=None, axis=0):
        objects = Objects()
        described = {"kind": kind, "functors": [one.described(objects) for one in functors],
                     "walled": [objects.place_of(one) for one in walled], "axis": axis}
        return self._stage(described, " + ".join(one.shown for one in functors),
                           objects + [into] if into else objects)

    def _stage(self, described, name, objects):
        stage, place, text = Stage(), place_of_frames(), json.dumps(described)
        fields = [one if isinstance(one, (Field, Intermediate)) else None for one in objects]
        parameters = [one if isinstance(one, Parameter) else None for one in objects]
        self._kept += objects

        def append(program):
            try:
                call("program_stage", program, text, stage._name or name, fields, parameters,
                     len(objects))
                stage.limit(program)
            except Error as error:
                raise Error(f"{place}: {error}", code=error.code) from None

        self._stages.append(append)
        return stage

    def _append(self, name, *arguments, kept=()):
        self._kept += kept
        self._stages.append(lambda program: call(name, program, *arguments))
        return self

    @checked
    def swap(self, a: Field, b: Field) -> Program:
        """Afterwards each name stands for what the other stood for; no data moves.

        >>> program = goban.Program("swap").swap(u, next)
        """
        return self.rotate(a, b)

    @checked
    def rotate(self, *fields: Field) -> Program:
        """Afterwards the first name stands for what the second stood for, and so on, the last for
        the first.

        >>> program = goban.Program("rotate").rotate(u, next, u.like("third"))
        """
        if len(fields) < 2:
            refuse("nothing changes places", "it takes two fields or more")
        first = fields[0]
        for other in fields:
            if (other.type, other.components, other.layout, other.in_place) != \
                    (first.type, first.components, first.layout, first.in_place):
                refuse(f"'{first.name}' and '{other.name}' cannot change places",
                       "they are of different types")
        return self._append("program_rotate", fields, len(fields), kept=fields)

    @checked
    def follow(self, parameter: Parameter, function: Callable[..., Any]) -> Program:
        """In every step the parameter is what the function makes of the simulated time.

        >>> wind = goban.Parameter("wind")
        >>> program = goban.Program("wind").follow(wind, lambda time: np.sin(time))
        """
        called = _library.time_function(lambda time: parameter._stored(function(time)))
        return self._append("program_follow", parameter, called, kept=[parameter, called])

    @checked
    def call(self, function: Callable[..., Any], reads: Sequence[Field] = (),
             writes: Sequence[Field] = ()) -> Program:
        """A function of Python between sweeps: it takes no arguments and sees the fields it names
        here as numpy() and the like give them.

        >>> program = goban.Program("look").call(lambda: print(u.sum()), reads=[u])
        """
        called = _library.action(function)
        return self._append("program_call", called, reads, len(reads), writes, len(writes),
                            kept=[*reads, *writes, called])

    @checked
    def call_on_device(self, function: Callable[..., Any], reads: Sequence[Field] = (),
                       writes: Sequence[Field] = ()) -> Program:
        """A function of Python between sweeps that works on the fields where they lie: it gets a
        View of each, those of `writes` writable, once for every patch of this process. On a GPU
        what it puts into the view's `stream` comes in order with the program without anybody
        waiting, if that is the only GPU; else, and for other streams, the host waits.

        >>> def double(a, b):
        ...     b[...] = 2 * a
        >>> program = goban.Program("double")
        >>> program = program.call_on_device(double, reads=[u.fill(1)], writes=[next])
        >>> engine = goban.Engine(program).run(1)
        >>> next.sum()
        512.0
        """
        fields = [*reads, *writes]
        if not fields:
            refuse("a call on the device without fields", "", "name some as reads or writes")
        writable = [False] * len(reads) + [True] * len(writes)

        def made(addresses):
            handles = [_library.Made("views", addresses[n]) for n in range(len(fields))]
            function(*(View(*one) for one in zip(fields, handles, [0] * len(fields), writable)))

        called = _library.views_action(made)
        return self._append("program_call_on_device", called, reads, len(reads), writes,
                            len(writes), kept=[*fields, called])

    @checked
    def couple(self, bodies: Bodies, velocity: Field, force: Field,
               solid: Optional[Field] = None) -> Program:
        """Here in every step bodies see the velocity of the fluid and move, and `force` becomes
        what they do to nodes: both of three components, float32 or float64. There is no fluid where
        `solid`, of type uint8, is not 0.

        >>> fluid = goban.Grid((16, 16, 16))
        >>> v, f = (fluid.field(name, components=3) for name in "vf")
        >>> bodies = goban.Bodies(fluid, (2, 2, 1), viscosity=0.1).pack(0.02)
        >>> program = goban.Program("suspension").couple(bodies, v, f)
        """
        kept = [bodies, velocity, force, *([] if solid is None else [solid])]
        return self._append("program_couple", bodies, velocity, force, solid, kept=kept)

    @checked
    def sample(self, samples: Samples) -> Program:
        """Here in every step values of the cells that the samples name are taken.

        >>> samples = goban.Samples(grid)
        >>> part = samples.add(u, (3, 4), (4, 5))
        >>> program = goban.Program("look").sample(samples)
        """
        return self._append("program_sample", samples, kept=[samples])

    @checked
    def repeat(self, times: int, program: Program) -> Program:
        """The stages of another program, so many times.

        >>> twice = goban.Program("twice").repeat(2, goban.Program("swap").swap(u, next))
        """
        self._kept.append(program)
        self._stages.append(lambda handle: call("program_repeat", handle, times, program.handle()))
        return self

    @checked
    def until(self, condition: Condition, check_every: int, limit: int, body: Program,
              check: Program) -> Program:
        """Runs `body` until the condition, p < 1e-6, holds: before the first round and after every
        `check_every` of them `check` runs, which sets the parameter p, and the condition is looked
        at. Error (code 5) if it does not hold after `limit` rounds, or p is NaN.

        >>> rest = goban.Parameter("rest")
        >>> body, check = goban.Program("body"), goban.Program("check")
        >>> stage = body.apply(lambda u: u.__setitem__(..., u() / 2), u.fill(1))
        >>> stage = check.reduce(lambda u: u(), u, how="maximum", into=rest)
        >>> program = goban.Program("solve").until(rest < 1e-3, 5, 100, body, check)
        >>> engine = goban.Engine(program).run(1)
        >>> rest.value == 2**-10
        True
        """
        self._kept += [condition, body, check]
        self._stages.append(lambda handle: call(
            "program_until", handle, condition.parameter, condition.is_less, condition.bound,
            check_every, limit, body.handle(), check.handle()))
        return self


@checked
def stage(functor: Callable[..., Any], /, *fields: Any, **numbers: Any) -> Functor:
    """One of the stages of a fuse.

    >>> one = goban.stage(lambda u, next: next.__setitem__(..., u()), u, next)
    """
    return Functor([functor], fields, numbers)


class Engine(Handle):
    """Runs a program without a simulation, no files and no report: engine.run(100), look at fields,
    engine.run(100), ... `dt`: simulated time a step, a number or a Parameter.

    >>> program = goban.Program("add")
    >>> stage = program.apply(lambda u: u.__setitem__(..., u() + 1), u.fill(0))
    >>> engine = goban.Engine(program, dt=0.5).run(4)
    >>> engine.step, engine.time, u.sum()
    (4, 2.0, 1024.0)
    """

    @checked
    def __init__(self, program: Program, dt: Union[float, Parameter] = 1.0) -> None:
        is_parameter = isinstance(dt, Parameter)
        super().__init__("engine", "engine", program.handle(), 0.0 if is_parameter else dt,
                         dt if is_parameter else None, others=[program, dt])
        self.step, self.time = 0, 0.0
        self._piece = 1  # steps that take about a second
        self._is_alone = not has_other_ranks()

    @checked
    def run(self, steps: int) -> Engine:
        """So many steps; returns the engine, whose `step` and `time` are then those reached. Ctrl-C
        ends it between two steps, where there is one process.

        >>> goban.Engine(program).run(3).step
        3
        """
        if steps < 0:
            refuse(f"{steps} steps are refused", "there are none below 0")
        left = steps
        while left > 0:
            piece = min(left, self._piece) if self._is_alone else left
            began = time.perf_counter()
            self._run(piece)
            left -= piece
            seconds = time.perf_counter() - began
            self._piece = max(1, int(self._piece * min(8.0, 1.0 / max(seconds, 1e-3))))
        return self

    def _run(self, steps):
        step, now = ctypes.c_int64(), ctypes.c_double()
        call("engine_run", self, steps, ctypes.byref(step), ctypes.byref(now))
        self.step, self.time = step.value, now.value
